"""Cases with too little of something: file sizes, addresses, open files, room on the disk."""

from commands import any_command, export
from program import run
from promises import judged


def limits(case):
    random = case.random
    capture = case.copy(random.choice(case.world.large + case.world.captures))
    draw = random.random()
    if draw < 0.4:
        # In units of 1 KB.
        command = export(case, capture, number=random.choice([1, 2]))
        judged(case, command, limits=f"ulimit -f {random.choice([1, 4, 16, 64, 200, 1000])}; ")
    elif draw < 0.6:
        judged(case, any_command(case, capture), limits=f"ulimit -n {random.choice([4, 5, 6, 8, 10, 12, 16, 24])}; ")
    elif draw < 0.85:
        judged(case, any_command(case, capture), limits=f"ulimit -v {random.choice([128, 160, 200, 256, 384, 512]) << 10}; ")
    elif draw < 0.95:
        result = run(case, any_command(case, capture).words, limits="exec >/dev/full; ")
        if result.code == 0 and "out" not in " ".join(result.words):
            case.fault("exit code 0, although nothing could be printed", result)
    else:
        run(case, any_command(case, capture).words, limits="exec >&-; ")
