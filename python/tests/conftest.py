"""What tests share. They run against the installed wheel and not against the source tree; `python/test.sh` sees to that."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import dlprof_agg
import pytest

ROOT = Path(__file__).resolve().parents[2]

#: The corpus of real captures, which is not part of the repository.
CORPUS = ROOT.parent / "shared" / "corpus"


def pytest_configure() -> None:
    place = Path(dlprof_agg.__file__).resolve()
    assert ROOT not in place.parents or "site-packages" in place.parts, f"{place} is not the wheel's"


@pytest.fixture(scope="session", autouse=True)
def _cache_of_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What tests keep is not kept for the user, and no settings file of the user counts."""
    folder = tmp_path_factory.mktemp("home")
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    os.environ["XDG_CONFIG_HOME"] = str(folder / "config")


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines of the program are as long as in a file. pytest loads readline, which tells children the width of a terminal."""
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture(scope="session")
def sample() -> str:
    """The small generated capture of the repository: 59 steps, of which the first is slow."""
    return str(ROOT / "testdata" / "sample.sqlite")


@pytest.fixture(scope="session")
def program() -> list[str]:
    """The console script of the wheel."""
    return [str(Path(sys.executable).with_name("dlprof-agg"))]


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes captures with the generator of the repository, which `python/test.sh` builds: `generated(name, *options)`."""
    generator = os.environ.get("DLPROF_GENERATE")
    folder = tmp_path_factory.mktemp("generated")

    def make(name: str, *options: str) -> Path:
        if generator is None:
            pytest.skip("SKIPPED: DLPROF_GENERATE names no generator of captures")
        file = folder / name
        if not file.exists():
            subprocess.run([generator, *options, str(file)], check=True, capture_output=True)
        return file

    return make
