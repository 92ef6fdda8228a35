// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Losses and metrics on plain row-major f32.
#pragma once

#include <cstdint>

namespace dlbench::backend::cpu {

/// sums = sum(y p), sum(p), sum(y); p f32, y u8 (0 or 1), `count` elements each.
void dice_sums(std::int64_t count, const float* p, const std::uint8_t* y, float* sums);
/// 1 - (2 sum(y p) + smooth) / (sum(y) + sum(p) + smooth).
[[nodiscard]] float dice_loss(const float* sums, float smooth);
/// dp = dloss * d(1 - Dice)/dp = -dloss (2 y S - 2 sum(y p) - smooth) / S^2, S = sum(y) + sum(p) +
/// smooth.
void dice_backward(std::int64_t count,
                   float dloss,
                   const std::uint8_t* y,
                   const float* sums,
                   float smooth,
                   float* dp);

/// y = x - log(sum(exp(x))) for each row of k numbers.
void log_softmax(std::int64_t rows, std::int64_t k, const float* x, float* y);
/// dx = dy - exp(y) sum(dy).
void log_softmax_backward(
    std::int64_t rows, std::int64_t k, const float* dy, const float* y, float* dx);
/// The mean of -logp[row, label[row]]. A label outside [0, k) gives NaN, which ends the run.
[[nodiscard]] float nll_loss(std::int64_t rows,
                             std::int64_t k,
                             const float* logp,
                             const std::int32_t* label);
void nll_backward(
    std::int64_t rows, std::int64_t k, float dloss, const std::int32_t* label, float* dlogp);

/// counts = true positives, false positives, false negatives, true negatives; p > threshold is a
/// positive decision.
void segmentation_counts(
    std::int64_t count, const float* p, const std::uint8_t* y, float threshold, float* counts);
/// counts = number of rows whose largest logp (the first on ties) is the label, number of rows.
void classification_counts(
    std::int64_t rows, std::int64_t k, const float* logp, const std::int32_t* label, float* counts);

}  // namespace dlbench::backend::cpu
