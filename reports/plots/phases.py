#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Where the time of a step goes: one bar per trial, one colour per phase."""

import report_plot as plot

LABEL_FROM_SHARE = 0.06
VISIBLE_SHARE = 0.002


def trials_with_phases(report):
    return plot.with_step([trial for trial in report["trials"] if trial.get("phases")])


def draw_panel(axes, report):
    from matplotlib.patches import Patch

    trials = trials_with_phases(report)
    if not trials:
        plot.no_data(axes, "no phases in this report")
        return
    longest = max(sum(phase["s_per_step"] for phase in trial["phases"]) for trial in trials)
    scale, unit = (1.0, "s") if longest >= 2.0 else (1e3, "ms")
    for row, trial in enumerate(trials):
        left = 0.0
        for phase in trial["phases"]:
            width = scale * phase["s_per_step"]
            name = phase["name"]
            axes.barh(
                row,
                width,
                left=left,
                height=0.62,
                color=plot.PHASE_COLOURS.get(name, "#999999"),
                edgecolor="white",
                linewidth=0.6,
            )
            if width > LABEL_FROM_SHARE * scale * longest:
                axes.text(left + width / 2, row, f"{100 * phase['share']:.0f} %", ha="center", va="center", fontsize=8)
            left += width
    axes.set_yticks(range(len(trials)), [plot.arm_name(trial) for trial in trials])
    axes.set_ylim(len(trials) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set_xlim(left=0)
    axes.set_xlabel(f"{unit} per step")
    axes.set_title("Phases of a step")
    seen = {phase["name"] for trial in trials for phase in trial["phases"] if phase["share"] >= VISIBLE_SHARE}
    handles = [Patch(color=colour, label=name) for name, colour in plot.PHASE_COLOURS.items() if name in seen]
    plot.legend_below(axes, -0.2, 4, handles=handles)


def draw(report):
    """Plots the phases of a step of each trial."""
    trials = trials_with_phases(report)
    if not trials:
        raise plot.PlotError("the report has no phases: no trial with a step was profiled")
    figure, axes = plot.new_figure(1, 1.9 + 0.5 * len(trials))
    draw_panel(axes[0], report)
    return figure


if __name__ == "__main__":
    plot.run("phases", draw)
