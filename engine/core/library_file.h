// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of shared libraries, before the dynamic loader sees them: it maps one that is cut off, and
// the process ends by SIGBUS.
#pragma once

#include <filesystem>
#include <string>

namespace dlbench::core {

/// Why a file cannot be loaded, after its name: "is cut off: it has 4096 of at least 1300000
/// bytes"; "is no regular file" (a pipe would be waited for). Empty: nothing is known against it,
/// and what it is, if no library of ELF, the loader says.
[[nodiscard]] std::string library_defect(const std::filesystem::path& path);

}  // namespace dlbench::core
