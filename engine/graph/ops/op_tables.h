// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The op table in parts: one span per file of this folder. op_def.cpp joins them.
#pragma once

#include "engine/graph/op_def.h"

#include <span>

namespace dlbench::graph::ops {

[[nodiscard]] std::span<const OpDef> all_reduce_ops();
[[nodiscard]] std::span<const OpDef> batch_norm_ops();
[[nodiscard]] std::span<const OpDef> conv_ops();
[[nodiscard]] std::span<const OpDef> conv_transpose_ops();
[[nodiscard]] std::span<const OpDef> dropout_ops();
[[nodiscard]] std::span<const OpDef> linear_ops();
[[nodiscard]] std::span<const OpDef> loss_ops();
[[nodiscard]] std::span<const OpDef> loss_scaling_ops();
[[nodiscard]] std::span<const OpDef> metric_ops();
[[nodiscard]] std::span<const OpDef> normalize_ops();
[[nodiscard]] std::span<const OpDef> optimizer_ops();
[[nodiscard]] std::span<const OpDef> pointwise_ops();
[[nodiscard]] std::span<const OpDef> pooling_ops();
[[nodiscard]] std::span<const OpDef> shape_ops();
[[nodiscard]] std::span<const OpDef> upsample_ops();

}  // namespace dlbench::graph::ops
