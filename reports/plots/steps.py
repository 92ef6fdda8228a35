#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Time of every step of every repetition that counts, one after the other, and its median."""

import report_plot as plot

MOST_POINTS = 20_000


def trials_with_steps(report):
    return plot.with_step(
        [
            trial
            for trial in report["trials"]
            if any(repetition.get("step_wall_s") for repetition in plot.counted(trial))
        ]
    )


def step_times(trial):
    """(times in s, starts of the repetitions)."""
    times, starts = [], []
    for repetition in plot.counted(trial):
        starts.append(len(times))
        times.extend(repetition["step_wall_s"])
    return times, starts


def time_text(seconds):
    return f"{plot.three_digits(seconds)} s" if seconds >= 1 else f"{plot.three_digits(1e3 * seconds)} ms"


def draw_panel(axes, report):
    """Each step over its arm's median, so that fast and slow arms show their spread alike."""
    trials = trials_with_steps(report)
    if not trials:
        plot.no_data(axes, "no step times in this report")
        return
    ratios = []
    for trial, marker in zip(trials, plot.arm_markers(trials)):
        times, starts = step_times(trial)
        median = trial["step_time_s"]["median"]
        if median <= 0:
            raise plot.PlotError(f"the step times of {plot.arm_name(trial)} are not positive")
        colour = plot.arm_colour(trial)
        # All arms over the same width: they have different numbers of steps.
        shown = range(0, len(times), max(1, len(times) // MOST_POINTS))
        axes.scatter(
            [(index + 0.5) / len(times) for index in shown],
            [times[index] / median for index in shown],
            s=12 if len(times) < 200 else 5,
            color=colour,
            marker=marker,
            alpha=0.6,
            linewidths=0,
            zorder=3 if len(times) < 200 else 2,
            label=f"{plot.arm_name(trial)}: median {time_text(median)}, {len(times)} steps",
        )
        for start in starts[1:]:
            axes.axvline(start / len(times), ymax=0.02, color=colour, linewidth=0.8)
        ratios.extend(time / median for time in times)
    axes.axhline(1.0, color=plot.INK, linewidth=0.8)
    if max(ratios) > 10 * min(ratios) > 0:
        axes.set_yscale("log")
    axes.set_xlim(0, 1)
    axes.set_xticks([])
    axes.set_xlabel("repetitions, in the order of time (ticks: where one begins)")
    axes.set_ylabel("step time / median of its trial")
    axes.set_title("Step times")
    plot.legend_below(axes, -0.1, 2, markerscale=1.5)


def draw(report):
    """Plots the time of every step."""
    if not trials_with_steps(report):
        raise plot.PlotError("the report has no step times: no trial kept any")
    figure, axes = plot.new_figure(1, 4)
    draw_panel(axes[0], report)
    return figure


if __name__ == "__main__":
    plot.run("steps", draw)
