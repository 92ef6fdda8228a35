// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// --cache cold: how many timed steps of a repetition one pass over the data allows, and whether a
// repetition really read from storage. data/loader/page_cache.h handles the pages themselves.
#pragma once

#include "data/loader/prefetch_loader.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dlbench::harness {

/// Returns the number of timed steps in one pass over the data: its batches without those that a
/// trial takes before its clock starts (prefetch + 1) and those prefetched beyond its last step
/// (prefetch). The repetition begins with an epoch (PrefetchLoader::skip_to_epoch). Throws
/// core::Error(kUsage), with available and needed samples, if there would be none.
[[nodiscard]] std::int64_t cold_pass_steps(const data::Sampler& sampler, std::int64_t prefetch);

/// What a repetition read, including untimed batches. Plain data: sent between ranks as bytes.
struct ReadBytes {
  std::int64_t loader = 0;              ///< from files, by the loader
  std::optional<std::int64_t> storage;  ///< from storage, by the process; nothing: unknown
};

/// Returns what was read so far, `loader` being its statistics; subtract two for a repetition.
[[nodiscard]] ReadBytes read_so_far(const std::optional<data::LoaderStats>& loader);
[[nodiscard]] ReadBytes operator-(const ReadBytes& end, const ReadBytes& begin);

/// Returns why it is uncertain that the files came from storage, with both numbers; empty if it is
/// certain. Whole pages and read-ahead make storage's number the larger one, so less than 90 % of
/// the loader's bytes is too little.
[[nodiscard]] std::string doubt_of_cold(const ReadBytes& read);

}  // namespace dlbench::harness
