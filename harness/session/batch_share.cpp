// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/batch_share.h"

#include "engine/core/error.h"

#include <algorithm>
#include <string>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

}  // namespace

BatchShare share_batch(std::int64_t per_rank,
                       std::optional<std::int64_t> global,
                       int rank,
                       int ranks) {
  if (!global.has_value()) {
    return {.local = per_rank, .global = per_rank * ranks, .first = per_rank * rank};
  }
  if (*global < ranks) {
    throw Error(ErrorCode::kUsage,
                "--global-batch-size " + std::to_string(*global) + " is less than one sample for " +
                    "each of " + std::to_string(ranks) + " ranks");
  }
  const std::int64_t more = *global % ranks;
  const std::int64_t share = *global / ranks;
  return {.local = share + (rank < more ? 1 : 0),
          .global = *global,
          .first = rank * share + std::min<std::int64_t>(rank, more)};
}

}  // namespace dlbench::harness
