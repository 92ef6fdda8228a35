#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""ResUNet++ on one GPU: dlbench against PyTorch, eager and compiled, in turn.

  tests/gpu/compare_pytorch.py --dlbench build/cuda/bin/dlbench [--max-time S] [--output table.json]
  tests/gpu/compare_pytorch.py ... --precisions bf16 --batch 32 --contestants dlbench eager --rounds 3

The contestants are dlbench and those of pytorch_step.py: the model of tests/peers/step_compare.py,
channels-last, data on the device, cuDNN's algorithms timed. Each measurement is a process of its own.
Without a list they come by what they are worth, so that --max-time cuts off what matters least. First what
has to be measured: dlbench and eager in bf16 at batch 32 and 8, torch.compile in mode max-autotune in bf16
at 32, which tunes for minutes, dlbench and eager in the other precisions at 32, and torch.compile in those.
There mode reduce-overhead stands for it, which tunes nothing: max-autotune would take its minutes in each
precision anew, and no bar is of them. Then that mode in bf16; max-autotune with CUDA graphs of its own, and
at batch 8; bf16 at 32 once more; eager in a CUDA graph, of which no bar is. Each result is printed and
written at once; of a process that fails or is ended late, what it had measured counts, with a note, and the
end of its standard error is said on this one's. What torch.compile tuned is in the folder
TORCHINDUCTOR_CACHE_DIR: where that is kept, a later call has it at once.

A PyTorch process measures at least 3 s in at least five windows; the rate is their median, the spread
(largest - smallest) / median. The bars compare the best process of each contestant, and of torch.compile
the fastest way. Exit code: 0 compared, 1 there is no rate of something that has to be measured (it
failed, or there was no time), which the last line names; not a precision that the GPU does not have. 77
nothing to compare with (no PyTorch, or none that sees a GPU). What is asked for in a list has to be
measured.
"""
import argparse
import contextlib
import ctypes
import dataclasses
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from bars import gpus_in, gpus_of_report, is_met
from pytorch_step import PEERS, PRECISIONS
from tables import is_one_of

SKIPPED = 77
STDERR_BYTES = 4096
SHORTEST = 5  # seconds for which nothing is started
OWN = "dlbench"
KEPT_FACTS = ("graph_breaks", "cudagraph_skips", "torch", "device", "warm_up_s", "compiled_ahead")
UNSUPPORTED = "needs compute capability"  # says dlbench of a precision that this GPU does not have
# What is wanted of an H200: name, precision, batch, the contestants of which the fastest counts, and how
# many times its speed.
BARS = (("compile-32", "bf16", 32, ("compile", "compile-graph"), 1.0),
        ("eager-32", "bf16", 32, ("eager",), 1.4),
        ("eager-8", "bf16", 8, ("eager",), 2.0))


@dataclasses.dataclass
class Finished:
    """A program that ended, or was ended."""
    stdout: str = ""
    stderr: str = ""
    why: str = ""  # empty: with code 0


@dataclasses.dataclass
class Result:
    rate: float = None  # samples per second; None: none was measured
    spread: float = None
    why: str = ""  # there is no rate, or what is to be known of it
    facts: dict = dataclasses.field(default_factory=dict)


def by_value():
    """(precision, batch, contestant), what matters most first: what has to be measured, and the rest."""
    plain, compiled = (OWN, "eager"), ("compile-graph", "compile")
    others = [p for p in PRECISIONS if p != "bf16"]
    wanted = ([("bf16", batch, name) for batch in (32, 8) for name in plain] + [("bf16", 32, "compile-graph")] +
              [(precision, 32, name) for precision in others for name in plain] +
              [(precision, 32, "compile-reduce") for precision in others])
    return wanted, ([("bf16", 32, name) for name in ("compile-reduce", "compile")] +
                    [("bf16", 8, name) for name in compiled] +
                    [("bf16", 32, name) for name in plain + compiled] +
                    [("bf16", batch, "eager-graph") for batch in (32, 8)] +
                    [(precision, 32, "eager-graph") for precision in others])


def measurements(arguments):
    """What has to be measured, and what comes after it."""
    if not (arguments.precisions or arguments.batch or arguments.contestants):
        return by_value()
    one_round = [(precision, batch, name)
                 for precision in arguments.precisions or ["bf16"]
                 for batch in arguments.batch or [32]
                 for name in arguments.contestants or [OWN, "eager", "compile"]]
    return one_round, one_round * (arguments.rounds - 1)


def reason_in(stderr):
    """The line of a failed program's last words that says most."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()] or ["no message"]
    return next((line for line in reversed(lines) if "Error" in line), lines[-1])[:300]


def end_session(process):
    """Kills all that a process started, and returns what was still in its pipes."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return process.communicate()


def end_with_parent():
    """In the child: a session of its own gets none of the signals that end this process."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def finished(command, limit):
    if limit < SHORTEST:
        return Finished(why="not run: no time left")
    try:
        # A session of its own: torch.compile's workers hold the pipes too, and have to end with it.
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, errors="replace",
                                   start_new_session=True, preexec_fn=end_with_parent)
    except OSError as error:
        return Finished(why=str(error))
    try:
        stdout, stderr = process.communicate(timeout=limit)
        why = f"code {process.returncode}: {reason_in(stderr)}" if process.returncode else ""
    except subprocess.TimeoutExpired:
        stdout, stderr = end_session(process)
        why = f"did not end within {limit:.0f} s"
    finally:
        end_session(process)
    return Finished(stdout or "", stderr or "", why)


def device_in(report):
    """The GPU that computed, where the report tells."""
    with contextlib.suppress(AttributeError, KeyError, TypeError):
        return {"device": name for name in gpus_of_report(report)}
    return {}


def rate_in_report(path):
    """Result of the only trial of a report, also of one that was not completed."""
    report = json.loads(path.read_text())
    throughput = report["trials"][0]["throughput"]["samples_per_second"]
    interval = throughput.get("ci95")
    mean = float(throughput["mean"])
    return Result(mean, None if interval is None else (interval[1] - interval[0]) / mean,
                  facts=device_in(report))


def dlbench_result(arguments, precision, batch, limit):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        done = finished(
            [arguments.dlbench, "run", "--workload", "resunetpp", "--device", arguments.device,
             "--precision", precision, "--batch-size", str(batch), "--trials", "synthetic/device",
             "--repetitions", "5", "--max-time", "20s", "--probes", "none", "--quiet", "--output",
             str(report)], limit)
        try:
            result = rate_in_report(report)
            result.why = done.why
        except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
            result = Result(why=done.why or f"no result in its report: {error!r}")
    return result, done


def windows_in(stdout):
    return [float(rate) for rate in re.findall(r"^window (\S+)$", stdout, re.MULTILINE)]


def facts_in(stdout):
    """What a contestant says of itself, wherever libraries print lines of their own."""
    facts = {}
    for line in stdout.splitlines():
        with contextlib.suppress(ValueError):
            if isinstance(said := json.loads(line), dict):
                facts.update(said)
    return facts


def torch_result(arguments, peer, precision, batch, limit):
    script = pathlib.Path(__file__).resolve().with_name("pytorch_step.py")
    done = finished(
        [arguments.python, str(script), "--peer", peer, "--precision", precision, "--batch", str(batch),
         "--size", str(arguments.size), "--seconds", str(arguments.seconds), "--windows",
         str(arguments.windows), "--device", arguments.device], limit)
    try:
        rates = windows_in(done.stdout)
    except ValueError as error:
        return Result(why=f"printed no rate: {error}"), done
    facts = facts_in(done.stdout)
    if not rates:
        return Result(why=done.why or "printed no rate", facts=facts), done
    rate = statistics.median(rates)
    why = f"{len(rates)} windows, then: {done.why}" if done.why else ""
    return Result(rate, (max(rates) - min(rates)) / rate, why, facts), done


def line_of(key, rate, spread, why):
    precision, batch, name = key
    result = why if rate is None else f"{rate:10.1f}"
    if rate is not None and spread is not None:
        result += f" +-{50 * spread:4.1f} %"
    if rate is not None and why:
        result += f"  ({why})"
    return f"{precision:6} batch {batch:3}  {name:14} {result}"


class Table:
    """Results by precision, batch size and name; on disk after each of them."""

    def __init__(self, output, size, version):
        self.output = output
        self.size = size
        self.version = version
        self.results = {}

    def has(self, key):
        return bool(self.rates(key)) or UNSUPPORTED in self.why(key)

    def resume(self, wanted, gpus):
        """Takes over from an earlier call of the same dlbench, on the same GPU where one is named, what is complete: of
        one precision and batch all that is wanted. Returns these; in the others dlbench and its peers run anew, in
        turn."""
        path = pathlib.Path(self.output)
        if not path.is_file():
            return set()
        try:
            content = json.loads(path.read_text())
        except ValueError as error:
            print(f"{path.name} is not resumed: it is no table: {error}")
            return set()
        of = (content.get("dlbench"), content.get("image_size"))
        if of != (self.version, self.size) or self.version.endswith("+)"):  # what is not committed may be anything
            print(f"{path.name} is not resumed: it is of {of[0]}, {of[1]} pixels; this is {self.version}, {self.size}")
            return set()
        if others := [name for name in gpus_in(content) if gpus and not is_one_of(name, gpus)]:
            print(f"{path.name} is not resumed: it is of {', '.join(others)}; this is {', '.join(gpus)}")
            return set()
        for row in content["rows"]:
            facts = {k: row[k] for k in KEPT_FACTS if k in row}
            self.results[row["precision"], row["batch"], row["name"]] = [
                Result(rate, row["spread"], row["why"], facts) for rate in row["rates"] or [None]]
        groups = {key[:2] for key in wanted}
        complete = {group for group in groups if all(self.has(key) for key in wanted if key[:2] == group)}
        self.results = {key: results for key, results in self.results.items() if key[:2] in complete}
        for precision, batch in sorted(complete):
            print(f"{precision:6} batch {batch:3}  as measured before")
        return complete

    def add(self, key, result):
        self.results.setdefault(key, []).append(result)
        print(line_of(key, result.rate, result.spread, result.why), flush=True)
        self.write()

    def rates(self, key):
        return [result.rate for result in self.results.get(key, ()) if result.rate is not None]

    def ratios(self):
        """dlbench against each other contestant, of the best process of both."""
        found = []
        for precision, batch, name in self.results:
            own, peer = self.rates((precision, batch, OWN)), self.rates((precision, batch, name))
            if name != OWN and own and peer:
                found.append({"precision": precision, "batch": batch, "peer": name,
                              "ratio": max(own) / max(peer)})
        return found

    def bars(self):
        """Of each bar the ratio to the fastest contestant, or why there is none."""
        found = []
        for bar, precision, batch, names, wanted in BARS:
            own = self.rates((precision, batch, OWN))
            peers = {name: max(self.rates((precision, batch, name)), default=0.0) for name in names}
            fastest = max(peers, key=peers.get)
            missing = [f"{name}: {self.why((precision, batch, name))}"
                       for name, rate in {OWN: max(own, default=0.0), **peers}.items() if not rate]
            measured = bool(own) and peers[fastest] > 0.0
            ratio = max(own) / peers[fastest] if measured else None
            found.append({"bar": bar, "wanted": wanted, "peer": fastest if measured else None,
                          "ratio": ratio, "met": is_met(ratio, wanted, missing), "missing": missing})
        return found

    def why(self, key):
        results = self.results.get(key)
        return results[-1].why if results else "not run"

    def rows(self):
        rows = []
        for key, results in self.results.items():
            rates = self.rates(key)
            spreads = [result.spread for result in results if result.spread is not None]
            rows.append({"precision": key[0], "batch": key[1], "name": key[2],
                         "samples_per_second": statistics.median(rates) if rates else None,
                         "best": max(rates) if rates else None,
                         "rates": rates,
                         "spread": max(spreads) if spreads else None, "processes": len(rates),
                         "why": next((result.why for result in results if result.why), ""),
                         **{k: v for result in results for k, v in result.facts.items() if k in KEPT_FACTS}})
        return rows

    def write(self):
        if not self.output:
            return
        content = {"workload": "resunetpp", "image_size": self.size, "dlbench": self.version,
                   "rows": self.rows(), "ratios": self.ratios(), "bars": self.bars()}
        path = pathlib.Path(self.output)
        beside = path.with_name(path.name + ".new")
        beside.write_text(json.dumps(content, indent=1) + "\n")
        beside.replace(path)

    def show(self):
        rows = self.rows()
        devices = sorted({row["device"] for row in rows if row.get("device")})
        print(f"\nresunetpp {self.size} x {self.size}, samples/s" + "".join(f", {name}" for name in devices))
        for row in rows:
            line = line_of((row["precision"], row["batch"], row["name"]), row["samples_per_second"],
                           row["spread"], row["why"])
            left_out = [f"{row[k]} {k.replace('_', ' ')}" for k in ("graph_breaks", "cudagraph_skips")
                        if row.get(k)]
            print(line + ("  " + ", ".join(left_out) if left_out else ""))
        print("dlbench against each, best processes")
        for r in self.ratios():
            print(f'{r["precision"]:6} batch {r["batch"]:3}  {r["peer"]:14} {r["ratio"]:6.2f}')


def why_not(arguments):
    """Empty if a process of the contestants' Python sees what it needs."""
    code = ("import torch, sys\n"
            f"sys.exit(0 if {arguments.device!r} == 'cpu' or torch.cuda.is_available() else 3)")
    done = finished([arguments.python, "-c", code], max(SHORTEST, min(120, arguments.max_time)))
    if done.why.startswith("code 3"):
        return "this PyTorch sees no GPU"
    return f"{arguments.python} has no PyTorch: {done.why}" if done.why else ""


def compare(arguments, begin):
    version = finished([arguments.dlbench, "--version"], 60).stdout.strip()
    table = Table(arguments.output, arguments.size, version)
    wanted, more = measurements(arguments)
    before = table.resume(wanted, arguments.on) if arguments.resume else set()
    for precision, batch, name in wanted + more:
        if (precision, batch) in before:
            continue
        limit = min(arguments.limit, arguments.max_time - (time.monotonic() - begin))
        if limit < SHORTEST and (precision, batch, name) in table.results:
            continue  # once more is for when there is time
        if name == OWN:
            result, done = dlbench_result(arguments, precision, batch, limit)
        else:
            result, done = torch_result(arguments, name, precision, batch, limit)
        table.add((precision, batch, name), result)
        if result.why and done.stderr.strip():
            print(f"-- {precision} batch {batch} {name}, end of its standard error:\n"
                  f"{done.stderr[-STDERR_BYTES:].rstrip()}\n--", file=sys.stderr, flush=True)
    table.show()
    missing = [f"{precision} batch {batch} {name}" for precision, batch, name in dict.fromkeys(wanted)
               if not table.has((precision, batch, name))]
    if missing:
        print("not measured: " + ", ".join(missing))
    return 1 if missing else 0


def main():
    begin = time.monotonic()  # importing PyTorch for the first time takes its time, too
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dlbench", default="build/cuda/bin/dlbench")
    parser.add_argument("--batch", type=int, nargs="+", help="samples per step")
    parser.add_argument("--precisions", nargs="+", choices=PRECISIONS)
    parser.add_argument("--contestants", nargs="+", choices=(OWN, *PEERS))
    parser.add_argument("--rounds", type=int, default=1, help="of the list that was asked for")
    parser.add_argument("--limit", type=float, default=420, metavar="S",
                        help="seconds per process, at most what is left of --max-time")
    parser.add_argument("--max-time", type=float, default=float("inf"), metavar="S",
                        help="seconds after its start when nothing is run any more")
    parser.add_argument("--output", help="the table as JSON")
    parser.add_argument("--resume", action="store_true",
                        help="keep what --output has of this dlbench of a precision and batch size, where "
                             "nothing that has to be measured is missing, and run the others")
    parser.add_argument("--on", nargs="+", metavar="GPU",
                        help="names of those that are here: with --resume nothing of another one is kept")
    parser.add_argument("--python", default=sys.executable, help="interpreter with PyTorch")
    parser.add_argument("--windows", type=int, default=5, help="of a PyTorch process")
    parser.add_argument("--seconds", type=float, default=3.0, help="of all windows, at least")
    # For tests without a GPU.
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help=argparse.SUPPRESS)
    parser.add_argument("--size", type=int, default=256, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if min(arguments.rounds, *(arguments.batch or [1])) < 1:
        parser.error("--rounds and --batch are at least 1")
    if arguments.output and not pathlib.Path(arguments.output).resolve().parent.is_dir():
        parser.error(f"--output {arguments.output}: there is no such folder")
    if arguments.resume and not arguments.output:
        parser.error("--resume wants the --output of an earlier call")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends what was started, too
    if reason := why_not(arguments):
        print(f"skipped: {reason}")
        return SKIPPED
    return compare(arguments, begin)


if __name__ == "__main__":
    sys.exit(main())
