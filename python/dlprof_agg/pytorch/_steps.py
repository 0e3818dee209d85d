"""Steps, and the fetches of their batches.

    DataLoader │ step 0                          │ step 1                  …
    fetch 0    │ compute 0, then fetch of batch 1 │ compute 1, then fetch of batch 2

A step begins when its batch is there and ends when the next one is, so the steps tile the loop and each contains one fetch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from dlprof_agg.pytorch import _state
from dlprof_agg.pytorch._state import here

#: The text around a fetch, by which DLProf's reports know the time of data loaders.
FETCH = "DataLoader"

Batch = TypeVar("Batch")


def step() -> None:
    """Begins a step, and ends the one before it. Best called as the first line of the loop's body."""
    if _state.torch().compiler.is_compiling():
        return
    end_step()
    ranges = _state.current()
    if ranges is not None:
        ranges.push(f"step {here.next_step}")
    here.open_step = ranges
    here.next_step += 1


def end_step() -> None:
    """Ends the open step, if there is one, and the steps of optimizers in it that raised: PyTorch says nothing of their end."""
    while here.optimizers:
        here.leave_optimizer()
    ranges, here.open_step = here.open_step, None
    if ranges is not None:
        ranges.pop()


class batches(Generic[Batch]):  # noqa: N801 - it reads as a function
    """A data loader whose fetches are marked, and whose batches are steps.

    It has all attributes of the loader that it wraps and can be iterated as often. With `steps=False` only fetches are marked:
    for loops that call `step` themselves, as with accumulated gradients.
    """

    def __init__(self, loader: Any, *, steps: bool = True) -> None:
        self._loader = loader
        self._steps = steps

    def __iter__(self) -> Iterator[Batch]:
        ranges = _state.current()
        items = iter(self._loader)
        try:
            while True:
                if ranges is not None:
                    ranges.push(FETCH)
                try:
                    batch = next(items)
                except StopIteration:
                    return
                finally:
                    if ranges is not None:
                        ranges.pop()
                if self._steps:
                    step()
                yield batch
        finally:
            if self._steps:
                end_step()

    def __len__(self) -> int:
        return len(self._loader)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_loader":
            raise AttributeError(name)
        return getattr(self._loader, name)
