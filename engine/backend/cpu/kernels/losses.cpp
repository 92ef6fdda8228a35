// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/kernels/losses.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dlbench::backend::cpu {
namespace {

/// f32 sums stay within one piece.
constexpr std::int64_t kPiece = 4096;

std::int64_t pieces_of(std::int64_t count) { return (count + kPiece - 1) / kPiece; }

}  // namespace

void dice_sums(std::int64_t count, const float* p, const std::uint8_t* y, float* sums) {
  double both = 0.0;
  double predicted = 0.0;
  double wanted = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : both, predicted, wanted) \
    if (count > 4 * kPiece)
  for (std::int64_t piece = 0; piece < pieces_of(count); ++piece) {
    const std::int64_t end = std::min(count, (piece + 1) * kPiece);
    float piece_both = 0.0F;
    float piece_predicted = 0.0F;
    std::int32_t piece_wanted = 0;
#pragma omp simd reduction(+ : piece_both, piece_predicted, piece_wanted)
    for (std::int64_t i = piece * kPiece; i < end; ++i) {
      piece_both += static_cast<float>(y[i]) * p[i];
      piece_predicted += p[i];
      piece_wanted += y[i];
    }
    both += static_cast<double>(piece_both);
    predicted += static_cast<double>(piece_predicted);
    wanted += static_cast<double>(piece_wanted);
  }
  sums[0] = static_cast<float>(both);
  sums[1] = static_cast<float>(predicted);
  sums[2] = static_cast<float>(wanted);
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
#pragma omp parallel for simd schedule(static) if (count > 4 * kPiece)
  for (std::int64_t i = 0; i < count; ++i) {
    dp[i] = slope * static_cast<float>(y[i]) + constant;
  }
}

void log_softmax(std::int64_t rows, std::int64_t k, const float* x, float* y) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* from = x + row * k;
    const float largest = *std::max_element(from, from + k);
    double sum = 0.0;
    for (std::int64_t i = 0; i < k; ++i) {
      sum += static_cast<double>(std::exp(from[i] - largest));
    }
    const float shift = largest + static_cast<float>(std::log(sum));
    for (std::int64_t i = 0; i < k; ++i) {
      y[row * k + i] = from[i] - shift;
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
  std::int64_t both = 0;
  std::int64_t predicted = 0;
  std::int64_t wanted = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : both, predicted, wanted) \
    if (count > 4 * kPiece)
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t decision = p[i] > threshold ? 1 : 0;
    const std::int64_t truth = y[i] != 0 ? 1 : 0;
    both += decision & truth;
    predicted += decision;
    wanted += truth;
  }
  counts[0] = static_cast<float>(both);
  counts[1] = static_cast<float>(predicted - both);
  counts[2] = static_cast<float>(wanted - both);
  counts[3] = static_cast<float>(count - predicted - wanted + both);
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
