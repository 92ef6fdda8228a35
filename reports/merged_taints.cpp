// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/merged_taints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace dlbench::reports {
namespace {

/// "trial full" of "trial full, repetition 2".
std::string_view place_of(const TaintRecord& taint) {
  const std::string_view where = taint.where;
  return where.substr(0, where.find(", repetition "));
}

}  // namespace

std::vector<TaintRecord> merged_taints(const std::vector<TaintRecord>& taints) {
  std::vector<TaintRecord> merged;
  std::vector<std::size_t> others;
  for (const TaintRecord& taint : taints) {
    const auto found = std::ranges::find_if(merged, [&taint](const TaintRecord& first) {
      return first.code == taint.code && place_of(first) == place_of(taint);
    });
    if (found == merged.end()) {
      merged.push_back(taint);
      others.push_back(0);
    } else {
      ++others[static_cast<std::size_t>(found - merged.begin())];
    }
  }
  for (std::size_t index = 0; index < merged.size(); ++index) {
    if (others[index] > 0) {
      merged[index].detail += fmt::format(", and {} more like it", others[index]);
    }
  }
  return merged;
}

}  // namespace dlbench::reports
