"""Whether ranges are recorded, and where each thread stands."""

from __future__ import annotations

import importlib
import threading
from typing import Any

from dlprof_agg import _nvtx
from dlprof_agg._nvtx import Ranges


class Place(threading.local):
    """Where a thread stands."""

    def __init__(self) -> None:
        #: Modules whose `forward` runs, by their names in the model, outermost first; `""` is the model itself.
        self.modules: list[str] = []
        #: The texts of the ranges that modules and optimizers have opened, outermost first.
        self.path: list[str] = []
        #: For each optimizer whose step runs, how long the path was before, and what closes its range if it has one.
        self.optimizers: list[tuple[int, Ranges | None]] = []
        #: The number of the next step, and what closes the one that is open.
        self.next_step = 0
        self.open_step: Ranges | None = None


    def leave_optimizer(self) -> None:
        """Ends the step of the innermost optimizer, if one runs."""
        if self.optimizers:
            depth, ranges = self.optimizers.pop()
            del self.path[depth:]
            if ranges is not None:
                ranges.pop()


here = Place()


def torch() -> Any:
    """PyTorch, imported when it is first needed."""
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise ImportError("dlprof_agg.pytorch marks programs of PyTorch, which is not installed") from error


#: What the running `annotate` decided; nothing outside of one.
running: list[Ranges | None] = []

_decided: list[Ranges | None] = []


def current() -> Ranges | None:
    """How to open ranges here: what the running `annotate` decided, else what is decided without one."""
    return running[-1] if running else ranges()


def ranges(enabled: bool | None = None) -> Ranges | None:
    """How to open ranges; nothing where nobody could see them.

    Left open, they are marked where a tool listens or a GPU is there. The answer is kept for the process.
    """
    wanted = _nvtx.switch()
    wanted = enabled if wanted is None else wanted
    if wanted is False:
        return None
    if wanted is None:
        if not _decided:
            _decided.append(_find() if _nvtx.is_listened() or torch().cuda.is_available() else None)
        return _decided[0]
    return _find()


def _find() -> Ranges | None:
    found = _nvtx.of_torch() or _nvtx.of_package()
    if found is None:
        _nvtx.say_once(
            "this build of PyTorch has no NVTX and the package `nvtx` is not installed, so nothing is marked: "
            "install a build of PyTorch for CUDA, or `pip install nvtx` for steps and modules"
        )
    elif not found.marks_operators:
        _nvtx.say_once(
            "this build of PyTorch has no NVTX, so operators are not marked; steps and modules are, by the package `nvtx`"
        )
    return found
