#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Scaling: throughput and efficiency against ranks, and what communication costs, per mode."""

import report_plot as plot

VARIANT_COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#999999"]
PARTS = [
    ("compute", "nocomm_s", "#E69F00"),
    ("waiting for late ranks", "waiting_s", "#CC79A7"),
    ("transfer", "transfer_s", "#0072B2"),
]
PROJECTION_COLOUR = "#56B4E9"
DOUBT_COLOUR = "#999999"


def measured_series(report):
    """Series with a measured point; PlotError if there is none."""
    series = [entry for entry in report["scaling"] if plot.measured_points(entry)]
    if not series:
        if report["scaling"] or plot.is_of(report, "scale"):
            raise plot.PlotError("no point of a series was finished" + plot.how_it_ended(report))
        raise plot.PlotError("the report has no scaling: dlbench scale measures it" + plot.what_can_be_plotted(report))
    return series


def title_of(entry):
    parts = [f"{entry['mode']} scaling"] + [entry[key] for key in ("sweep", "variant") if entry.get(key)]
    return ", ".join(parts).capitalize()


def estimates(points, key):
    """Ranks, values and error bars of an estimate; points without it are left out."""
    found = [(point["ranks"], point[key]) for point in points if point.get(key)]
    ranks = [count for count, _ in found]
    values = [estimate["mean"] for _, estimate in found]
    below = [max(0, value - (estimate.get("ci95") or [value])[0]) for value, (_, estimate) in zip(values, found)]
    above = [max(0, (estimate.get("ci95") or [value])[-1] - value) for value, (_, estimate) in zip(values, found)]
    return ranks, values, [below, above]


def rank_axis(axes, ranks):
    """Numbers of ranks on a base-2 axis, each measured one labelled."""
    from matplotlib import ticker

    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted(set(ranks)), [str(count) for count in sorted(set(ranks))])
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlabel("ranks")


def rate_axis(axes):
    """Samples/s, logarithmic: equal slopes are equal speedups."""
    from matplotlib import ticker

    axes.set_yscale("log")
    for which in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
        which(ticker.LogFormatter(labelOnlyBase=False, minor_thresholds=(2, 0.5)))
    axes.set_ylabel("samples/s, logarithmic")


def trial_points(entry, name):
    """The trial `name` of each point, with the point's ranks."""
    return [
        dict(trial, ranks=point["ranks"])
        for point in entry["points"]
        for trial in point["trials"]
        if trial["trial"] == name
    ]


def trial_names(entry):
    names = []
    for point in entry["points"]:
        names += [trial["trial"] for trial in point["trials"] if trial["trial"] not in names]
    return names


def ranks_of(entry):
    return [point["ranks"] for point in plot.measured_points(entry) + entry["projection"]]


def draw_throughput(axes, entry):
    """All trials, the ideal of the headline, and the projection with its band."""
    for name in trial_names(entry):
        ranks, rates, errors = estimates(trial_points(entry, name), "samples_per_second")
        colour = plot.ARM_COLOURS.get(name, "#999999")
        axes.errorbar(ranks, rates, errors, color=colour, marker="o", markersize=4, linewidth=1.4, label=name)
    first = plot.measured_points(entry)[0]
    per_rank = first["samples_per_second"]["mean"] / first["ranks"]
    ends = [min(ranks_of(entry)), max(ranks_of(entry))]
    axes.plot(
        ends,
        [per_rank * count for count in ends],
        color=plot.INK,
        linestyle="--",
        linewidth=1,
        label=f"ideal ({first['headline']})",
    )
    draw_projection(axes, entry, lambda point: (point["samples_per_second"], point.get("ci95")))
    rate_axis(axes)
    axes.set_title(title_of(entry))
    axes.legend(fontsize=7)
    rank_axis(axes, ranks_of(entry))


def draw_projection(axes, entry, value_of):
    """Projected points with their band: open ones, and grey crosses where the report has a doubt."""
    for doubted, colour, marker, label in (
        (False, PROJECTION_COLOUR, "o", "projected"),
        (True, DOUBT_COLOUR, "x", "projected, in doubt"),
    ):
        points = [point for point in entry["projection"] if bool(point.get("doubt")) == doubted]
        if not points:
            continue
        ranks = [point["ranks"] for point in points]
        values = [value_of(point) for point in points]
        axes.plot(
            ranks,
            [value for value, _ in values],
            color=colour,
            marker=marker,
            markersize=5,
            markerfacecolor="white",
            linestyle=":",
            label=label,
        )
        bands = [band or [value, value] for value, band in values]
        lower, upper = [band[0] for band in bands], [band[1] for band in bands]
        if len(points) > 1:
            axes.fill_between(ranks, lower, upper, color=colour, alpha=0.2)
        else:  # an area over one number of ranks has no width
            axes.vlines(ranks, lower, upper, color=colour, alpha=0.4, linewidth=4)


def draw_efficiency(axes, entry):
    """Efficiency of every trial."""
    axes.axhline(100, color=plot.INK, linestyle="--", linewidth=1)
    for name in trial_names(entry):
        ranks, values, errors = estimates(trial_points(entry, name), "efficiency")
        axes.errorbar(
            ranks,
            [100 * value for value in values],
            [[100 * error for error in side] for side in errors],
            color=plot.ARM_COLOURS.get(name, "#999999"),
            marker="o",
            markersize=4,
            linewidth=1.4,
            label=name,
        )
    draw_projection(
        axes,
        entry,
        lambda point: (
            100 * point["efficiency"]["mean"],
            [100 * end for end in point["efficiency"].get("ci95") or []] or None,
        ),
    )
    axes.set_ylim(bottom=0)
    axes.set_ylabel("%")
    axes.set_title(f"Efficiency (100 %: the rate per rank at {entry['baseline_ranks']})")
    rank_axis(axes, ranks_of(entry))


def hidden_all_reduce_s(point):
    """Transfer of all-reduces that ran beside the step; 0 where no clock says so."""
    clocks = point.get("in_step")
    return clocks["all_reduce_s"]["mean"] - clocks["exposed_all_reduce_s"]["mean"] if clocks else 0.0


def stacks(points):
    """(label, colour, heights, bottoms) of each part in ms, and the upper ends. Parts below zero, which are noise, hang
    below the axis: the step is then the bar above it less what hangs there."""
    upper, lower = [0.0] * len(points), [0.0] * len(points)
    parts = []
    for label, key, colour in PARTS:
        heights = [1e3 * point[key] for point in points]
        bottoms = [above if height >= 0 else below for height, above, below in zip(heights, upper, lower)]
        parts.append((label, colour, heights, bottoms))
        upper = [above + max(0.0, height) for above, height in zip(upper, heights)]
        lower = [below + min(0.0, height) for below, height in zip(lower, heights)]
    return parts, upper


def draw_communication(axes, entry):
    """The synthetic step as compute, waiting and transfer; hidden all-reduce above it in outline."""
    points = [point for point in entry["points"] if point.get("exposed_communication_s") is not None]
    if not points:
        alone = all(point["ranks"] == 1 for point in entry["points"])
        why = "one rank has no communication" if alone else "communication was not measured (trial synthetic/nocomm)"
        plot.no_data(axes, why)
        return
    rows = range(len(points))
    parts, top = stacks(points)
    for label, colour, heights, bottoms in parts:
        axes.bar(rows, heights, bottom=bottoms, width=0.6, color=colour, label=label)
    steps = [1e3 * (point["nocomm_s"] + point["exposed_communication_s"]) for point in points]
    if any(height < 0 for _, _, heights, _ in parts for height in heights):
        axes.axhline(0, color=plot.INK, linewidth=0.8)
        label = "the step (parts below 0 are noise)"
        axes.scatter(rows, steps, marker="_", s=600, color=plot.INK, zorder=3, label=label)
    hidden = [1e3 * hidden_all_reduce_s(point) for point in points]
    if any(hidden):
        axes.bar(
            rows,
            hidden,
            bottom=top,
            width=0.6,
            fill=False,
            edgecolor="#0072B2",
            linestyle=":",
            label="hidden all-reduce (not in the step)",
        )
    for row, point in zip(rows, points):
        if point.get("overlap") is not None:
            axes.annotate(
                f"{100 * point['overlap']:.0f} % hidden",
                (row, top[row] + hidden[row]),
                xytext=(0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=7,
            )
    axes.set_ylim(top=1.35 * max(below + rest for below, rest in zip(top, hidden)))
    axes.set_xticks(list(rows), [str(point["ranks"]) for point in points])
    axes.set_xlabel("ranks")
    axes.set_ylabel("ms per step")
    axes.set_title("Where the step goes")
    axes.grid(axis="x", visible=False)
    axes.legend(fontsize=7, ncols=2, loc="upper left")


def draw_variants(axes, series):
    """The headline of every variant of a sweep."""
    # A point that an interrupted run left half done may have another trial there: io, say, which is much faster.
    headline = plot.measured_points(series[0])[0]["headline"]
    for index, entry in enumerate(series):
        ranks, rates, errors = estimates(trial_points(entry, headline), "samples_per_second")
        colour = VARIANT_COLOURS[index % len(VARIANT_COLOURS)]
        axes.errorbar(
            ranks, rates, errors, color=colour, marker="o", markersize=4, linewidth=1.4, label=entry["variant"]
        )
    rate_axis(axes)
    axes.set_title(f"Sweep {series[0]['sweep']}, {series[0]['mode']} scaling ({headline})")
    axes.legend(fontsize=7)
    rank_axis(axes, [point["ranks"] for entry in series for point in plot.measured_points(entry)])


def draw(report):
    """Plots throughput, efficiency and communication of each mode, or the variants of a sweep."""
    groups = {}
    for entry in measured_series(report):
        groups.setdefault((entry["mode"], entry.get("sweep", "")), []).append(entry)
    compared = [series for series in groups.values() if len(series) > 1]
    single = [series[0] for series in groups.values() if len(series) == 1]
    columns = len(single) + len(compared)
    figure, panels = plot.new_grid(3 if single else 1, columns, 3.1, 6)
    for column, entry in enumerate(single):
        draw_throughput(panels[0][column], entry)
        draw_efficiency(panels[1][column], entry)
        draw_communication(panels[2][column], entry)
    for column, series in enumerate(compared, len(single)):
        draw_variants(panels[0][column], series)
        for row in panels[1:]:
            row[column].set_axis_off()
    return figure


if __name__ == "__main__":
    plot.run("scaling", draw)
