"""What a hostile working folder holds: programs that note that they were started, and a settings file.

Every case runs in such a folder, with a PATH that has it. Settings that are refused would end every run, so the settings here change
nothing; working_folders.py has all others.
"""

# What the program starts by these names, and what hostile settings name.
PROGRAMS = ["nsys", "ncu", "xdg-open", "less", "sh", "evil.sh"]
NOTE = "CANARY"
SETTINGS = "dlprof-agg.toml"
# The default value: the file is read and said, and figures are those without it.
HARMLESS = "[thresholds]\nslow_call_ns = 1_000_000\n"


def plant(folder):
    for name in PROGRAMS:
        path = folder / name
        path.write_text(f"#!/bin/sh\necho {name} >> '{folder / NOTE}'\n")
        path.chmod(0o755)
    (folder / SETTINGS).write_text(HARMLESS)


def started(folder):
    """The programs of the folder that were started."""
    note = folder / NOTE
    return note.read_text().split() if note.exists() else []
