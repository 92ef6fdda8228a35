#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Times a training step of dlbench and of PyTorch in turn, in one interleaved run.

The PyTorch models are the workloads' definitions written in the usual way: the same layers, sizes,
losses and optimizers (Keras' paddings and epsilons included), random data made beforehand, no loader.
A step is zero_grad, forward, loss, backward, optimizer. Each round runs every contestant once in a
process of its own; the table shows medians over the rounds of each process's median step.

  tests/peers/step_compare.py --benchmark build/bin/step_benchmark --workload resunetpp

Use Debian's interpreter (/usr/bin/python3, package python3-torch) with libopenblas0-pthread installed.
"""
import argparse
import functools
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def same_conv(torch, channels_in, channels_out, kernel, stride=1, dilation=1):
    """A convolution with Keras' "same" padding: the odd element of padding at the end."""
    nn, functional = torch.nn, torch.nn.functional
    if stride == 1:
        return nn.Conv2d(channels_in, channels_out, kernel, padding="same", dilation=dilation)
    if kernel == 1:
        return nn.Conv2d(channels_in, channels_out, 1, stride=stride)

    class Strided(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(channels_in, channels_out, kernel, stride=stride)

        def forward(self, x):
            return self.conv(functional.pad(x, (0, 1, 0, 1)))

    return Strided()


def resunetpp(torch):
    nn, functional = torch.nn, torch.nn.functional

    def norm(channels):
        return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)

    class SqueezeExcite(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.fc1 = nn.Linear(channels, channels // 8, bias=False)
            self.fc2 = nn.Linear(channels // 8, channels, bias=False)

        def forward(self, x):
            gate = torch.sigmoid(self.fc2(torch.relu(self.fc1(x.mean((2, 3))))))
            return x * gate[:, :, None, None]

    class Residual(nn.Module):
        def __init__(self, channels_in, channels_out, stride, stem=False):
            super().__init__()
            self.bn1 = None if stem else norm(channels_in)
            self.conv1 = same_conv(torch, channels_in, channels_out, 3, stride)
            self.bn2 = norm(channels_out)
            self.conv2 = same_conv(torch, channels_out, channels_out, 3)
            self.shortcut = same_conv(torch, channels_in, channels_out, 1, stride)
            self.shortcut_bn = norm(channels_out)
            self.gate = SqueezeExcite(channels_out)

        def forward(self, x):
            main = x if self.bn1 is None else torch.relu(self.bn1(x))
            main = self.conv2(torch.relu(self.bn2(self.conv1(main))))
            return self.gate(main + self.shortcut_bn(self.shortcut(x)))

    class Aspp(nn.Module):
        def __init__(self, channels_in, channels_out):
            super().__init__()
            self.convs = nn.ModuleList(
                same_conv(torch, channels_in, channels_out, 3, dilation=d) for d in (6, 12, 18, 1))
            self.bns = nn.ModuleList(norm(channels_out) for _ in range(4))
            self.project = same_conv(torch, channels_out, channels_out, 1)

        def forward(self, x):
            branches = (bn(conv(x)) for conv, bn in zip(self.convs, self.bns))
            return self.project(functools.reduce(torch.add, branches))

    class Attention(nn.Module):
        def __init__(self, channels_g, channels_x):
            super().__init__()
            self.g_bn, self.x_bn, self.sum_bn = norm(channels_g), norm(channels_x), norm(channels_x)
            self.g_conv = same_conv(torch, channels_g, channels_x, 3)
            self.x_conv = same_conv(torch, channels_x, channels_x, 3)
            self.sum_conv = same_conv(torch, channels_x, channels_x, 3)

        def forward(self, g, x):
            a = functional.max_pool2d(self.g_conv(torch.relu(self.g_bn(g))), 2)
            b = self.x_conv(torch.relu(self.x_bn(x)))
            return self.sum_conv(torch.relu(self.sum_bn(a + b))) * x

    class ResUNetPlusPlus(nn.Module):
        def __init__(self):
            super().__init__()
            self.c1, self.c2 = Residual(3, 16, 1, stem=True), Residual(16, 32, 2)
            self.c3, self.c4 = Residual(32, 64, 2), Residual(64, 128, 2)
            self.b1 = Aspp(128, 256)
            self.att1, self.d1 = Attention(64, 256), Residual(320, 128, 1)
            self.att2, self.d2 = Attention(32, 128), Residual(160, 64, 1)
            self.att3, self.d3 = Attention(16, 64), Residual(80, 32, 1)
            self.out, self.head = Aspp(32, 16), nn.Conv2d(16, 1, 1)

        def decode(self, attention, block, x, skip):
            up = functional.interpolate(attention(skip, x), scale_factor=2, mode="nearest")
            return block(torch.cat([up, skip], 1))

        def forward(self, x):
            c1 = self.c1(x)
            c2 = self.c2(c1)
            c3 = self.c3(c2)
            x = self.b1(self.c4(c3))
            x = self.decode(self.att1, self.d1, x, c3)
            x = self.decode(self.att2, self.d2, x, c2)
            x = self.decode(self.att3, self.d3, x, c1)
            return torch.sigmoid(self.head(self.out(x)))

    def dice_loss(prediction, mask):
        prediction = prediction.float()
        both = (prediction * mask).sum()
        return 1 - (2 * both + 1) / (prediction.sum() + mask.sum() + 1)

    model = ResUNetPlusPlus()
    optimizer = torch.optim.NAdam(model.parameters(), lr=1e-4, eps=1e-7)
    return model, dice_loss, optimizer


def mnist_cnn(torch):
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Dropout(0.25), nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5),
        nn.Linear(128, 10), nn.LogSoftmax(1))
    loss = nn.NLLLoss()
    return model, lambda p, y: loss(p.float(), y), torch.optim.Adadelta(model.parameters(), lr=1.0)


def peer_step(arguments):
    """One PyTorch process: prints the line that step_benchmark prints."""
    import torch
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    torch.set_flush_denormal(True)
    segmentation = arguments.workload == "resunetpp"
    model, loss_of, optimizer = (resunetpp if segmentation else mnist_cnn)(torch)
    layout, precision = arguments.peer.split("-")
    memory_format = torch.channels_last if layout == "channels_last" else torch.contiguous_format
    model = model.to(memory_format=memory_format)
    batch = arguments.batch
    if segmentation:
        x = torch.rand(batch, 3, arguments.size, arguments.size)
        y = (torch.rand(batch, 1, arguments.size, arguments.size) > 0.5).float()
    else:
        x, y = torch.randn(batch, 1, 28, 28), torch.randint(0, 10, (batch,))
    x = x.contiguous(memory_format=memory_format)
    times = []
    for step in range(arguments.steps + 2):
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision == "bf16"):
            prediction = model(x)
        loss = loss_of(prediction, y)
        loss.backward()
        optimizer.step()
        if step >= 2:
            times.append((time.perf_counter() - begin) * 1e3)
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"step_ms min={min(times):.3f} median={statistics.median(times):.3f} rss_mib={rss} "
          f"loss={loss.item():.7f}")


def measure(command, environment):
    output = subprocess.run(command, env=environment, check=True, capture_output=True,
                            text=True).stdout
    return {key: float(value) for key, value in re.findall(r"(\w+)=([-+.\deE]+)", output)}


def contestants(arguments):
    base = [arguments.benchmark, "--workload", arguments.workload, "--batch", str(arguments.batch),
            "--threads", str(arguments.threads), "--steps", str(arguments.steps), "--cache",
            arguments.cache]
    if arguments.workload == "resunetpp":
        base += ["--size", str(arguments.size)]
    for name in arguments.ours.split(","):
        algorithm, precision = name.split("-")
        yield "dlbench " + name, base + ["--algorithm", algorithm, "--precision", precision]
    for name in arguments.peers.split(","):
        yield "torch " + name, [sys.executable, os.path.abspath(__file__), "--peer", name,
                                "--workload", arguments.workload, "--batch", str(arguments.batch),
                                "--size", str(arguments.size), "--threads", str(arguments.threads),
                                "--steps", str(arguments.steps)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--benchmark", help="path of step_benchmark")
    parser.add_argument("--workload", choices=["resunetpp", "mnist_cnn"], default="resunetpp")
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cache", help="file of tuned kernels (default: of this call alone)")
    parser.add_argument("--ours", default="direct-f32,auto-f32,auto-bf16")
    parser.add_argument("--peers", default="nchw-f32,channels_last-f32,channels_last-bf16")
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.batch == 0:
        arguments.batch = 4 if arguments.workload == "resunetpp" else 64
    if arguments.peer:
        return peer_step(arguments)
    with tempfile.TemporaryDirectory() as folder:
        arguments.cache = arguments.cache or os.path.join(folder, "tuning.txt")
        compare(arguments)
    return 0


def compare(arguments):
    environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads))
    rows = {}
    for _ in range(arguments.rounds):
        for name, command in contestants(arguments):
            rows.setdefault(name, []).append(measure(command, environment))
    print(f"{arguments.workload}, batch {arguments.batch}, {arguments.threads} threads, "
          f"{arguments.rounds} rounds of {arguments.steps} steps")
    print(f"{'contestant':32} {'median ms':>10} {'best ms':>10} {'peak RSS MiB':>13}")
    for name, results in rows.items():
        print(f"{name:32} {statistics.median(r['median'] for r in results):10.1f} "
              f"{min(r['min'] for r in results):10.1f} {max(r['rss_mib'] for r in results):13.0f}")


if __name__ == "__main__":
    sys.exit(main())
