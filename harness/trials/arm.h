// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One arm of a run: what a trial does in one step, and how it prepares a repetition. The
// TrialRunner times steps and knows nothing else about them.
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

/// The result of one step.
struct StepSample {
  std::int64_t samples = 0;  ///< real samples
  /// Seconds from the end of the previous step to the end of this one, on the device's clock;
  /// nothing if only the host's clock can tell.
  std::optional<double> step_s{};
  std::optional<double> loss{};
};

/// Seconds by phase, summed over steps. The phases of a step do not overlap.
struct PhaseTotals {
  double data_wait = 0.0;
  double host_to_device = 0.0;
  exec::PhaseSeconds engine{};  ///< indexed by graph::Phase
  std::int64_t steps = 0;
  void add(const PhaseTotals& other);
};

/// The counters of a rank's communicator.
struct Communication {
  comm::CommunicationTotals totals;
  /// Communicator::take_arrivals(), or StepPipeline::take_waits() if the communicator has no clock.
  std::vector<double> ahead_s;
};

/// A trial as the runner sees it. Calls come in the order prepare, step..., drain..., finish,
/// repeatedly. prepare() and use_up() throw what RunGuard::check_current() throws.
class Arm {
 public:
  explicit Arm(TrialId id) : id_(std::move(id)) {}
  Arm(const Arm&) = delete;
  Arm& operator=(const Arm&) = delete;
  virtual ~Arm() = default;

  [[nodiscard]] const TrialId& id() const { return id_; }
  /// Prepares a repetition, outside the clock: restores the model state, fills the prefetch queue
  /// and takes capacity + 1 batches, so that no batch of it was prepared while nobody waited.
  virtual void prepare() = 0;
  /// Batches that became ready since prepare(), which the repetition would get for free. 0 for an
  /// arm without a loader.
  [[nodiscard]] virtual std::int64_t surplus() const { return 0; }
  /// Makes that many steps outside the clock, and resets the counters.
  virtual void use_up(std::int64_t batches) { static_cast<void>(batches); }
  /// Makes one step, or starts one on a device that still works on earlier ones. Returns the oldest
  /// finished step not yet returned, or nothing while the first steps are in flight. Throws
  /// core::Error(kRun) when a loss is not finite.
  [[nodiscard]] virtual std::optional<StepSample> step() = 0;
  /// Waits for the oldest step in flight and returns it; nothing if there is none.
  [[nodiscard]] virtual std::optional<StepSample> drain() { return std::nullopt; }
  /// Ends a repetition, outside the clock: stops what runs in the background.
  virtual void finish() = 0;
  /// Complete batches waiting in the prefetch queue; nothing for an arm without a loader.
  [[nodiscard]] virtual std::optional<std::int64_t> queue_fill() const { return std::nullopt; }
  /// Largest number of batches that the loader completes at once; 1 for an arm without a loader.
  [[nodiscard]] virtual std::int64_t burst() const { return 1; }
  /// Number of steps below which a repetition's rate reflects the fill of the prefetch queue rather
  /// than the speed of the arm, unless it lasts long; see steps_that_outweigh().
  [[nodiscard]] virtual std::int64_t min_steps() const { return 1; }
  /// Loader statistics since prepare(); nothing for an arm without a loader.
  [[nodiscard]] virtual std::optional<data::LoaderStats> loader_stats() const {
    return std::nullopt;
  }
  /// Number of untimed steps in prepare(), for estimating the cost of a repetition.
  [[nodiscard]] virtual std::int64_t untimed_steps() const { return 0; }
  /// Seconds of the very first step, including its batch, if prepare() made it; nothing if the
  /// first step after prepare() is the very first one.
  [[nodiscard]] std::optional<double> untimed_first_step_s() const { return untimed_first_step_s_; }
  /// Number of own threads that run besides compute threads and loader workers.
  [[nodiscard]] virtual int extra_threads() const { return 0; }
  /// Phase times of the steps since prepare().
  [[nodiscard]] virtual PhaseTotals phases() const { return {}; }
  /// Loss scaling since the state was restored; nothing if arm or precision has none.
  [[nodiscard]] virtual std::optional<reports::LossScalingRecord> loss_scaling() const {
    return std::nullopt;
  }
  /// Whether steps like the last one are replayed from a CUDA graph; nothing for an arm whose steps
  /// are not the network's, or a device that cannot record.
  [[nodiscard]] virtual std::optional<bool> replays() const { return std::nullopt; }
  /// Returns what was communicated since the last call; nothing for an arm without communication.
  [[nodiscard]] virtual Communication take_communication() { return {}; }

 protected:
  /// Makes that many steps outside the clock. As between timed steps, checks after each whether the
  /// run must end: with a long prefetch queue they may take a minute.
  void step_untimed(std::int64_t steps);

 private:
  TrialId id_;
  std::optional<double> untimed_first_step_s_;
};

/// Returns why a trial is impossible with that many ranks; empty if it is possible.
[[nodiscard]] std::string why_impossible(const TrialId& id, int ranks);

/// Makes the arm of a trial; the session must outlive it. Throws core::Error(kUnavailable) with
/// why_impossible() for a trial that is impossible with the session's ranks.
[[nodiscard]] std::unique_ptr<Arm> make_arm(const TrialId& id, Session& session);

}  // namespace dlbench::harness
