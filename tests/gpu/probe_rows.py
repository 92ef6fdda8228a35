#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""What the probes of a run measured: a probe that is dead ends no run, so acceptance.sh asks its report.

  tests/gpu/probe_rows.py REPORT   a line per probe of GPUs, "STATE TEXT", for the table of acceptance.sh

Asked of are all trials whose steps are the network's. cupti, nvml and nvml_pcie have to measure in each;
cupti also has to know the op of nearly all that ran, nvml to have read the power, the others to have seen
steps, samples and one of their values. Counters of the GPU may
be refused by who can: an administrator, a host of virtual machines, another owner of them. That is skipped,
with its reason; whatever else is in the way has FAILED. Records that cupti dropped taint the run and miss
bar f, and are only told here. Exit code: 0 nothing FAILED, 1 something did.
"""
import argparse
import json
import math
import pathlib
import sys

from bars import name_of

WITHOUT_STEPS = ("io", "interference/loader_beside_step")  # they count batches
WITHOUT_OP = 0.02  # of the kernels' time, at most
TEXT = 240  # characters of a row
OWNED_HERE = "another tool in this process reads this GPU's counters already"
# As probes/cupti words them.
REFUSALS = ("the driver lets only administrators read performance counters",
            "the driver of Windows decides who may read performance counters",
            "this virtual GPU does not offer its performance counters",
            "it is a virtual GPU whose host does not allow it",
            "another tool owns the profiler of this process",
            "another process reads this device's performance counters",
            OWNED_HERE)


def cupti_fault(values):
    nodes = values.get("graph_nodes") or {}
    if not nodes.get("tied_to_ops", True):
        return nodes.get("reason") or "nodes of a graph are tied to no op"
    share = values.get("kernel_without_op_share")
    if share is None:
        return "no kernel was recorded"
    return f"{100 * share:.1f} % of the kernels' time has no op" if share > WITHOUT_OP else ""


def nvml_fault(values):
    if not values.get("samples"):
        return "no sample was taken"
    power = values.get("power_mean_watt")
    if power is None:
        return f"no power: {values.get('power_mean_watt_reason') or 'its reason is not told'}"
    return "" if power > 0 else f"a power of {power:g} W"


def sampling_fault(values):
    if not values.get("samples"):
        return "no sample was taken"
    return "" if values.get("counters") else "its samples hold no counter"


def nothing_of_steps(values, names):
    """Of a probe that divides by the steps that it saw, any of these values being enough: not every GPU has all."""
    if not values.get("steps"):
        return "no step was seen"
    if not any(isinstance(value := values.get(name), (int, float)) and math.isfinite(value) for name in names):
        return f"none of its values was read: {', '.join(names)}"
    return ""


def counters_fault(values):
    return nothing_of_steps(values, ("dram_read_bytes_per_step", "sm_active_share", "gpu_time_seconds"))


def pcie_fault(values):
    return nothing_of_steps(values, ("received_bytes_per_step", "sent_bytes_per_step"))


def cupti_text(found):
    dropped = sum(values.get("dropped_records") or 0 for values in found)
    share = max(values["kernel_without_op_share"] for values in found)
    return f", {dropped:.0f} records dropped, at most {100 * share:.2g} % of the kernels' time without an op"


def nvml_text(found):
    power = [values["power_mean_watt"] for values in found]
    return f", {min(power):.0f} to {max(power):.0f} W"


def no_text(_):
    return ""


# By probe: what is wrong with values that it has measured, and what a row tells of those that are right.
PROBES = {"cupti": (cupti_fault, cupti_text), "cupti_counters": (counters_fault, no_text),
          "cupti_sampling": (sampling_fault, no_text), "nvml": (nvml_fault, nvml_text),
          "nvml_pcie": (pcie_fault, no_text)}
COUNTERS = ("cupti_counters", "cupti_sampling")


def refusal(report, trial, probe):
    """Why it has not measured in a trial; empty: it has."""
    values = trial.get("probes", {}).get(probe) or {}
    if values.get("available"):
        return ""
    of_run = report.get("probes", {}).get(probe) or {}
    return values.get("reason") or of_run.get("reason") or "it measured nothing"


def is_owned_by_others(report, probe, reason):
    """Counters that the other of both probes could read belonged to no other tool: then dlbench has not let
    go of them."""
    others = [name for name in COUNTERS if name != probe]
    if OWNED_HERE in reason and any(trial.get("probes", {}).get(name, {}).get("available")
                                    for trial in report["trials"] for name in others):
        return False
    return any(words in reason for words in REFUSALS)


def joined(reasons):
    """'trial, trial: reason', each reason once."""
    trials = {}
    for trial, reason in reasons.items():
        trials.setdefault(reason, []).append(trial)
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in trials.items())


def row_of(report, trials, probe):
    """(state, text) of a probe."""
    fault_in, text_of = PROBES[probe]
    skipped, failed, measured = {}, {}, []
    for trial in trials:
        reason = refusal(report, trial, probe)
        if reason and probe in COUNTERS and is_owned_by_others(report, probe, reason):
            skipped[name_of(trial)] = reason
            continue
        values = trial.get("probes", {}).get(probe)
        if reason := reason or fault_in(values):
            failed[name_of(trial)] = reason
        else:
            measured.append(values)
    if failed:
        return "FAILED", joined(failed)
    if skipped:
        return "skipped", joined(skipped)
    return "passed", f"measured in {len(measured)} trials{text_of(measured)}"


def rows_of(report):
    """(state, text) of each probe that a run on a GPU has."""
    trials = [trial for trial in report["trials"] if name_of(trial) not in WITHOUT_STEPS]
    if not trials:
        yield "FAILED", "probes: the report has no trial whose steps are the network's"
        return
    for probe in PROBES:
        state, text = row_of(report, trials, probe)
        yield state, f"{probe}: {text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", metavar="REPORT")
    arguments = parser.parse_args()
    try:
        rows = list(rows_of(json.loads(pathlib.Path(arguments.report).read_text())))
    except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:
        rows = [("FAILED", f"probes: {arguments.report} cannot be read: {error!r}")]
    for state, text in rows:
        print(f"{state} {text[:TEXT]}")
    return 1 if any(state == "FAILED" for state, _ in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
