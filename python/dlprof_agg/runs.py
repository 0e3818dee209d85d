"""Runs against runs: baselines, comparisons, the gate, and the ranks of one job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

from dlprof_agg import _native
from dlprof_agg._asked import Asked, IterRange, PathLike, as_path, as_paths
from dlprof_agg.profile import Progress, _parsed
from dlprof_agg.tables import HasTables

__all__ = ["Baseline", "Comparison", "Gate", "Job", "JobFinding", "baseline", "compare", "gate", "ranks"]


class Baseline:
    """What is kept of one or several runs, to compare others with. :func:`baseline` makes one."""

    def __init__(self, native: _native.Document) -> None:
        self._native = native

    @property
    def captures(self) -> list[str]:
        """The names of the captures, one per run."""
        return self._native.captures

    def save(self, path: PathLike, *, overwrite: bool = False) -> Path:
        """Writes the file that ``dlprof-agg gate --baseline`` takes.

        Raises:
            OutputError: the file exists, or cannot be written.
        """
        self._native.write(as_path(path), overwrite)
        return Path(path)

    def to_dict(self) -> dict[str, Any]:
        """The document of the file (``docs/gate.md``)."""
        return _parsed(self._native.json())

    def __len__(self) -> int:
        """The number of runs."""
        return len(self._native.captures)

    def __repr__(self) -> str:
        return f"<dlprof_agg.Baseline of {len(self)} runs>"


#: A capture, a folder with a capture per rank, a file written by ``baseline``, or a :class:`Baseline`.
Run = Union[PathLike, Baseline]


class Comparison:
    """Two sets of runs side by side. :func:`compare` makes one."""

    def __init__(self, native: _native.Comparison) -> None:
        self._native = native

    def to_dict(self) -> dict[str, Any]:
        """All changes, as ``dlprof-agg compare --format json`` prints them."""
        return _parsed(self._native.json())

    def text(self, *, top: int = 10) -> str:
        """For people: ``top`` rows of each list."""
        return self._native.text(top)

    def markdown(self, *, top: int = 10) -> str:
        """The same in Markdown."""
        return self._native.markdown(top)

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        return self.markdown()


class Gate:
    """A verdict of the gate, and its reasons. :func:`gate` makes one."""

    def __init__(self, native: _native.Gate) -> None:
        self._native = native

    @property
    def verdict(self) -> str:
        """``pass``, ``fail`` or ``inconclusive``."""
        return self._native.verdict

    @property
    def exit_code(self) -> int:
        """The exit code of ``dlprof-agg gate``: 0, 1 or 6."""
        return self._native.exit_code

    def to_dict(self) -> dict[str, Any]:
        """The report, as ``dlprof-agg gate --format json`` prints it."""
        return _parsed(self._native.json())

    def text(self) -> str:
        """The report for people."""
        return self._native.text()

    def markdown(self) -> str:
        """The report in Markdown."""
        return self._native.markdown()

    def junit(self) -> str:
        """The report as JUnit's XML."""
        return self._native.junit()

    def sarif(self) -> str:
        """The report as SARIF."""
        return self._native.sarif()

    def github(self) -> str:
        """The report as annotations of GitHub Actions."""
        return self._native.github()

    def __bool__(self) -> bool:
        """Whether the gate passed."""
        return self.verdict == "pass"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<dlprof_agg.Gate {self.verdict}>"

    def _repr_markdown_(self) -> str:
        return self.markdown()


@dataclass(frozen=True)
class JobFinding:
    """What was found about a job of many ranks. ``saving_ns`` is what a replay says it would save per step."""

    id: str
    severity: str
    confidence: str
    ranks: tuple[int, ...]
    problem: str
    recommendation: str
    saving_ns: float | None
    saving_upper_ns: float | None
    figures: dict[str, int | float | str]


class Job(HasTables):
    """Many ranks of one job. :func:`ranks` makes one."""

    def __init__(self, native: _native.Job) -> None:
        super().__init__(native)
        self._native = native

    @property
    def name(self) -> str:
        """What the job is called: the folder of its captures."""
        return self._native.name

    @property
    def ranks(self) -> list[int]:
        """The ranks that have a capture."""
        return self._native.ranks

    @property
    def findings(self) -> list[JobFinding]:
        """What was found, most important first."""
        return [JobFinding(**{**found, "ranks": tuple(found["ranks"])}) for found in self._native.findings]

    def to_dict(self) -> dict[str, Any]:
        """All figures, as ``dlprof-agg ranks --format json`` prints them."""
        return _parsed(self._native.json())

    def text(self, *, details: bool = False, columns: int = 100) -> str:
        """For people: which rank holds the job back, and why."""
        return self._native.text(details, columns)

    def __len__(self) -> int:
        """The number of ranks that have a capture."""
        return len(self._native.ranks)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<dlprof_agg.Job {self.name}: {len(self)} ranks>"

    def _repr_markdown_(self) -> str:
        return self._native.markdown()


def baseline(
    runs: Run | Sequence[Run],
    *,
    key_node: str | None = None,
    ncu: PathLike | Sequence[PathLike] | None = None,
    config: PathLike | None = None,
    memory: int | str | None = None,
    cache: bool = True,
    threads: int | None = None,
) -> Baseline:
    """What is kept of runs of the same program, at best five, to know how runs differ. All iterations of each count.

    Args:
        runs: captures, or files written by this.
        key_node, ncu, config, memory, cache, threads: as of :func:`dlprof_agg.read`.
    """
    asked = Asked(
        iter_range="all",
        key_node=key_node,
        ncu=as_paths(ncu),
        config=config,
        memory=memory,
        cache=cache,
        threads=threads,
    )
    return Baseline(_native.pool(_runs(runs), asked))


def compare(
    base: Run,
    new: Run,
    *,
    key_node: str | None = None,
    iter_range: IterRange = "all",
    ncu: PathLike | Sequence[PathLike] | None = None,
    config: PathLike | None = None,
    memory: int | str | None = None,
    cache: bool = True,
    threads: int | None = None,
) -> Comparison:
    """Compares a run with an older one: every change, where the time went, what became of the findings.

    Args:
        base: the older run, or several that are pooled (:class:`Baseline`).
        new: the newer one.
        ncu: logs of Nsight Compute that count for both runs.
        key_node, iter_range, config, memory, cache, threads: as of :func:`dlprof_agg.read`.
    """
    asked = Asked(
        iter_range=iter_range,
        key_node=key_node,
        ncu=as_paths(ncu),
        config=config,
        memory=memory,
        cache=cache,
        threads=threads,
    )
    return Comparison(_native.compare(_run(base), _run(new), asked))


def gate(
    new: Run,
    baseline: Run | Sequence[Run] = (),
    *,
    policy: PathLike | None = None,
    history: PathLike | None = None,
    key_node: str | None = None,
    ncu: PathLike | Sequence[PathLike] | None = None,
    config: PathLike | None = None,
    memory: int | str | None = None,
    cache: bool = True,
    threads: int | None = None,
) -> Gate:
    """Judges whether a run became slower (``docs/gate.md``). All iterations of each run count.

    Args:
        new: the run to judge.
        baseline: what it is compared with; the last five baselines of the history if not given.
        policy: a TOML file that says what may change by how much.
        history: a folder of earlier baselines, to find slow growth.
        ncu: logs of Nsight Compute that count for all runs.
        key_node, config, memory, cache, threads: as of :func:`dlprof_agg.read`.

    >>> import dlprof_agg
    >>> dlprof_agg.gate(sample, sample).verdict
    'pass'
    """
    asked = Asked(
        iter_range="all",
        key_node=key_node,
        ncu=as_paths(ncu),
        config=config,
        memory=memory,
        cache=cache,
        threads=threads,
    )
    return Gate(
        _native.gate(
            _run(new),
            _runs(baseline),
            None if policy is None else as_path(policy),
            None if history is None else as_path(history),
            asked,
        )
    )


def ranks(
    paths: PathLike | Sequence[PathLike],
    *,
    rank_from: str | None = None,
    key_node: str | None = None,
    iter_start: int | None = None,
    iter_stop: int | None = None,
    batch_size: int | None = None,
    config: PathLike | None = None,
    memory: int | str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Job:
    """Which rank holds a job back, and why (``docs/ranks.md``).

    Args:
        paths: a folder with a capture per rank, a pattern (``run/rank*.sqlite``), or captures.
        rank_from: a regular expression with a group ``rank``, for numbers of ranks from paths.
        iter_start, iter_stop: common numbers of iterations.
        batch_size: items of a step of the whole job.
        config: a settings file, with thresholds of jobs too.
        progress: is called with the captures read and how many there are.
        key_node, memory, threads: as of :func:`dlprof_agg.read`.
    """
    asked = Asked(
        key_node=key_node,
        iter_start=iter_start,
        iter_stop=iter_stop,
        batch_size=batch_size,
        config=config,
        memory=memory,
        threads=threads,
    )
    return Job(_native.open_job(as_paths(paths), asked, rank_from, progress))


def _run(run: Run) -> _native.Document | str:
    return run._native if isinstance(run, Baseline) else as_path(run)


def _runs(runs: Run | Sequence[Run]) -> list[_native.Document | str]:
    if isinstance(runs, (str, Baseline)) or not isinstance(runs, Sequence):
        return [_run(runs)]
    return [_run(run) for run in runs]
