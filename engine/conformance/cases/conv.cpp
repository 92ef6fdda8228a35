// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/cases/case_lists.h"

namespace dlbench::conformance::cases {
namespace {

using graph::ConvAttributes;

enum class Bias { kNo, kYes };

OpCase conv_case(std::string note,
                 const core::Shape& x,
                 const core::Shape& weight,
                 Bias bias = Bias::kNo,
                 const ConvAttributes& attributes = {}) {
  OpCase result{.op = graph::OpKind::kConv,
                .note = std::move(note),
                .attributes = attributes,
                .inputs = {input("x", x), parameter("weight", weight)},
                .dtypes = activation_dtypes(),
                .accuracy = Accuracy::kContraction};
  if (bias == Bias::kYes) {
    result.inputs.push_back(parameter("bias", {weight[0]}));
  }
  return result;
}

ConvAttributes padded(std::int64_t begin, std::int64_t end, std::int64_t stride = 1) {
  return {.stride = {stride, stride, 1}, .pad_begin = {begin, begin, 0}, .pad_end = {end, end, 0}};
}

ConvAttributes dilated(std::int64_t dilation) {
  return {.dilation = {dilation, dilation, 1},
          .pad_begin = {dilation, dilation, 0},
          .pad_end = {dilation, dilation, 0}};
}

void add_plane_cases(std::vector<OpCase>& list) {
  list.push_back(conv_case("single pixel, channel and sample", {1, 1, 1, 1}, {1, 1, 1, 1}));
  list.push_back(conv_case("pointwise", {2, 16, 9, 7}, {32, 16, 1, 1}, Bias::kYes));
  list.push_back(conv_case("pointwise, prime channels", {3, 31, 5, 5}, {37, 31, 1, 1}));
  list.push_back(conv_case("pointwise shortcut of stride 2",
                           {2, 16, 9, 8},
                           {24, 16, 1, 1},
                           Bias::kYes,
                           padded(0, 0, 2)));
  list.push_back(conv_case("first layer", {2, 3, 16, 16}, {16, 3, 3, 3}, Bias::kYes, padded(1, 1)));
  list.push_back(conv_case("one output channel", {2, 16, 8, 8}, {1, 16, 1, 1}, Bias::kYes));
  list.push_back(
      conv_case("blocked channels", {2, 32, 12, 12}, {32, 32, 3, 3}, Bias::kNo, padded(1, 1)));
  list.push_back(
      conv_case("prime sizes", {3, 13, 17, 11}, {7, 13, 3, 3}, Bias::kYes, padded(1, 1)));
  list.push_back(conv_case("no padding", {2, 8, 10, 10}, {16, 8, 5, 5}, Bias::kYes));
  list.push_back(conv_case("rectangular kernel",
                           {1, 4, 6, 15},
                           {6, 4, 1, 7},
                           Bias::kNo,
                           {.pad_begin = {0, 3, 0}, .pad_end = {0, 3, 0}}));
  list.push_back(conv_case(
      "kernel larger than the image", {1, 3, 2, 2}, {4, 3, 5, 5}, Bias::kYes, padded(2, 2)));
  list.push_back(conv_case("wide row", {1, 2, 3, 131}, {3, 2, 3, 3}, Bias::kNo, padded(1, 1)));
}

void add_attribute_cases(std::vector<OpCase>& list) {
  list.push_back(conv_case("Keras' same padding at stride 2: only after the end",
                           {2, 16, 16, 16},
                           {32, 16, 3, 3},
                           Bias::kYes,
                           padded(0, 1, 2)));
  list.push_back(
      conv_case("stride 2 on odd sizes", {2, 5, 9, 7}, {6, 5, 3, 3}, Bias::kNo, padded(1, 1, 2)));
  list.push_back(conv_case(
      "stride 3, last rows never read", {1, 3, 11, 12}, {4, 3, 2, 2}, Bias::kYes, padded(0, 0, 3)));
  list.push_back(conv_case(
      "padding after the end only", {2, 32, 12, 12}, {32, 32, 3, 3}, Bias::kNo, padded(0, 1)));
  list.push_back(conv_case(
      "padding before the start only", {1, 4, 7, 7}, {4, 4, 3, 3}, Bias::kNo, padded(2, 0)));
  list.push_back(conv_case("dilation 2", {2, 8, 13, 13}, {8, 8, 3, 3}, Bias::kYes, dilated(2)));
  list.push_back(conv_case("dilation 6", {1, 16, 16, 16}, {16, 16, 3, 3}, Bias::kNo, dilated(6)));
  list.push_back(conv_case("dilation 18 wider than the image: one tap counts",
                           {1, 16, 16, 16},
                           {16, 16, 3, 3},
                           Bias::kYes,
                           dilated(18)));
  ConvAttributes grouped = padded(1, 1);
  grouped.groups = 2;
  list.push_back(conv_case("two groups", {2, 8, 7, 7}, {12, 4, 3, 3}, Bias::kYes, grouped));
  grouped.groups = 16;
  list.push_back(conv_case("depthwise", {2, 16, 8, 8}, {16, 1, 3, 3}, Bias::kNo, grouped));
  ConvAttributes strided = dilated(2);
  strided.stride = {2, 2, 1};
  strided.groups = 2;
  list.push_back(conv_case(
      "two groups, stride 2 and dilation 2", {2, 8, 13, 12}, {12, 4, 3, 3}, Bias::kYes, strided));
  grouped.groups = 8;
  list.push_back(conv_case(
      "depthwise, two filters of each", {2, 8, 7, 9}, {16, 1, 3, 3}, Bias::kYes, grouped));
  list.push_back(conv_case(
      "stride, dilation and padding of each axis",
      {2, 6, 11, 14},
      {5, 6, 3, 2},
      Bias::kYes,
      {.stride = {2, 1, 1}, .dilation = {1, 3, 1}, .pad_begin = {0, 2, 0}, .pad_end = {1, 0, 0}}));
  // Only one tap of nine has an effect: the weight gradient of the others is rightly zero. With
  // stride 2, pointwise convolutions and those of dilation 2 read only every fourth pixel.
  for (OpCase& item : list) {
    if (item.note.starts_with("pointwise shortcut") ||
        item.note.ends_with("stride 2 and dilation 2")) {
      item.mostly_zero = {"grad_x"};
    }
    if (item.note.starts_with("dilation 18") || item.note.starts_with("kernel larger")) {
      item.mostly_zero = {"grad/weight"};
    }
  }
}

void add_volume_cases(std::vector<OpCase>& list) {
  list.push_back(conv_case("volume, same padding",
                           {2, 4, 5, 6, 7},
                           {8, 4, 3, 3, 3},
                           Bias::kYes,
                           {.pad_begin = {1, 1, 1}, .pad_end = {1, 1, 1}}));
  list.push_back(conv_case("volume, stride 2 and uneven padding",
                           {1, 3, 8, 7, 9},
                           {5, 3, 4, 3, 2},
                           Bias::kNo,
                           {.stride = {2, 2, 2}, .pad_begin = {1, 0, 0}, .pad_end = {1, 1, 1}}));
  list.push_back(conv_case("volume, pointwise", {2, 5, 3, 4, 5}, {7, 5, 1, 1, 1}, Bias::kYes));
}

}  // namespace

std::vector<OpCase> conv() {
  std::vector<OpCase> list;
  add_plane_cases(list);
  add_attribute_cases(list);
  add_volume_cases(list);
  return list;
}

}  // namespace dlbench::conformance::cases
