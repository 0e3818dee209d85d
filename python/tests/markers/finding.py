"""Where the package, the program and the compiler are."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import shutil
import sys
import types
from pathlib import Path
from typing import NoReturn

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def package() -> None:
    """Makes `dlprof_agg` importable: the installed wheel, else the sources, whose markers need no native module."""
    if "dlprof_agg" in sys.modules or importlib.util.find_spec("dlprof_agg") is not None:
        return
    sources = types.ModuleType("dlprof_agg")
    sources.__path__ = [str(ROOT / "python" / "dlprof_agg")]
    sources.__spec__ = importlib.machinery.ModuleSpec("dlprof_agg", None, is_package=True)
    sys.modules["dlprof_agg"] = sources


def skip(reason: str) -> NoReturn:
    """Skips a test so that it is seen in the output of any run."""
    import pytest

    print(f"SKIPPED: {reason}", file=sys.__stderr__)
    pytest.skip(reason)


def program() -> str | None:
    """The program: `$DLPROF_BINARY`, one beside this Python, a build of these sources, or one on the path."""
    given = os.environ.get("DLPROF_BINARY")
    beside = Path(sys.executable).parent / "dlprof-agg"
    built = [ROOT / "target" / profile / "dlprof-agg" for profile in ("debug", "release", "dist")]
    found = [str(path) for path in (beside, *built) if path.is_file()]
    return given or next(iter(found), None) or shutil.which("dlprof-agg")


def compiler() -> str | None:
    """A C compiler."""
    return os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
