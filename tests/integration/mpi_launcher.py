# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Starts dlbench on several ranks of this machine, under either MPI: shared by the integration tests."""

import os
import pathlib
import shutil
import subprocess
import unittest

from command import PROGRAM

LAUNCHERS = {
    "mpich": (["mpiexec.hydra"], "libdlbench_mpi_mpich.so"),
    "openmpi": (["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"], "libdlbench_mpi_openmpi.so"),
}


def can_start(family):
    """Whether the MPI's launcher and dlbench's plug-in for it are here."""
    command, plugin = LAUNCHERS[family]
    return shutil.which(command[0]) is not None and (pathlib.Path(PROGRAM).parent / plugin).exists()


def launcher(family):
    """The launcher and its options, before the number of ranks; skips the test where it is not here."""
    if not can_start(family):
        raise unittest.SkipTest(f"no {family}")
    return LAUNCHERS[family][0]


def launch(family, ranks, *arguments, environment=None):
    """The finished process, with text output, of a launch of that many ranks of the program."""
    return subprocess.run([*launcher(family), "-n", str(ranks), PROGRAM, *map(str, arguments)],
                          capture_output=True, text=True, timeout=240, stdin=subprocess.DEVNULL, check=False,
                          env={**os.environ, **(environment or {})})
