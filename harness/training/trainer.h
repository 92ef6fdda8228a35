// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Training over epochs: steps, validation, learning-rate schedule, early stop, checkpoints. It
// neither parses options nor prints: who calls it listens.
#pragma once

#include "engine/exec/executor.h"
#include "harness/training/training_setup.h"
#include "reports/record.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Where training stands.
struct TrainingProgress {
  std::int64_t epoch = 0;  ///< from 1
  std::int64_t epochs = 0;
  std::int64_t step = 0;  ///< of this epoch or validation pass, from 1, done or about to start
  std::int64_t steps = 0;
  bool validating = false;
  double loss = 0.0;      ///< of the last batch
  bool replayed = false;  ///< steps like this one are replayed by now, if it is done
};

/// "step 3 of 60", "validation batch 1 of 8".
[[nodiscard]] std::string batch_text(const TrainingProgress& progress);

/// Called on the training thread; any may throw to end the training.
struct TrainingListener {
  /// What begins: "epoch 2, step 3 of 60". What is thrown from then on is of that.
  std::function<void(const std::string&)> on_phase;
  std::function<void(const TrainingProgress&)> on_step;  ///< when a step is done
  /// After validation, before the checkpoint; the flag says that this epoch is the best so far.
  std::function<void(const reports::EpochRecord&, bool)> on_epoch;
  /// Corrupt samples of training or validation that were replaced on any rank, each once, when the
  /// epoch in which they were met is over.
  std::function<void(const std::vector<std::string>&)> on_skipped;
  /// What there is not, and why: samples that fill no batch, epochs behind an early stop, a
  /// validation loss that is not finite, a checkpoint.
  std::function<void(const reports::SkipRecord&)> on_left_out;
  /// Why an epoch's time cannot be trusted.
  std::function<void(reports::Taint, const std::string&)> on_taint;
  /// When the step of a mode and a number of samples is made: all are before the first epoch.
  std::function<void(const exec::Executor&, std::int64_t)> on_new_step;
};

struct TrainingResult {
  std::vector<reports::EpochRecord> history;
  std::int64_t best_epoch = 0;  ///< 0: no epoch
};

/// Says in `skipped`, once for each metric, why and in which epoch it first has no value.
void note_undefined_metrics(const reports::EpochRecord& epoch,
                            std::vector<reports::SkipRecord>& skipped);

/// Trains. The best epoch is that of the lowest validation loss, or training loss without
/// validation; one whose validation loss is not finite never is, and keeps no checkpoint. Losses
/// and counts of an epoch are means and sums over its batches, a batch weighing as much as it has
/// samples. In EpochRecord::metrics, "accuracy" is that of the validation and "train_accuracy" that
/// of the training batches, seen in train mode while the weights change.
///
/// On several ranks, collective, all have the result of one rank with the global batch: losses,
/// metrics and gradients are weighted with samples; batch norm alone is per rank, and a loss that
/// is a batch ratio unless it is synchronised. Throws core::Error(kUsage) where a kept last batch
/// has too few samples for all.
///
/// Throws core::Error(kRun) with step and epoch when a training loss is not finite, and what the
/// loader, the lowering and the files throw.
[[nodiscard]] TrainingResult train(const TrainingSetup& setup, const TrainingListener& listener);

}  // namespace dlbench::harness
