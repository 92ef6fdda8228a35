// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/kernels/optimizers.h"

#include "engine/backend/cpu/kernels/parallel.h"

#include <algorithm>

namespace dlbench::backend::cpu {
namespace {

constexpr std::int64_t kPiece = 16384;

/// Runs body(range, begin, end) for all pieces of all ranges on all threads.
template <typename Body>
void for_each_piece(const UpdateRange* ranges, std::int64_t range_count, Body body) {
  std::int64_t total = 0;
  for (std::int64_t r = 0; r < range_count; ++r) {
    total += ranges[r].elements;
  }
  in_parallel(total > kPiece, [&] {
    for (std::int64_t r = 0; r < range_count; ++r) {
      const std::int64_t elements = ranges[r].elements;
      const std::int64_t pieces = (elements + kPiece - 1) / kPiece;
#pragma omp for schedule(static) nowait
      for (std::int64_t piece = 0; piece < pieces; ++piece) {
        body(ranges[r], piece * kPiece, std::min(elements, (piece + 1) * kPiece));
      }
    }
  });
}

template <typename Rule>
void run(const Rule& rule, const UpdateRange* ranges, std::int64_t range_count) {
  for_each_piece(
      ranges, range_count, [&](const UpdateRange& range, std::int64_t begin, std::int64_t end) {
        const float* __restrict gradient = range.gradient;
        float* __restrict parameter = range.parameter;
        float* __restrict first = range.first_state;
        float* __restrict second = range.second_state;
        const Rule local = rule;
        for (std::int64_t i = begin; i < end; ++i) {
          local(gradient[i], parameter[i], first[i], second[i]);
        }
      });
}

void run(const SgdUpdate<float>& rule, const UpdateRange* ranges, std::int64_t range_count) {
  for_each_piece(
      ranges, range_count, [&](const UpdateRange& range, std::int64_t begin, std::int64_t end) {
        const float* __restrict gradient = range.gradient;
        float* __restrict parameter = range.parameter;
        float* __restrict velocity = range.first_state;
        const SgdUpdate<float> local = rule;
        for (std::int64_t i = begin; i < end; ++i) {
          local(gradient[i], parameter[i], velocity[i]);
        }
      });
}

}  // namespace

void update(graph::OpKind op,
            const graph::OptimizerAttributes& attributes,
            float learning_rate,
            const double* coefficients,
            const UpdateRange* ranges,
            std::int64_t range_count) {
  const auto rate = static_cast<double>(learning_rate);
  with_update_rule<float>(
      op, [&]<typename Rule>() { run(Rule(attributes, rate, coefficients), ranges, range_count); });
}

}  // namespace dlbench::backend::cpu
