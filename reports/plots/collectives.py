#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Collectives: bus bandwidth and time against size, with the fit of latency and bandwidth."""

import report_plot as plot

OP_COLOURS = {"all_reduce": "#0072B2", "reduce_scatter": "#E69F00", "all_gather": "#009E73", "broadcast": "#CC79A7"}
SETTING_MARKERS = "osD^vPX"  # ranks, transport, place and type: one marker for each that was measured
LOG_FROM_RATIO = 20
SETTING_LINES = ["-", "--", "-.", ":"]


def setting_of(record):
    """What a line of the plot has in common beside its operation."""
    place = "in place" if record["in_place"] else "out of place"
    return [plot.count_text(record["ranks"], "rank"), record["transport"], record["dtype"], place]


def lines_of(report):
    """(operation, setting, records by size) in the order of the report; PlotError if there is none."""
    lines = {}
    for record in report["collectives"]:
        lines.setdefault((record["op"], tuple(setting_of(record))), []).append(record)
    if not lines:
        if plot.is_of(report, "comm"):
            raise plot.PlotError("no collective was finished" + plot.how_it_ended(report))
        raise plot.PlotError(
            "the report has no collectives: it is not of dlbench comm" + plot.what_can_be_plotted(report)
        )
    return [(op, setting, sorted(line, key=lambda each: each["bytes"])) for (op, setting), line in lines.items()]


def styles_of(lines):
    """Label, colour, marker and stroke of each line; the label leaves out what all have in common."""
    settings = list(dict.fromkeys(setting for _, setting, _ in lines))
    differing = [part for part in range(len(settings[0])) if len({setting[part] for setting in settings}) > 1]
    for op, setting, _ in lines:
        number = settings.index(setting)
        yield {
            "label": ", ".join([op] + [setting[part] for part in differing if setting[part]]),
            "color": OP_COLOURS.get(op, "#999999"),
            "marker": SETTING_MARKERS[number % len(SETTING_MARKERS)],
            "linestyle": SETTING_LINES[number % len(SETTING_LINES)],
        }


def common_setting(lines):
    """What all lines have in common, in words."""
    settings = [setting for _, setting, _ in lines]
    return ", ".join(parts[0] for parts in zip(*settings) if len(set(parts)) == 1 and parts[0])


def size_axis(axes, lines):
    """Bytes on a base-2 axis."""
    from matplotlib import ticker

    sizes = [record["bytes"] for _, _, line in lines for record in line]
    if min(sizes) > 0:
        axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: plot.bytes_text(value)))
    axes.set_xlabel("larger buffer of the call; " + common_setting(lines))


def travels(record):
    """Whether it has a bandwidth: on one rank there is none."""
    return record.get("busbw_gb_per_s") is not None


def draw_bandwidth(axes, lines):
    """Bus bandwidth, which the links must carry, whatever the operation and the ranks."""
    rates = []
    for (_, _, line), style in zip(lines, styles_of(lines)):
        points = [(each["bytes"], each["busbw_gb_per_s"]) for each in line if travels(each)]
        if points:
            axes.plot(*zip(*points), markersize=4, linewidth=1.4, **style)
            rates += [rate for _, rate in points]
    if max(rates) > LOG_FROM_RATIO * min(rates) > 0:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set_ylabel("10\u2079 bytes/s")
    axes.set_title("Bus bandwidth")
    size_axis(axes, lines)


def draw_time(axes, lines):
    """Median with its way to the 95th percentile, and alpha + beta bytes, which fits the means, as a thin line."""
    for (_, _, line), style in zip(lines, styles_of(lines)):
        sizes = [each["bytes"] for each in line]
        medians = [1e6 * each["time_s"]["median"] for each in line]
        above = [max(0.0, 1e6 * each["time_s"]["p95"] - median) for each, median in zip(line, medians)]
        axes.errorbar(sizes, medians, [[0.0] * len(line), above], markersize=4, linewidth=1.4, capsize=2, **style)
        fit = line[0].get("fit")
        if fit and len(line) > 1:
            fitted = [1e6 * (fit["alpha_s"] + fit["beta_s_per_byte"] * size) for size in sizes]
            axes.plot(sizes, fitted, color=style["color"], linestyle=":", linewidth=1, alpha=0.8)
    if all(each["time_s"]["median"] > 0 for _, _, line in lines for each in line):
        axes.set_yscale("log")
    axes.set_ylabel("time of a call, \u00b5s")
    fitted_any = any(line[0].get("fit") for _, _, line in lines)
    dotted = ", dotted: latency + bytes / bandwidth (of means)" if fitted_any else ""
    axes.set_title(f"Time: median, up to the 95th percentile{dotted}")
    size_axis(axes, lines)
    plot.legend_below(axes, -0.22, 4)


def draw(report):
    """Plots bandwidth and time of each collective against its size."""
    lines = lines_of(report)
    with_bandwidth = any(travels(record) for record in report["collectives"])
    figure, panels = plot.new_figure(2 if with_bandwidth else 1, 3.2)
    if with_bandwidth:
        draw_bandwidth(panels[0], lines)
    draw_time(panels[-1], lines)
    return figure


if __name__ == "__main__":
    plot.run("collectives", draw)
