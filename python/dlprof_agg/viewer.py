"""The viewer from Python: its pages in a notebook, or its own server."""

from __future__ import annotations

import html
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from dlprof_agg._html import Html
from dlprof_agg.errors import OutputError

__all__ = ["Server", "serve"]


class Server:
    """A viewer's server that runs beside this process.

    Attributes:
        url: the address that a browser opens.
    """

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self._process = process
        self.url = url

    def close(self) -> None:
        """Ends the server."""
        self._process.terminate()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *ending: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<dlprof_agg.viewer.Server {self.url}>"

    def _repr_html_(self) -> str:
        return f'<a href="{html.escape(self.url)}" target="_blank">{html.escape(self.url)}</a>'


def pages(to_report: Callable[[Path], list[Path]], height: int) -> Html:
    """The pages in a frame, as the file ``report.html`` has them, which ``to_report`` writes."""
    with tempfile.TemporaryDirectory() as folder:
        (file,) = to_report(Path(folder) / "report.html")
        text = file.read_text(encoding="utf-8")
    # Links to other views are fragments. Those of a document in an attribute would be taken for the notebook's without a base.
    text = text.replace("base-uri 'none'; ", "", 1)
    text = text.replace("<head>", '<head><base href="about:srcdoc">', 1)
    # The frame is a document of its own, which runs its own scripts and reaches nothing else.
    return Html(
        f'<iframe sandbox="allow-scripts" style="width:100%;height:{height}px;border:0" '
        f'srcdoc="{html.escape(text)}"></iframe>'
    )


def serve(path: Path, options: Sequence[str], *, opens_browser: bool = True) -> Server:
    """Starts the viewer's server for a capture; ``options`` are those of the program."""
    program = [sys.executable, "-m", "dlprof_agg"]
    words = [*program, "view", os.fspath(path), "--port", "0", *options]
    if opens_browser:
        words.append("--open")
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said: list[str] = []
    assert process.stdout is not None
    for line in process.stdout:
        said.append(line.strip())
        address = next((word for word in line.split() if word.startswith("http://")), None)
        if address is not None:
            return Server(process, address)
    process.wait()
    raise OutputError("the viewer's server did not start", causes=said[-3:])


def is_notebook() -> bool:
    """Whether this runs in a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"
