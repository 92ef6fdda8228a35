#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""The checker is checked: each planted breach must be found, and a clean tree must be quiet."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import project_rules  # noqa: E402

HEAD = "// SPDX-FileCopyrightText: 2026 The dlbench authors\n// SPDX-License-Identifier: Apache-2.0\n"
HEADER = HEAD + "#pragma once\n"


class ProjectRules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for path in ("engine/core/error.h", "engine/graph/graph.h", "engine/backend/backend.h",
                     "engine/backend/ref/ref.h", "data/batch.h", "reports/record.h"):
            self.write(path, HEADER)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def expect(self, part):
        found = list(project_rules.breaches(self.root))
        self.assertEqual(len(found), 1, found)
        self.assertIn(part, found[0])

    def test_a_clean_tree_is_quiet(self):
        self.write("engine/backend/cpu/conv.cpp", HEAD + '#include <dnnl.hpp>\n#include "engine/graph/graph.h"\n')
        self.write("data/idx.cpp", HEAD + '#include <nlohmann/json.hpp>\n#include "engine/core/error.h"\n')
        self.write("tests/data/idx_test.cpp", HEAD + '#include "reports/record.h"\n')
        self.assertEqual(list(project_rules.breaches(self.root)), [])

    def test_core_includes_nothing_of_the_project(self):
        self.write("engine/core/log.cpp", HEAD + '#include "engine/graph/graph.h"\n')
        self.expect("engine/core may not include engine/graph")

    def test_backends_do_not_know_each_other(self):
        self.write("engine/backend/cpu/conv.cpp", HEAD + '#include "engine/backend/ref/ref.h"\n')
        self.expect("engine/backend/cpu may not include engine/backend/ref")

    def test_kernels_of_the_cpu_take_no_inline_functions_of_core(self):
        self.write("engine/backend/cpu/kernels/pooling.h", HEADER)
        self.write("engine/backend/cpu/conv.cpp", HEAD + '#include "engine/backend/cpu/kernels/pooling.h"\n')
        self.assertEqual(list(project_rules.breaches(self.root)), [])
        self.write("engine/backend/cpu/kernels/dense.cpp", HEAD + '#include "engine/core/error.h"\n')
        self.expect("engine/backend/cpu/kernels may not include engine/core")

    def test_the_backend_interface_does_not_know_a_backend(self):
        self.write("engine/backend/list.cpp", HEAD + '#include "engine/backend/ref/ref.h"\n')
        self.expect("engine/backend may not include engine/backend/ref")

    def test_data_does_not_know_reports(self):
        self.write("data/idx.cpp", HEAD + '#include "reports/record.h"\n')
        self.expect("data may not include reports")

    def test_probes_do_not_know_data(self):
        self.write("probes/proc.cpp", HEAD + '#include "data/batch.h"\n')
        self.expect("probes may not include data")

    def test_folders_of_the_harness_have_an_order(self):
        order = ("harness", "harness/analysis", "harness/session", "harness/trials", "harness/scaling",
                 "harness/commands")
        for folder in order:
            self.write(f"{folder}/lowest.h", HEADER)
        for lower, upper in zip(order, order[1:]):
            self.write(f"{upper}/use.cpp", HEAD + f'#include "{lower}/lowest.h"\n')
            self.assertEqual(list(project_rules.breaches(self.root)), [])
            self.write(f"{lower}/turn.cpp", HEAD + f'#include "{upper}/lowest.h"\n')
            self.expect(f"{lower} may not include {upper}")
            (self.root / lower / "turn.cpp").unlink()

    def test_folders_below_a_folder_have_an_order(self):
        for lower, upper in (("engine/backend/cuda", "engine/backend/cuda/libraries"), ("probes/node", "probes"),
                             ("probes/gpu", "probes"), ("probes", "probes/cupti"), ("reports", "reports/text"),
                             ("reports", "reports/validation")):
            self.write(f"{lower}/lowest.h", HEADER)
            self.write(f"{upper}/uppermost.h", HEADER)
            self.write(f"{upper}/use.cpp", HEAD + f'#include "{lower}/lowest.h"\n')
            self.assertEqual(list(project_rules.breaches(self.root)), [])
            self.write(f"{lower}/turn.cpp", HEAD + f'#include "{upper}/uppermost.h"\n')
            self.expect(f"{lower} may not include {upper}")
            (self.root / lower / "turn.cpp").unlink()

    def test_scaling_and_training_do_not_know_each_other(self):
        self.write("harness/training/trainer.h", HEADER)
        self.write("harness/scaling/size.cpp", HEAD + '#include "harness/training/trainer.h"\n')
        self.expect("harness/scaling may not include harness/training")

    def test_main_alone_is_above_the_commands(self):
        self.write("harness/commands/command_line.h", HEADER)
        self.write("harness/main.cpp", HEAD + '#include "harness/commands/command_line.h"\n')
        self.assertEqual(list(project_rules.breaches(self.root)), [])
        self.write("harness/ranks.cpp", HEAD + '#include "harness/commands/command_line.h"\n')
        self.expect("harness may not include harness/commands")

    def test_includes_start_at_the_root(self):
        self.write("data/idx.cpp", HEAD + '#include "batch.h"\n')
        self.expect("not a path from the repository root")

    def test_an_included_file_exists(self):
        self.write("data/idx.cpp", HEAD + '#include "data/gone.h"\n')
        self.expect("does not exist")

    def test_a_vendor_header_stays_in_its_folder(self):
        self.write("engine/exec/plan.cpp", HEAD + "#include <oneapi/dnnl/dnnl.hpp>\n")
        self.expect("belongs to engine/backend/cpu alone")

    def test_a_vendor_header_stays_out_of_headers(self):
        self.write("probes/nvtx.h", HEADER + "#include <nvtx3/nvToolsExt.h>\n")
        self.expect("in a header")

    def test_a_heavy_header_stays_out_of_headers(self):
        self.write("reports/json.h", HEADER + "#include <nlohmann/json.hpp>\n")
        self.expect("is heavy")

    def test_an_internal_header_may_be_heavy_and_stays_in_its_folder_and_below(self):
        self.write("reports/json_internal.h", HEADER + "#include <nlohmann/json.hpp>\n")
        self.write("reports/writer.cpp", HEAD + '#include "reports/json_internal.h"\n')
        self.write("reports/tree_internal.h", HEADER + '#include "reports/json_internal.h"\n')
        self.write("reports/text/table.cpp", HEAD + '#include "reports/json_internal.h"\n')
        self.assertEqual(list(project_rules.breaches(self.root)), [])
        self.write("harness/ranks.cpp", HEAD + '#include "reports/json_internal.h"\n')
        self.write("reports/json.h", HEADER + '#include "reports/json_internal.h"\n')
        self.assertEqual(len(list(project_rules.breaches(self.root))), 2)

    def test_a_long_file_is_found(self):
        self.write("data/idx.cpp", HEAD + "\n" * 499)
        self.expect("501 lines, at most 500")

    def test_a_name_that_says_nothing_is_found(self):
        self.write("data/utils.cpp", HEAD)
        self.expect("'utils' says nothing")

    def test_a_missing_licence_line_is_found(self):
        self.write("data/idx.cpp", HEAD.splitlines()[0] + "\n#include <vector>\n")
        self.expect("'SPDX-License-Identifier: Apache-2.0' is missing")

    def test_a_script_has_its_licence_after_the_shebang(self):
        self.write("reports/plots/a.py", "#!/usr/bin/env python3\n" + HEAD.replace("//", "#"))
        self.assertEqual(list(project_rules.breaches(self.root)), [])
        self.write("reports/plots/b.py", "import sys\n" + HEAD.replace("//", "#"))
        self.assertEqual(len(list(project_rules.breaches(self.root))), 2)

    def test_pragma_once_is_required(self):
        self.write("data/idx.h", HEAD)
        self.expect("'#pragma once' is missing")

    def test_using_namespace_in_a_header_is_found(self):
        self.write("data/idx.h", HEADER + "using namespace std;\n")
        self.expect("'using namespace' in a header")

    def test_a_header_includes_what_it_names_of_the_precompiled(self):
        self.write("data/idx.h", HEADER + "#include <string>\nstd::string name();  // no std::map\n")
        self.assertEqual(list(project_rules.breaches(self.root)), [])
        self.write("data/idx.h", HEADER + "std::vector<int> a();\nstd::vector<int> b();\n")
        self.expect("data/idx.h:4: <vector> is missing")

    def test_what_is_precompiled_is_in_the_table(self):
        self.write("CMakeLists.txt", "set(precompiled <vector>\n  <fmt/format.h>)\n")
        self.assertEqual(list(project_rules.breaches(self.root)), [])
        self.write("CMakeLists.txt", "set(precompiled <vector>\n  <regex>)\n")
        self.expect("<regex> is precompiled and not in the table")

    def test_the_document_has_the_folders_of_the_rules(self):
        rows = [f"| `{folder}` (top) | core |" for folder in project_rules.EDGES
                if folder not in ("tests", "harness/main.cpp", "data", "workloads")]
        head = "## Who may include whom\n\n| folder | may include |\n|---|---|\n"
        self.write("docs/architecture.md", "\n".join([head.rstrip(), *rows, "| `{data,workloads}` | core |", "", "- x"]))
        self.assertEqual(list(project_rules.breaches(self.root)), [])
        self.write("docs/architecture.md", "\n".join([head.rstrip(), *rows, "| `{data,shards}` | core |", "", "- x"]))
        self.assertEqual(list(project_rules.breaches(self.root)),
                         ["docs/architecture.md: shards is missing in EDGES of project_rules.py",
                          "docs/architecture.md: workloads is missing in the table of docs/architecture.md"])

    def test_a_source_includes_its_header_first(self):
        self.write("data/batch.cpp", HEAD + '#include "data/batch.h"\n#include <vector>\n')
        self.assertEqual(list(project_rules.breaches(self.root)), [])
        self.write("data/batch.cpp", HEAD + '#include <vector>\n#include "data/batch.h"\n')
        self.expect("data/batch.cpp:3: 'data/batch.h' must be the first include")

    def test_lines_dropped_for_a_missing_library_are_found(self):
        self.write("data/idx.cpp", HEAD + "#ifdef DLBENCH_HAVE_PNG\n#endif\n")
        self.write("data/npy.cpp", HEAD + "#if defined(DLBENCH_ENABLE_PNG)\n#endif\n")
        self.assertEqual(len(list(project_rules.breaches(self.root))), 2)

    def test_a_link_that_leads_nowhere_is_found(self):
        self.write("README.md", "[a](docs/a.md) [b](https://example.org/b) [c](#c)\n")
        self.write("docs/a.md", "[up](../README.md#top)\n")
        self.assertEqual(list(project_rules.breaches(self.root)), [])
        self.write("docs/a.md", "[gone](gone.md)\n")
        self.expect("docs/a.md:1: the link to 'gone.md' leads nowhere")

    def test_an_empty_tree_is_no_success(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(project_rules.main([empty]), 1)


if __name__ == "__main__":
    unittest.main()
