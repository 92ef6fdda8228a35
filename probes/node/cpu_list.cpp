// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/cpu_list.h"

#include "engine/core/parse_number.h"

#include <algorithm>
#include <optional>

namespace dlbench::probes {
namespace {

constexpr int kMostCpus = 1 << 20;  // more than any kernel counts: such a text is none of its lists

std::optional<int> to_number(std::string_view text) {
  const auto number = core::parse_number<int>(text);
  return number.value_or(-1) >= 0 ? number : std::nullopt;
}

}  // namespace

std::string cpu_list_text(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t begin = 0; begin < cpus.size();) {
    std::size_t end = begin;
    while (end + 1 < cpus.size() && cpus[end + 1] == cpus[end] + 1) {
      ++end;
    }
    text += (text.empty() ? "" : ",") + std::to_string(cpus[begin]);
    if (end > begin) {
      text += "-" + std::to_string(cpus[end]);
    }
    begin = end + 1;
  }
  return text;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  text = text.substr(0, text.find_last_not_of(" \n") + 1);
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t dash = range.find('-');
    const auto first = to_number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : to_number(range.substr(dash + 1));
    if (first.has_value() && last.has_value() && *last < kMostCpus) {
      for (int cpu = *first; cpu <= *last; ++cpu) {
        cpus.push_back(cpu);
      }
    }
  }
  return cpus;
}

}  // namespace dlbench::probes
