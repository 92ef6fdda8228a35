// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The setup of a training: workload, data, device, ranks.
#pragma once

#include "data/dataset.h"
#include "data/loader/prefetch_loader.h"
#include "engine/backend/backend.h"
#include "engine/core/dtype.h"
#include "harness/training/step_pool.h"
#include "workloads/workload.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace dlbench::harness {

/// What to train and on what. References must outlive the training.
struct TrainingSetup {
  const workloads::Workload& workload;
  workloads::WorkloadParams params;
  core::DType precision = core::DType::kF32;
  backend::Backend& backend;
  backend::LoweringOptions lowering{};
  exec::GraphReplay replay = exec::GraphReplay::kOff;
  const data::Dataset& training_data;
  const data::Dataset* validation_data = nullptr;  ///< nullptr: no validation
  /// Workers, prefetch, seed, skip_corrupt, allocator; train() sets the options of an epoch.
  data::LoaderOptions loader{};
  int own_threads = 1;                                ///< of this rank; other load is foreign
  std::uint64_t seed = 1;                             ///< of the initial weights and of dropout
  std::int64_t epochs = 0;                            ///< 0: the workload's
  double learning_rate = 0.0;                         ///< 0: the workload's
  std::optional<std::filesystem::path> init{};        ///< initial checkpoint, read by rank 0
  std::optional<std::filesystem::path> checkpoint{};  ///< the best state goes here
  /// Ranks that share every batch of training and validation; `loader` says which of them this
  /// process is. Rank 0 writes the checkpoint.
  TrainingRanks ranks{};
};

}  // namespace dlbench::harness
