// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The rule behind the verdict: derives what limits the full pipeline from paired rates of the
// trials. harness/analysis/attribution.h records its result, validate.h checks that a record
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

/// A rank that others wait for, with 95 % intervals from at least 2 repetitions: a rank that is
/// late once is late for all of a repetition, so that steps are no independent draws.
struct StragglerEvidence {
  std::int64_t rank = 0;
  std::string host;
  Interval late;  ///< RankRecord::late_share, 0 to 1
  Interval lost;  ///< share of the full step time that the others lost to it, 0 to 1
};

/// Whether a synthetic trial of this variant (not nocomm) keeps its batch on the device: "device"
/// and, unless the device is the processor (shared_processors), the one without variant of `scale`.
[[nodiscard]] bool without_copy(std::string_view variant, bool shared_processors);

/// The input of the rule: samples/s over all ranks, one rate per round of repetitions that count.
struct VerdictEvidence {
  std::vector<RoundRate> io;
  /// synthetic/host: the step with the copy. Without a copy (on the CPU) the only synthetic.
  std::vector<RoundRate> synthetic_host;
  std::vector<RoundRate> synthetic_device;  ///< without the copy; empty: not measured or no copy
  std::vector<RoundRate> nocomm;            ///< without communication; empty: not measured or none
  std::vector<RoundRate> full;

  /// Loader and step run on the same processors (device cpu).
  bool shared_processors = false;
  bool communicates = false;  ///< the step does: there are several ranks
  /// CPU seconds per sample of the io trial, divided by the number of ranks that load at the same
  /// time; nothing: not measured.
  std::optional<double> loader_cpu_s;
  std::vector<RoundRate> step_beside_loader;  ///< of the interference trial; empty: not measured
  /// Share of an unrecorded step in which the device idles for want of launches, 0 to 1; nothing:
  /// not measured.
  std::optional<double> launch_idle;
  std::optional<StragglerEvidence> straggler;
};

/// Whether io, full and one synthetic arm exist. Otherwise there is no verdict, and the functions
/// below must not be called.
[[nodiscard]] bool decidable(const VerdictEvidence& evidence);

/// Why the verdict is kUnsure.
enum class Doubt {
  kNothing,
  kTooFewRounds,      ///< no interval at all
  kShareTooWide,      ///< a deciding share may count or not
  kRatioTooWide,      ///< io / synthetic is not clearly on one side of a bound
  kFullBeatsStep,     ///< full is faster than the step alone
  kFullBeatsLoader,   ///< full is faster than a loader slower than the step
  kCopyNotSeparated,  ///< synthetic/host would decide but was not measured
  /// synthetic/nocomm would decide whether the step's computing or its communication limits, or
  /// whether communication takes more than the copy, but was not measured.
  kCommunicationNotSeparated,
  kLittleContention,  ///< the loader takes too little to explain a slower full
};

/// The mean rate over each arm's repetitions, samples/s.
struct ArmMeans {
  double io = 0.0;
  double host = 0.0;    ///< synthetic with the copy, or the only synthetic
  double device = 0.0;  ///< synthetic without the copy, or host
  double nocomm = 0.0;  ///< without the all-reduce, or device
  double full = 0.0;
};
[[nodiscard]] ArmMeans arm_means(const VerdictEvidence& evidence);

/// Returns the factor on full if the step alone ran at `rate`, samples/s; the loader may limit it.
[[nodiscard]] double gain_at(double rate, const ArmMeans& means);

/// Returns the rate that is left, samples/s, if a part of the step took no time, which runs at
/// `with` and would run at `without` alone: full loses the rest of what it loses now.
[[nodiscard]] double rate_without(double with, double without, const ArmMeans& means);

/// Returns the rate of a step with free computation, samples/s: limited by copy and communication;
/// infinite if these were not measured or cost nothing.
[[nodiscard]] double rate_without_compute(const ArmMeans& means);

/// Returns the factor on full if the cause in the verdict cost nothing: the most that advice may
/// promise. Nothing if rates alone do not tell.
[[nodiscard]] std::optional<double> max_gain(Verdict verdict, const ArmMeans& means);

/// Formats a gain: "3.1x", "31x".
[[nodiscard]] std::string gain_text(double gain);

/// The share of one part in the full time per sample.
struct PartShare {
  const char* name;  ///< input, copy or communication
  Verdict verdict;   ///< the verdict if this part limits
  double estimate = 0.0;
  std::optional<Interval> interval;

  [[nodiscard]] bool counts() const;
  [[nodiscard]] bool does_not_count() const;
};

/// Returns input first, then copy and communication if they were measured.
[[nodiscard]] std::vector<PartShare> part_shares(const VerdictEvidence& evidence);

/// Returns how much of `input_share` may be time that the loader took from the step on shared
/// processors, as a share of it, >= 0: all its CPU time (if threads of a step wait for each other,
/// a loss of any of them delays the step), or what the interference trial measured, if that is
/// more. Nothing if processors are not shared or neither is known.
[[nodiscard]] std::optional<double> contention_explains(const VerdictEvidence& evidence,
                                                        double input_share);

struct Decision {
  Verdict verdict = Verdict::kUnsure;
  Doubt doubt = Doubt::kNothing;
  std::optional<Interval> margin;  ///< lower = upper = estimate: no interval
  bool margin_has_interval = false;
  std::string_view part;  ///< PartShare::name of the margin, if that share is in doubt
};

/// Decides by the rules of docs/measuring.md, "The verdict". With times per sample t = 1 / rate:
/// input = t_full - t_host, copy = t_host - t_device, communication = t_device - t_nocomm, each as
/// a share of t_full with a 95 % interval from paired log ratios. A share counts from 10 % on with
/// a lower bound above 5 %; it does not count below 10 % with an upper bound below 15 %; anything
/// else is too wide to decide, and so is a share with a lower bound below half of it. The ratio io
/// / synthetic is compared with the bounds 1.1 and 0.9, which its interval may exceed by a factor
/// of at most 1.05: a full trial as fast as a loader at the lower bound has an input share at its
/// bound.
///
/// In order: a rank late in most steps (lower 95 % bound of that share above one half, because one
/// of two equal ranks is always late in half of the steps or more) that costs a share of the time
/// that counts -> straggler. io and synthetic within 10 % of each other -> balanced: speeding up
/// one alone gains at most what full loses against the slower of both, wherever the step spends its
/// time; but if processors are shared and that loss counts, it is judged as contention. io slower
/// and input counts -> input_bound, even if copy or communication are larger: only the loader can
/// raise what the loader limits. Else the largest share that counts: input (io alone would keep up)
/// -> contention_bound, unless the loader's use of the processors explains less than half of it (->
/// unsure: something else slowed full), copy -> copy_bound, communication -> communication_bound.
/// No share counts -> compute_bound, or launch_bound if the GPU idles for more than 30 % for want
/// of launches. Contradictory measurements (full faster than the step alone, or than a loader that
/// limits nothing) -> unsure, and so is a step of several ranks that limits while nocomm was not
/// measured. kUnsure also if the intervals (or fewer than 2 common rounds) do not
/// support the verdict. Rates must be positive (checked).
///
/// `margin` is the deciding share: that of input, copy or communication (for contention between
/// equals, what full loses against the slower of both); for compute_bound and launch_bound what is
/// left to the step; for balanced io / synthetic - 1; for straggler the time lost; for unsure the
/// share in doubt, which need not be the largest.
[[nodiscard]] Decision decide(const VerdictEvidence& evidence,
                              const std::vector<PartShare>& shares);

/// Whether a margin's interval is wider than the whole time that it is a share of. Ends and
/// estimate are then noise (often thousands of per cent with two rounds) and not worth printing.
[[nodiscard]] bool tells_nothing(double lower, double upper);

/// Whether that rank is late enough, and costs enough, for the verdict straggler.
[[nodiscard]] bool is_straggler(const StragglerEvidence& late);

/// Returns AttributionRecord::limiting for a verdict.
[[nodiscard]] std::string limiting_part(Verdict verdict);

}  // namespace dlbench::reports
