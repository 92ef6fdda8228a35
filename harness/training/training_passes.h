// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The passes of an epoch, training and validation: how each reads its data set, which steps this
// rank makes for it, and how much memory both need.
#pragma once

#include "data/loader/prefetch_loader.h"
#include "engine/graph/graph.h"
#include "harness/session/memory_need.h"
#include "harness/training/training_setup.h"

#include <cstdint>
#include <vector>

namespace dlbench::harness {

/// Options for shuffled batches; the partial last one only if the workload keeps it.
[[nodiscard]] data::LoaderOptions training_loader(const TrainingSetup& setup, std::int64_t epochs);

/// Options for every sample once, in order, including the last partial batch.
[[nodiscard]] data::LoaderOptions validation_loader(const TrainingSetup& setup);

/// One pass: this rank's samples in each batch and in the last one; 0: it has none.
struct PassSteps {
  graph::Mode mode = graph::Mode::kTrain;
  std::int64_t samples = 0;
  std::int64_t last = 0;
};

/// Throws core::Error(kUsage), suggesting a batch size that works, if the last training batch has
/// less than one sample per rank.
void check_last_batch(const TrainingSetup& setup);

/// Returns the passes of training and, if there is data for it, of validation. Throws
/// core::Error(kUsage) as data::Sampler does.
[[nodiscard]] std::vector<PassSteps> passes_of_epoch(const TrainingSetup& setup);

/// Converts the need of a run, which repeats its first step and has its loader, to a training's: no
/// saved copy of the state, a second loader for validation and, on a device, input buffers for each
/// further step. All steps share the arena of the largest one, which is the first.
[[nodiscard]] MemoryNeed need_of_training(const TrainingSetup& setup, MemoryNeed of_run);

}  // namespace dlbench::harness
