#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Times a training step of ResUNet++ in PyTorch: one contestant of compare_pytorch.py, a process each.

Prints a line of JSON first and one once it is ready, "window RATE" after each timed window and more JSON last,
so that what was measured, and with what, is there also where the process is ended.

Contestants: "eager" as it is usually written; "eager-graph" the same captured in a CUDA graph;
"compile" torch.compile of forward pass and loss in mode max-autotune, which replays CUDA graphs of its own;
"compile-graph" the kernels of that mode with the whole step in one CUDA graph, optimizer included;
"compile-templates" the same without the mode's coordinate descent, which compiles each kernel of its own many
times over, one after the other; "compile-reduce" mode reduce-overhead, which tunes nothing.
So that tuning ends within minutes, its workers and its own process take one assembler (with two, as PyTorch 2.11
comes, the process compiles anew what the workers have compiled), and compile_ahead.py compiles on all cores what
the coordinate descent tries. The same is timed and chosen from, beside compilers that run on other cores.

What is not alike in all of them, and not in favour of dlbench alone:
- The optimizer of "compile" and "compile-reduce" runs beside their graphs, in NAdam's foreach kernels.
- Autocast keeps weights in f32 and casts them at each step, as dlbench does; compiled code may fuse casts.
- fp16 multiplies by a fixed loss scale and divides gradients, without looking for infinities: less work
  than dlbench's dynamic scaling.
- The image is f32 and normalised beforehand; dlbench casts and normalises bytes within the step.
- Keras pads the three strided 3x3 convolutions at one end only, which PyTorch's convolution cannot: eager code copies
  their inputs (functional.pad), dlbench gives cuDNN both paddings.
- No weights' gradient buffer is cleared (set_to_none), as in dlbench.
"""
import argparse
import contextlib
import importlib.util
import inspect
import json
import math
import os
import pathlib
import statistics
import sys
import time

PEERS = ("eager", "eager-graph", "compile", "compile-graph", "compile-templates", "compile-reduce")
COMPILED = {"compile": {"mode": "max-autotune"}, "compile-graph": {"mode": "max-autotune-no-cudagraphs"},
            "compile-templates": {"options": {"max_autotune": True}},
            "compile-reduce": {"mode": "reduce-overhead"}}
IN_ONE_GRAPH = ("eager-graph", "compile-graph", "compile-templates")
PRECISIONS = ("bf16", "fp32", "tf32", "fp16")
WARM_UP_STEPS = 10


def import_network():
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
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


def make_optimizer(torch, parameters, peer):
    """Keras' NAdam; its scalars on the device only where the step is captured with it: elsewhere they cost
    kernels that nobody who writes eager or compiled code pays for."""
    wanted = {"lr": 1e-4, "eps": 1e-7, "foreach": True, "capturable": peer in IN_ONE_GRAPH}
    known = inspect.signature(torch.optim.NAdam).parameters  # capturable came with PyTorch 2
    if wanted["capturable"] and "capturable" not in known:
        raise RuntimeError(f"NAdam of PyTorch {torch.__version__} cannot be captured in a graph")
    return torch.optim.NAdam(parameters, **{k: v for k, v in wanted.items() if k in known})


def make_step(torch, arguments):
    """A function that enqueues one training step."""
    peer, precision, device = arguments.peer, arguments.precision, arguments.device
    if peer in COMPILED and not hasattr(torch, "compile"):
        raise RuntimeError(f"PyTorch {torch.__version__} has no torch.compile")
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    reduced = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(precision)
    model, loss_of, _ = import_network()(torch)
    model = model.to(device).to(memory_format=torch.channels_last)
    parameters = list(model.parameters())
    optimizer = make_optimizer(torch, parameters, peer)
    # A captured scaler would need its own step; its cost is two small kernels.
    scale = 1024.0 if reduced is torch.float16 else 1.0
    batch, size = arguments.batch, arguments.size
    x = torch.rand(batch, 3, size, size, device=device).contiguous(memory_format=torch.channels_last)
    y = (torch.rand(batch, 1, size, size, device=device) > 0.5).float()

    def forward(x, y):
        # bf16 again where there is none: autocast wants a type of 16 bits even when it is off.
        with torch.autocast(device, dtype=reduced or torch.bfloat16, enabled=reduced is not None):
            prediction = model(x)
        return loss_of(prediction, y) * scale

    if peer in COMPILED:
        forward = torch.compile(forward, **COMPILED[peer])

    def step():
        forward(x, y).backward()
        if scale != 1.0:
            torch._foreach_div_([p.grad for p in parameters if p.grad is not None], scale)
        optimizer.step()

    def whole_step():
        if peer in COMPILED:
            torch.compiler.cudagraph_mark_step_begin()
        optimizer.zero_grad(set_to_none=True)
        step()

    return captured(torch, step, optimizer) if peer in IN_ONE_GRAPH else whole_step


def seconds_of(torch, run, steps, device):
    """Of so many steps, on the device's clock."""
    if device != "cuda":
        begin = time.perf_counter()
        for _ in range(steps):
            run()
        return time.perf_counter() - begin
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(steps):
        run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1e-3


def compiler_counts():
    """What torch.compile left out of its graphs: breaks, and CUDA graphs that it did not make."""
    with contextlib.suppress(Exception):
        from torch._dynamo.utils import counters
        return {"graph_breaks": sum(counters["graph_break"].values()),
                "cudagraph_skips": counters["inductor"]["cudagraph_skips"]}
    return {}


def facts_of(torch, device):
    return {"torch": torch.__version__,
            "device": torch.cuda.get_device_name() if device == "cuda" else device}


def take_one_assembler():
    """PyTorch's ptxas for Triton in every process, as its workers do: Triton's cache holds what one version made."""
    package = importlib.util.find_spec("torch")
    ptxas = pathlib.Path(package.origin).parent / "bin" / "ptxas" if package and package.origin else None
    if ptxas and os.access(ptxas, os.X_OK):
        os.environ.setdefault("TRITON_PTXAS_PATH", str(ptxas))


def compile_ahead_where_it_is_known():
    """The configurations that are compiled ahead, or None."""
    try:
        import compile_ahead
        return compile_ahead.install()
    except (ImportError, AttributeError, AssertionError) as error:  # the last: of one thread
        print(f"nothing is compiled ahead with this PyTorch: {error!r}", file=sys.stderr, flush=True)
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", choices=PEERS, required=True)
    parser.add_argument("--precision", choices=PRECISIONS, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--size", type=int, default=256, help="side of the image")
    parser.add_argument("--windows", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0, help="of all windows, at least")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    take_one_assembler()
    import torch
    print(json.dumps(facts_of(torch, arguments.device)), flush=True)
    begin = time.perf_counter()
    tuned = arguments.device == "cuda" and arguments.peer in ("compile", "compile-graph")
    ahead = compile_ahead_where_it_is_known() if tuned else None
    run = make_step(torch, arguments)
    for _ in range(WARM_UP_STEPS if arguments.device == "cuda" else 1):
        run()
    if arguments.device == "cuda":
        torch.cuda.synchronize()
    print(json.dumps({"warm_up_s": time.perf_counter() - begin,
                      **({"compiled_ahead": ahead.end()} if ahead else {})}), flush=True)
    step_s = seconds_of(torch, run, 3, arguments.device) / 3
    steps = max(1, math.ceil(1.05 * arguments.seconds / arguments.windows / step_s))
    rates = []
    for _ in range(arguments.windows):
        rates.append(arguments.batch * steps / seconds_of(torch, run, steps, arguments.device))
        print(f"window {rates[-1]:.6g}", flush=True)
    print(json.dumps({"samples_per_second": statistics.median(rates), "steps": steps,
                      **(compiler_counts() if arguments.peer in COMPILED else {})}))


if __name__ == "__main__":
    main()
