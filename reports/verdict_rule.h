// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The rule behind the verdict: from paired rates of the trials alone to what limits the full
// pipeline. harness/analysis/attribution.h makes a record of it, validate.h asks whether a record
// follows it.
#pragma once

#include "reports/interval.h"
#include "reports/vocabulary.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::reports {

/// A rank that others wait for.
struct StragglerEvidence {
  std::int64_t rank = 0;
  std::string host;
  double late_share = 0.0;  ///< of the steps in which this rank was the last, 0 to 1
  double lost_share = 0.0;  ///< of the full step time that the others waited longer, 0 to 1
  /// Steps that late_share comes from; 0: unknown, it is then taken as exact.
  std::int64_t steps = 0;
};

/// Whether a synthetic trial of this variant (not nocomm) leaves its batch on the device: device,
/// and where the device is no processor (shared_processors) the one without a variant, of scale.
[[nodiscard]] bool without_copy(std::string_view variant, bool shared_processors);

/// All rates in samples/s over all ranks, repetitions that count, one per round.
struct VerdictEvidence {
  std::vector<RoundRate> io;
  /// synthetic/host: the step with the copy. Where there is no copy (the CPU) the only synthetic.
  std::vector<RoundRate> synthetic_host;
  std::vector<RoundRate> synthetic_device;  ///< without the copy; empty: not measured or no copy
  std::vector<RoundRate> nocomm;            ///< without the all-reduce; empty: one rank
  std::vector<RoundRate> full;

  /// Loader and step run on the same processors (device cpu).
  bool shared_processors = false;
  /// CPU seconds of the io trial per sample, over the number of ranks that load, which they do at
  /// the same time; nothing: not measured.
  std::optional<double> loader_cpu_s;
  std::vector<RoundRate> step_beside_loader;  ///< of the interference trial; empty: not measured
  /// Of a step that nothing records, what the device idles for want of launches, 0 to 1; nothing:
  /// not measured.
  std::optional<double> launch_idle;
  std::optional<StragglerEvidence> straggler;
};

/// io, full and one synthetic arm are there: without them there is nothing to say, and nothing
/// below may be asked.
[[nodiscard]] bool decidable(const VerdictEvidence& evidence);

/// Why the word is kUnsure.
enum class Doubt {
  kNothing,
  kTooFewRounds,      ///< no interval at all
  kShareTooWide,      ///< a share that would decide neither counts nor does not
  kRatioTooWide,      ///< io / synthetic is not surely on one side of a bound
  kFullBeatsStep,     ///< full is faster than the step alone
  kFullBeatsLoader,   ///< full is faster than a loader that is slower than the step
  kCopyNotSeparated,  ///< synthetic/host was not measured and would decide
  kLittleContention,  ///< the loader takes too little from the step to be why full is slower
};

/// Mean rates over the repetitions of each arm, samples/s.
struct ArmMeans {
  double io = 0.0;
  double host = 0.0;    ///< synthetic with the copy, or the only synthetic
  double device = 0.0;  ///< synthetic without the copy, or host
  double nocomm = 0.0;  ///< without the all-reduce, or device
  double full = 0.0;
};
[[nodiscard]] ArmMeans arm_means(const VerdictEvidence& evidence);

/// Factor on full if the step ran at `rate` alone, samples/s: the slower of it and the loader.
[[nodiscard]] double gain_at(double rate, const ArmMeans& means);

/// The rate of a step that computes in no time, samples/s: what copy and communication leave;
/// infinite where they were not measured, or cost nothing.
[[nodiscard]] double rate_without_compute(const ArmMeans& means);

/// Factor on full if what the verdict blames cost nothing: the most that advice may promise.
/// Nothing where rates alone do not tell.
[[nodiscard]] std::optional<double> max_gain(Verdict verdict, const ArmMeans& means);

/// "3.1x", "31x".
[[nodiscard]] std::string gain_text(double gain);

/// One part of the full time per sample.
struct PartShare {
  const char* name;  ///< input, copy or communication
  Verdict verdict;   ///< if it is what limits
  double estimate = 0.0;
  std::optional<Interval> interval;

  [[nodiscard]] bool counts() const;
  [[nodiscard]] bool does_not_count() const;
};

/// Input first, then copy and communication where they were measured.
[[nodiscard]] std::vector<PartShare> part_shares(const VerdictEvidence& evidence);

/// How much of `input_share` the loader can have taken from the step by running on its processors,
/// as a share of it, 0 and up: all its CPU time, since a step whose threads wait for each other is
/// late by what any of them lost, or what the interference trial measured, if that is more. Nothing
/// where processors are not shared or neither is known.
[[nodiscard]] std::optional<double> contention_explains(const VerdictEvidence& evidence,
                                                        double input_share);

struct Decision {
  Verdict verdict = Verdict::kUnsure;
  Doubt doubt = Doubt::kNothing;
  std::optional<Interval> margin;  ///< lower = upper = estimate: no interval
  bool margin_has_interval = false;
  std::string_view part;  ///< PartShare::name of the margin where the doubt is of that share
};

/// By the rules of docs/measuring.md, "The verdict". With times per sample t = 1 / rate: input =
/// t_full - t_host, copy = t_host - t_device, communication = t_device - t_nocomm, each as a share
/// of t_full with a 95 % interval from paired log ratios. A share counts from 10 % on with a lower
/// bound above 5 %; it does not count below 10 % with an upper bound below 15 %; anything else is
/// too wide to say, and so is a share with a lower bound below half of it. io and synthetic are
/// compared as a ratio with the bounds 1.1 and 0.9, which its interval may cross by a factor
/// of 1.05 at most: a full trial as fast as a loader at the lower bound has an input share at its
/// bound.
///
/// In order: a rank late in most steps (lower 95 % bound of late_share above one half: of two equal
/// ranks one is always late in half of the steps or more) that costs 10 % -> straggler. io and
/// synthetic within 10 % of each other -> balanced: speeding up one alone gains nothing, whatever
/// the step spends its time on; but where processors are shared and full is slower than the slower
/// of both by a share that counts, it is judged as contention. io slower and input counts ->
/// input_bound, even if copy or communication are larger: nothing but the loader can raise what the
/// loader limits. Else the largest share that counts: input (io would keep up alone) ->
/// contention_bound, unless what the loader takes from the step explains less than half of it (->
/// unsure: something else slowed full), copy -> copy_bound, communication -> communication_bound.
/// No share counts -> compute_bound, or launch_bound when the GPU idles for more than 30 % for want
/// of launches. Measurements that contradict each other (full faster than the step alone, or than a
/// loader that limits nothing) -> unsure. kUnsure also whenever the intervals (or fewer than 2
/// common rounds) do not support the word. Rates must be positive (checked).
///
/// `margin` is the share that decides: that of input, copy or communication (of contention between
/// equals, what full loses against the slower of both); for compute_bound and
/// launch_bound what is left to the step; for balanced io / synthetic - 1; for straggler the time
/// lost; for unsure the share in doubt, which need not be the largest.
[[nodiscard]] Decision decide(const VerdictEvidence& evidence,
                              const std::vector<PartShare>& shares);

/// Whether the interval of a margin is wider than all the time that it is a share of. Ends and
/// estimate are then noise (of two rounds often thousands of per cent) and nothing to print.
[[nodiscard]] bool tells_nothing(double lower, double upper);

/// Is that rank late, and does it cost enough to be the verdict?
[[nodiscard]] bool is_straggler(const StragglerEvidence& late);

/// AttributionRecord::limiting of a verdict.
[[nodiscard]] std::string limiting_part(Verdict verdict);

}  // namespace dlbench::reports
