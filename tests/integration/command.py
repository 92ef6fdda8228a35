# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the dlbench program under test and reads its report: shared by the integration tests."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "dlbench"


class CommandTest(unittest.TestCase):
    """A test with a temporary folder and a cache folder of its own."""

    folder: pathlib.Path

    def dlbench(self, *arguments, timeout=300, user=None, cache=None, environment=None):
        """Runs the program, as another user (a number), with another cache folder or with more
        variables if asked; returns the finished process with text output."""
        environment = dict(os.environ, DLBENCH_CACHE_DIR=str(cache or self.folder / "cache"),
                           **(environment or {}))
        return subprocess.run(
            [PROGRAM, *map(str, arguments)],
            capture_output=True,
            text=True,
            errors="backslashreplace",
            timeout=timeout,
            env=environment,
            stdin=subprocess.DEVNULL,
            check=False,
            user=user,
        )

    def ordinary_user(self):
        """For dlbench(user=...): somebody whom file permissions hold back. Root is not held back, so
        root takes nobody's place; the test is skipped where nobody cannot start the program."""
        if os.geteuid() != 0:
            return None
        nobody = 65534
        self.folder.chmod(0o777)
        try:
            started = self.dlbench("--version", user=nobody).returncode == 0
        except PermissionError:
            started = False
        if not started:
            self.skipTest("runs as root, whom permissions do not hold back, and the user nobody "
                          f"cannot start {PROGRAM}")
        return nobody

    def start(self, *arguments, environment=None):
        """Starts the program in the background."""
        environment = dict(os.environ, DLBENCH_CACHE_DIR=str(self.folder / "cache"), **(environment or {}))
        return subprocess.Popen(
            [PROGRAM, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            stdin=subprocess.DEVNULL,
        )

    def expect_error(self, code, *arguments, says, user=None, environment=None):
        """The program must end with `code` and exactly one line on stderr that holds each text."""
        done = self.dlbench(*arguments, user=user, environment=environment)
        lines = [line for line in done.stderr.splitlines() if line.startswith("dlbench: ")]
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stderr}")
        self.assertEqual(len(lines), 1, done.stderr)
        for text in says:
            self.assertIn(text, lines[0])
        return done

    def report(self, path):
        """The report at `path`, after the program itself found it valid."""
        checked = self.dlbench("report", "validate", path)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
