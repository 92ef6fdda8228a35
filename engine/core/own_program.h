// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Where this program lies.
#pragma once

#include <filesystem>

namespace dlbench::core {

/// The file of the running program, links followed; empty if the kernel does not tell (no /proc).
[[nodiscard]] std::filesystem::path own_program();

}  // namespace dlbench::core
