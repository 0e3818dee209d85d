"""Cases with settings in the working folder that start programs, name files, ask queries, use the machine or silence rules."""

from canaries import SETTINGS
from commands import Command
from promises import judged

RULE = "[[rule]]\nid = 'own'\ntitle = 't'\nadvice = 'a'\nwhen = 'value > 0'\n"
HOSTILE = [
    "nsys = './evil.sh'",
    "nsys = 'evil.sh'",
    "'nsys' = '{folder}/evil.sh'",
    "ncu = ['/etc/passwd']",
    "threads = 256\nmemory = '1T'",
    "rules.input_bound.enabled = false",
    "rules = {{ input_bound = {{ severity = 'off' }} }}",
    RULE + "query = 'select count(*) as value from kernels'",
]


def hostile(case):
    """Settings that are refused: exit code 2, and nothing is started. Without them a report finds no `nsys`."""
    random = case.random
    capture = case.copy(random.choice(case.world.captures), "run.sqlite")
    report = "in/run.nsys-rep"
    (case.folder / report).write_bytes(random.randbytes(4096))
    settings = random.choice(HOSTILE).format(folder=case.folder)
    (case.folder / SETTINGS).write_text(settings)
    case.note(f"{SETTINGS}: {settings}")
    for words in random.sample(commands(capture, report), 4):
        result = judged(case, Command(words))
        if result.code != 2 or SETTINGS not in result.stderr:
            case.fault(f"exit code {result.code} with settings that may not stand in a working folder", result)
    for words in random.sample(commands(report, report), 3):
        judged(case, Command([*words, "--no-config"]))


def commands(capture, report):
    return [
        [capture],
        ["check", report],
        ["rules", capture],
        ["show", "findings", capture],
        ["compare", report, capture],
        ["ranks", "in"],
        ["lake", "add", "out/lake", report],
        ["stats", report],
        ["view", "-p", "0", report],
        ["baseline", report, "-o", "out/base.json"],
        ["export", report, "-o", "out/all.json"],
        ["profile", "--", "/bin/true"],
    ]
