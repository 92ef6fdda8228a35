#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Samples per second of each trial: single repetitions, mean and 95 % interval."""

import report_plot as plot

LOG_FROM_RATIO = 20


def draw_panel(axes, report):
    trials = plot.measured_trials(report)
    means = [trial["throughput"]["samples_per_second"]["mean"] for trial in trials]
    # Bars need a zero to stand on, so there are none on a logarithmic axis.
    logarithmic = max(means) > LOG_FROM_RATIO * min(means) > 0
    goes_on = False
    for row, trial in enumerate(trials):
        rate = trial["throughput"]["samples_per_second"]
        colour = plot.arm_colour(trial)
        if not logarithmic:
            axes.barh(row, rate["mean"], height=0.62, color=colour, alpha=0.25)
        rates = [repetition["samples_per_second"] for repetition in plot.counted(trial)]
        offsets = [row + 0.22 * ((index % 5) - 2) / 2 for index in range(len(rates))]
        axes.scatter(rates, offsets, s=14, color=colour, alpha=0.75, linewidths=0, zorder=3)
        if rate.get("ci95"):
            lower, upper = rate["ci95"]
            shortest = min(rates + [rate["mean"]]) / 10
            cut = logarithmic and lower < shortest  # zero, say, for which such an axis has no place
            lower = shortest if cut else lower
            axes.plot([lower, upper], [row, row], color=plot.INK, linewidth=1.6, zorder=4)
            for end in [upper] if cut else [lower, upper]:
                axes.plot([end, end], [row - 0.12, row + 0.12], color=plot.INK, linewidth=1.6, zorder=4)
            if cut:
                axes.plot(lower, row, marker="<", markersize=6, color=plot.INK, zorder=4)
            goes_on = goes_on or cut
        axes.plot(rate["mean"], row, marker="D", markersize=5, color=plot.INK, zorder=5)
        label = plot.three_digits(rate["mean"])
        if rate.get("ci95") and rate["mean"] > 0:
            label += f" \u00b1{100 * (rate['ci95'][1] / rate['mean'] - 1):.1f} %"
        axes.annotate(
            label,
            (max(rates + [rate["mean"]] + list(rate.get("ci95") or [])), row),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            fontweight="bold",
        )
    predicted = (report.get("attribution") or {}).get("predicted_full_samples_per_second")
    if predicted:
        axes.axvline(predicted, color=plot.INK, linestyle=":", linewidth=1)
        axes.annotate(
            "predicted full",
            (predicted, 1),
            xycoords=("data", "axes fraction"),
            xytext=(3, -2),
            textcoords="offset points",
            va="top",
            fontsize=7,
        )
    if logarithmic:
        axes.set_xscale("log")
    else:
        axes.set_xlim(left=0)
    axes.margins(x=0.2)
    axes.set_yticks(range(len(trials)), [plot.arm_name(trial) for trial in trials])
    axes.set_ylim(len(trials) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(
        "samples/s"
        + (", logarithmic" if logarithmic else "")
        + (" (arrow: the interval goes on beyond it)" if goes_on else "")
    )
    axes.set_title("Throughput: repetitions, mean and 95 % interval")


def draw(report):
    """Plots the throughput of the trials with intervals and single repetitions."""
    figure, axes = plot.new_figure(1, 1.6 + 0.5 * len(plot.measured_trials(report)))
    draw_panel(axes[0], report)
    return figure


if __name__ == "__main__":
    plot.run("throughput", draw)
