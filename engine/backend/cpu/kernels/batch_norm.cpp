// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Two passes over memory, sums first. If the data of a channel block in all samples fit in the L2
// cache, one thread runs both passes on it; larger blocks are divided into chunks for all threads.
#include "engine/backend/cpu/kernels/batch_norm.h"

#include "engine/backend/cpu/kernels/chunks.h"

#include <cmath>

namespace dlbench::backend::cpu {
namespace {

/// Largest size in bytes of one channel block that leaves room in an L2 cache of 1 MiB.
constexpr std::int64_t kCacheBytes = std::int64_t{640} * 1024;

/// Two sums of one chunk or block, or its mean and a sum, by lane of the block.
struct Sums {
  double first[kLanes];
  double second[kLanes];
};

/// What the second pass needs, by lane.
struct Coefficients {
  float scale[kLanes];
  float shift[kLanes];
  float third[kLanes];
};

struct Scratch {
  Sums* of_chunk;
  Coefficients* of_block;
};

Scratch divide(const Geometry& g, double* scratch) {
  auto* sums = reinterpret_cast<Sums*>(scratch);
  return {sums, reinterpret_cast<Coefficients*>(sums + chunk_count(g))};
}

Chunk chunk_of_block(const Geometry& g, std::int64_t block, std::int64_t i) {
  const std::int64_t per_row = chunks_per_row(g);
  return chunk_at(g, (i / per_row * g.blocks() + block) * per_row + i % per_row);
}

/// Runs sum_up(chunk) and apply(chunk) for every chunk, and finish(block) between them, which reads
/// the sums of all chunks of the block.
template <typename SumUp, typename Finish, typename Apply>
void two_passes(
    const Geometry& g, std::int64_t element_bytes, SumUp sum_up, Finish finish, Apply apply) {
  const std::int64_t blocks = g.blocks();
  const std::int64_t chunks = chunk_count(g);
  const std::int64_t per_block = g.batch * chunks_per_row(g);
  const bool in_cache =
      g.batch * g.row() * element_bytes <= kCacheBytes &&
      (blocks % omp_get_max_threads() == 0 || blocks >= std::int64_t{4} * omp_get_max_threads());
  in_parallel(worth_all_threads(g), [&] {
    if (in_cache) {
#pragma omp for schedule(static)
      for (std::int64_t block = 0; block < blocks; ++block) {
        for (std::int64_t i = 0; i < per_block; ++i) {
          sum_up(chunk_of_block(g, block, i));
        }
        finish(block);
        for (std::int64_t i = 0; i < per_block; ++i) {
          apply(chunk_of_block(g, block, i));
        }
      }
    } else {
#pragma omp for schedule(static)
      for (std::int64_t index = 0; index < chunks; ++index) {
        sum_up(chunk_at(g, index));
      }
#pragma omp for schedule(static)
      for (std::int64_t block = 0; block < blocks; ++block) {
        finish(block);
      }
#pragma omp for schedule(static)
      for (std::int64_t index = 0; index < chunks; ++index) {
        apply(chunk_at(g, index));
      }
    }
  });
}

Sums total_of_block(const Geometry& g, const Sums* of_chunk, std::int64_t block) {
  Sums total{};
  const std::int64_t per_block = g.batch * chunks_per_row(g);
  for (std::int64_t i = 0; i < per_block; ++i) {
    const Sums& part = of_chunk[chunk_of_block(g, block, i).index];
    for (std::int64_t lane = 0; lane < g.block; ++lane) {
      total.first[lane] += part.first[lane];
      total.second[lane] += part.second[lane];
    }
  }
  return total;
}

/// Expands a per-lane array of one block to the 16 lanes of a row.
Lanes lanes_of(const float (&per_lane)[kLanes], const Geometry& g) {
  alignas(64) float lanes[kLanes] = {};
  for (std::int64_t first = 0; first < kLanes; first += g.block) {
    for (std::int64_t lane = 0; lane < g.block; ++lane) {
      lanes[first + lane] = per_lane[lane];
    }
  }
  return load(lanes, FullGroup{});
}

/// y = act(x scale + shift) + addend for one chunk.
template <typename T, bool kRelu, bool kAdd>
void apply_chunk(const Geometry& g,
                 const BatchNormForward<T>& o,
                 const Coefficients& c,
                 const Chunk& chunk) {
  const T* x = at(o.x, g, chunk);
  T* y = at(o.y, g, chunk);
  const T* addend = kAdd ? at(o.addend, g, chunk) : nullptr;
  const Lanes scale = lanes_of(c.scale, g);
  const Lanes shift = lanes_of(c.shift, g);
  const bool stream = is_large<T>(g) && o.x.data != o.y.data && o.addend.data != o.y.data;
  sweep_to(y, stream, chunk.count, [&](std::int64_t i, auto group) {
    Lanes value = fused(load(x + i, group), scale, shift);
    if constexpr (kRelu) {
      value = positive_part(value);
    }
    if constexpr (kAdd) {
      value = value + load(addend + i, group);
    }
    store(y + i, value, group);
  });
}

template <typename T>
void apply_forward(const Geometry& g,
                   const BatchNormForward<T>& o,
                   const Coefficients& c,
                   const Chunk& chunk) {
  if (o.addend.data != nullptr) {
    o.relu ? apply_chunk<T, true, true>(g, o, c, chunk)
           : apply_chunk<T, false, true>(g, o, c, chunk);
  } else {
    o.relu ? apply_chunk<T, true, false>(g, o, c, chunk)
           : apply_chunk<T, false, false>(g, o, c, chunk);
  }
}

Lanes median(Lanes a, Lanes b, Lanes c) { return larger(smaller(a, b), smaller(larger(a, b), c)); }

/// Estimates the mean of a chunk, by channel of its block, with only twelve loads: the mean of four
/// medians of three groups each, spread over the chunk. Medians ignore outliers.
template <typename T>
void estimate_mean(const Geometry& g, const T* x, std::int64_t count, float (&mean)[kLanes]) {
  constexpr std::int64_t kMedians = 4;
  const std::int64_t groups = count / kLanes;
  if (groups == 0) {
    store(mean, load(x, PartialGroup{g.block}), FullGroup{});
    return;
  }
  const auto part = [&](std::int64_t i) {
    return load(x + i * groups / (3 * kMedians) * kLanes, FullGroup{});
  };
  Lanes medians[kMedians];
  for (std::int64_t i = 0; i < kMedians; ++i) {
    medians[i] = median(part(3 * i), part(3 * i + 1), part(3 * i + 2));
  }
  double sums[kLanes] = {};
  for (Lanes& each : medians) {
    each = each * broadcast(1.0F / kMedians);  // before adding them, since the sum may overflow
  }
  fold((medians[0] + medians[1]) + (medians[2] + medians[3]), g, sums);
  const auto summands = static_cast<double>(kLanes / g.block);
  for (std::int64_t lane = 0; lane < g.block; ++lane) {
    mean[lane] = static_cast<float>(sums[lane] / summands);
  }
}

/// Sums of x - origin and of its square over one chunk.
template <typename T>
Sums sum_about(const Geometry& g, const T* x, std::int64_t count, const float (&origin)[kLanes]) {
  const Lanes center = lanes_of(origin, g);
  Lanes first = zero_lanes();
  Lanes second = zero_lanes();
  sweep(count, [&](std::int64_t i, auto group) {
    const Lanes value = valid(load(x + i, group) - center, group);
    first = first + value;
    second = fused(value, value, second);
  });
  Sums sums{};
  fold(first, g, sums.first);
  fold(second, g, sums.second);
  return sums;
}

/// Computes the mean of one chunk and the sum of squared deviations from it. Sums are taken about
/// an origin near the mean, because the difference of two raw moments loses their common digits. If
/// the origin is still off by more than 1.4 standard deviations, they are taken again about the
/// mean.
template <typename T>
void find_moments(const Geometry& g, const BatchNormForward<T>& o, const Chunk& chunk, Sums& sums) {
  constexpr double kFar = 2.0;  // in standard deviations, squared
  const T* x = at(o.x, g, chunk);
  const double share = 1.0 / static_cast<double>(chunk.count / g.block);
  float origin[kLanes] = {};
  estimate_mean(g, x, chunk.count, origin);
  Sums about = sum_about(g, x, chunk.count, origin);
  bool far = false;
  for (std::int64_t lane = 0; lane < g.block; ++lane) {
    const double lost = about.first[lane] * about.first[lane] * share;
    far = far || lost > kFar * (about.second[lane] - lost);
  }
  if (far) {
    for (std::int64_t lane = 0; lane < g.block; ++lane) {
      origin[lane] += static_cast<float>(about.first[lane] * share);
    }
    about = sum_about(g, x, chunk.count, origin);
  }
  sums = Sums{};
  for (std::int64_t lane = 0; lane < g.block; ++lane) {
    const double shift = about.first[lane] * share;
    sums.first[lane] = static_cast<double>(origin[lane]) + shift;
    sums.second[lane] = about.second[lane] - shift * about.first[lane];
  }
}

/// Mean and sum of squared deviations of a block, from those of its chunks: Chan, Golub and LeVeque
/// 1983, Algorithms for computing the sample variance, The American Statistician 37(3), for all
/// parts at once.
Sums moments_of_block(const Geometry& g, const Sums* of_chunk, std::int64_t block) {
  const std::int64_t per_block = g.batch * chunks_per_row(g);
  const auto for_each_part = [&](auto body) {
    for (std::int64_t i = 0; i < per_block; ++i) {
      const Chunk chunk = chunk_of_block(g, block, i);
      body(of_chunk[chunk.index], static_cast<double>(chunk.count / g.block));
    }
  };
  Sums total{};
  for_each_part([&](const Sums& part, double count) {
    const double share = count / static_cast<double>(g.batch * g.spatial);
    for (std::int64_t lane = 0; lane < g.block; ++lane) {
      total.first[lane] += part.first[lane] * share;
    }
  });
  for_each_part([&](const Sums& part, double count) {
    for (std::int64_t lane = 0; lane < g.block; ++lane) {
      const double distance = part.first[lane] - total.first[lane];
      total.second[lane] += part.second[lane] + count * distance * distance;
    }
  });
  return total;
}

template <typename T>
void finish_train(const Geometry& g,
                  const BatchNormForward<T>& o,
                  const Scratch& s,
                  std::int64_t block) {
  const Sums moments = moments_of_block(g, s.of_chunk, block);
  const auto count = static_cast<double>(g.batch * g.spatial);
  Coefficients& c = s.of_block[block];
  c = Coefficients{};
  for (std::int64_t lane = 0; lane < g.block; ++lane) {
    const std::int64_t channel = block * g.block + lane;
    if (channel >= g.channels) {
      break;
    }
    const double mean = moments.first[lane];
    const double squares = moments.second[lane];
    const double variance = squares < 0.0 ? 0.0 : squares / count;  // NaN is passed on
    const double rstd = 1.0 / std::sqrt(variance + static_cast<double>(o.epsilon));
    o.mean[channel] = static_cast<float>(mean);
    o.rstd[channel] = static_cast<float>(rstd);
    const double keep = static_cast<double>(o.momentum);
    const double unbiased = count > 1.0 ? variance * count / (count - 1.0) : variance;
    o.running_mean[channel] = static_cast<float>(
        keep * static_cast<double>(o.running_mean[channel]) + (1.0 - keep) * mean);
    o.running_variance[channel] = static_cast<float>(
        keep * static_cast<double>(o.running_variance[channel]) + (1.0 - keep) * unbiased);
    c.scale[lane] = o.gamma[channel] * o.rstd[channel];
    c.shift[lane] = std::fma(-o.mean[channel], c.scale[lane], o.beta[channel]);
  }
}

/// Computes the sums of dy and of dy (x - mean); with relu, dy is masked by the sign of the forward
/// result.
template <typename T, bool kRelu>
void sum_gradients(const Geometry& g,
                   const BatchNormBackward<T>& o,
                   const Chunk& chunk,
                   Sums& sums) {
  const T* x = at(o.x, g, chunk);
  const T* dy = at(o.dy, g, chunk);
  const Lanes mean = expand(o.mean, g, chunk.block);
  alignas(64) float scale_of[kLanes] = {};
  alignas(64) float shift_of[kLanes] = {};
  for (std::int64_t lane = 0; kRelu && lane < g.block; ++lane) {
    const std::int64_t channel = chunk.block * g.block + lane;
    if (channel < g.channels) {
      scale_of[lane] = o.gamma[channel] * o.rstd[channel];
      shift_of[lane] = std::fma(-o.mean[channel], scale_of[lane], o.beta[channel]);
    }
  }
  const Lanes scale = lanes_of(scale_of, g);
  const Lanes shift = lanes_of(shift_of, g);
  Lanes first = zero_lanes();
  Lanes second = zero_lanes();
  sweep(chunk.count, [&](std::int64_t i, auto group) {
    const Lanes input = load(x + i, group);
    Lanes gradient = load(dy + i, group);
    if constexpr (kRelu) {
      gradient = where_positive(fused(input, scale, shift), gradient);
    }
    first = first + gradient;
    second = fused(gradient, input - mean, second);
  });
  sums = Sums{};
  fold(first, g, sums.first);
  fold(second, g, sums.second);
}

/// dx = scale dy + slope x + offset: the formula of the op in terms of dy and x.
struct Slopes {
  float scale[kLanes];
  float shift[kLanes];  ///< of the forward pass, for the mask
  float slope[kLanes];
  float offset[kLanes];
};

template <typename T>
void finish_backward(const Geometry& g,
                     const BatchNormBackward<T>& o,
                     const Sums* of_chunk,
                     Slopes* of_block,
                     std::int64_t block) {
  const Sums total = total_of_block(g, of_chunk, block);
  const auto count = static_cast<double>(g.batch * g.spatial);
  Slopes& c = of_block[block];
  c = Slopes{};
  for (std::int64_t lane = 0; lane < g.block; ++lane) {
    const std::int64_t channel = block * g.block + lane;
    if (channel >= g.channels) {
      break;
    }
    const double rstd = static_cast<double>(o.rstd[channel]);
    const double dbeta = total.first[lane];
    const double dgamma = total.second[lane] * rstd;
    const double scale = static_cast<double>(o.gamma[channel]) * rstd;
    const double slope = -scale * rstd * dgamma / count;
    o.dgamma[channel] = static_cast<float>(dgamma);
    o.dbeta[channel] = static_cast<float>(dbeta);
    c.scale[lane] = o.gamma[channel] * o.rstd[channel];
    c.shift[lane] = o.relu ? std::fma(-o.mean[channel], c.scale[lane], o.beta[channel]) : 0.0F;
    c.slope[lane] = static_cast<float>(slope);
    c.offset[lane] =
        static_cast<float>(-scale * dbeta / count - slope * static_cast<double>(o.mean[channel]));
  }
}

template <typename T, bool kRelu, bool kAdd>
void apply_gradient(const Geometry& g,
                    const BatchNormBackward<T>& o,
                    const Slopes& c,
                    const Chunk& chunk) {
  const T* x = at(o.x, g, chunk);
  const T* dy = at(o.dy, g, chunk);
  const T* addend = kAdd ? at(o.addend, g, chunk) : nullptr;
  T* dx = at(o.dx, g, chunk);
  const Lanes scale = lanes_of(c.scale, g);
  const Lanes shift = lanes_of(c.shift, g);
  const Lanes slope = lanes_of(c.slope, g);
  const Lanes offset = lanes_of(c.offset, g);
  const bool stream = is_large<T>(g) && o.dx.data != o.dy.data && o.dx.data != o.x.data &&
                      o.dx.data != o.addend.data;
  sweep_to(dx, stream, chunk.count, [&](std::int64_t i, auto group) {
    const Lanes input = load(x + i, group);
    Lanes gradient = load(dy + i, group);
    if constexpr (kRelu) {
      gradient = where_positive(fused(input, scale, shift), gradient);
    }
    Lanes value = fused(scale, gradient, fused(slope, input, offset));
    if constexpr (kAdd) {
      value = value + load(addend + i, group);
    }
    store(dx + i, value, group);
  });
}

}  // namespace

template <typename T>
void batch_norm_train(const Geometry& g, const BatchNormForward<T>& operands, double* scratch) {
  const Scratch s = divide(g, scratch);
  two_passes(
      g,
      sizeof(T),
      [&](const Chunk& chunk) { find_moments(g, operands, chunk, s.of_chunk[chunk.index]); },
      [&](std::int64_t block) { finish_train(g, operands, s, block); },
      [&](const Chunk& chunk) { apply_forward(g, operands, s.of_block[chunk.block], chunk); });
}

template <typename T>
void batch_norm_inference(const Geometry& g, const BatchNormForward<T>& operands, double* scratch) {
  const Scratch s = divide(g, scratch);
  for (std::int64_t channel = 0; channel < g.blocks() * g.block; ++channel) {
    Coefficients& c = s.of_block[channel / g.block];
    float& scale = c.scale[channel % g.block];
    float& shift = c.shift[channel % g.block];
    scale = 0.0F;
    shift = 0.0F;
    if (channel < g.channels) {
      scale = operands.gamma[channel] /
              std::sqrt(operands.running_variance[channel] + operands.epsilon);
      shift = std::fma(-operands.running_mean[channel], scale, operands.beta[channel]);
    }
  }
  for_each_chunk(
      g, [&](const Chunk& chunk) { apply_forward(g, operands, s.of_block[chunk.block], chunk); });
}

template <typename T>
void batch_norm_backward(const Geometry& g, const BatchNormBackward<T>& operands, double* scratch) {
  auto* of_chunk = reinterpret_cast<Sums*>(scratch);
  auto* of_block = reinterpret_cast<Slopes*>(of_chunk + chunk_count(g));
  const bool add = operands.addend.data != nullptr;
  two_passes(
      g,
      2 * static_cast<std::int64_t>(sizeof(T)),
      [&](const Chunk& chunk) {
        operands.relu ? sum_gradients<T, true>(g, operands, chunk, of_chunk[chunk.index])
                      : sum_gradients<T, false>(g, operands, chunk, of_chunk[chunk.index]);
      },
      [&](std::int64_t block) { finish_backward(g, operands, of_chunk, of_block, block); },
      [&](const Chunk& chunk) {
        const Slopes& c = of_block[chunk.block];
        if (operands.relu) {
          add ? apply_gradient<T, true, true>(g, operands, c, chunk)
              : apply_gradient<T, true, false>(g, operands, c, chunk);
        } else {
          add ? apply_gradient<T, false, true>(g, operands, c, chunk)
              : apply_gradient<T, false, false>(g, operands, c, chunk);
        }
      });
}

std::int64_t batch_norm_scratch_bytes(const Geometry& g) {
  return chunk_count(g) * static_cast<std::int64_t>(sizeof(Sums)) +
         g.blocks() * static_cast<std::int64_t>(sizeof(Slopes));
}

#define DLBENCH_INSTANTIATE(T)                                                                 \
  template void batch_norm_train<T>(const Geometry&, const BatchNormForward<T>&, double*);     \
  template void batch_norm_inference<T>(const Geometry&, const BatchNormForward<T>&, double*); \
  template void batch_norm_backward<T>(const Geometry&, const BatchNormBackward<T>&, double*);
DLBENCH_INSTANTIATE(float)
DLBENCH_INSTANTIATE(Bf16)
#undef DLBENCH_INSTANTIATE

}  // namespace dlbench::backend::cpu
