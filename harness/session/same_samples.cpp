// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/same_samples.h"

#include "engine/core/error.h"
#include "harness/ranks.h"
#include "reports/naming.h"

#include <cstddef>
#include <functional>

namespace dlbench::harness {
namespace {

std::string count_of(const data::Dataset* dataset) {
  return reports::count_text(dataset != nullptr ? dataset->size() : 0, "sample");
}

// Hashes the names in order; all ranks have the same build.
std::string hash_of(const data::Dataset* dataset) {
  std::string names;
  for (std::int64_t index = 0; dataset != nullptr && index < dataset->size(); ++index) {
    names += dataset->sample_name(index) + '\n';
  }
  return std::to_string(std::hash<std::string>()(names));
}

}  // namespace

void check_same_samples(comm::Rendezvous& ranks,
                        const data::Dataset* dataset,
                        const std::string& what) {
  if (ranks.size() == 1) {
    return;
  }
  const std::string count = count_of(dataset);
  const std::string hash = hash_of(dataset);
  const std::string first_count = ranks.broadcast_text(count);
  const std::string first_hash = ranks.broadcast_text(hash);
  together(ranks, [&] {
    if (count != first_count) {
      throw core::Error(core::ErrorCode::kUnavailable,
                        what + " has " + count + " here, but on rank 0 " + first_count +
                            ": give all ranks the same data set");
    }
    if (hash != first_hash) {
      throw core::Error(core::ErrorCode::kUnavailable,
                        what + " has " + count +
                            " as on rank 0, but of other names: give all ranks the same data set");
    }
  });
}

}  // namespace dlbench::harness
