// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/verdict_rule.h"

#include "reports/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <span>

namespace dlbench::reports {
namespace {

// The bounds of docs/measuring.md, "The verdict".
constexpr double kShareCounts = 0.10;
constexpr double kShareLowerBound = 0.05;
constexpr double kShareUpperBound = 0.15;  // mirrors the lower one about kShareCounts
constexpr double kFasterBound = 1.0 + kShareCounts;
// A loader slower than this takes a share of full that counts.
constexpr double kSlowerBound = 1.0 - kShareCounts;
constexpr double kRatioSlack = 1.05;
// A verdict needs an interval that ends beyond half of its estimate. At the bounds this equals the
// lower bounds above; further out it keeps a single outlying set of rounds from deciding: with 5
// rounds a null effect reaches it some 3 times in 1000, a 95 % bound alone 25 times.
constexpr double kNearEnd = 0.5;
constexpr double kExplained = 0.5;
constexpr double kIdleShare = 0.30;
constexpr double kLateShare = 0.50;
constexpr const char* kStepPart = "step";  // PartShare::name of what no other part takes

double mean_rate(std::span<const RoundRate> arm) {
  double sum = 0.0;
  for (const RoundRate& entry : arm) {
    sum += entry.rate;
  }
  return sum / static_cast<double>(arm.size());
}

/// log(numerator / denominator) by round.
std::map<std::int64_t, double> logs_by_round(std::span<const RoundRate> numerator,
                                             std::span<const RoundRate> denominator) {
  std::map<std::int64_t, double> logs;
  for (const RoundRate& upper : numerator) {
    for (const RoundRate& lower : denominator) {
      if (upper.round == lower.round) {
        logs[upper.round] = std::log(upper.rate / lower.rate);
      }
    }
  }
  return logs;
}

/// Returns (t_slow - t_fast) / t_full = X_full / X_slow - X_full / X_fast, with the interval of its
/// first-order expansion in the rounds' log ratios a = log(X_full / X_slow), b = log(X_full /
/// X_fast): exp(A) - exp(B) + mean(exp(A) (a - A) - exp(B) (b - B)), A and B the means of a and b.
/// An empty slow is the full trial itself, with a = 0; the interval is then exact.
PartShare share_of(const char* name,
                   Verdict verdict,
                   std::span<const RoundRate> full,
                   std::span<const RoundRate> slow,
                   std::span<const RoundRate> fast) {
  PartShare share{name, verdict, 0.0, std::nullopt};
  if (slow.empty()) {
    const auto ratio = paired_ratio_interval(full, fast);
    if (ratio.has_value()) {
      share.interval = Interval{
          1.0 - ratio->estimate, 1.0 - ratio->upper, 1.0 - ratio->lower, ratio->n, ratio->method};
    }
    share.estimate =
        ratio.has_value() ? 1.0 - ratio->estimate : 1.0 - mean_rate(full) / mean_rate(fast);
    return share;
  }
  const auto slow_logs = logs_by_round(full, slow);
  const auto fast_logs = logs_by_round(full, fast);
  std::vector<double> a;
  std::vector<double> b;
  for (const auto& [round, value] : slow_logs) {
    if (const auto found = fast_logs.find(round); found != fast_logs.end()) {
      a.push_back(value);
      b.push_back(found->second);
    }
  }
  if (a.empty()) {
    share.estimate = mean_rate(full) / mean_rate(slow) - mean_rate(full) / mean_rate(fast);
    return share;
  }
  const double mean_a = mean_of(a);
  const double mean_b = mean_of(b);
  share.estimate = std::exp(mean_a) - std::exp(mean_b);
  std::vector<double> linear;
  for (std::size_t index = 0; index < a.size(); ++index) {
    linear.push_back(share.estimate + std::exp(mean_a) * (a[index] - mean_a) -
                     std::exp(mean_b) * (b[index] - mean_b));
  }
  share.interval = mean_interval(linear);
  return share;
}

/// The arms or their substitutes: where an arm was not measured, the nearest one that was.
struct Arms {
  std::span<const RoundRate> io;
  std::span<const RoundRate> host;
  std::span<const RoundRate> device;
  std::span<const RoundRate> nocomm;
  std::span<const RoundRate> full;
};

Arms arms_of(const VerdictEvidence& evidence) {
  Arms arms;
  arms.io = evidence.io;
  arms.full = evidence.full;
  arms.host = evidence.synthetic_host.empty() ? evidence.synthetic_device : evidence.synthetic_host;
  arms.device = evidence.synthetic_device.empty() ? arms.host : evidence.synthetic_device;
  arms.nocomm = evidence.nocomm.empty() ? arms.device : evidence.nocomm;
  return arms;
}

/// The loader's speed relative to the synthetic trial.
enum class Loader { kSlower, kEqual, kFaster, kUnclear };

Loader compare_loader(const std::optional<Interval>& ratio) {
  if (!ratio.has_value()) {
    return Loader::kUnclear;
  }
  const double size = std::abs(std::log(ratio->estimate));
  if (ratio->estimate > kFasterBound) {
    const bool clear =
        ratio->lower > kFasterBound / kRatioSlack && std::log(ratio->lower) >= kNearEnd * size;
    return clear ? Loader::kFaster : Loader::kUnclear;
  }
  if (ratio->estimate < kSlowerBound) {
    const bool clear =
        ratio->upper < kRatioSlack * kSlowerBound && std::log(ratio->upper) <= -kNearEnd * size;
    return clear ? Loader::kSlower : Loader::kUnclear;
  }
  const bool within =
      ratio->upper < kFasterBound * kRatioSlack && ratio->lower > kSlowerBound / kRatioSlack;
  return within ? Loader::kEqual : Loader::kUnclear;
}

bool is_share_that_counts(double estimate, double lower) {
  return estimate >= kShareCounts && lower > kShareLowerBound && lower >= kNearEnd * estimate;
}

Decision unsure(Doubt doubt, const PartShare& share) {
  Decision decision;
  decision.doubt = doubt;
  decision.margin =
      share.interval.value_or(Interval{share.estimate, share.estimate, share.estimate, 0, ""});
  decision.margin_has_interval = share.interval.has_value();
  decision.part = share.name;
  return decision;
}

Decision sure(Verdict verdict, const Interval& margin) {
  return {verdict, Doubt::kNothing, margin, true, ""};
}

/// Whether the device needs a copy but only synthetic/device was measured.
bool copy_not_separated(const VerdictEvidence& evidence) {
  return evidence.synthetic_host.empty() && !evidence.shared_processors;
}

/// Whether the step communicates but was measured with communication only.
bool communication_not_separated(const VerdictEvidence& evidence) {
  return evidence.communicates && evidence.nocomm.empty();
}

/// The loader alone would keep up, but full is slower than it and the step by `share`.
Decision decide_contention(const VerdictEvidence& evidence, const PartShare& share) {
  return contention_explains(evidence, share.estimate).value_or(1.0) < kExplained
             ? unsure(Doubt::kLittleContention, share)
             : sure(Verdict::kContentionBound, *share.interval);
}

/// Input counts, and is the largest share or the loader is the slower side.
Decision decide_input(const VerdictEvidence& evidence,
                      const Arms& arms,
                      const PartShare& share,
                      Loader loader) {
  if (copy_not_separated(evidence)) {
    // The share includes the copy too. It explains only a full trial as fast as its loader.
    const auto of_loader = paired_ratio_interval(arms.full, arms.io);
    const bool explained =
        loader == Loader::kSlower && of_loader.has_value() && of_loader->estimate > kSlowerBound;
    return explained ? sure(Verdict::kInputBound, *share.interval)
                     : unsure(Doubt::kCopyNotSeparated, share);
  }
  return loader == Loader::kSlower ? sure(Verdict::kInputBound, *share.interval)
                                   : decide_contention(evidence, share);
}

Decision decide_step(const VerdictEvidence& evidence, const Arms& arms, const PartShare& largest) {
  const auto left = paired_ratio_interval(arms.full, arms.nocomm);
  if (!left.has_value()) {
    return unsure(Doubt::kTooFewRounds, largest);
  }
  const bool launches = evidence.launch_idle.value_or(0.0) > kIdleShare;
  if (!launches && communication_not_separated(evidence)) {
    return unsure(Doubt::kCommunicationNotSeparated,
                  {kStepPart, Verdict::kComputeBound, left->estimate, left});
  }
  return sure(launches ? Verdict::kLaunchBound : Verdict::kComputeBound, *left);
}

/// Neither is faster: speeding up one alone gains at most what full loses against the slower of
/// both, which is contention if they compete for processors.
Decision decide_equal(const VerdictEvidence& evidence,
                      const Arms& arms,
                      const PartShare& input_share,
                      const Interval& ratio) {
  if (!input_share.counts() && !input_share.does_not_count()) {
    return unsure(Doubt::kShareTooWide, input_share);
  }
  if (copy_not_separated(evidence) && input_share.counts()) {
    return unsure(Doubt::kCopyNotSeparated, input_share);
  }
  const PartShare lost = share_of(
      "", Verdict::kContentionBound, arms.full, {}, ratio.estimate < 1.0 ? arms.io : arms.host);
  if (lost.counts() && contention_explains(evidence, lost.estimate).has_value()) {
    return decide_contention(evidence, lost);
  }
  return sure(
      Verdict::kBalanced,
      Interval{ratio.estimate - 1.0, ratio.lower - 1.0, ratio.upper - 1.0, ratio.n, ratio.method});
}

Decision decide_slower(const VerdictEvidence& evidence,
                       const Arms& arms,
                       const PartShare& input_share) {
  if (input_share.counts()) {
    return decide_input(evidence, arms, input_share, Loader::kSlower);
  }
  if (!input_share.does_not_count()) {
    return unsure(Doubt::kShareTooWide, input_share);
  }
  const auto of_loader = paired_ratio_interval(arms.full, arms.io);
  const bool beats = of_loader.has_value() && of_loader->lower > 1.0;
  return unsure(beats ? Doubt::kFullBeatsLoader : Doubt::kRatioTooWide, input_share);
}

/// Decides by the paired rates if no rank is late.
Decision decide_by_rates(const VerdictEvidence& evidence, const std::vector<PartShare>& shares) {
  const Arms arms = arms_of(evidence);
  const PartShare& input_share = shares.front();
  const PartShare& largest = *std::max_element(
      shares.begin(), shares.end(), [](const PartShare& left, const PartShare& right) {
        return left.estimate < right.estimate;
      });
  const auto ratio = paired_ratio_interval(arms.io, arms.host);
  if (!ratio.has_value() || !input_share.interval.has_value() || !largest.interval.has_value()) {
    return unsure(Doubt::kTooFewRounds, largest);
  }
  if (input_share.estimate < -kShareCounts && input_share.interval->upper < -kShareLowerBound) {
    return unsure(Doubt::kFullBeatsStep, input_share);
  }
  const Loader loader = compare_loader(ratio);
  // If the loader limits, or nothing alone does, other shares are not considered.
  if (loader == Loader::kSlower) {
    return decide_slower(evidence, arms, input_share);
  }
  if (loader == Loader::kEqual) {
    return decide_equal(evidence, arms, input_share, *ratio);
  }
  const auto open = std::find_if_not(
      shares.begin(), shares.end(), [](const PartShare& share) { return share.does_not_count(); });
  const bool none_counts = open == shares.end();
  if (!largest.counts() && !none_counts) {
    return unsure(Doubt::kShareTooWide, largest.does_not_count() ? *open : largest);
  }
  if (loader == Loader::kUnclear) {
    return unsure(Doubt::kRatioTooWide, largest);
  }
  if (none_counts) {
    return decide_step(evidence, arms, largest);
  }
  if (largest.verdict == Verdict::kInputBound) {
    return decide_input(evidence, arms, input_share, loader);
  }
  return communication_not_separated(evidence) ? unsure(Doubt::kCommunicationNotSeparated, largest)
                                               : sure(largest.verdict, *largest.interval);
}

}  // namespace

bool decidable(const VerdictEvidence& evidence) {
  return !evidence.io.empty() && !evidence.full.empty() &&
         !(evidence.synthetic_host.empty() && evidence.synthetic_device.empty());
}

bool without_copy(std::string_view variant, bool shared_processors) {
  return variant == "device" || (variant.empty() && !shared_processors);
}

ArmMeans arm_means(const VerdictEvidence& evidence) {
  const Arms arms = arms_of(evidence);
  return {mean_rate(arms.io),
          mean_rate(arms.host),
          mean_rate(arms.device),
          mean_rate(arms.nocomm),
          mean_rate(arms.full)};
}

bool PartShare::counts() const {
  return interval.has_value() && is_share_that_counts(estimate, interval->lower);
}

bool PartShare::does_not_count() const {
  return interval.has_value() && !tells_nothing(interval->lower, interval->upper) &&
         estimate < kShareCounts && interval->upper < kShareUpperBound;
}

std::optional<double> contention_explains(const VerdictEvidence& evidence, double input_share) {
  const bool beside = !evidence.step_beside_loader.empty();
  if (!evidence.shared_processors || (!evidence.loader_cpu_s.has_value() && !beside)) {
    return std::nullopt;
  }
  const ArmMeans means = arm_means(evidence);
  const double lost_s =
      beside ? 1.0 / mean_rate(evidence.step_beside_loader) - 1.0 / means.host : 0.0;
  const double taken_s = std::max(evidence.loader_cpu_s.value_or(0.0), lost_s);
  return taken_s * means.full / input_share;
}

double gain_at(double rate, const ArmMeans& means) { return std::min(means.io, rate) / means.full; }

double rate_without(double with, double without, const ArmMeans& means) {
  const double part_s = 1.0 / with - 1.0 / without;
  return 1.0 / std::max(1.0 / without, 1.0 / means.full - part_s);
}

double rate_without_compute(const ArmMeans& means) {
  const double copy_s = std::max(0.0, 1.0 / means.host - 1.0 / means.device);
  const double communication_s = std::max(0.0, 1.0 / means.device - 1.0 / means.nocomm);
  const double left_s = copy_s + communication_s;
  return left_s > 0.0 ? 1.0 / left_s : std::numeric_limits<double>::infinity();
}

std::optional<double> max_gain(Verdict verdict, const ArmMeans& means) {
  switch (verdict) {
    case Verdict::kInputBound:
      return means.host / means.full;
    case Verdict::kContentionBound:
      return gain_at(means.host, means);
    case Verdict::kCopyBound:
      return gain_at(rate_without(means.host, means.device, means), means);
    case Verdict::kCommunicationBound:
      return gain_at(rate_without(means.device, means.nocomm, means), means);
    case Verdict::kComputeBound:
      return gain_at(rate_without_compute(means), means);
    case Verdict::kLaunchBound:
    case Verdict::kStraggler:
    case Verdict::kBalanced:
    case Verdict::kUnsure:
      break;
  }
  return std::nullopt;
}

std::string gain_text(double gain) {
  return gain < 10.0 ? fmt::format("{:.1f}x", gain) : fmt::format("{:.0f}x", gain);
}

std::vector<PartShare> part_shares(const VerdictEvidence& evidence) {
  const Arms arms = arms_of(evidence);
  std::vector<PartShare> shares;
  shares.push_back(share_of("input", Verdict::kInputBound, arms.full, {}, arms.host));
  if (!evidence.synthetic_host.empty() && !evidence.synthetic_device.empty()) {
    shares.push_back(share_of("copy", Verdict::kCopyBound, arms.full, arms.host, arms.device));
  }
  if (!evidence.nocomm.empty()) {
    shares.push_back(share_of(
        "communication", Verdict::kCommunicationBound, arms.full, arms.device, arms.nocomm));
  }
  return shares;
}

bool tells_nothing(double lower, double upper) { return upper - lower > 1.0; }

bool is_straggler(const StragglerEvidence& late) {
  return late.late.lower > kLateShare && is_share_that_counts(late.lost.estimate, late.lost.lower);
}

Decision decide(const VerdictEvidence& evidence, const std::vector<PartShare>& shares) {
  if (evidence.straggler.has_value() && is_straggler(*evidence.straggler)) {
    return {Verdict::kStraggler, Doubt::kNothing, evidence.straggler->lost, true};
  }
  return decide_by_rates(evidence, shares);
}

std::string limiting_part(Verdict verdict) {
  switch (verdict) {
    case Verdict::kInputBound:
      return "input";
    case Verdict::kContentionBound:
      return "processors";
    case Verdict::kCopyBound:
      return "copy";
    case Verdict::kComputeBound:
      return kStepPart;
    case Verdict::kLaunchBound:
      return "launches";
    case Verdict::kCommunicationBound:
      return "communication";
    case Verdict::kStraggler:
      return "rank";
    case Verdict::kBalanced:
      return "input and step";
    case Verdict::kUnsure:
      return "unknown";
  }
  return "unknown";
}

}  // namespace dlbench::reports
