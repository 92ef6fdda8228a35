// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/kernels/pointwise.h"

#include "engine/backend/cpu/kernels/chunks.h"

#include <algorithm>
#include <array>

namespace dlbench::backend::cpu {
namespace {

template <typename From, typename To, typename Function>
void map(const Geometry& g, Rows<const From> x, Rows<To> y, Function function) {
  const bool stream =
      is_large<To>(g) && static_cast<const void*>(x.data) != static_cast<const void*>(y.data);
  for_each_chunk(g, [&](const Chunk& chunk) {
    const From* from = at(x, g, chunk);
    To* to = at(y, g, chunk);
    sweep_to(to, stream, chunk.count, [&](std::int64_t i, auto group) {
      store(to + i, function(load(from + i, group)), group);
    });
  });
}

template <typename T, typename Function>
void map(const Geometry& g, Rows<const T> a, Rows<const T> b, Rows<T> y, Function function) {
  const bool stream = is_large<T>(g) && a.data != y.data && b.data != y.data;
  for_each_chunk(g, [&](const Chunk& chunk) {
    const T* first = at(a, g, chunk);
    const T* second = at(b, g, chunk);
    T* to = at(y, g, chunk);
    sweep_to(to, stream, chunk.count, [&](std::int64_t i, auto group) {
      store(to + i, function(load(first + i, group), load(second + i, group)), group);
    });
  });
}

template <std::size_t kCount, typename T>
void add_all(const Geometry& g, std::span<const Rows<const T>> x, Rows<T> y) {
  const bool in_place =
      std::ranges::any_of(x, [&](const Rows<const T>& rows) { return rows.data == y.data; });
  for_each_chunk(g, [&](const Chunk& chunk) {
    std::array<const T*, kCount> from;
    std::ranges::transform(
        x, from.begin(), [&](const Rows<const T>& rows) { return at(rows, g, chunk); });
    T* to = at(y, g, chunk);
    sweep_to(to, is_large<T>(g) && !in_place, chunk.count, [&](std::int64_t i, auto group) {
      Lanes sum = load(from[0] + i, group) + load(from[1] + i, group);
      for (std::size_t k = 2; k < kCount; ++k) {
        sum = as_stored<T>(sum) + load(from[k] + i, group);
      }
      store(to + i, sum, group);
    });
  });
}

/// Expands plain per-channel numbers (N, C) of the chunk's sample to lanes.
template <typename T>
Lanes expand_gate(const T* gate, const Geometry& g, const Chunk& chunk) {
  alignas(64) float lanes[kLanes];
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    const std::int64_t channel = chunk.block * g.block + lane % g.block;
    lanes[lane] = channel < g.channels ? to_float(gate[chunk.sample * g.channels + channel]) : 0.0F;
  }
  return load(lanes, FullGroup{});
}

}  // namespace

template <typename T>
void relu(const Geometry& g, Rows<const T> x, Rows<T> y) {
  map(g, x, y, [](Lanes value) { return positive_part(value); });
}

template <typename T>
void relu_backward(const Geometry& g, Rows<const T> dy, Rows<const T> y, Rows<T> dx) {
  map(g, dy, y, dx, [](Lanes gradient, Lanes result) { return where_positive(result, gradient); });
}

template <typename T>
void sigmoid(const Geometry& g, Rows<const T> x, Rows<T> y) {
  for_each_chunk(g, [&](const Chunk& chunk) {
    const T* from = at(x, g, chunk);
    T* to = at(y, g, chunk);
    // sigmoid(0) is not 0, so lanes of channels that do not exist are masked.
    alignas(64) float mask[kLanes];
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      mask[lane] = chunk.block * g.block + lane % g.block < g.channels ? 1.0F : 0.0F;
    }
    const Lanes exists = load(mask, FullGroup{});
    const Lanes one = broadcast(1.0F);
    sweep(chunk.count, [&](std::int64_t i, auto group) {
      const Lanes e = exponential(zero_lanes() - load(from + i, group));
      store(to + i, exists / (one + e), group);
    });
  });
}

template <typename T>
void sigmoid_backward(const Geometry& g, Rows<const T> dy, Rows<const T> y, Rows<T> dx) {
  map(g, dy, y, dx, [](Lanes gradient, Lanes result) {
    return gradient * result * (broadcast(1.0F) - result);
  });
}

template <typename T>
void add(const Geometry& g, std::span<const Rows<const T>> x, Rows<T> y) {
  switch (x.size()) {
    case 2:
      return add_all<2>(g, x, y);
    case 3:
      return add_all<3>(g, x, y);
    default:
      return add_all<4>(g, x, y);
  }
}

template <typename T>
void multiply(const Geometry& g, Rows<const T> a, Rows<const T> b, Rows<T> y) {
  map(g, a, b, y, [](Lanes first, Lanes second) { return first * second; });
}

template <typename From, typename To>
void convert(const Geometry& g, Rows<const From> x, Rows<To> y) {
  map(g, x, y, [](Lanes value) { return value; });
}

template <typename T>
void copy(const Geometry& g, Rows<const T> x, Rows<T> y) {
  map(g, x, y, [](Lanes value) { return value; });
}

template <typename T>
void scale_channels(const Geometry& g, Rows<const T> x, const T* gate, const T* shift, Rows<T> y) {
  const Lanes share = broadcast(1.0F / static_cast<float>(g.spatial));
  const bool large = is_large<T>(g);
  for_each_chunk(g, [&](const Chunk& chunk) {
    const T* from = at(x, g, chunk);
    T* to = at(y, g, chunk);
    const bool stream = large && x.data != y.data;
    const Lanes factor = expand_gate(gate, g, chunk);
    const Lanes offset = shift != nullptr ? expand_gate(shift, g, chunk) * share : zero_lanes();
    sweep_to(to, stream, chunk.count, [&](std::int64_t i, auto group) {
      store(to + i, fused(load(from + i, group), factor, offset), group);
    });
  });
}

template <typename T>
void spread_average(const Geometry& g, const T* value, Rows<T> y) {
  const Lanes share = broadcast(1.0F / static_cast<float>(g.spatial));
  const bool stream = is_large<T>(g);
  for_each_chunk(g, [&](const Chunk& chunk) {
    T* to = at(y, g, chunk);
    const Lanes each = expand_gate(value, g, chunk) * share;
    sweep_to(
        to, stream, chunk.count, [&](std::int64_t i, auto group) { store(to + i, each, group); });
  });
}

template <typename T>
void add_bias(const Geometry& g, Rows<const T> x, const float* bias, Rows<T> y) {
  const bool stream = is_large<T>(g) && x.data != y.data;
  for_each_chunk(g, [&](const Chunk& chunk) {
    const T* from = at(x, g, chunk);
    T* to = at(y, g, chunk);
    const Lanes shift = expand(bias, g, chunk.block);
    sweep_to(to, stream, chunk.count, [&](std::int64_t i, auto group) {
      store(to + i, load(from + i, group) + shift, group);
    });
  });
}

namespace {

/// Sums a (b null) or a * b over each chunk, by channel of its block.
template <typename T>
void sum_chunks(const Geometry& g, Rows<const T> a, Rows<const T> b, double* partial) {
  for_each_chunk(g, [&](const Chunk& chunk) {
    const T* first = at(a, g, chunk);
    Lanes total = zero_lanes();
    if (b.data == nullptr) {
      sweep(chunk.count,
            [&](std::int64_t i, auto group) { total = total + load(first + i, group); });
    } else {
      const T* second = at(b, g, chunk);
      sweep(chunk.count, [&](std::int64_t i, auto group) {
        total = fused(load(first + i, group), load(second + i, group), total);
      });
    }
    double* of_chunk = partial + chunk.index * kLanes;
    std::fill(of_chunk, of_chunk + kLanes, 0.0);
    fold(total, g, of_chunk);
  });
}

/// The sum for one channel of one sample, from the result of sum_chunks().
double sum_of_channel(const Geometry& g,
                      const double* partial,
                      std::int64_t sample,
                      std::int64_t channel) {
  const std::int64_t per_row = chunks_per_row(g);
  const std::int64_t row = sample * g.blocks() + channel / g.block;
  double total = 0.0;
  for (std::int64_t piece = 0; piece < per_row; ++piece) {
    total += partial[(row * per_row + piece) * kLanes + channel % g.block];
  }
  return total;
}

}  // namespace

template <typename T>
void sum_channels(
    const Geometry& g, Rows<const T> a, Rows<const T> b, float factor, T* sum, double* partial) {
  sum_chunks(g, a, b, partial);
  for (std::int64_t sample = 0; sample < g.batch; ++sample) {
    for (std::int64_t channel = 0; channel < g.channels; ++channel) {
      const double total = sum_of_channel(g, partial, sample, channel);
      store_one(sum[sample * g.channels + channel],
                static_cast<float>(total * static_cast<double>(factor)));
    }
  }
}

template <typename T, typename Sum>
void sum_bias(const Geometry& g, Rows<const T> x, Sum* sum, double* partial) {
  sum_chunks(g, x, {}, partial);
  for (std::int64_t channel = 0; channel < g.channels; ++channel) {
    double total = 0.0;
    for (std::int64_t sample = 0; sample < g.batch; ++sample) {
      total += sum_of_channel(g, partial, sample, channel);
    }
    store_one(sum[channel], static_cast<float>(total));
  }
}

std::int64_t reduction_scratch_bytes(const Geometry& g) {
  return chunk_count(g) * kLanes * static_cast<std::int64_t>(sizeof(double));
}

#define DLBENCH_INSTANTIATE(T)                                                                  \
  template void relu<T>(const Geometry&, Rows<const T>, Rows<T>);                               \
  template void relu_backward<T>(const Geometry&, Rows<const T>, Rows<const T>, Rows<T>);       \
  template void sigmoid<T>(const Geometry&, Rows<const T>, Rows<T>);                            \
  template void sigmoid_backward<T>(const Geometry&, Rows<const T>, Rows<const T>, Rows<T>);    \
  template void add<T>(const Geometry&, std::span<const Rows<const T>>, Rows<T>);               \
  template void multiply<T>(const Geometry&, Rows<const T>, Rows<const T>, Rows<T>);            \
  template void copy<T>(const Geometry&, Rows<const T>, Rows<T>);                               \
  template void scale_channels<T>(const Geometry&, Rows<const T>, const T*, const T*, Rows<T>); \
  template void add_bias<T>(const Geometry&, Rows<const T>, const float*, Rows<T>);             \
  template void sum_bias<T, float>(const Geometry&, Rows<const T>, float*, double*);            \
  template void sum_bias<T, Bf16>(const Geometry&, Rows<const T>, Bf16*, double*);              \
  template void spread_average<T>(const Geometry&, const T*, Rows<T>);                          \
  template void sum_channels<T>(const Geometry&, Rows<const T>, Rows<const T>, float, T*, double*);
DLBENCH_INSTANTIATE(float)
DLBENCH_INSTANTIATE(Bf16)
#undef DLBENCH_INSTANTIATE
template void convert<float, Bf16>(const Geometry&, Rows<const float>, Rows<Bf16>);
template void convert<Bf16, float>(const Geometry&, Rows<const Bf16>, Rows<float>);

}  // namespace dlbench::backend::cpu
