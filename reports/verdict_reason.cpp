// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/verdict_reason.h"

#include "reports/value.h"
#include "reports/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace dlbench::reports {
namespace {

/// Whether the command's option `trials`, if it has one, names this kind; a verdict does not need
/// every variant of it.
bool asked_for(const RunRecord& record, TrialKind kind) {
  const auto option = record.config.effective.find("trials");
  if (option == record.config.effective.end()) {
    return false;
  }
  const std::string list = "," + text_of(option->second) + ",";
  return std::ranges::any_of(std::array{"", "/device", "/host"}, [&](const char* variant) {
    return list.find(fmt::format(",{}{},", word(kind), variant)) != std::string::npos;
  });
}

bool measured(const RunRecord& record, TrialKind kind) {
  return std::ranges::any_of(record.trials, [kind](const TrialRecord& trial) {
    return trial.kind == kind && !trial.series.has_value() && trial.variant != "nocomm" &&
           trial.throughput.has_value();
  });
}

std::string_view ending_of(const RunInfoRecord& run) {
  return run.status == RunStatus::kFailed ? "failed" : "was ended";
}

}  // namespace

std::string why_no_verdict(const RunRecord& record) {
  constexpr std::string_view kNeeds = "it needs the trials io, synthetic and full";
  if (!record.scaling.empty()) {
    return "a series has it at each of its points, where it can be told";
  }
  std::vector<std::string_view> unmeasured;
  for (const TrialKind kind : {TrialKind::kIo, TrialKind::kSynthetic, TrialKind::kFull}) {
    if (!measured(record, kind) && !asked_for(record, kind)) {
      return std::string(kNeeds);
    }
    if (!measured(record, kind)) {
      unmeasured.push_back(word(kind));
    }
  }
  const RunInfoRecord& run = record.run;
  if (!run.finished_at.has_value()) {
    return "the run has not come to it";
  }
  if (run.status != RunStatus::kComplete) {
    return fmt::format("the run {} before it{}{}",
                       ending_of(run),
                       run.failure.has_value() ? ": " : "",
                       run.failure.has_value() ? run.failure->detail : "");
  }
  return unmeasured.empty()
             ? std::string(kNeeds)
             : fmt::format(
                   "{}, but no repetition of {} counts", kNeeds, fmt::join(unmeasured, ", "));
}

}  // namespace dlbench::reports
