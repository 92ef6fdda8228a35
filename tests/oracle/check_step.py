# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Is a dumped training step right? Rebuilds it in PyTorch in float64 and compares every tensor.

usage: check_step.py DUMP.safetensors [--expect-planted ERROR,ERROR...]

Exit code 0: all within tolerance; 3: not; 4: a planted error was not found; 77: PyTorch is missing.
--expect-planted checks the checker: it puts one error after the other into the oracle (padding,
optimizer, dropout) or into the dump (gradient, update, statistics), and each must be found.

Tolerances: relative L2 errors of float32 against float64. Rounding alone is of the order of 1e-7 in
the loss and 1e-5 in the prediction. Gradients are worse: where an input of a ReLU lies within
rounding of zero, float32 and float64 take different sides, and the gradient of that path is there
or not. PyTorch's own float32 step of ResUNet++ (batch 2, 128 x 128) has 0.8e-3 over all gradients
in NCHW and 4.5e-3 in channels_last for this reason, dlbench on oneDNN 5.0e-3 with direct and 5.1e-3
with Winograd convolution. The limit is three times that; a single tensor may have ten times that.
"""
import argparse
import copy
import math
import sys

try:
    import torch
except ImportError as error:
    print(f"SKIP: no PyTorch: {error}")
    sys.exit(77)

import mnist_cnn_step
import resunetpp_step
from step_dump import StepDump

# Errors that can be planted: in the oracle, whose step is then another one, and in the dump.
IN_ORACLE = ("padding", "optimizer", "dropout")
IN_DUMP = ("gradient", "update", "statistics")

STEPS = {"resunetpp": resunetpp_step.run, "mnist_cnn": mnist_cnn_step.run}

TOLERANCES = {
    "loss": 1e-5,
    "prediction": 1e-4,
    "gradients together": 1.5e-2,
    "gradient": 5e-2,
    "update": 2e-3,
    "statistics": 1e-4,
}
# The smallest norm that a gradient's error is divided by, as a share of what its tensor would have
# if all gradients were spread evenly: biases in front of a batch norm have no gradient but noise.
# And that of a running mean, as a share of the standard deviation.
SMALLEST_SHARE = 0.05


class TorchDump(StepDump):
    """The dump as float64 torch tensors; labels and scalars of integers too."""

    def __init__(self, path):
        super().__init__(path)
        self.tensors = {n: torch.from_numpy(t.astype("float64")) for n, t in self.tensors.items()}


def relative(tested, expected, smallest=0.0):
    error = (tested - expected).norm().item()
    if error == 0.0:
        return 0.0
    return error / max(expected.norm().item(), smallest, 1e-300)


def planted_into(dump, plant):
    """The dump as an error in dlbench would have made it."""
    dump = copy.copy(dump)
    dump.tensors = dict(dump.tensors)
    name = sorted(dump.part("grad"))[0]
    if plant == "gradient":
        dump.tensors["grad/" + name] = -dump["grad/" + name]
    elif plant == "update":
        step = dump["after/" + name] - dump["before/" + name]
        dump.tensors["after/" + name] = dump["before/" + name] + 1.01 * step
    elif plant == "statistics":
        # The biased variance instead of the unbiased one.
        buffer = "b1.branch1_bn.running_var"
        batch, size = (int(dump.metadata[key]) for key in ("batch_size", "image_size"))
        pixels = batch * (size // 8) ** 2
        old, new = dump["before/" + buffer], dump["after/" + buffer]
        dump.tensors["after/" + buffer] = 0.99 * old + (new - 0.99 * old) * (pixels - 1) / pixels
    return dump


def compare(dump, limits, step):
    """Yields (part, tensor, error, tolerance)."""
    prediction, loss, parameters, statistics, update = step
    yield "loss", "loss", relative(dump["loss"].reshape(()), loss.detach()), limits["loss"]
    yield (
        "prediction",
        "output/prediction",
        relative(dump["output/prediction"], prediction.detach()),
        limits["prediction"],
    )
    expected = {n: p.grad for n, p in parameters.items()}
    squares = sum(g.norm().item() ** 2 for g in expected.values())
    elements = sum(g.numel() for g in expected.values())
    errors = sum((dump["grad/" + n] - g).norm().item() ** 2 for n, g in expected.items())
    yield (
        "gradients together",
        "all gradients",
        math.sqrt(errors / squares),
        limits["gradients together"],
    )
    for name, grad in expected.items():
        smallest = SMALLEST_SHARE * math.sqrt(squares * grad.numel() / elements)
        error = relative(dump["grad/" + name], grad, smallest)
        yield "gradient", "grad/" + name, error, limits["gradient"]
    for name in expected:
        # From the dump's own gradient: Nadam's step has the sign of a gradient that may be noise.
        before = dump["before/" + name].detach()
        step = update(name, dump["grad/" + name]) - before
        error = relative(dump["after/" + name] - before, step)
        yield "update", "after/" + name, error, limits["update"]
    for name, value in statistics.items():
        # Of what the step added: the old value has by far the larger weight.
        before = dump["before/" + name]
        smallest = 0.0
        if name.endswith(".running_mean"):
            # The mean behind a batch norm is zero but for noise; it matters beside the deviation.
            variance = statistics[name.replace(".running_mean", ".running_var")]
            smallest = SMALLEST_SHARE * variance.sum().sqrt().item()
        error = relative(dump["after/" + name] - before, value.detach() - before, smallest)
        yield "statistics", "after/" + name, error, limits["statistics"]


def check_complete(dump):
    """Every trained tensor was updated, and nothing else than statistics besides."""
    trained = set(dump.part("grad"))
    after = set(dump.part("after"))
    others = after - trained
    assert trained and trained <= after, "gradients without an update"
    assert all(".running_" in n for n in others), f"unknown state: {sorted(others)}"


def check(dump, step):
    """Prints the worst comparison of each part and what failed; returns how many failed."""
    rows = {}
    failed = []
    for part, tensor, error, tolerance in compare(dump, TOLERANCES, step):
        bad = not error <= tolerance  # a NaN is bad
        if bad:
            failed.append((part, tensor, error, tolerance))
        count, worst, worst_tensor, _ = rows.get(part, (0, -1.0, "", 0.0))
        if not error <= worst:
            worst, worst_tensor = error, tensor
        rows[part] = (count + 1, worst, worst_tensor, tolerance)
    for part, (count, worst, worst_tensor, tolerance) in rows.items():
        print(f"{part:<20}{count:>5}  worst {worst:9.2e}  tolerance {tolerance:7.1e}  {worst_tensor}")
    for part, tensor, error, tolerance in failed[:20]:
        print(f"FAILED {part}: {tensor}: {error:.2e} > {tolerance:.1e}")
    print(f"{len(failed)} of {sum(r[0] for r in rows.values())} comparisons failed", flush=True)
    return len(failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dump")
    parser.add_argument("--expect-planted", default="")
    arguments = parser.parse_args()
    plants = [plant for plant in arguments.expect_planted.split(",") if plant]
    for plant in plants:
        if plant not in IN_ORACLE + IN_DUMP:
            parser.error(f"no error '{plant}' can be planted; known: {', '.join(IN_ORACLE + IN_DUMP)}")
    torch.manual_seed(0)
    dump = TorchDump(arguments.dump)
    check_complete(dump)
    run = STEPS[dump.metadata["workload"]]
    step = run(dump, None)
    if check(dump, step):
        return 3
    for plant in plants:
        print(f"\nplanted: {plant}")
        if plant in IN_ORACLE:
            failures = check(dump, run(dump, plant))
        else:
            failures = check(planted_into(dump, plant), step)
        if not failures:
            print(f"the planted error '{plant}' was not found")
            return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
