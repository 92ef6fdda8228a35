// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/naming.h"

#include "reports/vocabulary.h"

#include <fmt/format.h>

namespace dlbench::reports {

std::string count_text(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string trial_name(const TrialRecord& trial) {
  return std::string(word(trial.kind)) + (trial.variant.has_value() ? "/" + *trial.variant : "");
}

std::string arm_name(const TrialRecord& trial) {
  std::string name = trial_name(trial);
  if (trial.series.has_value()) {
    name += fmt::format(" ({}, {})", *trial.series, count_text(trial.ranks, "rank"));
  }
  return name;
}

}  // namespace dlbench::reports
