# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Trains mnist_cnn with `dlbench train` and again in PyTorch in float64: are the histories alike?

usage: training_test.py --dlbench PROGRAM --device NAME [--expect-planted]

What a single step (oracle_test.py) does not show: the optimizer's state and the dropout masks of later
steps, the order of the samples, the partial batch at the end of an epoch, the rate of each epoch, and
what the history makes of all that. Images and labels are written here; the initial weights are those of
`verify --dump`. --expect-planted: with an error in the schedule, the shuffle, the masks or the weighting
of the last batch, PyTorch's history must differ, each error by itself. Exit code 77: no PyTorch.
"""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
    import torch.nn.functional as F
except ImportError as error:
    print(f"SKIP: no PyTorch: {error}")
    sys.exit(77)

from philox import dropout_mask
from sample_order import shuffled
from step_dump import read_safetensors

SEED, BATCH, EPOCHS = 5, 16, 3
SAMPLES, TESTED = 54, 23  # the last batches have 6 and 7
# Losses of f32 against float64 after 12 steps differ by 1e-7; weights, beside what training made of
# them, by 2e-6.
LOSS_TOLERANCE = 1e-5
WEIGHT_TOLERANCE = 1e-4
PLANTS = ("schedule", "shuffle", "dropout", "last batch")


def write_data(folder):
    """IDX files: noise, with a bar whose place says the class."""
    random = np.random.default_rng(7)
    data = {}
    for part, count in (("train", SAMPLES), ("t10k", TESTED)):
        labels = random.integers(0, 10, count).astype(np.uint8)
        images = random.integers(0, 120, (count, 28, 28)).astype(np.uint8)
        for image, label in zip(images, labels):
            image[2 * label : 2 * label + 6, 4:24] += 100
        with open(os.path.join(folder, f"{part}-images-idx3-ubyte"), "wb") as file:
            file.write(struct.pack(">IIII", 0x803, count, 28, 28) + images.tobytes())
        with open(os.path.join(folder, f"{part}-labels-idx1-ubyte"), "wb") as file:
            file.write(struct.pack(">II", 0x801, count) + labels.tobytes())
        pixels = (torch.from_numpy(images.astype(np.float64)) / 255.0 - 0.1307) / 0.3081
        data[part] = pixels[:, None], torch.from_numpy(labels.astype(np.int64))
    return data


class Network:
    def __init__(self, weights):
        self.weights = {n: w.clone().requires_grad_(True) for n, w in weights.items()}
        self.step = 0

    def dropout(self, x, key, rate, seed):
        if seed is None:
            return x
        mask = torch.from_numpy(dropout_mask(seed, self.step, key, 0, tuple(x.shape), rate))
        return x * mask / (1.0 - rate)

    def __call__(self, x, seed=None):
        """Logarithms of probabilities; `seed`: of dropout, in train mode."""
        w = self.weights
        x = F.relu(F.conv2d(x, w["conv1.weight"], w["conv1.bias"]))
        x = F.relu(F.conv2d(x, w["conv2.weight"], w["conv2.bias"]))
        x = self.dropout(F.max_pool2d(x, 2), 0, 0.25, seed).flatten(1)
        x = self.dropout(F.relu(F.linear(x, w["fc1.weight"], w["fc1.bias"])), 1, 0.5, seed)
        return F.log_softmax(F.linear(x, w["fc2.weight"], w["fc2.bias"]), dim=1)


def train(data, weights, plant=None):
    """The history and the weights of PyTorch, with an error if one is planted."""
    network = Network(weights)
    optimizer = torch.optim.Adadelta(network.weights.values(), lr=1.0)  # rho 0.9, epsilon 1e-6
    gamma = 1.0 if plant == "schedule" else 0.7
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=gamma)
    images, labels = data["train"]
    history = []
    for epoch in range(EPOCHS):
        order = shuffled(SAMPLES, SEED, 0 if plant == "shuffle" else epoch)
        loss_sum, correct, weight = 0.0, 0, 0
        for begin in range(0, SAMPLES, BATCH):
            batch = order[begin : begin + BATCH]
            optimizer.zero_grad()
            if plant == "dropout":
                network.step = 0
            prediction = network(images[batch], SEED)
            loss = F.nll_loss(prediction, labels[batch])
            loss.backward()
            optimizer.step()
            network.step += 1
            samples = BATCH if plant == "last batch" else len(batch)
            loss_sum, weight = loss_sum + loss.item() * samples, weight + samples
            correct += (prediction.argmax(1) == labels[batch]).sum().item()
        with torch.no_grad():
            tested, wanted = network(data["t10k"][0]), data["t10k"][1]
            history.append(
                {
                    "learning_rate": optimizer.param_groups[0]["lr"],
                    "train_loss": loss_sum / weight,
                    "valid_loss": F.nll_loss(tested, wanted).item(),
                    "train_accuracy": correct / SAMPLES,
                    "accuracy": (tested.argmax(1) == wanted).sum().item() / TESTED,
                }
            )
        schedule.step()
    return history, {n: w.detach() for n, w in network.weights.items()}


def differences(seen, expected):
    """A line for each number of the history that is another one."""
    lines = []
    if len(seen) != len(expected):
        lines.append(f"{len(seen)} epochs, not {len(expected)}")
    for number, (one, other) in enumerate(zip(seen, expected), start=1):
        flat = {**one, **one["metrics"]}
        for name, value in other.items():
            if not abs(flat[name] - value) <= LOSS_TOLERANCE * abs(value):
                lines.append(f"epoch {number}: {name} {flat[name]:.8g}, PyTorch {value:.8g}")
    return lines


def run(*command):
    print(" ".join(command), flush=True)
    subprocess.run(command, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dlbench", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--expect-planted", action="store_true")
    arguments = parser.parse_args()
    common = ["--workload", "mnist_cnn", "--seed", str(SEED), "--threads", "1"]
    with tempfile.TemporaryDirectory(prefix="dlbench_oracle_") as folder:
        dump, report, best = (os.path.join(folder, name) for name in ("dump", "report", "best"))
        data = write_data(folder)
        run(arguments.dlbench, "verify", *common, "--backend", arguments.device, "--batch-size", "1",
            "--dump", dump)
        run(arguments.dlbench, "train", *common, "--device", arguments.device, "--data", folder,
            "--batch-size", str(BATCH), "--epochs", str(EPOCHS), "--probes", "none",
            "--output", report, "--checkpoint", best)
        with open(report, encoding="utf-8") as file:
            seen = json.load(file)["history"]
        trained = read_safetensors(best)[0]
        before = read_safetensors(dump)[0]
    weights = {n: torch.from_numpy(before["before/" + n].astype(np.float64)) for n in trained}
    history, expected = train(data, weights)
    failures = differences(seen, history)
    # The checkpoint is that of the lowest validation loss, here of the last epoch.
    assert min(range(EPOCHS), key=lambda epoch: history[epoch]["valid_loss"]) == EPOCHS - 1
    for name, weight in expected.items():
        error = (torch.from_numpy(trained[name].astype(np.float64)) - weight).norm()
        error = (error / (weight - weights[name]).norm()).item()
        print(f"{name:<14} relative error of what was trained {error:.1e}")
        if not error <= WEIGHT_TOLERANCE:
            failures.append(f"{name} after training: {error:.2e} > {WEIGHT_TOLERANCE:.0e}")
    print("\n".join(failures))
    print(f"{len(failures)} differences in {EPOCHS} epochs of {-(-SAMPLES // BATCH)} steps")
    if failures:
        return 3
    for plant in PLANTS if arguments.expect_planted else ():
        found = differences(seen, train(data, weights, plant)[0])
        print(f"planted {plant}: {len(found)} differences")
        if not found:
            return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
