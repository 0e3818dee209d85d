"""Examples in docstrings, types, and the notebook of the repository."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import dlprof_agg
import pytest
from conftest import ROOT


def modules() -> list[str]:
    found = pkgutil.walk_packages(dlprof_agg.__path__, "dlprof_agg.", onerror=lambda name: None)
    return ["dlprof_agg", *(module.name for module in found if not module.name.endswith("__main__"))]


def test_examples_in_docstrings(sample: str) -> None:
    tried = 0
    for name in modules():
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            print(f"SKIPPED: {name}: {error}")
            continue
        result = doctest.testmod(module, extraglobs={"sample": sample})
        assert result.failed == 0, name
        tried += result.attempted
    assert tried > 10


def test_all_that_is_public_is_described() -> None:
    for name in dlprof_agg.__all__:
        thing = getattr(dlprof_agg, name)
        assert name == "__version__" or thing.__doc__, name
        if isinstance(thing, type):
            for key, member in vars(thing).items():
                if not key.startswith("_") and (callable(member) or isinstance(member, property)):
                    assert member.__doc__, f"{name}.{key}"


def test_types_are_strict(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    user = tmp_path / "user.py"
    user.write_text(
        "import dlprof_agg\n"
        "profile: dlprof_agg.Profile = dlprof_agg.read('a', key_node='x', progress=lambda done, total: None)\n"
        "names: list[str] = [column.key for column in profile.table('ops', top=3).columns]\n"
        "saved: int | None = profile.findings[0].saving.expected_ns if profile.findings[0].saving else None\n"
        "verdict: str = dlprof_agg.gate('a', dlprof_agg.baseline(['b'])).verdict\n"
    )
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import dlprof_agg\ndlprof_agg.read(3)\n")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", str(tmp_path)]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "python" / "tests")}
    tests = sorted(str(path) for path in (ROOT / "python" / "tests").glob("*.py"))
    for words in (["-p", "dlprof_agg"], [str(user)], tests):
        done = subprocess.run([*mypy, *words], capture_output=True, text=True, cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stdout
    assert subprocess.run([*mypy, str(wrong)], capture_output=True, cwd=tmp_path).returncode == 1


def test_python_of_the_readme_runs(tmp_path: Path, sample: str) -> None:
    pytest.importorskip("pandas")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = readme.split("```python\n")[1:]
    assert blocks
    shutil.copy(sample, tmp_path / "run.sqlite")
    for block in blocks:
        done = subprocess.run([sys.executable, "-c", block.split("```")[0]], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout.strip(), done.stderr


def test_the_notebook_runs(tmp_path: Path) -> None:
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    nbformat: Any = importlib.import_module("nbformat")
    from nbclient import NotebookClient

    notebook = nbformat.read(ROOT / "examples" / "notebook.ipynb", as_version=4)
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(ROOT / "examples")}}
    )
    client.execute()
    kinds: list[str] = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output.output_type != "error"
            kinds += list(output.get("data", {}))
    assert kinds.count("text/html") >= 4
    executed = Path(os.environ.get("DLPROF_EXECUTED_NOTEBOOK", tmp_path / "executed.ipynb"))
    nbformat.write(notebook, executed)
