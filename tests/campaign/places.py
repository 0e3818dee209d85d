"""Cases with odd places: outputs that are inputs, links, pipes, devices, folders in the place of files."""

import os
import shutil

from commands import FOR_TOOLS, OF_ALL, Command
from program import run
from promises import judged


def places(case):
    capture = case.copy(case.world.any_capture(case.random), "run.sqlite")
    case.random.choice([output_is_input, special_input, odd_output])(case, capture)


def output_is_input(case, capture):
    """With --force, under any name, every command refuses to write over what it reads."""
    random = case.random
    baseline = case.copy(random.choice(case.world.baselines), "base.json")
    settings = case.folder / "in/settings.toml"
    settings.write_text("threads = 1\n")
    target = random.choice([capture, baseline, "in/settings.toml"])
    output = another_name(case, target)
    form = random.choice(OF_ALL + [form for form in FOR_TOOLS if form != "tfevents"])
    command = random.choice([
        ["export", capture, "-o", output, "--format", form],
        ["export", capture, "-o", output, "--format", "csv", "--tables", "ops"],
        ["export", capture, "-o", "out/other.json", "-o", output, "--format", "json"],
        ["query", capture, "select 1", "-o", output],
        ["baseline", capture, baseline, "-o", output],
        ["gate", capture, "--baseline", baseline, "-o", output],
        ["rules", capture, "-o", output],
    ])
    reads = [capture, baseline, "in/settings.toml"] if command[0] in ("baseline", "gate") else [capture, "in/settings.toml"]
    result = judged_with_outputs(case, Command([*command, "--force", "--config", "in/settings.toml"]), target in reads)
    if target in reads and result.code == 0:
        case.fault(f"exit code 0, although the output {output} is the input {target}", result)


def judged_with_outputs(case, command, must_keep):
    """An output that is a file in `in` and is not read may be written."""
    return judged(case, command) if must_keep else run(case, command.words)


def another_name(case, target):
    """The same file by another path."""
    random = case.random
    name = os.path.basename(target)
    draw = random.randrange(6)
    if draw == 0:
        return target
    if draw == 1:
        return f"in/../in/./{name}"
    if draw == 2:
        return str(case.folder / target)
    link = case.folder / "out" / f"link{os.path.splitext(name)[1]}"
    if draw == 3:
        os.link(case.folder / target, link)
    elif draw == 4:
        link.symlink_to(case.folder / target)
    else:
        (case.folder / "out/folder").symlink_to(case.folder / "in")
        return f"out/folder/{name}"
    return f"out/{link.name}"


def special_input(case, capture):
    """A file of a kind that nobody should read to its end."""
    random = case.random
    special = "in/special"
    path = case.folder / special
    kind = random.choice(["pipe", "zero", "urandom", "null", "folder", "dangling", "loop", "tty", "empty", "huge"])
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "dangling":
        path.symlink_to("nowhere")
    elif kind == "loop":
        path.symlink_to("special")
    elif kind == "empty":
        path.touch()
    elif kind == "huge":
        # Takes no room on the disk.
        with open(path, "wb") as file:
            file.truncate(1 << 37)
    else:
        path.symlink_to(f"/dev/{kind}")
    command = random.choice([
        ["check", special],
        ["compare", special, capture],
        ["gate", capture, "--baseline", special],
        ["gate", capture, "--baseline", capture, "--policy", special],
        ["gate", capture, "--baseline", capture, "--history", special],
        ["check", capture, "--config", special],
        ["history", special],
        ["baseline", special, "-o", "out/base.json"],
        ["export", capture, "-o", "out/r.pdf", "--font", special],
        ["stats", "--sqlite", special, capture],
    ])
    if kind == "huge":
        # The digest of 128 GB is not what this case is about.
        run(case, command)
        path.unlink()
    else:
        judged(case, Command(command))


def odd_output(case, capture):
    """An output that is not a place for a file."""
    random = case.random
    (case.folder / "out/folder.pdf").mkdir()
    (case.folder / "out/dangling.pdf").symlink_to("nowhere/at/all.pdf")
    (case.folder / "out/device.pdf").symlink_to("/dev/full")
    os.mkfifo(case.folder / "out/pipe.pdf")
    (case.folder / "out/there.pdf").write_text("mine")
    output = random.choice(["folder.pdf", "dangling.pdf", "device.pdf", "there.pdf", "no/such/folder/x.pdf", "a" * 300 + ".pdf",
                            "x\ny.pdf"])
    force = ["--force"] if random.random() < 0.5 and output != "there.pdf" else []
    result = judged(case, Command(["export", capture, "-o", f"out/{output}", *force]))
    if output == "there.pdf" and (result.code != 4 or (case.folder / "out/there.pdf").read_text() != "mine"):
        case.fault("a file that exists was not refused without --force", result)
    for link in ("dangling.pdf", "device.pdf"):
        if not (case.folder / "out" / link).is_symlink():
            case.fault(f"the link {link} was replaced", result)
    shutil.rmtree(case.folder / "out")
    (case.folder / "out").mkdir()
