// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/scaling/scale_plan.h"

#include "engine/core/error.h"
#include "engine/core/nearest_name.h"
#include "reports/text_table.h"
#include "workloads/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

std::vector<std::string> split(std::string_view text) {
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

std::string series_name(const ScaleSeries& series) {
  return series.variant.empty() ? series.mode : series.mode + " " + series.variant;
}

std::vector<int> parse_rank_list(std::string_view text, int available) {
  std::vector<int> ranks;
  for (const std::string& part : split(text)) {
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
  for (const std::string& part : split(text)) {
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

std::vector<ScaleSeries> sweep_series(const workloads::SweepSpec& spec,
                                      const std::vector<std::string>& modes,
                                      const RunOptions& base) {
  std::vector<ScaleSeries> series;
  for (const std::string& mode : modes) {
    for (const workloads::SweepVariant& variant : workloads::expand(spec)) {
      ScaleSeries each{.mode = mode, .sweep = spec.name, .variant = variant.name, .run = base};
      OptionSet options;  // bound to this series' options alone
      add_workload_options(options, each.run);
      add_parallel_options(options, each.run);
      add_loader_options(options, each.run);
      add_measuring_options(options, each.run);
      for (const workloads::OptionSetting& setting : variant.settings) {
        options.set(setting.option, setting.value, OptionSource::kCommandLine);
        each.options[setting.option] = setting.value;
      }
      series.push_back(std::move(each));
    }
  }
  return series;
}

std::vector<ScaleSize> plan_sizes(const std::vector<ScaleSeries>& series,
                                  const std::vector<int>& ranks) {
  std::vector<ScaleSize> sizes;
  for (std::size_t index = 0; index < series.size(); ++index) {
    const RunOptions& run = series[index].run;
    const std::int64_t per_rank =
        run.batch_size.value_or(workloads::find_workload(run.workload).spec().batch_size);
    for (const int count : ranks) {
      SessionOptions session = session_options(run);
      session.batch_size.reset();
      session.global_batch_size.reset();
      if (series[index].mode == "weak") {
        session.batch_size = per_rank;
      } else {
        session.global_batch_size = run.global_batch_size.value_or(per_rank * ranks.back());
        static_cast<void>(share_batch(per_rank, session.global_batch_size, 0, count));
      }
      sizes.push_back({.series = index, .ranks = count, .session = std::move(session)});
    }
  }
  return sizes;
}

std::vector<TrialId> trials_at(const std::vector<TrialId>& wanted, int ranks) {
  std::vector<TrialId> trials = wanted;
  if (ranks == 1) {
    std::erase_if(trials, [](const TrialId& id) { return id.variant == "nocomm"; });
  }
  return trials;
}

std::vector<reports::SkipRecord> impossible_trials(const std::vector<TrialId>& wanted,
                                                   const std::vector<int>& ranks) {
  std::vector<TrialId> left_out = wanted;
  for (const int count : ranks) {
    const std::vector<TrialId> possible = trials_at(wanted, count);
    if (possible.empty()) {
      std::vector<std::string> names;
      std::ranges::transform(wanted, std::back_inserter(names), &TrialId::to_string);
      throw Error(ErrorCode::kUsage,
                  fmt::format("none of the trials can run on {}: {}; add others to --trials{}",
                              reports::count_text(count, "rank"),
                              fmt::join(names, ","),
                              ranks.size() > 1 ? ", or give --ranks without it" : ""));
    }
    std::erase_if(left_out, [&possible](const TrialId& id) {
      return std::find(possible.begin(), possible.end(), id) != possible.end();
    });
  }
  std::vector<reports::SkipRecord> skipped;
  skipped.reserve(left_out.size());
  for (const TrialId& id : left_out) {
    skipped.push_back({"trial " + id.to_string(),
                       "there is one rank, so there is no communication to leave out"});
  }
  return skipped;
}

}  // namespace dlbench::harness
