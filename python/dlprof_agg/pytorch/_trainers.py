"""Callbacks for Lightning and for Hugging Face's `Trainer`. Their packages are imported when a callback is made."""

from __future__ import annotations

import importlib
import sys
from functools import wraps
from typing import Any

from dlprof_agg.pytorch import _state, _steps
from dlprof_agg.pytorch._annotate import annotate


def lightning_callback(**options: Any) -> Any:
    """A callback for Lightning's `Trainer(callbacks=[…])`; takes what `annotate` takes, but the model, which is Lightning's."""
    base = _first_class(("lightning.pytorch", "pytorch_lightning"), "Callback", "lightning")

    class Markers(base):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            self._marks: annotate | None = None

        def on_train_start(self, trainer: Any, pl_module: Any) -> None:
            self._marks = annotate(pl_module, **options).__enter__()
            self._module = pl_module
            # Lightning runs the whole step inside the optimizer's, where only ranges of the program are seen one by one.
            pl_module.training_step = _in_range(pl_module.training_step)

        def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
            _steps.step()

        def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
            _steps.end_step()

        def on_train_end(self, trainer: Any, pl_module: Any) -> None:
            self._end()

        def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
            self._end()

        def _end(self) -> None:
            marks, self._marks = self._marks, None
            if marks is not None:
                del self._module.training_step
                marks.__exit__(None, None, None)

    return Markers()


def _in_range(function: Any) -> Any:
    """A function whose calls are ranges by its name."""

    @wraps(function)
    def marked(*arguments: Any, **options: Any) -> Any:
        ranges = _state.current()
        if ranges is None:
            return function(*arguments, **options)
        ranges.push(function.__name__)
        try:
            return function(*arguments, **options)
        finally:
            ranges.pop()

    return marked


def trainer_callback(**options: Any) -> Any:
    """A callback for Hugging Face's `Trainer(callbacks=[…])`; takes what `annotate` takes, but the model, which is the trainer's.

    A step is what the trainer calls so: with accumulated gradients it has several batches.
    """
    base = _first_class(("transformers",), "TrainerCallback", "transformers")

    class Markers(base):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            self._marks: annotate | None = None

        def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **others: Any) -> None:
            self._marks = annotate(model, **options).__enter__()

        def on_step_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
            _steps.step()

        # A trainer calls `on_evaluate` behind an evaluation: the step has to end before.
        def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
            if control.should_evaluate:
                _steps.end_step()

        def on_prediction_step(self, args: Any, state: Any, control: Any, **others: Any) -> None:
            _steps.end_step()

        def on_train_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
            marks, self._marks = self._marks, None
            if marks is not None:
                marks.__exit__(None, None, None)

    return Markers()


def _first_class(packages: tuple[str, ...], name: str, to_install: str) -> Any:
    """A class of the first package that is imported already, else of the first that is installed."""
    for package in sorted(packages, key=lambda package: package not in sys.modules):
        try:
            return getattr(importlib.import_module(package), name)
        except ImportError:
            continue
    raise ImportError(f"this callback is for {packages[0]}, which is not installed: pip install {to_install}")
