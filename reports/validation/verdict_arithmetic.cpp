// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks a verdict against its evidence: the report has the rates of the trials, so verdict_rule.h
// can judge them again. Inputs of the rule that the report lacks are left open: the time that
// others lost by waiting for a late rank, and the idle share of a device.
#include "reports/statistics_records.h"
#include "reports/validation/arithmetic_internal.h"
#include "reports/verdict_rule.h"

#include <cmath>
#include <cstdint>
#include <string>

namespace dlbench::reports {
namespace {

/// The evidence of a verdict, and the further inputs of its prediction.
struct Evidence {
  VerdictEvidence rates;
  const TrialRecord* io = nullptr;
  const TrialRecord* synthetic = nullptr;  ///< the one with the copy, else the one without
  const TrialRecord* full = nullptr;
};

/// All of them load but with a single root, which is an option of the run or of the trial's series.
std::int64_t ranks_that_load(const TrialRecord& trial, const RunRecord& record) {
  std::string strategy = text_in(record.config.effective, "strategy");
  for (const ScalingRecord& series : record.scaling) {
    const std::string name =
        series.variant.empty() ? series.mode : series.mode + " " + series.variant;
    if (trial.series == name && series.options.contains("strategy")) {
      strategy = text_in(series.options, "strategy");
    }
  }
  return strategy == "data-parallel" ? 1 : trial.ranks;
}

void add(const TrialRecord& trial, const RunRecord& record, Evidence& evidence) {
  const bool synthetic = trial.kind == TrialKind::kSynthetic;
  if (trial.kind == TrialKind::kIo) {
    evidence.rates.io = round_rates(trial.repetitions);
    if (trial.cpu_s_per_sample.has_value()) {
      evidence.rates.loader_cpu_s =
          *trial.cpu_s_per_sample / static_cast<double>(ranks_that_load(trial, record));
    }
    evidence.io = &trial;
  } else if (trial.kind == TrialKind::kFull) {
    evidence.rates.full = round_rates(trial.repetitions);
    evidence.rates.communicates = trial.ranks > 1;
    evidence.full = &trial;
  } else if (trial.variant == "step_beside_loader") {
    evidence.rates.step_beside_loader = round_rates(trial.repetitions);
  } else if (synthetic && trial.variant == "nocomm") {
    evidence.rates.nocomm = round_rates(trial.repetitions);
  } else if (synthetic &&
             without_copy(trial.variant.value_or(""), evidence.rates.shared_processors)) {
    evidence.rates.synthetic_device = round_rates(trial.repetitions);
    evidence.synthetic = evidence.synthetic == nullptr ? &trial : evidence.synthetic;
  } else if (synthetic) {
    evidence.rates.synthetic_host = round_rates(trial.repetitions);
    evidence.synthetic = &trial;
  }
}

Evidence evidence_of(const std::vector<const TrialRecord*>& trials, const RunRecord& record) {
  Evidence evidence;
  evidence.rates.shared_processors =
      record.workload.has_value() && record.workload->backend != "cuda";
  for (const TrialRecord* trial : trials) {
    add(*trial, record, evidence);
  }
  return evidence;
}

bool usable(const VerdictEvidence& rates) {
  return usable(rates.io) && usable(rates.synthetic_host) && usable(rates.synthetic_device) &&
         usable(rates.nocomm) && usable(rates.full) && usable(rates.step_beside_loader);
}

void check_components(const Checker& check,
                      const std::vector<ComponentRecord>& written,
                      const std::vector<PartShare>& shares,
                      double full_rate) {
  if (written.size() != shares.size()) {
    check.at("components")
        .expect(false,
                fmt::format("are {}, but the trials make {}", written.size(), shares.size()));
    return;
  }
  for (std::size_t index = 0; index < written.size(); ++index) {
    const ComponentRecord& part = written[index];
    const PartShare& wanted = shares[index];
    const Checker below = check.at("components", index);
    below.at("name").expect(part.name == wanted.name,
                            fmt::format("is '{}', wanted '{}'", part.name, wanted.name));
    below.at("share").expect_near(part.share, wanted.estimate, 1.0, "of the trials' rates it");
    below.at("s_per_sample")
        .expect_near(part.s_per_sample, part.share / full_rate, 1.0 / full_rate, "share / full");
    std::optional<IntervalRecord> ci95;
    double scale = 1.0;
    if (wanted.interval.has_value()) {
      ci95 = interval_record(*wanted.interval);
      scale = std::max({scale, std::abs((*ci95)[0]), std::abs((*ci95)[1])});
    }
    below.at("ci95").expect_interval(part.ci95, ci95, scale, "of the trials' rates it");
  }
}

/// A late rank takes precedence over all that rates can tell, but it must be one of the ranks, late
/// in most steps, and its cost is the margin. Without the ranks' figures only the cost is known;
/// older reports have no intervals.
void check_straggler(const Checker& check,
                     const AttributionRecord& attribution,
                     const TrialRecord& full) {
  const auto share = [](double estimate, const std::optional<IntervalRecord>& ci95) {
    const auto [lower, upper] = ci95.value_or(IntervalRecord{estimate, estimate});
    return Interval{.estimate = estimate, .lower = lower, .upper = upper};
  };
  StragglerEvidence evidence{
      .late = share(1.0, std::nullopt),
      .lost = share(attribution.margin.value_or(0.0), attribution.margin_ci95)};
  const RankRecord* latest = nullptr;
  for (const RankRecord& rank : full.per_rank) {
    if (rank.late_share.has_value() &&
        (latest == nullptr || *rank.late_share > *latest->late_share)) {
      latest = &rank;
    }
  }
  if (latest != nullptr) {
    evidence.late = share(*latest->late_share, latest->late_share_ci95);
  }
  check.at("verdict").expect(
      full.ranks > 1 && is_straggler(evidence),
      fmt::format("is straggler, but no rank is late in most steps and costs enough: latest {} "
                  "({} to {}), margin {} ({} to {}), of {} ranks",
                  evidence.late.estimate,
                  evidence.late.lower,
                  evidence.late.upper,
                  evidence.lost.estimate,
                  evidence.lost.lower,
                  evidence.lost.upper,
                  full.ranks));
}

/// Returns what the rates say if communication that was not measured is taken to cost nothing, as
/// earlier reports did.
Verdict without_that_doubt(const Decision& decision) {
  if (decision.doubt != Doubt::kCommunicationNotSeparated) {
    return decision.verdict;
  }
  return decision.part == limiting_part(Verdict::kCopyBound) ? Verdict::kCopyBound
                                                             : Verdict::kComputeBound;
}

/// Whether it is the same verdict, one of an earlier report, or one that only the device's idle
/// share distinguishes from it.
bool agree(Verdict written, const Decision& decision, const VerdictEvidence& rates) {
  const Verdict earlier = without_that_doubt(decision);
  return written == decision.verdict || written == earlier ||
         (written == Verdict::kLaunchBound && earlier == Verdict::kComputeBound &&
          !rates.shared_processors);
}

void check_decision(const Checker& check,
                    const AttributionRecord& attribution,
                    const Decision& decision,
                    const VerdictEvidence& rates) {
  if (!agree(attribution.verdict, decision, rates)) {
    check.at("verdict").expect(false,
                               fmt::format("is {}, but the trials' rates make it {}",
                                           word(attribution.verdict),
                                           word(decision.verdict)));
    return;
  }
  const char* const meaning = "of the trials' rates it";
  check.at("margin").expect(attribution.margin.has_value() == decision.margin.has_value(),
                            "is null, but the trials' rates have one");
  std::optional<IntervalRecord> ci95;
  double scale = 1.0;
  if (decision.margin.has_value()) {
    ci95 = interval_record(*decision.margin);
    scale = std::max({scale, std::abs((*ci95)[0]), std::abs((*ci95)[1])});
    check.at("margin").expect_near(attribution.margin.value_or(decision.margin->estimate),
                                   decision.margin->estimate,
                                   scale,
                                   meaning);
  }
  check.at("margin_ci95")
      .expect_interval(attribution.margin_ci95,
                       decision.margin_has_interval ? ci95 : std::nullopt,
                       scale,
                       meaning);
}

/// Loader and step together reach at most the rate of the slower one. On shared processors they
/// reach less if these cannot supply the CPU time of both; the prediction is then their capacity
/// over that time. Reports older than cpu_capacity counted a whole number of cores.
void check_prediction(const Checker& check,
                      const AttributionRecord& attribution,
                      const Evidence& evidence,
                      const ArmMeans& means) {
  if (!attribution.predicted_full_samples_per_second.has_value()) {
    return;
  }
  const double predicted = *attribution.predicted_full_samples_per_second;
  const double separate = std::min(means.io, means.host);
  const Checker at = check.at("predicted_full_samples_per_second");
  const std::optional<double>& io_cpu_s = evidence.io->cpu_s_per_sample;
  const std::optional<double>& step_cpu_s = evidence.synthetic->cpu_s_per_sample;
  const bool shares =
      evidence.rates.shared_processors && io_cpu_s.has_value() && step_cpu_s.has_value();
  const std::optional<double>& capacity = attribution.cpu_capacity;
  if (shares && capacity.has_value()) {
    at.expect_close(predicted,
                    std::min(separate, *capacity / (*io_cpu_s + *step_cpu_s)),
                    "the slower of io and synthetic, or cpu_capacity over their CPU time,");
  } else if (!shares || predicted > separate || close(predicted, separate)) {
    at.expect_close(predicted, separate, "the slower of io and synthetic");
  } else {
    const double cores = predicted * (*io_cpu_s + *step_cpu_s);
    at.expect(cores > 0.5 && close(cores, std::round(cores)),
              fmt::format("is {}, which is neither the slower of io and synthetic, {}, nor a whole "
                          "number of cores over their CPU time, {} s per sample",
                          predicted,
                          separate,
                          *io_cpu_s + *step_cpu_s));
  }
  if (attribution.overlap_efficiency.has_value() && predicted > 0.0) {
    check.at("overlap_efficiency")
        .expect_close(*attribution.overlap_efficiency,
                      means.full / predicted,
                      "full / predicted_full_samples_per_second");
  }
}

/// Checks that a gain also appears in the text of its advice and does not exceed the cost of what
/// is blamed: it equals that cost, except that more loader workers may not recover all of it.
void check_advice(const Checker& check,
                  const AttributionRecord& attribution,
                  const ArmMeans& means) {
  const std::optional<double> most = max_gain(attribution.verdict, means);
  // In earlier reports full was as fast as the step alone once a part of it took no time.
  const auto is_earlier_gain = [&](double gain) {
    return (attribution.verdict == Verdict::kCopyBound &&
            close(gain, gain_at(means.device, means))) ||
           (attribution.verdict == Verdict::kCommunicationBound &&
            close(gain, gain_at(means.nocomm, means)));
  };
  for (std::size_t index = 0; index < attribution.advice.size(); ++index) {
    const AdviceRecord& advice = attribution.advice[index];
    if (!advice.expected_gain.has_value()) {
      continue;
    }
    const double gain = *advice.expected_gain;
    const Checker at = check.at("advice", index).at("expected_gain");
    at.expect(advice.change.find("up to " + gain_text(gain)) != std::string::npos,
              fmt::format("is {}, which the text beside it does not say", gain));
    const bool some = attribution.verdict == Verdict::kInputBound && gain <= most.value_or(gain);
    at.expect(!most.has_value() || some || close(gain, *most) || is_earlier_gain(gain),
              fmt::format("is {}, but the trials' rates allow {}", gain, most.value_or(gain)));
  }
}

}  // namespace

bool decides(const std::vector<const TrialRecord*>& trials, const RunRecord& record) {
  return decidable(evidence_of(trials, record).rates);
}

void check_attribution(const Checker& check,
                       const AttributionRecord& attribution,
                       const std::vector<const TrialRecord*>& trials,
                       const RunRecord& record) {
  check.at("limiting")
      .expect(attribution.limiting == limiting_part(attribution.verdict),
              fmt::format("is '{}', but of the verdict {} it is '{}'",
                          attribution.limiting,
                          word(attribution.verdict),
                          limiting_part(attribution.verdict)));
  const Evidence evidence = evidence_of(trials, record);
  if (!decidable(evidence.rates)) {
    check.expect(false, "is there, but io, full and synthetic are not all there to tell");
    return;
  }
  if (!usable(evidence.rates)) {
    check.expect(false, kNotUsable);
    return;
  }
  const std::vector<PartShare> shares = part_shares(evidence.rates);
  const ArmMeans means = arm_means(evidence.rates);
  check_components(check, attribution.components, shares, means.full);
  if (attribution.verdict == Verdict::kStraggler) {
    check_straggler(check, attribution, *evidence.full);
  } else {
    check_decision(check, attribution, decide(evidence.rates, shares), evidence.rates);
  }
  check_prediction(check, attribution, evidence, means);
  check_advice(check, attribution, means);
}

}  // namespace dlbench::reports
