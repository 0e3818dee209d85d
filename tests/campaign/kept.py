"""Cases with damaged kept files: what is shown is what is shown without them."""

import damage
from commands import Command
from promises import judged
from program import run

# Captures below this size are not kept.
SMALLEST_KEPT = 4 << 20


def flips(case):
    """Fills a cache, damages some of its files, and looks at the same capture again."""
    random = case.random
    capture = case.copy(random.choice([path for path in case.world.large if path.stat().st_size >= SMALLEST_KEPT]))
    words = ["show", random.choice(["ops", "kernel_names", "summary", "iterations"]), "--format", "csv", capture]
    expected = run(case, words)
    files = sorted(path for path in (case.folder / "cache").rglob("*") if path.is_file())
    if expected.code != 0 or not files:
        case.fault("nothing was kept", expected)
        return
    for path in random.sample(files, min(len(files), random.choice([1, 1, 2, 5]))):
        case.note(f"{path.relative_to(case.folder)}: {spoil(path, random)}")
    for _ in range(2):
        found = judged(case, Command(words))
        if (found.code, found.text) != (0, expected.text):
            case.fault("another output with a damaged cache", found)


def spoil(path, random):
    draw = random.random()
    if draw < 0.8 and path.stat().st_size:
        return damage.bytes_of(path, random)
    path.unlink()
    if draw < 0.9:
        return "removed"
    if draw < 0.95:
        path.mkdir()
        return "a folder in its place"
    path.symlink_to("/dev/zero")
    return "a link to a device in its place"
