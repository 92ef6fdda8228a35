// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/graph/networks.h"

#include "engine/graph/layers.h"

#include <string>
#include <utility>

namespace dlbench::graph::testing {
namespace {

ValueId conv_bn_relu(GraphBuilder& builder,
                     ValueId x,
                     const std::string& name,
                     const Conv2dParams& params) {
  const ValueId conv = conv2d(builder, x, name + ".conv", params);
  const ValueId bn = batch_norm(builder, conv, name + ".bn", {.momentum = 0.9F, .epsilon = 1e-3F});
  return relu(builder, bn, name + ".relu");
}

ValueId squeeze_excite(GraphBuilder& builder, ValueId x, const std::string& name) {
  const std::int64_t channels = builder.graph().value(x).shape[1];
  const ValueId pooled = global_avg_pool(builder, x, name + ".pool");
  const ValueId hidden =
      relu(builder, linear(builder, pooled, name + ".fc1", {.features_out = 2}), name + ".relu");
  const ValueId gate =
      sigmoid(builder,
              linear(builder, hidden, name + ".fc2", {.features_out = channels, .bias = false}),
              name + ".gate");
  return scale_channels(builder, x, gate, name + ".scale");
}

}  // namespace

Graph small_unet(Mode mode, std::int64_t batch, std::int64_t size) {
  GraphBuilder builder(mode);
  const ValueId image = builder.add_input("image", core::DType::kU8, {batch, size, size, 3});
  const ValueId mask = builder.add_input("mask", core::DType::kU8, {batch, size, size});
  const ValueId x = normalize_image(builder, image, "normalize", {});
  const ValueId skip = conv_bn_relu(builder, x, "enc", {.channels_out = 4});
  const ValueId down = max_pool2d(builder, skip, "pool", 2);
  const ValueId deep = conv_bn_relu(builder, down, "deep", {.channels_out = 4, .dilation = 2});
  const ValueId gated = squeeze_excite(builder, deep, "se");
  const ValueId residual = add(builder, gated, down, "residual");
  const ValueId up = upsample2d(builder, residual, "up", 2);
  const ValueId joined = concat(builder, {up, skip}, "joined");
  const ValueId kept = dropout(builder, joined, "drop", 0.25F);
  const ValueId head = conv2d(builder, kept, "head", {.channels_out = 1, .kernel = 1});
  const ValueId prediction = sigmoid(builder, head, "prediction");
  builder.mark_output("prediction", prediction);
  builder.mark_output("loss", dice_loss(builder, prediction, mask, "loss", 1.0F));
  builder.mark_output("counts", segmentation_counts(builder, prediction, mask, "counts", 0.5F));
  return std::move(builder).finish();
}

Graph small_classifier(Mode mode, std::int64_t batch) {
  GraphBuilder builder(mode);
  const ValueId image = builder.add_input("image", core::DType::kU8, {batch, 8, 8, 1});
  const ValueId label = builder.add_input("label", core::DType::kI32, {batch});
  const ValueId x = normalize_image(builder, image, "normalize", {});
  const ValueId conv = conv2d(builder, x, "conv", {.channels_out = 4, .padding = Padding::kValid});
  const ValueId pool = max_pool2d(builder, relu(builder, conv, "relu"), "pool", 2);
  const ValueId flat = flatten(builder, pool, "flatten");
  const ValueId logits = linear(builder, flat, "fc", {.features_out = 5});
  const ValueId logp = log_softmax(builder, logits, "prediction");
  builder.mark_output("prediction", logp);
  builder.mark_output("loss", nll_loss(builder, logp, label, "loss"));
  builder.mark_output("counts", classification_counts(builder, logp, label, "counts"));
  return std::move(builder).finish();
}

Graph training_step(const Graph& forward,
                    const OptimizerSpec& optimizer,
                    const BucketOptions& buckets) {
  const Graph backward = differentiate(forward, forward.outputs().at("loss"));
  return add_optimizer(insert_all_reduce(backward, buckets), optimizer);
}

}  // namespace dlbench::graph::testing
