#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Which commit a build calls its own. usage: build_info_test.py CMAKE SOURCE_DIR"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TEMPLATE = "engine/core/build_info.cpp.in"
# Without the repository and the settings of whoever calls this, of a hook of git, say.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": tempfile.gettempdir()}


class BuildInfo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dlbench-build-info-")
        self.addCleanup(folder.cleanup)
        self.outer = pathlib.Path(folder.name)
        self.source = self.outer / "dlbench"
        for file in (TEMPLATE, "CMakeLists.txt"):
            place = self.source / file
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE_DIR / file, place)

    def git(self, folder, *arguments):
        done = subprocess.run(["git", "-C", folder, "-c", "user.name=tests", "-c", "user.email=tests@localhost",
                               *arguments], capture_output=True, text=True, check=True, env=ENVIRONMENT)
        return done.stdout.strip()

    def commit_all(self, folder):
        self.git(folder, "init", "-q")
        self.git(folder, "add", ".")
        self.git(folder, "commit", "-q", "-m", "all")
        return self.git(folder, "rev-parse", "--short=12", "HEAD")

    def add(self, file):
        place = self.source / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("// new\n", encoding="utf-8")

    def told(self):
        output = self.outer / "build_info.cpp"
        subprocess.run([CMAKE, f"-DSOURCE_DIR={self.source}", f"-DOUTPUT={output}", "-P",
                        SOURCE_DIR / "cmake/WriteBuildInfo.cmake"], capture_output=True, check=True, env=ENVIRONMENT)
        return re.search(r'\.git_commit = "(.*)"', output.read_text(encoding="utf-8")).group(1)

    def test_a_commit_and_what_was_added_to_it(self):
        commit = self.commit_all(self.source)
        self.assertEqual(self.told(), commit)
        self.add("comm.json")
        self.assertEqual(self.told(), commit, "results are no source")
        self.add("workloads/segmentation/mine.cpp")
        self.assertEqual(self.told(), commit + "+", "CMake finds it, so it is built")

    def test_a_commit_and_what_was_changed_of_it(self):
        commit = self.commit_all(self.source)
        self.add(TEMPLATE)
        shutil.copy(SOURCE_DIR / TEMPLATE, self.source / TEMPLATE)
        self.assertEqual(self.told(), commit)
        self.add("CMakeLists.txt")
        self.assertEqual(self.told(), commit + "+")

    def test_an_archive_inside_of_another_repository(self):
        other = self.outer / "other.txt"
        other.write_text("of the other\n", encoding="utf-8")
        self.git(self.outer, "init", "-q")
        self.git(self.outer, "add", "other.txt")
        self.git(self.outer, "commit", "-q", "-m", "other")
        self.assertEqual(self.told(), "unknown")

    def test_no_repository(self):
        self.assertEqual(self.told(), "unknown")

    def test_an_archive_knows_its_commit(self):
        for file in (".gitattributes", "cmake/archived_commit.txt"):
            place = self.source / file
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE_DIR / file, place)
        commit = self.commit_all(self.source)
        archive = self.outer / "archive.tar"
        self.git(self.source, "archive", "-o", archive, "HEAD")
        shutil.rmtree(self.source)
        self.source.mkdir()
        subprocess.run(["tar", "-xf", archive, "-C", self.source], check=True)
        self.assertEqual(self.told(), commit)


if __name__ == "__main__":
    if shutil.which("git") is None:
        print("no git: a build without it does not know its commit")
        sys.exit(77)
    CMAKE, SOURCE_DIR = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1], verbosity=2)
