"""Commands that cases draw: words of a command line, and which files it should write."""

from dataclasses import dataclass, field

# Formats of one table, of all tables, and for other tools (docs/formats.md).
OF_ONE_TABLE = ["csv", "tsv", "json", "ndjson", "md", "parquet", "arrow"]
IN_FOLDERS = ["csv", "tsv", "ndjson", "md", "parquet", "arrow"]
OF_ALL = ["json", "xlsx", "pdf", "html"]
FOR_TOOLS = ["folded", "speedscope.json", "tfevents", "prom", "sqlite", "trace.json", "trace.json.gz", "firefox.json",
             "step-summary"]
STATS = ["cuda_gpu_kern_sum", "cuda_api_sum", "nvtx_sum", "cuda_gpu_trace", "nvtx_kern_sum", "cuda_kern_exec_sum", "osrt_sum"]
# Commands that print and take one capture.
SIMPLE = [
    [],
    ["check"],
    ["--details"],
    ["--format", "json"],
    ["--format", "markdown"],
    ["rules"],
    ["rules", "--format", "sarif"],
    ["show", "ops", "--sort=-gpu_time_ns", "--top", "5"],
    ["stats"],
    ["--iter-range", "steady"],
    ["--iter-range", "all", "--clock", "gpu"],
    ["--mode", "simple"],
    ["--mode", "tensorflow"],
    ["--mode", "jax"],
    ["--mode", "pytorch"],
    ["--key-node="],
]


@dataclass
class Command:
    words: list
    outputs: list = field(default_factory=list)


def any_command(case, capture):
    """Any command on one capture."""
    random = case.random
    draw = random.random()
    if draw < 0.3:
        return Command([*random.choice(SIMPLE), capture])
    if draw < 0.5:
        form = random.choice(["csv", "tsv", "json", "ndjson", "md"])
        return Command(["show", random.choice(case.world.tables), capture, "--format", form])
    if draw < 0.75:
        return export(case, capture)
    if draw < 0.8:
        return Command(["reports", capture, "--output-path", case.output("reports"), "--formats", "csv,json"])
    if draw < 0.85:
        return Command(["stats", "-r", random.choice(STATS), "-f", random.choice(["csv", "json", "table"]), capture])
    if draw < 0.9:
        return Command(["query", capture, f"select * from {random.choice(case.world.tables)} limit 50"])
    if draw < 0.95:
        output = case.output("base.json")
        return Command(["baseline", capture, "-o", output], [output])
    other = case.copy(random.choice(case.world.baselines), "other.json")
    return Command(["compare", other, capture] if random.random() < 0.5 else ["gate", capture, "--baseline", other])


def export(case, capture, number=1):
    """An export to one or several files, or to a folder."""
    random = case.random
    words, outputs = ["export", capture], []
    if random.random() < 0.2:
        form = random.choice(IN_FOLDERS)
        output = case.output("tables")
        return Command([*words, "-o", f"{output}/", "--format", form], [output])
    for at in range(number):
        outputs.append(case.output(f"all{at}.{random.choice(OF_ALL + FOR_TOOLS)}"))
    if random.random() < 0.3:
        outputs = [case.output(f"one.{random.choice(OF_ONE_TABLE)}")]
        words += ["--tables", random.choice(case.world.tables)]
    for output in outputs:
        words += ["-o", output]
    return Command(words, outputs)
