"""What is asked of a capture: declared and checked once, for the native module and for the program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Union

from dlprof_agg._native import MOST_THREADS
from dlprof_agg.errors import UsageError

__all__ = ["Asked", "IterRange", "PathLike", "as_path", "as_paths"]

#: A path of a file.
PathLike = Union[str, "os.PathLike[str]"]

#: Which iterations are aggregated if no numbers are given.
IterRange = Literal["auto", "steady", "all"]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of a capture, by default nothing. :func:`dlprof_agg.read` says what each is.

    Raises:
        UsageError: a number is out of bounds.
    """

    memory: int | str | None = None
    key_node: str | None = None
    iter_start: int | None = None
    iter_stop: int | None = None
    iter_range: IterRange = "auto"
    time_from: str | None = None
    time_to: str | None = None
    batch_size: int | None = None
    ncu: Sequence[str] = ()
    config: PathLike | None = None
    cache: bool = True
    threads: int | None = None

    def __post_init__(self) -> None:
        for name in ("iter_start", "iter_stop", "batch_size", "threads"):
            number: int | None = getattr(self, name)
            most = MOST_THREADS if name == "threads" else 2**32 - 1
            if number is not None and not 0 <= number <= most:
                hint = f"give 0 to {most}" if name == "threads" else "give 0 or more"
                raise UsageError(f"`{name}={number}` is out of bounds", hint=hint)
        if isinstance(self.memory, int) and not 0 < self.memory < 2**63:
            raise UsageError(f"`memory={self.memory}` is out of bounds", hint="give bytes, or such as '2G'")

    def options(self) -> list[str]:
        """The same as options of the program.

        >>> Asked(time_from="5ms", ncu=["/logs/a.csv"], cache=False).options()
        ['--no-config', '--from=5ms', '--no-cache', '--ncu=/logs/a.csv']
        """
        values = {
            "memory": self.memory,
            "key-node": self.key_node,
            "iter-start": self.iter_start,
            "iter-stop": self.iter_stop,
            "iter-range": None if self.iter_range == "auto" else self.iter_range,
            "config": None if self.config is None else os.path.abspath(self.config),
            "from": self.time_from,
            "to": self.time_to,
            "batch-size": self.batch_size,
            "threads": self.threads,
        }
        options = ["--no-config"]
        options += [f"--{name}={value}" for name, value in values.items() if value is not None]
        if not self.cache:
            options.append("--no-cache")
        return options + [f"--ncu={os.path.abspath(log)}" for log in self.ncu]


def as_path(path: PathLike) -> str:
    """A path as the native module takes it."""
    return os.fspath(path)


def as_paths(given: PathLike | Sequence[PathLike] | None) -> list[str]:
    """Several paths, or one, or none."""
    if given is None:
        return []
    return [as_path(given)] if isinstance(given, (str, os.PathLike)) else [as_path(path) for path in given]
