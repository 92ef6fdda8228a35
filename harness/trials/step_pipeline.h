// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Training steps as a training loop makes them: a GPU is given the next step while it works on the
// last one, so nothing of a step is known before the device is done with it. On the CPU a step is
// done when it was made.
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

/// What a step works on.
struct StepInput {
  const data::Batch* batch = nullptr;
  data::BatchLease lease{};  ///< of the batch, kept until the step is done; may be empty
  bool copies = true;        ///< else what was bound last is still on the device
  double data_wait_s = 0.0;  ///< that the host waited for the batch
};

/// Steps of one session, in order. Thread compatible.
class StepPipeline {
 public:
  explicit StepPipeline(Session& session) : session_(session) {}
  StepPipeline(const StepPipeline&) = delete;
  StepPipeline& operator=(const StepPipeline&) = delete;
  /// Waits for the device before batches are given back.
  ~StepPipeline();

  /// Waits for all steps of the session that are on their way and forgets them, and all sums.
  /// Throws as step() does.
  void reset();
  /// Starts a step, once less than exec::StepRing::kInFlight are on their way. Tells of the oldest
  /// step, if that is done by then. Throws core::Error(kRun) if its loss is not finite.
  [[nodiscard]] std::optional<StepSample> step(StepInput input);
  /// Waits for the oldest step and tells of it; nothing if none is on its way.
  [[nodiscard]] std::optional<StepSample> drain() { return tell(true); }
  /// Of the steps told of since reset(). Waiting for data counts as far as the device was idle
  /// meanwhile.
  [[nodiscard]] const PhaseTotals& totals() const { return totals_; }
  /// Whether steps like the last one are replayed from a recording; nothing where the device
  /// records none.
  [[nodiscard]] std::optional<bool> replays() const;
  /// For how long, on the device's clock, each step told of since the last call was blocked by its
  /// all-reduces, seconds: by the transfer that is left of them, and by ranks that came later. Not
  /// of all, see comm::ArrivalLog; of the same steps on all ranks.
  [[nodiscard]] std::vector<double> take_waits() { return waits_.take(); }
  /// After a repetition, so that it costs no step anything. Throws core::Error(kRun) where a
  /// parameter is not finite. Collective: gradients carry what one rank's loss was to the
  /// parameters of all, and the ranks meet before, so that the one with the loss has spoken.
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
  /// What to do against a loss that is not finite.
  [[nodiscard]] std::string remedy() const;

  Session& session_;
  std::array<Flight, exec::StepRing::kInFlight> flights_;
  std::int64_t started_ = 0;  ///< since reset(), as those of totals_
  std::int64_t seen_ = 0;     ///< losses, since the pipeline was made
  PhaseTotals totals_;
  comm::ArrivalLog waits_;
};

}  // namespace dlbench::harness
