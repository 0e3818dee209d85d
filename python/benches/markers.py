"""What markers cost: CPU time of a step of a small transformer, and of one range, with each kind of marker.

    python python/benches/markers.py [REPEATS]

Prints a Markdown table. Times are medians, of the CPU, on one thread; each is measured next to the same loop without markers, so
that a change of the clock falls on both. Where a tool listens its own cost comes on top: run it under `nsys profile` for that.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "markers"))

import finding  # noqa: E402

finding.package()

import torch  # noqa: E402
from loops import Transformer  # noqa: E402
from torch.nn import functional  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from dlprof_agg import _nvtx  # noqa: E402
from dlprof_agg.pytorch import annotate, step  # noqa: E402

RANGES = _nvtx.of_torch() or sys.exit("this build of PyTorch has no NVTX")


class Dispatch(TorchDispatchMode):
    """Operators by a mode in Python: the alternative to `emit_nvtx`."""

    def __torch_dispatch__(self, function: Any, types: Any, arguments: Any = (), options: Any = None) -> Any:
        shapes = [tuple(value.shape) for value in arguments if isinstance(value, torch.Tensor)]
        RANGES.push(f"{function}, sizes = {shapes}")
        try:
            return function(*arguments, **(options or {}))
        finally:
            RANGES.pop()


def marked(**options: Any) -> Callable[[Any], AbstractContextManager[Any]]:
    return lambda model: annotate(model, enabled=True, **options)


WAYS: list[tuple[str, Callable[[Any], AbstractContextManager[Any]]]] = [
    ("steps and passes: `annotate(modules=False, operators=False)`", marked(modules=False, operators=False)),
    ("modules too: `annotate(operators=False)`", marked(operators=False)),
    ("`emit_nvtx()` alone", lambda _: _emit(False)),
    ("`emit_nvtx(record_shapes=True)` alone", lambda _: _emit(True)),
    ("a `TorchDispatchMode` with shapes, alone", lambda _: Dispatch()),
    ("`annotate(shapes=False)`", marked(shapes=False)),
    ("**`annotate()`**", marked()),
    ("`annotate(stacks=True, shapes=False)`", marked(stacks=True, shapes=False)),
    ("`annotate(stacks=True)`", marked(stacks=True)),
]


def _emit(shapes: bool) -> AbstractContextManager[Any]:
    from dlprof_agg.pytorch import _passes

    return _passes.operators(shapes)


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Transformer()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    tokens, targets = torch.randint(0, 50, (4, 6)), torch.randint(0, 10, (4,))

    def one_step(is_marked: bool) -> float:
        begin = time.process_time()
        if is_marked:
            step()
        optimizer.zero_grad()
        functional.cross_entropy(model(tokens), targets).backward()
        optimizer.step()
        return time.process_time() - begin

    for _ in range(20):
        one_step(False)
    with Counted() as counted:
        one_step(False)
    print(f"PyTorch {torch.__version__}, {counted.count} operators and {sum(1 for _ in model.modules())} modules in a step.\n")
    print("| markers | CPU time of a step | added per operator |\n|---|---|---|")
    for name, context in WAYS:
        pairs = []
        for _ in range(repeats):
            plain = statistics.median(one_step(False) for _ in range(5))
            with context(model):
                pairs.append((plain, statistics.median(one_step(True) for _ in range(5))))
        plain = statistics.median(plain for plain, _ in pairs)
        ratio = statistics.median(with_markers / plain for plain, with_markers in pairs)
        print(f"| {name} | × {ratio:.2f} | {(ratio - 1) * plain / counted.count * 1e6:.2f} µs |")
    calls = 200_000
    begin = time.process_time()
    for _ in range(calls):
        RANGES.push("step")
        RANGES.pop()
    bare = (time.process_time() - begin) / calls * 1e6
    print(f"\nA step without markers takes {plain * 1e3:.2f} ms of the CPU; a bare range takes {bare:.2f} µs.")


class Counted(TorchDispatchMode):
    """How many operators run."""

    count = 0

    def __torch_dispatch__(self, function: Any, types: Any, arguments: Any = (), options: Any = None) -> Any:
        self.count += 1
        return function(*arguments, **(options or {}))


if __name__ == "__main__":
    main()
