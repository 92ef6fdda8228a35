// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/scaling/scale_plan.h"

#include "engine/core/error.h"
#include "harness/ranks.h"
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

const ScaleSize& with_largest_batch(const std::vector<ScaleSize>& sizes) {
  return *std::ranges::max_element(sizes, {}, &ScaleSize::global_batch);
}

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
  if (!sizes.empty()) {
    const std::int64_t largest = with_largest_batch(sizes).global_batch();
    for (ScaleSize& size : sizes) {
      size.session.largest_global_batch = largest;
    }
  }
  return sizes;
}

std::string size_name(const ScaleSeries& series, int ranks) {
  return series_name(series) + ", " + reports::count_text(ranks, "rank");
}

void check_samples(const std::vector<ScaleSeries>& series,
                   const std::vector<ScaleSize>& sizes,
                   std::int64_t samples,
                   const std::string& source) {
  const ScaleSize& largest = with_largest_batch(sizes);
  if (largest.global_batch() <= samples) {
    return;
  }
  const bool strong = largest.session.global_batch_size.has_value();
  throw Error(
      ErrorCode::kUsage,
      fmt::format("{}: a batch of {} is larger than the {} samples of {}; choose {}, or give "
                  "--data with more (`dlbench data generate` writes any number)",
                  size_name(series[largest.series], largest.ranks),
                  largest.global_batch(),
                  samples,
                  source,
                  strong || samples < largest.ranks
                      ? strong ? fmt::format("a --global-batch-size of at most {}", samples)
                               : fmt::format("--ranks of at most {}", samples)
                      : fmt::format("a --batch-size of at most {}", samples / largest.ranks)));
}

std::string open_or_leave_out(const ScaleSeries& series,
                              int ranks,
                              comm::Rendezvous& launch,
                              const std::function<void()>& open) {
  try {
    together(launch, open);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kMemory) {
      throw;
    }
    if (series.mode != "strong") {
      throw Error(error.code(), size_name(series, ranks) + ": " + error.what());
    }
    return error.what();
  }
  return "";
}

void check_left_out(const std::vector<ScaleSeries>& series,
                    const std::vector<ScaleSize>& sizes,
                    const std::vector<reports::SkipRecord>& left_out) {
  for (std::size_t index = 0; index < series.size(); ++index) {
    const std::string name = series_name(series[index]) + ",";
    const auto last =
        std::find_if(left_out.rbegin(), left_out.rend(), [&name](const reports::SkipRecord& size) {
          return size.what.starts_with(name);
        });
    if (std::ranges::find(sizes, index, &ScaleSize::series) == sizes.end() &&
        last != left_out.rend()) {
      throw Error(ErrorCode::kMemory, last->what + ": " + last->reason);
    }
  }
}

std::vector<TrialId> trials_at(const std::vector<TrialId>& wanted, int ranks) {
  std::vector<TrialId> trials = wanted;
  std::erase_if(trials, [ranks](const TrialId& id) { return !why_impossible(id, ranks).empty(); });
  return trials;
}

std::vector<reports::SkipRecord> trials_left_out(const std::vector<TrialId>& wanted,
                                                 const std::vector<ScaleSize>& planned,
                                                 const std::vector<ScaleSize>& kept) {
  const auto possible = [](const TrialId& id) {
    return [&id](const ScaleSize& size) { return why_impossible(id, size.ranks).empty(); };
  };
  std::vector<reports::SkipRecord> skipped;
  for (const TrialId& id : wanted) {
    if (std::ranges::any_of(planned, possible(id)) && std::ranges::none_of(kept, possible(id))) {
      skipped.push_back({"trial " + id.to_string(), "the sizes that can do it were left out"});
    }
  }
  return skipped;
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
