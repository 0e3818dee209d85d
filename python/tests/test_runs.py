"""Runs against runs: the same documents and verdicts as the program's."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import dlprof_agg
import pytest
from conftest import CORPUS


@pytest.fixture(scope="module")
def several(generated: Callable[..., Path]) -> list[Path]:
    """Captures of one program with other seeds."""
    return [generated(f"run{seed}.sqlite", "--seed", str(seed), "--iterations", "24") for seed in range(1, 5)]


def output(program: list[str], *words: str) -> tuple[int, str]:
    done = subprocess.run([*program, *words], capture_output=True, text=True)
    return done.returncode, done.stdout


def test_a_baseline_is_that_of_the_program(several: list[Path], program: list[str], tmp_path: Path) -> None:
    base = dlprof_agg.baseline(several[:3])
    assert len(base) == 3 and base.captures == [file.name for file in several[:3]]
    ours = base.save(tmp_path / "ours.json")
    output(program, "baseline", *map(str, several[:3]), "-o", str(tmp_path / "theirs.json"))
    assert ours.read_bytes() == (tmp_path / "theirs.json").read_bytes()
    assert base.to_dict() == json.loads(ours.read_text())
    with pytest.raises(dlprof_agg.OutputError):
        base.save(ours)
    assert dlprof_agg.baseline(ours).to_dict() == base.to_dict()


def test_the_gate_judges_as_the_program_does(several: list[Path], program: list[str], tmp_path: Path) -> None:
    base = dlprof_agg.baseline(several[:3])
    file = base.save(tmp_path / "base.json")
    for baseline in (base, file, [file], several[:3]):
        gate = dlprof_agg.gate(several[3], baseline)
        code, text = output(program, "gate", str(several[3]), "--baseline", str(file), "--format", "json")
        assert gate.exit_code == code and gate.to_dict() == json.loads(text)
        assert bool(gate) == (code == 0) and gate.verdict in {"pass", "fail", "inconclusive"}
    for format in ("text", "markdown", "junit", "sarif", "github"):
        _, text = output(program, "gate", str(several[3]), "-b", str(file), "--format", format)
        assert getattr(gate, format)() == text, format


def test_a_slower_run_fails(sample: str, generated: Callable[..., Path]) -> None:
    with pytest.raises(dlprof_agg.UsageError):
        dlprof_agg.gate(sample)
    with pytest.raises(dlprof_agg.InputError):
        dlprof_agg.gate(sample, "no such baseline.json")


def test_a_policy_that_cannot_be_read(sample: str, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text("[[rule]]\nmetrik = 'iteration_time'\n")
    with pytest.raises(dlprof_agg.UsageError) as refused:
        dlprof_agg.gate(sample, sample, policy=policy)
    assert "policy.toml" in refused.value.message


def test_a_comparison_is_that_of_the_program(several: list[Path], program: list[str]) -> None:
    comparison = dlprof_agg.compare(several[0], several[1])
    words = ["compare", str(several[0]), str(several[1])]
    assert comparison.text() == output(program, *words)[1]
    assert comparison.to_dict() == json.loads(output(program, *words, "--format", "json")[1])
    assert comparison._repr_markdown_() == output(program, *words, "--format", "markdown")[1]


def test_ranks_of_one_job(corpus_of_ranks: list[Path], program: list[str], tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    job = dlprof_agg.ranks(corpus_of_ranks, progress=lambda done, total: told.append((done, total)))
    words = ["ranks", *map(str, corpus_of_ranks)]
    assert job.to_dict() == json.loads(output(program, *words, "--format", "json")[1])
    assert [row["rank"] for row in job.table("ranks", columns=["rank"])] == job.ranks
    for name, table in job.tables.items():
        assert [column.key for column in table.columns] == [column.key for column in job.table(name, top=1).columns]
    assert len(job) == len(corpus_of_ranks) and told[-1] == (len(job), len(job))
    assert job.to_report(tmp_path / "job.json")
    assert all(finding.problem for finding in job.findings)
    with pytest.raises(dlprof_agg.UsageError):
        job.table("no such table")


def test_one_capture_is_no_job(sample: str) -> None:
    with pytest.raises(dlprof_agg.DlprofError) as refused:
        dlprof_agg.ranks(sample)
    assert refused.value.hint


@pytest.fixture(scope="module")
def corpus_of_ranks() -> list[Path]:
    """Traces of the ranks of a real job."""
    files = sorted((CORPUS / "kineto" / "nv-v100-dlrm-8rank").glob("*.json*"))
    if len(files) < 2:
        pytest.skip("SKIPPED: the corpus is not here")
    return files
