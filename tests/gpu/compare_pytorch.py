#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""ResUNet++ on one GPU: dlbench against PyTorch, eager and compiled, in turn.

  tests/gpu/compare_pytorch.py --dlbench build/cuda/bin/dlbench [--batch 32 8] [--precisions bf16 fp32]
                               [--peers eager compile] [--rounds 3] [--output table.json]

The PyTorch model is that of tests/peers/step_compare.py, channels-last, data on the device, cuDNN's
algorithms timed. Eager is captured in a CUDA graph too ("eager-graph"); torch.compile runs in mode
max-autotune, which uses CUDA graphs. Each contestant is a process of its own; a round runs all of them
once, so that clocks and temperature hit all alike. Precisions come in the order given, batch sizes within
them; each result is printed and written at once. With --max-time the last ones may have no result.

The table shows medians over the rounds; the bars compare the best round of each. Exit code 0: compared,
1: dlbench failed in every precision, 77: nothing to compare with (no PyTorch, or none that sees a GPU).
"""
import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

PRECISIONS = ("bf16", "fp32", "tf32", "fp16")
PEERS = ("eager", "eager-graph", "compile")
SKIPPED = 77
# What is wanted of an H200: (precision, batch, peer) and how many times its speed.
BARS = {("bf16", 32, "compile"): 1.0, ("bf16", 32, "eager"): 1.4, ("bf16", 8, "eager"): 2.0}


def import_network():
    peers = pathlib.Path(__file__).resolve().parents[1] / "peers"
    sys.path.insert(0, str(peers))
    import step_compare
    return step_compare.resunetpp


def captured(torch, step, optimizer):
    """The step as one CUDA graph, after three steps on a side stream."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            optimizer.zero_grad(set_to_none=True)
            step()
    torch.cuda.current_stream().wait_stream(side)
    # Without gradients at its begin, the recorded backward pass writes them instead of adding to them.
    optimizer.zero_grad(set_to_none=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def peer_rate(arguments):
    """One PyTorch process: prints samples per second."""
    import torch
    peer, precision, batch = arguments.peer, arguments.precision, arguments.batch[0]
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    reduced = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(precision)
    model, loss_of, _ = import_network()(torch)
    model = model.cuda().to(memory_format=torch.channels_last)
    parameters = list(model.parameters())
    optimizer = torch.optim.NAdam(parameters, lr=1e-4, eps=1e-7, foreach=True,
                                  capturable=peer == "eager-graph")
    # A captured scaler would need its own step; its cost is two small kernels.
    scale = 1024.0 if reduced is torch.float16 else 1.0
    size = 256
    x = torch.rand(batch, 3, size, size, device="cuda").contiguous(memory_format=torch.channels_last)
    y = (torch.rand(batch, 1, size, size, device="cuda") > 0.5).float()
    forward = torch.compile(model, mode="max-autotune") if peer == "compile" else model

    def step():
        with torch.autocast("cuda", dtype=reduced, enabled=reduced is not None):
            prediction = forward(x)
        (loss_of(prediction, y) * scale).backward()
        if scale != 1.0:
            torch._foreach_div_([p.grad for p in parameters if p.grad is not None], scale)
        optimizer.step()

    def whole_step():
        if peer == "compile":
            torch.compiler.cudagraph_mark_step_begin()
        optimizer.zero_grad(set_to_none=True)
        step()

    run = captured(torch, step, optimizer) if peer == "eager-graph" else whole_step
    for _ in range(10):
        run()
    torch.cuda.synchronize()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(arguments.steps):
        run()
    end.record()
    torch.cuda.synchronize()
    print(batch * arguments.steps / (begin.elapsed_time(end) * 1e-3))


def reason_in(stderr):
    """The line of a failed program's last words that says most."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()] or ["no message"]
    return next((line for line in reversed(lines) if "Error" in line), lines[-1])[:300]


def end_session(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()


def finished(command, limit):
    """(stdout, "") of a program, or (None, why there is none)."""
    if limit < 5:
        return None, "not run: no time left"
    try:
        # A session of its own: torch.compile's workers hold the pipes too, and have to end with it.
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
    except OSError as error:
        return None, str(error)
    try:
        stdout, stderr = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        return None, f"did not end within {limit:.0f} s"
    finally:
        end_session(process)
    if process.returncode != 0:
        return None, f"code {process.returncode}: {reason_in(stderr)}"
    return stdout, ""


def dlbench_rate(arguments, precision, batch, limit):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        said, why = finished(
            [arguments.dlbench, "run", "--workload", "resunetpp", "--device", "cuda", "--precision",
             precision, "--batch-size", str(batch), "--trials", "synthetic/device", "--repetitions", "5",
             "--max-time", "20s", "--quiet", "--output", str(report)], limit)
        if said is None:
            return None, why
        try:
            trial = json.loads(report.read_text())["trials"][0]
            return float(trial["throughput"]["samples_per_second"]["mean"]), ""
        except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
            return None, f"no result in its report: {error!r}"


def torch_rate(arguments, peer, precision, batch, limit):
    said, why = finished(
        [sys.executable, os.path.abspath(__file__), "--peer", peer, "--precision", precision, "--batch",
         str(batch), "--steps", str(arguments.steps)], limit)
    if said is None:
        return None, why
    try:
        return float(said.split()[-1]), ""
    except (ValueError, IndexError):
        return None, "printed no rate"


class Table:
    """Results by precision, batch size and name; on disk after each of them."""

    def __init__(self, output, rounds):
        self.output = output
        self.rounds = rounds
        self.results = {}

    def add(self, key, rate, why):
        self.results.setdefault(key, []).append((rate, why))
        precision, batch, name = key
        result = why if rate is None else f"{rate:10.1f}"
        print(f"{precision:6} batch {batch:3}  {name:12} {result}", flush=True)
        self.write()

    def rates(self, key):
        return [rate for rate, _ in self.results.get(key, ()) if rate is not None]

    def ratios(self):
        """dlbench against each peer, of the best round of both."""
        found = []
        for precision, batch, name in self.results:
            own, peer = self.rates((precision, batch, "dlbench")), self.rates((precision, batch, name))
            if name == "dlbench" or not own or not peer:
                continue
            bar = BARS.get((precision, batch, name))
            ratio = max(own) / max(peer)
            found.append({"precision": precision, "batch": batch, "peer": name, "ratio": ratio,
                          "bar": bar, "met": None if bar is None else ratio >= bar})
        return found

    def rows(self):
        rows = []
        for key, results in self.results.items():
            rates = self.rates(key)
            rows.append({"precision": key[0], "batch": key[1], "name": key[2],
                         "samples_per_second": statistics.median(rates) if rates else None,
                         "best": max(rates) if rates else None,
                         "why": "" if rates else results[0][1]})
        return rows

    def write(self):
        if not self.output:
            return
        content = {"workload": "resunetpp", "image_size": 256, "rounds": self.rounds,
                   "rows": self.rows(), "ratios": self.ratios()}
        path = pathlib.Path(self.output)
        beside = path.with_name(path.name + ".new")
        beside.write_text(json.dumps(content, indent=1) + "\n")
        beside.replace(path)

    def show(self):
        print(f"\nresunetpp 256 x 256, samples/s, medians of {self.rounds}")
        for row in self.rows():
            rate = row["samples_per_second"]
            result = row["why"] if rate is None else f"{rate:10.1f}"
            print(f'{row["precision"]:6} batch {row["batch"]:3}  {row["name"]:12} {result}')
        ratios = {(r["precision"], r["batch"], r["peer"]): r for r in self.ratios()}
        print("dlbench against each peer, best rounds")
        for (precision, batch, peer), r in ratios.items():
            met = "" if r["bar"] is None else f'  bar {r["bar"]}: {"met" if r["met"] else "not met"}'
            print(f'{precision:6} batch {batch:3}  {peer:12} {r["ratio"]:6.2f}{met}')
        for (precision, batch, peer), bar in BARS.items():
            if (precision, batch, peer) not in ratios:
                print(f"{precision:6} batch {batch:3}  {peer:12}      -  bar {bar}: not measured")


def why_not():
    try:
        import torch
    except Exception as error:  # also a library of it that does not load
        return f"{sys.executable} has no PyTorch: {error}"
    return "" if torch.cuda.is_available() else "this PyTorch sees no GPU"


def compare(arguments):
    begin = time.monotonic()

    def limit():
        return min(arguments.limit, arguments.max_time - (time.monotonic() - begin))

    table = Table(arguments.output, arguments.rounds)
    for _ in range(arguments.rounds):
        for precision in arguments.precisions:
            for batch in arguments.batch:
                table.add((precision, batch, "dlbench"),
                          *dlbench_rate(arguments, precision, batch, limit()))
                for peer in arguments.peers:
                    table.add((precision, batch, peer),
                              *torch_rate(arguments, peer, precision, batch, limit()))
    table.show()
    return 0 if any(table.rates(key) for key in table.results if key[2] == "dlbench") else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dlbench", default="build/cuda/bin/dlbench")
    parser.add_argument("--batch", type=int, nargs="+", default=[32], help="samples per step")
    parser.add_argument("--precisions", nargs="+", choices=PRECISIONS, default=list(PRECISIONS))
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--steps", type=int, default=30, help="timed steps of each PyTorch process")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=270, metavar="S", help="seconds per process")
    parser.add_argument("--max-time", type=float, default=float("inf"), metavar="S",
                        help="seconds after which nothing is run any more")
    parser.add_argument("--output", help="the table as JSON")
    parser.add_argument("--peer", choices=PEERS, help=argparse.SUPPRESS)
    parser.add_argument("--precision", choices=PRECISIONS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        return peer_rate(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends what was started, too
    if reason := why_not():
        print(f"skipped: {reason}")
        return SKIPPED
    return compare(arguments)


if __name__ == "__main__":
    sys.exit(main())
