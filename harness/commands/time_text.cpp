// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/time_text.h"

#include "harness/analysis/step_estimate.h"
#include "harness/peaks/device_peaks.h"
#include "harness/peaks/peak_cache.h"
#include "harness/trials/steady_state.h"
#include "reports/naming.h"
#include "reports/peak_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace dlbench::harness {
namespace {

struct StepTime {
  std::optional<double> step_s;
  std::string text;  // one line: the estimate, or why there is none
};

std::string duration(double seconds) {
  if (seconds < 1.0) {
    return fmt::format("{:.3g} ms", seconds * 1e3);
  }
  return seconds < 600.0 ? fmt::format("{:.3g} s", seconds)
                         : fmt::format("{:.0f} min", seconds / 60.0);
}

StepTime step_time(const SessionPlan& plan, bool shared) {
  const backend::DeviceInfo device = plan.backend().device();
  const bool gpu = plan.backend().name() == "cuda";
  if (plan.backend().name() != "cpu" && !gpu) {
    return {{}, fmt::format("not estimated: no peaks of the {} backend\n", plan.backend().name())};
  }
  if (shared) {
    return {{}, "not estimated: ranks share cores or a GPU, whose peaks are measured alone\n"};
  }
  const int measured_threads = peak_key().threads;
  if (!gpu && device.threads != measured_threads) {
    return {{},
            fmt::format("not estimated: peaks are those of {} threads, this run has {}\n",
                        measured_threads,
                        device.threads)};
  }
  const std::string& precision = plan.options().precision;
  const std::vector<reports::PeakRecord> peaks =
      gpu ? cached_device_peaks(plan.backend()) : cached_peaks();
  const std::optional<double> step_s =
      estimate_step_s(plan.training_graph(), peaks, precision == "tf32" ? "tf32" : "fp32");
  const std::optional<reports::PeakRates> rates = reports::peak_rates(peaks, precision);
  if (!step_s.has_value() || !rates.has_value()) {
    return {{},
            fmt::format("not estimated: run `dlbench info --measure-peaks{}` first\n",
                        gpu ? " --device cuda" : "")};
  }
  return {step_s,
          fmt::format("step {}, {:.3g} samples/s, if every op ran at the measured peaks "
                      "({:.0f} GFLOP/s, {:.1f} GB/s)\n",
                      duration(*step_s),
                      static_cast<double>(plan.batch().global) / *step_s,
                      rates->flop_per_s * 1e-9,
                      rates->bytes_per_s * 1e-9)};
}

struct Bounds {
  double min_s = 0.0;
  double max_s = 0.0;
};

// Returns the least time that a simulated storage adds to a batch: at least one read for each
// sample, with the workers' reads overlapping. 0 without one: a real loader's time is unknown.
double min_batch_s(const SessionPlan& plan) {
  const double reads_one_after_another =
      static_cast<double>(plan.batch_size()) /
      static_cast<double>(std::clamp<std::int64_t>(plan.workers(), 1, plan.most_busy_workers()));
  return plan.options().storage.latency_ms * 1e-3 * reads_one_after_another;
}

// Bounds for one trial whose step takes `step_s`; `untimed_steps` precede the warm-up and each
// repetition.
Bounds trial_time(double step_s, std::int64_t untimed_steps, const RunOptions& run) {
  const RunnerOptions defaults;
  const double min_time_s = run.min_time.value_or(defaults.min_time_s);
  const double max_time_s = run.max_time.value_or(defaults.stopping.max_time_s);
  const auto warmup_steps = std::max<std::int64_t>(run.warmup_steps, 2 * SteadyState::kWindow + 1);
  const double repetition_s = run.steps.has_value() ? step_s * static_cast<double>(*run.steps)
                                                    : std::max(min_time_s, step_s);
  const double repetitions_s = repetition_s * static_cast<double>(run.repetitions);
  const double warmup_s =
      std::min(step_s * static_cast<double>(warmup_steps), warm_up_limit_s(max_time_s) + step_s);
  const double untimed_s =
      step_s * static_cast<double>(untimed_steps) * static_cast<double>(run.repetitions + 1);
  // With --steps and batches alone, the time is unknown.
  const double max_repetitions =
      repetition_s > 0.0 ? std::max(max_time_s, repetitions_s) / repetition_s + 2 : 0.0;
  return {warmup_s + untimed_s + repetitions_s,
          std::max(warmup_s, warm_up_limit_s(max_time_s)) + std::max(max_time_s, repetitions_s) +
              repetition_s + step_s * static_cast<double>(untimed_steps) * max_repetitions};
}

}  // namespace

std::string run_time_text(const SessionPlan& plan,
                          bool shared,
                          const std::vector<TrialId>& trials,
                          const RunOptions& run) {
  const bool trains = std::ranges::any_of(trials, &TrialId::trains);
  const StepTime step = trains ? step_time(plan, shared)
                               : StepTime{0.0, "no step to estimate: batches come as they come\n"};
  std::string text = "time         " + step.text;
  if (!step.step_s.has_value()) {
    return text;
  }
  Bounds whole;
  for (const TrialId& trial : trials) {
    const bool loads = trial.kind == reports::TrialKind::kIo ||
                       trial.kind == reports::TrialKind::kFull ||
                       trial.variant == "loader_beside_step";
    const double batch_s = loads ? min_batch_s(plan) : 0.0;
    const Bounds bounds = trial_time(std::max(trial.trains() ? *step.step_s : 0.0, batch_s),
                                     loads ? run.session.prefetch + 1 : 0,
                                     run);
    whole.min_s += bounds.min_s;
    whole.max_s += bounds.max_s;
  }
  text += fmt::format(
      "             {}{} at least, ", trains ? "with such steps: " : "", duration(whole.min_s));
  if (run.time_budget.has_value()) {
    return text +
           (*run.time_budget < whole.min_s
                ? fmt::format("more than --time-budget ({}) allows\n", duration(*run.time_budget))
                : fmt::format("about {} as --time-budget says\n", duration(*run.time_budget)));
  }
  text += fmt::format("{} if the noise stays above --max-noise\n", duration(whole.max_s));
  if (plan.options().storage.mib_per_s > 0.0) {
    text += "             not counted: the transfers of --storage mib_per_s\n";
  }
  if (plan.options().link.has_value() && plan.ranks().size() > 1) {
    text += "             not counted: the collectives over --link\n";
  }
  return text;
}

std::string scale_time_text(const SessionPlan& largest,
                            bool shared,
                            const std::vector<TrialId>& trials,
                            const RunOptions& run) {
  const StepTime step = step_time(largest, shared);
  const double min_time_s = run.min_time.value_or(RunnerOptions{}.min_time_s);
  double round_s = 0.0;
  for (const TrialId& trial : trials) {
    const double step_s = trial.trains() ? step.step_s.value_or(0.0) : 0.0;
    round_s += run.steps.has_value() ? step_s * static_cast<double>(*run.steps)
                                     : std::max(step_s, std::min(min_time_s, kShortestRepetitionS));
  }
  const double min_s = round_s * static_cast<double>(run.repetitions);
  const double whole_s = min_time_s * static_cast<double>(run.repetitions * std::ssize(trials));
  const double budget_s = run.time_budget.value();
  const std::string length = run.steps.has_value()
                                 ? fmt::format("of {} step(s) each; ", *run.steps)
                                 : fmt::format("{} at --min-time, ", duration(whole_s));
  std::string text = "time         " + step.text +
                     fmt::format("             {} rounds of {} trials or more, {}",
                                 run.repetitions,
                                 trials.size(),
                                 length);
  if (budget_s < min_s) {
    return text + fmt::format("{} at least, more than --time-budget ({}) allows\n",
                              duration(min_s),
                              duration(budget_s));
  }
  return text +
         (run.steps.has_value()
              ? fmt::format("about {} where that is enough (--time-budget)\n", duration(budget_s))
              : fmt::format("planned to fit: about {} with warm-up (--time-budget), "
                            "all-reduces alone on top\n",
                            duration(budget_s)));
}

std::string training_time_text(const SessionPlan& plan, bool shared, std::int64_t epochs) {
  const StepTime step = step_time(plan, shared);
  std::string text = "time         " + step.text;
  if (!step.step_s.has_value()) {
    return text;
  }
  const std::int64_t batch = plan.batch().global;
  const bool keep_last = plan.workload().spec().keep_last_batch;
  const std::int64_t steps = (plan.dataset().size() + (keep_last ? batch - 1 : 0)) / batch;
  return text + fmt::format(
                    "             with such steps: {} for {} of {}, loader and "
                    "validation left out\n",
                    duration(*step.step_s * static_cast<double>(steps * epochs)),
                    reports::count_text(epochs, "epoch"),
                    reports::count_text(steps, "step"));
}

}  // namespace dlbench::harness
