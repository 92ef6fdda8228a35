# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""ResUNet++ in PyTorch, written from its published definition; see docs/workloads/resunetpp.md."""
import torch
import torch.nn.functional as F

BATCH_NORM_EPSILON = 1e-3
BATCH_NORM_MOMENTUM = 0.99


class ResUNetPlusPlus:
    """The forward pass over a dictionary of tensors. Collects the running statistics it updates.

    training: normalizes by the batch, else by the running statistics.
    symmetric_padding: pads strided convolutions on both sides, as PyTorch users would; a planted
    error, Keras pads at the bottom and right.
    """

    def __init__(self, parameters, statistics, symmetric_padding=False):
        self.p = parameters
        self.statistics = dict(statistics)
        self.symmetric_padding = symmetric_padding
        self.training = True

    def conv(self, x, name, stride=1, dilation=1):
        weight = self.p[name + ".weight"]
        reach = (weight.shape[2] - 1) * dilation
        if stride == 1 or self.symmetric_padding:
            x = F.pad(x, [reach // 2] * 4)
        else:
            total = max((-(-x.shape[2] // stride) - 1) * stride + reach + 1 - x.shape[2], 0)
            before = total // 2
            x = F.pad(x, [before, total - before, before, total - before])
        return F.conv2d(x, weight, self.p[name + ".bias"], stride=stride, dilation=dilation)

    def norm(self, x, name):
        mean = self.statistics[name + ".running_mean"].clone()
        var = self.statistics[name + ".running_var"].clone()
        y = F.batch_norm(
            x,
            mean,
            var,
            self.p[name + ".weight"],
            self.p[name + ".bias"],
            training=self.training,
            momentum=1.0 - BATCH_NORM_MOMENTUM,
            eps=BATCH_NORM_EPSILON,
        )
        self.statistics[name + ".running_mean"] = mean
        self.statistics[name + ".running_var"] = var
        return y

    def activated(self, x, name):
        return F.relu(self.norm(x, name))

    def squeeze_excite(self, x, name):
        gate = x.mean(dim=(2, 3))
        gate = F.relu(gate @ self.p[name + ".se_fc1.weight"].T)
        gate = torch.sigmoid(gate @ self.p[name + ".se_fc2.weight"].T)
        return x * gate[:, :, None, None]

    def stem(self, x, name):
        y = self.conv(x, name + ".conv1")
        y = self.conv(self.activated(y, name + ".bn1"), name + ".conv2")
        shortcut = self.norm(self.conv(x, name + ".shortcut_conv"), name + ".shortcut_bn")
        return self.squeeze_excite(y + shortcut, name)

    def residual(self, x, name, stride):
        y = self.conv(self.activated(x, name + ".bn1"), name + ".conv1", stride)
        y = self.conv(self.activated(y, name + ".bn2"), name + ".conv2")
        shortcut = self.conv(x, name + ".shortcut_conv", stride)
        return self.squeeze_excite(y + self.norm(shortcut, name + ".shortcut_bn"), name)

    def aspp(self, x, name):
        total = 0
        for branch, dilation in enumerate((6, 12, 18, 1), start=1):
            stem = f"{name}.branch{branch}"
            total = total + self.norm(
                self.conv(x, stem + "_conv", dilation=dilation), stem + "_bn"
            )
        return self.conv(total, name + ".project")

    def attention(self, g, x, name):
        a = F.max_pool2d(self.conv(self.activated(g, name + ".g_bn"), name + ".g_conv"), 2)
        b = self.conv(self.activated(x, name + ".x_bn"), name + ".x_conv")
        return self.conv(self.activated(a + b, name + ".sum_bn"), name + ".sum_conv") * x

    def decoder(self, x, skip, stage):
        x = self.attention(skip, x, f"att{stage}")
        x = F.interpolate(x, scale_factor=2, mode="nearest")
        return self.residual(torch.cat([x, skip], dim=1), f"d{stage}", 1)

    def forward(self, image):
        c1 = self.stem(image, "c1")
        c2 = self.residual(c1, "c2", 2)
        c3 = self.residual(c2, "c3", 2)
        c4 = self.residual(c3, "c4", 2)
        d1 = self.decoder(self.aspp(c4, "b1"), c3, 1)
        d2 = self.decoder(d1, c2, 2)
        d3 = self.decoder(d2, c1, 3)
        return torch.sigmoid(self.conv(self.aspp(d3, "out"), "head"))


def dice_loss(prediction, mask):
    """1 - Dice, sums over the whole batch, smoothed by 1."""
    target = mask.reshape(prediction.shape)
    both = 2.0 * (target * prediction).sum() + 1.0
    return 1.0 - both / (target.sum() + prediction.sum() + 1.0)


def nadam(before, grad, rate, old_schedule=False):
    """The first step of Keras 2.14's Nadam: beta 0.9 and 0.999, epsilon 1e-7.

    old_schedule: the momentum decay of Keras before 2.11; a planted error.
    """
    beta1, beta2, epsilon = 0.9, 0.999, 1e-7
    decay = 0.96**0.004 if old_schedule else 0.96
    u1 = beta1 * (1.0 - 0.5 * decay**1)
    u2 = beta1 * (1.0 - 0.5 * decay**2)
    m = (1.0 - beta1) * grad
    v = (1.0 - beta2) * grad**2
    m_hat = u2 * m / (1.0 - u1 * u2) + (1.0 - u1) * grad / (1.0 - u1)
    v_hat = v / (1.0 - beta2)
    return before - rate * m_hat / (v_hat.sqrt() + epsilon)


def run(dump, plant):
    """Rebuilds the step. Returns prediction, loss and running statistics; gradients are in .grad."""
    before = dump.part("before")
    trained = dump.part("grad")
    parameters = {n: before[n].clone().requires_grad_(True) for n in trained}
    statistics = {n: t for n, t in before.items() if ".running_" in n}
    network = ResUNetPlusPlus(parameters, statistics, symmetric_padding=plant == "padding")
    prediction = network.forward(dump["input/image"])
    loss = dice_loss(prediction, dump["input/mask"])
    loss.backward()

    def update(name, grad):
        rate = before["learning_rate"].item()
        return nadam(before[name].detach(), grad, rate, old_schedule=plant == "optimizer")

    return prediction, loss, parameters, network.statistics, update
