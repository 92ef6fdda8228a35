// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Measures series of sizes within one launch: each size on the first ranks of it, while the others
// sleep. Sizes are interleaved over repetitions, so that what drifts meets all of them alike and
// rounds of different sizes are pairs.
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
  data::CacheMode cache = data::CacheMode::kAsIs;  ///< before the first repetition; not kCold
};

/// One size while it is measured, on its members. Members are ranks [0, ranks) of the launch. Its
/// session is there between open() and close(); what was measured stays.
class ScaleMember {
 public:
  /// Plans; collective over the members.
  ScaleMember(const ScaleSize& size,
              std::unique_ptr<comm::Rendezvous> members,
              const ScaleRunOptions& options,
              RunGuard& guard);

  /// Makes session and arms, if they are not there. Collective over the members.
  void open();
  void close();
  /// What rates of this size are shares of; `own`: peaks_of_this_rank(). Collective over the
  /// members.
  void note_peaks(const std::vector<reports::PeakRecord>& own);
  /// In which state the page cache was when measuring began.
  void note_cache(const data::CacheState& cache);
  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] SessionPlan& plan() { return *plan_; }
  [[nodiscard]] TrialRunner& runner() { return *runner_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Arm>>& arms() const { return arms_; }
  [[nodiscard]] const TrialContext& context() const { return context_; }
  /// See plan_record.h; of its step, once that was made.
  [[nodiscard]] const std::optional<reports::TaintRecord>& plan_taint() const {
    return plan_taint_;
  }
  /// What this size is, for who looks at the report.
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

  /// Opens everything. Collective over all ranks of the launch. Throws core::Error.
  ScaleRun(ScaleRunOptions options, comm::Rendezvous& launch, RunGuard& guard, Listener listener);

  /// Finds out what the ranks' devices can do, see peaks_of_this_rank(), before measure(): what
  /// summarize_trial() needs of the members' contexts. Returns this rank's peaks. Collective.
  [[nodiscard]] std::vector<reports::PeakRecord> take_peaks();

  /// Warm-up of all sizes, then rounds until every trial is precise enough or the budget is spent.
  void measure();

  [[nodiscard]] const std::vector<ScaleSeries>& series() const { return options_.series; }
  [[nodiscard]] const std::vector<ScaleSize>& sizes() const { return sizes_; }
  /// Those whose memory is not there, and the trials that they alone could do, with reasons.
  [[nodiscard]] const std::vector<reports::SkipRecord>& left_out() const { return left_out_; }
  /// By size; nullptr where this rank is no member. Rank 0 has all.
  [[nodiscard]] const std::vector<std::unique_ptr<ScaleMember>>& members() const {
    return members_;
  }
  /// All-reduces alone at every size, and the step's timeline: what projections need beside the
  /// trials; and what compression does to the gradients. Collective; after measure().
  void measure_facts();

  /// What measure_facts() found, by size.
  [[nodiscard]] const std::vector<SizeFacts>& facts() const { return facts_; }

  /// Gives the memory of all sessions back; what was measured stays. Collective.
  void release();

  /// Series `series` as measured so far, on rank 0.
  [[nodiscard]] ScalingInput input(std::size_t series) const;
  /// Series `series` with the facts that a Projector wants; after measure_facts(), on rank 0.
  [[nodiscard]] ProjectionInput projection_input(std::size_t series) const;
  /// What ended the run before all intervals were narrow enough, and how wide the widest is; empty:
  /// they are. On rank 0.
  [[nodiscard]] const std::string& missed_noise() const { return missed_noise_; }
  /// Why the state of the page cache is not known; empty if it is. On rank 0.
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

  ScaleRunOptions options_;
  comm::Rendezvous& launch_;
  RankGroup everyone_;
  RunGuard& guard_;
  Listener listener_;
  std::vector<ScaleSize> sizes_;
  std::vector<reports::SkipRecord> left_out_;
  std::vector<std::unique_ptr<ScaleMember>> members_;
  std::optional<DeviceFaultWatch> watch_;
  bool keeps_open_ = true;        ///< all sessions at a time; else one after the other
  std::vector<SizeFacts> facts_;  ///< by size
  std::string missed_noise_;
  std::string unknown_cache_;
};

}  // namespace dlbench::harness
