// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/scaling/scale_run.h"

#include "engine/core/clock.h"
#include "engine/core/log.h"
#include "harness/faults/fault_watch.h"
#include "harness/ranks.h"
#include "harness/session/plan_record.h"
#include "probes/node/system_info.h"
#include "reports/naming.h"
#include "reports/vocabulary.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace dlbench::harness {
namespace {

using Clock = std::chrono::steady_clock;

ScalingRound scaling_round(const RankRound& ranks) {
  ScalingRound round{.round = ranks.round, .step_wall_s = ranks.step_wall_s};
  double wall_s = 0.0;
  for (const RankShare& share : ranks.shares) {
    round.samples += share.samples;
    round.steps = share.steps;
    round.communication += share.communication;
    wall_s = std::max(wall_s, share.wall_s);
  }
  round.samples_per_second = static_cast<double>(round.samples) / wall_s;
  return round;
}

}  // namespace

ScaleMember::ScaleMember(const ScaleSize& size,
                         std::unique_ptr<comm::Rendezvous> members,
                         const ScaleRunOptions& options,
                         RunGuard& guard)
    : members_(std::move(members)), plan_(std::make_unique<SessionPlan>(size.session, *members_)) {
  together(*members_, [&] { plan_->check_memory(); });
  trials_ = trials_at(options.trials, size.ranks);
  group_ = std::make_unique<RankGroup>(*members_);
  RunnerOptions runner = options.runner;
  runner.name = size_name(options.series[size.series], size.ranks);
  runner.own_threads = plan_->own_threads();
  runner_ = std::make_unique<TrialRunner>(std::move(runner), *group_, guard);
  runner_->hooks().failure.on_failure = [this](const core::Error& failure) {
    declare_failure(*members_, failure);
  };
  context_ = trial_context(*plan_, *group_, guard);
}

void ScaleMember::open() {
  if (session_ != nullptr) {
    return;
  }
  session_ = std::make_unique<Session>(*plan_);
  plan_taint_ = harness::plan_taint(session_->step().lowered());
  for (const TrialId& trial : trials_) {
    arms_.push_back(make_arm(trial, *session_));
  }
}

void ScaleMember::note_peaks(const std::vector<reports::PeakRecord>& own) {
  context_.peaks = peaks_of_all_ranks(*plan_, *group_, own);
}

void ScaleMember::note_cache(const data::CacheState& cache) {
  context_.cache = {.mode = std::string(core::name_in(data::kCacheModes, cache.mode)),
                    .resident_before = cache.resident_after,
                    .proof = cache.proof};
}

void ScaleMember::close() {
  arms_.clear();
  session_.reset();
}

ScaleRun::ScaleRun(ScaleRunOptions options,
                   comm::Rendezvous& launch,
                   RunGuard& guard,
                   Listener listener)
    : options_(std::move(options)),
      launch_(launch),
      everyone_(launch),
      guard_(guard),
      listener_(std::move(listener)) {
  std::vector<ScaleSize> planned;
  together(launch_, [&] { planned = plan_sizes(options_.series, options_.ranks); });
  for (const ScaleSize& size : planned) {
    guard_.check();
    const ScaleSeries& series = options_.series[size.series];
    core::log::progress("preparing " + size_name(series, size.ranks));
    std::unique_ptr<comm::Rendezvous> members = launch_.first(size.ranks);
    std::unique_ptr<ScaleMember> member;
    const std::string left_out = open_or_leave_out(series, size.ranks, launch_, [&] {
      if (members != nullptr) {
        member = std::make_unique<ScaleMember>(size, std::move(members), options_, guard_);
        const SessionPlan& plan = member->plan();
        check_samples(options_.series, planned, plan.dataset().size(), plan.split_name());
      }
    });
    if (!left_out.empty()) {
      left_out_.push_back({size_name(series, size.ranks), left_out});
      continue;
    }
    sizes_.push_back(size);
    members_.push_back(std::move(member));
    facts_.emplace_back().all_reduces_alone_s = AllReducesAlone::missing(
        size.session.strategy == Strategy::kDataParallel
            ? "the step has none: a single root collects the gradients"
            : "it is timed after the trials, and this run did not come to that");
  }
  check_left_out(options_.series, sizes_, left_out_);
  std::ranges::copy(trials_left_out(options_.trials, planned, sizes_),
                    std::back_inserter(left_out_));
  choose_residence();
  watch_device();
  prepare_cache();
  core::log::progress("");
}

// A rank's device is the same for all sizes. A check at one size may still see what ranks did at
// the previous one, so no process of the launch counts as a stranger at any size.
void ScaleRun::watch_device() {
  int ranks_on_device = 1;
  for (const auto& member : members_) {
    if (member != nullptr) {
      ranks_on_device = std::max(ranks_on_device, member->plan().ranks_on_device());
    }
  }
  for (const auto& member : members_) {
    if (member == nullptr) {
      continue;
    }
    if (!watch_.has_value()) {
      watch_.emplace(member->plan().backend().device(), ranks_on_device);
    }
    RunnerHooks& hooks = member->runner().hooks();
    hooks.failure.device_fault = [this] { return watch_->take_fault().possible_cause; };
    // No thread watches the device here: it is checked before and right after the work.
    hooks.begin_window = [this](const TrialId&) { watch_->begin(); };
    hooks.end_window = [this] { return watch_->conditions(); };
  }
}

// Once for all consecutive sizes with the same files, by one rank of each node.
void ScaleRun::prepare_cache() {
  const bool first_of_node =
      launch_.places()[static_cast<std::size_t>(launch_.rank())].local_rank == 0;
  const data::Dataset* prepared = nullptr;
  data::CacheState state;
  for (const auto& member : members_) {
    together(launch_, [&] {
      if (member == nullptr) {
        return;
      }
      const data::Dataset& dataset = member->plan().dataset();
      const bool known =
          prepared != nullptr && std::ranges::equal(prepared->files(), dataset.files());
      if (first_of_node && !known) {
        state = data::prepare_page_cache(
            options_.cache, dataset, member->plan().loader_options(), &RunGuard::check_at_work);
        if (!state.verified && unknown_cache_.empty()) {
          unknown_cache_ = state.proof;
        }
      }
      prepared = &dataset;
      member->note_cache(state);
    });
  }
}

// Sessions stay open for the whole run if all of them together fit into memory.
void ScaleRun::choose_residence() {
  MemoryNeed needed;
  const SessionPlan* largest = nullptr;  // all ranks of the launch are its members
  for (const auto& member : members_) {
    if (member != nullptr) {
      needed += member->plan().memory_need();
      largest = &member->plan();
    }
  }
  const bool fits = largest == nullptr || largest->memory_room().holds(needed);
  keeps_open_ = !everyone_.any(!fits);
}

// Does something with a size on its members while the other ranks sleep.
void ScaleRun::visit(std::size_t index, const std::function<void(ScaleMember&)>& work) {
  if (members_[index] != nullptr) {
    members_[index]->open();
    work(*members_[index]);
    if (!keeps_open_) {
      members_[index]->close();
    }
  }
  everyone_.await_subset();
}

// A rank's device is the same for all sizes; measured while it is idle on all ranks.
std::vector<reports::PeakRecord> ScaleRun::take_peaks() {
  std::vector<reports::PeakRecord> own;
  together(launch_, [&] {
    const auto mine =
        std::ranges::find_if(members_, [](const auto& member) { return member != nullptr; });
    if (mine != members_.end()) {
      own = peaks_of_this_rank((*mine)->plan().backend(), everyone_);
    }
  });
  for (const auto& member : members_) {
    if (member != nullptr) {
      member->note_peaks(own);
    }
  }
  return own;
}

void ScaleRun::measure() {
  share_plan(warm_up());
  double longest_round_s = 0.0;
  for (std::int64_t round = 0; !enough(round, longest_round_s); ++round) {
    const auto start = Clock::now();
    run_round(round);
    longest_round_s = std::max(longest_round_s, core::seconds_since(start));
    keep_pace(round + 1, core::seconds_since(start));
  }
  core::log::progress("");
}

// Warms up each size on its members in turn; rank 0, a member of all, has all estimates.
std::vector<TrialEstimate> ScaleRun::warm_up() {
  std::size_t arms = 0;
  for (const ScaleSize& size : sizes_) {
    arms += trials_at(options_.trials, size.ranks).size();
  }
  const double limit_s = std::max(
      0.5, options_.time_budget_s / 4.0 / static_cast<double>(std::max<std::size_t>(1, arms)));
  std::vector<TrialEstimate> estimates;
  for (std::size_t index = 0; index < members_.size(); ++index) {
    visit(index, [&](ScaleMember& member) {
      const std::vector<TrialEstimate> part = member.runner().warm_up(member.arms(), limit_s);
      estimates.insert(estimates.end(), part.begin(), part.end());
    });
  }
  return estimates;
}

// The time of the steps that measure_facts() runs at all sizes, as far as a trial with steps tells
// how long they are: computing takes the shortest of them, and no trial without a loader is longer
// than a step.
double ScaleRun::time_for_facts(const std::vector<TrialEstimate>& estimates) const {
  double total_s = 0.0;
  auto estimate = estimates.begin();
  for (std::size_t index = 0; index < sizes_.size(); ++index) {
    double computing_s = std::numeric_limits<double>::infinity();
    double step_s = 0.0;
    for (const TrialId& trial : trials_at(options_.trials, sizes_[index].ranks)) {
      computing_s = trial.trains() ? std::min(computing_s, estimate->step_s) : computing_s;
      step_s = trial.loads() ? step_s : std::max(step_s, estimate->step_s);
      ++estimate;
    }
    if (std::isfinite(computing_s) && !members_[index]->plan().single_root()) {
      total_s += seconds_of_facts(computing_s, std::max(step_s, computing_s), sizes_[index].ranks);
    }
  }
  return total_s;
}

// Returns what the budget has left for trials, >= 0.
double ScaleRun::time_left() const {
  return std::max(0.0, options_.time_budget_s - facts_s_ - guard_.elapsed_s());
}

// Rank 0 plans the lengths of all repetitions to fit the budget and broadcasts them.
void ScaleRun::share_plan(const std::vector<TrialEstimate>& estimates) {
  std::vector<std::int64_t> steps;
  bool shortened = false;
  if (everyone_.speaks()) {
    facts_s_ = options_.keeps_time_for_facts ? time_for_facts(estimates) : 0.0;
    const TimePlanRequest request{
        .trials = estimates,
        .min_repetitions = options_.runner.stopping.min_repetitions,
        .min_repetitions_on_budget =
            options_.runner.stopping.min_repetitions,  // shorter ones alone
        .min_time_s = options_.runner.min_time_s,
        .max_time_s = options_.runner.stopping.max_time_s,
        .steps = options_.runner.steps,
        .remaining_s = time_left()};
    const TimePlan plan = plan_time(request);
    for (const TrialTimePlan& trial : plan.trials) {
      steps.push_back(trial.steps);
    }
    shortened = plan.shortened;
    if (!plan.fits) {
      core::log::warn(over_budget_text(request, plan));
    }
  }
  shortened = everyone_.broadcast(shortened);
  std::size_t next = 0;
  for (std::size_t index = 0; index < sizes_.size(); ++index) {
    std::vector<std::int64_t> own;
    for (std::size_t arm = 0; arm < trials_at(options_.trials, sizes_[index].ranks).size(); ++arm) {
      own.push_back(everyone_.broadcast(everyone_.speaks() ? steps.at(next) : std::int64_t{0}));
      ++next;
    }
    if (members_[index] != nullptr) {
      members_[index]->runner().set_steps(std::move(own), shortened);
    }
  }
}

void ScaleRun::run_round(std::int64_t round) {
  for (std::size_t index = 0; index < sizes_.size(); ++index) {
    visit(index, [&](ScaleMember& member) {
      core::log::progress("round " + std::to_string(round + 1) + ", " +
                          options_.series[sizes_[index].series].mode + ", " +
                          reports::count_text(sizes_[index].ranks, "rank"));
      member.runner().run_round(member.arms(), round);
    });
    listener_();
  }
}

// Preparing a repetition, disturbances and waiting take time that no plan includes. If the
// remaining rounds do not fit the budget, they are shortened.
void ScaleRun::keep_pace(std::int64_t rounds, double round_s) {
  const std::int64_t missing = options_.runner.stopping.min_repetitions - rounds;
  double factor = missing > 0 ? time_left() / static_cast<double>(missing) / round_s : 1.0;
  factor = std::clamp(everyone_.broadcast(factor), 0.1, 1.0);
  for (const auto& member : members_) {
    if (member != nullptr && factor < 1.0 && !options_.runner.steps.has_value()) {
      member->runner().shorten(factor);
    }
  }
}

// Rank 0 decides for all: by the noise target at the fixed counts, else by the budget.
bool ScaleRun::enough(std::int64_t rounds, double round_s) {
  bool stop = false;
  if (everyone_.speaks() && rounds >= options_.runner.stopping.min_repetitions) {
    std::vector<TrialProgress> progress;
    for (const auto& member : members_) {
      const std::vector<TrialProgress> part = member->runner().progress();
      progress.insert(progress.end(), part.begin(), part.end());
    }
    const StopDecision decision = StoppingRule(options_.runner.stopping).decide(progress);
    const bool spent = round_s > time_left();
    stop = decision.stop() || spent;
    missed_noise_ = stop ? missed_noise_text(decision, spent, options_.runner.stopping) : "";
  }
  return everyone_.broadcast(stop);
}

void ScaleRun::measure_facts() {
  for (std::size_t index = 0; index < sizes_.size(); ++index) {
    visit(index, [&](ScaleMember& member) {
      if (member.plan().single_root()) {
        return;  // there is no all-reduce
      }
      watch_->run_watched("all-reduces", [&] {
        harness::measure_facts(member.session(), member.group(), guard_, *watch_, facts_[index]);
      });
    });
  }
}

void ScaleRun::release() {
  for (const auto& member : members_) {
    if (member != nullptr) {
      member->close();
    }
  }
  everyone_.barrier();
}

ProjectionInput ScaleRun::projection_input(std::size_t series) const {
  const SessionOptions& session = options_.series[series].session;
  ProjectionInput input{
      .series = this->input(series),
      .timelines = {},
      .reduction = {.bucket_cap_mib = static_cast<double>(session.buckets.cap_bytes) / (1 << 20),
                    .overlap = session.buckets.overlap,
                    .bytes_per_gradient_byte = bytes_per_gradient_byte(session)},
      .seed = session.seed};
  for (std::size_t index = 0; index < sizes_.size(); ++index) {
    if (sizes_[index].series != series) {
      continue;
    }
    ScaleMember& member = *members_[index];
    const SizeFacts& facts = facts_[index];
    input.timelines[sizes_[index].ranks] = facts.timeline;
    input.broadcast_bytes = facts.broadcast_bytes;
    input.disturbed = input.disturbed || !facts.disturbed_by.empty();
    input.only_node_ranks = only_node_ranks(member.context().places, sizes_[index].session.link);
    input.node_ranks = known_node_ranks(member.context().places, sizes_[index].session.link);
    input.dealt_out = input.dealt_out || are_dealt_out(member.context().places);
    input.collectives.insert(
        input.collectives.end(), facts.all_reduces.begin(), facts.all_reduces.end());
    const double load = static_cast<double>(member.plan().backend().device().threads *
                                            member.group().ranks_on_these_cpus()) /
                        static_cast<double>(probes::usable_cpus());
    input.shared_gpu = input.shared_gpu || !member.plan().shared_device().empty();
    if (load > 1.0) {
      input.load[sizes_[index].ranks] = load;
    }
  }
  return input;
}

ScalingInput ScaleRun::input(std::size_t series) const {
  const ScaleSeries& wanted = options_.series[series];
  ScalingInput input{.mode = wanted.mode,
                     .sweep = wanted.sweep,
                     .variant = wanted.variant,
                     .options = wanted.options};
  for (std::size_t index = 0; index < sizes_.size(); ++index) {
    if (sizes_[index].series != series) {
      continue;
    }
    ScaleMember& member = *members_[index];
    ScalingSize size;
    for (int rank = 0; rank < sizes_[index].ranks; ++rank) {
      const SessionOptions& session = sizes_[index].session;
      size.local_batch_sizes.push_back(
          share_batch(
              session.batch_size.value_or(0), session.global_batch_size, rank, sizes_[index].ranks)
              .local);
      size.hosts.push_back(member.context().places[static_cast<std::size_t>(rank)].host);
    }
    // A size that was not warmed up has no results, but it does have trials.
    const std::vector<TrialResult>& results = member.runner().results();
    for (const TrialId& trial : trials_at(options_.trials, sizes_[index].ranks)) {
      ScalingArm arm{.trial = trial.to_string()};
      const auto result = std::ranges::find(results, trial, &TrialResult::id);
      if (result != results.end()) {
        std::ranges::transform(result->rounds, std::back_inserter(arm.rounds), scaling_round);
      }
      size.arms.push_back(std::move(arm));
    }
    size.all_reduce_alone_s = facts_[index].all_reduces_alone_s;
    size.compression_error = facts_[index].compression_error;
    size.attribution = attribute(attribution_input(member.runner().results(), member.context()));
    input.sizes.push_back(std::move(size));
  }
  return input;
}

}  // namespace dlbench::harness
