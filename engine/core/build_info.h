// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What this binary is: version, commit, compiler, features. Filled in by CMake.
#pragma once

#include <map>
#include <string>

namespace dlbench::core {

struct BuildInfo {
  std::string version;
  std::string git_commit;  ///< "unknown" when built outside a repository; "+" marks local changes
  std::string build_type;
  std::string compiler;
  std::map<std::string, bool> features;
  std::string cuda_architectures;  ///< of the CUDA plug-in, "75 80 90"; empty if it was not built
};

[[nodiscard]] const BuildInfo& build_info();

}  // namespace dlbench::core
