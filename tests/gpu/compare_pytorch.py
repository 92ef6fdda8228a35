#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""ResUNet++ on one GPU: dlbench against PyTorch, eager and compiled, in turn.

  tests/gpu/compare_pytorch.py --dlbench build/cuda/bin/dlbench [--batch 32] [--output table.json]

The PyTorch model is that of tests/peers/step_compare.py, channels-last, data on the device. Eager is
captured in a CUDA graph too ("eager-graph"); torch.compile runs in mode max-autotune, which uses CUDA
graphs. Each contestant is a process of its own; a round runs all of them once, so that clocks and
temperature hit all alike. The table shows medians over the rounds. Exit code 77: nothing to compare
with (no PyTorch, or none that sees a GPU).
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

PRECISIONS = ("fp32", "tf32", "bf16", "fp16")
PEERS = ("eager", "eager-graph", "compile")
SKIPPED = 77


def import_network():
    peers = pathlib.Path(__file__).resolve().parents[1] / "peers"
    sys.path.insert(0, str(peers))
    import step_compare
    return step_compare.resunetpp


def captured(torch, step):
    """The step as one CUDA graph, after three steps on a side stream."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def peer_rate(arguments):
    """One PyTorch process: prints samples per second."""
    import torch
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = True
    allow_tf32 = arguments.precision == "tf32"
    torch.backends.cuda.matmul.allow_tf32 = allow_tf32
    torch.backends.cudnn.allow_tf32 = allow_tf32
    reduced = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(arguments.precision)
    model, loss_of, _ = import_network()(torch)
    model = model.cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.NAdam(model.parameters(), lr=1e-4, eps=1e-7, foreach=True, capturable=True)
    # A captured scaler would need its own step; its cost is two small kernels.
    scale = 1024.0 if reduced is torch.float16 else 1.0
    size = 256
    x = torch.rand(arguments.batch, 3, size, size, device="cuda")
    x = x.contiguous(memory_format=torch.channels_last)
    y = (torch.rand(arguments.batch, 1, size, size, device="cuda") > 0.5).float()
    forward = model if arguments.peer != "compile" else torch.compile(model, mode="max-autotune")

    def step():
        optimizer.zero_grad(set_to_none=False)
        with torch.autocast("cuda", dtype=reduced, enabled=reduced is not None):
            prediction = forward(x)
        (loss_of(prediction, y) * scale).backward()
        if scale != 1.0:
            for parameter in model.parameters():
                parameter.grad.div_(scale)
        optimizer.step()

    run = captured(torch, step) if arguments.peer == "eager-graph" else step
    for _ in range(10):
        run()
    torch.cuda.synchronize()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(arguments.steps):
        run()
    end.record()
    torch.cuda.synchronize()
    print(arguments.batch * arguments.steps / (begin.elapsed_time(end) * 1e-3))


def dlbench_rate(arguments, precision):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        done = subprocess.run(
            [arguments.dlbench, "run", "--workload", "resunetpp", "--device", "cuda",
             "--precision", precision, "--batch-size", str(arguments.batch), "--trials",
             "synthetic/device", "--repetitions", "5", "--max-time", "20s", "--output", str(report)],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None, done.stderr.strip().splitlines()[-1]
        trial = json.loads(report.read_text())["trials"][0]
        return trial["throughput"]["samples_per_second"]["mean"], ""


def torch_rate(arguments, peer, precision):
    done = subprocess.run(
        [sys.executable, os.path.abspath(__file__), "--peer", peer, "--precision", precision, "--batch",
         str(arguments.batch), "--steps", str(arguments.steps)],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or ["no message"])[-1]
    return float(done.stdout.split()[-1]), ""


def why_not():
    try:
        import torch
    except ImportError:
        return f"{sys.executable} has no PyTorch"
    return "" if torch.cuda.is_available() else "this PyTorch sees no GPU"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dlbench", default="build/cuda/bin/dlbench")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", help="the table as JSON")
    parser.add_argument("--peer", choices=PEERS, help=argparse.SUPPRESS)
    parser.add_argument("--precision", choices=PRECISIONS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        return peer_rate(arguments)
    if reason := why_not():
        print(f"skipped: {reason}")
        return SKIPPED
    rows = {}
    for _ in range(arguments.rounds):
        for precision in PRECISIONS:
            rows.setdefault((precision, "dlbench"), []).append(dlbench_rate(arguments, precision))
            for peer in PEERS:
                rows.setdefault((precision, peer), []).append(torch_rate(arguments, peer, precision))
    table = []
    print(f"resunetpp 256 x 256, batch {arguments.batch}, samples/s, medians of {arguments.rounds}")
    for (precision, name), results in rows.items():
        rates = [rate for rate, _ in results if rate is not None]
        why = "" if rates else results[0][1]
        rate = statistics.median(rates) if rates else None
        table.append({"precision": precision, "name": name, "samples_per_second": rate, "why": why})
        print(f"{precision:6} {name:12} {why if rate is None else f'{rate:10.1f}'}")
    if arguments.output:
        pathlib.Path(arguments.output).write_text(json.dumps(table, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
