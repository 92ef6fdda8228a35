// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The folder for things that are made once and kept: tuning, measured peaks, generated data.
#pragma once

#include <filesystem>
#include <optional>

namespace dlbench::harness {

/// Returns the cache folder, created if missing: $DLBENCH_CACHE_DIR, else $XDG_CACHE_HOME/dlbench,
/// else ~/.cache/dlbench. Throws core::Error(kFile).
[[nodiscard]] std::filesystem::path cache_folder();
/// Like cache_folder(), for contents that only save time: nothing, and one warning, if unusable.
[[nodiscard]] std::optional<std::filesystem::path> cache_folder_if_usable();

}  // namespace dlbench::harness
