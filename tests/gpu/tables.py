# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""The tables that acceptance.sh writes, a part behind the other: whose they are, and whether all is done."""
import dataclasses
import pathlib
import re

PARTS = ("tests", "speed", "pytorch")
PASSED = (0, 3)  # codes of acceptance.sh: a missed bar is no failure
BEGIN = re.compile(r"# part (\w+), ")
WITHIN_ALL = re.compile(r"# part (\w+) begins$")
END = re.compile(r"# part \w+ ended with code (\d+)")
ROW = re.compile(r"(passed|skipped|FAILED|not run|info) +\d+ s  (.*)")
# By file: how the row of the step begins that writes it.
WRITTEN_BY = {"pytorch.json": "PyTorch beside it", "bandwidth.json": "bandwidth of memory-bound kernels",
              "resunetpp.json": "trials of resunetpp"}


def is_one_of(name, gpus):
    """Of names as the driver gives them, or as a slice of one is called."""
    return any(name == gpu or name.startswith(gpu + " MIG") for gpu in gpus)


@dataclasses.dataclass
class Part:
    """Of one call of acceptance.sh."""
    name: str  # "all" until the first of its parts begins
    folder: pathlib.Path
    build: str = ""  # as `dlbench --version` says it
    gpus: list = dataclasses.field(default_factory=list)  # a line each, by its name first
    rows: list = dataclasses.field(default_factory=list)  # (state, text)
    code: int = None  # None: it was killed, or is under way

    def gpu_names(self):
        return sorted({line.split(",")[0].strip() for line in self.gpus})


def parts_of(folder):
    """Of the table in a folder, oldest first."""
    table = folder / "table.txt"
    parts, of_all = [], False
    for line in table.read_text(errors="replace").splitlines() if table.is_file() else ():
        if found := BEGIN.match(line):
            parts.append(Part(found[1], folder))
            of_all = found[1] == "all"
        elif not parts:
            continue
        elif found := WITHIN_ALL.match(line):
            call = parts[-1]
            if call.name == "all":
                parts.pop()
            else:
                call.code = 0  # at its end; what failed in it has a row
            parts.append(Part(found[1], folder, call.build, call.gpus))
        elif found := END.match(line):
            parts[-1].code = 0 if of_all and parts[-1].name != "all" else int(found[1])
        elif found := ROW.match(line):
            parts[-1].rows.append((found[1], found[2]))
        elif line.startswith("FAILED: "):
            parts[-1].rows.append(("FAILED", line[8:]))
        elif line.startswith(("bar ", "#")):
            continue
        elif not parts[-1].build:
            parts[-1].build = line
        elif not parts[-1].rows:
            parts[-1].gpus.append(line)
    return parts


def why_without(name, parts):
    """Why a file was not written, by the last row of its step."""
    for part in reversed(parts):
        for state, text in reversed(part.rows):
            if text.startswith(WRITTEN_BY[name]) and state != "passed":
                return f"{state}: {text}"
    return "its part did not run, or failed"


def doubt_of(part, last):
    """Why a part is no success of the dlbench and GPU of the last one; empty: it is."""
    if part.build != last.build:
        return f"is of dlbench {part.build}, the last part of {last.build}"
    if part.gpu_names() != last.gpu_names():
        return f"is of {', '.join(part.gpu_names())}, the last part of {', '.join(last.gpu_names())}"
    if part.code is None:
        return "did not reach its end"
    if part.code not in PASSED:
        return f"ended with code {part.code}"
    wrong = [text for state, text in part.rows if state in ("FAILED", "not run")]
    return f"has what failed or was not run: {wrong[0]}" if wrong else ""


def doubts(folders, parts):
    """Why these folders are no whole acceptance; of each part its last call counts, for it may be called again."""
    found = []
    for folder in folders:
        if not folder.is_dir():
            found.append(f"{folder}: there is no such folder")
        elif not any(part.folder == folder for part in parts):
            found.append(f"{folder} has no table of a part")
    for name in PARTS:
        calls = [part for part in parts if part.name in (name, "all")]
        if not calls:
            found.append(f"part {name} was not run")
        elif why := doubt_of(calls[-1], parts[-1]):
            found.append(f"part {name} in {calls[-1].folder} {why}")
    return found
