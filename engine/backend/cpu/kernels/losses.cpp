// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/kernels/losses.h"

#include "engine/backend/cpu/kernels/parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dlbench::backend::cpu {
namespace {

/// Elements of a piece, the most that are summed in f32.
constexpr std::int64_t kPiece = 4096;

std::int64_t pieces_of(std::int64_t count) { return (count + kPiece - 1) / kPiece; }
bool worth_all_threads(std::int64_t count) { return count > 4 * kPiece; }

/// Runs body(begin, end) for all pieces.
template <typename Body>
void for_each_piece(std::int64_t count, Body body) {
  parallel_for(worth_all_threads(count), pieces_of(count), [&](std::int64_t piece) {
    body(piece * kPiece, std::min(count, (piece + 1) * kPiece));
  });
}

/// The overlap of prediction and mask: the sum of their product and the sums of each.
template <typename T>
struct Overlap {
  T both = 0;
  T predicted = 0;
  T wanted = 0;

  Overlap& operator+=(const Overlap& other) {
    both += other.both;
    predicted += other.predicted;
    wanted += other.wanted;
    return *this;
  }
};

/// The sum of overlap(begin, end) over all pieces.
template <typename T, typename Part>
Overlap<T> sum_of_pieces(std::int64_t count, Part overlap) {
  return parallel_sum<Overlap<T>>(
      worth_all_threads(count), pieces_of(count), [&](std::int64_t piece) {
        return overlap(piece * kPiece, std::min(count, (piece + 1) * kPiece));
      });
}

}  // namespace

void dice_sums(std::int64_t count, const float* p, const std::uint8_t* y, float* sums) {
  const auto total = sum_of_pieces<double>(count, [&](std::int64_t begin, std::int64_t end) {
    float both = 0.0F;
    float predicted = 0.0F;
    std::int32_t wanted = 0;
#pragma omp simd reduction(+ : both, predicted, wanted)
    for (std::int64_t i = begin; i < end; ++i) {
      both += static_cast<float>(y[i]) * p[i];
      predicted += p[i];
      wanted += y[i];
    }
    return Overlap<double>{
        static_cast<double>(both), static_cast<double>(predicted), static_cast<double>(wanted)};
  });
  sums[0] = static_cast<float>(total.both);
  sums[1] = static_cast<float>(total.predicted);
  sums[2] = static_cast<float>(total.wanted);
}

float dice_loss(const float* sums, float smooth) {
  return 1.0F - (2.0F * sums[0] + smooth) / (sums[2] + sums[1] + smooth);
}

void dice_backward(std::int64_t count,
                   float dloss,
                   const std::uint8_t* y,
                   const float* sums,
                   float smooth,
                   float* dp) {
  const float total = sums[2] + sums[1] + smooth;
  const float constant = dloss * (2.0F * sums[0] + smooth) / (total * total);
  const float slope = -2.0F * dloss / total;
  for_each_piece(count, [=](std::int64_t begin, std::int64_t end) {
#pragma omp simd
    for (std::int64_t i = begin; i < end; ++i) {
      dp[i] = slope * static_cast<float>(y[i]) + constant;
    }
  });
}

void log_softmax(std::int64_t rows, std::int64_t k, const float* x, float* y) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* from = x + row * k;
    const float largest = *std::max_element(from, from + k);
    double sum = 0.0;
    for (std::int64_t i = 0; i < k; ++i) {
      sum += static_cast<double>(std::exp(from[i] - largest));
    }
    const auto log_sum = static_cast<float>(std::log(sum));
    for (std::int64_t i = 0; i < k; ++i) {
      // Subtracted one by one: adding the two first would lose digits of the smaller.
      y[row * k + i] = (from[i] - largest) - log_sum;
    }
  }
}

void log_softmax_backward(
    std::int64_t rows, std::int64_t k, const float* dy, const float* y, float* dx) {
  for (std::int64_t row = 0; row < rows; ++row) {
    float sum = 0.0F;
    for (std::int64_t i = 0; i < k; ++i) {
      sum += dy[row * k + i];
    }
    for (std::int64_t i = 0; i < k; ++i) {
      dx[row * k + i] = dy[row * k + i] - std::exp(y[row * k + i]) * sum;
    }
  }
}

float nll_loss(std::int64_t rows, std::int64_t k, const float* logp, const std::int32_t* label) {
  double sum = 0.0;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (label[row] < 0 || label[row] >= k) {
      return std::numeric_limits<float>::quiet_NaN();
    }
    sum -= static_cast<double>(logp[row * k + label[row]]);
  }
  return static_cast<float>(sum / static_cast<double>(rows));
}

void nll_backward(
    std::int64_t rows, std::int64_t k, float dloss, const std::int32_t* label, float* dlogp) {
  const float share = -dloss / static_cast<float>(rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < k; ++i) {
      dlogp[row * k + i] = i == label[row] ? share : 0.0F;
    }
  }
}

void segmentation_counts(
    std::int64_t count, const float* p, const std::uint8_t* y, float threshold, float* counts) {
  const auto total = sum_of_pieces<std::int64_t>(count, [&](std::int64_t begin, std::int64_t end) {
    std::int32_t both = 0;
    std::int32_t predicted = 0;
    std::int32_t wanted = 0;
#pragma omp simd reduction(+ : both, predicted, wanted)
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int32_t decision = p[i] > threshold ? 1 : 0;
      const std::int32_t truth = y[i] != 0 ? 1 : 0;
      both += decision & truth;
      predicted += decision;
      wanted += truth;
    }
    return Overlap<std::int64_t>{both, predicted, wanted};
  });
  counts[0] = static_cast<float>(total.both);
  counts[1] = static_cast<float>(total.predicted - total.both);
  counts[2] = static_cast<float>(total.wanted - total.both);
  counts[3] = static_cast<float>(count - total.predicted - total.wanted + total.both);
}

void classification_counts(std::int64_t rows,
                           std::int64_t k,
                           const float* logp,
                           const std::int32_t* label,
                           float* counts) {
  std::int64_t correct = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* from = logp + row * k;
    correct += std::max_element(from, from + k) - from == label[row] ? 1 : 0;
  }
  counts[0] = static_cast<float>(correct);
  counts[1] = static_cast<float>(rows);
}

}  // namespace dlbench::backend::cpu
