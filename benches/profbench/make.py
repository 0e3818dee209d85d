#!/usr/bin/env python3
"""Makes captures with the generator of this repository, and cases whose answers SQLite finds in the raw files.

    make.py FOLDER [--generate PROGRAM]        then: score.py --cases FOLDER/cases --root FOLDER --adapter ...

The same captures and cases come out each time. What a case asks of is in the tables of nsys alone: nothing of the product is used.
"""
import argparse
import hashlib
import json
import pathlib
import re
import sqlite3
import subprocess

# Work of all GPUs, and its union by GPU: `o` has for each piece of work the latest end before it.
UNION = """with w as ({work}), o as (select g,s,e,max(e) over (partition by g order by s,e rows between unbounded preceding and
1 preceding) m from w), u as (select g,min(s) first,max(e) last,sum(max(0,e-max(s,ifnull(m,s)))) busy from o group by g) {select}"""
KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
WORK = [KERNELS, "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"]
RUNTIME = "CUPTI_ACTIVITY_KIND_RUNTIME"
FUNCTION = "case when s.value glob '*_v[0-9]*' then substr(s.value,1,instr(s.value,'_v')-1) else s.value end"


def number(name, value, unit="", within=0.0):
    return {"name": name, "type": "number", "value": value, **({"unit": unit} if unit else {}), "tolerance": {"abs": within, "rel": 0}}


def name(key, value):
    return {"name": key, "type": "name", "value": value}


class Capture:
    def __init__(self, path):
        self.path = path
        self.database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        self.tables = {row[0] for row in self.database.execute("select name from sqlite_master")}
        self.has_kernels = KERNELS in self.tables and self.one(f"select count(*) from {KERNELS}")[0] > 0

    def one(self, sql):
        return self.database.execute(sql).fetchone()

    def rows(self, sql):
        return self.database.execute(sql).fetchall()

    def work(self):
        kinds = [table for table in WORK if table in self.tables]
        return " union all ".join(f"select deviceId g,start s,end e from {table}" for table in kinds)


def questions(capture):
    """Kind, text, parameters, query, and what its row means."""
    if capture.has_kernels:
        yield ("kernels_total", "How many kernels ran in the whole capture, and how long in all (plain sum)?", {},
               f"select count(*),sum(end-start) from {KERNELS}",
               lambda row: [number("kernels", row[0]), number("kernel_ns", row[1], "ns", 2)])
        yield ("kernel_top", "Which kernel, by short name, takes most GPU time, what share, in how many launches?", {},
               f"select s.value,100.0*sum(end-start)/(select sum(end-start) from {KERNELS}),count(*) from {KERNELS} k join "
               "StringIds s on s.id=k.shortName group by 1 order by 2 desc,1 limit 1",
               lambda row: [name("kernel", row[0]), number("share_percent", row[1], "%", 0.1), number("launches", row[2])])
        yield ("gpu_busy", "From first to last GPU work: what share of that time has any running (union per GPU, mean over GPUs)?", {},
               UNION.format(work=capture.work(), select="select 100.0*avg(1.0*busy/(select max(last)-min(first) from u)),"
                            "max(last)-min(first) from u"),
               lambda row: [number("busy_percent", row[0], "%", 0.5), number("span_ns", row[1], "ns", 1000)])
        yield ("gpus_used", "How many GPUs ran kernels, of how many in the machine?", {},
               f"select count(distinct deviceId),(select count(*) from TARGET_INFO_GPU) from {KERNELS}",
               lambda row: [number("used", row[0]), number("present", row[1])])
        of_exchange = (f"select k.deviceId g,k.start s,k.end e from {KERNELS} k join StringIds d on d.id=k.demangledName where "
                       "d.value like '%nccl%'")
        if capture.one(f"select count(*) from ({of_exchange})")[0]:
            yield ("comm_overlap", "How long do kernels that exchange data run (union per GPU)?", {},
                   UNION.format(work=of_exchange, select="select sum(busy) from u"),
                   lambda row: [number("comm_ns", row[0], "ns", 1000)])
    if RUNTIME in capture.tables:
        yield ("api_top", "In which CUDA API function does the host spend most time, in how many calls, and how long?", {},
               f"select {FUNCTION} f,count(*),sum(end-start) t from {RUNTIME} r join StringIds s on s.id=r.nameId group by 1 "
               "order by t desc,f limit 1",
               lambda row: [name("function", row[0]), number("calls", row[1]), number("ns", row[2], "ns", 2)])
        yield ("sync", "How often does the program call functions that wait for the GPU, and how long in all?", {},
               f"select count(*),ifnull(sum(end-start),0) from {RUNTIME} r join StringIds s on s.id=r.nameId where s.value like "
               "'%Synchronize%'", lambda row: [number("calls", row[0]), number("ns", row[1], "ns", 2)])
    if WORK[1] in capture.tables and capture.one(f"select count(*) from {WORK[1]} where copyKind=1")[0]:
        yield ("copies", "How many HtoD copies, of how many bytes, and how long in all?", {"kind": "HtoD"},
               f"select count(*),sum(bytes),sum(end-start) from {WORK[1]} where copyKind=1",
               lambda row: [number("copies", row[0]), number("bytes", row[1], "bytes"), number("ns", row[2], "ns", 2)])


def range_questions(capture):
    if "NVTX_EVENTS" not in capture.tables:
        return
    text = "ifnull(n.text,(select value from StringIds where id=n.textId))"
    row = capture.one(f"select {text} t,count(*) c from NVTX_EVENTS n where n.eventType=59 and n.end is not null group by 1 "
                      "having t is not null and t not like '%{%' and t not like '%seq = %' order by c desc,t limit 1")
    if row:
        quoted = row[0].replace("'", "''")
        lengths = f"select n.end-n.start d from NVTX_EVENTS n where n.eventType=59 and n.end is not null and {text}='{quoted}'"
        yield ("steady", f"How often does the range `{row[0]}` run, and how long: median and largest?", {"range": row[0]},
               f"with r as ({lengths}), o as (select d,row_number() over (order by d) i,count(*) over () c from r) select "
               "(select count(*) from r),(select avg(d) from o where i in ((c+1)/2,(c+2)/2)),(select max(d) from r)",
               lambda row: [number("runs", row[0]), number("median_ns", row[1], "ns", 1), number("max_ns", row[2], "ns", 1)])


REFUSALS = [
    ("dram_bandwidth", "What share of the DRAM bandwidth did the GPU use?", "GPU_METRICS", ["no_gpu_metrics"], ["--gpu-metrics-device"]),
    ("which_op", "Which layer or operator takes most GPU time?", "NVTX_EVENTS", ["no_nvtx"], ["--trace=nvtx", "NVTX ranges"]),
]


class Folder:
    def __init__(self, folder, program):
        self.folder, self.program = pathlib.Path(folder), program
        (self.folder / "cases").mkdir(parents=True, exist_ok=True)
        self.count = 0

    def generate(self, file, *options):
        path = self.folder / file
        subprocess.run([self.program, str(path), *options], check=True, capture_output=True)
        return Capture(path)

    def add(self, kind, captures, case):
        names = [capture.path.name for capture in captures]
        case_id = f"{kind}/{'+'.join(name.removesuffix('.sqlite') for name in names)}"
        digest = lambda path: hashlib.sha256(path.read_bytes()).hexdigest()
        files = [{"file": one.path.name, "sha256": digest(one.path), "format": "nsys-sqlite"} for one in captures]
        case = {"profbench": 1, "id": case_id, "set": "generated", "captures": files, **case}
        (self.folder / "cases" / (case_id.replace("/", ".") + ".json")).write_text(json.dumps(case, indent=1) + "\n")
        self.count += 1

    def answer(self, capture, kind, text, params, sql, facts):
        question = {"id": kind, "text": text, "scope": "capture", "params": params}
        expect = {"kind": "answer", "facts": facts(capture.one(sql))}
        self.add(kind, [capture], {"question": question, "expect": expect, "proof": {"engine": "sqlite", "sql": sql}})

    def refusals(self, capture):
        for kind, text, table, because, ways in REFUSALS:
            if table not in capture.tables:
                sql = f"select count(*) from sqlite_master where name='{table}'"
                expect = {"kind": "refuse", "because": because, "record_with": ways, "proof_row": [0]}
                question = {"id": kind, "text": text, "scope": "capture", "params": {}}
                self.add(kind, [capture], {"question": question, "expect": expect, "proof": {"engine": "sqlite", "sql": sql}})

    def all_of(self, capture):
        for question in [*questions(capture), *range_questions(capture)]:
            self.answer(capture, *question)
        self.refusals(capture)

    def pair(self, rule):
        """A program with a fault and the same without it: is the fault found, and what changed? It need not be the worst."""
        file = rule.replace("/", "-")
        pair = [self.generate(f"{file}-{state}.sqlite", "--pair", f"{rule}={state}") for state in ("faulty", "repaired")]
        fault = rule.partition("/")[0]
        scope = "all_steps" if fault in OF_ALL_STEPS else "steps"
        question = {"id": "has_fault", "text": f"Does the program have the fault `{fault}`?", "scope": scope, "params": {"fault": fault}}
        self.add("has_fault", pair[:1], {"question": question, "expect": {"kind": "answer", "facts": [name("found", "yes")]}})
        if all(one.has_kernels for one in pair):
            figure = lambda what: f"(select {what} from c2.{KERNELS})-(select {what} from c1.{KERNELS})"
            sql = f"select {figure('sum(end-start)')},{figure('count(*)')}"
            values = [one.one(f"select sum(end-start),count(*) from {KERNELS}") for one in pair]
            facts = [number("kernel_delta_ns", values[1][0] - values[0][0], "ns", 10),
                     number("kernels_delta", values[1][1] - values[0][1])]
            question = {"id": "compare", "text": "By how much did kernel time and the number of kernels change?", "scope": "capture", "params": {}}
            proof = {"engine": "sqlite", "sql": sql, "captures_as": ["c1", "c2"]}
            self.add("compare", pair, {"question": question, "expect": {"kind": "answer", "facts": facts}, "proof": proof})


# Faults of steps that are no usual ones.
OF_ALL_STEPS = ["unsteady_iterations", "warm_up_in_range"]
PLANTS = """turnaround launch slow-launch sync copy allocation setup api data-loading input-wait io os-call host-range host-issue dependency
stall unknown overlap copies loose host memory metrics kernels unused-gpu""".split()
STYLES = ["markers", "emit-nvtx", "ranges"]


def rules(program):
    """Rules that have a pair, as the generator lists them."""
    said = subprocess.run([program, "/dev/null", "--pair", "no-such-rule"], capture_output=True, text=True).stderr
    return re.findall(r"[a-z0-9_]+(?:/[a-z0-9_]+)?", said.partition("only for ")[2].partition("\n")[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--generate", default="generate", metavar="PROGRAM")
    asked = parser.parse_args()
    folder = Folder(asked.folder, asked.generate)
    for plant in PLANTS:
        folder.all_of(folder.generate(f"plant-{plant}.sqlite", "--plant", plant, "--iterations", "6"))
    for style in STYLES:
        folder.all_of(folder.generate(f"train-{style}.sqlite", "--style", style, "--kernels", "800"))
    for rule in rules(asked.generate):
        folder.pair(rule)
    print(f"{folder.count} cases")


if __name__ == "__main__":
    main()
