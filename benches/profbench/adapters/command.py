#!/usr/bin/env python3
"""ProfBench adapter: any command that prints text. `COMMAND` has `{}` in place of the captures: COMMAND="nsys stats {}"."""
import json
import os
import shlex
import subprocess
import sys

BUDGET = 4 * int(os.environ.get("BUDGET", "2000"))
# How tools say what they cannot tell.
WORDS = {
    "no_records": "no CUDA|does not contain",
    "no_kernels": "no (usable )?kernel|does not contain CUDA kernel",
    "no_nvtx": "no NVTX|does not contain NV Tools",
    "program_failed": "program (failed|ended badly)",
    "no_gpu_metrics": "no GPU (counters|metrics)|does not contain GPU metrics",
    "graphs_recorded_whole": "graphs? (was|were) recorded (as a )?whole",
}


def main():
    case = json.load(sys.stdin)
    words = shlex.split(os.environ["COMMAND"])
    at = words.index("{}")
    run = subprocess.run([*words[:at], *case["captures"], *words[at + 1:]], capture_output=True)
    text = (run.stderr + run.stdout)[:BUDGET].decode(errors="replace")
    print(json.dumps({"kind": "text", "text": " ".join(text.split()), "words": WORDS, "tokens": -(-len(text.encode()) // 4), "calls": 1}))


if __name__ == "__main__":
    main()
