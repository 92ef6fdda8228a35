// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The state of the operating system's page cache for the files of a data set: made warm or cold,
// measured, and proved as far as an ordinary user can.
#pragma once

#include "data/dataset.h"
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

/// What was found or brought about.
struct CacheState {
  CacheMode mode = CacheMode::kAsIs;
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  /// Part of the pages in the page cache, in [0, 1]; nullopt where mincore cannot be trusted: it
  /// tells the truth only to who owns the files (or has power over the owner) or may write them.
  std::optional<double> resident_before;
  std::optional<double> resident_after;
  /// True if the state asked for was reached and could be checked (as-is: could be measured).
  bool verified = false;
  bool network_file_system = false;  ///< then only this client's cache is spoken of
  std::string proof;                 ///< one sentence for the report
};

/// Brings the files into the state: kWarm reads each once, kCold writes back and drops their pages
/// (fsync, posix_fadvise DONTNEED; needs no root), kAsIs only looks. Throws Error(kFile), and what
/// `check` throws, which is called while files are read.
[[nodiscard]] CacheState prepare_page_cache(CacheMode mode,
                                            std::span<const std::filesystem::path> files,
                                            const std::function<void()>& check = {});

/// The same for the files of a data set; one that is held in memory needs none of them any more.
/// `skip_unreadable`: without those that this user may not read, which --skip-corrupt replaces.
[[nodiscard]] CacheState prepare_page_cache(CacheMode mode,
                                            const Dataset& dataset,
                                            bool skip_unreadable,
                                            const std::function<void()>& check = {});

/// Part of the files' pages that is resident, or nullopt if it cannot be trusted for one of them.
[[nodiscard]] std::optional<double> resident_fraction(std::span<const std::filesystem::path> files);

}  // namespace dlbench::data
