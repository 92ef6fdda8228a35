// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/merged_taints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace dlbench::reports {
namespace {

/// Returns "trial full" for "trial full, repetition 2".
std::string_view place_of(const TaintRecord& taint) {
  const std::string_view where = taint.where;
  return where.substr(0, where.find(", repetition "));
}

/// Returns "other processes used s" for "other processes used 0.4 s": a word that begins with a
/// digit is a figure.
std::string without_figures(std::string_view text) {
  std::string words;
  bool in_figure = false;
  char before = ' ';
  for (const char letter : text) {
    const bool starts = before == ' ' || before == '(';
    in_figure = starts ? letter >= '0' && letter <= '9' : in_figure && letter != ' ';
    if (!in_figure) {
      words += letter;
    }
    before = letter;
  }
  return words;
}

bool alike(const TaintRecord& one, const TaintRecord& other) {
  return one.code == other.code && place_of(one) == place_of(other) &&
         without_figures(one.detail) == without_figures(other.detail);
}

}  // namespace

std::vector<TaintRecord> merged_taints(const std::vector<TaintRecord>& taints) {
  std::vector<TaintRecord> merged;
  std::vector<std::size_t> others;
  for (const TaintRecord& taint : taints) {
    const auto found = std::ranges::find_if(
        merged, [&taint](const TaintRecord& first) { return alike(first, taint); });
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
