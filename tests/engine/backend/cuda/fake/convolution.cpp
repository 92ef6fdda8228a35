// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/fake/convolution.h"

#include "tests/engine/backend/cuda/fake/products.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace dlbench::fake {
namespace {

/// Where one element of the kernel joins x and y, counted over the whole batch.
struct Meeting {
  std::int64_t x;
  std::int64_t y;
};

std::int64_t product_of(const ConvolutionShape& shape, std::int64_t ConvolutionAxis::*extent) {
  std::int64_t product = 1;
  for (const ConvolutionAxis& axis : shape.axes) {
    product *= axis.*extent;
  }
  return product;
}

class Convolver {
 public:
  explicit Convolver(const ConvolutionShape& shape)
      : shape_(shape),
        x_positions_(product_of(shape, &ConvolutionAxis::x)),
        y_positions_(product_of(shape, &ConvolutionAxis::y)),
        taps_(product_of(shape, &ConvolutionAxis::w)),
        group_channels_(shape.channels / shape.groups),
        group_filters_(shape.filters / shape.groups) {}

  std::vector<float> forward(const float* x, const float* w) const {
    const std::int64_t room = padded(group_filters_);
    std::vector<double> sums(size(shape_.batch * y_positions_ * shape_.groups * room), 0.0);
    Panels panels(group_channels_, group_filters_);
    for (std::int64_t tap = 0; tap < taps_; ++tap) {
      const std::vector<Meeting> meetings = meetings_of(tap);
      for (std::int64_t group = 0; group < shape_.groups; ++group) {
        panels.pack(weights(w, group, tap), 1, taps_ * group_channels_);
        std::vector<const float*> rows;
        std::vector<double*> results;
        for (const Meeting& meeting : meetings) {
          rows.push_back(x + meeting.x * shape_.channels + group * group_channels_);
          results.push_back(sums.data() + (meeting.y * shape_.groups + group) * room);
        }
        add_products(panels, rows, results);
      }
    }
    return without_padding(sums, group_filters_);
  }

  std::vector<float> backward_data(const float* w, const float* grad_y) const {
    const std::int64_t room = padded(group_channels_);
    std::vector<double> sums(size(shape_.batch * x_positions_ * shape_.groups * room), 0.0);
    Panels panels(group_filters_, group_channels_);
    for (std::int64_t tap = 0; tap < taps_; ++tap) {
      const std::vector<Meeting> meetings = meetings_of(tap);
      for (std::int64_t group = 0; group < shape_.groups; ++group) {
        panels.pack(weights(w, group, tap), taps_ * group_channels_, 1);
        std::vector<const float*> rows;
        std::vector<double*> results;
        for (const Meeting& meeting : meetings) {
          rows.push_back(grad_y + meeting.y * shape_.filters + group * group_filters_);
          results.push_back(sums.data() + (meeting.x * shape_.groups + group) * room);
        }
        add_products(panels, rows, results);
      }
    }
    return without_padding(sums, group_channels_);
  }

  std::vector<float> backward_filter(const float* x, const float* grad_y) const {
    const std::int64_t room = padded(group_channels_);
    std::vector<double> sums(size(shape_.filters * taps_ * room), 0.0);
    for (std::int64_t tap = 0; tap < taps_; ++tap) {
      const std::vector<Meeting> meetings = meetings_of(tap);
      for (std::int64_t group = 0; group < shape_.groups; ++group) {
        std::vector<double*> results;
        for (std::int64_t k = 0; k < group_filters_; ++k) {
          results.push_back(sums.data() + ((group * group_filters_ + k) * taps_ + tap) * room);
        }
        for (std::size_t first = 0; first < meetings.size(); first += kAtOnce) {
          const std::size_t count = std::min(kAtOnce, meetings.size() - first);
          add_filter_products(std::span(meetings).subspan(first, count), group, x, grad_y, results);
        }
      }
    }
    return without_padding(sums, group_channels_);
  }

 private:
  /// Positions whose products are summed at once for a gradient of the filter.
  static constexpr std::size_t kAtOnce = 256;

  static std::size_t size(std::int64_t elements) { return static_cast<std::size_t>(elements); }

  const float* weights(const float* w, std::int64_t group, std::int64_t tap) const {
    return w + (group * group_filters_ * taps_ + tap) * group_channels_;
  }

  std::vector<Meeting> meetings_of(std::int64_t tap) const {
    std::vector<Meeting> sample{{0, 0}};
    std::int64_t taps_left = taps_;
    for (const ConvolutionAxis& axis : shape_.axes) {
      taps_left /= axis.w;
      const std::int64_t index = tap / taps_left % axis.w;
      const std::int64_t r = shape_.flipped ? axis.w - 1 - index : index;
      std::vector<Meeting> finer;
      for (const Meeting& coarse : sample) {
        for (std::int64_t y = 0; y < axis.y; ++y) {
          const std::int64_t x = y * axis.stride + r * axis.dilation - axis.pad;
          if (x >= 0 && x < axis.x) {
            finer.push_back({coarse.x * axis.x + x, coarse.y * axis.y + y});
          }
        }
      }
      sample = std::move(finer);
    }
    std::vector<Meeting> all;
    for (std::int64_t n = 0; n < shape_.batch; ++n) {
      for (const Meeting& meeting : sample) {
        all.push_back({n * x_positions_ + meeting.x, n * y_positions_ + meeting.y});
      }
    }
    return all;
  }

  void add_filter_products(std::span<const Meeting> meetings,
                           std::int64_t group,
                           const float* x,
                           const float* grad_y,
                           std::span<double* const> results) const {
    std::vector<const float*> x_rows;
    std::vector<float> transposed(size(group_filters_) * meetings.size());
    for (std::size_t i = 0; i < meetings.size(); ++i) {
      x_rows.push_back(x + meetings[i].x * shape_.channels + group * group_channels_);
      const float* from = grad_y + meetings[i].y * shape_.filters + group * group_filters_;
      for (std::int64_t k = 0; k < group_filters_; ++k) {
        transposed[size(k) * meetings.size() + i] = from[k];
      }
    }
    std::vector<const float*> rows;
    for (std::int64_t k = 0; k < group_filters_; ++k) {
      rows.push_back(transposed.data() + size(k) * meetings.size());
    }
    Panels panels(static_cast<std::int64_t>(meetings.size()), group_channels_);
    panels.pack(x_rows);
    add_products(panels, rows, results);
  }

  static std::vector<float> without_padding(const std::vector<double>& sums, std::int64_t columns) {
    const std::int64_t room = padded(columns);
    const std::int64_t rows = static_cast<std::int64_t>(sums.size()) / room;
    std::vector<float> values(size(rows * columns));
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        values[size(row * columns + column)] = static_cast<float>(sums[size(row * room + column)]);
      }
    }
    return values;
  }

  const ConvolutionShape& shape_;
  std::int64_t x_positions_;
  std::int64_t y_positions_;
  std::int64_t taps_;
  std::int64_t group_channels_;
  std::int64_t group_filters_;
};

}  // namespace

std::vector<float> convolve_forward(const ConvolutionShape& shape,
                                    const std::vector<float>& x,
                                    const std::vector<float>& w) {
  return Convolver(shape).forward(x.data(), w.data());
}

std::vector<float> convolve_backward_data(const ConvolutionShape& shape,
                                          const std::vector<float>& w,
                                          const std::vector<float>& grad_y) {
  return Convolver(shape).backward_data(w.data(), grad_y.data());
}

std::vector<float> convolve_backward_filter(const ConvolutionShape& shape,
                                            const std::vector<float>& x,
                                            const std::vector<float>& grad_y) {
  return Convolver(shape).backward_filter(x.data(), grad_y.data());
}

}  // namespace dlbench::fake
