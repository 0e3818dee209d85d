#!/usr/bin/env python3
"""ProfBench adapter: `dlprof-agg ask` alone. One question of the ten for each kind of case; facts are cells of its answer.

Reads a case without its expectation from standard input, writes the answer to standard output. `DLPROF_AGG` names the program.
"""
import json
import os
import subprocess
import sys

PROGRAM = os.environ.get("DLPROF_AGG", "dlprof-agg")
YES = {"true": "yes", "false": "no"}


class Answer:
    """The answer of the program to one question, and what it cost."""

    def __init__(self, question, captures, about=None, window=()):
        words = [PROGRAM, "ask", question, *captures, "--brief", "--no-config", *window]
        words += ["--about", about] if about else []
        run = subprocess.run(words, capture_output=True, text=True)
        self.text = run.stdout
        self.envelope = json.loads(run.stdout) if run.stdout.strip() else {"state": "error"}

    def rows(self, part):
        for one in self.envelope.get("parts", []):
            if one["name"] == part:
                names = [column["name"] for column in one["columns"]]
                return [dict(zip(names, row)) for row in one["rows"]]
        return []

    def first(self, part):
        return next(iter(self.rows(part)), {})

    def reasons(self):
        return [one["because"] for one in self.envelope.get("cannot", [])]

    def tokens(self):
        return -(-len(self.text.encode()) // 4)

    def cause(self):
        return "set_up" if self.envelope.get("class") == "set_up" else self.envelope.get("cause")


def kernels_total(answer, _):
    row = answer.first("totals")
    return {"kernels": row.get("kernels"), "kernel_ns": row.get("kernel_ns")}


def kernel_top(answer, _):
    row = answer.first("short_names")
    return {"kernel": row.get("key"), "share_percent": row.get("percent"), "launches": row.get("calls")}


def gpu_busy(answer, _):
    rows = [row for row in answer.rows("gpus") if row["compute_ns"]]
    shares = [row["busy_percent"] for row in rows]
    return {"busy_percent": sum(shares) / len(shares), "span_ns": max(row["length_ns"] for row in rows)} if rows else {}


def copies(answer, params):
    return summed(answer, lambda kind, _: kind == params["kind"], {"copies": "count", "bytes": "bytes", "ns": "gpu_time_ns"})


def unified_memory(answer, _):
    return summed(answer, lambda kind, _: kind.startswith("UM"), {"migrations": "count", "bytes": "bytes"})


def summed(answer, is_wanted, facts):
    rows = [row for row in answer.rows("copies") if is_wanted(*row["key"].removeprefix("copy:").split("|"))]
    return {fact: sum(row[column] for row in rows) for fact, column in facts.items()} if answer.rows("copies") else {}


def pageable(answer, _):
    between = summed(answer, lambda kind, _: kind in ("HtoD", "DtoH"), {"all": "bytes"})
    paged = summed(answer, lambda kind, memory: kind in ("HtoD", "DtoH") and memory == "pageable", {"all": "bytes"})
    return {"pageable_percent": 100 * paged["all"] / between["all"]} if between.get("all") else {}


def api_top(answer, _):
    row = answer.first("api_calls_of_whole_capture")
    return {"function": row.get("key"), "calls": row.get("calls"), "ns": row.get("time_ns")}


def sync(answer, _):
    row = answer.first("waits_for_gpu_of_whole_capture")
    return {"calls": row.get("calls"), "ns": row.get("time_ns")}


def gpus_used(answer, _):
    row = answer.first("totals")
    return {"used": row.get("gpus_used"), "present": row.get("gpus_present")}


def steady(answer, _):
    row = answer.first("ranges")
    return {"runs": row.get("runs"), "median_ns": row.get("median_ns"), "max_ns": row.get("max_ns")}


def comm_overlap(answer, _):
    row = answer.first("exchange")
    return {"comm_ns": row.get("communication_ns"), "exposed_percent": row.get("exposed_percent")}


def which_rank(answer, params):
    key = "without_communication" if params.get("without") else "kernel_time"
    row = next((row for row in answer.rows("most_kernel_time") if row["key"] == key), {})
    device = (row.get("most") or "").rpartition("gpu:")[2]
    return {"device": int(device) if device else None, "more_percent": row.get("more_percent")}


def tensor_cores(answer, params):
    said = {row["tensor_cores"] for row in answer.rows("kernels")} if params.get("kernel") else set()
    return {"tensor_cores": YES.get(said.pop(), "unknown")} if len(said) == 1 else {}


def compare(answer, _):
    row = answer.first("kernel_time")
    return {"kernel_delta_ns": row.get("change_ns"), "kernels_delta": row.get("kernels_change")}


def why_slow(answer, params):
    share = next((row["percent"] for row in answer.rows("kernel_kinds") if "fp32 matrix" in row["key"].lower()), None)
    gaps = answer.rows("gpus")
    length = sum(row["length_ns"] for row in gaps)
    short = sum(row["length_ns"] * row["waits_for_cpu_in_short_gaps_percent"] for row in gaps)
    return {"share_percent": share, "short_gaps_percent": short / length if length else None}


def which_op(answer, _):
    return {"op": answer.first("ops").get("key")}


def has_fault(answer, params):
    """`no` only where all findings stand in the answer."""
    part = next((one for one in answer.envelope.get("parts", []) if one["name"] == "findings"), {"shown": 0, "total": 1})
    if any(row["key"] == f"finding:{params['fault']}" for row in answer.rows("findings")):
        return {"found": "yes"}
    return {"found": "no"} if part["shown"] == part["total"] else {}


def nothing(_, __):
    return {}


# By kind of case: the question to ask, the facts of its answer, and the reason that alone makes a figure unknown.
KINDS = {
    "kernels_total": ("where_time", kernels_total, None),
    "kernel_top": ("where_time", kernel_top, None),
    "kernel_in_graph": ("where_time", nothing, "graphs_recorded_whole"),
    "which_op": ("where_time", which_op, "no_nvtx"),
    "copies": ("where_time", copies, None),
    "unified_memory": ("where_time", unified_memory, None),
    "pageable": ("where_time", pageable, None),
    "gpus_used": ("where_time", gpus_used, None),
    "gpu_busy": ("why_slow", gpu_busy, None),
    "why_slow": ("why_slow", why_slow, "no_kernels"),
    "has_fault": ("what_first", has_fault, None),
    "api_top": ("host_while_idle", api_top, None),
    "sync": ("host_while_idle", sync, None),
    "steady": ("steady", steady, None),
    "comm_overlap": ("overlap", comm_overlap, None),
    "which_rank": ("which_rank", which_rank, None),
    "tensor_cores": ("tensor_cores", tensor_cores, None),
    "compare": ("compare", compare, None),
    "dram_bandwidth": ("suffices", nothing, "no_gpu_metrics"),
}


def window(question, params):
    """The part of the capture that figures are asked of: some iterations, or all of it."""
    if question.get("scope") == "steady":
        return ["--iter-start", str(params["first_iteration"]), "--iter-stop", str(params["last_iteration"])]
    by_scope = {"steps": [], "all_steps": ["--iter-range", "all"]}
    return by_scope.get(question.get("scope"), ["--key-node="])


def main():
    case = json.load(sys.stdin)
    params = case["question"].get("params", {})
    kind = case["question"]["id"]
    if kind not in KINDS:
        print(json.dumps({"kind": "none", "error": f"no question for {kind}"}))
        return
    question, facts_of, blocking = KINDS[kind]
    about = params.get("kernel") if question == "tensor_cores" else params.get("range") if question == "steady" else None
    answer = Answer(question, case["captures"], about, window(case["question"], params))
    judged = answer
    if kind == "why_slow" and case["question"].get("scope") != "steady":
        # Figures are of the whole capture; what limits the program is asked of its steps.
        judged = Answer(question, case["captures"], window=["--max-tokens", "300"])
    facts = {name: value for name, value in facts_of(answer, params).items() if value is not None}
    is_refusal = not facts or blocking in answer.reasons()
    form = "refuse" if is_refusal and answer.reasons() else "answer" if facts else "none"
    record = [way for one in answer.envelope.get("cannot", []) for way in one["record"]]
    print(json.dumps({
        "kind": form, "facts": facts, "cause": judged.cause(), "because": answer.reasons(), "record_with": record,
        "tokens": answer.tokens() + (judged.tokens() if judged is not answer else 0), "calls": 1 + (judged is not answer),
    }))


if __name__ == "__main__":
    main()
