"""A range for each call of a module, named by its place in the model.

    Net > h.0 > mlp > mlp.1        the names of `named_modules`, without what the module around has said already
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from dlprof_agg._nvtx import Ranges
from dlprof_agg.pytorch import _state
from dlprof_agg.pytorch._state import here


def text_of(name: str, around: str | None, class_name: str) -> str:
    """The text of a module's range inside the module `around`; `""` is the model itself.

    A number alone says little (`0` in a `Sequential`), so it has the last word of what is around.
    """
    if not name:
        return class_name
    if around and name.startswith(around + "."):
        inner = name[len(around) + 1 :]
        return f"{around.rsplit('.', 1)[-1]}.{inner}" if inner[0].isdigit() else inner
    return name if not name[0].isdigit() else f"{class_name}.{name}"


def mark(model: Any, ranges: Ranges) -> Callable[[], None]:
    """Marks the calls of a model's modules, or of all modules without a model. Gives what takes the marks away again."""
    torch = _state.torch()
    if model is None:
        handles = _mark_all(torch, ranges)
    else:
        handles = []
        compiled = getattr(model, "_orig_mod", None)
        # Inside a compiled model no hook runs: its call is one region.
        modules = [("", model)] if compiled is not None else model.named_modules()
        for name, module in modules:
            class_name = type(module if compiled is None else compiled).__name__
            enter, leave = _hooks(torch, ranges, name, class_name)
            handles.append(module.register_forward_pre_hook(enter, prepend=True))
            handles.append(module.register_forward_hook(leave, always_call=True))

    def take_away() -> None:
        for handle in handles:
            handle.remove()

    return take_away


def _hooks(torch: Any, ranges: Ranges, name: str, class_name: str) -> tuple[Any, Any]:
    push, pop, _ = ranges
    is_compiling = torch.compiler.is_compiling
    texts: dict[str | None, str] = {}

    def enter(module: Any, inputs: Any) -> None:
        if is_compiling():
            return
        modules = here.modules
        around = modules[-1] if modules else None
        text = texts.get(around)
        if text is None:
            text = texts[around] = text_of(name, around, class_name)
        modules.append(name)
        here.path.append(text)
        push(text)

    def leave(module: Any, inputs: Any, output: Any) -> None:
        # A hook before ours may have raised, and then ours was not called.
        if is_compiling() or not here.modules or here.modules[-1] != name:
            return
        here.modules.pop()
        here.path.pop()
        pop()

    return enter, leave


def _mark_all(torch: Any, ranges: Ranges) -> list[Any]:
    """Marks all modules by two global hooks. The outermost module that is called is the model that gives the names."""
    hooks: WeakKeyDictionary[Any, tuple[Any, Any]] = WeakKeyDictionary()
    is_compiling = torch.compiler.is_compiling

    def enter(module: Any, inputs: Any) -> None:
        if is_compiling():
            return
        found = hooks.get(module)
        if found is None:
            # Inside a module that is known, an unknown one was made after its model was first called.
            named = [("", module)] if here.modules else module.named_modules()
            for name, inner in named:
                if inner not in hooks:
                    hooks[inner] = _hooks(torch, ranges, name, type(inner).__name__)
            found = hooks[module]
        found[0](module, inputs)

    def leave(module: Any, inputs: Any, output: Any) -> None:
        if is_compiling():
            return
        found = hooks.get(module)
        if found is not None:
            found[1](module, inputs, output)

    in_modules = importlib.import_module("torch.nn.modules.module")
    return [
        in_modules.register_module_forward_pre_hook(enter),
        in_modules.register_module_forward_hook(leave, always_call=True),
    ]
