// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks the file of a shared library before the dynamic loader maps it: with a truncated file the
// process would be killed by SIGBUS.
#pragma once

#include <filesystem>
#include <string>

namespace dlbench::core {

/// Why a file cannot be loaded, phrased to follow its name: "is cut off: it has 4096 of at least
/// 1300000 bytes"; "is no regular file" (opening a pipe would block). Empty if no defect is known;
/// a missing file, or one that is no ELF library, is left to the loader to report.
[[nodiscard]] std::string library_defect(const std::filesystem::path& path);

}  // namespace dlbench::core
