# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""quickstart.sh around a small project in place of dlbench, with packages that are all installed."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "quickstart.sh"
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(small CXX)
add_executable(dlbench_main main.cpp)
set_target_properties(dlbench_main PROPERTIES OUTPUT_NAME dlbench RUNTIME_OUTPUT_DIRECTORY bin
                                              INSTALL_RPATH "$ORIGIN/../lib")
install(TARGETS dlbench_main)
"""
PRESET = {"name": "cpu-release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release"}


class Quickstart(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench quickstart "))  # a blank in its name
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.copy(SCRIPT, self.folder)
        (self.folder / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
        (self.folder / "main.cpp").write_text("int main() { return 0; }\n", encoding="utf-8")
        (self.folder / "CMakePresets.json").write_text(json.dumps({"version": 6, "configurePresets": [PRESET]}),
                                                       encoding="utf-8")
        self.installed = self.folder / "installed"
        self.installed.mkdir()
        (self.installed / "dpkg-query").write_text("#!/bin/sh\necho installed\n", encoding="utf-8")
        (self.installed / "dpkg-query").chmod(0o755)

    def run_it(self, path):
        environment = {name: value for name, value in os.environ.items() if name not in ("CC", "CXX")}
        return subprocess.run([self.folder / "quickstart.sh", "run"], cwd="/", text=True, check=False, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(environment, PATH=path))

    def test_a_compiler_that_came_after_a_first_try_is_taken(self):
        bare = self.folder / "bare"
        bare.mkdir()
        for name in ("env", "bash", "dirname", "nproc", "mkdir", "cmake", "ninja", "uname"):
            (bare / name).symlink_to(shutil.which(name))
        failed = self.run_it(str(bare))
        self.assertEqual(failed.returncode, 1, failed.stdout)
        self.assertIn("code 1): configure (build/release)", failed.stdout)
        done = self.run_it(f"{self.installed}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("left in results/", done.stdout)
        self.assertTrue((self.folder / "results").is_dir())

    def test_a_second_run_neither_configures_nor_installs(self):
        path = f"{self.installed}:{os.environ['PATH']}"
        self.assertEqual(self.run_it(path).returncode, 0)
        second = self.run_it(path)
        self.assertEqual(second.returncode, 0, second.stdout)
        self.assertNotIn("== configure", second.stdout)
        self.assertNotIn("installing", second.stdout)


if __name__ == "__main__":
    unittest.main()
