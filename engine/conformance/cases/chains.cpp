// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Short networks that exercise the fusions of backends and layouts passed from op to op.
#include "engine/conformance/cases/case_lists.h"
#include "engine/graph/layers.h"

#include <cstdint>
#include <string>

namespace dlbench::conformance::cases {
namespace {

using graph::GraphBuilder;
using graph::ValueId;
using Values = std::vector<ValueId>;

const graph::BatchNormAttributes kKeras{.momentum = 0.99F, .epsilon = 1e-3F};

Values conv_norm_relu(GraphBuilder& b, const Values& in) {
  // Without bias: batch norm removes it again, and its gradient would be only rounding error.
  ValueId x = graph::conv2d(b, in[0], "conv1", {.channels_out = 16, .bias = false});
  x = graph::batch_norm(b, x, "bn1", kKeras);
  x = graph::relu(b, x, "relu1");
  return {graph::conv2d(b, x, "conv2", {.channels_out = 19, .stride = 2})};
}

Values norm_relu_with_two_readers(GraphBuilder& b, const Values& in) {
  const ValueId x = graph::relu(b, graph::batch_norm(b, in[0], "bn", kKeras), "relu");
  const ValueId left = graph::conv2d(b, x, "left", {.channels_out = 16, .kernel = 1});
  return {graph::add(b, left, x, "sum")};
}

Values residual_with_gate(GraphBuilder& b, const Values& in) {
  ValueId x = graph::conv2d(b, in[0], "conv", {.channels_out = 24, .stride = 2});
  ValueId shortcut = graph::conv2d(
      b, in[0], "shortcut", {.channels_out = 24, .kernel = 1, .stride = 2, .bias = false});
  shortcut = graph::batch_norm(b, shortcut, "shortcut_bn", kKeras);
  x = graph::add(b, x, shortcut, "add");
  ValueId gate = graph::global_avg_pool(b, x, "squeeze");
  gate =
      graph::relu(b, graph::linear(b, gate, "fc1", {.features_out = 3, .bias = false}), "fc1_relu");
  gate = graph::sigmoid(
      b, graph::linear(b, gate, "fc2", {.features_out = 24, .bias = false}), "fc2_sigmoid");
  return {graph::scale_channels(b, x, gate, "excite")};
}

/// One level up in a U-Net, Ronneberger et al. 2015, arXiv:1505.04597, figure 1.
Values up_convolution(GraphBuilder& b, const Values& in) {
  const ValueId deep = graph::relu(b, in[0], "deep");
  const ValueId up = graph::conv_transpose2d(b, deep, "up", {.channels_out = 19});
  const ValueId joined = graph::concat(b, {up, in[1]}, "joined");
  return {graph::conv2d(b, joined, "conv", {.channels_out = 8})};
}

Values decoder(GraphBuilder& b, const Values& in) {
  const ValueId pooled = graph::max_pool2d(b, in[0], "pool", 2);
  const ValueId deep = graph::conv2d(b, pooled, "deep", {.channels_out = 10});
  const ValueId up = graph::upsample2d(b, deep, "up", 2);
  const ValueId joined = graph::concat(b, {up, in[0]}, "concat");
  const ValueId atrous = graph::conv2d(b, joined, "atrous", {.channels_out = 16, .dilation = 6});
  return {graph::multiply(b, atrous, in[0], "attend")};
}

/// A gated linear unit, Dauphin et al. 2017, arXiv:1612.08083, eq. 1, and a slice of both halves.
Values gated_halves(GraphBuilder& b, const Values& in) {
  const ValueId x = graph::conv2d(b, in[0], "conv", {.channels_out = 32});
  const ValueId left = graph::slice(b, x, "left", {.begin = 0, .extent = 16});
  const ValueId right = graph::slice(b, x, "right", {.begin = 16, .extent = 16});
  const ValueId middle = graph::slice(b, x, "middle", {.begin = 7, .extent = 16});
  const ValueId gated = graph::multiply(b, left, graph::sigmoid(b, right, "gate"), "gated");
  return {graph::add(b, gated, middle, "sum")};
}

/// Five summands, all slices of one value's channels, the last not aligned to vector accesses; and
/// the gradient of that value, which nine nodes read, one a concatenation with an upsampled value.
Values many_summands(GraphBuilder& b, const Values& in) {
  const ValueId x = graph::relu(b, in[0], "relu");
  ValueId sum = graph::slice(b, x, "part0", {.begin = 0, .extent = 8});
  for (const std::int64_t begin : {8, 16, 24, 3}) {
    const std::string suffix = std::to_string(begin);
    const ValueId part = graph::slice(b, x, "part" + suffix, {.begin = begin, .extent = 8});
    sum = graph::add(b, sum, part, "sum" + suffix);
  }
  const ValueId up = graph::upsample2d(b, graph::max_pool2d(b, x, "pool", 2), "up", 2);
  const ValueId joined = graph::concat(b, {up, x}, "concat");
  const ValueId wide = graph::conv2d(b, joined, "wide", {.channels_out = 8});
  const ValueId left = graph::conv2d(b, x, "left", {.channels_out = 8, .kernel = 1});
  const ValueId right = graph::conv2d(b, x, "right", {.channels_out = 8, .kernel = 1});
  return {graph::add(
      b, graph::multiply(b, left, right, "product"), graph::add(b, wide, sum, "a"), "b")};
}

/// The gradients of the parts are ranges of a matrix, whereas dense layers take whole matrices.
Values joined_branches(GraphBuilder& b, const Values& in) {
  const ValueId left = graph::linear(b, in[0], "left", {.features_out = 3});
  const ValueId right = graph::linear(b, in[0], "right", {.features_out = 5});
  const ValueId joined = graph::concat(b, {left, right}, "joined");
  return {graph::linear(b, joined, "out", {.features_out = 4})};
}

/// As joined_branches(), but too large for a backend's own loops.
Values large_joined_branches(GraphBuilder& b, const Values& in) {
  const ValueId left = graph::linear(b, in[0], "left", {.features_out = 128});
  const ValueId right = graph::linear(b, in[0], "right", {.features_out = 64});
  const ValueId joined = graph::concat(b, {left, right}, "joined");
  return {graph::linear(b, joined, "out", {.features_out = 64})};
}

Values joined_averages(GraphBuilder& b, const Values& in) {
  const ValueId left = graph::global_avg_pool(b, in[0], "left");
  const ValueId right = graph::global_avg_pool(b, in[1], "right");
  const ValueId joined = graph::concat(b, {left, right}, "joined");
  return {graph::linear(b, joined, "out", {.features_out = 4})};
}

Values range_into_dense(GraphBuilder& b, const Values& in) {
  const ValueId x = graph::relu(b, in[0], "relu");
  const ValueId middle = graph::slice(b, x, "middle", {.begin = 2, .extent = 4});
  return {graph::linear(b, middle, "out", {.features_out = 4})};
}

Values range_as_gate(GraphBuilder& b, const Values& in) {
  const ValueId gates = graph::sigmoid(b, in[1], "all_gates");
  const ValueId gate = graph::slice(b, gates, "gate", {.begin = 16, .extent = 16});
  return {graph::scale_channels(b, in[0], gate, "scaled")};
}

Values classifier(GraphBuilder& b, const Values& in) {
  ValueId x = graph::conv2d(
      b,
      in[0],
      "conv",
      {.channels_out = 8, .padding = graph::Padding::kValid, .init = graph::WeightInit::kHeNormal});
  x = graph::max_pool2d(b, graph::relu(b, x, "relu"), "pool", 2);
  x = graph::dropout(b, x, "dropout", 0.25F);
  x = graph::linear(b, graph::flatten(b, x, "flatten"), "fc", {.features_out = 10});
  return {graph::nll_loss(b, graph::log_softmax(b, x, "log_softmax"), in[1], "loss")};
}

Values segmenter(GraphBuilder& b, const Values& in) {
  const ValueId x = graph::conv2d(b, in[0], "head", {.channels_out = 1, .kernel = 1});
  const ValueId p = graph::sigmoid(b, x, "sigmoid");
  return {graph::dice_loss(b, p, in[1], "loss", 1.0F)};
}

OpCase chain_case(std::string note, BuildChain build, std::vector<Operand> inputs) {
  return {.note = std::move(note),
          .inputs = std::move(inputs),
          .accuracy = Accuracy::kChain,
          .build = build};
}

}  // namespace

std::vector<OpCase> chains() {
  return {
      chain_case("conv, batch norm, ReLU, conv", conv_norm_relu, {input("x", {2, 16, 9, 9})}),
      chain_case("conv of an odd number of channels", conv_norm_relu, {input("x", {3, 5, 8, 7})}),
      chain_case("batch norm and ReLU, read twice",
                 norm_relu_with_two_readers,
                 {input("x", {2, 16, 8, 8})}),
      chain_case("residual unit with squeeze and excitation",
                 residual_with_gate,
                 {input("x", {2, 16, 8, 8})}),
      chain_case("pool, upsample, concat, atrous conv, gate",
                 decoder,
                 {input("x", {2, 16, 8, 8}, Fill::kDistinct)}),
      chain_case("up-convolution beside a skip connection",
                 up_convolution,
                 {input("x", {2, 16, 4, 5}, Fill::kAwayFromZero), input("skip", {2, 13, 8, 10})}),
      chain_case(
          "halves of channels, one gates the other", gated_halves, {input("x", {2, 16, 6, 5})}),
      chain_case("sums of many parts", many_summands, {input("x", {2, 32, 8, 6}, Fill::kDistinct)}),
      chain_case("dense branches, joined", joined_branches, {input("x", {4, 7})}),
      chain_case("large dense branches, joined", large_joined_branches, {input("x", {32, 128})}),
      chain_case("global averages, joined",
                 joined_averages,
                 {input("x", {2, 16, 4, 4}), input("z", {2, 16, 4, 4})}),
      chain_case("range of a matrix into a dense layer",
                 range_into_dense,
                 {input("x", {4, 9}, Fill::kPositive)}),
      chain_case("range of a matrix as the gate of channels",
                 range_as_gate,
                 {input("x", {2, 16, 4, 4}), input("gates", {2, 32})}),
      chain_case("classifier with dropout",
                 classifier,
                 {input("x", {6, 1, 10, 10}, Fill::kDistinct), labels("label", 6, 10)}),
      chain_case("Dice loss", segmenter, {input("x", {2, 16, 7, 9}), mask("mask", {2, 7, 9})}),
  };
}

}  // namespace dlbench::conformance::cases
