#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""One image of a run: throughput, phases and step times."""

import phases
import report_plot as plot
import steps
import throughput


def draw(report):
    """Plots throughput, phases and step times below each other."""
    plot.measured_trials(report)
    figure, panels = plot.new_figure(3, 3.1)
    throughput.draw_panel(panels[0], report)
    phases.draw_panel(panels[1], report)
    steps.draw_panel(panels[2], report)
    return figure


if __name__ == "__main__":
    plot.run("summary", draw)
