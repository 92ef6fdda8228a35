// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Batch normalisation. Statistics are of x minus a pivot near the mean, so that the difference does
// not cancel: var = E(d^2) - E(d)^2 with d = x - pivot, summed in f32 over at most some hundred
// rows, then in double.
#pragma once

#include "engine/backend/cuda/kernels/channels.h"

#include <cmath>
#include <type_traits>

namespace dlbench::backend::cuda {

/// Per-channel numbers of the affine map y = (x - mean) scale + beta, and its value for one
/// element; forward and backward pass compute it identically, so that they agree on where ReLU is
/// zero.
template <int N>
struct Affine {
  float mean[N];
  float scale[N];
  float beta[N];

  [[nodiscard]] DLBENCH_HOST_DEVICE float operator()(float x, int lane) const {
    return std::fma(x - mean[lane], scale[lane], beta[lane]);
  }
};

/// The pivot of each channel: the mean of the two middle values of four rows spread over the batch,
/// which a single outlier does not affect.
template <typename T>
struct Pivot {
  const T* x;
  Index rows;
  Index stride;
  static constexpr int kRows = 4;

  template <int N>
  DLBENCH_HOST_DEVICE void load(Index column, float (&pivot)[N]) const {
    float values[kRows][N];
    for (int sample = 0; sample < kRows; ++sample) {
      load_pack(x + rows * sample / kRows * stride + column, values[sample]);
    }
    for (int lane = 0; lane < N; ++lane) {
      const float a = values[0][lane];
      const float b = values[1][lane];
      const float c = values[2][lane];
      const float d = values[3][lane];
      const float low = std::fmax(std::fmin(a, b), std::fmin(c, d));
      const float high = std::fmin(std::fmax(a, b), std::fmax(c, d));
      pivot[lane] = 0.5F * low + 0.5F * high;  // low + high may overflow
    }
  }
};

/// The source of sum(d) and sum(d^2).
template <typename T, int N>
struct MomentSource {
  static constexpr int kAhead = 4;
  static constexpr int kBlocks = 4;
  const T* x;
  Pivot<T> pivot;

  DLBENCH_HOST_DEVICE Channel<N> prepare(Index /*group*/, Index column) const {
    Channel<N> result;
    pivot.load(column, result.value);
    return result;
  }
  DLBENCH_HOST_DEVICE Pack<T, N> load(Index offset) const { return read_pack<N>(x + offset); }
  DLBENCH_HOST_DEVICE void add(const Channel<N>& center,
                               const Pack<T, N>& loaded,
                               float (&sum)[2][N]) const {
    float values[N];
    widen(loaded, values);
    for (int lane = 0; lane < N; ++lane) {
      const float difference = values[lane] - center.value[lane];
      sum[0][lane] += difference;
      sum[1][lane] += difference * difference;
    }
  }
};

/// Computes and stores the statistics of one channel from its sums.
template <typename T>
struct StoreMoments {
  Pivot<T> pivot;
  float* mean;
  float* rstd;
  float* running_mean;
  float* running_variance;
  double count;
  double momentum;
  double epsilon;

  DLBENCH_HOST_DEVICE void operator()(Index /*group*/, Index c, const double (&sums)[2]) const {
    float center[1];
    pivot.load(c, center);
    const double shift = sums[0] / count;
    const double batch_mean = static_cast<double>(center[0]) + shift;
    const double squares = sums[1] / count - shift * shift;
    const double variance = squares > 0.0 ? squares : squares == squares ? 0.0 : squares;
    mean[c] = static_cast<float>(batch_mean);
    rstd[c] = static_cast<float>(1.0 / std::sqrt(variance + epsilon));
    // A single element per channel has no unbiased variance; its biased variance of 0 is used.
    const double unbiased = variance * count / (count > 2.0 ? count - 1.0 : 1.0);
    running_mean[c] = mix(running_mean[c], batch_mean);
    running_variance[c] = mix(running_variance[c], unbiased);
  }

 private:
  [[nodiscard]] DLBENCH_HOST_DEVICE float mix(float running, double batch) const {
    return static_cast<float>(momentum * static_cast<double>(running) + (1.0 - momentum) * batch);
  }
};

/// y = act(act(affine(x)) + addend). Statistics: mean and rstd, or (inference) running mean and
/// variance.
template <typename T, int N>
struct ApplyBatchNorm {
  const T* x;
  const T* addend;
  T* y;
  const float* gamma;
  const float* beta;
  const float* mean;
  const float* deviation;  ///< rstd, or the running variance
  Index channels;
  float epsilon;
  bool inference;
  bool relu;
  bool relu_after;

  DLBENCH_HOST_DEVICE Affine<N> prepare(Index /*group*/, Index column) const {
    Affine<N> affine;
    load_channels(mean, column, channels, affine.mean);
    load_channels(beta, column, channels, affine.beta);
    // The scale of padding lanes is zero, and therefore y.
    load_channels(gamma, column, channels, affine.scale);
    float spread[N];
    load_channels(deviation, column, channels, spread, 1.0F);
    for (int lane = 0; lane < N; ++lane) {
      const float rstd = inference ? 1.0F / std::sqrt(spread[lane] + epsilon) : spread[lane];
      affine.scale[lane] *= rstd;
    }
    return affine;
  }
  struct Loaded {
    Pack<T, N> x;
    Pack<T, N> addend;
  };
  DLBENCH_HOST_DEVICE Loaded load(Index offset) const {
    return {read_pack<N>(x + offset),
            addend != nullptr ? read_pack<N>(addend + offset) : Pack<T, N>{}};
  }
  DLBENCH_HOST_DEVICE void finish(const Affine<N>& affine,
                                  const Loaded& loaded,
                                  Index offset) const {
    float values[N];
    widen(loaded.x, values);
    for (int lane = 0; lane < N; ++lane) {
      const float y_lane = affine(values[lane], lane);
      values[lane] = relu && y_lane <= 0.0F ? 0.0F : y_lane;
    }
    if (addend != nullptr) {
      float others[N];
      widen(loaded.addend, others);
      for (int lane = 0; lane < N; ++lane) {
        values[lane] += others[lane];
      }
    }
    if (relu_after) {
      for (int lane = 0; lane < N; ++lane) {
        values[lane] = values[lane] <= 0.0F ? 0.0F : values[lane];
      }
    }
    store_pack(y + offset, values);
  }
};

template <typename T, int N>
ApplyBatchNorm<T, N> make_apply(const BatchNormArgs& args, bool inference) {
  return {static_cast<const T*>(args.x),
          static_cast<const T*>(args.addend),
          static_cast<T*>(args.y),
          args.gamma,
          args.beta,
          inference ? args.running_mean : args.mean,
          inference ? args.running_variance : args.rstd,
          args.layout.channels,
          args.attributes.epsilon,
          inference,
          args.relu,
          args.relu_after};
}

template <typename Launcher>
void run_batch_norm(Launcher& launcher, const BatchNormArgs& args, bool inference) {
  const ChannelsLast& layout = args.layout;
  visit_packs(
      args.dtype,
      layout.stride,
      [&](auto type, auto width) {
        using T = decltype(type);
        constexpr int kN = decltype(width)::value;
        if (!inference) {
          const Pivot<T> pivot{static_cast<const T*>(args.x), layout.positions(), layout.stride};
          reduce_columns<2, kN>(launcher,
                                sum_columns(layout, false, kN),
                                layout.channels,
                                MomentSource<T, kN>{static_cast<const T*>(args.x), pivot},
                                StoreMoments<T>{pivot,
                                                args.mean,
                                                args.rstd,
                                                args.running_mean,
                                                args.running_variance,
                                                static_cast<double>(layout.positions()),
                                                static_cast<double>(args.attributes.momentum),
                                                static_cast<double>(args.attributes.epsilon)},
                                static_cast<float*>(args.scratch));
        }
        walk_columns(
            launcher, 1, layout.positions(), layout.stride, kN, make_apply<T, kN>(args, inference));
      },
      args.x,
      args.addend,
      args.y);
}

template <typename T, int N>
struct BackwardOperands {
  const T* dy;
  const T* x;
  const float* gamma;
  const float* beta;
  const float* mean;
  const float* rstd;
  Index channels;
  bool relu;

  DLBENCH_HOST_DEVICE Affine<N> prepare(Index /*group*/, Index column) const {
    Affine<N> affine;
    float spread[N];
    load_channels(mean, column, channels, affine.mean);
    load_channels(gamma, column, channels, affine.scale);
    load_channels(rstd, column, channels, spread);
    for (int lane = 0; lane < N; ++lane) {
      affine.scale[lane] *= spread[lane];
      affine.beta[lane] = 0.0F;
    }
    if (relu) {
      load_channels(beta, column, channels, affine.beta);
    }
    return affine;
  }
  /// Computes dy' and x - mean.
  DLBENCH_HOST_DEVICE void center(const Affine<N>& affine,
                                  const Pack<T, N>& dy_pack,
                                  const Pack<T, N>& x_pack,
                                  float (&gradient)[N],
                                  float (&centered)[N]) const {
    widen(dy_pack, gradient);
    widen(x_pack, centered);
    for (int lane = 0; lane < N; ++lane) {
      if (relu && affine(centered[lane], lane) <= 0.0F) {
        gradient[lane] = 0.0F;
      }
      centered[lane] -= affine.mean[lane];
    }
  }
};

/// The source of sum(dy') and sum(dy' (x - mean)).
template <typename T, int N>
struct BackwardSource {
  static constexpr int kAhead = 2;
  static constexpr int kBlocks = 3;
  BackwardOperands<T, N> operands;

  DLBENCH_HOST_DEVICE Affine<N> prepare(Index group, Index column) const {
    return operands.prepare(group, column);
  }
  struct Loaded {
    Pack<T, N> dy;
    Pack<T, N> x;
  };
  DLBENCH_HOST_DEVICE Loaded load(Index offset) const {
    return {read_pack<N>(operands.dy + offset), read_pack<N>(operands.x + offset)};
  }
  DLBENCH_HOST_DEVICE void add(const Affine<N>& affine,
                               const Loaded& loaded,
                               float (&sum)[2][N]) const {
    float gradient[N];
    float centered[N];
    operands.center(affine, loaded.dy, loaded.x, gradient, centered);
    for (int lane = 0; lane < N; ++lane) {
      sum[0][lane] += gradient[lane];
      sum[1][lane] += gradient[lane] * centered[lane];
    }
  }
};

template <typename T>
struct StoreGradients {
  float* dgamma;
  float* dbeta;
  T* dbias;
  const float* rstd;
  DLBENCH_HOST_DEVICE void operator()(Index /*group*/, Index c, const double (&sums)[2]) const {
    dbeta[c] = static_cast<float>(sums[0]);
    dgamma[c] = static_cast<float>(sums[1] * static_cast<double>(rstd[c]));
    if (dbias != nullptr) {
      store(dbias[c], static_cast<float>(sums[0]));
    }
  }
};

/// dx = scale dy' - ((x - mean) slope + level) + addend, with slope = scale rstd mean(dy' x^) and
/// level = scale mean(dy').
template <typename T, int N, bool kAddend>
struct ApplyBackward {
  // With an addend, two blocks have as many loads in flight.
  static constexpr int kBlocks = kAddend ? 2 : 3;
  BackwardOperands<T, N> operands;
  const T* addend;
  T* dx;
  const float* dgamma;
  const float* dbeta;
  float share;  ///< 1 / elements of a channel

  struct Constants {
    Affine<N> affine;
    float slope[N];
    float level[N];
  };
  DLBENCH_HOST_DEVICE Constants prepare(Index group, Index column) const {
    Constants constants;
    constants.affine = operands.prepare(group, column);
    float spread[N];
    load_channels(operands.rstd, column, operands.channels, spread);
    load_channels(dgamma, column, operands.channels, constants.slope);
    load_channels(dbeta, column, operands.channels, constants.level);
    for (int lane = 0; lane < N; ++lane) {
      const float scale = constants.affine.scale[lane] * share;
      constants.slope[lane] *= scale * spread[lane];
      constants.level[lane] *= scale;
    }
    return constants;
  }
  struct Loaded {
    Pack<T, N> dy;
    Pack<T, N> x;
    Pack<T, N> addend;
  };
  DLBENCH_HOST_DEVICE Loaded load(Index offset) const {
    return {read_pack<N>(operands.dy + offset),
            read_pack<N>(operands.x + offset),
            kAddend ? read_pack<N>(addend + offset) : Pack<T, N>{}};
  }
  DLBENCH_HOST_DEVICE void finish(const Constants& constants,
                                  const Loaded& loaded,
                                  Index offset) const {
    float gradient[N];
    float centered[N];
    operands.center(constants.affine, loaded.dy, loaded.x, gradient, centered);
    for (int lane = 0; lane < N; ++lane) {
      const float removed = std::fma(centered[lane], constants.slope[lane], constants.level[lane]);
      gradient[lane] = std::fma(constants.affine.scale[lane], gradient[lane], -removed);
    }
    if constexpr (kAddend) {
      float others[N];
      widen(loaded.addend, others);
      for (int lane = 0; lane < N; ++lane) {
        gradient[lane] += others[lane];
      }
    }
    store_pack(dx + offset, gradient);
  }
};

template <typename Launcher>
void run_batch_norm_backward(Launcher& launcher, const BatchNormBackwardArgs& args) {
  const ChannelsLast& layout = args.layout;
  visit_packs(
      args.dtype,
      layout.stride,
      [&](auto type, auto width) {
        using T = decltype(type);
        constexpr int kN = decltype(width)::value;
        const BackwardOperands<T, kN> operands{static_cast<const T*>(args.dy),
                                               static_cast<const T*>(args.x),
                                               args.gamma,
                                               args.beta,
                                               args.mean,
                                               args.rstd,
                                               layout.channels,
                                               args.relu};
        reduce_columns<2, kN>(
            launcher,
            sum_columns(layout, false, kN),
            layout.channels,
            BackwardSource<T, kN>{operands},
            StoreGradients<T>{args.dgamma, args.dbeta, static_cast<T*>(args.dbias), args.rstd},
            static_cast<float*>(args.scratch));
        const auto apply = [&](auto has_addend) {
          constexpr bool kAddend = decltype(has_addend)::value;
          walk_columns(
              launcher,
              1,
              layout.positions(),
              layout.stride,
              kN,
              ApplyBackward<T, kN, kAddend>{operands,
                                            static_cast<const T*>(args.addend),
                                            static_cast<T*>(args.dx),
                                            args.dgamma,
                                            args.dbeta,
                                            1.0F / static_cast<float>(layout.positions())});
        };
        args.addend == nullptr ? apply(std::false_type{}) : apply(std::true_type{});
      },
      args.dy,
      args.x,
      args.addend,
      args.dx);
}

}  // namespace dlbench::backend::cuda
