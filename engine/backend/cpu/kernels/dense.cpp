// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/kernels/dense.h"

#include "engine/backend/cpu/kernels/chunks.h"

namespace dlbench::backend::cpu {
namespace {

/// The number of positions that one task of a head kernel handles.
constexpr std::int64_t kPositions = 1024;

std::int64_t position_pieces(const Geometry& g) {
  return (g.spatial + kPositions - 1) / kPositions;
}

/// Runs body(sample, first position, count, task) on all threads.
template <typename Body>
void for_each_piece(const Geometry& g, Body body) {
  const std::int64_t pieces = position_pieces(g);
  parallel_for(worth_all_threads(g), g.batch * pieces, [&](std::int64_t i) {
    const std::int64_t begin = i % pieces * kPositions;
    body(i / pieces, begin, std::min(kPositions, g.spatial - begin), i);
  });
}

float dot(Lanes a, Lanes b) { return sum_of(a * b); }

/// sum[position] += sum over the block's channels of x w.
template <typename T>
void accumulate_block(const Geometry& g,
                      const T* x,
                      const float* w,
                      std::int64_t block,
                      std::int64_t count,
                      float* sum) {
  if (g.block == 1) {
    const Lanes weight = broadcast(w[block]);
    sweep(count, [&](std::int64_t i, auto group) {
      store(sum + i, fused(load(x + i, group), weight, load(sum + i, group)), group);
    });
  } else if (g.block == kLanes) {
    const Lanes weight = expand(w, g, block);
    for (std::int64_t i = 0; i < count; ++i) {
      sum[i] += dot(load(x + i * kLanes, FullGroup{}), weight);
    }
  } else {
    const Lanes weight = expand(w, g, block);
    for (std::int64_t i = 0; i < count; ++i) {
      sum[i] += dot(load(x + i * g.block, PartialGroup{g.block}), weight);
    }
  }
}

/// sum[c] = sum over the rows of dy[row, c].
template <typename T>
void sum_rows(std::int64_t rows, std::int64_t columns, const T* dy, float* sum) {
  sweep(columns, [&](std::int64_t i, auto group) {
    Lanes total = zero_lanes();
    for (std::int64_t row = 0; row < rows; ++row) {
      total = total + load(dy + row * columns + i, group);
    }
    store(sum + i, total, group);
  });
}

}  // namespace

template <typename T>
void head_forward(const Geometry& g, Rows<const T> x, const float* w, const float* bias, T* y) {
  for_each_piece(g, [&](std::int64_t sample, std::int64_t begin, std::int64_t count, std::int64_t) {
    alignas(64) float sum[kPositions];
    std::fill(sum, sum + count, bias != nullptr ? *bias : 0.0F);
    for (std::int64_t block = 0; block < g.blocks(); ++block) {
      accumulate_block(g,
                       x.data + sample * x.sample_stride + block * g.row() + begin * g.block,
                       w,
                       block,
                       count,
                       sum);
    }
    T* to = y + sample * g.spatial + begin;
    sweep(count, [&](std::int64_t i, auto group) { store(to + i, load(sum + i, group), group); });
  });
}

template <typename T>
void head_backward_data(const Geometry& g, const T* dy, const float* w, Rows<T> dx) {
  for_each_piece(g, [&](std::int64_t sample, std::int64_t begin, std::int64_t count, std::int64_t) {
    const T* from = dy + sample * g.spatial + begin;
    for (std::int64_t block = 0; block < g.blocks(); ++block) {
      T* to = dx.data + sample * dx.sample_stride + block * g.row() + begin * g.block;
      const Lanes weight = expand(w, g, block);
      if (g.block == 1) {
        sweep(count, [&](std::int64_t i, auto group) {
          store(to + i, load(from + i, group) * weight, group);
        });
      } else {
        for (std::int64_t i = 0; i < count; ++i) {
          const Lanes value = broadcast(to_float(from[i])) * weight;
          if (g.block == kLanes) {
            store(to + i * kLanes, value, FullGroup{});
          } else {
            store(to + i * g.block, value, PartialGroup{g.block});
          }
        }
      }
    }
  });
}

template <typename T>
void head_backward_weights(
    const Geometry& g, Rows<const T> x, const T* dy, float* dw, float* dbias, double* partial) {
  // One row of C + 1 sums per task.
  const std::int64_t width = g.blocks() * g.block + 1;
  for_each_piece(
      g, [&](std::int64_t sample, std::int64_t begin, std::int64_t count, std::int64_t task) {
        double* of_task = partial + task * width;
        std::fill(of_task, of_task + width, 0.0);
        const T* gradient = dy + sample * g.spatial + begin;
        for (std::int64_t block = 0; block < g.blocks(); ++block) {
          const T* from = x.data + sample * x.sample_stride + block * g.row() + begin * g.block;
          Lanes sum = zero_lanes();
          if (g.block == 1) {
            sweep(count, [&](std::int64_t i, auto group) {
              sum = fused(load(from + i, group), load(gradient + i, group), sum);
            });
          } else {
            for (std::int64_t i = 0; i < count; ++i) {
              const Lanes value = g.block == kLanes
                                      ? load(from + i * kLanes, FullGroup{})
                                      : load(from + i * g.block, PartialGroup{g.block});
              sum = fused(value, broadcast(to_float(gradient[i])), sum);
            }
          }
          fold(sum, g, of_task + block * g.block);
        }
        Lanes total = zero_lanes();
        sweep(count,
              [&](std::int64_t i, auto group) { total = total + load(gradient + i, group); });
        of_task[width - 1] = static_cast<double>(sum_of(total));
      });
  const std::int64_t tasks = g.batch * position_pieces(g);
  for (std::int64_t column = 0; column < width; ++column) {
    double sum = 0.0;
    for (std::int64_t task = 0; task < tasks; ++task) {
      sum += partial[task * width + column];
    }
    if (column < g.channels) {
      dw[column] = static_cast<float>(sum);
    } else if (column == width - 1 && dbias != nullptr) {
      *dbias = static_cast<float>(sum);
    }
  }
}

std::int64_t head_scratch_bytes(const Geometry& g) {
  return g.batch * position_pieces(g) * (g.blocks() * g.block + 1) *
         static_cast<std::int64_t>(sizeof(double));
}

template <typename T>
void dense_forward(
    const DenseShape& shape, const T* x, const float* w, const float* bias, bool relu, T* y) {
  for (std::int64_t n = 0; n < shape.batch; ++n) {
    for (std::int64_t o = 0; o < shape.outputs; ++o) {
      Lanes sum = zero_lanes();
      const T* from = x + n * shape.inputs;
      const float* weight = w + o * shape.inputs;
      sweep(shape.inputs, [&](std::int64_t i, auto group) {
        sum = fused(load(from + i, group), load(weight + i, group), sum);
      });
      const float value = sum_of(sum) + (bias != nullptr ? bias[o] : 0.0F);
      store_one(y[n * shape.outputs + o], relu && value < 0.0F ? 0.0F : value);
    }
  }
}

template <typename T>
void dense_backward_data(const DenseShape& shape, const T* dy, const float* w, T* dx) {
  for (std::int64_t n = 0; n < shape.batch; ++n) {
    sweep(shape.inputs, [&](std::int64_t i, auto group) {
      Lanes sum = zero_lanes();
      for (std::int64_t o = 0; o < shape.outputs; ++o) {
        sum = fused(broadcast(to_float(dy[n * shape.outputs + o])),
                    load(w + o * shape.inputs + i, group),
                    sum);
      }
      store(dx + n * shape.inputs + i, sum, group);
    });
  }
}

template <typename T>
void dense_backward_weights(
    const DenseShape& shape, const T* x, const T* dy, float* dw, float* dbias) {
  for (std::int64_t o = 0; o < shape.outputs; ++o) {
    sweep(shape.inputs, [&](std::int64_t i, auto group) {
      Lanes sum = zero_lanes();
      for (std::int64_t n = 0; n < shape.batch; ++n) {
        sum = fused(broadcast(to_float(dy[n * shape.outputs + o])),
                    load(x + n * shape.inputs + i, group),
                    sum);
      }
      store(dw + o * shape.inputs + i, sum, group);
    });
  }
  if (dbias != nullptr) {
    sum_rows(shape.batch, shape.outputs, dy, dbias);
  }
}

#define DLBENCH_INSTANTIATE(T)                                                                   \
  template void head_forward<T>(const Geometry&, Rows<const T>, const float*, const float*, T*); \
  template void head_backward_data<T>(const Geometry&, const T*, const float*, Rows<T>);         \
  template void head_backward_weights<T>(                                                        \
      const Geometry&, Rows<const T>, const T*, float*, float*, double*);                        \
  template void dense_forward<T>(                                                                \
      const DenseShape&, const T*, const float*, const float*, bool, T*);                        \
  template void dense_backward_data<T>(const DenseShape&, const T*, const float*, T*);           \
  template void dense_backward_weights<T>(const DenseShape&, const T*, const T*, float*, float*);
DLBENCH_INSTANTIATE(float)
DLBENCH_INSTANTIATE(Bf16)
#undef DLBENCH_INSTANTIATE

}  // namespace dlbench::backend::cpu
