"""Cases with odd options, conditions and queries on captures that are not damaged."""

from commands import Command
from promises import judged

WORDS = ["gpu_time_ns", "op_type", "calls", "iteration", "kernel_name", "and", "or", "not", "(", ")", ",", "=", "!=", "<", ">=",
         "~", "in", "like", "ilike",
         "between", "is", "null", "1..5", "1ms", "-1", "1e999", "20 %", "4 MiB", "'x'", '"conv2d"', "conv2d", "'(a*)*b'", "''",
         "'", '"', "9223372036854775808",
         "0x", "%", "*", "--", ";", "yes", "é", "\U0001f600", "re:(", "nan"]
SQL = ["select", "*", "from", "ops", "kernels", "k", "where", "group by", "order by", "limit", "1", "count(*)",
       "max(gpu_time_ns)", "(", ")", ",", "join", "on",
       "union all", "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n", "median(calls)",
       "percentile(calls, 2)", "'x'", "=",
       "load_extension('x')", "readfile('/etc/passwd')", "hex(zeroblob(1000000000))", "attach 'in/run.sqlite' as a",
       "pragma table_info(ops)", "1 << 63",
       "-9223372036854775808 / -1", "sum(9223372036854775807)", "group_concat(kernel_name)", "over (order by 1)",
       "printf('%.*c', 1000000000, 'x')", "random()",
       "rowid", "glob", "like '%%%%%%%%a'", "json_each('[')", "create table x(y)", "insert into ops values (1)", "sqlite_schema",
       "cross join kernels"]
WHOLE = ["select * from kernels a, kernels b, kernels c",
         "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n",
         "select hex(zeroblob(900000000))", "select sum(9223372036854775807) from ops", "select abs(-9223372036854775808)",
         "select 1; drop table ops",
         "select " + "(" * 2000 + "1" + ")" * 2000, "select " + "1 + " * 20_000 + "1", "select '" + "x" * 100_000 + "'", "", ";",
         "explain select 1", "values (1)",
         "select * from ops order by gpu_time_ns desc limit -1 offset 9223372036854775807",
         "select replace(hex(zeroblob(10000)), '0', hex(zeroblob(100000)))"]
NUMBERS = ["0", "-1", "1", "3", "257", "65536", "4294967295", "4294967296", "18446744073709551615", "18446744073709551616", "x",
           "", "1e3", "1.5", "٣"]
TIMES = ["0s", "1ms", "-1ms", "9999999min", "1e300s", "nan s", "step", "start:step", "end:step", "start:", "re:step", "1", "",
         "3us", "0.0000001ns"]


def ask(case):
    random = case.random
    capture = case.copy(case.world.any_capture(random), "run.sqlite")
    for _ in range(4):
        judged(case, Command(random.choice([condition, columns, query, options, key_node, cut, view_of_rows])(case, capture)))


def words_of(case, choice, most):
    return " ".join(case.random.choice(choice) for _ in range(case.random.randint(1, most)))


def condition(case, capture):
    where = words_of(case, WORDS + case.world.columns[:200], 8)
    if case.random.random() < 0.1:
        where = case.random.choice(["(" * 5000, "not " * 5000 + "calls = 1", "calls = 1 or " * 5000 + "calls = 1",
                                    "calls in (" + "1," * 50_000 + "1)"])
    return ["show", case.random.choice(case.world.tables), capture, f"--where={where}"]


def columns(case, capture):
    names = ",".join(case.random.choice(case.world.columns + ["", "all", "x", "-calls"]) for _ in range(case.random.randint(1,
                                                                                                                            4)))
    return ["show", case.random.choice(case.world.tables), capture, f"--{case.random.choice(['columns', 'sort'])}={names}"]


# A query without an end may take what its options allow.
LIMITS = ["--time-limit", "20", "--memory", "512M"]


def query(case, capture):
    random = case.random
    if random.random() < 0.3:
        return ["query", *LIMITS, capture, random.choice(WHOLE)]
    return ["query", *LIMITS, capture, f"select {words_of(case, SQL, 9)}"]


def options(case, capture):
    names = ["--iter-start", "--iter-stop", "--batch-size", "--threads", "--top", "--memory", "--max-rows"]
    chosen = case.random.sample(names, case.random.choice([1, 2]))
    return ["show", "ops", capture, *(f"{name}={case.random.choice(NUMBERS)}" for name in chosen)]


def key_node(case, capture):
    node = case.random.choice(["", "step", "re:", "re:(", "re:.*", "re:(a|b|ab)*{50}", "x" * 70_000, "re:" + "(" * 3000,
                               "re:^step$", "17", "\u202e", "CONV2D_1"])
    return ["show", "iterations", capture, f"--key-node={node}"]


def cut(case, capture):
    words = [f"--{side}={case.random.choice(TIMES)}" for side in case.random.sample(["from", "to"], case.random.choice([1, 2]))]
    return ["show", "summary", capture, *words]


def view_of_rows(case, capture):
    """Reports of nsys with odd options."""
    option = case.random.choice(["--filter-time=5/1", "--filter-time=/9999999999999999999", "--filter-nvtx=step/99",
                                 "--filter-nvtx=@/", "--timeunit=hours",
                                 "--like=2019.1", "--format=csv:x", "--report=nvtx_sum:base:x", "--report=cuda_gpu_trace:rows=0",
                                 "--filter-time=x"])
    return ["stats", "-r", "nvtx_sum", option, capture]
