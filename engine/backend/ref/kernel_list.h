// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of each op. Formulas are with the op in engine/graph/ops/<family>.cpp.
#pragma once

#include "engine/backend/ref/kernel.h"
#include "engine/graph/op_kind.h"

namespace dlbench::backend::ref {

// normalize.cpp
void normalize_image(const Call& call);
void cast(const Call& call);
// conv.cpp
void conv(const Call& call);
void conv_backward_data(const Call& call);
void conv_backward_weights(const Call& call);
void conv_transpose(const Call& call);
// batch_norm.cpp
void batch_norm(const Call& call);
void batch_norm_inference(const Call& call);
void batch_norm_backward(const Call& call);
// pointwise.cpp
void relu(const Call& call);
void relu_backward(const Call& call);
void sigmoid(const Call& call);
void sigmoid_backward(const Call& call);
void add(const Call& call);
void multiply(const Call& call);
void add_bias(const Call& call);
void add_bias_backward(const Call& call);
void scale_channels(const Call& call);
void scale_channels_backward_gate(const Call& call);
// pooling.cpp
void global_avg_pool(const Call& call);
void global_avg_pool_backward(const Call& call);
void max_pool(const Call& call);
void max_pool_backward(const Call& call);
// upsample.cpp
void upsample_nearest(const Call& call);
void upsample_nearest_backward(const Call& call);
// linear.cpp
void linear(const Call& call);
void linear_backward_data(const Call& call);
void linear_backward_weights(const Call& call);
// shape_ops.cpp
void concat(const Call& call);
void slice(const Call& call);
void slice_backward(const Call& call);
void reshape(const Call& call);
// dropout.cpp: forward and backward apply the same function, to x and to dy
void dropout(const Call& call);
// losses.cpp
void dice_sums(const Call& call);
void dice_loss(const Call& call);
void dice_backward(const Call& call);
void log_softmax(const Call& call);
void log_softmax_backward(const Call& call);
void nll_loss(const Call& call);
void nll_backward(const Call& call);
// metrics.cpp
void segmentation_counts(const Call& call);
void classification_counts(const Call& call);
// optimizers.cpp
void optimizer_advance(const Call& call);
void sgd(const Call& call);
void adam(const Call& call);
void nadam(const Call& call);
void adadelta(const Call& call);
// loss_scaling.cpp
void unscale_gradients(const Call& call);
void update_loss_scale(const Call& call);

/// The kernel of an op; nullptr for the all-reduce nodes, which the executor runs.
[[nodiscard]] KernelFunction kernel_of(graph::OpKind op);

}  // namespace dlbench::backend::ref
