"""Steps and scopes of JAX, where it and the package `nvtx` are installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import finding
import pytest
import recording


def test_steps_and_scopes(tmp_path: Path, show: Any) -> None:
    for package in ("jax", "nvtx"):
        if importlib.util.find_spec(package) is None:
            finding.skip(f"{package} is not installed: markers for JAX are not tested")
    if finding.compiler() is None:
        finding.skip("no C compiler: NVTX calls cannot be recorded")
    library = recording.recorder(tmp_path)
    calls = recording.record(library, [sys.executable, str(finding.HERE / "jax_loop.py")], {"JAX_PLATFORMS": "cpu"})
    texts = [text for _, _, text in calls if text is not None]
    assert texts == [text for number in range(6) for text in (f"step {number}", "update")]
    shown = show(calls, "jax")
    assert {"/step", "/step/update"} <= shown.names()
    assert len(shown.table("iterations")) == 7


def test_without_the_package_there_is_one_clear_word(monkeypatch: pytest.MonkeyPatch) -> None:
    from dlprof_agg import _nvtx, jax

    monkeypatch.setattr(_nvtx, "of_package", lambda: None)
    monkeypatch.setattr(_nvtx, "_said", set())
    monkeypatch.setenv(_nvtx.SWITCH, "1")
    jax._ranges.cache_clear()
    try:
        with pytest.warns(UserWarning, match="the package `nvtx` is not installed") as warned:
            jax.step()
            jax.step()
            jax.end_step()
        assert len(warned) == 1
    finally:
        jax._ranges.cache_clear()
