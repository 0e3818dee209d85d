"""What cases begin with: captures of the generator, and what the program makes of them while nothing is damaged."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

GENERATOR = os.environ["DLPROF_GENERATE"]
PROGRAM = os.environ["DLPROF_AGG"]

# Name and arguments of the generator. Small, because a campaign is many runs.
HEALTHY = {
    "markers": "--style markers --kernels 600",
    "markers-2022": "--style markers --schema 2022 --texts interned --kernels 400 --processes 2 --gpus 2",
    "emit": "--style emit-nvtx --kernels 600 --streams 4",
    "ranges": "--style ranges --kernels 500 --interleave --numbered-steps",
    "none": "--style none --kernels 300",
    "planted": "--plant all --iterations 6",
    "planted-4-gpus": "--plant overlap --plant host --plant memory --plant metrics --gpus 4 --iterations 5",
    "ahead": "--plant ahead --iterations 8",
    "many-gpus-few-steps": "--style ranges --gpus 24 --processes 24 --kernels 600 --iterations 3",
    "deep": "--hurt nested-ranges=400",
    "open": "--hurt open-ranges=300",
    "outliers": "--window outliers",
}
# Larger ones, whose reading and writing takes long enough to be interrupted, and which are kept in the cache.
LARGE = {"large": "--style markers --kernels 30000 --processes 2 --gpus 2", "large-ranges": "--style ranges --kernels 30000"}
# Real captures above this size are left out.
LARGEST_REAL = 3 << 20


class World:
    """The folder of a campaign."""

    def __init__(self, folder, seed):
        self.folder = folder / f"work-{seed}"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.bases = self.folder / "bases"
        self.bases.mkdir(parents=True)
        number = str(sum(seed.encode()))
        self.captures = [self.generate(name, f"{words} --seed {number}") for name, words in HEALTHY.items()]
        self.large = [self.generate(name, f"{words} --seed {number}") for name, words in LARGE.items()]
        self.damaged = [self.generate(name, f"--style markers --kernels 300 --damage {name}") for name in damages()]
        self.real = self.copies_of_real_captures()
        self.databases = [self.made(path, "dldb") for path in self.captures[:4] + self.captures[5:7]]
        self.baselines = [self.made(path, "json") for path in self.captures[:3]]
        self.tables = self.names_of_tables()
        self.columns = self.names_of_columns()
        self.sayings = {}

    def generate(self, name, words):
        path = self.bases / f"{name}.sqlite"
        call([GENERATOR, path, *words.split()])
        path.with_suffix(".truth.json").unlink(missing_ok=True)
        return path

    def made(self, capture, ending):
        path = capture.with_suffix(f".{ending}")
        if ending == "json":
            call([PROGRAM, "baseline", capture, "-o", path, "--no-cache"])
        else:
            call([PROGRAM, "export", capture, "-o", path, "--format", "sqlite", "--no-cache"])
        return path

    def copies_of_real_captures(self):
        """Real captures are only read, and copied before anything is tried on them."""
        found = []
        folder = os.environ.get("CAMPAIGN_CORPUS")
        for path in sorted(Path(folder).glob("*.sqlite")) if folder else []:
            if path.stat().st_size <= LARGEST_REAL:
                found.append(Path(shutil.copyfile(path, self.bases / f"real-{path.name}")))
        return found

    def names_of_tables(self):
        document = self.bases / "all.json"
        call([PROGRAM, "export", self.captures[0], "-o", document, "--no-cache"])
        return list(json.loads(document.read_text())["tables"])

    def names_of_columns(self):
        schema = json.loads(call([PROGRAM, "export", "--schema"]))
        return sorted(keys_of_properties(schema))

    def any_capture(self, random):
        """A healthy capture, in every fourth case a real one."""
        return random.choice(self.real if self.real and random.random() < 0.25 else self.captures)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def damages():
    """The names that the generator knows, from what it says of one that it does not know."""
    said = subprocess.run([GENERATOR, "/dev/null", "--damage", "?"], capture_output=True, text=True).stderr
    return [line.split()[0] for line in said.splitlines() if line.startswith("  ") and not line.startswith("   ")]


def keys_of_properties(schema):
    """The names of all columns in a JSON Schema."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties" and isinstance(value, dict):
                yield from value
            yield from keys_of_properties(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from keys_of_properties(value)


def call(words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          env=os.environ | {"XDG_CONFIG_HOME": "/nonexistent"})
    if done.returncode:
        sys.exit(f"cannot begin: {' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}")
    return done.stdout
