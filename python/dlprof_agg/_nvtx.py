"""NVTX ranges of the calling thread, by whatever is installed: PyTorch's own functions, or the package `nvtx`."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

#: Variables of the environment that tools set for the programs whose NVTX calls they record.
LISTENERS = ("NVTX_INJECTION64_PATH", "NSYS_PROFILING_SESSION_ID", "CUDA_INJECTION64_PATH")

#: Switches all markers off (`0`) or on (`1`), whatever the program asks for.
SWITCH = "DLPROF_AGG_MARKERS"


class Ranges(NamedTuple):
    """How ranges are opened and closed. They nest: `pop` closes what was opened last on the thread."""

    push: Callable[[str], Any]
    pop: Callable[[], Any]
    #: Whether PyTorch can mark its operators itself.
    marks_operators: bool


def is_listened() -> bool:
    """Whether the environment says that a tool records this process."""
    return any(os.environ.get(name) for name in LISTENERS)


def switch() -> bool | None:
    """What the environment asks for: markers, none, or nothing in particular."""
    return {"0": False, "1": True}.get(os.environ.get(SWITCH, ""))


def of_torch() -> Ranges | None:
    """PyTorch's functions. Builds for GPUs of NVIDIA and AMD have them, also on machines without a GPU."""
    torch = importlib.import_module("torch")
    if not hasattr(torch._C, "_nvtx"):
        return None
    return Ranges(torch._C._nvtx.rangePushA, torch._C._nvtx.rangePop, marks_operators=True)


def of_package() -> Ranges | None:
    """Those of the package `nvtx`, if it is installed."""
    try:
        nvtx = importlib.import_module("nvtx")
    except ImportError:
        return None
    return Ranges(nvtx.push_range, nvtx.pop_range, marks_operators=False)


_said: set[str] = set()


def say_once(sentence: str) -> None:
    """Warns, once per process and sentence, at the first line outside of this package."""
    if sentence in _said:
        return
    _said.add(sentence)
    depth, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("dlprof_agg"):
        frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
    warnings.warn(sentence, stacklevel=depth)
