"""Types of the native module."""

from collections.abc import Sequence

VERSION: str

def run_program(words: Sequence[str]) -> int: ...
