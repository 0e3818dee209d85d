"""Cases with damaged or hostile settings, policies and baselines."""

import re

import damage
from commands import Command
from promises import judged

SETTINGS = """
iter-start = 3
iter-range = "steady"
batch-size = 32
key-node = "re:^step"
mode = "pytorch"
time-unit = "ms"
threads = 2
memory = "512M"
[thresholds]
issue_gap_ns = 500_000
short_kernel_ns = 5_000
[kernels]
communication = ["my_allreduce", "re:^nccl.*"]
[gpus."A100"]
sms = 108
gb_per_s = 1555.0
fp16 = 312
[rules.input_bound]
enabled = true
severity = "error"
[[rule]]
id = "long_ops"
title = "{op_name} takes {value}"
table = "ops"
value = "max(gpu_time_ns)"
where = "calls > 1 and op_type in (conv2d, matmul)"
when = "value > 0"
advice = "look"
saving = "value * 0.5"
[[rule]]
id = "asked"
title = "many kernels: {n}"
query = "select count(*) as n from kernels"
when = "n > 10"
advice = "fuse"
"""
POLICY = """
confidence = 0.99
minimum-iterations = 10
inconclusive = "exit"
[metrics.iteration-time]
budget-percent = 1.5
[metrics.kernel-time]
budget-percent = 1.5
minimum-effect-of-iteration-percent = 0.5
[metrics]
gpu-idle = false
[[op-types]]
match = "conv2d"
budget-percent = 5
[[kernels]]
match = "re:nccl.*"
budget-absolute = 10
"""
POLICY = POLICY.replace("[metrics]\ngpu-idle = false\n", "")
# What stands in the place of a value.
VALUES = ["-1", "0", "1e999", "nan", "inf", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "257", "true",
          '""',
          '"re:("', '"re:(a*)*b{1000}{1000}"', '"1T"', '"-1G"', '"99999999999G"', "[]", "[[]]", "{}", '"\\u0000"',
          '"max(max(x))"', '"1/0"',
          '"select * from kernels a, kernels b, kernels c, kernels d, kernels e"', '"' + "(" * 5000 + '"',
          '"' + "x" * 70_000 + '"', "1979-05-27",
          '"{nothing}"', '"{"', "null", "-0.0", "1e-400", "[1, \"a\"]"]


def flips(case):
    random = case.random
    capture = case.copy(random.choice(case.world.captures), "run.sqlite")
    kind = random.choice(["settings", "policy", "baseline", "history"])
    if kind == "settings":
        text(case, "in/settings.toml", SETTINGS)
        words = random.choice([[], ["check"], ["rules"], ["show", "findings"], ["--format", "json"]])
        judged(case, Command([*words, "--config", "in/settings.toml", capture]))
        judged(case, Command(["rules", "--config", "in/settings.toml"]))
    elif kind == "policy":
        text(case, "in/policy.toml", POLICY)
        judged(case, Command(["gate", capture, "--baseline", capture, "--policy", "in/policy.toml"]))
    else:
        base = random.choice(case.world.baselines).read_text()
        text(case, "in/base.json", base)
        judged(case, Command(["compare", "in/base.json", capture, "--format", random.choice(["text", "json", "markdown"])]))
        judged(case, Command(["gate", capture, "--baseline", "in/base.json"]))
        judged(case, Command(["history", "in/base.json", "in/base.json", capture]))
        judged(case, Command(["baseline", "in/base.json", capture, "-o", "out/new.json"], ["out/new.json"]))


def text(case, name, whole):
    """Writes a text that is damaged by values, lines or bytes."""
    random = case.random
    path = case.folder / name
    draw = random.random()
    if draw < 0.6:
        for _ in range(random.choice([1, 1, 2, 4])):
            whole = other_value(whole, random)
        case.note("other values")
    elif draw < 0.75:
        whole = other_lines(whole, random)
        case.note("other lines")
    elif draw < 0.8:
        whole = random.choice(["", "\ufeff" + whole, whole * 50, "[" * 100_000, '{"a":' * 50_000, "\x00", "a = " + "[" * 20_000,
                               whole.replace("\n", "\r")])
        case.note("another text")
    path.write_text(whole)
    if draw >= 0.8:
        case.note(damage.bytes_of(path, random))


def other_value(whole, random):
    """Replaces a number or a quoted text."""
    places = list(re.finditer(r'-?\b[0-9][0-9_.e+-]*|"[^"\n]*"|true|false|null', whole))
    if not places:
        return whole
    place = random.choice(places)
    return whole[: place.start()] + random.choice(VALUES) + whole[place.end() :]


def other_lines(whole, random):
    """Removes, repeats or exchanges lines."""
    lines = whole.splitlines()
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    draw = random.randrange(3)
    if draw == 0:
        del lines[at]
    elif draw == 1:
        lines[at:at] = [lines[other]] * random.choice([1, 1000])
    else:
        lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines)
