// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Losses and metrics. Sums over pixels use reduce.h; rows of classes are reduced by one block each,
// so that a thousand classes are as fast as ten.
#pragma once

#include "engine/backend/cuda/kernels/element.h"
#include "engine/backend/cuda/kernels/geometry.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/kernels/reduce.h"
#include "engine/core/round_up.h"

#include <cmath>
#include <type_traits>

namespace dlbench::backend::cuda {

/// The columns of a reduction over pixels, or packs of them, as rows of one element.
[[nodiscard]] inline Columns pixel_columns(Index items) {
  return reduction_columns(1, items, 1, 1);
}

/// Calls `visitor` with the number of pixels of one access, as an integral constant: 4 (16 bytes of
/// f32), or 1 if pixels are not contiguous, not a multiple of 4, or not aligned.
inline constexpr int kPixels = 4;
template <typename Visitor>
void visit_pixels(Index positions, Index p_stride, bool aligned_pixels, const Visitor& visitor) {
  if (p_stride == 1 && positions % kPixels == 0 && aligned_pixels) {
    visitor(std::integral_constant<int, kPixels>{});
  } else {
    visitor(std::integral_constant<int, 1>{});
  }
}

struct NoConstants {};

/// N neighbouring pixels of a prediction and of its mask.
template <int N>
struct LoadedPixels {
  float p[N];
  std::uint8_t truth[N];
};

/// Loads the pixels of item `item`. p_stride must be 1 if N > 1.
template <int N>
[[nodiscard]] DLBENCH_HOST_DEVICE LoadedPixels<N> load_pixels(const float* p,
                                                              Index p_stride,
                                                              const std::uint8_t* mask,
                                                              Index item) {
  if constexpr (N == 1) {
    return {{p[item * p_stride]}, {mask[item]}};
  } else {
    const Pack<float, N> predicted = read_pack<N>(p + item * N);
    const Pack<std::uint8_t, N> truth = read_pack<N>(mask + item * N);
    LoadedPixels<N> loaded;
    for (int pixel = 0; pixel < N; ++pixel) {
      loaded.p[pixel] = predicted.lane[pixel];
      loaded.truth[pixel] = truth.lane[pixel];
    }
    return loaded;
  }
}

/// The source of sum(y p), sum(p), sum(y).
template <int N>
struct OverlapSource {
  static constexpr int kAhead = 4;
  const float* p;
  const std::uint8_t* mask;
  Index p_stride;

  DLBENCH_HOST_DEVICE NoConstants prepare(Index /*group*/, Index /*column*/) const { return {}; }
  DLBENCH_HOST_DEVICE LoadedPixels<N> load(Index item) const {
    return load_pixels<N>(p, p_stride, mask, item);
  }
  DLBENCH_HOST_DEVICE void add(const NoConstants& /*none*/,
                               const LoadedPixels<N>& loaded,
                               float (&sum)[3][1]) const {
    for (int pixel = 0; pixel < N; ++pixel) {
      const auto truth = static_cast<float>(loaded.truth[pixel]);
      sum[0][0] += truth * loaded.p[pixel];
      sum[1][0] += loaded.p[pixel];
      sum[2][0] += truth;
    }
  }
};

/// The source of true positives, predicted and actual positives: exact in f32, since a thread only
/// counts few.
template <int N>
struct CountSource {
  static constexpr int kAhead = 4;
  const float* p;
  const std::uint8_t* mask;
  Index p_stride;
  float threshold;

  DLBENCH_HOST_DEVICE NoConstants prepare(Index /*group*/, Index /*column*/) const { return {}; }
  DLBENCH_HOST_DEVICE LoadedPixels<N> load(Index item) const {
    return load_pixels<N>(p, p_stride, mask, item);
  }
  DLBENCH_HOST_DEVICE void add(const NoConstants& /*none*/,
                               const LoadedPixels<N>& loaded,
                               float (&sum)[3][1]) const {
    for (int pixel = 0; pixel < N; ++pixel) {
      const float predicted = loaded.p[pixel] > threshold ? 1.0F : 0.0F;
      const float truth = loaded.truth[pixel] != 0 ? 1.0F : 0.0F;
      sum[0][0] += truth * predicted;
      sum[1][0] += predicted;
      sum[2][0] += truth;
    }
  }
};

struct StoreOverlap {
  float* sums;
  DLBENCH_HOST_DEVICE void operator()(Index /*group*/,
                                      Index /*column*/,
                                      const double (&s)[3]) const {
    for (int q = 0; q < 3; ++q) {
      sums[q] = static_cast<float>(s[q]);
    }
  }
};
struct StoreCounts {
  float* counts;
  double pixels;
  DLBENCH_HOST_DEVICE void operator()(Index /*group*/,
                                      Index /*column*/,
                                      const double (&s)[3]) const {
    counts[0] = static_cast<float>(s[0]);
    counts[1] = static_cast<float>(s[1] - s[0]);
    counts[2] = static_cast<float>(s[2] - s[0]);
    counts[3] = static_cast<float>(pixels - s[1] - s[2] + s[0]);
  }
};

/// Sums in an order that depends on the number of pixels and on whether they are read in packs.
template <typename Launcher>
void run_dice_sums(Launcher& launcher, const SegmentationArgs& args, float* sums) {
  visit_pixels(args.positions, args.p_stride, aligned(args.p, args.mask), [&](auto width) {
    constexpr int kN = decltype(width)::value;
    reduce_columns<3, 1>(launcher,
                         pixel_columns(args.positions / kN),
                         1,
                         OverlapSource<kN>{args.p, args.mask, args.p_stride},
                         StoreOverlap{sums},
                         static_cast<float*>(args.scratch));
  });
}

template <typename Launcher>
void run_segmentation_counts(Launcher& launcher,
                             const SegmentationArgs& args,
                             float threshold,
                             float* counts) {
  visit_pixels(args.positions, args.p_stride, aligned(args.p, args.mask), [&](auto width) {
    constexpr int kN = decltype(width)::value;
    reduce_columns<3, 1>(launcher,
                         pixel_columns(args.positions / kN),
                         1,
                         CountSource<kN>{args.p, args.mask, args.p_stride, threshold},
                         StoreCounts{counts, static_cast<double>(args.positions)},
                         static_cast<float*>(args.scratch));
  });
}

/// Computes the loss, a single number.
struct DiceLoss {
  const float* sums;
  float smooth;
  float* loss;
  DLBENCH_HOST_DEVICE void operator()(Index /*item*/) const {
    *loss = 1.0F - (2.0F * sums[0] + smooth) / (sums[1] + sums[2] + smooth);
  }
};

template <typename Launcher>
void run_dice_loss(Launcher& launcher, const float* sums, float smooth, float* loss) {
  for_each(launcher, 1, DiceLoss{sums, smooth, loss});
}

/// Computes N neighbouring elements of dp, which has no padding lanes if N > 1.
template <int N>
struct DiceBackward {
  const float* dloss;
  const std::uint8_t* mask;
  const float* sums;
  float* dp;
  Divisor p_stride;
  float smooth;

  DLBENCH_HOST_DEVICE void operator()(Index item) const {
    // dp = slope y + constant.
    const float total = sums[1] + sums[2] + smooth;
    const float slope = -2.0F * *dloss / total;
    const float constant = *dloss * (2.0F * sums[0] + smooth) / (total * total);
    if constexpr (N == 1) {
      Index lane = 0;
      const Index pixel = p_stride.split(item, lane);
      dp[item] = lane == 0 ? slope * static_cast<float>(mask[pixel]) + constant : 0.0F;
    } else {
      float values[N];
      load_pack(mask + item * N, values);
      for (int pixel = 0; pixel < N; ++pixel) {
        values[pixel] = slope * values[pixel] + constant;
      }
      store_pack(dp + item * N, values);
    }
  }
};

template <typename Launcher>
void run_dice_backward(Launcher& launcher, const DiceBackwardArgs& args) {
  visit_pixels(args.positions, args.p_stride, aligned(args.mask, args.dp), [&](auto width) {
    constexpr int kN = decltype(width)::value;
    for_each(launcher,
             args.positions * args.p_stride / kN,
             DiceBackward<kN>{
                 args.dloss, args.mask, args.sums, args.dp, Divisor(args.p_stride), args.smooth});
  });
}

/// The largest number of a set, and the sum of exp(x - largest) over it.
struct ExpSum {
  float largest;
  float sum;
};

/// y = x - log(sum(exp(x))): one block per row.
struct LogSoftmaxRow {
  using Partial = ExpSum;
  std::uint32_t lanes;
  Matrix shape;
  const float* x;
  float* y;

  DLBENCH_HOST_DEVICE Partial gather(const Position& p) const {
    Partial partial{-HUGE_VALF, 0.0F};
    for (Index k = p.thread; k < shape.columns; k += p.threads) {
      merge(partial, {x[p.block * shape.stride + k], 1.0F});
    }
    return partial;
  }
  static DLBENCH_HOST_DEVICE void merge(Partial& into, const Partial& from) {
    if (from.sum == 0.0F) {
      return;  // an empty set
    }
    if (into.sum == 0.0F) {
      into = from;
      return;
    }
    // The exponential of the larger one is 1, so one call serves both sides. If both are equal,
    // even infinite, both are 1. NaN compares false and propagates through the sum.
    const bool rises = from.largest > into.largest;
    const float gap = rises ? into.largest - from.largest : from.largest - into.largest;
    const float decay = into.largest == from.largest ? 1.0F : std::exp(gap);
    into.sum = rises ? into.sum * decay + from.sum : into.sum + from.sum * decay;
    into.largest = rises ? from.largest : into.largest;
  }
  DLBENCH_HOST_DEVICE void finish(const Position& p, const Partial& total) const {
    const float shift = std::log(total.sum);
    for (Index k = p.thread; k < shape.stride; k += p.threads) {
      const Index i = p.block * shape.stride + k;
      y[i] = k < shape.columns ? x[i] - total.largest - shift : 0.0F;
    }
  }
};

/// dx = dy - exp(y) sum(dy): one block per row.
struct LogSoftmaxBackwardRow {
  using Partial = float;
  std::uint32_t lanes;
  Matrix shape;
  const float* dy;
  const float* y;
  float* dx;

  DLBENCH_HOST_DEVICE Partial gather(const Position& p) const {
    float sum = 0.0F;
    for (Index k = p.thread; k < shape.columns; k += p.threads) {
      sum += dy[p.block * shape.stride + k];
    }
    return sum;
  }
  static DLBENCH_HOST_DEVICE void merge(Partial& into, const Partial& from) { into += from; }
  DLBENCH_HOST_DEVICE void finish(const Position& p, const Partial& total) const {
    for (Index k = p.thread; k < shape.stride; k += p.threads) {
      const Index i = p.block * shape.stride + k;
      dx[i] = k < shape.columns ? dy[i] - std::exp(y[i]) * total : 0.0F;
    }
  }
};

/// Computes the mean over the rows, with one block.
struct NllLoss {
  using Partial = double;
  std::uint32_t lanes;
  Matrix shape;
  const float* logp;
  const std::int32_t* label;
  float* loss;

  DLBENCH_HOST_DEVICE Partial gather(const Position& p) const {
    double sum = 0.0;
    for (Index row = p.thread; row < shape.rows; row += p.threads) {
      const Index k = label[row];
      const bool exists = k >= 0 && k < shape.columns;
      sum -= static_cast<double>(exists ? logp[row * shape.stride + k] : NAN);
    }
    return sum;
  }
  static DLBENCH_HOST_DEVICE void merge(Partial& into, const Partial& from) { into += from; }
  DLBENCH_HOST_DEVICE void finish(const Position& p, const Partial& total) const {
    if (p.thread == 0) {
      *loss = static_cast<float>(total / static_cast<double>(shape.rows));
    }
  }
};

struct NllBackward {
  const float* dloss;
  const std::int32_t* label;
  float* dlogp;
  Divisor stride;
  float share;

  DLBENCH_HOST_DEVICE void operator()(Index item) const {
    Index k = 0;
    const Index row = stride.split(item, k);
    dlogp[item] = k == label[row] ? -*dloss * share : 0.0F;
  }
};

/// Counts with one block; each thread handles whole rows.
struct CountCorrect {
  using Partial = std::int32_t;
  std::uint32_t lanes;
  Matrix shape;
  const float* logp;
  const std::int32_t* label;
  float* counts;

  DLBENCH_HOST_DEVICE Partial gather(const Position& p) const {
    std::int32_t correct = 0;
    for (Index row = p.thread; row < shape.rows; row += p.threads) {
      const float* from = logp + row * shape.stride;
      Index best = 0;
      for (Index k = 1; k < shape.columns; ++k) {
        best = from[k] > from[best] ? k : best;
      }
      correct += best == label[row] ? 1 : 0;
    }
    return correct;
  }
  static DLBENCH_HOST_DEVICE void merge(Partial& into, const Partial& from) { into += from; }
  DLBENCH_HOST_DEVICE void finish(const Position& p, const Partial& total) const {
    if (p.thread == 0) {
      counts[0] = static_cast<float>(total);
      counts[1] = static_cast<float>(shape.rows);
    }
  }
};

/// The number of threads of a block for `columns` numbers: whole warps, no more than needed.
[[nodiscard]] inline std::uint32_t row_threads(Index columns) {
  return static_cast<std::uint32_t>(
      std::clamp<Index>(core::round_up<Index>(columns, 32), 32, kThreads));
}

template <typename Launcher>
void run_log_softmax(Launcher& launcher, const Matrix& shape, const float* x, float* y) {
  if (shape.rows > 0) {
    launcher.reduce(LogSoftmaxRow{1, shape, x, y},
                    static_cast<std::uint32_t>(shape.rows),
                    row_threads(shape.stride));
  }
}

template <typename Launcher>
void run_log_softmax_backward(
    Launcher& launcher, const Matrix& shape, const float* dy, const float* y, float* dx) {
  if (shape.rows > 0) {
    launcher.reduce(LogSoftmaxBackwardRow{1, shape, dy, y, dx},
                    static_cast<std::uint32_t>(shape.rows),
                    row_threads(shape.stride));
  }
}

template <typename Launcher>
void run_nll_loss(Launcher& launcher,
                  const Matrix& shape,
                  const float* logp,
                  const std::int32_t* label,
                  float* loss) {
  launcher.reduce(NllLoss{1, shape, logp, label, loss}, 1, kThreads);
}

template <typename Launcher>
void run_nll_backward(Launcher& launcher,
                      const Matrix& shape,
                      const float* dloss,
                      const std::int32_t* label,
                      float* dlogp) {
  for_each(launcher,
           shape.rows * shape.stride,
           NllBackward{
               dloss, label, dlogp, Divisor(shape.stride), 1.0F / static_cast<float>(shape.rows)});
}

template <typename Launcher>
void run_classification_counts(Launcher& launcher,
                               const Matrix& shape,
                               const float* logp,
                               const std::int32_t* label,
                               float* counts) {
  launcher.reduce(CountCorrect{1, shape, logp, label, counts}, 1, kThreads);
}

}  // namespace dlbench::backend::cuda
