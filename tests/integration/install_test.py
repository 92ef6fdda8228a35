# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""The installed tree runs from any folder and needs nothing but glibc and GCC's runtime libraries."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import command
from command import CommandTest

BUILD = pathlib.Path(command.PROGRAM).resolve().parent.parent
OF_THE_SYSTEM = re.compile(r"(ld-linux-x86-64|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s))\.so\.\d+")


class Install(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.folder / "first"], check=True,
                       stdout=subprocess.DEVNULL)
        cls.tree = (cls.folder / "first").rename(cls.folder / "moved")
        cls.program = str(next(cls.tree.glob("bin/dlbench")))

    def dlbench_of_the_tree(self, *arguments, **variables):
        return subprocess.run(
            [self.program, *arguments], capture_output=True, text=True, check=False, timeout=300,
            cwd=self.folder, stdin=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "DLBENCH_CACHE_DIR": str(self.folder / "cache"), **variables})

    def test_libraries_are_in_the_tree(self):
        self.expect_libraries_of_the_tree()

    def test_licences_go_with_the_libraries(self):
        documents = self.tree / "share/doc/dlbench"
        self.assertTrue((documents / "LICENSE").is_file())
        if shutil.which("dpkg-query") is None:
            self.skipTest("no Debian, whose packages have the licences")
        notices = {file.stem for file in (documents / "notices").glob("*.txt") if file.stat().st_size > 0}
        libraries = {file.name for file in self.tree.glob("lib*/**/*.so*")
                     if not file.is_symlink() and not file.name.startswith("libdlbench")}
        for name in libraries:
            owners = subprocess.run(["dpkg-query", "--search", f"*/{name}"], capture_output=True, text=True, check=False)
            self.assertTrue(notices & set(re.findall(r"^([^:,\n]+)", owners.stdout, re.MULTILINE)),
                            f"{name}: {owners.stdout}")
        self.assertTrue(libraries)
        self.assertGreater((documents / "notices/common-licenses/Apache-2.0").stat().st_size, 0)

    def test_other_libraries_in_the_way_are_not_taken(self):
        others = self.folder / "others"
        others.mkdir()
        for library in self.tree.glob("lib/**/*.so*"):
            shutil.copy(library, others / library.name)
        self.expect_libraries_of_the_tree(LD_LIBRARY_PATH=str(others))

    def expect_libraries_of_the_tree(self, **variables):
        listed = self.dlbench_of_the_tree(LD_TRACE_LOADED_OBJECTS="1", **variables).stdout
        found = re.findall(r"^\s*(\S+) => (.*?)(?: \(0x[0-9a-f]+\))?$", listed, re.MULTILINE)
        self.assertIn("libdlbench.so", dict(found), listed)
        for name, path in found:
            if not OF_THE_SYSTEM.fullmatch(name):
                self.assertTrue(pathlib.Path(path).resolve().is_relative_to(self.tree.resolve()),
                                f"{name} => {path}")

    def test_trains_after_the_tree_was_moved(self):
        done = self.dlbench_of_the_tree("verify", "--workload", "mnist_cnn", "--batch-size", "2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("verify: passed", done.stdout)

    def test_a_report_is_checked_against_the_schema_of_the_tree(self):
        report = self.folder / "report.json"
        report.write_text('{"schema": "dlbench.report", "schema_version": 1}')
        done = self.dlbench_of_the_tree("report", "validate", str(report))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Missing required property 'trials'", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
