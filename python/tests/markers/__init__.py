"""Markers of PyTorch and JAX, recorded, written as exports and read by the program."""
