// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs training steps as a training loop does: a GPU gets the next step while it works on the last
// one, so results are known only when the device is done with a step. On the CPU a step is done
// when the call returns.
#pragma once

#include "data/loader/batch_lease.h"
#include "engine/comm/arrival_log.h"
#include "engine/exec/step_ring.h"
#include "harness/session/session.h"
#include "harness/trials/arm.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// The input of a step.
struct StepInput {
  const data::Batch* batch = nullptr;
  data::BatchLease lease{};  ///< holds the batch until the step is done; may be empty
  bool copies = true;        ///< false: the inputs bound last are still on the device
  double data_wait_s = 0.0;  ///< time that the host waited for the batch
};

/// Steps of one session, in order. Thread compatible.
class StepPipeline {
 public:
  explicit StepPipeline(Session& session) : session_(session) {}
  StepPipeline(const StepPipeline&) = delete;
  StepPipeline& operator=(const StepPipeline&) = delete;
  /// Waits for the device before batches are given back.
  ~StepPipeline();

  /// Waits for all steps of the session in flight, and discards them and all sums. Throws as step()
  /// does.
  void reset();
  /// Starts a step, once fewer than exec::StepRing::kInFlight are in flight. Returns the oldest
  /// step if it is done by then. Throws core::Error(kRun) if its loss is not finite.
  [[nodiscard]] std::optional<StepSample> step(StepInput input);
  /// Waits for the oldest step and returns it; nothing if none is in flight.
  [[nodiscard]] std::optional<StepSample> drain() { return tell(true); }
  /// Sums over the steps returned since reset(). Waiting for data counts only while the device was
  /// idle.
  [[nodiscard]] const PhaseTotals& totals() const { return totals_; }
  /// Whether steps like the last one are replayed from a recording; nothing if the device cannot
  /// record.
  [[nodiscard]] std::optional<bool> replays() const;
  /// Returns the seconds, on the device's clock, for which each step returned since the last call
  /// was blocked by its all-reduces: by their remaining transfer and by later ranks. Not of all
  /// steps, see comm::ArrivalLog, but of the same ones on all ranks.
  [[nodiscard]] std::vector<double> take_waits() { return waits_.take(); }
  /// Call after a repetition, outside its steps. Throws core::Error(kRun) if a parameter is not
  /// finite. Collective: gradients carry one rank's non-finite loss to all parameters, and the
  /// ranks meet first so that the rank with that loss has reported it.
  void check_parameters() const;

 private:
  struct Flight {
    data::BatchLease lease;
    std::int64_t samples = 0;
    double data_wait_s = 0.0;
    double scatter_s = 0.0;
    bool copies = false;
  };

  void start(StepInput input);
  [[nodiscard]] std::optional<StepSample> tell(bool wait);
  [[nodiscard]] bool in_step_with_others() const;
  /// Returns advice for a loss that is not finite.
  [[nodiscard]] std::string remedy() const;

  Session& session_;
  std::array<Flight, exec::StepRing::kInFlight> flights_;
  std::int64_t started_ = 0;  ///< since reset(), as those of totals_
  std::int64_t seen_ = 0;     ///< losses, since the pipeline was made
  PhaseTotals totals_;
  comm::ArrivalLog waits_;
};

}  // namespace dlbench::harness
