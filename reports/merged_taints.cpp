// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/merged_taints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace dlbench::reports {
namespace {

/// "trial full" of "trial full, repetition 2"; empty of what is no repetition's.
std::string_view trial_of(const TaintRecord& taint) {
  const std::string_view where = taint.where;
  const std::size_t end = where.find(", repetition ");
  return end == std::string_view::npos ? std::string_view() : where.substr(0, end);
}

}  // namespace

std::vector<TaintRecord> merged_taints(const std::vector<TaintRecord>& taints) {
  std::vector<TaintRecord> merged;
  std::vector<std::size_t> others;
  for (const TaintRecord& taint : taints) {
    const auto found = std::ranges::find_if(merged, [&taint](const TaintRecord& first) {
      return first.code == taint.code && !trial_of(taint).empty() &&
             trial_of(first) == trial_of(taint);
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
