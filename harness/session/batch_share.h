// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How the ranks share the batch of a step.
#pragma once

#include <cstdint>
#include <optional>

namespace dlbench::harness {

/// A batch and its parts on the ranks.
struct BatchShare {
  std::int64_t local = 0;   ///< samples of this rank
  std::int64_t global = 0;  ///< of all ranks
  std::int64_t first = 0;   ///< index of this rank's first sample in the global batch
};

/// Returns the samples of rank `rank` of `ranks`: `per_rank` each, or shares of `global`, where the
/// first ranks get one sample more if it does not divide evenly. Throws core::Error(kUsage) if a
/// rank would get none.
[[nodiscard]] BatchShare share_batch(std::int64_t per_rank,
                                     std::optional<std::int64_t> global,
                                     int rank,
                                     int ranks);

}  // namespace dlbench::harness
