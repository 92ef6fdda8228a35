// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One arm of a run: what a trial does in one step, and what it puts in order before a repetition.
// The TrialRunner times steps and knows no more than this.
#pragma once

#include "data/loader/prefetch_loader.h"
#include "engine/comm/communicator.h"
#include "engine/exec/executor.h"
#include "harness/trials/trial_id.h"
#include "reports/trial_record.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

class Session;

/// What one step did.
struct StepSample {
  std::int64_t samples = 0;  ///< real samples
  /// Seconds from the end of the step before to its own, on the device's clock; nothing where only
  /// the host's clock can tell.
  std::optional<double> step_s{};
  std::optional<double> loss{};
};

/// Seconds by phase, summed over steps; the phases of a step do not overlap.
struct PhaseTotals {
  double data_wait = 0.0;
  double host_to_device = 0.0;
  exec::PhaseSeconds engine{};  ///< indexed by graph::Phase
  std::int64_t steps = 0;
  void add(const PhaseTotals& other);
};

/// What a rank's communicator counted.
struct Communication {
  comm::CommunicationTotals totals;
  /// Communicator::take_arrivals(); where the communicator has no clock,
  /// StepPipeline::take_waits().
  std::vector<double> ahead_s;
};

/// A trial as the runner sees it. Calls come in the order prepare, step..., drain..., finish, again
/// and again. prepare() and use_up() throw what RunGuard::check_current() does.
class Arm {
 public:
  explicit Arm(TrialId id) : id_(std::move(id)) {}
  Arm(const Arm&) = delete;
  Arm& operator=(const Arm&) = delete;
  virtual ~Arm() = default;

  [[nodiscard]] const TrialId& id() const { return id_; }
  /// Before a repetition, outside the clock: restores the model state, fills the prefetch queue and
  /// takes capacity + 1 batches, so that no batch of the repetition was prepared for free.
  virtual void prepare() = 0;
  /// Batches that have become ready since prepare(): the repetition would have them for nothing. 0
  /// for an arm without a loader.
  [[nodiscard]] virtual std::int64_t surplus() const { return 0; }
  /// Makes so many steps outside the clock, and forgets what was counted until then.
  virtual void use_up(std::int64_t batches) { static_cast<void>(batches); }
  /// Makes one step, or starts one on a device that works on earlier ones, and tells of the oldest
  /// that is done: nothing while the first are on their way. Throws core::Error(kRun) when a loss
  /// is not finite.
  [[nodiscard]] virtual std::optional<StepSample> step() = 0;
  /// Waits for the oldest step on its way; nothing if there is none.
  [[nodiscard]] virtual std::optional<StepSample> drain() { return std::nullopt; }
  /// After a repetition, outside the clock: stops what runs in the background.
  virtual void finish() = 0;
  /// Complete batches that wait in the prefetch queue; nothing for an arm without a loader.
  [[nodiscard]] virtual std::optional<std::int64_t> queue_fill() const { return std::nullopt; }
  /// Batches that the loader may complete all at once; 1 for an arm without one.
  [[nodiscard]] virtual std::int64_t burst() const { return 1; }
  /// Steps below which the rate of a repetition says how full the prefetch queue was rather than
  /// how fast the arm is, unless it lasts long; see steps_that_outweigh().
  [[nodiscard]] virtual std::int64_t min_steps() const { return 1; }
  /// Of the loader since prepare(); nothing for an arm without one.
  [[nodiscard]] virtual std::optional<data::LoaderStats> loader_stats() const {
    return std::nullopt;
  }
  /// Steps untimed in prepare(), for the estimate of what a repetition costs.
  [[nodiscard]] virtual std::int64_t untimed_steps() const { return 0; }
  /// Of the very first step, its batch included, where prepare() made it; nothing where the first
  /// one after prepare() is that.
  [[nodiscard]] std::optional<double> untimed_first_step_s() const { return untimed_first_step_s_; }
  /// Threads of its own that want to run beside compute threads and loader workers.
  [[nodiscard]] virtual int extra_threads() const { return 0; }
  /// Of the steps since prepare().
  [[nodiscard]] virtual PhaseTotals phases() const { return {}; }
  /// Of the steps since the state was restored; nothing for an arm or a precision without it.
  [[nodiscard]] virtual std::optional<reports::LossScalingRecord> loss_scaling() const {
    return std::nullopt;
  }
  /// Whether steps like the last one are replayed from a recording (a CUDA graph); nothing for an
  /// arm whose steps are not the network's, or a device that records none.
  [[nodiscard]] virtual std::optional<bool> replays() const { return std::nullopt; }
  /// What was communicated since the last call; nothing for an arm that does not.
  [[nodiscard]] virtual Communication take_communication() { return {}; }

 protected:
  /// Makes so many steps outside the clock. As between timed ones, what ends the run is looked at
  /// after each: a long prefetch queue makes them last a minute.
  void step_untimed(std::int64_t steps);

 private:
  TrialId id_;
  std::optional<double> untimed_first_step_s_;
};

/// Why so many ranks cannot do a trial; empty: they can.
[[nodiscard]] std::string why_impossible(const TrialId& id, int ranks);

/// The arm of a trial; the session outlives it. Throws core::Error(kUnavailable) with
/// why_impossible() for a trial that the session's ranks cannot do.
[[nodiscard]] std::unique_ptr<Arm> make_arm(const TrialId& id, Session& session);

}  // namespace dlbench::harness
