// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The passes of an epoch, training and validation: how each reads its data set, which steps this
// rank makes for it, and what both need of the memory.
#pragma once

#include "data/loader/prefetch_loader.h"
#include "engine/graph/graph.h"
#include "harness/session/memory_need.h"
#include "harness/training/training_setup.h"

#include <cstdint>
#include <vector>

namespace dlbench::harness {

/// Shuffled batches; the partial one at the end only where the workload keeps it.
[[nodiscard]] data::LoaderOptions training_loader(const TrainingSetup& setup, std::int64_t epochs);

/// Every sample once, in order, the last partial batch included.
[[nodiscard]] data::LoaderOptions validation_loader(const TrainingSetup& setup);

/// One pass: samples of this rank in its batches and in the last of them; 0: it has none.
struct PassSteps {
  graph::Mode mode = graph::Mode::kTrain;
  std::int64_t samples = 0;
  std::int64_t last = 0;
};

/// Throws core::Error(kUsage), with a batch that would do, if the last batch of training has less
/// than one sample for each rank.
void check_last_batch(const TrainingSetup& setup);

/// Of training and, where there are data for it, of validation. Throws core::Error(kUsage) as
/// data::Sampler does.
[[nodiscard]] std::vector<PassSteps> passes_of_epoch(const TrainingSetup& setup);

/// What training needs, from the need of a run that repeats its first step and has its loader: no
/// copy of the state to start from; validation loads for itself; and on a device each further step
/// has places for its inputs. All compute in the arena of the largest step, which is the first.
[[nodiscard]] MemoryNeed need_of_training(const TrainingSetup& setup, MemoryNeed of_run);

}  // namespace dlbench::harness
