// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Where things are kept that are made once: tuning, measured peaks, generated data.
#pragma once

#include <filesystem>
#include <optional>

namespace dlbench::harness {

/// The folder for things that are made once: $DLBENCH_CACHE_DIR, else $XDG_CACHE_HOME/dlbench, else
/// ~/.cache/dlbench. Created. Throws core::Error(kFile).
[[nodiscard]] std::filesystem::path cache_folder();
/// The same for what only saves time: nothing, and one warning, where the folder cannot be used.
[[nodiscard]] std::optional<std::filesystem::path> cache_folder_if_usable();

}  // namespace dlbench::harness
