// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// check_arithmetic() of validate.h: relations between numbers that a schema cannot express. Each
// part of the report has its own source file, see arithmetic_internal.h.
#include "reports/naming.h"
#include "reports/peak_rates.h"
#include "reports/validation/arithmetic_internal.h"
#include "reports/validation/validate.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace dlbench::reports {
namespace {

/// Checks that an operator's rates are its work over its time, and that its bound follows.
void check_operator(const Checker& check,
                    const OperatorRecord& op,
                    const std::optional<PeakRates>& peaks) {
  if (op.s_per_step > 0.0) {
    const auto expect_rate = [&](const char* key,
                                 const std::optional<double>& rate,
                                 const std::optional<double>& work,
                                 const char* meaning) {
      check.at(key).expect(!rate.has_value() || work.has_value(), "is a rate of unknown work");
      if (rate.has_value() && work.has_value()) {
        check.at(key).expect_close(*rate, *work / op.s_per_step, meaning);
      }
    };
    expect_rate("flop_per_s", op.flop_per_s, op.flop, "flop / s_per_step");
    expect_rate("bytes_per_s", op.bytes_per_s, op.bytes, "bytes / s_per_step");
  }
  if (!op.bound.has_value()) {
    return;
  }
  const bool known = peaks.has_value() && op.flop_per_s.has_value() && op.bytes_per_s.has_value();
  check.at("bound").expect(known, "is known without peaks or rates to tell it by");
  if (known) {
    const Bound wanted = bound_of(*op.flop_per_s, *op.bytes_per_s, *peaks);
    check.at("bound").expect(
        op.bound == wanted,
        fmt::format("is {}, but rates and peaks make it {}", word(*op.bound), word(wanted)));
  }
}

void check_operators(const Checker& root, const RunRecord& record) {
  double whole_s = 0.0;
  for (const OperatorRecord& op : record.operators) {
    whole_s += op.s_per_step;
  }
  const std::optional<PeakRates> peaks =
      record.workload.has_value() ? peak_rates(record.system.peaks, record.workload->precision)
                                  : std::nullopt;
  for (std::size_t index = 0; index < record.operators.size(); ++index) {
    const OperatorRecord& op = record.operators[index];
    const Checker check = root.at("operators", index);
    if (whole_s > 0.0) {
      check.at("share").expect_close(
          op.share, op.s_per_step / whole_s, "s_per_step / that of all operators");
    }
    check.at("calls").expect(op.calls > 0, "is 0, but it has a time");
    check.at("calls").expect(
        op.calls == record.operators.front().calls,
        fmt::format("is {}, but that of {} is {}, and each runs once in a step",
                    op.calls,
                    record.operators.front().name,
                    record.operators.front().calls));
    check_operator(check, op, peaks);
  }
}

void check_trials(const Checker& root, const RunRecord& record) {
  std::set<std::tuple<TrialKind, std::string, std::int64_t, std::string>> arms;
  for (std::size_t index = 0; index < record.trials.size(); ++index) {
    const TrialRecord& trial = record.trials[index];
    const Checker below = root.at("trials", index);
    check_trial(below, trial, record);
    below.expect(
        arms.insert(
                {trial.kind, trial.variant.value_or(""), trial.ranks, trial.series.value_or("")})
            .second,
        "is there twice: same kind, variant, ranks and series");
  }
}

/// A run's verdict is about its trials; those of a series have a verdict at each point.
void check_verdict(const Checker& root, const RunRecord& record) {
  std::vector<const TrialRecord*> trials;
  for (const TrialRecord& trial : record.trials) {
    if (!trial.series.has_value()) {
      trials.push_back(&trial);
    }
  }
  const Checker check = root.at("attribution");
  if (record.attribution.has_value()) {
    root.at("attribution_reason")
        .expect(!record.attribution_reason.has_value(),
                "says why there is no verdict, but there is one");
    check_attribution(check, *record.attribution, trials, record);
  } else {
    check.expect(record.run.status != RunStatus::kComplete || !decides(trials, record),
                 "is null although io, full and synthetic are there to tell");
  }
}

/// Metrics have the names of workloads::metrics_of_counts(), and all are shares.
void check_history(const Checker& root, const RunRecord& record) {
  for (std::size_t index = 0; index < record.history.size(); ++index) {
    const EpochRecord& epoch = record.history[index];
    const Checker place = root.at("history", index);
    place.expect(epoch.epoch == static_cast<std::int64_t>(index) + 1, "epochs are not 1, 2, ...");
    if (epoch.samples.has_value() && epoch.samples_per_second.has_value() && epoch.seconds > 0.0) {
      place.at("samples_per_second")
          .expect_close(*epoch.samples_per_second,
                        static_cast<double>(*epoch.samples) / epoch.seconds,
                        "samples / seconds");
    }
    for (const auto& [name, value] : epoch.metrics) {
      place.expect(!(value < 0.0 || value > 1.0), name + " is not from 0 to 1");
    }
    if (record.workload.has_value()) {
      check_loss_scaling(
          place.at("loss_scaling"), epoch.loss_scaling, record.workload->precision == "fp16");
    }
    place.at("train_loss")
        .expect(epoch.train_loss.has_value() || record.run.status != RunStatus::kComplete,
                "is null, but a loss that is not finite ends a training");
  }
  const auto asked = number_in(record.config.effective, "epochs");
  const bool left_out = std::ranges::any_of(
      record.run.skipped, [](const SkipRecord& skip) { return skip.what.starts_with("epochs "); });
  root.at("history").expect(record.run.status != RunStatus::kComplete || !asked.has_value() ||
                                left_out || static_cast<double>(record.history.size()) == *asked,
                            fmt::format("has {} of {} epochs, and run.skipped does not say why",
                                        record.history.size(),
                                        asked.value_or(0.0)));
}

}  // namespace

std::vector<Problem> check_arithmetic(const RunRecord& record) {
  std::vector<Problem> problems;
  const Checker root(problems, "");
  check_run(root, record);
  check_ranks(root, record);
  check_taints(root, record);
  check_trials(root, record);
  check_verdict(root, record);
  check_operators(root, record);
  check_history(root, record);
  check_series_of_trials(root, record);
  check_all_scaling(root, record);
  check_collectives(root, record);
  return problems;
}

}  // namespace dlbench::reports
