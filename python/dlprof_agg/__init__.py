"""Where the training time went, from Nsight Systems exports and torch.profiler traces."""

from dlprof_agg._native import VERSION as __version__

__all__ = ["__version__"]
