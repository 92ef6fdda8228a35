# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Trains resunetpp with `dlbench train` and again in PyTorch in float64: are the histories alike?

usage: segmentation_training_test.py --dlbench PROGRAM [--device NAME] [--ranks N [--sync-loss]] [--expect-planted]

What a single step (oracle_test.py) does not show: Nadam beyond its first step, running statistics after several, the
evaluation with them, a last batch of the validation that is no whole one, and what ranks make of unequal shares. The
learning rate is small: at a usual one ReLUs turn over within a few steps, and the signs of Nadam's steps with them.
--expect-planted: with an error in Nadam's momentum PyTorch's history must differ. Exit code 77: no PyTorch or MPICH.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
    from PIL import Image
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

from resunetpp_step import ResUNetPlusPlus
from sample_order import shares, shuffled
from step_dump import read_safetensors

SEED, SIDE, EPOCHS, RATE = 5, 32, 3, 1e-6
BATCH, TRAINED, TESTED = 5, 5, 7
# Losses of f32 against float64 differ by 9e-7, statistics, beside what training made of them, by 3e-6.
LOSS_TOLERANCE = 4e-6
STATISTICS_TOLERANCE = 2e-5
LAUNCHER = "mpiexec.hydra"


def write_data(folder):
    """Discs on noise, in Kvasir-SEG's layout."""
    random = np.random.default_rng(3)
    data = {}
    for part, count in (("train", TRAINED), ("valid", TESTED)):
        images, masks = [], []
        for kind in ("images", "masks"):
            os.makedirs(os.path.join(folder, part, kind))
        for index in range(count):
            y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE
            disc = (y - random.uniform(0.3, 0.7)) ** 2 + (x - random.uniform(0.3, 0.7)) ** 2
            mask = disc < random.uniform(0.15, 0.3) ** 2
            noise = random.integers(-30, 30, (SIDE, SIDE, 3))
            image = (90 + 60 * mask[..., None] + 30 * x[..., None] + noise).astype(np.uint8)
            Image.fromarray(image).save(os.path.join(folder, part, "images", f"{index:03}.png"))
            Image.fromarray((mask * 255).astype(np.uint8)).save(os.path.join(folder, part, "masks", f"{index:03}.png"))
            images.append(image.transpose(2, 0, 1))
            masks.append(mask[None])
        data[part] = torch.from_numpy(np.stack(images) / 255.0), torch.from_numpy(np.stack(masks).astype(np.float64))
    return data


def dice_sums(prediction, mask):
    return torch.stack([(prediction * mask).sum(), prediction.sum(), mask.sum()])


def dice_loss(sums):
    return 1.0 - (2.0 * sums[0] + 1.0) / (sums[1] + sums[2] + 1.0)


class Nadam:
    """Keras 2.14's: beta 0.9 and 0.999, epsilon 1e-7."""

    def __init__(self, parameters, forgets):
        self.parameters, self.forgets = parameters, forgets
        self.m = {n: torch.zeros_like(p) for n, p in parameters.items()}
        self.v = {n: torch.zeros_like(p) for n, p in parameters.items()}
        self.step_number, self.product = 0, 1.0

    def momentum(self, step):
        return 0.9 * (1.0 - 0.5 * 0.96**step)

    @torch.no_grad()
    def step(self):
        self.step_number += 1
        u, next_u = self.momentum(self.step_number), self.momentum(self.step_number + 1)
        self.product = u if self.forgets else self.product * u
        rate = float(np.float32(RATE))
        for name, parameter in self.parameters.items():
            grad = parameter.grad
            self.m[name] += 0.1 * (grad - self.m[name])
            self.v[name] += (1.0 - 0.999) * (grad**2 - self.v[name])
            m_hat = next_u * self.m[name] / (1.0 - self.product * next_u) + (1.0 - u) * grad / (1.0 - self.product)
            v_hat = self.v[name] / (1.0 - 0.999**self.step_number)
            parameter -= rate * m_hat / (v_hat.sqrt() + 1e-7)


class Training:
    """PyTorch's, of all ranks; `planted`: the product of momenta is that of one step."""

    def __init__(self, data, before, ranks, sync_loss, planted=False):
        self.data, self.ranks, self.sync_loss = data, ranks, sync_loss
        statistics = {n: t for n, t in before.items() if ".running_" in n}
        self.parameters = {
            n: t.clone().requires_grad_(True) for n, t in before.items() if n.endswith(("weight", "bias"))
        }
        self.networks = [ResUNetPlusPlus(self.parameters, statistics) for _ in range(ranks)]
        self.optimizer = Nadam(self.parameters, planted)

    def broadcast_statistics(self):
        for network in self.networks[1:]:
            network.statistics = dict(self.networks[0].statistics)

    def losses(self, part, samples, training):
        """Of each rank that has samples: its loss and how many they are."""
        images, masks = self.data[part]
        sums, counts = [], []
        for network, (begin, end) in zip(self.networks, shares(len(samples), self.ranks)):
            if begin == end:
                continue
            network.training = training
            own = samples[begin:end]
            sums.append(dice_sums(network.forward(images[own]), masks[own]))
            counts.append(end - begin)
        if self.sync_loss:
            return [dice_loss(sum(sums))] * len(sums), counts
        return [dice_loss(one) for one in sums], counts

    def epoch(self, number):
        """Loss of training and of validation."""
        order = shuffled(TRAINED, SEED, number)
        train_loss = valid_loss = 0.0
        for begin in range(0, TRAINED, BATCH):
            self.broadcast_statistics()
            for parameter in self.parameters.values():
                parameter.grad = None
            losses, counts = self.losses("train", order[begin : begin + BATCH], True)
            loss = sum(one * count for one, count in zip(losses, counts)) / BATCH
            loss.backward()
            self.optimizer.step()
            train_loss += loss.item() / (TRAINED // BATCH)
            for network in self.networks:
                network.statistics = {n: t.detach() for n, t in network.statistics.items()}
        self.broadcast_statistics()
        with torch.no_grad():
            for begin in range(0, TESTED, BATCH):
                samples = list(range(begin, min(begin + BATCH, TESTED)))
                losses, counts = self.losses("valid", samples, False)
                valid_loss += sum(one.item() * count for one, count in zip(losses, counts)) / TESTED
        return train_loss, valid_loss


def differences(history, training):
    """A line for each loss of the history that is another one."""
    lines = []
    if len(history) != EPOCHS:
        lines.append(f"{len(history)} epochs, not {EPOCHS}")
    for number, seen in enumerate(history):
        for name, value in zip(("train_loss", "valid_loss"), training.epoch(number)):
            print(f"epoch {number + 1}: {name} {seen[name]:.9f}, PyTorch {value:.9f}")
            if not abs(seen[name] - value) <= LOSS_TOLERANCE:
                lines.append(f"epoch {number + 1}: {name} is {seen[name]:.9f}, not {value:.9f}")
    return lines


def train(arguments, options, folder):
    """The history of dlbench and its model behind the last epoch."""
    report, model = os.path.join(folder, "report.json"), os.path.join(folder, "model")
    command = [arguments.dlbench, "train", *options, "--device", arguments.device, "--data", folder, "--image-size",
               str(SIDE), "--global-batch-size", str(BATCH), "--epochs", str(EPOCHS), "--learning-rate", str(RATE),
               "--conv-algorithm", "direct", "--probes", "none", "--workers", "1", "--output", report, "--checkpoint",
               model, "--quiet"]
    if arguments.sync_loss:
        command.append("--sync-loss")
    if arguments.ranks > 1:
        command = [LAUNCHER, "-n", str(arguments.ranks), *command]
    print(" ".join(command), flush=True)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(report, encoding="utf-8") as file:
        return json.load(file)["history"], read_safetensors(model)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dlbench", required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--sync-loss", action="store_true")
    parser.add_argument("--expect-planted", action="store_true")
    arguments = parser.parse_args()
    plugin = os.path.join(os.path.dirname(arguments.dlbench), "libdlbench_mpi_mpich.so")
    if arguments.ranks > 1 and not (shutil.which(LAUNCHER) and os.path.exists(plugin)):
        print("skipped: no MPICH")
        return 77
    torch.set_num_threads(1)
    options = ["--workload", "resunetpp", "--seed", str(SEED), "--threads", "1"]
    with tempfile.TemporaryDirectory(prefix="dlbench_oracle_") as folder:
        data = write_data(folder)
        dump = os.path.join(folder, "dump")
        subprocess.run([arguments.dlbench, "verify", *options, "--backend", "ref", "--batch-size", "1", "--image-size",
                        "16", "--dump", dump], check=True, stdout=subprocess.DEVNULL)
        history, trained = train(arguments, options, folder)
        before = {n[len("before/") :]: torch.from_numpy(t.astype(np.float64))
                  for n, t in read_safetensors(dump)[0].items() if n.startswith("before/")}
    training = Training(data, before, arguments.ranks, arguments.sync_loss)
    failures = differences(history, training)
    # The model that was kept is that of the lowest validation loss, here of the last epoch.
    assert min(history, key=lambda epoch: epoch["valid_loss"]) is history[-1]
    error, moved = 0.0, 0.0
    for name, wanted in training.networks[0].statistics.items():
        error += ((torch.from_numpy(trained[name].astype(np.float64)) - wanted) ** 2).sum().item()
        moved += ((wanted - before[name]) ** 2).sum().item()
    relative = (error / moved) ** 0.5
    print(f"running statistics: relative error of what was trained {relative:.1e}")
    if not relative <= STATISTICS_TOLERANCE:
        failures.append(f"running statistics after training: {relative:.2e} > {STATISTICS_TOLERANCE:.0e}")
    print("\n".join(failures))
    print(f"{len(failures)} differences in {EPOCHS} epochs")
    if failures:
        return 3
    if arguments.expect_planted:
        found = differences(history, Training(data, before, arguments.ranks, arguments.sync_loss, planted=True))
        print(f"planted in Nadam's momentum: {len(found)} differences")
        return 0 if found else 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
