// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions on the host by their definition (cuDNN's developer guide, "Convolution Formulas"):
//   y[n, k, p] = sum over c, r of x[n, c, p stride + r dilation - pad] w[k, c, r]
// along every spatial axis, of the channels c of the group of k, with x = 0 outside; r counts from
// the other end of w where the mode is convolution and not cross-correlation. The other two
// directions are the adjoints in x and in w.
#pragma once

#include <cstdint>
#include <vector>

namespace dlbench::fake {

struct ConvolutionAxis {
  std::int64_t x = 1;
  std::int64_t w = 1;
  std::int64_t y = 1;
  std::int64_t pad = 0;  ///< in front
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
};

/// Values are dense f32: x (N, spatial..., C), w (K, kernel..., C / groups), y (N, spatial..., K).
struct ConvolutionShape {
  std::int64_t batch = 1;
  std::int64_t channels = 1;  ///< C
  std::int64_t filters = 1;   ///< K
  std::int64_t groups = 1;
  bool flipped = false;  ///< convolution, not cross-correlation
  std::vector<ConvolutionAxis> axes;
};

[[nodiscard]] std::vector<float> convolve_forward(const ConvolutionShape& shape,
                                                  const std::vector<float>& x,
                                                  const std::vector<float>& w);
[[nodiscard]] std::vector<float> convolve_backward_data(const ConvolutionShape& shape,
                                                        const std::vector<float>& w,
                                                        const std::vector<float>& grad_y);
[[nodiscard]] std::vector<float> convolve_backward_filter(const ConvolutionShape& shape,
                                                          const std::vector<float>& x,
                                                          const std::vector<float>& grad_y);

}  // namespace dlbench::fake
