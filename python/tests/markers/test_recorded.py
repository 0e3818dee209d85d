"""What the program shows of recorded texts. This takes neither PyTorch nor a compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import promises
import pytest
import recording

PROMISES = {"cnn": promises.cnn, "mlp": promises.mlp, "ranges": promises.ranges, "stacks": promises.stacks}


@pytest.mark.parametrize("kind", PROMISES)
def test_recorded_texts_are_understood(kind: str, show: Callable[..., Any]) -> None:
    """The key node is found without being named."""
    PROMISES[kind](show(recording.read(recording.RECORDED / f"{kind}.txt"), f"recorded-{kind}", key_node=None))


def test_all_recorded_texts_have_a_promise() -> None:
    assert {path.stem for path in recording.RECORDED.glob("*.txt")} == set(PROMISES)


def test_the_backward_pass_may_run_on_the_thread_that_asks_for_it(show: Callable[..., Any]) -> None:
    calls = recording.read(recording.RECORDED / "mlp.txt")
    promises.mlp(show(calls, "one-thread", own_backward_thread=False))


def test_kept_texts_are_read_as_they_were() -> None:
    calls = [(5_000, 77, "step 0"), (17_000, 88, "aten::add, seq = 1"), (18_000, 88, None), (30_000, 77, None)]
    kept = recording.kept(calls)
    assert kept == "@1\n0 step 0\n@2\n12 aten::add, seq = 1\n1\n@1\n12\n"
