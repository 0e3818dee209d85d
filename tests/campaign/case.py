"""A case: a folder of its own, what ran there, and what is wrong."""

import hashlib
import os
import random
import shlex
import shutil

import canaries

# A fault that was found so often is not kept again; it is counted.
MOST_ALIKE = 3
# Of the files of a fault that is kept, larger ones are left out.
LARGEST_KEPT = 64 << 20


class Case:
    """The folders are `in` (what commands read), `out` (what they write), `said` (what they printed), `tmp`, `cache` and
    `config`. The working folder itself is one of somebody else (canaries.py)."""

    def __init__(self, number, kind, seed, world):
        self.number, self.kind, self.world = number, kind, world
        self.random = random.Random(f"{seed}/{number}")
        self.folder = world.folder / f"case-{seed}-{number}"
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in ("in", "out", "said", "tmp", "cache", "config"):
            (self.folder / name).mkdir(parents=True)
        canaries.plant(self.folder)
        self.runs, self.faults, self.commands = [], [], []

    def environment(self):
        kept = {"PATH": f".::{os.environ.get('PATH', os.defpath)}"}
        folders = {"HOME": "config", "TMPDIR": "tmp", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config"}
        return kept | {name: str(self.folder / place) for name, place in folders.items()} | {"LC_ALL": "C.UTF-8"}

    def remember(self, words, limits):
        """Keeps the command for whoever runs the case again; gives the name of its output."""
        self.commands.append(f"{'( ' + limits if limits else ''}$DLPROF_AGG {shlex.join(words)}{' )' if limits else ''}")
        return f"{len(self.commands):02}"

    def output(self, name):
        """A place in `out` that no other command of the case has: `base.json` becomes `out/3-base.json`."""
        return f"out/{len(self.commands)}-{name}"

    def note(self, text):
        """Says in the script of the commands what happens to files in between."""
        self.commands.append("# " + text.replace("\n", " "))

    def fault(self, text, result=None):
        where = f" ({shlex.join(result.words)[:300]})" if result else ""
        self.faults.append((text, where, result.stderr[:1000] if result else ""))

    def copy(self, path, name=None):
        """Copies a file to `in`; gives its path relative to the case."""
        name = name or path.name
        shutil.copyfile(path, self.folder / "in" / name)
        return f"in/{name}"

    def inputs(self):
        """What must not change: every file in `in`, its bytes and its time; names show what was put beside them."""
        return {path.relative_to(self.folder): fingerprint(path) for path in (self.folder / "in").rglob("*")}

    def close(self, tally):
        """Keeps the case if it is at fault, else removes it."""
        if self.faults and tally.keeps(self):
            place = tally.folder / f"{self.number:06}-{self.kind.replace(' ', '-')}"
            shutil.rmtree(place, ignore_errors=True)
            for path in self.folder.rglob("*"):
                if path.is_file() and not path.is_symlink() and path.stat().st_size > LARGEST_KEPT:
                    path.unlink()
            shutil.copytree(self.folder, place, symlinks=True, ignore=special_files)
            (place / "commands.sh").write_text(self.script())
            (place / "fault.txt").write_text("".join(f"{text}{where}\n{said}\n" for text, where, said in self.faults))
        shutil.rmtree(self.folder, ignore_errors=True)

    def script(self):
        lines = [
            f"# {self.kind}, case {self.number}. Run it in this folder with the program in DLPROF_AGG:",
            "#   DLPROF_AGG=/path/to/dlprof-agg bash commands.sh",
            "export PATH=.::$PATH HOME=$PWD/config",
            "export TMPDIR=$PWD/tmp XDG_CACHE_HOME=$PWD/cache XDG_CONFIG_HOME=$PWD/config LC_ALL=C.UTF-8",
        ]
        return "\n".join(lines + self.commands) + "\n"


def special_files(folder, names):
    """Pipes and the like, which cannot be copied."""
    paths = [os.path.join(folder, name) for name in names]
    return [os.path.basename(path) for path in paths if not (os.path.isfile(path) or os.path.isdir(path) or os.path.islink(path))]


def fingerprint(path):
    if path.is_symlink() or not path.is_file():
        return path.lstat().st_mode
    return path.stat().st_mtime_ns, digest(path)


def digest(path):
    """Read in pieces: what this process has in memory counts as used by the programs that it starts."""
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            found.update(piece)
    return found.hexdigest()
