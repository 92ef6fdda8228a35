// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/scale_options.h"

#include "engine/core/error.h"
#include "engine/core/nearest_name.h"
#include "harness/commands/option_limits.h"
#include "harness/commands/option_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

/// As split_list(), but nothing between two commas is a part too: here it is an error.
std::vector<std::string> split_with_empty(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return parts;
}

int parse_ranks(const std::string& text, int available) {
  int ranks = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), ranks);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || ranks < 1) {
    throw Error(ErrorCode::kUsage,
                "--ranks: '" + text + "' is no number of ranks; wanted a list like 1,2,4");
  }
  if (ranks > available) {
    throw Error(ErrorCode::kUsage,
                "--ranks: " + text + " ranks asked for, this launch has " +
                    std::to_string(available) + "; start it with more (mpirun -np " + text +
                    "; in a job --nodes or --ranks-per-node)");
  }
  return ranks;
}

}  // namespace

std::vector<int> parse_rank_list(std::string_view text, int available) {
  std::vector<int> ranks;
  for (const std::string& part : split_with_empty(text)) {
    ranks.push_back(parse_ranks(part, available));
  }
  if (ranks.empty()) {
    for (int power = 1; power <= available; power *= 2) {
      ranks.push_back(power);
    }
    ranks.push_back(available);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::vector<std::string> parse_modes(std::string_view text) {
  const std::array<std::string, 2> known{"weak", "strong"};
  std::vector<std::string> modes;
  for (const std::string& part : split_with_empty(text)) {
    if (std::find(known.begin(), known.end(), part) == known.end()) {
      throw Error(ErrorCode::kUsage, core::unknown_name_message("mode", part, known));
    }
    if (std::find(modes.begin(), modes.end(), part) == modes.end()) {
      modes.push_back(part);
    }
  }
  if (modes.empty()) {
    throw Error(ErrorCode::kUsage, "--mode is empty; wanted weak, strong or weak,strong");
  }
  return modes;
}

std::vector<double> parse_bucket_caps(std::string_view text) {
  std::vector<double> caps;
  for (const std::string& part : split_list(text)) {
    double cap = 0.0;
    const auto result = std::from_chars(part.data(), part.data() + part.size(), cap);
    if (result.ec != std::errc() || result.ptr != part.data() + part.size() ||
        cap < kSmallestCapMib || cap > kLargestCapMib) {
      throw core::Error(core::ErrorCode::kUsage,
                        fmt::format("--sweep-buckets: '{}' is no size in MiB from {} to {}; wanted "
                                    "a list like 1,5,25,100",
                                    part,
                                    kSmallestCapMib,
                                    kLargestCapMib));
    }
    caps.push_back(cap);
  }
  std::sort(caps.begin(), caps.end());
  caps.erase(std::unique(caps.begin(), caps.end()), caps.end());
  return caps;
}

std::vector<ScaleSeries> sweep_series(const workloads::SweepSpec& spec,
                                      const std::vector<std::string>& modes,
                                      const RunOptions& base) {
  std::vector<ScaleSeries> series;
  for (const std::string& mode : modes) {
    for (const workloads::SweepVariant& variant : workloads::expand(spec)) {
      ScaleSeries each{.mode = mode, .sweep = spec.name, .variant = variant.name};
      RunOptions run = base;
      OptionSet options;  // bound to this series' options alone
      add_workload_options(options, run);
      add_parallel_options(options, run);
      add_loader_options(options, run);
      add_measuring_options(options, run);
      for (const workloads::OptionSetting& setting : variant.settings) {
        options.set(setting.option, setting.value, OptionSource::kCommandLine);
        each.options[setting.option] = setting.value;
      }
      each.session = session_options(run);
      series.push_back(std::move(each));
    }
  }
  return series;
}

}  // namespace dlbench::harness
