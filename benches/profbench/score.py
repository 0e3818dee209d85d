#!/usr/bin/env python3
"""Scores a tool on cases of ProfBench. No language model, no network; Python 3.10 and SQLite 3.28.

    score.py --root FOLDER_OF_CAPTURES --adapter "python3 adapters/ask.py" [--cases DIR] [--out FILE] [--at-least PERCENT] [--jobs N]
    score.py --root FOLDER_OF_CAPTURES --verify          runs each proof again and compares it with the expected answer

README.md says what a case, an adapter and a point are.
"""
import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import shlex
import sqlite3
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
SIZES = {
    "ns": {"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9},
    "bytes": {"B": 1, "bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30},
    "%": {"%": 1},
}


def plain(text):
    return re.sub(r"[\s`'\"]+", "", str(text)).lower()


def allowed(fact):
    tolerance = fact.get("tolerance", {})
    return max(tolerance.get("abs", 0), tolerance.get("rel", 0) * abs(fact["value"])) + 1e-9


def judge_fact(fact, given):
    """`right`, `wrong` or `missing`."""
    if given is None or (plain(given) == "unknown" and plain(fact["value"]) != "unknown"):
        return "missing"
    if fact["type"] == "name":
        return "right" if plain(given) == plain(fact["value"]) else "wrong"
    try:
        return "right" if abs(float(given) - fact["value"]) <= allowed(fact) else "wrong"
    except (TypeError, ValueError):
        return "wrong"


def stands_in(fact, text):
    """Whether prose has a fact: a name, or a number with its unit, as exact as its digits."""
    if fact["type"] == "name":
        return plain(fact["value"]) in plain(text)
    for digits, unit in re.findall(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?)\s?([A-Za-zµ%]*)", text):
        size = SIZES.get(fact.get("unit"), {"": 1}).get(unit if fact.get("unit") else "")
        if size is not None:
            decimals = len(digits.partition(".")[2])
            step = 0.5 * 10**-decimals * size if fact.get("unit") else 0
            if abs(float(digits.replace(",", "")) * size - fact["value"]) <= max(step, allowed(fact)):
                return True
    return False


def names_a_way(wanted, given):
    """Whether one of the ways to record is named: by the value of an option, or as a run that ends well."""
    said = plain(" ".join(given or []))
    core = [way.rpartition("=")[2] if way.startswith("--trace") else way for way in wanted]
    return any(plain(way) in said or (way.startswith("a run") and "run" in said) for way in core)


def judge(case, answer):
    """Points, the word for them, and what became of each fact."""
    expect, kind = case["expect"], answer.get("kind", "none")
    if kind == "none":
        return 0, "silent", {}
    if kind == "text":
        answer = of_text(expect, answer)
        kind = answer["kind"]
    if expect["kind"] == "refuse":
        if kind != "refuse":
            return (-1, "false answer", {}) if answer.get("facts") else (0, "silent", {})
        reason = bool(set(expect["because"]) & set(answer.get("because") or []))
        parts = reason + names_a_way(expect["record_with"], answer.get("record_with"))
        return parts / 2, ["refused for another reason", "half a refusal", "rightly refused"][parts], {}
    if kind == "refuse":
        return 0, "needlessly refused", {}
    states = {fact["name"]: judge_fact(fact, (answer.get("facts") or {}).get(fact["name"])) for fact in expect.get("facts", [])}
    if "cause" in expect:
        known, given = {expect["cause"], *expect.get("cause_also", [])}, answer.get("cause")
        states["cause"] = "missing" if not given else "right" if given in known else "wrong"
    found = list(states.values())
    if "wrong" in found:
        return -1, "false", states
    share = found.count("right") / len(found)
    return (1, "right", states) if share == 1 else (round(share / 2, 2), "incomplete", states)


def of_text(expect, answer):
    """Prose as an answer: what does not stand in it is missing, never wrong."""
    text, words = answer["text"], answer.get("words", {})
    says = lambda key: bool(re.search(words.get(key, re.escape(key)), text, re.I | re.S))
    if expect["kind"] == "refuse":
        because = [key for key in expect["because"] if says(key)]
        return {"kind": "refuse" if because else "none", "because": because, "record_with": [text]}
    facts = {fact["name"]: fact["value"] for fact in expect.get("facts", []) if stands_in(fact, text)}
    causes = [expect.get("cause"), *expect.get("cause_also", [])]
    return {"kind": "answer", "facts": facts, "cause": next((cause for cause in causes if cause and says(cause)), None)}


def run_adapter(adapter, case, captures):
    ask = {"id": case["id"], "question": case["question"], "captures": captures}
    start = time.time()
    try:
        run = subprocess.run(shlex.split(adapter), input=json.dumps(ask), capture_output=True, text=True, timeout=300)
        answer = json.loads(run.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        answer = {"kind": "none", "error": str(error)[:300]}
    return answer, round(time.time() - start, 2)


def proves(case, captures):
    """Whether the proof of a case gives the expected answer."""
    expect = case["expect"]
    database = sqlite3.connect(":memory:", uri=True)
    names = case["proof"].get("captures_as", ["main"])
    if names == ["main"]:
        database = sqlite3.connect(f"file:{captures[0]}?mode=ro&immutable=1", uri=True)
    else:
        for name, path in zip(names, captures):
            database.execute(f"attach 'file:{path}?mode=ro&immutable=1' as {name}")
    row = list(database.execute(case["proof"]["sql"]).fetchone())
    wanted = [fact["value"] for fact in expect.get("facts", [])] or expect.get("proof_row", [])
    same = lambda one, other: one == other or (isinstance(one, (int, float)) and abs(one - other) <= 1e-9 * abs(other))
    return all(same(one, other) for one, other in zip(row, wanted)) and len(row) >= len(wanted)


def load(folder, root):
    for path in sorted(pathlib.Path(folder).glob("**/*.json")):
        case = json.loads(path.read_text())
        captures = [pathlib.Path(root) / one["file"] for one in case["captures"]]
        missing = [str(one) for one in captures if not one.exists()]
        if missing:
            print(f"SKIPPED {case['id']}: no {missing[0]}", file=sys.stderr)
            continue
        for one, capture in zip(case["captures"], captures):
            if "sha256" in one and hashlib.sha256(capture.read_bytes()).hexdigest() != one["sha256"]:
                raise SystemExit(f"{case['id']}: {capture} is another file than the one that the case is about")
        yield case, [str(capture) for capture in captures]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=HERE / "cases")
    parser.add_argument("--root", required=True)
    parser.add_argument("--adapter")
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--out")
    parser.add_argument("--only", default="")
    parser.add_argument("--budget", type=int, default=2000)
    parser.add_argument("--at-least", type=float, default=None)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    cases = [(case, captures) for case, captures in load(asked.cases, asked.root) if asked.only in case["id"]]
    if asked.verify:
        false = [case["id"] for case, captures in cases if "proof" in case and not proves(case, captures)]
        print(f"{len(cases)} cases, proofs that give another answer: {false or 'none'}")
        raise SystemExit(bool(false) or not cases)
    rows = []
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        answers = list(pool.map(lambda one: run_adapter(asked.adapter, *one), cases))
    for (case, _), (answer, seconds) in zip(cases, answers):
        points, word, states = judge(case, answer)
        rows.append({"id": case["id"], "points": points, "result": word, "facts": states, "seconds": seconds,
                     "tokens": answer.get("tokens", 0), "calls": answer.get("calls", 0), "answer": answer})
        lacks = " ".join(f"{name}:{state}" for name, state in states.items() if state != "right")
        print(f"{points:5} {word:28} {case['id']:44} {answer.get('tokens', 0):6} tokens  {lacks}")
    total = summary(rows, asked.budget)
    print(json.dumps(total))
    if asked.out:
        pathlib.Path(asked.out).write_text(json.dumps({"total": total, "rows": rows}, indent=1))
    if asked.at_least is not None and (total["percent"] < asked.at_least or total["false"]):
        raise SystemExit(f"fewer than {asked.at_least}% of the points, or a false statement")


def summary(rows, budget):
    tokens = [row["tokens"] for row in rows] or [0]
    return {
        "cases": len(rows), "points": round(sum(row["points"] for row in rows), 2),
        "percent": round(100 * sum(row["points"] for row in rows) / max(len(rows), 1), 1),
        "right_within_budget": sum(row["points"] == 1 and row["tokens"] <= budget for row in rows),
        "false": sum(row["points"] < 0 for row in rows),
        "tokens_median": statistics.median(tokens), "tokens_most": max(tokens),
    }


if __name__ == "__main__":
    main()
