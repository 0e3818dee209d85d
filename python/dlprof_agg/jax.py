"""Markers for JAX: steps and named scopes as NVTX ranges, which Nsight Systems records and `dlprof-agg` reads.

    from dlprof_agg.jax import scope, step

    for batch in batches:
        step()
        with scope("update"):
            state = update(state, batch)

JAX itself marks modules and kernels of XLA where its profiler asks for it; it has no function that opens an NVTX range, so this
module takes those of the package `nvtx`. A scope is a `jax.named_scope` as well, which names ops inside of compiled functions.
"""

from __future__ import annotations

import functools
import importlib
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from dlprof_agg import _nvtx
from dlprof_agg._nvtx import Ranges

__all__ = ["end_step", "scope", "step"]

Function = TypeVar("Function", bound=Callable[..., Any])


class _Place(threading.local):
    def __init__(self) -> None:
        self.next_step = 0
        self.in_step = False


_here = _Place()


@functools.cache
def _ranges() -> Ranges | None:
    if _nvtx.switch() is False:
        return None
    found = _nvtx.of_package()
    if found is None and (_nvtx.switch() or _nvtx.is_listened()):
        _nvtx.say_once("the package `nvtx` is not installed, so steps and scopes are not marked: pip install nvtx")
    return found


def _is_tracing() -> bool:
    """Whether JAX makes a program of the calling function: then a range would last as long as that, not as the work.

    Versions of JAX that do not say so have a short range each time they compile.
    """
    context = getattr(getattr(sys.modules.get("jax"), "core", None), "trace_ctx", None)
    is_outside = getattr(context, "is_top_level", None)
    return is_outside is not None and not is_outside()


def step() -> None:
    """Begins a step, and ends the one before it. Best called as the first line of the loop's body."""
    end_step()
    ranges = _ranges()
    if ranges is not None:
        ranges.push(f"step {_here.next_step}")
        _here.in_step = True
    _here.next_step += 1


def end_step() -> None:
    """Ends the open step: behind the loop, before work that is not of a step."""
    ranges = _ranges()
    if _here.in_step and ranges is not None:
        ranges.pop()
    _here.in_step = False


class scope:  # noqa: N801 - it reads as a function
    """A named part of the program, as context manager or decorator."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._open: list[tuple[Any, Ranges | None]] = []

    def __enter__(self) -> scope:
        named = importlib.import_module("jax").named_scope(self._name)
        named.__enter__()
        ranges = None if _is_tracing() else _ranges()
        if ranges is not None:
            ranges.push(self._name)
        self._open.append((named, ranges))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        named, ranges = self._open.pop()
        if ranges is not None:
            ranges.pop()
        named.__exit__(kind, error, trace)

    def __call__(self, function: Function) -> Function:
        """Marks every call of a function."""

        @functools.wraps(function)
        def marked(*arguments: Any, **options: Any) -> Any:
            with scope(self._name):
                return function(*arguments, **options)

        return marked  # type: ignore[return-value]
