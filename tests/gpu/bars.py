#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""What acceptance.sh found, against what is wanted of an H200.

  tests/gpu/bars.py FOLDER [FOLDER...]   a row for each of the seven bars. Of several folders (one per
                                         call of a part) their tables come before it, as one, and a bar
                                         is judged by the last folder that has what it needs. Last a line,
                                         "FAILED: TEXT", for each reason why that is no whole acceptance.
  tests/gpu/bars.py --of-call FOLDER     the rows alone, as acceptance.sh ends a call with
  tests/gpu/bars.py --rates REPORT       a line per trial and taint of a report, "info TEXT" for the table of
                                         acceptance.sh

A bar is met, MISSED, or was not run, with the reason. It is of the dlbench and the GPU of the last part in
the tables: what another measured is not judged. What another GPU than an H200 did is no such judgement, nor
is a ratio to the slower of two contestants: such a row is "info", with the ratio and the GPU's name or what is
missing. Exit code: 0 none was missed, 3 one was; 1 whatever the bars, where a folder has no table or is not
there, and where of tests, speed or pytorch the last call is missing, failed or was by another dlbench or on
another GPU than the last of all.
"""
import argparse
import json
import math
import pathlib
import re
import sys

from tables import doubts, is_one_of, parts_of, why_without

MISSED = 3
FAILED = 1
SAMPLES = 1000  # a data set of fewer says little of a loader
CORES = 16  # of the host that loads
WITHIN = 0.03  # of one, full is to be of synthetic/host


class NotRun(Exception):
    """Why a bar cannot be judged."""


def gpus_of_report(report):
    """The name of the GPU that computed in a report of dlbench, in a set. An older report names none that way: it
    has one where all GPUs of its hosts have the same name, or one has its UUID; else the set is empty."""
    workload = report.get("workload") or {}
    if workload.get("device"):
        return {workload["device"]}
    hosts = (report.get("system") or {}).get("hosts") or ()
    gpus = [gpu for host in hosts for gpu in host.get("gpus") or () if gpu.get("name")]
    uuid = workload.get("device_uuid")
    names = {gpu["name"] for gpu in gpus if uuid and gpu.get("uuid") == uuid} or {gpu["name"] for gpu in gpus}
    return names if len(names) == 1 else set()


def gpus_in(content):
    """Names of the GPUs that computed, by a report of dlbench, or by what gpu_bandwidth or compare_pytorch.py
    wrote."""
    if "system" in content:
        return sorted(gpus_of_report(content))
    names = [row.get("device") for row in content.get("rows") or ()] + [content.get("device")]
    return sorted({name for name in names if name})


def build_of(content):
    """Of which dlbench it is, as `dlbench --version` says it; empty: not told."""
    if tool := content.get("tool"):
        return f"{tool['version']} ({tool['git_commit']})"
    return content.get("dlbench") or ""


def is_h200(name):
    """Not a GH200, and no slice of one."""
    return re.search(r"\bH200\b", name) is not None and "MIG" not in name


def gpus_without_bars(content):
    """Which GPUs computed, where not all of them are an H200; else empty."""
    names = gpus_in(content)
    return "" if all(is_h200(name) for name in names) else ", ".join(names)


class Folders:
    """Results of one call of acceptance.sh, or of several."""

    def __init__(self, folders):
        self.folders = [pathlib.Path(folder) for folder in folders]
        self.parts = [part for folder in self.folders for part in parts_of(folder)]

    def check_origin(self, name, content):
        """Figures of another dlbench or GPU than those of the last part are no result of it."""
        build, gpus = build_of(content), gpus_in(content)
        if not build:
            raise NotRun(f"{name} does not say of which dlbench it is")
        if not gpus:
            raise NotRun(f"{name} does not name the GPU that computed")
        if not self.parts:
            return
        if build != self.parts[-1].build:
            raise NotRun(f"{name} is of dlbench {build}")
        if others := [gpu for gpu in gpus if not is_one_of(gpu, self.parts[-1].gpu_names())]:
            raise NotRun(f"{name} is of another GPU: {', '.join(others)}")

    def last_judged(self, name, judge):
        """What `judge` makes of a file's content, in the last folder where it can be judged. Where it can be
        in none: what the last that has a ratio tells, or why not in the last that has the file."""
        why = unjudged = None
        for folder in reversed(self.folders):
            if not (folder / name).is_file():
                continue
            try:
                content = json.loads((folder / name).read_text())
                self.check_origin(name, content)
                value, met, text = judge(content)
                if gpus := gpus_without_bars(content):
                    met, text = None, f"on {gpus}, the bars are of an H200; {text}"
                if met is not None:
                    return value, met, text
                unjudged = unjudged or (value, met, text)
            except NotRun as reason:
                why = why or str(reason)
            except (AttributeError, KeyError, IndexError, TypeError, ValueError, ZeroDivisionError) as error:
                why = why or f"{folder / name} cannot be read: {error!r}"
        if unjudged:
            return unjudged
        raise NotRun(why or f"no {name}: {why_without(name, self.parts)}")

    def tables(self):
        """Lines of all tables but their bars."""
        for folder in self.folders:
            table = folder / "table.txt"
            if table.is_file():
                yield from (line for line in table.read_text().splitlines()
                            if not line.startswith("bar "))


def is_met(ratio, wanted, missing):
    """Whether a ratio to the fastest contestant is what is wanted; None where one that is missing could be faster."""
    if ratio is None or (missing and ratio >= wanted):
        return None
    return ratio >= wanted


def pytorch_bar(content, name):
    for bar in content.get("bars", ()):
        if bar["bar"] == name:
            without = f" (without {'; '.join(bar['missing'])})" if bar["missing"] else ""
            if bar["ratio"] is None:
                raise NotRun("; ".join(bar["missing"]))
            return (bar["ratio"], is_met(bar["ratio"], bar["wanted"], bar["missing"]),
                    f"the faster: {bar['peer']}{without}")
    raise NotRun("pytorch.json has no such bar")


def bandwidth_bar(content):
    rows = content["rows"]
    if not rows:
        raise NotRun("no kernel was measured")
    worst = min(rows, key=lambda row: row["share_of_copy"])
    below = sum(row["share_of_copy"] < 0.85 for row in rows)
    text = f"worst of {len(rows)}: {worst['name']} {worst['dtype']} ({worst['kind']}); {below} below"
    if not content.get("complete"):
        raise NotRun(f"its run did not reach its end; {worst['share_of_copy']:.3f} is the {text}")
    missing = content.get("failed", []) + content.get("skipped", [])
    if missing:
        raise NotRun(f"not measured: {'; '.join(missing)}; {worst['share_of_copy']:.3f} is the {text}")
    return worst["share_of_copy"], below == 0, text


def name_of(trial):
    return trial["kind"] + (f"/{trial['variant']}" if trial.get("variant") else "")


def trial_of(report, name):
    for trial in report["trials"]:
        if name_of(trial) == name and trial.get("throughput"):
            return trial
    raise NotRun(f"the report has no trial {name}")


def rate_of(trial):
    """(mean, half of its 95 % interval or 0)."""
    rate = trial["throughput"]["samples_per_second"]
    interval = rate.get("ci95")
    return rate["mean"], (interval[1] - interval[0]) / 2 if interval else 0.0


def check_complete(report):
    run = report["run"]
    if run.get("status") != "complete":
        failure = (run.get("failure") or {}).get("detail") or ""
        raise NotRun(f"its run is {run.get('status') or 'of no known status'}" + (f": {failure}" if failure else ""))


def loader_bar(report):
    check_complete(report)
    full, host = trial_of(report, "full"), trial_of(report, "synthetic/host")
    effective = report["config"]["effective"]
    samples = (report.get("dataset") or {}).get("samples") or 0
    seen = (effective.get("precision"), full["batch_size_per_rank"], effective.get("cache"))
    if seen != ("bf16", 32, "warm"):
        raise NotRun("wanted bf16, batch 32, a warm cache, not {}, {}, {}".format(*seen))
    if samples < SAMPLES:
        raise NotRun(f"{samples} samples are too few, wanted {SAMPLES}")
    cores = min(host["cpu"]["usable_cores"] for host in report["system"]["hosts"])
    if cores < CORES:
        raise NotRun(f"{cores} usable cores, wanted {CORES}")
    for trial in (full, host):
        if not trial["throughput"]["samples_per_second"].get("ci95"):
            raise NotRun(f"the rate of {name_of(trial)} has no interval")
    (a, half_a), (b, half_b) = rate_of(full), rate_of(host)
    ratio = a / b
    half = ratio * math.hypot(half_a / a, half_b / b)
    if half > WITHIN and ratio + half >= 1 - WITHIN:
        raise NotRun(f"{ratio:.3f} +-{half:.3f}: the interval is too wide to show {WITHIN}")
    return ratio, ratio >= 1 - WITHIN, f"+-{half:.3f}, {samples} samples, {cores} usable cores"


def probe_values(report, probe):
    """(trial's name, values) where the probe measured."""
    found = []
    for trial in report["trials"]:
        values = trial.get("probes", {}).get(probe)
        if values and values.get("available", True):
            found.append((name_of(trial), values))
    if not found:
        reason = (report.get("probes", {}).get(probe) or {}).get("reason") or "it measured nothing"
        raise NotRun(f"{probe}: {reason}")
    return found


def worst_value(found, key):
    known = [(values[key], trial) for trial, values in found if values.get(key) is not None]
    if not known:
        raise NotRun(f"no trial has {key}")
    return max(known)


def tracing_bar(report):
    if report["config"]["effective"].get("trace"):
        raise NotRun("the run wrote a timeline (--trace), which costs time of its own")
    check_complete(report)
    found = probe_values(report, "cupti")
    share, trial = worst_value(found, "slowdown_share")
    unknown = [trial for trial, values in found if values.get("dropped_records") is None]
    if unknown:
        raise NotRun(f"whether records were dropped is not known of {', '.join(unknown)}")
    dropped = sum(values["dropped_records"] for _, values in found)
    return (100 * share, share < 0.03 and dropped == 0,
            f"% in {trial}, the slowest of {len(found)} trials; {dropped:.0f} records dropped")


def monitor_bar(report):
    check_complete(report)
    found = probe_values(report, "nvml")
    share, trial = worst_value(found, "monitor_cpu_share")
    return 100 * share, share < 0.001, f"% in {trial}, the most of {len(found)} trials"


# What is wanted of an H200, in the order of docs/gpu-status.md, and what it is judged by.
BARS = (
    ("a", "bf16, batch 32: at least 1.00 x torch.compile", "pytorch.json",
     lambda content: pytorch_bar(content, "compile-32")),
    ("b", "bf16, batch 32: at least 1.40 x PyTorch eager", "pytorch.json",
     lambda content: pytorch_bar(content, "eager-32")),
    ("c", "bf16, batch 8: at least 2.00 x PyTorch eager", "pytorch.json",
     lambda content: pytorch_bar(content, "eager-8")),
    ("d", "own memory-bound kernels: at least 0.85 of a copy", "bandwidth.json", bandwidth_bar),
    ("e", "full: at least 0.97 of synthetic/host", "resunetpp.json", loader_bar),
    ("f", "CUPTI tracing: below 3 %, nothing dropped", "resunetpp.json", tracing_bar),
    ("g", "NVML monitor: below 0.1 % of a core", "resunetpp.json", monitor_bar),
)


def judged(folders):
    """(letter, what is wanted, met or not or None for neither, its result, text) of each bar."""
    for letter, wanted, name, judge in BARS:
        try:
            value, met, text = folders.last_judged(name, judge)
            number = f"{value:.3f}" if abs(value) >= 0.1 or value == 0 else f"{value:.2g}"
            state = {True: "met", False: "MISSED", None: "info"}[met]
            yield letter, wanted, met, f"{state} {number}", text
        except NotRun as reason:
            yield letter, wanted, None, "not run", str(reason)


def show_bars(folders):
    missed = False
    for letter, wanted, met, result, text in judged(folders):
        missed = missed or met is False
        print(f"bar {letter}  {result:13} {wanted} ({text[:300]})")
    return MISSED if missed else 0


def show_rates(path):
    report = json.loads(pathlib.Path(path).read_text())
    for trial in report["trials"]:
        if not trial.get("throughput"):
            continue
        mean, half = rate_of(trial)
        print(f"info {name_of(trial)}: {mean:.1f} +-{half:.1f} samples/s")
    for taint in report["run"]["taints"]:
        print(f"info taint {taint['code']}, {taint['where']}: {taint['detail'][:160]}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    parser.add_argument("--of-call", action="store_true", help="the bars alone, whatever its table says")
    parser.add_argument("--rates", metavar="REPORT")
    arguments = parser.parse_args()
    if arguments.rates:
        try:
            return show_rates(arguments.rates)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            print(f"FAILED no rates in {arguments.rates}: {error!r}")
            return 1
    if not arguments.folders:
        parser.error("a FOLDER or --rates REPORT")
    folders = Folders(arguments.folders)
    if len(arguments.folders) > 1:
        for line in folders.tables():
            print(line)
    code = show_bars(folders)
    if arguments.of_call:
        return code
    reasons = doubts(folders.folders, folders.parts)
    for reason in reasons:
        print(f"FAILED: {reason}")
    return FAILED if reasons else code


if __name__ == "__main__":
    sys.exit(main())
