// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/comparable.h"

#include "engine/core/error.h"
#include "reports/text/compare_internal.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

namespace dlbench::reports {
namespace {

using core::Error;
using core::ErrorCode;

/// Samples of another size are other work, like those of another workload. Another batch (which
/// shares an optimizer step among more samples) and another precision (which adds casts) are not:
/// neither changes the multiply-adds of the forward pass.
void expect_same_work(const RunRecord& baseline, const RunRecord& candidate) {
  constexpr double kRounding = 1e-6;
  const auto macs_of = [](const RunRecord& record) {
    return record.workload.has_value() ? record.workload->forward_macs_per_sample : std::nullopt;
  };
  const std::optional<double> before = macs_of(baseline);
  const std::optional<double> after = macs_of(candidate);
  if (before.has_value() && after.has_value() &&
      std::abs(*before - *after) > kRounding * std::max(*before, *after)) {
    throw Error(ErrorCode::kData,
                fmt::format("a sample takes {}MAC forward in the baseline and {}MAC in the "
                            "candidate (--image-size): their samples/s cannot be compared",
                            decimal_text(*before),
                            decimal_text(*after)));
  }
}

std::string workload_name(const RunRecord& record) {
  return record.workload.has_value() ? record.workload->name : "none";
}

/// Throws unless the two measure the same work.
void expect_same_workload(const RunRecord& baseline, const RunRecord& candidate) {
  if (workload_name(baseline) == workload_name(candidate)) {
    expect_same_work(baseline, candidate);
    return;
  }
  const std::string before = command_of(baseline.run);
  const std::string after = command_of(candidate.run);
  if (before != after && !before.empty() && !after.empty() &&
      baseline.workload.has_value() != candidate.workload.has_value()) {
    throw Error(ErrorCode::kData,
                fmt::format("the baseline is a report of the command {}, the candidate one of {}: "
                            "what they measure cannot be compared",
                            before,
                            after));
  }
  throw Error(ErrorCode::kData,
              fmt::format("the reports are of different workloads, {} and {}: their samples/s "
                          "cannot be compared",
                          workload_name(baseline),
                          workload_name(candidate)));
}

/// Throws if a start is there twice, which would count as two that agree, or if they are of several
/// commands.
void expect_distinct_starts(std::span<const RunRecord> baselines,
                            std::span<const RunRecord> candidates) {
  std::set<std::string> ids;
  const std::string command = command_of(baselines.front().run);
  const auto known = [](const std::string& text) { return text.empty() ? "unknown" : text; };
  for (const std::span<const RunRecord> side : {baselines, candidates}) {
    for (const RunRecord& record : side) {
      if (command_of(record.run) != command) {
        throw Error(ErrorCode::kData,
                    fmt::format("the reports are of the commands {} and {}: give starts of one",
                                known(command),
                                known(command_of(record.run))));
      }
      if (!ids.insert(record.run.id).second) {
        throw Error(ErrorCode::kData,
                    fmt::format("two of the reports are of one run, {}, started at {}: a start "
                                "counts once",
                                record.run.id,
                                record.run.started_at));
      }
    }
  }
}

}  // namespace

void expect_comparable(std::span<const RunRecord> baselines,
                       std::span<const RunRecord> candidates) {
  if (baselines.size() > 1 || candidates.size() > 1) {
    expect_distinct_starts(baselines, candidates);
  }
  for (const RunRecord& baseline : baselines) {
    for (const RunRecord& candidate : candidates) {
      expect_same_workload(baseline, candidate);
    }
  }
}

}  // namespace dlbench::reports
