// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The sentences of a verdict: the explanation and the advice with its computed gains.
// reports/verdict_rule.h decides the verdict.
#include "engine/core/check.h"
#include "engine/core/round_up.h"
#include "harness/analysis/attribution_internal.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace dlbench::harness {
namespace {

using reports::paired_ratio_interval;

using reports::AdviceRecord;
using reports::ArmMeans;
using reports::contention_explains;
using reports::Decision;
using reports::Doubt;
using reports::gain_text;
using reports::max_gain;
using reports::percent_text;
using reports::tells_nothing;
using reports::Verdict;
using reports::VerdictEvidence;

/// Gains below this are not worth mentioning: they are within the noise of most runs.
constexpr double kWorthSaying = 1.05;

/// Formats three significant digits, without an exponent for realistic rates: 4.75, 102, 12300.
std::string rate_text(double rate) {
  return rate >= 999.5 ? fmt::format("{:.0f}", rate) : fmt::format("{:.3g}", rate);
}

/// Returns how many workers of one rank have a part of a batch to load; all others sleep.
std::int64_t working_workers(const AttributionInput& input) {
  return std::min(input.workers, input.prefetch * input.parts_of_batch);
}

/// Returns the CPU time per second of the io trial of one such worker, 0 to 1; 1 is fully busy.
std::optional<double> worker_load(const AttributionInput& input, const ArmMeans& means) {
  if (!input.io_cpu_s_per_sample.has_value()) {
    return std::nullopt;
  }
  return *input.io_cpu_s_per_sample * means.io /
         static_cast<double>(working_workers(input) * loading_ranks(input));
}

/// Returns the share of an unrecorded step, 0 to 1.
double launch_idle(const AttributionInput& input) {
  return input.gpu.has_value() ? input.gpu->launch_idle : 0.0;
}

bool workers_wait(const AttributionInput& input, const ArmMeans& means) {
  constexpr double kMostlyWaiting = 0.5;
  return worker_load(input, means).value_or(1.0) < kMostlyWaiting;
}

/// Returns "X: up to Gx, limit", or nothing if the gain is too small.
std::optional<AdviceRecord> worthwhile(const std::string& change,
                                       double gain,
                                       const std::string& limit) {
  if (!(gain >= kWorthSaying)) {
    return std::nullopt;
  }
  return AdviceRecord{
      fmt::format(
          "{}: up to {}{}{}", change, gain_text(gain), limit.empty() ? "" : ", then ", limit),
      gain};
}

/// Names what has to change: "10 loader workers instead of 2 with --prefetch 10 instead of 2".
std::string change_to_workers(std::int64_t target, const AttributionInput& input) {
  std::string change;
  if (target > input.workers) {
    change = fmt::format("{} loader workers instead of {}", target, input.workers);
  }
  const std::int64_t prefetch = core::ceil_divide(target, input.parts_of_batch);
  if (prefetch > input.prefetch) {
    change += fmt::format("{}--prefetch {} instead of {}{}",
                          change.empty() ? "" : " with ",
                          prefetch,
                          input.prefetch,
                          change.empty() ? ", which has work for more workers" : "");
  }
  return change;
}

std::string all_cores_text(const AttributionInput& input, double of_a_rank) {
  return loading_ranks(input) == input.ranks
             ? fmt::format("all {} cores load", input.cores)
             : fmt::format("all cores of rank 0 load, {:.0f} of {}", of_a_rank, input.cores);
}

/// Advises more busy workers for each rank that loads: as many as match the step, within its share
/// of the cores, to which it is bound. Workers that mostly wait for storage may outnumber the
/// cores.
std::optional<AdviceRecord> more_workers(const AttributionInput& input, const ArmMeans& means) {
  constexpr double kMaxWorkers = 64.0;
  const auto workers = static_cast<double>(working_workers(input));
  const auto cores = static_cast<double>(input.cores);
  const double of_a_rank = std::max(1.0, std::floor(cores / static_cast<double>(input.ranks)));
  const double matching = std::ceil(workers * means.host / means.io - 1e-9);
  double most = of_a_rank;
  if (workers_wait(input, means)) {
    const double load = std::max(worker_load(input, means).value_or(1.0), 1e-6);
    most = std::clamp(std::floor(of_a_rank / load), of_a_rank, std::max(of_a_rank, kMaxWorkers));
  }
  const double target = std::min(matching, most);
  if (target <= workers) {
    return std::nullopt;
  }
  double reached = means.io * target / workers;
  std::string limit = workers_wait(input, means) ? fmt::format("{:.0f} workers are the limit", most)
                                                 : all_cores_text(input, of_a_rank);
  if (reached >= means.host) {
    reached = means.host;
    limit = "the step is the limit";
  }
  if (input.shared_processors && input.io_cpu_s_per_sample.has_value() &&
      input.synthetic_cpu_s_per_sample.has_value()) {
    const double cpu_s = *input.io_cpu_s_per_sample + *input.synthetic_cpu_s_per_sample;
    const double processors = cpu_capacity(input) / cpu_s;
    if (processors < reached) {
      reached = processors;
      limit = fmt::format("the {:g} cores that loader and step share are the limit",
                          cpu_capacity(input));
    }
  }
  return worthwhile(
      fmt::format(
          "{}{}",
          change_to_workers(std::llround(target), input),
          workers_wait(input, means) ? ", where they wait for latency and not for bandwidth" : ""),
      reached / means.full,
      limit);
}

std::optional<AdviceRecord> cheaper_samples(const AttributionInput& input, const ArmMeans& means) {
  const double gain = max_gain(Verdict::kInputBound, means).value();
  if (workers_wait(input, means)) {
    return worthwhile(
        fmt::format("faster storage, a local copy of the data or --cache warm (the workers wait: "
                    "{} busy)",
                    percent_text(worker_load(input, means).value_or(0.0))),
        gain,
        "the step is the limit");
  }
  return worthwhile(
      "samples that are cheaper to read and decode (--decode scaled, smaller or "
      "packed files)",
      gain,
      "the step is the limit");
}

std::optional<AdviceRecord> without_contention(const AttributionInput& input,
                                               const ArmMeans& means) {
  const double gain = max_gain(Verdict::kContentionBound, means).value();
  return worthwhile(input.shared_processors
                        ? "processors of its own for the loader, or fewer --threads and --workers "
                          "than cores together"
                        : "loader work that leaves device, memory and bus alone",
                    gain,
                    means.host <= means.io ? "the step is the limit" : "the loader is the limit");
}

/// Advises making a part of the step free, so that the step runs at `rate` alone.
std::optional<AdviceRecord> faster_step(const std::string& change,
                                        double rate,
                                        const ArmMeans& means) {
  const bool loader_limits = means.io < rate;
  return worthwhile(
      change, reports::gain_at(rate, means), loader_limits ? "the loader is the limit" : "");
}

/// Advises making the computation free.
std::optional<AdviceRecord> faster_compute(const std::string& change, const ArmMeans& means) {
  const double rate = reports::rate_without_compute(means);
  const bool copies = means.device > means.host;
  const bool communicates = means.nocomm > means.device;
  const char* const parts = copies && communicates ? "copy and communication are the limit"
                            : copies               ? "the copy is the limit"
                                                   : "communication is the limit";
  return worthwhile(
      change, reports::gain_at(rate, means), means.io < rate ? "the loader is the limit" : parts);
}

/// Describes a device that idles for a large part of the step; empty if that is not known.
std::string idle_text(const AttributionInput& input) {
  constexpr double kIdle = 0.1;
  if (!input.gpu.has_value() || !(1.0 - input.gpu->busy >= kIdle)) {
    return "";
  }
  return fmt::format("; the device idles {} of the step between kernels, {} for want of launches",
                     percent_text(1.0 - input.gpu->busy),
                     percent_text(input.gpu->launch_idle));
}

const std::vector<reports::RoundRate>& step_alone(const reports::VerdictEvidence& evidence) {
  return evidence.synthetic_host.empty() ? evidence.synthetic_device : evidence.synthetic_host;
}

/// Adds the result of the interference trial: how much each side slows the other.
std::string interference_text(const AttributionInput& input) {
  const auto step = paired_ratio_interval(input.step_beside_loader, step_alone(input));
  const auto loader = paired_ratio_interval(input.loader_beside_step, input.io);
  std::string text;
  if (step.has_value()) {
    text +=
        fmt::format("; beside the loader the step loses {}", percent_text(1.0 - step->estimate));
  }
  if (loader.has_value()) {
    text +=
        fmt::format("; beside the step the loader loses {}", percent_text(1.0 - loader->estimate));
  }
  return text;
}

std::string both_alone(const ArmMeans& means) {
  return fmt::format("the loader alone reaches {} samples/s, the step alone {}",
                     rate_text(means.io),
                     rate_text(means.host));
}

std::string doubt_text(const AttributionInput& input,
                       const VerdictEvidence& evidence,
                       const ArmMeans& means,
                       const Decision& decision) {
  const std::string interval = decision.margin_has_interval
                                   ? fmt::format("{} to {}",
                                                 percent_text(decision.margin->lower),
                                                 percent_text(decision.margin->upper))
                                   : "unknown";
  switch (decision.doubt) {
    case Doubt::kTooFewRounds:
      return "fewer than 2 undisturbed rounds have all trials: no interval, no verdict";
    case Doubt::kShareTooWide:
      if (tells_nothing(decision.margin->lower, decision.margin->upper)) {
        return fmt::format(
            "how much of the full time is lost to {} is not known: its 95 % interval is wider than "
            "that time, too wide to say",
            decision.part);
      }
      return fmt::format(
          "the loss to {} is {} of the full time{}, but anywhere from {} (95 % interval): too wide "
          "to say",
          decision.part,
          percent_text(decision.margin->estimate),
          decision.margin->estimate < 0.0 ? ", which below zero is noise" : "",
          interval);
    case Doubt::kRatioTooWide: {
      const auto ratio = paired_ratio_interval(evidence.io, step_alone(evidence));
      return fmt::format(
          "whether the loader ({} samples/s) or the step ({}) is faster is not known: the 95 % "
          "interval of their ratio goes from {:.3g} to {:.3g}",
          rate_text(means.io),
          rate_text(means.host),
          ratio.has_value() ? ratio->lower : 0.0,
          ratio.has_value() ? ratio->upper : std::numeric_limits<double>::infinity());
    }
    case Doubt::kFullBeatsStep:
      return fmt::format(
          "full ({} samples/s) is faster than the step alone ({}): the trials were disturbed, or "
          "do "
          "not measure the same work",
          rate_text(means.full),
          rate_text(means.host));
    case Doubt::kFullBeatsLoader:
      return fmt::format(
          "full ({} samples/s) is faster than the loader alone ({}): the state of "
          "the cache differs between the trials",
          rate_text(means.full),
          rate_text(means.io));
    case Doubt::kCopyNotSeparated:
      return fmt::format(
          "{} of the full time are lost to input or copy; only synthetic/host can "
          "tell them apart",
          percent_text(decision.margin->estimate));
    case Doubt::kCommunicationNotSeparated:
      return fmt::format(
          "{}, together {}: the step limits, but only synthetic/nocomm can tell its computing from "
          "its communication",
          both_alone(means),
          rate_text(means.full));
    case Doubt::kLittleContention:
      return fmt::format(
          "{}, so it would keep up; together they reach {}, but of the {} of the time that is lost "
          "the loader's share of the processors explains at most {}: something else slowed full{}",
          both_alone(means),
          rate_text(means.full),
          percent_text(decision.margin->estimate),
          percent_text(contention_explains(evidence, decision.margin->estimate).value()),
          interference_text(input));
    case Doubt::kNothing:
      break;
  }
  DLBENCH_CHECK(false) << "unsure without a doubt, ranks " << input.ranks;
  return {};
}

const char* remedy(Doubt doubt) {
  switch (doubt) {
    case Doubt::kCopyNotSeparated:
      return "measure synthetic/host, too (dlbench run --trials)";
    case Doubt::kCommunicationNotSeparated:
      return "measure synthetic/nocomm, too (--trials)";
    case Doubt::kFullBeatsLoader:
      return "measure again with --cache warm or --cache cold, so that all trials meet one state";
    case Doubt::kLittleContention:
    case Doubt::kFullBeatsStep:
    case Doubt::kNothing:
    case Doubt::kTooFewRounds:
    case Doubt::kShareTooWide:
    case Doubt::kRatioTooWide:
      break;
  }
  return "measure again on a quiet machine, with more --repetitions";
}

}  // namespace

std::string explanation(const AttributionInput& input,
                        const VerdictEvidence& evidence,
                        const ArmMeans& means,
                        const Decision& decision) {
  const double margin = decision.margin.has_value() ? decision.margin->estimate : 0.0;
  const std::string full = rate_text(means.full);
  switch (decision.verdict) {
    case Verdict::kInputBound:
      return fmt::format("{}; {} of the time of full ({}) is more than the step alone takes",
                         both_alone(means),
                         percent_text(margin),
                         full);
    case Verdict::kContentionBound:
      return fmt::format(
          "{}, so it would keep up; together they reach {}, {} of the time is lost "
          "where they share processors or memory{}{}",
          both_alone(means),
          full,
          percent_text(margin),
          input.shared_processors ? "" : ", or do not overlap",
          interference_text(input));
    case Verdict::kCopyBound:
      return fmt::format(
          "copying batches to the device takes {} of the full time ({} samples/s "
          "with the copy, {} without)",
          percent_text(margin),
          rate_text(means.host),
          rate_text(means.device));
    case Verdict::kCommunicationBound:
      return fmt::format("{} takes {} of the full time ({} samples/s with it, {} without)",
                         input.single_root ? "communication" : "the all-reduce",
                         percent_text(margin),
                         rate_text(means.device),
                         rate_text(means.nocomm));
    case Verdict::kComputeBound:
      return fmt::format("{}; full ({}) runs at {} of the step alone{}",
                         both_alone(means),
                         full,
                         percent_text(means.full / means.host),
                         idle_text(input));
    case Verdict::kLaunchBound:
      return fmt::format(
          "{}; the device idles {} of the step between kernels, for want of launches",
          both_alone(means),
          percent_text(launch_idle(input)));
    case Verdict::kStraggler:
      return fmt::format(
          "rank {} on {} is the last to reach {} of the all-reduces that ranks do not reach "
          "together; the others wait for it {} of the time",
          input.straggler->rank,
          input.straggler->host,
          percent_text(input.straggler->late.estimate),
          percent_text(input.straggler->lost.estimate));
    case Verdict::kBalanced:
      return fmt::format("{}, within 10 % of each other; together they reach {}{}",
                         both_alone(means),
                         full,
                         interference_text(input));
    case Verdict::kUnsure:
      return doubt_text(input, evidence, means, decision);
  }
  return {};
}

std::vector<AdviceRecord> advice(const AttributionInput& input,
                                 const ArmMeans& means,
                                 const Decision& decision) {
  std::vector<std::optional<AdviceRecord>> ideas;
  switch (decision.verdict) {
    case Verdict::kInputBound:
      // Among equal gains the first one is listed first. More workers help only against waiting for
      // latency, faster storage always.
      ideas.push_back(more_workers(input, means));
      ideas.push_back(cheaper_samples(input, means));
      if (workers_wait(input, means)) {
        std::swap(ideas.front(), ideas.back());
      }
      break;
    case Verdict::kContentionBound:
      ideas.push_back(without_contention(input, means));
      break;
    case Verdict::kCopyBound:
      ideas.push_back(faster_step("copies that overlap the step (pinned memory, smaller types)",
                                  reports::rate_without(means.host, means.device, means),
                                  means));
      break;
    case Verdict::kComputeBound:
      ideas.push_back(
          faster_compute(input.shared_processors
                             ? "a faster step (--precision, --conv-algorithm, larger --batch-size, "
                               "more cores or another device)"
                             : "a faster step (--precision, larger --batch-size or another device)",
                         means));
      break;
    case Verdict::kLaunchBound:
      ideas.push_back(
          faster_step(input.gpu.has_value() && input.gpu->replayed
                          ? "larger kernels (larger --batch-size; steps are replayed already)"
                          : "fewer and larger kernels (larger --batch-size, graph replay: "
                            "--cuda-graph auto)",
                      means.full / (1.0 - std::min(launch_idle(input), 0.99)),
                      means));
      break;
    case Verdict::kCommunicationBound:
      ideas.push_back(faster_step(
          input.single_root ? "less communication (--strategy ddp, which hides it behind the "
                              "backward pass, larger batch per rank, a faster link)"
                            : "less or better hidden communication (larger batch per rank, "
                              "larger buckets, a faster link)",
          reports::rate_without(means.device, means.nocomm, means),
          means));
      break;
    case Verdict::kStraggler:
      ideas.push_back(worthwhile(fmt::format("a look at rank {} on {}: its processors, clock and "
                                             "neighbours",
                                             input.straggler->rank,
                                             input.straggler->host),
                                 1.0 / (1.0 - std::min(input.straggler->lost.estimate, 0.99)),
                                 ""));
      break;
    case Verdict::kBalanced:
      ideas.push_back(AdviceRecord{
          fmt::format(
              "loader and step made faster together: the loader alone brings at most {:.2f}x, "
              "the step alone {:.2f}x",
              std::max(means.host / means.full, 1.0),
              std::max(means.io / means.full, 1.0)),
          std::nullopt});
      break;
    case Verdict::kUnsure:
      ideas.push_back(AdviceRecord{remedy(decision.doubt), std::nullopt});
      break;
  }
  std::vector<AdviceRecord> result;
  for (std::optional<AdviceRecord>& idea : ideas) {
    if (idea.has_value()) {
      result.push_back(std::move(*idea));
    }
  }
  std::stable_sort(
      result.begin(), result.end(), [](const AdviceRecord& left, const AdviceRecord& right) {
        return left.expected_gain.value_or(0.0) > right.expected_gain.value_or(0.0);
      });
  return result;
}

}  // namespace dlbench::harness
