// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/trial_summary.h"

#include "data/loader/prefetch_loader.h"
#include "engine/core/check.h"
#include "harness/trials/overhead.h"
#include "reports/interval.h"
#include "reports/statistics_records.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dlbench::harness {
namespace {

using reports::rate_summary;
using reports::round_rates;
using reports::step_time_record;

using reports::Measured;
using reports::TrialKind;

std::optional<reports::ThroughputRecord> throughput(const std::vector<double>& rates) {
  const auto summary = rate_summary(rates);
  return summary.has_value() ? std::optional(reports::ThroughputRecord{*summary}) : std::nullopt;
}

std::optional<reports::StepTimeRecord> step_times(const TrialResult& result) {
  std::vector<double> steps;
  for (const auto& repetition : result.repetitions) {
    if (!repetition.discarded.has_value()) {
      steps.insert(steps.end(), repetition.step_wall_s.begin(), repetition.step_wall_s.end());
    }
  }
  return step_time_record(steps);
}

// Records the phases that took time. The rest of rank 0's own time is "other", since the phases are
// rank 0's; the repetition's time is the slowest rank's.
std::vector<reports::PhaseRecord> phases(const TrialResult& result, bool device_clock) {
  const std::int64_t steps = result.phases.steps;
  if (steps == 0 || result.timed_s <= 0.0) {
    return {};
  }
  double own_s = 0.0;
  for (const RankRound& round : result.rounds) {
    own_s += round.shares.size() > 1 ? round.shares.front().wall_s : 0.0;
  }
  const double timed_s = own_s > 0.0 ? own_s : result.timed_s;
  std::vector<std::pair<std::string, double>> totals{
      {"data_wait", result.phases.data_wait}, {"host_to_device", result.phases.host_to_device}};
  for (std::size_t phase = 0; phase < result.phases.engine.size(); ++phase) {
    totals.emplace_back(std::string(graph::name(static_cast<graph::Phase>(phase))),
                        result.phases.engine[phase]);
  }
  double claimed = 0.0;
  for (const auto& [name, total_s] : totals) {
    claimed += total_s;
  }
  std::erase_if(totals, [](const auto& total) { return total.second <= 0.0; });
  totals.emplace_back("other", std::max(0.0, timed_s - claimed));
  const double whole = std::max(claimed, timed_s);
  std::vector<reports::PhaseRecord> records;
  records.reserve(totals.size());
  for (const auto& [name, total_s] : totals) {
    records.push_back({.name = name,
                       .calls = steps,
                       .total_s = total_s,
                       .s_per_step = total_s / static_cast<double>(steps),
                       .share = total_s / whole,
                       .source = device_clock ? "device events" : "host clock"});
  }
  return records;
}

/// Of rank 0's process, over the repetitions that count; it reads nothing but the loader's files.
Measured<std::int64_t> bytes_from_storage(const TrialResult& result) {
  std::int64_t sum = 0;
  for (const RankRound& round : result.rounds) {
    if (round.shares.empty() || !round.shares.front().read.storage.has_value()) {
      return Measured<std::int64_t>::missing("the kernel does not tell (/proc/self/io)");
    }
    sum += *round.shares.front().read.storage;
  }
  return sum;
}

std::optional<reports::LoaderRecord> loader(const TrialResult& result,
                                            const TrialContext& context) {
  if (!result.has_loader) {
    return std::nullopt;
  }
  const data::LoaderStats& stats = result.loader;
  reports::LoaderRecord record;
  record.workers = context.workers;
  record.prefetch = context.prefetch;
  record.decode = context.decode;
  record.cache = context.cache;
  record.bytes_read = stats.bytes_read;
  record.bytes_from_device = bytes_from_storage(result);
  record.skipped = static_cast<std::int64_t>(stats.skipped.size());
  for (const auto& skipped : stats.skipped) {
    record.skipped_samples.push_back({skipped.name, skipped.message});
  }
  std::vector<std::pair<std::string, double>> totals;
  for (std::size_t stage = 0; stage < stats.stage_s.size(); ++stage) {
    totals.emplace_back(std::string(data::name(static_cast<data::Stage>(stage))),
                        stats.stage_s[stage]);
  }
  totals.emplace_back("wait", stats.worker_idle_s);
  const double whole =
      std::accumulate(totals.begin(), totals.end(), 0.0, [](double sum, const auto& total) {
        return sum + total.second;
      });
  if (whole > 0.0 && stats.samples_loaded > 0) {
    for (const auto& [name, total_s] : totals) {
      record.stages.push_back(
          {name, total_s / static_cast<double>(stats.samples_loaded), total_s / whole});
    }
  }
  return record;
}

// Returns sums over the repetitions that count, by rank.
std::vector<RankShare> total_shares(const TrialResult& result) {
  std::vector<RankShare> totals;
  for (const RankRound& round : result.rounds) {
    const std::vector<RankShare>& shares = round.shares;
    totals.resize(shares.size());
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
      RankShare& total = totals[rank];
      const RankShare& share = shares[rank];
      total.samples += share.samples;
      total.steps += share.steps;
      total.wall_s += share.wall_s;
      total.cpu_s += share.cpu_s;
      total.all_reduce_wait_s += share.all_reduce_wait_s;
      total.communication += share.communication;
      total.arrivals += share.arrivals;
      total.late_arrivals += share.late_arrivals;
    }
  }
  return totals;
}

// Returns the share of collectives with a known last rank in which it was this one.
std::optional<double> late_share(const RankShare& total) {
  if (total.arrivals == 0) {
    return std::nullopt;
  }
  return static_cast<double>(total.late_arrivals) / static_cast<double>(total.arrivals);
}

// Whether the host saw the collectives; otherwise steps represent them, on the device's clock.
bool has_clocks(const RankShare& total) { return total.communication.collectives > 0; }

// Returns how long the step was blocked by late ranks, or by finding out that there are none. On
// the device's clock this includes the transfer, which is equal on all ranks.
double waiting_s(const RankShare& total) {
  return has_clocks(total) ? total.communication.exposed_s - total.communication.exposed_transfer_s
                           : total.all_reduce_wait_s;
}

// Returns the 95 % interval of late_share() over the repetitions in which it is known.
std::optional<reports::Interval> late_interval(const TrialResult& result, std::size_t rank) {
  std::vector<double> shares;
  for (const RankRound& round : result.rounds) {
    if (const std::optional<double> share = late_share(round.shares[rank]); share.has_value()) {
      shares.push_back(*share);
    }
  }
  std::optional<reports::Interval> interval = reports::mean_interval_of_amounts(shares);
  if (interval.has_value()) {
    interval->upper = std::min(interval->upper, 1.0);
  }
  return interval;
}

std::optional<reports::IntervalRecord> late_share_ci95(const TrialResult& result,
                                                       std::size_t rank) {
  const std::optional<reports::Interval> interval = late_interval(result, rank);
  return interval.has_value() ? std::optional(reports::interval_record(*interval)) : std::nullopt;
}

// Returns how much longer than a rank the others waited in a repetition, as a share of its time:
// what even the last rank waits, such as the time in which ranks meet, is nobody's fault.
double lost_share(const std::vector<RankShare>& shares, std::size_t rank) {
  double longer_s = 0.0;
  for (const RankShare& share : shares) {
    longer_s += waiting_s(share) - waiting_s(shares[rank]);
  }
  return longer_s / static_cast<double>(shares.size() - 1) / shares[rank].wall_s;
}

std::optional<std::string> address_of(const TrialContext& context, std::size_t rank) {
  const bool known = rank < context.addresses.size() && !context.addresses[rank].empty();
  return known ? std::optional(context.addresses[rank]) : std::nullopt;
}

std::vector<reports::RankRecord> per_rank(const TrialResult& result, const TrialContext& context) {
  std::vector<reports::RankRecord> records;
  const std::vector<RankShare> totals = total_shares(result);
  for (std::size_t rank = 0; rank < totals.size() && totals.size() > 1; ++rank) {
    const RankShare& total = totals[rank];
    records.push_back({.rank = static_cast<std::int64_t>(rank),
                       .host = context.places.at(rank).host,
                       .device = rank < context.devices.size() ? context.devices[rank] : "",
                       .device_address = address_of(context, rank),
                       .samples_per_second = static_cast<double>(total.samples) / total.wall_s,
                       .wall_s = total.wall_s,
                       .cpu_s = total.cpu_s,
                       .late_share = late_share(total),
                       .late_share_ci95 = late_share_ci95(result, rank)});
  }
  return records;
}

// Returns the rank that was last most often, and what it cost the others in the same repetitions.
std::optional<reports::StragglerEvidence> straggler(const TrialResult& result,
                                                    const TrialContext& context) {
  const std::vector<RankShare> totals = total_shares(result);
  if (totals.size() < 2) {
    return std::nullopt;
  }
  const auto latest = std::max_element(totals.begin(), totals.end(), [](auto& a, auto& b) {
    return a.late_arrivals < b.late_arrivals;
  });
  const auto fewest = std::min_element(
      totals.begin(), totals.end(), [](auto& a, auto& b) { return a.samples < b.samples; });
  if (latest->samples > fewest->samples) {
    return std::nullopt;  // late for what it was dealt: the ranks do not divide the global batch
  }
  const auto rank = static_cast<std::size_t>(latest - totals.begin());
  std::vector<double> lost;
  for (const RankRound& round : result.rounds) {
    if (round.shares[rank].arrivals > 0) {
      lost.push_back(lost_share(round.shares, rank));
    }
  }
  const std::optional<reports::Interval> late = late_interval(result, rank);
  const std::optional<reports::Interval> cost = reports::mean_interval(lost);
  if (!late.has_value() || !cost.has_value()) {
    return std::nullopt;
  }
  return reports::StragglerEvidence{.rank = static_cast<std::int64_t>(rank),
                                    .host = context.places.at(rank).host,
                                    .late = *late,
                                    .lost = *cost};
}

void add_flop_rate(reports::TrialRecord& record,
                   const TrialResult& result,
                   const TrialContext& context) {
  if (!result.id.trains()) {
    record.achieved_flop_per_s = Measured<double>::missing("this trial does not compute");
    record.mfu = record.achieved_flop_per_s;
    return;
  }
  if (!record.throughput.has_value()) {
    record.achieved_flop_per_s = Measured<double>::missing("no repetition counts");
    record.mfu = record.achieved_flop_per_s;
    return;
  }
  const double rate = record.throughput->samples_per_second.mean * context.training_flop_per_sample;
  record.achieved_flop_per_s = rate;
  record.mfu = context.peaks.flop_per_s;  // or why there is none
  DLBENCH_CHECK(record.mfu.value.has_value() || !record.mfu.reason.empty())
      << result.id.to_string();
  if (record.mfu.value.has_value()) {
    *record.mfu.value = rate / *record.mfu.value;
  }
  if (context.peaks.measured_flop_per_s.has_value()) {
    record.mfu_measured = rate / *context.peaks.measured_flop_per_s;
  }
}

}  // namespace

TrialContext trial_context(const SessionPlan& plan, const RankGroup& group, RunGuard& guard) {
  return {.ranks = plan.ranks().size(),
          .single_root = plan.single_root(),
          .batch_size = plan.batch_size(),
          .global_batch_size = plan.batch().global,
          .places = plan.ranks().places(),
          .devices = plan.device_names(),
          .addresses = plan.device_addresses(),
          .training_flop_per_sample = plan.training_flop_per_sample(),
          .decode = std::string(core::name_in(data::kDecodeModes, plan.options().decode)),
          .workers = plan.workers(),
          .prefetch = plan.options().prefetch,
          .parts_of_batch = data::parts_of_batch(plan.dataset().spec(), plan.loader_options()),
          .overhead_s_per_step = measure_harness_overhead(plan.backend(), guard),
          .cores = group.cores(),
          .cpu_capacity = group.cpu_capacity(),
          .shared_processors = plan.backend().device().kind == "cpu",
          .device_clock = !plan.backend().reads_host_memory()};
}

reports::TrialRecord summarize_trial(const TrialResult& result, const TrialContext& context) {
  reports::TrialRecord record;
  record.kind = result.id.kind;
  if (!result.id.variant.empty()) {
    record.variant = result.id.variant;
  }
  record.ranks = context.ranks;
  record.batch_size_per_rank = context.batch_size;
  record.global_batch_size = context.global_batch_size;
  record.per_rank = per_rank(result, context);
  record.warmup = result.warmup;
  record.repetitions = result.repetitions;
  record.throughput = throughput(result.rates());
  record.step_time_s = step_times(result);
  record.phases = phases(result, context.device_clock && result.id.trains());
  record.loader = loader(result, context);
  record.harness_overhead_s_per_step =
      result.id.trains() ? context.overhead_s_per_step
                         : Measured<double>::missing("measured around a step that computes");
  record.cpu_s_per_sample = result.cpu_s_per_sample();
  record.replayed = result.replayed;
  add_flop_rate(record, result, context);
  if (!result.own_taints.empty()) {
    record.taints = result.own_taints;
  }
  return record;
}

AttributionInput attribution_input(const std::vector<TrialResult>& results,
                                   const TrialContext& context) {
  AttributionInput input;
  input.ranks = context.ranks;
  input.communicates = context.ranks > 1;
  input.single_root = context.single_root;
  input.cores = context.cores;
  input.cpu_capacity = context.cpu_capacity;
  input.shared_processors = context.shared_processors;
  input.workers = context.workers;
  input.prefetch = context.prefetch;
  input.parts_of_batch = context.parts_of_batch;
  for (const TrialResult& result : results) {
    const TrialId& id = result.id;
    if (id.kind == TrialKind::kIo) {
      input.io = round_rates(result.repetitions);
      input.io_cpu_s_per_sample = result.cpu_s_per_sample();
    } else if (id.kind == TrialKind::kFull) {
      input.full = round_rates(result.repetitions);
      input.straggler = straggler(result, context);
    } else if (id.kind == TrialKind::kSynthetic && id.variant == "nocomm") {
      input.nocomm = round_rates(result.repetitions);
    } else if (id.kind == TrialKind::kSynthetic &&
               reports::without_copy(id.variant, context.shared_processors)) {
      input.synthetic_device = round_rates(result.repetitions);
      if (input.synthetic_host.empty()) {
        input.synthetic_cpu_s_per_sample = result.cpu_s_per_sample();
      }
    } else if (id.kind == TrialKind::kInterference) {
      (id.variant == "step_beside_loader" ? input.step_beside_loader : input.loader_beside_step) =
          round_rates(result.repetitions);
    } else if (id.kind == TrialKind::kSynthetic) {
      input.synthetic_host = round_rates(result.repetitions);
      input.synthetic_cpu_s_per_sample = result.cpu_s_per_sample();
    }
  }
  return input;
}

}  // namespace dlbench::harness
