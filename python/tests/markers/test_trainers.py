"""The callbacks of trainers, where these are installed."""

from __future__ import annotations

import importlib.util
import sys
import types
from pathlib import Path
from typing import Any

import finding
import pytest
import recording


def outline(library: Path, trainer: str) -> tuple[list[str], list[recording.Call]]:
    calls = recording.record(library, [sys.executable, str(finding.HERE / "trainers.py"), trainer])
    return [text for _, _, text in calls if text is not None], calls


def needs(*packages: str) -> None:
    for package in packages:
        if importlib.util.find_spec(package) is None:
            finding.skip(f"{package} is not installed: its callback is not tested")


@pytest.mark.parametrize(
    ("trainer", "packages"), [("lightning", ("lightning",)), ("transformers", ("transformers", "accelerate"))]
)
def test_steps_and_modules(trainer: str, packages: tuple[str, ...], library: Path, show: Any) -> None:
    needs(*packages)
    texts, calls = outline(library, trainer)
    assert [text for text in texts if text.startswith("step ")] == [f"step {number}" for number in range(6)]
    shown = show(calls, trainer)
    rows = shown.table("iterations")
    assert len(rows) == 7
    ops = {(op["op_name"], op["direction"]): op for op in shown.ops()}
    linear = [key for key in ops if key[0].endswith("layers/layers.0/aten::linear")]
    assert {direction for _, direction in linear} == {"fprop", "bprop"}, sorted(ops)
    for key in linear:
        assert int(ops[key]["calls"]) >= 6


@pytest.mark.parametrize("name", ["lightning_callback", "trainer_callback"])
def test_a_missing_package_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import dlprof_agg.pytorch as markers

    for package in ("lightning", "lightning.pytorch", "pytorch_lightning", "transformers"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match="which is not installed: pip install"):
        getattr(markers, name)()


def test_an_evaluation_is_of_no_step(monkeypatch: pytest.MonkeyPatch) -> None:
    import dlprof_agg.pytorch as markers
    from dlprof_agg.pytorch import _state

    package = types.ModuleType("transformers")
    monkeypatch.setattr(package, "TrainerCallback", object, raising=False)
    monkeypatch.setitem(sys.modules, "transformers", package)
    callback = markers.trainer_callback()
    for evaluates in (False, True):
        monkeypatch.setattr(_state.here, "open_step", types.SimpleNamespace(pop=lambda: None), raising=False)
        callback.on_step_end(None, None, types.SimpleNamespace(should_evaluate=evaluates))
        assert (_state.here.open_step is None) == evaluates
    monkeypatch.setattr(_state.here, "open_step", types.SimpleNamespace(pop=lambda: None), raising=False)
    callback.on_prediction_step(None, None, None)
    assert _state.here.open_step is None
