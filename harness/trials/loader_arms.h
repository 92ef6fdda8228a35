// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The common part of trials with a loader, and the io trial, which does nothing else.
#pragma once

#include "data/loader/batch_lease.h"
#include "harness/session/session.h"
#include "harness/trials/arm.h"

#include <cstdint>
#include <optional>

namespace dlbench::harness {

/// A trial whose loader runs from prepare() to finish().
class LoaderArm : public Arm {
 public:
  LoaderArm(TrialId id, Session& session);

  void finish() override;
  [[nodiscard]] std::optional<std::int64_t> queue_fill() const override;
  [[nodiscard]] std::int64_t burst() const override;
  [[nodiscard]] std::optional<data::LoaderStats> loader_stats() const override;
  [[nodiscard]] std::int64_t untimed_steps() const override;
  [[nodiscard]] std::int64_t surplus() const override;
  void use_up(std::int64_t batches) override;

 protected:
  /// A batch (empty on a rank that another one loads for) and how long the rank waited for it.
  struct Taken {
    data::BatchLease lease;
    double wait_s = 0.0;
  };

  /// Starts the loader and consumes the batches that it prepares before anyone waits.
  void start_loader();
  /// Resets the counters of steps and loader.
  virtual void reset_counts();
  [[nodiscard]] Taken take();
  [[nodiscard]] Session& session() const { return session_; }

 private:
  Session& session_;
  std::int64_t prepared_fill_ = 0;  ///< of the queue, once the prepared batches are consumed
};

/// Takes batches as fast as they come, and reads each of them, as any consumer would at least.
class IoArm : public LoaderArm {
 public:
  using LoaderArm::LoaderArm;

  void prepare() override { start_loader(); }
  /// Only the loader takes time here: while this thread waits for a core the queue fills, and the
  /// queued batches are then taken in no time.
  [[nodiscard]] std::int64_t min_steps() const override;
  std::optional<StepSample> step() override;
  [[nodiscard]] PhaseTotals phases() const override { return totals_; }

 protected:
  void reset_counts() override;

 private:
  PhaseTotals totals_;
};

}  // namespace dlbench::harness
