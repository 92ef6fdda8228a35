// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Small networks that the tests of engine/graph and engine/exec build again and again.
#pragma once

#include "engine/graph/graph.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/passes.h"

#include <cstdint>

namespace dlbench::graph::testing {

/// A residual U-Net in small: image u8 (N, S, S, 3) -> conv, BN, ReLU, pool, dilated conv, squeeze
/// and excite, residual add, upsample, concat with the skip, dropout, 1x1 conv, sigmoid, Dice.
/// Outputs "prediction", "loss", "counts". S is a multiple of 2.
[[nodiscard]] Graph small_unet(Mode mode, std::int64_t batch, std::int64_t size);

/// image u8 (N, 8, 8, 1) -> conv, ReLU, max pool, flatten, linear, log-softmax, NLL over 5 classes.
/// Outputs "prediction", "loss", "counts".
[[nodiscard]] Graph small_classifier(Mode mode, std::int64_t batch);

/// differentiate, insert_all_reduce and add_optimizer over the output "loss".
[[nodiscard]] Graph training_step(const Graph& forward,
                                  const OptimizerSpec& optimizer,
                                  const BucketOptions& buckets = {});

}  // namespace dlbench::graph::testing
