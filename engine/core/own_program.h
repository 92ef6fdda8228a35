// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The path of this program.
#pragma once

#include <filesystem>

namespace dlbench::core {

/// The file of the running program, links followed; empty if it cannot be determined (no /proc).
[[nodiscard]] std::filesystem::path own_program();

}  // namespace dlbench::core
