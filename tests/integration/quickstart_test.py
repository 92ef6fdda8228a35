# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""quickstart.sh around a small project in place of dlbench, with fakes for what deals with packages."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(small CXX)
add_executable(dlbench_main main.cpp)
set_target_properties(dlbench_main PROPERTIES OUTPUT_NAME dlbench RUNTIME_OUTPUT_DIRECTORY bin
                                              INSTALL_RPATH "$ORIGIN/../lib")
install(TARGETS dlbench_main)
enable_testing()
add_test(NAME small COMMAND dlbench_main)
"""
PRESETS = [{"name": name, "generator": "Ninja", "binaryDir": "${sourceDir}/build/release"}
           for name in ("cpu-release", "ci")]
# Of packages, named by words of a file each: what is not installed, unknown to apt-get, or fails to install.
# Each call of apt-get is a line of calls.
STAND_INS = {
    "dpkg-query": 'case " $(cat missing 2>/dev/null) " in *" ${*: -1} "*) exit 1;; *) echo installed;; esac',
    "apt-cache": '[ "$1" = policy ] || { [ -e no_lists ] || echo "Package: cmake"; exit; }\n'
                 'case " $(cat unknown 2>/dev/null) " in *" $2 "*) exit 0;; *) echo "  Candidate: 1.0";; esac',
    "apt-get": 'echo "$*" >>calls; for word in $(cat fails 2>/dev/null); do\n'
               '  case " $* " in *" $word "*) echo "E: no network" >&2; exit 100;; esac\ndone',
    "id": "echo $(cat user 2>/dev/null || echo 0)",
    "sudo": "exit 1",
}


class Quickstart(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench quickstart "))  # a blank in its name
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.copy(ROOT / "quickstart.sh", self.folder)
        (self.folder / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
        (self.folder / "main.cpp").write_text("int main() { return 0; }\n", encoding="utf-8")
        (self.folder / "CMakePresets.json").write_text(json.dumps({"version": 6, "configurePresets": PRESETS}),
                                                       encoding="utf-8")
        self.installed = self.folder / "installed"
        self.installed.mkdir()
        for name, does in STAND_INS.items():
            script = self.installed / name
            script.write_text(f'#!/bin/bash\ncd "{self.installed}"\n{does}\n', encoding="utf-8")
            script.chmod(0o755)
        self.path = f"{self.installed}:{os.environ['PATH']}"

    def packages(self, **words):
        for name, value in words.items():
            (self.installed / name).write_text(value, encoding="utf-8")

    def installs(self):
        lines = (self.installed / "calls").read_text(encoding="utf-8").splitlines()
        return [line.partition("--no-install-recommends ")[2] for line in lines if " install " in line]

    def run_it(self, path=None, command="run", script=None, **variables):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("CC", "CXX") and not name.startswith("DLBENCH_")}
        environment.update(variables, PATH=path or self.path)
        return subprocess.run([script or self.folder / "quickstart.sh", command], cwd="/", text=True, check=False,
                              timeout=120, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)

    def run_tests(self):
        return self.run_it(command="test", DLBENCH_STAGES="release", DLBENCH_JOBS="1")

    def test_a_compiler_that_came_after_a_first_try_is_taken(self):
        bare = self.folder / "bare"
        bare.mkdir()
        for name in ("env", "bash", "dirname", "readlink", "sed", "nproc", "mkdir", "cmake", "ninja", "uname"):
            (bare / name).symlink_to(shutil.which(name))
        failed = self.run_it(str(bare))
        self.assertEqual(failed.returncode, 1, failed.stdout)
        self.assertIn("code 1): configure (build/release)", failed.stdout)
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("left in results/", done.stdout)
        self.assertTrue((self.folder / "results").is_dir())

    def test_a_second_run_neither_configures_nor_installs(self):
        self.assertEqual(self.run_it().returncode, 0)
        second = self.run_it()
        self.assertEqual(second.returncode, 0, second.stdout)
        self.assertNotIn("== configure", second.stdout)
        self.assertNotIn("installing", second.stdout)

    def other_tree(self, name):
        """A folder that is not there yet, with a blank in its name."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench other ")) / name
        self.addCleanup(shutil.rmtree, folder.parent, ignore_errors=True)
        return folder

    def test_a_copied_tree_builds_its_own_program(self):
        self.assertEqual(self.run_it().returncode, 0)
        original = (self.folder / "build/release/bin/dlbench").stat().st_mtime_ns
        copy = self.other_tree("copy")
        shutil.copytree(self.folder, copy, symlinks=True)  # times too
        (copy / "main.cpp").write_text("int main() { return 7; }\n", encoding="utf-8")
        for command, failing in (("run", "code 7): measure"), ("test", "1 tests failed out of 1")):
            done = self.run_it(script=copy / "quickstart.sh", command=command, DLBENCH_STAGES="release")
            self.assertIn(failing, done.stdout)
            self.assertEqual("build/release is of " in done.stdout, command == "run", done.stdout)
        self.assertEqual((self.folder / "build/release/bin/dlbench").stat().st_mtime_ns, original)

    def test_tests_of_a_copied_tree_are_its_own(self):
        self.assertEqual(self.run_tests().returncode, 0)
        copy = self.other_tree("copy")
        shutil.copytree(self.folder, copy, symlinks=True)
        (copy / "main.cpp").write_text("int main() { return 7; }\n", encoding="utf-8")
        done = self.run_it(script=copy / "quickstart.sh", command="test", DLBENCH_STAGES="release")
        self.assertIn("build/release is of ", done.stdout)
        self.assertIn("1 tests failed out of 1", done.stdout)

    def test_a_moved_tree_is_configured_once_more(self):
        self.assertEqual(self.run_it().returncode, 0)
        moved = self.other_tree("moved")
        self.installed = moved / "installed"
        shutil.move(self.folder, moved)
        for name in STAND_INS:
            script = self.installed / name
            script.write_text(script.read_text(encoding="utf-8").replace(str(self.folder), str(moved)),
                              encoding="utf-8")
        for configured in (True, False):
            done = self.run_it(f"{self.installed}:{os.environ['PATH']}", script=moved / "quickstart.sh")
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual("== configure" in done.stdout, configured, done.stdout)

    def test_a_tree_below_a_linked_folder_is_the_same(self):
        self.assertEqual(self.run_it().returncode, 0)
        link = self.other_tree("link")
        link.symlink_to(self.folder)
        done = self.run_it(script=link / "quickstart.sh")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("== configure", done.stdout)
        # As a call that went by the link left it.
        cache = self.folder / "build/release/CMakeCache.txt"
        cache.write_text(cache.read_text(encoding="utf-8").replace(
            f"CMAKE_HOME_DIRECTORY:INTERNAL={self.folder}", f"CMAKE_HOME_DIRECTORY:INTERNAL={link}"), encoding="utf-8")
        self.assertIn(f"INTERNAL={link}\n", cache.read_text(encoding="utf-8"))
        self.assertNotIn("== configure", self.run_it().stdout)

    def test_a_link_to_the_script_works_in_its_tree(self):
        link = self.other_tree("start")
        link.symlink_to(self.folder / "quickstart.sh")
        done = self.run_it(script=link)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue((self.folder / "results").is_dir())
        self.assertEqual(list(link.parent.iterdir()), [link])

    def test_a_link_to_what_ci_runs_works_in_its_tree(self):
        (self.folder / ".ci").mkdir()
        shutil.copy(ROOT / ".ci" / "run", self.folder / ".ci")
        (self.folder / "quickstart.sh").write_text("#!/bin/sh\npwd\n", encoding="utf-8")
        link = self.other_tree("run")
        link.symlink_to(self.folder / ".ci" / "run")
        done = self.run_it(script=link)
        self.assertEqual(done.stdout, f"{self.folder.resolve()}\n")

    def test_jobs_that_are_no_number_are_refused(self):
        for variable, command in (("DLBENCH_JOBS", "run"), ("DLBENCH_JOBS", "test"), ("DLBENCH_TEST_JOBS", "test")):
            for value in ("abc", "0", "-1", "2.5", "3 4"):
                done = self.run_it(command=command, **{variable: value})
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertEqual(done.stdout,
                                 f"quickstart: {variable} is '{value}'; wanted a number of jobs, at least 1\n")
        done = self.run_it(DLBENCH_JOBS="", DLBENCH_TEST_JOBS="abc")  # none is asked for; of the other command
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_what_apt_get_cannot_install_matters_where_it_is_required(self):
        self.packages(missing="cmake git clang munge", fails="munge")
        done = self.run_tests()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.installs(), ["cmake git", "clang munge"])
        self.assertIn("so some tests will be skipped: clang munge\n", done.stdout)
        self.packages(missing="cmake git clang munge", fails="git", calls="")
        done = self.run_tests()
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(self.installs(), ["cmake git"])
        self.assertIn("quickstart: apt-get could not install: cmake git; see the lines above\n", done.stdout)

    def test_only_what_apt_get_knows_is_installed(self):
        self.packages(missing="clang munge", unknown="clang", fails="update")
        done = self.run_tests()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.installs(), ["munge"])
        self.assertIn("not in this distribution, so some tests will be skipped: clang\n", done.stdout)

    def test_without_root_the_commands_have_only_what_apt_get_knows(self):
        self.packages(missing="cmake git dataset-fashion-mnist clang munge", unknown="dataset-fashion-mnist", user="7")
        done = self.run_tests()
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertFalse((self.installed / "calls").exists())
        install = "sudo apt-get install --no-install-recommends"
        self.assertEqual([line.strip() for line in done.stdout.splitlines() if "sudo" in line],
                         [f"sudo apt-get update && {install} cmake git", f"{install} clang munge"])
        self.packages(unknown="dataset-fashion-mnist clang munge")
        self.assertEqual(self.run_tests().stdout.count(install), 1)
        self.packages(no_lists="")  # before the first update: what is unknown then, may be there
        done = self.run_tests()
        self.assertIn(f"{install} dataset-fashion-mnist clang munge\n", done.stdout)
        self.assertNotIn("not in this distribution", done.stdout)
        self.packages(missing="clang munge")
        done = self.run_tests()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("not installed, so some tests will be skipped: clang munge\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
