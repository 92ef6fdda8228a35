// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/benchy.h"

#include "engine/core/atomic_file.h"
#include "reports/statistics.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace dlbench::reports {
namespace {

struct Section {
  const char* name;
  TrialKind kind;
};
constexpr std::array<Section, 3> kSections{
    {{"IO", TrialKind::kIo}, {"SYNTHETIC", TrialKind::kSynthetic}, {"FULL", TrialKind::kFull}}};

/// Returns the trial that represents benchy's, or nullptr.
const TrialRecord* find_trial(const RunRecord& record, TrialKind kind) {
  const TrialRecord* found = nullptr;
  for (const TrialRecord& trial : record.trials) {
    const std::string variant = trial.variant.value_or("");
    if (trial.kind != kind || variant == "nocomm") {
      continue;
    }
    if (found == nullptr || variant == "host") {
      found = &trial;
    }
  }
  return found;
}

/// One entry per repetition that counts.
struct Repetitions {
  std::vector<std::vector<double>> rates;
  std::vector<double> mean_rates;
  std::vector<double> throughputs;
  std::vector<double> times;
};

Repetitions repetitions_of(const TrialRecord& trial) {
  Repetitions result;
  const auto batch = static_cast<double>(trial.global_batch_size);
  for (const RepetitionRecord& repetition : trial.repetitions) {
    if (repetition.discarded.has_value()) {
      continue;
    }
    std::vector<double> rates;
    for (const double step_s : repetition.step_wall_s) {
      if (step_s > 0.0) {
        rates.push_back(batch / step_s);
      }
    }
    result.mean_rates.push_back(rates.empty() ? repetition.samples_per_second : mean_of(rates));
    result.rates.push_back(std::move(rates));
    result.throughputs.push_back(repetition.samples_per_second);
    result.times.push_back(repetition.wall_s);
  }
  return result;
}

}  // namespace

std::string benchy_json(const RunRecord& record) {
  nlohmann::ordered_json document;
  std::int64_t ranks = 1;
  for (const TrialRecord& trial : record.trials) {
    ranks = std::max(ranks, trial.ranks);
  }
  document["nranks"] = ranks;
  for (const Section& section : kSections) {
    const TrialRecord* trial = find_trial(record, section.kind);
    if (trial == nullptr) {
      continue;
    }
    const Repetitions repetitions = repetitions_of(*trial);
    document[section.name] = {{"rates", repetitions.rates},
                              {"avg_iter_throughput", repetitions.mean_rates},
                              {"trial_throughput", repetitions.throughputs},
                              {"trial_time", repetitions.times}};
  }
  return document.dump() + "\n";
}

std::string benchy_lines(const RunRecord& record) {
  std::string text;
  for (const Section& section : kSections) {
    const TrialRecord* trial = find_trial(record, section.kind);
    if (trial == nullptr) {
      continue;
    }
    const std::vector<double> rates = repetitions_of(*trial).throughputs;
    if (rates.empty()) {
      continue;
    }
    const double mean = mean_of(rates);
    double squares = 0.0;
    for (const double rate : rates) {
      squares += (rate - mean) * (rate - mean);
    }
    text += fmt::format("BENCHY::SUMMARY::{} average trial throughput: {:.3f} +/- {:.3f}\n",
                        section.name,
                        mean,
                        std::sqrt(squares / static_cast<double>(rates.size())));
  }
  return text;
}

void write_benchy(const RunRecord& record, const std::string& path) {
  core::write_file_atomically(path, benchy_json(record), "choose another place with --benchy");
}

}  // namespace dlbench::reports
