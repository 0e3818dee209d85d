"""The examples that read captures on several processes: each says the same as one process, also when a worker is killed meanwhile."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

FLEET = ROOT / "examples" / "fleet"

#: Enough that work goes on for seconds.
CAPTURES = 400


def needs(*packages: str) -> None:
    for package in packages:
        if importlib.util.find_spec(package) is None:
            print(f"SKIPPED: examples/fleet with {package}, which is not installed", file=sys.__stderr__)
            pytest.skip(f"{package} is not installed")


@pytest.fixture(scope="module")
def captures(sample: str, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("captures")
    files = [folder / f"capture{number}.sqlite" for number in range(CAPTURES)]
    first = shutil.copy(sample, folder / "first.sqlite")
    for file in files:
        os.link(first, file)
    return [str(file) for file in files]


@pytest.fixture(scope="module")
def rows(captures: list[str]) -> str:
    """What one process says."""
    run = subprocess.run(command("threads", *captures), capture_output=True, text=True, check=True)
    assert len(run.stdout.splitlines()) > 5
    assert int(run.stdout.split(",")[0]) % CAPTURES == 0
    return run.stdout


def command(name: str, *arguments: str) -> list[str]:
    return [sys.executable, str(FLEET / f"with_{name}.py"), *arguments]


def start(name: str, *arguments: str, environment: dict[str, str] | None = None) -> subprocess.Popen[str]:
    # Of its own session, so that the processes that it leaves behind can be told.
    return subprocess.Popen(
        command(name, *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )


def wait_until(holds: Callable[[], bool], run: subprocess.Popen[str]) -> None:
    """Waits for something to happen in a run, which must not end before."""
    for _ in range(6000):
        assert run.poll() is None, run.communicate()[1]
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen within a minute")


def end(run: subprocess.Popen[str], rows: str) -> str:
    """Waits for the end of a run, whose rows must be these. Returns what else it said."""
    out, problems = run.communicate(timeout=300)
    assert run.returncode == 0, problems
    # Ray's own processes say on standard output that a worker died.
    said = [line for line in out.splitlines() if not line.startswith("\x1b[33m(raylet)")]
    assert said == rows.splitlines()
    return problems


@pytest.mark.parametrize("is_killed", [False, True])
def test_dask(is_killed: bool, captures: list[str], rows: str) -> None:
    needs("distributed")
    local_cluster: Any = importlib.import_module("distributed").LocalCluster
    with local_cluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        run = start("dask", cluster.scheduler_address, *captures)
        if is_killed:
            tasks = cluster.scheduler.tasks
            wait_until(lambda: sum(task.state == "memory" for task in list(tasks.values())) >= 5, run)
            os.kill(cluster.workers[0].pid, signal.SIGKILL)
            assert run.poll() is None
            assert any(task.state != "memory" for task in list(tasks.values())), "the work was over already"
        end(run, rows)


def children(of: int) -> Iterator[int]:
    """The processes that a process has started, and those that these have."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "status").read_text()
        except OSError:
            continue
        if f"\nPPid:\t{of}\n" in status:
            yield int(folder.name)
            yield from children(int(folder.name))


def command_line(process: int) -> bytes:
    """How a process is called; nothing if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def busy_workers(run: subprocess.Popen[str]) -> list[int]:
    """Workers of Ray that read a capture right now: they are called so meanwhile."""
    return [process for process in children(run.pid) if command_line(process).startswith(b"ray::of")]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="workers are found in /proc")
@pytest.mark.parametrize("is_killed", [False, True])
def test_ray(is_killed: bool, captures: list[str], rows: str) -> None:
    needs("ray")
    run = start("ray", *captures)
    if is_killed:
        wait_until(lambda: bool(busy_workers(run)), run)
        killed = next(iter(busy_workers(run)), None)
        assert killed is not None
        os.kill(killed, signal.SIGKILL)
        assert run.poll() is None
    end(run, rows)


def busy_executors(run: subprocess.Popen[str]) -> list[int]:
    """Executors of Spark, which are Java processes, whose workers of Python have begun: captures are read."""
    found = [process for process in children(run.pid) if b"CoarseGrainedExecutorBackend" in command_line(process)]
    return [one for one in found if any(b"pyspark.daemon" in command_line(child) for child in children(one))]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="executors are found in /proc")
@pytest.mark.parametrize("is_killed", [False, True])
def test_spark(is_killed: bool, captures: list[str]) -> None:
    needs("pyspark", "pandas")
    if shutil.which("java") is None:
        pytest.skip("SKIPPED: examples/fleet with Spark, which takes Java")
    few = captures[:60] if is_killed else captures[:8]
    expected = subprocess.run(command("threads", *few), capture_output=True, text=True, check=True).stdout
    # Workers run the Python that has the wheel. Each of two executors is a process with one core.
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    if is_killed:
        environment["PYSPARK_SUBMIT_ARGS"] = "--master local-cluster[2,1,1024] pyspark-shell"
    run = start("spark_captures", *few, environment=environment)
    if is_killed:
        wait_until(lambda: bool(busy_executors(run)), run)
        os.kill(busy_executors(run)[0], signal.SIGKILL)
    problems = end(run, expected)
    # The task of the one that died is done again by another.
    assert ("ExecutorLostFailure" in problems) == is_killed
