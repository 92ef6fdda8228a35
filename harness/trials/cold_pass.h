// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// --cache cold: how many steps of a repetition one pass over the data leaves for the clock, and
// whether a repetition really read from storage. The pages themselves are data/loader/page_cache.h.
#pragma once

#include "data/loader/prefetch_loader.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dlbench::harness {

/// Timed steps that fit into one pass over the data, of which the batches are not timed that a
/// trial takes before its clock starts (prefetch + 1) and those prefetched beyond its last step
/// (prefetch). The repetition begins with an epoch (PrefetchLoader::skip_to_epoch). Throws
/// core::Error(kUsage) if there would be none: what is there, what is wanted.
[[nodiscard]] std::int64_t cold_pass_steps(const data::Sampler& sampler, std::int64_t prefetch);

/// What a repetition read, untimed batches included. Plain data: travels between ranks as bytes.
struct ReadBytes {
  std::int64_t loader = 0;              ///< from files, by the loader
  std::optional<std::int64_t> storage;  ///< from storage, by the process; none: not known
};

/// What was read so far, if `loader` has stats(): differences of two tell of a repetition.
[[nodiscard]] ReadBytes read_so_far(const std::optional<data::LoaderStats>& loader);
[[nodiscard]] ReadBytes operator-(const ReadBytes& end, const ReadBytes& begin);

/// Why it is not certain that the files came from storage, with both numbers; empty if it is.
/// Whole pages and read-ahead make storage's number the larger one, so less than 90 % is too
/// little.
[[nodiscard]] std::string doubt_of_cold(const ReadBytes& read);

}  // namespace dlbench::harness
