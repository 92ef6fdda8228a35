// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// ResUNet++ for the segmentation of polyps in colonoscopy images: Jha et al. 2019, "ResUNet++: An
// Advanced Architecture for Medical Image Segmentation", IEEE ISM, arXiv:1911.07067; blocks, sizes
// and recipe as in the authors' Keras code, which differs from the paper's figures in places.
#include "engine/graph/layers.h"
#include "workloads/workload.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace dlbench::workloads {
namespace {

using graph::GraphBuilder;
using graph::ValueId;

/// Keras' defaults.
constexpr graph::BatchNormAttributes kBatchNorm{.momentum = 0.99F, .epsilon = 1e-3F};
/// Channels of c1, c2, c3, c4 and the bridge.
constexpr std::array<std::int64_t, 5> kFilters{16, 32, 64, 128, 256};
/// c4 has an eighth of the image's side: three halvings.
constexpr std::int64_t kReduction = 8;
constexpr std::int64_t kSqueeze = 8;  ///< channels / hidden features of the squeeze-and-excite
constexpr std::array<std::int64_t, 4> kDilations{6, 12, 18, 1};

std::int64_t channels(const GraphBuilder& builder, ValueId x) {
  return builder.graph().value(x).shape[1];
}

ValueId conv3x3(GraphBuilder& builder,
                ValueId x,
                const std::string& name,
                std::int64_t channels_out,
                std::int64_t stride = 1) {
  return graph::conv2d(
      builder, x, name, {.channels_out = channels_out, .kernel = 3, .stride = stride});
}

/// Applies batch norm, then ReLU: before each convolution of a pre-activated block.
ValueId activate(GraphBuilder& builder, ValueId x, const std::string& name) {
  const ValueId normalized = graph::batch_norm(builder, x, name, kBatchNorm);
  return graph::relu(builder, normalized, name + "_relu");
}

/// y = x * sigmoid(W2 relu(W1 mean(x))), per channel, without biases. Hu et al. 2018,
/// arXiv:1709.01507, equations 2 to 4.
ValueId squeeze_excite(GraphBuilder& builder, ValueId x, const std::string& name) {
  const std::int64_t width = channels(builder, x);
  ValueId gate = graph::global_avg_pool(builder, x, name + ".se_pool");
  gate = graph::linear(
      builder,
      gate,
      name + ".se_fc1",
      {.features_out = width / kSqueeze, .bias = false, .init = graph::WeightInit::kHeNormal});
  gate = graph::relu(builder, gate, name + ".se_relu");
  gate =
      graph::linear(builder,
                    gate,
                    name + ".se_fc2",
                    {.features_out = width, .bias = false, .init = graph::WeightInit::kHeNormal});
  gate = graph::sigmoid(builder, gate, name + ".se_sigmoid");
  return graph::scale_channels(builder, x, gate, name + ".se_scale");
}

/// Ends stem and residual blocks: adds a 1x1 convolution and batch norm of the raw input to the
/// main path, then applies squeeze-and-excite.
ValueId add_shortcut(GraphBuilder& builder,
                     ValueId main,
                     ValueId input,
                     const std::string& name,
                     std::int64_t stride) {
  ValueId shortcut =
      graph::conv2d(builder,
                    input,
                    name + ".shortcut_conv",
                    {.channels_out = channels(builder, main), .kernel = 1, .stride = stride});
  shortcut = graph::batch_norm(builder, shortcut, name + ".shortcut_bn", kBatchNorm);
  const ValueId sum = graph::add(builder, main, shortcut, name + ".add");
  return squeeze_excite(builder, sum, name);
}

/// conv, BN, ReLU, conv; nothing before the first convolution and nothing after the sum.
ValueId stem_block(GraphBuilder& builder, ValueId x, const std::string& name, std::int64_t width) {
  ValueId main = conv3x3(builder, x, name + ".conv1", width);
  main = activate(builder, main, name + ".bn1");
  main = conv3x3(builder, main, name + ".conv2", width);
  return add_shortcut(builder, main, x, name, 1);
}

/// BN, ReLU, conv (strided), BN, ReLU, conv.
ValueId residual_block(GraphBuilder& builder,
                       ValueId x,
                       const std::string& name,
                       std::int64_t width,
                       std::int64_t stride) {
  ValueId main = activate(builder, x, name + ".bn1");
  main = conv3x3(builder, main, name + ".conv1", width, stride);
  main = activate(builder, main, name + ".bn2");
  main = conv3x3(builder, main, name + ".conv2", width);
  return add_shortcut(builder, main, x, name, stride);
}

/// Four dilated convolutions with batch norm, no ReLU, added up (not concatenated), then 1x1.
ValueId aspp(GraphBuilder& builder, ValueId x, const std::string& name, std::int64_t width) {
  ValueId sum = graph::kNoValue;
  for (std::size_t branch = 0; branch < kDilations.size(); ++branch) {
    const std::string stem = name + ".branch" + std::to_string(branch + 1);
    ValueId y =
        graph::conv2d(builder,
                      x,
                      stem + "_conv",
                      {.channels_out = width, .kernel = 3, .dilation = kDilations.at(branch)});
    y = graph::batch_norm(builder, y, stem + "_bn", kBatchNorm);
    sum = branch == 0 ? y : graph::add(builder, sum, y, name + ".add" + std::to_string(branch));
  }
  return graph::conv2d(builder, sum, name + ".project", {.channels_out = width, .kernel = 1});
}

/// Gates x by itself and by the encoder's g, which is twice as large; the gate has no sigmoid.
ValueId attention(GraphBuilder& builder, ValueId g, ValueId x, const std::string& name) {
  const std::int64_t width = channels(builder, x);
  ValueId from_g = activate(builder, g, name + ".g_bn");
  from_g = conv3x3(builder, from_g, name + ".g_conv", width);
  from_g = graph::max_pool2d(builder, from_g, name + ".g_pool", 2);
  ValueId from_x = activate(builder, x, name + ".x_bn");
  from_x = conv3x3(builder, from_x, name + ".x_conv", width);
  ValueId gate = graph::add(builder, from_g, from_x, name + ".add");
  gate = activate(builder, gate, name + ".sum_bn");
  gate = conv3x3(builder, gate, name + ".sum_conv", width);
  return graph::multiply(builder, gate, x, name + ".multiply");
}

/// Attention, nearest upsampling, concatenation with the skip (upsampled first), residual block.
ValueId decoder_stage(
    GraphBuilder& builder, ValueId x, ValueId skip, std::int64_t stage, std::int64_t width) {
  const std::string number = std::to_string(stage);
  const ValueId attended = attention(builder, skip, x, "att" + number);
  const std::string name = "d" + number;
  const ValueId up = graph::upsample2d(builder, attended, name + ".up", 2);
  const ValueId both = graph::concat(builder, {up, skip}, name + ".concat");
  return residual_block(builder, both, name, width, 1);
}

WorkloadSpec make_spec() {
  WorkloadSpec spec;
  spec.name = "resunetpp";
  spec.task = "segmentation";
  spec.description = "ResUNet++ on colonoscopy images and polyp masks (Kvasir-SEG's layout)";
  spec.citation =
      "Jha et al. 2019, ResUNet++: An Advanced Architecture for Medical Image Segmentation, "
      "arXiv:1911.07067";
  spec.batch_size = 8;
  spec.image_size = {.standard = 256, .multiple = kReduction, .min = kReduction, .max = 4096};
  spec.epochs = 100;
  spec.optimizer = {.kind = graph::OptimizerKind::kNadam,
                    .learning_rate = 1e-4,
                    .attributes = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-7}};
  spec.schedule = ReduceOnPlateau{.factor = 0.1, .patience = 5, .floor = 1e-6};
  spec.early_stop_patience = 10;
  spec.keep_last_batch = false;
  spec.dataset = "kvasir-seg";
  spec.validation_split = data::Split::kValid;
  spec.loss = "1 - Dice over the whole batch, smooth 1";
  spec.loss_reduction = LossReduction::kBatchRatio;
  spec.metrics = MetricKind::kSegmentation;
  spec.verify_batch_size = 2;
  spec.verify_image_size = 128;
  return spec;
}

class ResUNetPlusPlus final : public Workload {
 public:
  [[nodiscard]] const WorkloadSpec& spec() const override { return spec_; }

 protected:
  [[nodiscard]] BuiltWorkload build_graph(const WorkloadParams& params,
                                          graph::Mode mode) const override {
    const std::int64_t n = params.batch_size;
    const std::int64_t side = params.image_size;
    GraphBuilder builder(mode);
    const ValueId image = builder.add_input("image", core::DType::kU8, {n, side, side, 3});
    const ValueId mask = builder.add_input("mask", core::DType::kU8, {n, side, side});
    const ValueId x = graph::normalize_image(
        builder, image, "input", {.scale = 1.0F / 255.0F, .mean = {}, .stddev = {}});

    const ValueId c1 = stem_block(builder, x, "c1", kFilters[0]);
    const ValueId c2 = residual_block(builder, c1, "c2", kFilters[1], 2);
    const ValueId c3 = residual_block(builder, c2, "c3", kFilters[2], 2);
    const ValueId c4 = residual_block(builder, c3, "c4", kFilters[3], 2);
    const ValueId b1 = aspp(builder, c4, "b1", kFilters[4]);
    const ValueId d1 = decoder_stage(builder, b1, c3, 1, kFilters[3]);
    const ValueId d2 = decoder_stage(builder, d1, c2, 2, kFilters[2]);
    const ValueId d3 = decoder_stage(builder, d2, c1, 3, kFilters[1]);
    const ValueId out = aspp(builder, d3, "out", kFilters[0]);
    const ValueId logits = graph::conv2d(builder, out, "head", {.channels_out = 1, .kernel = 1});
    const ValueId prediction = graph::sigmoid(builder, logits, "sigmoid");

    builder.mark_output(std::string(kPredictionOutput), prediction);
    builder.mark_output(std::string(kLossOutput),
                        graph::dice_loss(builder, prediction, mask, "dice_loss", 1.0F));
    builder.mark_output(std::string(kCountsOutput),
                        graph::segmentation_counts(builder, prediction, mask, "counts", 0.5F));
    const std::string seen_image = builder.graph().value(x).name;
    return {
        std::move(builder).finish(),
        {{.input = "image",
          .tensor = "image",
          .role = data::Role::kInput,
          .network_value = seen_image},
         {.input = "mask", .tensor = "mask", .role = data::Role::kTarget, .network_value = "mask"}},
        params};
  }

 private:
  WorkloadSpec spec_ = make_spec();
};

const WorkloadRegistration kRegistration{std::make_unique<ResUNetPlusPlus>()};

}  // namespace
}  // namespace dlbench::workloads
