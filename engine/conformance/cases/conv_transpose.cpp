// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/cases/case_lists.h"

namespace dlbench::conformance::cases {
namespace {

using graph::ConvTransposeAttributes;

OpCase conv_transpose_case(std::string note,
                           const core::Shape& x,
                           const core::Shape& weight,
                           const ConvTransposeAttributes& attributes) {
  return {.op = graph::OpKind::kConvTranspose,
          .note = std::move(note),
          .attributes = attributes,
          .inputs = {input("x", x), parameter("weight", weight)},
          .dtypes = activation_dtypes(),
          .accuracy = Accuracy::kContraction};
}

ConvTransposeAttributes plane(std::int64_t stride, std::int64_t pad, std::int64_t output_padding) {
  return {
      .conv = {.stride = {stride, stride, 1}, .pad_begin = {pad, pad, 0}, .pad_end = {pad, pad, 0}},
      .output_padding = {output_padding, output_padding, 0}};
}

std::vector<OpCase> planes() {
  return {
      conv_transpose_case(
          "doubling, blocked channels", {2, 32, 6, 5}, {32, 16, 2, 2}, plane(2, 0, 0)),
      conv_transpose_case(
          "single pixel, channel and sample", {1, 1, 1, 1}, {1, 1, 1, 1}, plane(1, 0, 0)),
      conv_transpose_case(
          "one channel to many, pointwise", {2, 1, 5, 3}, {1, 7, 1, 1}, plane(1, 0, 0)),
      conv_transpose_case("one channel left", {2, 16, 5, 4}, {16, 1, 4, 4}, plane(2, 1, 0)),
      conv_transpose_case(
          "doubling by kernel 3, prime channels", {3, 7, 5, 4}, {7, 13, 3, 3}, plane(2, 1, 1)),
      conv_transpose_case("stride beyond the kernel: gaps, and more of them behind the end",
                          {1, 3, 4, 5},
                          {3, 4, 2, 2},
                          {.conv = {.stride = {3, 3, 1}}, .output_padding = {2, 1, 0}}),
      conv_transpose_case("stride 1, padding before the start only",
                          {2, 32, 12, 12},
                          {32, 32, 3, 3},
                          {.conv = {.pad_begin = {1, 1, 0}, .pad_end = {0, 0, 0}}}),
      conv_transpose_case("stride 1, uneven padding",
                          {2, 8, 7, 6},
                          {8, 16, 5, 5},
                          {.conv = {.pad_begin = {1, 1, 0}, .pad_end = {3, 2, 0}}}),
      conv_transpose_case(
          "rectangular kernel and stride",
          {1, 4, 6, 5},
          {4, 6, 1, 5},
          {.conv = {.stride = {1, 3, 1}, .pad_begin = {0, 2, 0}}, .output_padding = {0, 2, 0}}),
      conv_transpose_case(
          "dilation 6",
          {1, 16, 8, 8},
          {16, 16, 3, 3},
          {.conv = {.dilation = {6, 6, 1}, .pad_begin = {6, 6, 0}, .pad_end = {6, 6, 0}}}),
      conv_transpose_case("two groups, dilation 3, stride 2",
                          {2, 8, 5, 5},
                          {8, 3, 3, 3},
                          {.conv = {.stride = {2, 2, 1},
                                    .dilation = {3, 3, 1},
                                    .pad_begin = {1, 1, 0},
                                    .pad_end = {1, 1, 0},
                                    .groups = 2},
                           .output_padding = {1, 0, 0}}),
      conv_transpose_case("depthwise",
                          {2, 16, 4, 4},
                          {16, 1, 4, 4},
                          {.conv = {.stride = {2, 2, 1},
                                    .pad_begin = {1, 1, 0},
                                    .pad_end = {1, 1, 0},
                                    .groups = 16}}),
  };
}

std::vector<OpCase> volumes() {
  return {
      conv_transpose_case(
          "volume, doubling", {2, 5, 3, 2, 4}, {5, 6, 2, 2, 2}, {.conv = {.stride = {2, 2, 2}}}),
      conv_transpose_case(
          "volume, another stride along each axis",
          {1, 6, 2, 3, 2},
          {6, 2, 3, 3, 2},
          {.conv = {.stride = {1, 2, 3}, .pad_begin = {1, 1, 0}, .pad_end = {1, 0, 0}, .groups = 2},
           .output_padding = {0, 1, 2}}),
  };
}

}  // namespace

std::vector<OpCase> conv_transpose() {
  std::vector<OpCase> list = planes();
  for (OpCase& item : volumes()) {
    list.push_back(std::move(item));
  }
  return list;
}

}  // namespace dlbench::conformance::cases
