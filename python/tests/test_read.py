"""Reading captures: ranges, verdict, findings, reports, errors, warnings."""

from __future__ import annotations

import dataclasses
import inspect
import json
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dlprof_agg
import pytest
from dlprof_agg._asked import Asked


def printed(program: list[str], *words: str) -> str:
    done = subprocess.run([*program, *words], capture_output=True, text=True, check=True)
    return done.stdout


def test_a_profile_says_what_the_program_says(sample: str, program: list[str]) -> None:
    profile = dlprof_agg.read(sample)
    assert str(profile) == printed(program, sample)
    overview = json.loads(printed(program, "--format", "json", sample))
    assert profile.overview == overview
    assert profile.verdict == overview["verdict"]
    edits = ["kernels x 0.5", "no waits"]
    assert profile.what_if(*edits) == json.loads(printed(program, "what-if", sample, *edits, "--format", "json"))
    assert profile.verdict_detail == overview["verdict_detail"]
    assert [finding.id for finding in profile.findings] == [found["id"] for found in overview["findings"]]
    assert [finding.problem for finding in profile.findings] == [
        found["problem"] for found in overview["findings"]
    ]
    assert [finding.command for finding in profile.findings] == [
        found["command"] for found in overview["findings"]
    ]


def test_questions_are_answered_as_by_the_program(sample: str, program: list[str]) -> None:
    profile = dlprof_agg.read(sample)
    for question in ("why_slow", "suffices"):
        assert profile.ask(question) == json.loads(printed(program, "ask", question, sample, "--brief"))
    with pytest.raises(dlprof_agg.UsageError, match="there is no question"):
        profile.ask("why")


def test_a_finding_has_figures_evidence_and_what_it_saves(sample: str) -> None:
    profile = dlprof_agg.read(sample)
    for finding in profile.findings:
        assert finding.severity in {"error", "warning", "note"}
        for name, figure in finding.figures.items():
            assert isinstance(figure, (int, float, str)), name
        for evidence in finding.evidence:
            rows = list(profile.table(evidence.table))
            assert any(str(row[evidence.column]) == evidence.value for row in rows), evidence
        if finding.saving is not None:
            assert (finding.saving.expected_ns or finding.saving.upper_ns or 0) >= 0
            assert finding.saving.basis
    assert any(finding.saving for finding in profile.findings)


def test_ranges_are_those_of_the_options(sample: str, program: list[str]) -> None:
    profile = dlprof_agg.read(sample)
    part = profile.range(15, 58)
    assert str(part) == printed(program, "--iter-start", "15", "--iter-stop", "58", sample)
    assert str(dlprof_agg.read(sample, iter_start=15, iter_stop=58)) == str(part)
    assert (part.iterations.start, part.iterations.stop, len(part.iterations)) == (15, 58, 44)
    assert list(part.iterations) == list(range(15, 59))
    # The first profile is what it was.
    assert str(profile) == printed(program, sample)


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ({"key_node": ""}, ["--key-node", ""]),
        ({"iter_range": "all"}, ["--iter-range", "all"]),
        ({"time_from": "5ms", "time_to": "15ms"}, ["--from", "5ms", "--to", "15ms"]),
        ({"batch_size": 32}, ["--batch-size", "32"]),
        ({"memory": "64M", "threads": 1, "cache": False}, ["--memory", "64M", "--no-cache"]),
        ({"memory": 64 << 20}, ["--memory", "64M"]),
    ],
)
def test_arguments_mean_what_options_mean(
    sample: str, program: list[str], asked: dict[str, Any], options: list[str]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dlprof_agg.CaptureWarning)
        profile = dlprof_agg.read(sample, **asked)
    assert str(profile) == printed(program, "-q", *options, sample)


def test_a_settings_file_counts_where_nothing_is_given(
    sample: str, program: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "own.toml"
    settings.write_text("iter-start = 15\niter-stop = 58\n[rules.sync_in_step]\nenabled = false\n")
    (tmp_path / "dlprof-agg.toml").write_text("iter-start = 3\n")
    monkeypatch.chdir(tmp_path)
    profile = dlprof_agg.read(sample, config=settings)
    assert str(profile) == printed(program, "--no-config", "--config", str(settings), sample)
    assert (profile.iterations.start, profile.iterations.stop) == (15, 58)
    assert dlprof_agg.read(sample, config=settings, iter_start=20).iterations.start == 20
    assert dlprof_agg.read(sample).iterations.start == 2, "the file of the working folder does not count"
    with pytest.raises(dlprof_agg.UsageError, match="input"):
        profile.to_report(settings, format="json", overwrite=True)
    settings.write_text("iter-strat = 1\n")
    with pytest.raises(dlprof_agg.DlprofError, match="iter-strat"):
        dlprof_agg.baseline(sample, config=settings)


def test_what_read_takes_is_what_is_asked() -> None:
    taken = inspect.signature(dlprof_agg.read).parameters
    fields = {field.name: field for field in dataclasses.fields(Asked)}
    assert set(taken) - {"path", "progress"} == set(fields)
    for name, field in fields.items():
        if name != "ncu":
            assert (taken[name].default, taken[name].annotation) == (field.default, field.type), name


def test_what_is_asked_is_checked_for_every_range(sample: str) -> None:
    with pytest.raises(dlprof_agg.UsageError, match="out of bounds"):
        dlprof_agg.read(sample).range(-1, 3)


@pytest.mark.parametrize("ending", ["html", "pdf", "xlsx", "json", "parquet-folder", "trace.json.gz"])
def test_reports_are_the_files_of_export(
    sample: str, program: list[str], tmp_path: Path, ending: str
) -> None:
    profile = dlprof_agg.read(sample)
    if ending == "parquet-folder":
        written = profile.to_report(f"{tmp_path}/a/", tables=["ops", "kernels"], format="parquet")
        words = ["--tables", "ops,kernels", "--format", "parquet", "-o", f"{tmp_path}/b/"]
    else:
        written = profile.to_report(tmp_path / f"a.{ending}")
        words = ["-o", f"{tmp_path}/b.{ending}"]
    printed(program, "export", sample, *words)
    assert written
    for file in written:
        other = Path(str(file).replace(f"{tmp_path}/a", f"{tmp_path}/b"))
        assert file.read_bytes() == other.read_bytes(), file


def test_reports_do_not_replace_files_unless_asked_to(sample: str, tmp_path: Path) -> None:
    profile = dlprof_agg.read(sample)
    file = tmp_path / "a.json"
    file.write_text("mine")
    with pytest.raises(dlprof_agg.OutputError) as refused:
        profile.to_report(file)
    assert refused.value.exit_code == 4 and file.read_text() == "mine"
    assert profile.to_report(file, overwrite=True) == [file]
    with pytest.raises(dlprof_agg.UsageError):
        profile.to_report(tmp_path / "a.unknown")
    with pytest.raises(dlprof_agg.UsageError):
        profile.to_report(sample, format="json", overwrite=True)


def bad_inputs(folder: Path) -> list[Path]:
    (folder / "empty.sqlite").write_bytes(b"")
    (folder / "text.sqlite").write_text("no capture\n" * 100)
    (folder / "list.json").write_text("[1, 2, 3]")
    names = ["missing.sqlite", "empty.sqlite", "text.sqlite", "list.json", ""]
    return [folder / name for name in names]


def test_every_bad_input_is_an_input_error_with_the_words_of_the_program(
    tmp_path: Path, program: list[str]
) -> None:
    for file in bad_inputs(tmp_path):
        done = subprocess.run([*program, str(file)], capture_output=True, text=True)
        with pytest.raises(dlprof_agg.InputError) as refused:
            dlprof_agg.read(file)
        error = refused.value
        assert error.exit_code == done.returncode == 3
        said = "".join(
            [
                f"error: {error.message}\n",
                *(f"cause: {cause}\n" for cause in error.causes),
                f"hint: {error.hint}\n" if error.hint else "",
            ]
        )
        assert said == done.stderr


def test_a_damaged_capture_is_an_input_error(sample: str, tmp_path: Path) -> None:
    file = tmp_path / "cut.sqlite"
    file.write_bytes(Path(sample).read_bytes()[:20_000])
    with pytest.raises(dlprof_agg.InputError):
        dlprof_agg.read(file)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"key_node": "no such thing"}, dlprof_agg.RequestError),
        ({"iter_start": 1000, "iter_stop": 2000}, dlprof_agg.RequestError),
        ({"time_from": "900s"}, dlprof_agg.RequestError),
        ({"iter_start": 9, "iter_stop": 3}, dlprof_agg.UsageError),
        ({"iter_start": -1}, dlprof_agg.UsageError),
        ({"iter_range": "some"}, dlprof_agg.UsageError),
        ({"time_from": "soon", "time_to": "5 parsecs"}, (dlprof_agg.UsageError, dlprof_agg.RequestError)),
        ({"batch_size": 0}, dlprof_agg.UsageError),
        ({"memory": "much"}, dlprof_agg.UsageError),
        ({"memory": 0}, dlprof_agg.UsageError),
        ({"memory": -5}, dlprof_agg.UsageError),
        ({"threads": -1}, dlprof_agg.UsageError),
        ({"key_node": "re:("}, dlprof_agg.UsageError),
    ],
)
def test_arguments_that_cannot_be_met(sample: str, asked: dict[str, Any], error: Any) -> None:
    with pytest.raises(error) as refused:
        dlprof_agg.read(sample, **asked)
    assert refused.value.exit_code in (2, 5)
    assert refused.value.message and "\n" not in refused.value.message


def test_a_range_that_is_not_there(sample: str) -> None:
    profile = dlprof_agg.read(sample)
    with pytest.raises(dlprof_agg.RequestError) as refused:
        profile.range(5, 4000)
    assert refused.value.hint is not None
    with pytest.raises(dlprof_agg.UsageError):
        profile.range(5, 4)
    with pytest.raises(dlprof_agg.RequestError):
        profile.timeline(4000)


def test_what_is_odd_about_a_capture_is_warned_of(
    generated: Callable[..., Path], program: list[str]
) -> None:
    file = generated("none.sqlite", "--style", "none", "--kernels", "300")
    done = subprocess.run([*program, str(file)], capture_output=True, text=True, check=True)
    codes = [line.split("[")[1].split("]")[0] for line in done.stderr.splitlines() if "[" in line.split(":")[0]]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        profile = dlprof_agg.read(file)
    of_captures = [one for one in caught if issubclass(one.category, dlprof_agg.CaptureWarning)]
    assert [str(one.message).split(":")[0] for one in of_captures] == codes
    assert all(one.filename == __file__ for one in of_captures)
    assert set(codes) <= {code for _, code, _ in profile.diagnostics}


def test_no_warning_without_a_reason(sample: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dlprof_agg.read(sample)


def test_progress_is_told_and_can_end_the_work(generated: Callable[..., Path]) -> None:
    file = generated("many.sqlite", "--kernels", "60000")
    told: list[tuple[int, int]] = []
    dlprof_agg.read(file, cache=False, progress=lambda done, total: told.append((done, total)))
    assert told and all(0 < done <= total for done, total in told)
    assert [done for done, _ in told] == sorted(done for done, _ in told)

    def stops(done: int, total: int) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        dlprof_agg.read(file, cache=False, progress=stops)


def test_html_is_for_notebooks(sample: str) -> None:
    profile = dlprof_agg.read(sample)
    html = profile._repr_html_()
    assert "<svg" in html and "<script" not in html
    assert profile.timeline()._repr_html_().count("<rect") > 10
    assert "iframe" in str(profile.show(server=False))
    assert len(html) < 200_000


def test_the_server_shows_the_same_range(sample: str) -> None:
    import urllib.request

    from dlprof_agg import viewer

    profile = dlprof_agg.read(sample, batch_size=8, threads=2, cache=False, memory=64 << 20, time_from="1ms")
    shown = profile.range(20, 29)
    with viewer.serve(shown.path, shown._asked.options(), opens_browser=False) as server:
        with urllib.request.urlopen(server.url, timeout=20) as answer:
            assert answer.status == 200
            assert b"<html" in answer.read()
