"""Runs the program within limits, and judges what every run owes its user, whatever the input is."""

import os
import re
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import canaries

PROGRAM = os.environ["DLPROF_AGG"]
MOST_CPU_SECONDS = float(os.environ.get("CAMPAIGN_CPU_SECONDS", 30))
MOST_MEMORY_MB = float(os.environ.get("CAMPAIGN_MEMORY_MB", 1024))
# A run that takes more than this is ended, so that the campaign goes on: seconds, and kilobytes of addresses.
CPU_SECONDS_AT_ALL = int(2 * MOST_CPU_SECONDS)
SECONDS_AT_ALL = 4 * MOST_CPU_SECONDS
ADDRESSES_KB = 16 << 20
# No file is larger, scratch files included, so that a fault does not fill the disk.
FILE_KB = 1 << 20
# No text for people is longer than this.
LONGEST_ERROR = 4_000
LONGEST_STDERR = 200_000

# Exit codes with one error on standard error, and those without (docs/troubleshooting.md).
WITH_ERROR = {2, 3, 4, 5}
WITHOUT_ERROR = {0, 1, 6}


class Stuck(Exception):
    """A run did not end. The fault is counted; what else the case would do would only take the campaign's time."""


@dataclass
class Run:
    """What a run gave."""

    words: list
    code: int  # Below 0: the signal that ended it.
    stdout: Path
    stderr: str
    cpu_seconds: float
    memory_mb: float
    is_heard: bool  # Whether standard output goes to a file.

    @property
    def text(self):
        return self.stdout.read_text(errors="replace")

    @property
    def diagnostics(self):
        return set(re.findall(r"^(?:warning|error|note)\[([a-z-]+)\]", self.stderr, re.MULTILINE))


def shell_line(words, limits):
    """The words of a shell that sets the limits and becomes the program."""
    return ["bash", "-c", f'ulimit -c 0; {limits}exec "$0" "$@"', PROGRAM, *words]


def default_limits():
    return f"ulimit -t {CPU_SECONDS_AT_ALL}; ulimit -v {ADDRESSES_KB}; ulimit -f {FILE_KB}; "


def start(case, words, limits, name):
    """Starts the program in the folder of the case; its output goes to files there."""
    with open(case.folder / f"said/{name}.out", "wb") as out, open(case.folder / f"said/{name}.err", "wb") as err:
        return subprocess.Popen(
            shell_line(words, limits), cwd=case.folder, env=case.environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )


def wait(process, seconds):
    """Waits for the end; says how it ended, and what it used. None for the code if it had to be ended."""
    late = threading.Event()

    def end():
        late.set()
        process.kill()

    timer = threading.Timer(seconds, end)
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    code = None if late.is_set() else process.returncode
    return code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def run(case, words, limits="", interrupt=None):
    """Runs the program and judges it. `interrupt` is called with the process while it runs."""
    words = [str(word) for word in words]
    name = case.remember(words, limits)
    process = start(case, words, default_limits() + limits, name)
    if interrupt:
        interrupt(process)
    code, cpu, memory = wait(process, SECONDS_AT_ALL)
    stderr = (case.folder / f"said/{name}.err").read_text(errors="replace")
    result = Run(words, code, case.folder / f"said/{name}.out", stderr, cpu, memory, is_heard="exec >" not in limits)
    case.runs.append(result)
    judge(case, result, may_be_ended=interrupt is not None)
    if code is None:
        raise Stuck
    return result


def judge(case, result, may_be_ended):
    """Promises that hold for every run."""
    code, stderr = result.code, result.stderr
    if code is None:
        case.fault(f"did not end within {SECONDS_AT_ALL:.0f} s", result)
    elif code < 0 and not may_be_ended:
        case.fault(f"ended by signal {signal.Signals(-code).name}", result)
    elif code >= 0 and code not in WITH_ERROR | WITHOUT_ERROR and not (may_be_ended and code > 128):
        case.fault(f"exit code {code} is not documented", result)
    for word in ("panicked", "RUST_BACKTRACE", "has overflowed its stack", "memory allocation of"):
        if word in stderr:
            case.fault(f"standard error says `{word}`: {first_line_with(stderr, word)}", result)
    # `stats` says some mistakes as nsys does.
    errors = re.findall(r"^(?:error|ERROR): .*" if result.words[:1] == ["stats"] else r"^error: .*", stderr, re.MULTILINE)
    if code in WITH_ERROR and len(errors) != 1 and not skips_reports(result, errors):
        case.fault(f"{len(errors)} errors with exit code {code}", result)
    if code in WITHOUT_ERROR and errors:
        case.fault(f"an error with exit code {code}: {errors[0][:200]}", result)
    if max(map(len, errors), default=0) > LONGEST_ERROR or len(stderr) > LONGEST_STDERR:
        case.fault("a very long error or very many warnings", result)
    if names := canaries.started(case.folder):
        case.fault(f"programs of the working folder were started: {', '.join(names)}", result)
    if result.cpu_seconds > MOST_CPU_SECONDS:
        case.fault(f"more than {MOST_CPU_SECONDS:.0f} CPU seconds: {result.cpu_seconds:.1f}", result)
    if result.memory_mb > MOST_MEMORY_MB:
        case.fault(f"more than {MOST_MEMORY_MB:.0f} MB: {result.memory_mb:.0f}", result)


def skips_reports(result, errors):
    """`stats` says of each report that is skipped why, as nsys does on standard output in some forms."""
    is_said = errors or not result.is_heard or "SKIPPED" in result.stderr + result.text
    return result.words[:1] == ["stats"] and result.code == 5 and is_said


def first_line_with(text, word):
    return next((line for line in text.splitlines() if word in line), "")[:200]


def signal_after(seconds, number):
    """Sends a signal so long after the start, if the program still runs."""

    def interrupt(process):
        time.sleep(seconds)
        # The id is that of our child until we have waited for it. `send_signal` would wait, and lose what the program used.
        os.kill(process.pid, number)

    return interrupt
