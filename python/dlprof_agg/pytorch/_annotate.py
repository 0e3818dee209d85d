"""`annotate`: everything inside of it is marked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from types import TracebackType
from typing import Any, TypeVar

from dlprof_agg.pytorch import _calls, _modules, _passes, _state, _steps

Function = TypeVar("Function", bound=Callable[..., Any])

class annotate:  # noqa: N801 - it reads as a function
    """Marks modules, operators, the backward pass and optimizers, as context manager or decorator.

    model: the model whose modules are marked by their names; without one all modules are, those of the outermost module that is
        called by their names in it.
    shapes: whether operators have the shapes of their tensors.
    stacks: whether calls of functions are marked as DLProf's markers do it: with the lines of the program that led to them, data
        types and arguments. This costs about half as much again.
    modules: whether modules are marked.
    operators: whether operators are marked. Without them, steps, modules and passes remain, which cost next to nothing.
    enabled: whether anything is marked. Left open, it is where a tool records NVTX or a GPU is there.

    Inside another `annotate` it does nothing. What is compiled by `torch.compile` is a region without modules.
    """

    def __init__(
        self,
        model: Any = None,
        shapes: bool = True,
        stacks: bool = False,
        modules: bool = True,
        *,
        operators: bool = True,
        enabled: bool | None = None,
    ) -> None:
        if model is not None and not hasattr(model, "named_modules"):
            raise TypeError(f"`annotate` takes a model, a torch.nn.Module, or nothing; this is a {type(model).__name__}")
        self._options: dict[str, Any] = {
            "model": model,
            "shapes": shapes,
            "stacks": stacks,
            "modules": modules,
            "operators": operators,
            "enabled": enabled,
        }
        # What each entry that is open has to take away: one object may be entered again inside itself.
        self._open: list[ExitStack] = []

    def __enter__(self) -> annotate:
        if _state.running:
            self._open.append(ExitStack())
            return self
        wants = self._options
        ranges = _state.ranges(wants["enabled"])
        with ExitStack() as stack:
            _state.running.append(ranges)
            stack.callback(_state.running.pop)
            if ranges is None:
                self._open.append(stack.pop_all())
                return self
            has_operators = wants["operators"] and ranges.marks_operators
            if has_operators:
                # With DLProf's markers these say the shapes.
                stack.enter_context(_passes.operators(wants["shapes"] and not wants["stacks"]))
            if wants["modules"]:
                stack.callback(_modules.mark(wants["model"], ranges))
            stack.callback(_passes.mark_backward(ranges))
            stack.callback(_passes.mark_optimizers(ranges, is_marked=has_operators))
            if wants["stacks"]:
                stack.enter_context(_calls.function_mode(ranges, wants["shapes"]))
            stack.callback(_steps.end_step)
            self._open.append(stack.pop_all())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.pop().close()

    def __call__(self, function: Function) -> Function:
        """Marks every call of a function."""

        @wraps(function)
        def marked(*arguments: Any, **options: Any) -> Any:
            with annotate(**self._options):
                return function(*arguments, **options)

        return marked  # type: ignore[return-value]

    def step(self) -> None:
        """Begins a step, and ends the one before it."""
        _steps.step()

    def batches(self, loader: Any, *, steps: bool = True) -> _steps.batches[Any]:
        """A data loader whose fetches are marked, and whose batches are steps."""
        return _steps.batches(loader, steps=steps)
