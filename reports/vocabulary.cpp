// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/vocabulary.h"

#include "engine/core/check.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace dlbench::reports {
namespace {

template <typename Enum>
struct Entry {
  Enum value;
  std::string_view word;
  std::string_view explanation;
};

constexpr std::array<Entry<RunStatus>, 3> kStatuses{{
    {RunStatus::kComplete, "complete", ""},
    {RunStatus::kPartial, "partial", ""},
    {RunStatus::kFailed, "failed", ""},
}};

constexpr std::array<Entry<TrialKind>, 4> kKinds{{
    {TrialKind::kIo, "io", ""},
    {TrialKind::kSynthetic, "synthetic", ""},
    {TrialKind::kFull, "full", ""},
    {TrialKind::kInterference, "interference", ""},
}};

constexpr std::array<Entry<Bound>, 3> kBounds{{
    {Bound::kCompute, "compute", ""},
    {Bound::kMemory, "memory", ""},
    {Bound::kLatency, "latency", ""},
}};

constexpr std::array<Entry<Verdict>, 9> kVerdicts{{
    {Verdict::kInputBound, "input_bound", "the loader cannot deliver as fast as the step consumes"},
    {Verdict::kContentionBound,
     "contention_bound",
     "the loader alone would keep up, but beside the step one takes processors from the other"},
    {Verdict::kCopyBound, "copy_bound", "the host-to-device copy takes a large part of the step"},
    {Verdict::kComputeBound, "compute_bound", "the step itself is the limit; the loader keeps up"},
    {Verdict::kLaunchBound,
     "launch_bound",
     "the device idles between kernels, waiting for launches"},
    {Verdict::kCommunicationBound,
     "communication_bound",
     "the all-reduce takes a large part of the step"},
    {Verdict::kStraggler, "straggler", "one rank is late in most steps and the others wait for it"},
    {Verdict::kBalanced,
     "balanced",
     "loader and step are equally fast; speeding up one alone gains little"},
    {Verdict::kUnsure, "unsure", "the measurements do not support a word; see the explanation"},
}};

constexpr std::array<Entry<Taint>, 16> kTaints{{
    {Taint::kCacheStateUnknown,
     "cache_state_unknown",
     "it could not be checked whether the data came from storage or from the page cache"},
    {Taint::kNoiseTargetMissed,
     "noise_target_missed",
     "the time limit came before the interval was as narrow as asked"},
    {Taint::kDisturbed,
     "disturbed",
     "something else used the processors or the GPU, or stopped this, while it was measured"},
    {Taint::kWarmupNotSteady,
     "warmup_not_steady",
     "step times had not settled when the warm-up bound was reached"},
    {Taint::kThrottled,
     "throttled",
     "the device of a rank lowered its clock, or a CPU quota stopped threads"},
    {Taint::kOversubscribed,
     "oversubscribed",
     "more compute threads, loader workers or ranks than cores, or several ranks on one GPU"},
    {Taint::kGeneratedData, "generated_data", "the data set was generated, not real"},
    {Taint::kSimulated, "simulated", "storage or link were slowed down on request"},
    {Taint::kShortRun,
     "short_run",
     "too few steps, seconds or repetitions to average out what varies"},
    {Taint::kNotConvergent,
     "not_convergent",
     "the all-reduce was left out, so ranks train apart: timing only"},
    {Taint::kSamplesSkipped, "samples_skipped", "unreadable samples were left out"},
    {Taint::kNondeterministicPlan,
     "nondeterministic_plan",
     "a kernel of the step may give other bits in another run, as its library says"},
    {Taint::kPerRankLoss,
     "per_rank_loss",
     "the loss is a ratio over each rank's own batch: N ranks do not equal 1"},
    {Taint::kDroppedProfilerRecords,
     "dropped_profiler_records",
     "the profiler lost records: its sums are too small"},
    {Taint::kClockSkew, "clock_skew", "clocks of the hosts differ by more than the times compared"},
    {Taint::kPartial, "partial", "the run ended before everything asked for was measured"},
}};

template <typename Enum, std::size_t kCount>
std::string_view find_word(const std::array<Entry<Enum>, kCount>& entries, Enum value) {
  for (const Entry<Enum>& entry : entries) {
    if (entry.value == value) {
      return entry.word;
    }
  }
  DLBENCH_CHECK(false) << "no word for value " << static_cast<int>(value);
  return {};
}

template <typename Enum, std::size_t kCount>
std::optional<Enum> find_value(const std::array<Entry<Enum>, kCount>& entries,
                               std::string_view text) {
  for (const Entry<Enum>& entry : entries) {
    if (entry.word == text) {
      return entry.value;
    }
  }
  return std::nullopt;
}

template <typename Enum, std::size_t kCount>
constexpr std::array<Enum, kCount> values(const std::array<Entry<Enum>, kCount>& entries) {
  std::array<Enum, kCount> result{};
  std::transform(entries.begin(), entries.end(), result.begin(), [](const auto& entry) {
    return entry.value;
  });
  return result;
}

constexpr auto kAllTaints = values(kTaints);
constexpr auto kAllVerdicts = values(kVerdicts);

}  // namespace

std::string_view word(RunStatus status) { return find_word(kStatuses, status); }
std::string_view word(TrialKind kind) { return find_word(kKinds, kind); }
bool trains(TrialKind kind, std::string_view variant) {
  return kind != TrialKind::kIo && variant != "loader_beside_step";
}
std::string_view word(Verdict verdict) { return find_word(kVerdicts, verdict); }
std::string_view word(Bound bound) { return find_word(kBounds, bound); }
std::string_view word(Taint taint) { return find_word(kTaints, taint); }

template <>
std::optional<RunStatus> from_word(std::string_view text) {
  return find_value(kStatuses, text);
}
template <>
std::optional<TrialKind> from_word(std::string_view text) {
  return find_value(kKinds, text);
}
template <>
std::optional<Verdict> from_word(std::string_view text) {
  return find_value(kVerdicts, text);
}
template <>
std::optional<Bound> from_word(std::string_view text) {
  return find_value(kBounds, text);
}
template <>
std::optional<Taint> from_word(std::string_view text) {
  return find_value(kTaints, text);
}

std::string_view explain(Taint taint) {
  return kTaints.at(static_cast<std::size_t>(taint)).explanation;
}
std::string_view explain(Verdict verdict) {
  return kVerdicts.at(static_cast<std::size_t>(verdict)).explanation;
}

std::span<const Taint> all_taints() { return kAllTaints; }
std::span<const Verdict> all_verdicts() { return kAllVerdicts; }

}  // namespace dlbench::reports
