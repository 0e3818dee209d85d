"""Ranges around the backward pass and around steps of optimizers, and the operators that PyTorch marks itself."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from dlprof_agg import _nvtx
from dlprof_agg._nvtx import Ranges
from dlprof_agg.pytorch import _state
from dlprof_agg.pytorch._state import here


def mark_backward(ranges: Ranges) -> Callable[[], None]:
    """Marks `backward` of tensors, which calls `torch.autograd.backward`. Gives what takes the marks away again."""
    torch = _state.torch()
    original = torch.autograd.backward

    @wraps(original)
    def backward(*arguments: Any, **options: Any) -> Any:
        if torch.compiler.is_compiling():
            return original(*arguments, **options)
        ranges.push("backward")
        try:
            return original(*arguments, **options)
        finally:
            ranges.pop()

    torch.autograd.backward = backward

    def take_away() -> None:
        # Somebody may have wrapped it once more in the meantime: then ours stays inside and goes on marking.
        if torch.autograd.backward is backward:
            torch.autograd.backward = original

    return take_away


def mark_optimizers(ranges: Ranges, is_marked: bool) -> Callable[[], None]:
    """Marks the steps of all optimizers by their classes. Gives what takes the marks away again.

    Where operators are marked, PyTorch marks these steps itself: then only the path of what is inside says their classes.
    """
    torch = _state.torch()

    def enter(optimizer: Any, arguments: Any, options: Any) -> None:
        if torch.compiler.is_compiling():
            return
        text = type(optimizer).__name__
        here.optimizers.append((len(here.path), None if is_marked else ranges))
        here.path.append(text)
        if not is_marked:
            ranges.push(text)

    def leave(optimizer: Any, arguments: Any, options: Any) -> None:
        if not torch.compiler.is_compiling():
            here.leave_optimizer()

    in_optimizers = importlib.import_module("torch.optim.optimizer")
    handles = [
        in_optimizers.register_optimizer_step_pre_hook(enter),
        in_optimizers.register_optimizer_step_post_hook(leave),
    ]

    def take_away() -> None:
        for handle in handles:
            handle.remove()

    return take_away


@contextmanager
def operators(shapes: bool) -> Iterator[None]:
    """Marks operators, and the nodes of the backward pass with the numbers that tell to which operator they belong."""
    torch = _state.torch()
    emit = torch.autograd.profiler.emit_nvtx(record_shapes=shapes)
    try:
        with _without_synchronizing(torch):
            emit.__enter__()
    except RuntimeError as error:
        _nvtx.say_once(f"operators are not marked, because another profiler of PyTorch runs: {error}")
        yield
        return
    try:
        yield
    finally:
        with _without_synchronizing(torch):
            emit.__exit__(None, None, None)


@contextmanager
def _without_synchronizing(torch: Any) -> Iterator[None]:
    """`emit_nvtx` waits for the GPU when it begins and ends, which fails where there is none."""
    if torch.cuda.is_available():
        yield
        return
    original = torch.cuda.synchronize
    torch.cuda.synchronize = lambda *_: None
    try:
        yield
    finally:
        torch.cuda.synchronize = original
