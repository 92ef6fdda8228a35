# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""The MNIST CNN in PyTorch, written from its definition; see docs/workloads/mnist_cnn.md."""
import torch
import torch.nn.functional as F

from philox import dropout_mask


def adadelta(before, grad, rate, rho=0.9, epsilon=1e-6):
    """The first step of Zeiler 2012, algorithm 1, with PyTorch's epsilons."""
    square = (1.0 - rho) * grad**2
    return before - rate * (epsilon**0.5 / (square + epsilon).sqrt()) * grad


def run(dump, plant):
    """Rebuilds the step; see resunetpp_step.run."""
    before = dump.part("before")
    parameters = {n: before[n].clone().requires_grad_(True) for n in dump.part("grad")}
    p = parameters
    seed, step, first = (int(before[n].item()) for n in ("seed", "step", "first_sample"))
    if plant == "dropout":
        seed += 1

    def dropout(x, key, rate):
        mask = torch.from_numpy(dropout_mask(seed, step, key, first, tuple(x.shape), rate))
        return x * mask / (1.0 - rate)

    x = F.relu(F.conv2d(dump["input/image"], p["conv1.weight"], p["conv1.bias"]))
    x = F.relu(F.conv2d(x, p["conv2.weight"], p["conv2.bias"]))
    x = dropout(F.max_pool2d(x, 2), 0, 0.25).flatten(1)
    x = dropout(F.relu(F.linear(x, p["fc1.weight"], p["fc1.bias"])), 1, 0.5)
    prediction = F.log_softmax(F.linear(x, p["fc2.weight"], p["fc2.bias"]), dim=1)
    loss = F.nll_loss(prediction, dump["input/label"].long())
    loss.backward()

    def update(name, grad):
        rate = before["learning_rate"].item()
        return adadelta(before[name].detach(), grad, rate, rho=0.95 if plant == "optimizer" else 0.9)

    return prediction, loss, parameters, {}, update
