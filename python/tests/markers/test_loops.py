"""Training loops on the CPU, run with a library that records NVTX, and what the program shows of them."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import finding
import promises
import pytest

PROMISES = {
    "checkpointing": promises.transformer,
    "cnn": promises.cnn,
    "cnn_stacks": promises.convolution_stacks,
    "compile": promises.compiled,
    "mlp": promises.mlp,
    "ranges": promises.ranges,
    "stacks": promises.stacks,
    "transformer": promises.transformer,
    "unnamed": promises.mlp,
}


@pytest.mark.parametrize("kind", PROMISES)
def test_loops_are_understood(kind: str, loop: Callable[[str], Any], show: Callable[..., Any]) -> None:
    PROMISES[kind](show(loop(kind), kind))


@pytest.mark.parametrize("kind", PROMISES)
def test_every_range_is_closed(kind: str, loop: Callable[[str], Any]) -> None:
    depth: dict[int, int] = {}
    for _, thread, text in loop(kind):
        depth[thread] = depth.get(thread, 0) + (1 if text is not None else -1)
        assert depth[thread] >= 0
    assert set(depth.values()) == {0}


def test_without_nvtx_in_pytorch_the_package_marks_steps_and_modules(loop: Callable[[str], Any], show: Callable[..., Any]) -> None:
    if importlib.util.find_spec("nvtx") is None:
        finding.skip("nvtx is not installed: markers of PyTorch through it are not tested")
    promises.ranges(show(loop("package"), "package"))


def test_a_step_contains_the_fetch_of_the_next_batch(loop: Callable[[str], Any]) -> None:
    outline = [text for _, _, text in loop("mlp") if text is not None and (text == "DataLoader" or text.startswith("step "))]
    expected = ["DataLoader"]
    for number in range(promises.STEPS):
        expected += [f"step {number}", "DataLoader"]
    assert outline == expected
