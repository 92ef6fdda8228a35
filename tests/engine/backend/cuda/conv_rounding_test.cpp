// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans that are right are not refused for how they round: sums in f32 one term after the other,
// sums that are cut, and Winograd's transforms. Ten times the error that they are seen to have here
// passes in strict f32, for sums of up to 65,536 terms; elsewhere at least twice.
#include "engine/backend/cuda/conv_check.h"
#include "engine/backend/cuda/kernels/conv_samples.h"
#include "tests/engine/backend/cuda/kernels/element_types.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using core::DType;

/// Its mantissa has so many bits, the leading one counted; the others are dropped.
double cut(double value, int bits) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & ~0ULL << (53 - bits));
}
double rounded(double value, int bits) {
  const std::uint64_t half = 1ULL << (52 - bits);
  return cut(std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) + half), bits);
}
constexpr int kTf32Bits = 11;

/// A sample of a result: by the definition, and as some plan makes it.
struct MadeSum {
  double exact = 0.0;
  double squares = 0.0;  ///< of the products
  double made = 0.0;
};

/// What is said of samples of so many terms whose errors are `times` as large.
std::string judged(const std::vector<MadeSum>& made,
                   std::int64_t terms,
                   DType dtype,
                   const ConvRounding& rounding,
                   double times = 1.0) {
  const auto filters = static_cast<std::int64_t>(made.size());
  const ConvProblem asked{.direction = ConvDirection::kForward,
                          .dtype = dtype,
                          .x = {1, terms, 1, 1},
                          .w = {filters, terms, 1, 1},
                          .y = {1, filters, 1, 1},
                          .pad_begin = {0, 0},
                          .pad_end = {0, 0},
                          .stride = {1, 1},
                          .dilation = {1, 1}};
  std::vector<double> sums;
  std::vector<double> results;
  for (const MadeSum& sum : made) {
    sums.insert(sums.end(), {sum.exact, sum.squares});
    results.push_back(sum.exact + times * (sum.made - sum.exact));
  }
  std::vector<Index> offsets(made.size());
  std::iota(offsets.begin(), offsets.end(), Index{0});
  return wrong_results(asked, rounding, offsets, sums, results);
}

/// An error of so much of the root of the squares, of a sum of zero.
std::string judged_alone(double error, std::int64_t terms, DType dtype, ConvRounding rounding) {
  const double squares = static_cast<double>(terms) / 9;
  return judged({{0.0, squares, error * std::sqrt(squares)}}, terms, dtype, rounding);
}

/// Sums of random products of operands in T, each by a copy of `adder`.
template <typename T, typename Adder>
std::vector<MadeSum> random_sums(std::int64_t terms, int samples, const Adder& adder) {
  std::vector<MadeSum> sums(static_cast<std::size_t>(samples));
  float values[kRandomRun];
  float others[kRandomRun];
  Index run = 0;
  for (MadeSum& sum : sums) {
    Adder adds = adder;
    for (Index end = run + terms / kRandomRun; run < end; ++run) {
      random_values<T>(1, run, values);
      random_values<T>(2, run, others);
      for (int i = 0; i < kRandomRun; ++i) {
        const double product = static_cast<double>(values[i]) * static_cast<double>(others[i]);
        sum.exact += product;
        sum.squares += product * product;
        adds.add(values[i], others[i]);
      }
    }
    sum.made = static_cast<double>(adds.sum);
  }
  return sums;
}

/// One term after the other in f32.
struct InTurn {
  float sum = 0;
  void add(float a, float b) { sum += a * b; }
};

struct InTurnOfTf32 {
  float sum = 0;
  void add(float a, float b) {
    sum += static_cast<float>(rounded(a, kTf32Bits) * rounded(b, kTf32Bits));
  }
};

/// As tensor cores: operands of so many bits, four products at once, and what is kept is cut.
struct Cutting {
  int bits = 24;
  double sum = 0;
  int added = 0;
  void add(float a, float b) {
    sum += cut(a, bits) * cut(b, bits);
    if (++added % 4 == 0) {
      sum = cut(sum, 24);
    }
  }
};

/// Sums of `each` terms in f32, added up in T.
template <typename T>
struct Split {
  std::int64_t each = 0;
  float sum = 0;
  float part = 0;
  std::int64_t added = 0;
  void add(float a, float b) {
    part += a * b;
    if (++added % each == 0) {
      T stored;
      store(stored, sum + part);
      sum = to_float(stored);
      part = 0;
    }
  }
};

// The worst order of additions has a tenth of the limit, and more of it in longer sums than a GPU
// adds in one chain.
TEST(WrongPlan, IsNoneWhoseSumsDrift) {
  for (const auto& [terms, times] : {std::pair{4, 10.0},
                                     {64, 10.0},
                                     {4608, 10.0},
                                     {1 << 16, 10.0},
                                     {1 << 18, 5.0},
                                     {1 << 21, 2.0}}) {
    const auto drifted = random_sums<float>(terms, terms > 1 << 18 ? 16 : 64, InTurn{});
    EXPECT_EQ(judged(drifted, terms, DType::kF32, {}, times), "") << terms;
  }
}

TEST(WrongPlan, IsFoundByTf32InStrictF32HoweverLongTheSums) {
  for (const int terms : {64, 4608, 1 << 19, 1 << 21}) {
    const auto short_operands = random_sums<float>(terms, 16, InTurnOfTf32{});
    EXPECT_NE(judged(short_operands, terms, DType::kF32, {}), "") << terms;
    EXPECT_EQ(judged(short_operands, terms, DType::kF32, {.tf32 = true}), "") << terms;
  }
}

TEST(WrongPlan, IsNoneWhoseSumsAreCut) {
  for (const int terms : {64, 4608, 1 << 18, 1 << 21}) {
    const auto tf32 = random_sums<float>(terms, 16, Cutting{.bits = kTf32Bits});
    EXPECT_EQ(judged(tf32, terms, DType::kF32, {.tf32 = true}, 2), "") << terms;
    const auto half = random_sums<F16>(terms, 16, Cutting{});
    EXPECT_EQ(judged(half, terms, DType::kF16, {}, 2), "") << terms;
  }
}

// So sums of 16 bits need no room for what is cut before they are that long.
TEST(WrongPlan, IsCutOnlyWhereSumsOfSixteenBitsAreLong) {
  for (const MadeSum& sum : random_sums<F16>(1 << 19, 16, Cutting{})) {
    EXPECT_EQ(sum.made, sum.exact);
  }
  EXPECT_NE(judged_alone(0x1p-8, 1 << 19, DType::kF16, {}), "");
  EXPECT_EQ(judged_alone(0x1p-8, 1 << 20, DType::kF16, {}), "");
}

TEST(WrongPlan, IsOneThatAddsManySumsInSixteenBits) {
  constexpr std::int64_t kTerms = 1 << 16;
  const auto said_of = [&](int parts, auto type) {
    using T = decltype(type);
    const auto made = random_sums<T>(kTerms, 128, Split<T>{.each = kTerms / parts});
    return judged(made, kTerms, dtype_of<T>(), {});
  };
  EXPECT_EQ(said_of(16, F16{}), "");
  EXPECT_EQ(said_of(16, BF16{}), "");
  EXPECT_NE(said_of(128, F16{}), "");
  EXPECT_NE(said_of(128, BF16{}), "");
}

template <std::size_t kRows, std::size_t kColumns = kRows>
using Matrix = std::array<std::array<float, kColumns>, kRows>;

template <std::size_t kRows, std::size_t kInner, std::size_t kColumns>
Matrix<kRows, kColumns> multiplied(const Matrix<kRows, kInner>& matrix,
                                   const Matrix<kInner, kColumns>& values) {
  Matrix<kRows, kColumns> made{};
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
Matrix<kColumns, kRows> transposed(const Matrix<kRows, kColumns>& values) {
  Matrix<kColumns, kRows> made{};
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      made[column][row] = values[row][column];
    }
  }
  return made;
}
/// matrix * values * matrix^T, each number rounded to so many bits.
template <std::size_t kRows, std::size_t kInner>
Matrix<kRows> both_sides(const Matrix<kRows, kInner>& matrix,
                         const Matrix<kInner>& values,
                         int bits) {
  auto made = transposed(multiplied(matrix, transposed(multiplied(matrix, values))));
  for (auto& row : made) {
    for (float& value : row) {
      value = static_cast<float>(rounded(value, bits));
    }
  }
  return made;
}

template <typename T, std::size_t kSide>
Matrix<kSide> random_square(std::uint32_t seed, Index number) {
  constexpr std::size_t kRuns = (kSide * kSide + kRandomRun - 1) / kRandomRun;
  Matrix<kSide> made{};
  float values[kRandomRun];
  for (std::size_t i = 0; i < kSide * kSide; ++i) {
    random_values<T>(seed, number * Index{kRuns} + static_cast<Index>(i) / kRandomRun, values);
    made[i / kSide][i % kSide] = values[i % kRandomRun];
  }
  return made;
}

template <std::size_t kTile, std::size_t kOutput>
struct Winograd {
  Matrix<kTile> input;
  Matrix<kTile, 3> filter;
  Matrix<kOutput, kTile> output;
};
/// F(4x4, 3x3): Lavin, Gray 2016, section 4.3.
constexpr Winograd<6, 4> kTilesOfFour{
    {{{4, 0, -5, 0, 1, 0},
      {0, -4, -4, 1, 1, 0},
      {0, 4, -4, -1, 1, 0},
      {0, -2, -1, 2, 1, 0},
      {0, 2, -1, -2, 1, 0},
      {0, 4, 0, -5, 0, 1}}},
    {{{1.0F / 4, 0, 0},
      {-1.0F / 6, -1.0F / 6, -1.0F / 6},
      {-1.0F / 6, 1.0F / 6, -1.0F / 6},
      {1.0F / 24, 1.0F / 12, 1.0F / 6},
      {1.0F / 24, -1.0F / 12, 1.0F / 6},
      {0, 0, 1}}},
    {{{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}}};
/// F(6x6, 3x3): the same construction over the points 0, 1, -1, 2, -2, 1/2, -1/2.
constexpr Winograd<8, 6> kTilesOfSix{{{{1, 0, -5.25F, 0, 5.25F, 0, -1, 0},
                                       {0, 1, 1, -4.25F, -4.25F, 1, 1, 0},
                                       {0, -1, 1, 4.25F, -4.25F, -1, 1, 0},
                                       {0, 0.5F, 0.25F, -2.5F, -1.25F, 2, 1, 0},
                                       {0, -0.5F, 0.25F, 2.5F, -1.25F, -2, 1, 0},
                                       {0, 2, 4, -2.5F, -5, 0.5F, 1, 0},
                                       {0, -2, 4, 2.5F, -5, -0.5F, 1, 0},
                                       {0, -1, 0, 5.25F, 0, -5.25F, 0, 1}}},
                                     {{{1, 0, 0},
                                       {-2.0F / 9, -2.0F / 9, -2.0F / 9},
                                       {-2.0F / 9, 2.0F / 9, -2.0F / 9},
                                       {1.0F / 90, 1.0F / 45, 2.0F / 45},
                                       {1.0F / 90, -1.0F / 45, 2.0F / 45},
                                       {32.0F / 45, 16.0F / 45, 8.0F / 45},
                                       {32.0F / 45, -16.0F / 45, 8.0F / 45},
                                       {0, 0, 1}}},
                                     {{{1, 1, 1, 1, 1, 1, 1, 0},
                                       {0, 1, -1, 2, -2, 0.5F, -0.5F, 0},
                                       {0, 1, 1, 4, 4, 0.25F, 0.25F, 0},
                                       {0, 1, -1, 8, -8, 0.125F, -0.125F, 0},
                                       {0, 1, 1, 16, 16, 0.0625F, 0.0625F, 0},
                                       {0, 1, -1, 32, -32, 0.03125F, -0.03125F, 1}}}};

/// The outputs of four tiles over so many channels; transformed operands have `bits` of mantissa.
template <typename T, std::size_t kTile, std::size_t kOutput>
std::vector<MadeSum> winograd_sums(const Winograd<kTile, kOutput>& by, int channels, int bits) {
  std::vector<MadeSum> sums;
  for (Index tile = 0; tile < 4; ++tile) {
    std::array<MadeSum, kOutput * kOutput> outputs{};
    Matrix<kTile> products{};
    for (Index channel = tile * channels; channel < (tile + 1) * channels; ++channel) {
      const auto x = random_square<T, kTile>(1, channel);
      const auto w = random_square<T, 3>(2, channel);
      const auto left = both_sides(by.input, x, bits);
      const auto right = both_sides(by.filter, w, bits);
      for (std::size_t i = 0; i < kTile * kTile; ++i) {
        products[i / kTile][i % kTile] += left[i / kTile][i % kTile] * right[i / kTile][i % kTile];
      }
      for (std::size_t i = 0; i < outputs.size() * 9; ++i) {
        const std::size_t row = i / 9 / kOutput;
        const std::size_t column = i / 9 % kOutput;
        const double product = static_cast<double>(x[row + i % 9 / 3][column + i % 3]) *
                               static_cast<double>(w[i % 9 / 3][i % 3]);
        outputs[i / 9].exact += product;
        outputs[i / 9].squares += product * product;
      }
    }
    const auto y = both_sides(by.output, products, 24);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      T stored;
      store(stored, y[i / kOutput][i % kOutput]);
      outputs[i].made = static_cast<double>(to_float(stored));
    }
    sums.insert(sums.end(), outputs.begin(), outputs.end());
  }
  return sums;
}

/// Passes, with errors `times` as large.
template <typename T, typename Tiles>
void expect_right(const Tiles& tiles, int bits, double times) {
  const bool tf32 = dtype_of<T>() == DType::kF32 && bits < 24;
  for (const int channels : {1, 16, 512}) {
    const auto made = winograd_sums<T>(tiles, channels, bits);
    EXPECT_EQ(judged(made, 9 * channels, dtype_of<T>(), {.tf32 = tf32, .transformed = true}, times),
              "")
        << channels << " channels, " << bits << " bits";
    EXPECT_NE(judged(made, 9 * channels, dtype_of<T>(), {.tf32 = tf32}, times), "");
  }
}

TEST(WrongPlan, IsNoneThatRoundsAsWinogradDoes) {
  expect_right<float>(kTilesOfFour, 24, 10);
  expect_right<float>(kTilesOfSix, 24, 10);
  expect_right<float>(kTilesOfFour, kTf32Bits, 10);
  expect_right<float>(kTilesOfSix, kTf32Bits, 5);
  expect_right<F16>(kTilesOfFour, 11, 10);
  expect_right<F16>(kTilesOfSix, 11, 5);
  expect_right<BF16>(kTilesOfFour, 8, 3);
  expect_right<BF16>(kTilesOfSix, 8, 2);
  EXPECT_NE(judged_alone(0.1, 4608, DType::kF32, {.transformed = true}), "");
}

}  // namespace
}  // namespace dlbench::backend::cuda
