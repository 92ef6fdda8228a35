// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans that are right are not refused for how they round: sums in f32 one term after the other,
// and Winograd's transforms, with ten times the error that they are seen to have here.
#include "engine/backend/cuda/conv_check.h"
#include "engine/backend/cuda/kernels/conv_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace dlbench::backend::cuda {
namespace {

/// The largest difference in f32 of n random products summed one after the other, against double.
double largest_drift(int terms) {
  double largest = 0;
  float values[kRandomRun];
  float others[kRandomRun];
  for (Index trial = 0; trial < 64; ++trial) {
    float sum = 0;
    double exact = 0;
    double squares = 0;
    for (Index run = 0; run < terms / kRandomRun; ++run) {
      random_values<float>(1, trial * terms + run, values);
      random_values<float>(2, trial * terms + run, others);
      for (int i = 0; i < kRandomRun; ++i) {
        const double product = static_cast<double>(values[i]) * static_cast<double>(others[i]);
        sum += values[i] * others[i];
        exact += product;
        squares += product * product;
      }
    }
    largest = std::max(largest, std::abs(static_cast<double>(sum) - exact) / std::sqrt(squares));
  }
  return largest;
}

/// A result of so many terms whose sums are off by `error` of the root of the squares.
std::string judged(int terms, double error, const ConvRounding& rounding = {}) {
  const ConvProblem asked{.direction = ConvDirection::kForward,
                          .x = {1, terms, 1, 1},
                          .w = {1, terms, 1, 1},
                          .y = {1, 1, 1, 1},
                          .pad_begin = {0, 0},
                          .pad_end = {0, 0},
                          .stride = {1, 1},
                          .dilation = {1, 1}};
  const double sums[] = {1.0, static_cast<double>(terms) / 9};
  const double results[] = {1.0 + error * std::sqrt(sums[1])};
  const Index offsets[] = {0};
  return wrong_results(asked, rounding, offsets, sums, results);
}

// A plan that is right is not to be refused: the worst order of additions has a tenth of the limit.
TEST(WrongPlan, IsNoneWhoseSumsDrift) {
  for (const int terms : {4, 64, 4608, 262144}) {
    const double drift = largest_drift(terms);
    EXPECT_EQ(judged(terms, 10 * drift), "") << terms << " terms: " << drift;
  }
}

/// rows = matrix * values, over `inner` values for each of `columns`.
template <std::size_t kRows, std::size_t kInner, std::size_t kColumns>
std::array<std::array<float, kColumns>, kRows> multiplied(
    const float (&matrix)[kRows][kInner],
    const std::array<std::array<float, kColumns>, kInner>& values) {
  std::array<std::array<float, kColumns>, kRows> made{};
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      for (std::size_t i = 0; i < kInner; ++i) {
        made[row][column] += matrix[row][i] * values[i][column];
      }
    }
  }
  return made;
}
template <std::size_t kRows, std::size_t kColumns>
std::array<std::array<float, kRows>, kColumns> transposed(
    const std::array<std::array<float, kColumns>, kRows>& values) {
  std::array<std::array<float, kRows>, kColumns> made{};
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      made[column][row] = values[row][column];
    }
  }
  return made;
}
/// matrix * values * matrix^T.
template <std::size_t kRows, std::size_t kInner>
std::array<std::array<float, kRows>, kRows> both_sides(
    const float (&matrix)[kRows][kInner],
    const std::array<std::array<float, kInner>, kInner>& values) {
  return transposed(multiplied(matrix, transposed(multiplied(matrix, values))));
}

template <std::size_t kSide>
std::array<std::array<float, kSide>, kSide> random_square(std::uint32_t seed, Index number) {
  std::array<std::array<float, kSide>, kSide> made{};
  float values[kRandomRun];
  for (std::size_t i = 0; i < kSide * kSide; ++i) {
    random_values<float>(seed, number * 9 + static_cast<Index>(i) / kRandomRun, values);
    made[i / kSide][i % kSide] = values[i % kRandomRun];
  }
  return made;
}

/// The largest error of F(4x4, 3x3) in f32 (Lavin, Gray 2016, section 4.3), of the root of the sum
/// of squares, over so many channels.
double winograd_error(int channels) {
  constexpr float kInput[6][6] = {{4, 0, -5, 0, 1, 0},
                                  {0, -4, -4, 1, 1, 0},
                                  {0, 4, -4, -1, 1, 0},
                                  {0, -2, -1, 2, 1, 0},
                                  {0, 2, -1, -2, 1, 0},
                                  {0, 4, 0, -5, 0, 1}};
  constexpr float kFilter[6][3] = {{1.0F / 4, 0, 0},
                                   {-1.0F / 6, -1.0F / 6, -1.0F / 6},
                                   {-1.0F / 6, 1.0F / 6, -1.0F / 6},
                                   {1.0F / 24, 1.0F / 12, 1.0F / 6},
                                   {1.0F / 24, -1.0F / 12, 1.0F / 6},
                                   {0, 0, 1}};
  constexpr float kOutput[4][6] = {
      {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};
  std::array<std::array<float, 6>, 6> products{};
  double exact[4][4]{};
  double squares[4][4]{};
  for (Index channel = 0; channel < channels; ++channel) {
    const auto x = random_square<6>(1, channel);
    const auto w = random_square<3>(2, channel);
    const auto left = both_sides(kInput, x);
    const auto right = both_sides(kFilter, w);
    for (std::size_t i = 0; i < 36; ++i) {
      products[i / 6][i % 6] += left[i / 6][i % 6] * right[i / 6][i % 6];
    }
    for (std::size_t i = 0; i < 16 * 9; ++i) {
      const std::size_t row = i / 36;
      const std::size_t column = i / 9 % 4;
      const double product = static_cast<double>(x[row + i % 9 / 3][column + i % 3]) *
                             static_cast<double>(w[i % 9 / 3][i % 3]);
      exact[row][column] += product;
      squares[row][column] += product * product;
    }
  }
  const auto y = both_sides(kOutput, products);
  double largest = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    const double error = static_cast<double>(y[i / 4][i % 4]) - exact[i / 4][i % 4];
    largest = std::max(largest, std::abs(error) / std::sqrt(squares[i / 4][i % 4]));
  }
  return largest;
}

TEST(WrongPlan, IsNoneThatRoundsAsWinogradDoes) {
  for (const int channels : {1, 16, 512}) {
    const double lost = winograd_error(channels);
    RecordProperty("lost_" + std::to_string(channels), std::to_string(lost));
    EXPECT_GT(lost, 0x1p-24);
    EXPECT_EQ(judged(9 * channels, 10 * lost, {.transformed = true}), "") << lost;
  }
  EXPECT_NE(judged(4608, 0.1, {.transformed = true}), "");
}

}  // namespace
}  // namespace dlbench::backend::cuda
