#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Planted uses of a name without its header are found, and what is included or announced is not."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import own_includes  # noqa: E402

CLOCK = """#pragma once
namespace dlbench::core {
/// Seconds of it.
[[nodiscard]] double seconds(Duration time);
inline constexpr int kTicks = 5;
class Watch;
}  // namespace dlbench::core
"""
WATCH = """#pragma once
namespace dlbench::core {
class alignas(64) Watch {
 public:
  void start();
};
}  // namespace dlbench::core
"""


class OwnIncludes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("engine/core/clock.h", CLOCK)
        self.write("engine/core/watch.h", WATCH)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def found_in(self, body, namespace="comm", includes=()):
        lines = [f'#include "{each}"' for each in includes]
        self.write("engine/comm/barrier.cpp",
                   "\n".join([*lines, f"namespace dlbench::{namespace} {{", body, "}"]))
        return list(own_includes.breaches(self.root))

    def test_a_function_a_constant_and_a_type_of_another_namespace(self):
        for name in ("seconds", "kTicks", "Watch"):
            (found,) = self.found_in(f"auto x = core::{name};")
            self.assertIn(f"engine/comm/barrier.cpp:2: 'core::{name}' is declared in engine/core/", found)

    def test_a_type_of_the_same_namespace(self):
        (found,) = self.found_in("void wait(Watch& watch);", namespace="core")
        self.assertIn("'core::Watch'", found)

    def test_each_name_is_told_once(self):
        self.assertEqual(len(self.found_in("int x = core::kTicks + core::kTicks;")), 1)

    def test_what_is_included_is_fine(self):
        self.write("engine/comm/barrier.h", '#include "engine/core/clock.h"\n')
        for header in ("engine/core/clock.h", "engine/comm/barrier.h"):
            self.assertEqual(self.found_in("auto x = core::seconds(t);", includes=[header]), [])

    def test_an_announced_type_is_fine(self):
        self.assertEqual(self.found_in("core::Watch* x;", includes=["engine/core/clock.h"]), [])

    def test_names_in_comments_texts_and_tests_and_own_types_are_fine(self):
        for body in ("// core::seconds", 'auto x = "core::seconds";', "TEST(Watch, Starts)",
                     "class Watch {}; Watch watch;", "mine::core::seconds(t);"):
            self.assertEqual(self.found_in(body, namespace="core"), [], body)


if __name__ == "__main__":
    unittest.main()
