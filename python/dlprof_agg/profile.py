"""Captures: figures of a range of iterations, what the rules find, tables, reports."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dlprof_agg import _native
from dlprof_agg._asked import Asked, IterRange, PathLike, as_path, as_paths
from dlprof_agg._html import Html
from dlprof_agg.errors import CaptureWarning, RequestError
from dlprof_agg.tables import HasTables

__all__ = [
    "Evidence",
    "Finding",
    "Iterations",
    "Profile",
    "Progress",
    "Saving",
    "read",
]

#: Is told how many rows are read, of about how many; what it raises ends the work.
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Iterations:
    """The iterations of a capture, and which of them are aggregated.

    Attributes:
        start: the first one aggregated.
        stop: the last one aggregated, which is included.
        count: how many the capture has, 0 to ``count - 1``. Iteration 0 is the time before the first execution of the key node.
        aggregated: how many are aggregated.
        key_node: what delimits them; ``None`` if the whole capture is one iteration.
        clock: ``cpu`` or ``gpu``: where an iteration begins.
    """

    start: int
    stop: int
    count: int
    aggregated: int
    key_node: str | None
    clock: str

    def __len__(self) -> int:
        """How many are aggregated."""
        return self.aggregated

    def __iter__(self) -> Iterator[int]:
        """The numbers from ``start`` to ``stop``."""
        return iter(range(self.start, self.stop + 1))


@dataclass(frozen=True)
class Saving:
    """How much time a change would save, in nanoseconds over all aggregated iterations.

    Attributes:
        expected_ns: what is likely; ``None`` if that is not known.
        upper_ns: what cannot be exceeded.
        basis: what the figures come from, in one sentence.
    """

    expected_ns: int | None
    upper_ns: int | None
    basis: str


@dataclass(frozen=True)
class Evidence:
    """A row of a table that a finding is about: the one whose ``column`` has this value."""

    table: str
    column: str
    value: str


@dataclass(frozen=True)
class Finding:
    """What a rule found.

    Attributes:
        id: the stable id of the rule.
        severity: ``error``, ``warning`` or ``note``.
        confidence: ``low``, ``medium`` or ``high``.
        problem: what was found, with its figures.
        recommendation: what to change.
        figures: what the rule measured, by name: times in nanoseconds (``…_ns``), counts, percent (``…_percent``), names.
        evidence: the rows that it is about.
        saving: how much time the change would save; ``None`` if that is not known.
        same_cause_as: the id of the finding whose cause it shares.
        command: the command of the program that lists the evidence, for a POSIX shell.
        link: a page with more.
    """

    id: str
    severity: str
    confidence: str
    problem: str
    recommendation: str
    figures: dict[str, int | float | str]
    evidence: tuple[Evidence, ...]
    saving: Saving | None
    same_cause_as: str | None = None
    command: str | None = None
    link: str | None = None


class Profile(HasTables):
    """A capture, with the figures of a range of its iterations. :func:`read` makes one.

    It is never changed, cheap to pass on, and may be used by several threads at a time. The figures stay in memory as long as it, or
    a table of it, does.

    >>> import dlprof_agg
    >>> profile = dlprof_agg.read(sample)
    >>> profile.iterations.start, profile.iterations.stop, profile.iterations.count
    (2, 64, 65)
    >>> len(profile.range(20, 29).iterations)
    10
    """

    def __init__(self, native: _native.Profile, asked: Asked) -> None:
        super().__init__(native)
        self._native = native
        self._asked = asked

    @property
    def path(self) -> Path:
        """The file as it was named."""
        return self._native.path

    @property
    def iterations(self) -> Iterations:
        """The iterations, and which of them are aggregated. Table ``iterations`` has a row for each."""
        return Iterations(*self._native.iterations)

    @property
    def verdict(self) -> str:
        """What limits the program, and what the first changes save, in at most 15 words."""
        return self._native.verdict[0]

    @property
    def verdict_detail(self) -> str | None:
        """What the verdict rests on, in sentences; ``None`` where there is no more to say."""
        return self._native.verdict[1]

    @property
    def findings(self) -> list[Finding]:
        """What the rules find, in the order of the reports.

        >>> import dlprof_agg
        >>> finding = dlprof_agg.read(sample).findings[0]
        >>> finding.severity, sorted(finding.figures)[:1] != []
        ('note', True)
        """
        return [_finding(found) for found in self._native.findings]

    @property
    def diagnostics(self) -> list[tuple[str, str, str]]:
        """What is odd about the capture: severity (``error``, ``warning``, ``note``), stable code, words."""
        return self._native.diagnostics

    @property
    def overview(self) -> dict[str, Any]:
        """All that the dashboard shows, as ``dlprof-agg --format json`` prints it. Times are nanoseconds per iteration."""
        return _parsed(self._native.overview())

    def what_if(self, *edits: str) -> dict[str, Any]:
        """How long an iteration would take with changes of the program, as ``dlprof-agg what-if --format json`` prints it.

        Args:
            edits: such as ``"kernels like '%gemm%' x 0.5"`` or ``"launches as one"``, made in order.

        Raises:
            UsageError: an edit has no known form.
            RequestError: the iterations have no GPU work whose launches are recorded.
        """
        return _parsed(self._native.what_if(list(edits)))

    def ask(self, question: str, about: str | None = None, *, max_tokens: int = 2000) -> dict[str, Any]:
        """The answer to a standing question, in the form that ``dlprof-agg ask QUESTION FILE --brief`` prints.

        Args:
            question: ``why_slow``, ``what_first``, ``where_time``, ``host_while_idle``, ``steady``, ``overlap``, ``suffices``,
                ``tensor_cores`` or ``which_rank``.
            about: a kernel (``tensor_cores``) or a range (``steady``), as a name or a key of an earlier answer.
            max_tokens: the most tokens of the answer as JSON, 4 bytes each.

        Raises:
            UsageError: there is no such question, or it is about two captures.
        """
        return _parsed(self._native.ask(question, about, max_tokens))

    def range(self, start: int, stop: int) -> Profile:
        """The same capture over other iterations, ``start`` to ``stop``, both included. Takes milliseconds.

        Raises:
            UsageError: ``start`` is greater than ``stop``.
            RequestError: there are no such iterations.
        """
        asked = replace(self._asked, iter_start=start, iter_stop=stop)
        return Profile(self._native.range(start, stop), asked)

    def text(self, *, details: bool = False, columns: int = 100) -> str:
        """The dashboard as the program prints it, without colours.

        Args:
            details: all findings with their evidence, DLProf's terms.
            columns: letters of a line, 60 to 250.
        """
        return self._native.text(details, columns)

    def timeline(self, iteration: int | None = None) -> Html:
        """What ran when in an iteration, as a drawing for a notebook; that of median duration if none is given.

        Raises:
            RequestError: there is no such iteration.
        """
        if iteration is None:
            iteration = self._native.median_and_slowest()[0]
        drawing = self._native.timeline(iteration)
        if drawing is None:
            raise RequestError(
                f"there is no iteration {iteration} that can be drawn",
                hint=f"the capture has iterations 0 to {self.iterations.count - 1}",
            )
        return Html(drawing)

    def show(self, *, height: int = 760, server: bool | None = None) -> object:
        """Opens the viewer: in a notebook its pages below the cell, elsewhere a server and the browser.

        Args:
            height: of the pages in a notebook, in pixels.
            server: whether the viewer's server is started, where other ranges can be asked for; not in notebooks unless asked for.

        Returns:
            In a notebook what shows the pages; else a :class:`dlprof_agg.viewer.Server`, which ``close()`` ends.
        """
        from dlprof_agg import viewer

        if server is None:
            server = not viewer.is_notebook()
        if server:
            return viewer.serve(self.path, self._asked.options())
        return viewer.pages(self.to_report, height)

    def __repr__(self) -> str:
        it = self.iterations
        return f"<dlprof_agg.Profile {self.path.name}: iterations {it.start} to {it.stop} of {it.count}>"

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self._native.html()


def read(
    path: PathLike,
    *,
    memory: int | str | None = None,
    key_node: str | None = None,
    iter_start: int | None = None,
    iter_stop: int | None = None,
    iter_range: IterRange = "auto",
    time_from: str | None = None,
    time_to: str | None = None,
    batch_size: int | None = None,
    ncu: PathLike | Sequence[PathLike] | None = None,
    config: PathLike | None = None,
    cache: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Profile:
    """Reads a capture: an export of Nsight Systems, a trace of torch.profiler, a DLProf database, or a report (``.nsys-rep``) where
    nsys is installed. No settings file is read but ``config``.

    Args:
        path: the file, which is never changed.
        memory: the most memory that columns take, in bytes or such as ``"2G"``; half of what is available if not given.
        key_node: what delimits iterations: an op, a range, a kernel, ``re:`` and a pattern; ``""`` for one single iteration. Found if
            not given.
        iter_start: the first iteration.
        iter_stop: the last iteration, which is included.
        iter_range: if no numbers are given: ``auto`` (the stretch with most steady iterations), ``steady`` or ``all``.
        time_from: where the part begins that is analysed, such as ``"29.8s"`` or ``"start:train"``.
        time_to: where it ends, such as ``"end:train"``.
        batch_size: items of an iteration, for items per second.
        ncu: logs of Nsight Compute of the same program (``ncu --csv --log-file``): tables ``ncu_kernels``, ``ncu_ops``,
            ``ncu_launches`` and ``ncu_match``; what was measured on Tensor Cores counts instead of names.
        config: a settings file (``docs/settings.md``): values of options that are not given here, thresholds, rules.
        cache: whether what was read is kept for the next time (``~/.cache/dlprof-agg``), and what is kept is used.
        threads: worker threads, 256 at most; one per processor if not given. The result does not depend on it.
        progress: is called now and then with the rows read and about how many there are; what it raises ends the work.

    Raises:
        UsageError: an argument is wrong, or this process was forked after its parent had read something.
        InputError: the file cannot be read, or is of no kind that is known.
        RequestError: an argument does not fit the capture.

    What is odd about the capture is warned of (:class:`CaptureWarning`). The interpreter's lock is not held, and Ctrl-C ends it.

    >>> import dlprof_agg
    >>> profile = dlprof_agg.read(sample, iter_start=15, iter_stop=58)
    >>> profile.iterations.aggregated
    44
    """
    asked = Asked(
        memory=memory,
        key_node=key_node,
        iter_start=iter_start,
        iter_stop=iter_stop,
        iter_range=iter_range,
        time_from=time_from,
        time_to=time_to,
        batch_size=batch_size,
        ncu=as_paths(ncu),
        config=config,
        cache=cache,
        threads=threads,
    )
    profile = Profile(_native.open(as_path(path), asked, progress), asked)
    for severity, code, text in profile.diagnostics:
        if severity != "note":
            warnings.warn(f"{code}: {text}", CaptureWarning, stacklevel=2)
    return profile


def _finding(found: dict[str, Any]) -> Finding:
    saving = found.pop("saving")
    evidence = tuple(Evidence(*row) for row in found.pop("evidence"))
    return Finding(**found, evidence=evidence, saving=None if saving is None else Saving(*saving))


def _parsed(text: str) -> dict[str, Any]:
    """A document. Few need one, and the module is a fifth of what the import of this package takes."""
    import json

    document: dict[str, Any] = json.loads(text)
    return document
