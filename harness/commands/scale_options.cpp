// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/scale_options.h"

#include "engine/core/error.h"
#include "engine/core/nearest_name.h"
#include "engine/core/parse_number.h"
#include "engine/core/split_list.h"
#include "harness/commands/option_limits.h"
#include "harness/commands/option_set.h"
#include "harness/commands/rank_list.h"
#include "harness/trials/trial_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

}  // namespace

std::vector<int> scaled_ranks(std::string_view text, int available) {
  if (!text.empty()) {
    return parse_rank_list(text, available);
  }
  const std::vector<std::int64_t> counts = workloads::rank_counts({}, available);
  return {counts.begin(), counts.end()};
}

std::vector<std::int64_t> projected_ranks(std::string_view text) {
  std::vector<std::int64_t> ranks;
  for (const std::string& part : core::split_list(text)) {
    ranks.push_back(parse_count("--project", part, {1, 1024}));
  }
  return ranks;
}

std::vector<std::string> parse_modes(std::string_view text) {
  const std::array<std::string, 2> known{
      std::string(workloads::name(workloads::BatchRule::kWeak)),
      std::string(workloads::name(workloads::BatchRule::kStrong))};
  std::vector<std::string> modes;
  for (const std::string& part : core::split_list(text)) {
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
  for (const std::string& part : core::split_list(text)) {
    const double cap = core::parse_number<double>(part).value_or(0.0);
    if (!(cap >= kSmallestCapMib && cap <= kLargestCapMib)) {
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

void check_variants(const workloads::SweepSpec& spec,
                    const OptionSet& options,
                    const std::string& trials) {
  std::set<std::string> varied;
  for (const workloads::SweepVariant& variant : workloads::expand(spec)) {
    for (const workloads::OptionSetting& setting : variant.settings) {
      if (!options.is_default(setting.option)) {
        throw Error(
            ErrorCode::kUsage,
            fmt::format("--sweep {} varies --{} itself: leave it out", spec.name, setting.option));
      }
      varied.insert(setting.option);
    }
  }
  const std::vector<std::string> of_loader = loader_option_names();
  const bool loader_alone =
      !varied.empty() && std::ranges::all_of(varied, [&of_loader](const std::string& option) {
        return std::ranges::count(of_loader, option) != 0;
      });
  if (loader_alone &&
      std::ranges::none_of(parse_trials(trials, SyntheticTrials::kOne), &TrialId::loads)) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--sweep {} varies --{}, and none of --trials {} loads data: add io or "
                            "full",
                            spec.name,
                            fmt::join(varied, ", --"),
                            trials));
  }
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
