// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The closed lists of words in a report, each with its JSON word: status, trial kinds, verdicts,
// bounds and taint codes (these also with a one-line explanation for console and docs).
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace dlbench::reports {

enum class RunStatus {
  kComplete,  ///< everything asked for was measured
  kPartial,   ///< the run was ended early, or is still going on; what is there is valid
  kFailed,    ///< an error ended the run; `failure` says where
};

enum class TrialKind {
  kIo,            ///< the loader alone
  kSynthetic,     ///< the step alone, on one cached batch
  kFull,          ///< loader and step, as in training
  kInterference,  ///< one of them timed while the other runs, whose output is dropped
};

/// What limits the full pipeline.
enum class Verdict {
  kInputBound,          ///< the loader alone is too slow
  kContentionBound,     ///< the loader alone would keep up, but loader and step share processors
  kCopyBound,           ///< the host-to-device copy
  kComputeBound,        ///< the step itself
  kLaunchBound,         ///< the device idles between kernels
  kCommunicationBound,  ///< the all-reduce
  kStraggler,           ///< one rank is late in most steps
  kBalanced,            ///< loader and step are equally fast, within 10 %
  kUnsure,              ///< the intervals are too wide to say
};

/// What limits one operator, from its arithmetic intensity and its rates against measured peaks.
enum class Bound { kCompute, kMemory, kLatency };

/// Why a number cannot be trusted without a second look.
enum class Taint {
  kCacheStateUnknown,
  kNoiseTargetMissed,
  kDisturbed,
  kWarmupNotSteady,
  kThrottled,
  kOversubscribed,
  kGeneratedData,
  kSimulated,
  kShortRun,
  kNotConvergent,
  kSamplesSkipped,
  kNondeterministicPlan,
  kPerRankLoss,
  kDroppedProfilerRecords,
  kClockSkew,
  kPartial,
};

/// The JSON word of a value, e.g. "input_bound".
[[nodiscard]] std::string_view word(RunStatus status);
[[nodiscard]] std::string_view word(TrialKind kind);
/// Whether the steps of such a trial are the network's; otherwise they are the loader's batches.
[[nodiscard]] bool trains(TrialKind kind, std::string_view variant);
[[nodiscard]] std::string_view word(Verdict verdict);
[[nodiscard]] std::string_view word(Bound bound);
[[nodiscard]] std::string_view word(Taint taint);

/// Returns the value of a JSON word, or nothing if it is not in the list.
template <typename Enum>
[[nodiscard]] std::optional<Enum> from_word(std::string_view text);
template <>
[[nodiscard]] std::optional<RunStatus> from_word(std::string_view text);
template <>
[[nodiscard]] std::optional<TrialKind> from_word(std::string_view text);
template <>
[[nodiscard]] std::optional<Verdict> from_word(std::string_view text);
template <>
[[nodiscard]] std::optional<Bound> from_word(std::string_view text);
template <>
[[nodiscard]] std::optional<Taint> from_word(std::string_view text);

/// Returns one line on what a taint means for readers of the numbers, without a full stop.
[[nodiscard]] std::string_view explain(Taint taint);

/// Returns one line on what a verdict means, without a full stop.
[[nodiscard]] std::string_view explain(Verdict verdict);

/// Returns all taints or all verdicts, in the order of declaration.
[[nodiscard]] std::span<const Taint> all_taints();
[[nodiscard]] std::span<const Verdict> all_verdicts();

}  // namespace dlbench::reports
