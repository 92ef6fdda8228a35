// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks that everything doubtful in the report is tainted.
#include "engine/core/disturbance_thresholds.h"
#include "engine/core/error.h"
#include "engine/core/key_numbers.h"
#include "reports/doubts.h"
#include "reports/naming.h"
#include "reports/validation/arithmetic_internal.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dlbench::reports {
namespace {

bool has_taint(const std::vector<TaintRecord>& taints, Taint code) {
  return std::ranges::any_of(taints,
                             [code](const TaintRecord& taint) { return taint.code == code; });
}

/// Expects taints of the run, with reasons.
class Doubts {
 public:
  Doubts(const Checker& root, const RunRecord& record)
      : taints_(root.at("run.taints")), record_(record) {}

  /// Expects a taint of any place.
  void expect(bool doubtful, Taint code, std::string_view why) const {
    taints_.expect(!doubtful || has_taint(record_.run.taints, code),
                   fmt::format("has no {}, but {}", word(code), why));
  }

  /// Expects a taint of this trial, or of one of its repetitions.
  void expect_of(const TrialRecord& trial, bool doubtful, Taint code, std::string_view why) const {
    const std::string where = "trial " + arm_name(trial);
    const bool told = std::ranges::any_of(record_.run.taints, [&](const TaintRecord& taint) {
      return taint.code == code && (taint.where == where || taint.where.starts_with(where + ","));
    });
    taints_.expect(!doubtful || told,
                   fmt::format("has no {} of {}, but {}", word(code), where, why));
  }

 private:
  Checker taints_;
  const RunRecord& record_;
};

/// Returns the largest number of ranks that communicated.
std::int64_t max_ranks(const RunRecord& record) {
  std::int64_t ranks = 0;
  for (const TrialRecord& trial : record.trials) {
    ranks = std::max(ranks, trial.trains() ? trial.ranks : 0);
  }
  for (const CollectiveRecord& collective : record.collectives) {
    ranks = std::max(ranks, collective.ranks);
  }
  return record.history.empty() ? ranks : std::max(ranks, launched_ranks(record.system));
}

/// Whether the option --link delays collectives of that many ranks. See comm::idle_reason().
bool delays(const ValueMap& effective, std::int64_t ranks) {
  static constexpr std::string_view kKeys[] = {
      "latency_us", "gbit_per_s", "jitter_us", "inside_latency_us", "inside_gbit_per_s"};
  const std::string link = text_in(effective, "link");
  if (link.empty() || ranks < 2) {
    return false;
  }
  try {
    const core::KeyNumbers numbers = core::parse_key_numbers(link, {"--link", "", kKeys, kKeys});
    const auto costs = [&numbers](std::string_view latency_us, std::string_view gbit_per_s) {
      return numbers.value_or(latency_us, 0.0) > 0.0 || numbers.value_or(gbit_per_s, 0.0) > 0.0;
    };
    const double node_ranks = number_in(effective, "link-node-ranks").value_or(0.0);
    const bool one_node = node_ranks >= static_cast<double>(ranks);
    return numbers.value_or("jitter_us", 0.0) > 0.0 ||
           (!one_node && costs("latency_us", "gbit_per_s")) ||
           (node_ranks > 1.0 && costs("inside_latency_us", "inside_gbit_per_s"));
  } catch (const core::Error&) {
    return false;  // not what this option takes
  }
}

/// Returns how many CPUs rank 0 may run on at most; nothing: no hosts in the report. With a CPU
/// quota these may be all of its host's, as `usable_cores` then is what the quota leaves.
std::optional<std::int64_t> cpus_of_rank_0(const RunRecord& record) {
  for (const HostRecord& host : record.system.hosts) {
    if (std::ranges::count(host.ranks, 0) > 0) {
      return host.cpu.cpu_quota.has_value() ? host.cpu.threads : host.cpu.usable_cores;
    }
  }
  return std::nullopt;
}

/// Whether it was certainly disturbed. Rank 0 judged by its own CPUs and a window slightly longer
/// than `wall_s`; both are at most the values used here, and a factor of 2 is a wide margin.
bool surely_disturbed(const DisturbanceRecord& seen, double wall_s, std::int64_t cpus) {
  constexpr double kSurely = 2.0;
  const core::DisturbanceThresholds limits;
  const auto beyond = [&](const std::optional<double>& seconds, double share) {
    return seconds.value_or(0.0) >
           kSurely * limits.limit_s(share, wall_s, static_cast<double>(cpus));
  };
  return beyond(seen.foreign_cpu_s, limits.other_cpu_share) ||
         beyond(seen.steal_s, limits.steal_share);
}

bool others_computed(const DisturbanceRecord& seen) {
  return seen.foreign_gpu_share.value_or(0.0) > core::DisturbanceThresholds{}.other_gpu_share;
}

/// Checks the disturbances of repetitions. With a loader they include batches consumed before the
/// clock starts, for an unknown time, so foreign CPU time is then not checked.
void check_disturbances(const Doubts& doubts, const TrialRecord& trial, const RunRecord& record) {
  const std::optional<std::int64_t> cpus = cpus_of_rank_0(record);
  for (const RepetitionRecord& repetition : trial.repetitions) {
    const DisturbanceRecord& seen = repetition.disturbance;
    doubts.expect_of(
        trial,
        !repetition.discarded.has_value() && cpus.has_value() && !trial.loader.has_value() &&
            surely_disturbed(seen, repetition.wall_s, *cpus),
        Taint::kDisturbed,
        fmt::format(
            "repetition {} counts although others used {} s and the hypervisor {} s in {} s",
            repetition.index,
            seen.foreign_cpu_s.value_or(0.0),
            seen.steal_s.value_or(0.0),
            repetition.wall_s));
    doubts.expect_of(trial,
                     !repetition.discarded.has_value() && others_computed(seen),
                     Taint::kDisturbed,
                     fmt::format("repetition {} counts although others had {} of the GPU's time",
                                 repetition.index,
                                 seen.foreign_gpu_share.value_or(0.0)));
    doubts.expect_of(trial,
                     seen.throttled_s.value_or(0.0) > kThrottledShare * repetition.wall_s,
                     Taint::kThrottled,
                     fmt::format("a quota stopped repetition {} for {} s of {} s",
                                 repetition.index,
                                 seen.throttled_s.value_or(0.0),
                                 repetition.wall_s));
  }
}

/// --min-time applies to `run`; --time-budget of `scale` plans for all sizes.
void check_lengths(const Doubts& doubts, const TrialRecord& trial, const ValueMap& effective) {
  const bool by_steps = number_in(effective, "steps").has_value();
  const double min_s =
      by_steps || trial.series.has_value() ? 0.0 : number_in(effective, "min-time").value_or(0.0);
  for (const RepetitionRecord& repetition : trial.repetitions) {
    if (repetition.discarded.has_value()) {
      continue;
    }
    doubts.expect_of(trial,
                     is_short(repetition.wall_s * (1.0 + kTolerance), min_s),
                     Taint::kShortRun,
                     fmt::format("repetition {} lasted {} s, --min-time is {} s",
                                 repetition.index,
                                 repetition.wall_s,
                                 min_s));
    const std::optional<QueueFillRecord>& fill = repetition.queue_fill;
    doubts.expect_of(
        trial,
        fill.has_value() && !queue_balanced(fill->start, fill->end, repetition.steps),
        Taint::kShortRun,
        fmt::format("the queue of repetition {} went from {} to {} batches in {} steps",
                    repetition.index,
                    fill.has_value() ? fill->start : 0,
                    fill.has_value() ? fill->end : 0,
                    repetition.steps));
  }
}

/// A run that ended early did not check. `scale` decides for all of its trials at once.
void check_noise(const Doubts& doubts, const TrialRecord& trial, const RunRecord& record) {
  const std::optional<double> most_percent = number_in(record.config.effective, "max-noise");
  if (record.run.status != RunStatus::kComplete || !most_percent.has_value() ||
      !trial.throughput.has_value()) {
    return;
  }
  const double noise_percent = 100.0 * noise_of(trial.throughput->samples_per_second);
  const bool missed = noise_percent > *most_percent * (1.0 + kTolerance);
  const std::string why = fmt::format(
      "its interval is +-{:.2f} %, --max-noise is {:.2f} %", noise_percent, *most_percent);
  if (trial.series.has_value()) {
    doubts.expect(missed, Taint::kNoiseTargetMissed, fmt::format("of {} {}", arm_name(trial), why));
  } else {
    doubts.expect_of(trial, missed, Taint::kNoiseTargetMissed, why);
  }
}

/// Returns a probe's count; 0 if it has none.
std::int64_t count_of_probe(const ValueMap& probes, const char* probe, const char* key) {
  const auto* values = held<ValueMap>(probes, probe);
  const auto* count = values == nullptr ? nullptr : held<std::int64_t>(*values, key);
  return count == nullptr ? 0 : *count;
}

void check_trial_doubts(const Doubts& doubts, const TrialRecord& trial, const RunRecord& record) {
  check_disturbances(doubts, trial, record);
  check_lengths(doubts, trial, record.config.effective);
  check_noise(doubts, trial, record);
  const std::int64_t dropped = count_of_probe(trial.probes, "cupti", "dropped_records");
  doubts.expect_of(trial,
                   dropped > 0,
                   Taint::kDroppedProfilerRecords,
                   fmt::format("{} records of cupti are lost", dropped));
  const std::int64_t skipped = trial.loader.has_value() ? trial.loader->skipped : 0;
  doubts.expect_of(trial,
                   skipped > 0,
                   Taint::kSamplesSkipped,
                   fmt::format("its loader left {} out", count_text(skipped, "sample")));
}

void check_epochs(const Doubts& doubts, const RunRecord& record) {
  const std::optional<std::int64_t> cpus = cpus_of_rank_0(record);
  for (const EpochRecord& epoch : record.history) {
    doubts.expect(epoch.disturbance.has_value() && cpus.has_value() &&
                      surely_disturbed(*epoch.disturbance, epoch.seconds, *cpus),
                  Taint::kDisturbed,
                  fmt::format("others used the processors in epoch {}", epoch.epoch));
    doubts.expect(epoch.disturbance.has_value() && others_computed(*epoch.disturbance),
                  Taint::kDisturbed,
                  fmt::format("others used the GPU in epoch {}", epoch.epoch));
  }
}

}  // namespace

void check_taints(const Checker& root, const RunRecord& record) {
  const Doubts doubts(root, record);
  doubts.expect(record.run.failure.has_value(), Taint::kPartial, "run.failure says what ended it");
  const std::int64_t dropped = count_of_probe(record.probes, "timeline", "dropped_events");
  doubts.expect(dropped > 0,
                Taint::kDroppedProfilerRecords,
                fmt::format("{} regions of the timeline are lost", dropped));
  const std::int64_t ranks = max_ranks(record);
  doubts.expect(delays(record.config.effective, ranks),
                Taint::kSimulated,
                fmt::format("the option link delays {} ranks", ranks));
  if (record.trials.empty() && record.history.empty()) {
    return;
  }
  doubts.expect(record.dataset.has_value() && record.dataset->origin == "generated",
                Taint::kGeneratedData,
                "dataset.origin is generated");
  const bool loads =
      !record.history.empty() || std::ranges::any_of(record.trials, [](const TrialRecord& trial) {
        return trial.kind != TrialKind::kSynthetic;
      });
  doubts.expect(loads && !text_in(record.config.effective, "storage").empty(),
                Taint::kSimulated,
                "the option storage imitates one");
  for (std::size_t index = 0; index < record.trials.size(); ++index) {
    const TrialRecord& trial = record.trials[index];
    doubts.expect(!trial.warmup.steady,
                  Taint::kWarmupNotSteady,
                  fmt::format("trials[{}].warmup.steady is false", index));
    check_trial_doubts(doubts, trial, record);
    root.at("trials", index)
        .at("taints")
        .expect(
            trial.variant != "nocomm" ||
                has_taint(trial.taints.value_or(std::vector<TaintRecord>{}), Taint::kNotConvergent),
            fmt::format("has no {}, but nocomm does not train", word(Taint::kNotConvergent)));
  }
  check_epochs(doubts, record);
}

}  // namespace dlbench::reports
