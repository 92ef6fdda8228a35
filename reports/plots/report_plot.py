# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""What the plotting scripts of this folder share: reading a report, one look, clear errors.

Each script reads one report (JSON, schema "dlbench.report", version 1) and writes one image:

    python3 throughput.py report.json --output throughput.png

An error is one line on the standard error and exit code 1.
"""

import argparse
import json
import os
import sys

os.environ.setdefault("MPLBACKEND", "Agg")

# Okabe and Ito's palette: told apart with every kind of colour vision.
# One colour and one marker per arm, the same in every report and plot; where a report has synthetic
# it has no synthetic/device.
ARM_COLOURS = {
    "io": "#0072B2",
    "synthetic": "#E69F00",
    "synthetic/device": "#E69F00",
    "synthetic/host": "#D55E00",
    "synthetic/nocomm": "#CC79A7",
    "full": "#009E73",
    "interference/step_beside_loader": "#56B4E9",
    "interference/loader_beside_step": "#7F7F7F",
}
ARM_MARKERS = {
    "io": "v",
    "synthetic/host": "^",
    "synthetic/nocomm": "s",
    "full": "D",
    "interference/step_beside_loader": "P",
    "interference/loader_beside_step": "X",
}
OTHER_MARKERS = "o^sDvPX<>p*h8"
PHASE_COLOURS = {
    "data_wait": "#0072B2",
    "host_to_device": "#56B4E9",
    "forward": "#E69F00",
    "loss": "#F0E442",
    "backward": "#D55E00",
    "all_reduce_wait": "#CC79A7",
    "optimizer": "#009E73",
    "other": "#999999",
}
INK = "#333333"
WIDEST = 0.97  # of the figure's width, of headings and legends


class PlotError(Exception):
    """Something the user can mend; its text is the whole message."""


def load_report(path):
    """The report as a dictionary; PlotError if it is not one."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except OSError as error:
        raise PlotError(f"cannot read '{path}': {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise PlotError(f"'{path}' is not JSON: {str(error).splitlines()[0]}") from None
    if not isinstance(report, dict) or report.get("schema") != "dlbench.report":
        raise PlotError(f"'{path}' is not a report of dlbench: \"schema\" is not \"dlbench.report\"")
    if report.get("schema_version") != 1:
        raise PlotError(f"'{path}' has schema_version {report.get('schema_version')}, wanted 1")
    return report


def trial_name(trial):
    """io, synthetic/device, full, ..."""
    return trial["kind"] + ("/" + trial["variant"] if trial.get("variant") else "")


def arm_name(trial):
    """The same; of dlbench scale with series and ranks."""
    series = f" ({trial['series']}, {count_text(trial['ranks'], 'rank')})" if trial.get("series") else ""
    return trial_name(trial) + series


def arm_colour(trial):
    return ARM_COLOURS.get(trial_name(trial), "#999999")


def arm_markers(trials):
    """A marker for each: its arm's, or where dlbench scale has that at several sizes, one that is free."""
    markers, taken = [], set()
    for trial in trials:
        colour, own = arm_colour(trial), ARM_MARKERS.get(trial_name(trial), "o")
        marker = next((each for each in (own, *OTHER_MARKERS) if (colour, each) not in taken), own)
        taken.add((colour, marker))
        markers.append(marker)
    return markers


def counted(trial):
    """The repetitions that count."""
    return [repetition for repetition in trial["repetitions"] if repetition.get("discarded") is None]


def trains(trial):
    """Whether it takes steps; the others only fetch batches. As trains() of reports/vocabulary.cpp."""
    return trial["kind"] != "io" and trial.get("variant") != "loader_beside_step"


def with_step(trials):
    """Those that take steps; all, if it is none."""
    return [trial for trial in trials if trains(trial)] or trials


def is_of(report, command):
    """Whether this command of dlbench wrote it."""
    return (report["run"].get("command") or [])[1:2] == [command]


def measured_points(entry):
    """Points of a series with a rate: what an interrupted run did not come to is there, but without figures."""
    return [point for point in entry["points"] if point.get("samples_per_second")]


def how_it_ended(report):
    """": the run ended in ..." of an interrupted run, or its status; empty: it is complete."""
    run = report["run"]
    phase = (run.get("failure") or {}).get("phase")
    if phase:
        return f": the run ended in '{phase}'"
    return "" if run["status"] == "complete" else f": the run is {run['status']}"


def what_can_be_plotted(report):
    """" (--plot NAME draws its ...)" of the parts that the report has instead; empty: none."""
    plots = [
        f"--plot {name} draws its {part}"
        for name, part, there in (
            ("throughput", "trials", any(trial.get("throughput") for trial in report["trials"])),
            ("history", "epochs", report["history"]),
            ("scaling", "series", any(measured_points(entry) for entry in report["scaling"])),
            ("collectives", "collectives", report["collectives"]),
        )
        if there
    ]
    return f" ({', '.join(plots)})" if plots else ""


def measured_trials(report):
    """Trials with a throughput; PlotError if there is none."""
    trials = [trial for trial in report["trials"] if trial.get("throughput")]
    if not trials:
        instead = what_can_be_plotted(report) or how_it_ended(report) or ": nothing to plot"
        raise PlotError("the report has no measured trial" + instead)
    return trials


def three_digits(value):
    """4.75, 5.00, 102, 12300."""
    return f"{value:.0f}" if abs(value) >= 99.95 else f"{value:#.3g}"


def bytes_text(value):
    """512 B, 16 KiB, 1.5 MiB."""
    for unit in ("B", "KiB", "MiB"):
        if abs(value) < 1024:
            return f"{value:.4g} {unit}"
        value /= 1024
    return f"{value:.4g} GiB"


def count_text(count, noun):
    """1 rank, 2 ranks."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def heading(report):
    """Workload and device in one line."""
    workload = report.get("workload")
    if not workload:
        devices = sorted({record["device"] for record in report["collectives"] if record.get("device")})
        return "collectives on " + ", ".join(devices) if devices else "dlbench"
    ranks = sum(len(host["ranks"]) for host in report["system"]["hosts"])
    parts = [f"{workload['name']} on {workload['device']}", workload["precision"]]
    if ranks > 1:
        parts.append(f"{ranks} ranks")
    # The workload's is the batch of one point: a weak series has another at each number of ranks.
    batches = {point["global_batch_size"] for entry in report["scaling"] for point in entry["points"]}
    if len(batches) <= 1:
        parts.append(f"{'global ' if ranks > 1 else ''}batch {(batches or {workload['global_batch_size']}).pop()}")
    return ", ".join(parts)


def verdict_line(report):
    """The verdict with its margin, and the taints, or an empty text."""
    parts = []
    attribution = report.get("attribution")
    if attribution:
        margin = attribution.get("margin")
        lower, upper = attribution.get("margin_ci95") or (0, 0)
        if upper - lower > 1:  # as the summary does: wider than all that it is a share of
            parts.append(attribution["verdict"] + " (margin not known)")
        else:
            parts.append(attribution["verdict"] + (f" (margin {100 * margin:.1f} %)" if margin is not None else ""))
    taints = sorted({taint["code"] for taint in report["run"]["taints"]})
    if taints:
        parts.append("taints: " + ", ".join(taints))
    return ", ".join(parts)


def no_data(axes, text):
    """Says in an empty panel why it is empty."""
    axes.text(0.5, 0.5, text, ha="center", va="center", color=INK, transform=axes.transAxes)
    axes.set_axis_off()


def new_figure(rows, height):
    """A figure with `rows` panels below each other, `height` inches each."""
    figure, panels = new_grid(rows, 1, height, 8)
    return figure, [row[0] for row in panels]


def new_grid(rows, columns, height, width):
    """A figure with `rows` times `columns` panels, `height` times `width` inches each."""
    from matplotlib import pyplot

    pyplot.rcParams.update(
        {
            "figure.dpi": 130,
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": INK,
            "axes.labelcolor": INK,
            "axes.titlesize": 10,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.axisbelow": True,
            "axes.grid": True,
            "grid.color": "#E4E4E4",
            "text.color": INK,
            "xtick.color": INK,
            "ytick.color": INK,
            "legend.frameon": False,
        }
    )
    size = (width * columns, height * rows)
    return pyplot.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")


def legend_below(axes, offset, columns, **options):
    """A legend below the axes, in the middle of the figure and in as many of `columns` as its width has place for."""
    from matplotlib.transforms import blended_transform_factory

    figure = axes.figure
    for count in range(columns, 0, -1):
        legend = axes.legend(
            loc="upper center",
            bbox_to_anchor=(0.5, offset),
            bbox_transform=blended_transform_factory(figure.transFigure, axes.transAxes),
            ncol=count,
            fontsize=8,
            **options,
        )
        if legend.get_window_extent(figure.canvas.get_renderer()).width <= WIDEST * figure.bbox.width:
            return


def wrapped(figure, text, size):
    """`text` in lines that the figure has place for, broken between words."""
    probe = figure.text(0, 0, "", fontsize=size)
    lines = []
    for line in text.splitlines():
        lines.append("")
        for word in line.split(" "):
            longer = f"{lines[-1]} {word}" if lines[-1] else word
            probe.set_text(longer)
            fits = probe.get_window_extent(figure.canvas.get_renderer()).width <= WIDEST * figure.bbox.width
            if fits or not lines[-1]:
                lines[-1] = longer
            else:
                lines.append(word)
    probe.remove()
    return lines


def finish(figure, report, output):
    """Adds the heading and writes the image, higher by the lines that the heading needs beyond two."""
    text = heading(report)
    if verdict_line(report):
        text += "\n" + verdict_line(report)
    size = 11
    lines = wrapped(figure, text, size)
    figure.set_figheight(figure.get_figheight() + max(0, len(lines) - 2) * 1.2 * size / 72)
    figure.suptitle("\n".join(lines), fontsize=size, x=0.01, ha="left")
    if not os.path.splitext(output)[1][1:]:  # savefig would put .png behind it
        raise PlotError(f"--output '{output}' names no format of an image; give a file that ends in .png, .svg or .pdf")
    try:
        figure.savefig(output)
    except OSError as error:
        raise PlotError(f"cannot write '{output}': {error.strerror}") from None
    except ValueError as error:
        raise PlotError(f"cannot write '{output}': {str(error).splitlines()[0]}") from None


def tell(output):
    """Prints where the image is, at once: at the end of the program a full disk would be a traceback."""
    try:
        os.write(1, os.fsencode(output) + b"\n")
    except BrokenPipeError:
        pass
    except OSError as error:
        raise PlotError(f"cannot write the standard output: {error.strerror}") from None


def run(name, draw):
    """Command line of one script: draw(report) -> figure."""
    parser = argparse.ArgumentParser(description=draw.__doc__)
    parser.add_argument("report", help="report written by dlbench")
    parser.add_argument("--output", help=f"image to write (default: beside the report, <report>_{name}.png)")
    arguments = parser.parse_args()
    output = arguments.output or f"{os.path.splitext(arguments.report)[0]}_{name}.png"
    try:
        report = load_report(arguments.report)
        try:
            import matplotlib.pyplot  # noqa: F401
        except ImportError as error:
            raise PlotError(f"matplotlib is missing ({error}); on Debian: apt install python3-matplotlib") from None
        try:
            finish(draw(report), report, output)
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise PlotError(
                f"'{arguments.report}' lacks or misshapes something ({type(error).__name__}: {error}); "
                "see dlbench report validate"
            ) from None
        tell(output)
    except PlotError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(1)
