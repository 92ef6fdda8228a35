// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Measures series of sizes within one launch: each size on the first ranks of the launch, while the
// others sleep. Sizes are interleaved over repetitions, so that drift affects all of them alike and
// rounds of different sizes are paired.
#pragma once

#include "harness/analysis/projection.h"
#include "harness/analysis/scaling.h"
#include "harness/scaling/projection_facts.h"
#include "harness/scaling/scale_plan.h"
#include "harness/session/run_guard.h"
#include "harness/session/session.h"
#include "harness/trials/device_fault_watch.h"
#include "harness/trials/trial_runner.h"
#include "harness/trials/trial_summary.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

struct ScaleRunOptions {
  std::vector<ScaleSeries> series;
  std::vector<int> ranks;
  std::vector<TrialId> trials;
  RunnerOptions runner;
  double time_budget_s = 0.0;                      ///< of the whole command
  bool keeps_time_for_facts = true;                ///< of the budget, for measure_facts()
  data::CacheMode cache = data::CacheMode::kAsIs;  ///< before the first repetition; not kCold
};

/// One size while it is measured, on its members: ranks [0, ranks) of the launch. Its session
/// exists between open() and close(); what was measured stays.
class ScaleMember {
 public:
  /// Plans the size. Collective over the members.
  ScaleMember(const ScaleSize& size,
              std::unique_ptr<comm::Rendezvous> members,
              const ScaleRunOptions& options,
              RunGuard& guard);

  /// Makes session and arms unless they exist. Collective over the members.
  void open();
  void close();
  /// Notes the peaks that rates of this size are shares of; `own`: peaks_of_this_rank(). Collective
  /// over the members.
  void note_peaks(const std::vector<reports::PeakRecord>& own);
  /// Notes the state of the page cache when measuring began.
  void note_cache(const data::CacheState& cache);
  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] SessionPlan& plan() { return *plan_; }
  [[nodiscard]] TrialRunner& runner() { return *runner_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Arm>>& arms() const { return arms_; }
  [[nodiscard]] const TrialContext& context() const { return context_; }
  /// Returns the plan taint of the step once it exists, see plan_record.h.
  [[nodiscard]] const std::optional<reports::TaintRecord>& plan_taint() const {
    return plan_taint_;
  }
  /// Returns the ranks of this size.
  [[nodiscard]] RankGroup& group() { return *group_; }

 private:
  std::unique_ptr<comm::Rendezvous> members_;
  std::unique_ptr<SessionPlan> plan_;
  std::vector<TrialId> trials_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<RankGroup> group_;
  std::vector<std::unique_ptr<Arm>> arms_;
  std::unique_ptr<TrialRunner> runner_;
  TrialContext context_;
  std::optional<reports::TaintRecord> plan_taint_;
};

class ScaleRun {
 public:
  /// Called on every rank after each size of each round, outside all clocks.
  using Listener = std::function<void()>;

  /// Opens all sizes. Collective over all ranks of the launch. Throws core::Error.
  ScaleRun(ScaleRunOptions options, comm::Rendezvous& launch, RunGuard& guard, Listener listener);

  /// Determines the ranks' peaks (see peaks_of_this_rank()) for summarize_trial() in the members'
  /// contexts; call it before measure(). Returns this rank's peaks. Collective.
  [[nodiscard]] std::vector<reports::PeakRecord> take_peaks();

  /// Warms up all sizes, then runs rounds until every trial is precise enough or the budget spent.
  void measure();

  [[nodiscard]] const std::vector<ScaleSeries>& series() const { return options_.series; }
  [[nodiscard]] const std::vector<ScaleSize>& sizes() const { return sizes_; }
  /// Sizes that do not fit into memory, and the trials that only they could run, with reasons.
  [[nodiscard]] const std::vector<reports::SkipRecord>& left_out() const { return left_out_; }
  /// By size; nullptr where this rank is not a member. Rank 0 is a member of all.
  [[nodiscard]] const std::vector<std::unique_ptr<ScaleMember>>& members() const {
    return members_;
  }
  /// Measures all-reduces alone at every size, and the step's timeline, which projections need
  /// besides the trials; and the error of compressed gradients. After measure(). Collective.
  void measure_facts();

  /// Returns the results of measure_facts(), by size.
  [[nodiscard]] const std::vector<SizeFacts>& facts() const { return facts_; }

  /// Frees the memory of all sessions; what was measured stays. Collective.
  void release();

  /// Returns series `series` as measured so far, on rank 0.
  [[nodiscard]] ScalingInput input(std::size_t series) const;
  /// Returns series `series` with the facts a Projector needs; after measure_facts(), on rank 0.
  [[nodiscard]] ProjectionInput projection_input(std::size_t series) const;
  /// Says what ended the run before all intervals were narrow enough, and how wide the widest is;
  /// empty if all are. On rank 0.
  [[nodiscard]] const std::string& missed_noise() const { return missed_noise_; }
  /// Says why the state of the page cache is unknown; empty if it is known. On rank 0.
  [[nodiscard]] const std::string& unknown_cache() const { return unknown_cache_; }

 private:
  [[nodiscard]] std::vector<TrialEstimate> warm_up();
  void choose_residence();
  void watch_device();
  void prepare_cache();
  void visit(std::size_t index, const std::function<void(ScaleMember&)>& work);
  void share_plan(const std::vector<TrialEstimate>& estimates);
  void run_round(std::int64_t round);
  void keep_pace(std::int64_t rounds, double round_s);
  [[nodiscard]] bool enough(std::int64_t rounds, double round_s);
  [[nodiscard]] double time_for_facts(const std::vector<TrialEstimate>& estimates) const;
  [[nodiscard]] double time_left() const;

  ScaleRunOptions options_;
  comm::Rendezvous& launch_;
  RankGroup everyone_;
  RunGuard& guard_;
  Listener listener_;
  std::vector<ScaleSize> sizes_;
  std::vector<reports::SkipRecord> left_out_;
  std::vector<std::unique_ptr<ScaleMember>> members_;
  std::optional<DeviceFaultWatch> watch_;
  bool keeps_open_ = true;        ///< all sessions at a time; false: one after the other
  std::vector<SizeFacts> facts_;  ///< by size
  double facts_s_ = 0.0;          ///< that measure_facts() will about take; known to rank 0
  std::string missed_noise_;
  std::string unknown_cache_;
};

}  // namespace dlbench::harness
