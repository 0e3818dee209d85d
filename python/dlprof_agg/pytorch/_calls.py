"""DLProf's markers: each call of a PyTorch function with its arguments, and the lines of the program that led to it.

    {'traceMarker': ['train.py:12', …], 'funcStack': '/Net/h.0/mlp/linear'}
    {'mod': 'torch.nn.functional', 'op': 'linear', 'args': [{'name': '', 'type': 'tensor', 'shape': (8, 16), 'dtype': 'float32'}, …]}
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from dlprof_agg._nvtx import Ranges
from dlprof_agg.pytorch import _state
from dlprof_agg.pytorch._state import here

#: Functions that are no work: they ask for what a tensor is, or lead to work that is marked itself.
NO_OPS = frozenset(
    "__contains__ __delete__ __format__ __get__ __hash__ __len__ __repr__ __set__ backward data_ptr dim element_size get_device "
    "has_names is_complex is_contiguous is_floating_point is_same_size ndimension nelement numel register_hook requires_grad_ "
    "retain_grad size storage storage_offset stride untyped_storage _record_function_enter_new _record_function_exit".split()
)

#: Longer values of arguments are left out.
LONGEST_VALUE = 64

_OWN = os.path.dirname(__file__)


def function_mode(ranges: Ranges, shapes: bool) -> Any:
    """A mode in which each call of a function is marked. Inside of compiled code it marks nothing."""
    torch = _state.torch()
    push, pop, _ = ranges
    is_compiling = torch.compiler.is_compiling
    stacks: dict[Any, str] = {}
    # Frames inside PyTorch say how it works, not where the program is.
    inside = (_OWN, os.path.dirname(torch.__file__))

    class Calls(torch.overrides.TorchFunctionMode):  # type: ignore[misc, name-defined]
        def __torch_function__(
            self, function: Any, types: Any, arguments: tuple[Any, ...] = (), options: dict[str, Any] | None = None
        ) -> Any:
            options = options or {}
            if is_compiling():
                return function(*arguments, **options)
            name = getattr(function, "__name__", "")
            if not name or name in NO_OPS:
                return function(*arguments, **options)
            push(_trace_marker(name, stacks, inside))
            try:
                push(_call_marker(torch, function, name, arguments, options, shapes))
                try:
                    return function(*arguments, **options)
                finally:
                    pop()
            finally:
                pop()

    return Calls()


def _trace_marker(name: str, stacks: dict[Any, str], inside: tuple[str, ...]) -> str:
    frame = sys._getframe(2)
    lines = []
    while frame is not None:
        lines.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back  # type: ignore[assignment]
    key = tuple(lines)
    stack = stacks.get(key)
    if stack is None:
        shown = (f"{code.co_filename}:{line}" for code, line in reversed(lines) if not code.co_filename.startswith(inside))
        stack = stacks[key] = repr(list(shown))
    path = "".join(f"/{part}" for part in (*here.path, name))
    return f"{{'traceMarker': {stack}, 'funcStack': {path!r}}}"


def _call_marker(
    torch: Any, function: Any, name: str, arguments: tuple[Any, ...], options: dict[str, Any], shapes: bool
) -> str:
    module = getattr(function, "__module__", None) or "Tensor"
    described: list[dict[str, Any]] = []
    if shapes:
        described.extend(_described(torch, (("", value) for value in arguments)))
        described.extend(_described(torch, options.items()))
    return repr({"mod": module, "op": name, "args": described})


def _described(torch: Any, named: Iterable[tuple[str, Any]]) -> Iterator[dict[str, Any]]:
    for name, value in named:
        if isinstance(value, torch.Tensor):
            # A subclass may have no dtype of a tensor; what it says is taken as it is.
            shape, dtype = tuple(map(int, value.shape)), str(value.dtype).removeprefix("torch.")
            yield {"name": name, "type": "tensor", "shape": shape, "dtype": dtype}
        elif isinstance(value, (list, tuple)) and any(isinstance(item, torch.Tensor) for item in value):
            yield from _described(torch, ((name, item) for item in value))
        else:
            yield {"name": name, "type": type(value).__name__, "value": _plain(value)}


def _plain(value: Any) -> Any:
    """What a marker can hold of a value: numbers, short texts, and tuples of numbers."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, (list, tuple)) and len(value) <= 8 and all(type(item) in (int, bool) for item in value):
        return tuple(value)
    if isinstance(value, str) and len(value) <= LONGEST_VALUE:
        return value
    return None
