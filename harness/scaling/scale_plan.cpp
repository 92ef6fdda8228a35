// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/scaling/scale_plan.h"

#include "engine/core/error.h"
#include "harness/session/batch_share.h"
#include "harness/trials/arm.h"
#include "reports/naming.h"
#include "workloads/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

}  // namespace

std::string series_name(const ScaleSeries& series) {
  return series.variant.empty() ? series.mode : series.mode + " " + series.variant;
}

std::vector<ScaleSize> plan_sizes(const std::vector<ScaleSeries>& series,
                                  const std::vector<int>& ranks) {
  std::vector<ScaleSize> sizes;
  for (std::size_t index = 0; index < series.size(); ++index) {
    const SessionOptions& wanted = series[index].session;
    const std::int64_t per_rank =
        wanted.batch_size.value_or(workloads::find_workload(wanted.workload).spec().batch_size);
    for (const int count : ranks) {
      SessionOptions session = wanted;
      session.batch_size.reset();
      session.global_batch_size.reset();
      if (series[index].mode == "weak") {
        session.batch_size = per_rank;
      } else {
        session.global_batch_size = wanted.global_batch_size.value_or(per_rank * ranks.back());
        static_cast<void>(share_batch(per_rank, session.global_batch_size, 0, count));
      }
      sizes.push_back({.series = index, .ranks = count, .session = std::move(session)});
    }
  }
  return sizes;
}

std::vector<TrialId> trials_at(const std::vector<TrialId>& wanted, int ranks) {
  std::vector<TrialId> trials = wanted;
  std::erase_if(trials, [ranks](const TrialId& id) { return !why_impossible(id, ranks).empty(); });
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
    skipped.push_back({"trial " + id.to_string(), why_impossible(id, ranks.front())});
  }
  return skipped;
}

}  // namespace dlbench::harness
