# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the ref backend with PyTorch in float64, op by op.

ops_against_torch.py DUMP_PROGRAM: runs it into a temporary folder and rebuilds every case with
PyTorch's own functions (their rule, where PyTorch has them for GPUs only); gradients come from
PyTorch's autograd. Exit code 1 and a line per
difference if any result is further off than float64 rounding explains, 77 without PyTorch.
--plant OP spoils PyTorch's result of that op by one part in a million: the comparison must fail.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    print("skipped: PyTorch is not installed (Debian: python3-torch)")
    sys.exit(77)

from step_dump import read_safetensors

TOLERANCE = 1e-11  # relative to the largest element: sums of 1e4 terms in float64
# f32 by definition of the op, whatever the precision: pixels, counts.
TOLERANCE_F32 = 1e-6


def spatial(x, values):
    return [int(v) for v in values[: x.dim() - 2]]


def conv(a, i):
    x, weight = i["x"], i["weight"]
    before, after = spatial(x, a["pad_begin"]), spatial(x, a["pad_end"])
    # F.pad takes the last axis first.
    pads = [p for pair in reversed(list(zip(before, after))) for p in pair]
    function = F.conv2d if x.dim() == 4 else F.conv3d
    return function(
        F.pad(x, pads),
        weight,
        i.get("bias"),
        stride=spatial(x, a["stride"]),
        dilation=spatial(x, a["dilation"]),
        groups=a["groups"],
    )


def conv_transpose(a, i):
    """PyTorch pads both ends alike: where the ends differ, the whole result is cut by hand."""
    x = i["x"]
    before, after = spatial(x, a["pad_begin"]), spatial(x, a["pad_end"])
    output_padding = spatial(x, a["output_padding"])
    function = F.conv_transpose2d if x.dim() == 4 else F.conv_transpose3d
    alike = before == after
    y = function(
        x,
        i["weight"],
        stride=spatial(x, a["stride"]),
        padding=before if alike else 0,
        output_padding=output_padding,
        groups=a["groups"],
        dilation=spatial(x, a["dilation"]),
    )
    if not alike:
        for axis, (cut_before, cut_after) in enumerate(zip(before, after), start=2):
            y = y.narrow(axis, cut_before, y.shape[axis] - cut_before - cut_after)
    return y


def batch_norm(a, i, training):
    mean, var = i["running_mean"].clone(), i["running_var"].clone()
    y = F.batch_norm(
        i["x"], mean, var, i["gamma"], i["beta"], training, 1 - a["momentum"], a["epsilon"]
    )
    return y, mean, var


def normalize(a, i):
    y = i["x"].double().permute(0, 3, 1, 2) * a["scale"]
    shape = (1, -1, 1, 1)
    if a["mean"]:
        y = y - torch.tensor(a["mean"], dtype=torch.float64).reshape(shape)
    if a["stddev"]:
        y = y / torch.tensor(a["stddev"], dtype=torch.float64).reshape(shape)
    return y


def max_pool(a, i):
    x = i["x"]
    function = F.max_pool2d if x.dim() == 4 else F.max_pool3d
    return function(x, spatial(x, a["kernel"]), spatial(x, a["stride"]))


def upsample(a, i):
    factor = [float(f) for f in spatial(i["x"], a["factor"])]
    return F.interpolate(i["x"], scale_factor=factor, mode="nearest")


def dice_loss(a, i):
    both, predicted, truth = i["sums"]
    return 1 - (2 * both + a["smooth"]) / (predicted + truth + a["smooth"])


def dice_sums(a, i):
    y, p = i["mask"].double(), i["p"][:, 0]
    return torch.stack([(y * p).sum(), p.sum(), y.sum()])


def segmentation_counts(a, i):
    predicted, truth = i["p"][:, 0] > a["threshold"], i["mask"] > 0
    pairs = [(predicted, truth), (predicted, ~truth), (~predicted, truth), (~predicted, ~truth)]
    return torch.stack([(p & t).sum().double() for p, t in pairs])


def classification_counts(a, i):
    correct = (i["logp"].argmax(1) == i["label"]).sum()
    return torch.tensor([float(correct), float(len(i["label"]))], dtype=torch.float64)


def per_channel(gate, x):
    return gate.reshape(gate.shape + (1,) * (x.dim() - 2))


OPS = {
    "conv": conv,
    "conv_transpose": conv_transpose,
    "relu": lambda a, i: F.relu(i["x"]),
    "sigmoid": lambda a, i: torch.sigmoid(i["x"]),
    "add": lambda a, i: i["a"] + i["b"],
    "multiply": lambda a, i: i["a"] * i["b"],
    "add_bias": lambda a, i: i["x"] + per_channel(i["bias"][None], i["x"]),
    "scale_channels": lambda a, i: i["x"] * per_channel(i["gate"], i["x"]),
    "global_avg_pool": lambda a, i: i["x"].flatten(2).mean(2),
    "max_pool": max_pool,
    "upsample_nearest": upsample,
    "linear": lambda a, i: F.linear(i["x"], i["weight"], i.get("bias")),
    "concat": lambda a, i: torch.cat([i[k] for k in sorted(i) if k.startswith("part")], 1),
    "slice": lambda a, i: i["x"][:, a["begin"] : a["begin"] + a["extent"]],
    "log_softmax": lambda a, i: F.log_softmax(i["x"], 1),
    "nll_loss": lambda a, i: F.nll_loss(i["logp"], i["label"].long()),
    "dice_loss": dice_loss,
    "dice_sums": dice_sums,
    "normalize_image": normalize,
    "segmentation_counts": segmentation_counts,
    "classification_counts": classification_counts,
}



def unscale_gradients(a, i):
    """torch._amp_foreach_non_finite_check_and_unscale_ (GPU only), in float64."""
    gradients = [name for name in i if name not in ("loss_scale", "found_inf")]
    result = {name: i[name] / i["loss_scale"].double() for name in gradients}
    finite = all(bool(g.isfinite().all()) for g in result.values())
    return {**result, "found_inf": i["found_inf"] if finite else torch.ones(())}


def update_loss_scale(a, i):
    """torch._amp_update_scale_ (GPU only), and the count of skipped steps."""
    scale, good, skipped = i["loss_scale"].double(), i["good_steps"] + 1, i["skipped_steps"]
    if i["found_inf"]:
        scale, good, skipped = scale * a["backoff"], torch.tensor(0), skipped + 1
    elif good == a["interval"]:
        scale, good = scale * a["growth"], torch.tensor(0)
    return {
        "loss_scale": scale,
        "good_steps": good,
        "skipped_steps": skipped,
        "found_inf": torch.zeros(()),
    }


# Ops that have no output and update state: name of the state -> its value after.
STATE_OPS = {"unscale_gradients": unscale_gradients, "update_loss_scale": update_loss_scale}

# Compared elsewhere: dropout by its counters (philox.py) in the step of mnist_cnn, casts bit by bit
# in the unit tests; single updates of the optimizers as trajectories below.
ELSEWHERE = {"dropout", "cast", "optimizer_advance", "sgd", "adam", "nadam", "adadelta"}


class Comparison:
    def __init__(self):
        self.results = 0
        self.failures = []

    def check(self, where, got, want):
        """got: numpy array of the dump; want: PyTorch's."""
        self.results += 1
        got, want = torch.tensor(got).double(), want.detach().double()
        if got.shape != want.shape:
            self.failures.append(f"{where}: shape {tuple(got.shape)}, PyTorch {tuple(want.shape)}")
            return
        scale = want.abs().max().item() or 1.0
        error = (got - want).abs().max().item() / scale
        f32_result = where.split(" ")[0].startswith("normalize_image")
        if not error <= (TOLERANCE_F32 if f32_result else TOLERANCE):
            self.failures.append(f"{where}: relative difference {error:.3g}")


def operands(case, tensors):
    result = {}
    for name, array in tensors.items():
        if name.startswith("in/") and not name.startswith("in/seed_"):
            tensor = torch.tensor(array)
            if name[3:] in case["gradients"]:
                tensor.requires_grad_(True)
            result[name[3:]] = tensor
    return result


def compare_case(name, case, tensors, comparison, plant):
    op, attributes = case["op"], case["attributes"]
    inputs = operands(case, tensors)
    spoil = 1.000001 if op == plant else 1.0
    if op in STATE_OPS:
        for state, after in STATE_OPS[op](attributes, inputs).items():
            where = f"{name} {state} ({case['note']})"
            comparison.check(where, tensors[f"out/{state}"], after.double() * spoil)
        return
    if op in ("batch_norm", "batch_norm_inference"):
        y, mean, var = batch_norm(attributes, inputs, op == "batch_norm")
        if op == "batch_norm":
            comparison.check(f"{name} running_mean", tensors["out/running_mean"], mean)
            comparison.check(f"{name} running_var", tensors["out/running_var"], var)
    elif op == "reshape":
        y = inputs["x"].reshape(tensors["out/reshape"].shape)
    else:
        y = OPS[op](attributes, inputs)
    y = y * spoil
    comparison.check(f"{name} ({case['note']})", tensors[f"out/{op}"], y)
    if case["gradients"]:
        y.backward(torch.tensor(tensors[f"in/seed_{op}"]))
        for operand, result in case["gradients"].items():
            comparison.check(
                f"{name} gradient of {operand} ({case['note']})",
                tensors[result],
                inputs[operand].grad,
            )


class KerasNadam:
    """Nadam as Keras 2.14 computes it (keras/optimizers/nadam.py, update_step).

    PyTorch 1.13's own NAdam is no reference: forming the product of momenta of the next step, it
    multiplies by the current one twice.
    """

    def __init__(self, w, learning_rate, betas, epsilon):
        self.w, self.learning_rate, self.betas, self.epsilon = w, learning_rate, betas, epsilon
        self.m, self.v = torch.zeros_like(w), torch.zeros_like(w)
        self.product, self.t = 1.0, 0

    def momentum(self, t):
        return self.betas[0] * (1.0 - 0.5 * 0.96**t)

    def step(self):
        beta_1, beta_2 = self.betas
        self.t += 1
        u_t, u_next = self.momentum(self.t), self.momentum(self.t + 1)
        self.product *= u_t
        with torch.no_grad():
            g = self.w.grad
            self.m = beta_1 * self.m + (1 - beta_1) * g
            self.v = beta_2 * self.v + (1 - beta_2) * g**2
            m_hat = u_next * self.m / (1 - self.product * u_next) + (1 - u_t) * g / (
                1 - self.product
            )
            v_hat = self.v / (1 - beta_2**self.t)
            self.w -= self.learning_rate * m_hat / (v_hat.sqrt() + self.epsilon)


def make_optimizer(case, w):
    a, lr = case["attributes"], case["learning_rate"]
    betas = (a["beta1"], a["beta2"])
    decay = a["weight_decay"]
    kind = case["optimizer"]
    if kind == "sgd":
        return torch.optim.SGD([w], lr, momentum=a["momentum"], weight_decay=decay)
    if kind == "adam":
        return torch.optim.Adam([w], lr, betas=betas, eps=a["epsilon"], weight_decay=decay)
    if kind == "adadelta":
        return torch.optim.Adadelta([w], lr, rho=a["rho"], eps=a["epsilon"])
    return KerasNadam(w, lr, betas, a["epsilon"])


def compare_steps(name, case, tensors, comparison, plant):
    w = torch.nn.Parameter(torch.tensor(tensors["w/0"]))
    optimizer = make_optimizer(case, w)
    for step in range(1, case["steps"] + 1):
        w.grad = torch.tensor(tensors[f"grad/{step}"])
        optimizer.step()
        spoil = 1.000001 if case["optimizer"] == plant else 1.0
        comparison.check(f"{name} step {step}", tensors[f"w/{step}"], w * spoil)


def compare_folder(folder, plant):
    comparison = Comparison()
    seen = set()
    for path in sorted(folder.glob("*.safetensors")):
        if path.stem.rpartition("_")[0] in ELSEWHERE:
            continue
        tensors, metadata = read_safetensors(path)
        case = json.loads(metadata["case"])
        if "optimizer" in case:
            compare_steps(path.stem, case, tensors, comparison, plant)
            seen.add(case["optimizer"])
        else:
            compare_case(path.stem, case, tensors, comparison, plant)
            seen.add(case["op"])
    missing = (set(OPS) | set(STATE_OPS)) - seen
    if missing:
        comparison.failures.append(f"no case of {', '.join(sorted(missing))} was dumped")
    return comparison


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dump_program")
    parser.add_argument("--plant", metavar="OP", default="")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([arguments.dump_program, folder], check=True)
        comparison = compare_folder(pathlib.Path(folder), arguments.plant)
    for failure in comparison.failures:
        print(failure)
    print(f"{comparison.results} results compared, {len(comparison.failures)} differ")
    return 1 if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main())
