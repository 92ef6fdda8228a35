// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/rank_warnings.h"

#include "engine/core/log.h"
#include "reports/naming.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

constexpr std::size_t kMaxRanks = 4;
constexpr std::size_t kMaxWarnings = 8;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream rest(text);
  for (std::string line; std::getline(rest, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// "rank 3", "ranks 1, 2, 3, 4 and 60 more".
std::string ranks_text(const std::vector<std::size_t>& ranks) {
  const std::size_t told = std::min(ranks.size(), kMaxRanks);
  std::string text = fmt::format(
      "{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(std::span(ranks).first(told), ", "));
  if (told < ranks.size()) {
    text += fmt::format(" and {} more", ranks.size() - told);
  }
  return text;
}

}  // namespace

std::vector<std::string> warnings_of_others(const std::vector<std::string>& by_rank) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> found;
  std::set<std::string> told;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    for (const std::string& warning : lines_of(by_rank[rank])) {
      if (rank == 0) {
        told.insert(warning);
      } else if (!told.contains(warning)) {
        auto known = std::ranges::find(found, warning, [](const auto& each) { return each.first; });
        if (known == found.end()) {
          known = found.insert(found.end(), {warning, {}});
        }
        known->second.push_back(rank);
      }
    }
  }
  std::vector<std::string> texts;
  for (std::size_t index = 0; index < std::min(found.size(), kMaxWarnings); ++index) {
    texts.push_back(ranks_text(found[index].second) + ": " + found[index].first);
  }
  if (found.size() > kMaxWarnings) {
    texts.push_back("and " +
                    reports::count_text(static_cast<std::int64_t>(found.size() - kMaxWarnings),
                                        "more warning") +
                    " of ranks other than 0");
  }
  return texts;
}

void tell_warnings_of_others(comm::Rendezvous& ranks) {
  const std::vector<std::string> by_rank =
      ranks.gather(fmt::format("{}", fmt::join(core::log::warnings(), "\n")));
  for (const std::string& warning : warnings_of_others(by_rank)) {
    core::log::warn(warning);
  }
}

}  // namespace dlbench::harness
