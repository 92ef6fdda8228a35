// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Training over epochs: steps, validation, learning-rate schedule, early stop, checkpoints. Neither
// parses options nor prints: the caller passes a listener.
#pragma once

#include "engine/exec/executor.h"
#include "harness/training/training_setup.h"
#include "reports/record.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// The current position of a training.
struct TrainingProgress {
  std::int64_t epoch = 0;  ///< from 1
  std::int64_t epochs = 0;
  std::int64_t step = 0;  ///< of this epoch or validation pass, from 1, done or about to start
  std::int64_t steps = 0;
  bool validating = false;
  double loss = 0.0;      ///< of the last batch
  bool replayed = false;  ///< steps like this one, if done, are now replayed
};

/// "step 3 of 60", "validation batch 1 of 8".
[[nodiscard]] std::string batch_text(const TrainingProgress& progress);

/// Called on the training thread; each may throw to end the training.
struct TrainingListener {
  /// Called with what begins: "epoch 2, step 3 of 60". Later exceptions belong to it.
  std::function<void(const std::string&)> on_phase;
  std::function<void(const TrainingProgress&)> on_step;  ///< when a step is done
  /// After validation, before the checkpoint; the flag says that this epoch is the best so far.
  std::function<void(const reports::EpochRecord&, bool)> on_epoch;
  /// Called after an epoch with the corrupt samples of training or validation that were replaced in
  /// it on any rank, each once.
  std::function<void(const std::vector<std::string>&)> on_skipped;
  /// Called with what is missing, and why: samples that fill no batch, epochs after an early stop,
  /// a validation loss that is not finite, a checkpoint.
  std::function<void(const reports::SkipRecord&)> on_left_out;
  /// Called with the reason why an epoch's time cannot be trusted.
  std::function<void(reports::Taint, const std::string&)> on_taint;
  /// Called when the step of a mode and a number of samples is made: always before the first epoch.
  std::function<void(const exec::Executor&, std::int64_t)> on_new_step;
};

struct TrainingResult {
  std::vector<reports::EpochRecord> history;
  std::int64_t best_epoch = 0;  ///< 0: no epoch
};

/// Records in `skipped`, once for each metric, why and in which epoch it first has no value.
void note_undefined_metrics(const reports::EpochRecord& epoch,
                            std::vector<reports::SkipRecord>& skipped);

/// Trains. The best epoch has the lowest validation loss, or training loss without validation; an
/// epoch whose validation loss is not finite is never the best and saves no checkpoint. Losses and
/// counts of an epoch are means and sums over its batches, weighted by samples. In
/// EpochRecord::metrics, "accuracy" is from validation and "train_accuracy" from the training
/// batches, in train mode while the weights change.
///
/// With several ranks (collective), the result is that of one rank with the global batch: losses,
/// metrics and gradients are weighted by samples; only batch norm is per rank, and a batch-ratio
/// loss unless synchronised. Throws core::Error(kUsage) if a kept last batch has too few samples
/// for all ranks.
///
/// Throws core::Error(kRun) with step and epoch when a training loss is not finite, and passes on
/// errors of the loader, the lowering and the files.
[[nodiscard]] TrainingResult train(const TrainingSetup& setup, const TrainingListener& listener);

}  // namespace dlbench::harness
