// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The operating system's page cache for the files of a data set: makes it warm or cold, measures
// it, and proves its state as far as an ordinary user can.
#pragma once

#include "data/dataset.h"
#include "data/loader/prefetch_loader.h"
#include "engine/core/named.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace dlbench::data {

enum class CacheMode : std::uint8_t { kAsIs, kWarm, kCold };
inline constexpr std::array<core::Named<CacheMode>, 3> kCacheModes{
    {{CacheMode::kAsIs, "as-is"}, {CacheMode::kWarm, "warm"}, {CacheMode::kCold, "cold"}}};

/// The state of the page cache, as found or as prepared.
struct CacheState {
  CacheMode mode = CacheMode::kAsIs;
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  /// Share of the pages in the page cache, in [0, 1]; nullopt where mincore cannot be trusted: it
  /// is truthful only to owners of the files (or a capability over them) and to who may write them.
  std::optional<double> resident_before;
  std::optional<double> resident_after;
  /// True if the requested state was reached and verified (as-is: if it could be measured).
  bool verified = false;
  bool network_file_system = false;  ///< then only the cache of this client is described
  std::string proof;                 ///< one sentence for the report
};

/// Brings the files into the state: kWarm reads each once, kCold writes back and drops their pages
/// (fsync, posix_fadvise DONTNEED; needs no root), kAsIs only measures. Calls `check` while files
/// are read and rethrows its exceptions. Throws Error(kFile).
[[nodiscard]] CacheState prepare_page_cache(CacheMode mode,
                                            std::span<const std::filesystem::path> files,
                                            const std::function<void()>& check = {});

/// Does the same for the files of a data set; one that is held in memory needs no files any more.
/// A file that this user may not read is left out if `options` skip corrupt samples, and else an
/// error with their advice.
[[nodiscard]] CacheState prepare_page_cache(CacheMode mode,
                                            const Dataset& dataset,
                                            const LoaderOptions& options,
                                            const std::function<void()>& check = {});

/// Returns the resident part of the files' pages, or nullopt if it cannot be trusted for some file.
[[nodiscard]] std::optional<double> resident_fraction(std::span<const std::filesystem::path> files);

}  // namespace dlbench::data
