#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Training: losses and metrics by epoch."""

import report_plot as plot

METRIC_COLOURS = ["#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442"]


def curve(axes, history, value_of, **style):
    """Draws the epochs that have the value."""
    points = [(epoch["epoch"], value_of(epoch)) for epoch in history]
    points = [(epoch, value) for epoch, value in points if value is not None]
    if points:
        axes.plot(*zip(*points), marker="o", markersize=3.5, linewidth=1.5, **style)


def draw(report):
    """Plots the training history."""
    from matplotlib.ticker import MaxNLocator

    history = report["history"]
    if not history:
        if plot.is_of(report, "train"):
            raise plot.PlotError("no epoch was finished" + plot.how_it_ended(report))
        raise plot.PlotError(
            "the report has no training history: it is not of dlbench train" + plot.what_can_be_plotted(report)
        )
    # A metric that is null in every epoch (0 / 0) has no curve.
    names = {name for epoch in history for name, value in epoch["metrics"].items() if value is not None}
    # "train_dice" and the like stand in the report; the panel is about the validation.
    metrics = sorted(name for name in names if not name.startswith("train_"))
    figure, panels = plot.new_figure(2 if metrics else 1, 3)
    losses = panels[0]
    curve(losses, history, lambda epoch: epoch.get("train_loss"), color="#0072B2", label="training")
    curve(losses, history, lambda epoch: epoch.get("valid_loss"), color="#E69F00", label="validation")
    losses.set_ylabel("loss")
    losses.set_title("Loss")
    if losses.lines:
        losses.legend()
    else:
        plot.no_data(losses, "no loss was finite")
    if metrics:
        for index, name in enumerate(metrics):
            values = [epoch["metrics"].get(name) for epoch in history]
            last = next(value for value in reversed(values) if value is not None)
            curve(
                panels[1],
                history,
                lambda epoch, name=name: epoch["metrics"].get(name),
                color=METRIC_COLOURS[index % len(METRIC_COLOURS)],
                label=f"{name}: {last:.3f}",
            )
        panels[1].set_ylabel("metric")
        panels[1].set_title("Validation metrics, with their last value")
        panels[1].legend()
    for axes in panels:
        # Without min_n_ticks the axis of one epoch, which is shorter than 1, gets ticks between the integers.
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    panels[-1].set_xlabel("epoch")
    return figure


if __name__ == "__main__":
    plot.run("history", draw)
