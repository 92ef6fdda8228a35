// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The samples that plans of cuDNN are checked with, on the host: what the own kernel makes of them
// against ref, and which results pass.
#include "engine/backend/cuda/conv_check.h"

#include "engine/backend/cuda/kernels/conv_samples.h"
#include "engine/backend/fusion.h"
#include "engine/conformance/case_graph.h"
#include "engine/conformance/op_case.h"
#include "engine/core/dtype.h"
#include "tests/engine/backend/cuda/host_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using core::DType;
using graph::OpKind;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Extents = std::vector<std::int64_t>;

constexpr ConvDirection kDirections[] = {
    ConvDirection::kForward, ConvDirection::kBackwardData, ConvDirection::kBackwardWeights};

std::int64_t count_of(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

/// An operand in memory, aligned to 16 bytes.
class OperandMemory {
 public:
  OperandMemory(DType dtype, const Extents& extents, ConvOperand operand)
      : dtype_(dtype), count_(count_of(extents)), words_(words()) {
    launch_random_values({.y = data(),
                          .dtype = dtype,
                          .elements = count_,
                          .seed = static_cast<std::uint32_t>(operand)},
                         nullptr);
  }
  [[nodiscard]] void* data() { return words_.data(); }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] double at(Index offset) {
    double value = 0;
    launch_gather({.x = data(), .dtype = dtype_, .offsets = {offset}, .y = &value}, nullptr);
    return value;
  }
  void fill_with_nan() { std::fill(words_.begin(), words_.end(), Word{~0ULL, ~0ULL}); }

 private:
  struct alignas(16) Word {
    std::uint64_t half[2];
  };
  [[nodiscard]] std::size_t words() const {
    return (static_cast<std::size_t>(count_) * core::size_of(dtype_) + 15) / 16;
  }

  DType dtype_;
  std::int64_t count_;
  std::vector<Word> words_;
};

/// A problem with its operands, and the result of whoever ran on them.
struct Tried {
  explicit Tried(ConvProblem asked)
      : problem(std::move(asked)),
        x(problem.dtype, problem.x, ConvOperand::kX),
        w(problem.dtype, problem.w, ConvOperand::kW),
        y(problem.dtype, problem.y, ConvOperand::kY),
        bias(problem.dtype, {problem.y[1]}, ConvOperand::kBias),
        offsets(conv_samples(problem)) {}

  OperandMemory& result() {
    return problem.direction == ConvDirection::kForward        ? y
           : problem.direction == ConvDirection::kBackwardData ? x
                                                               : w;
  }
  std::vector<double> sums() {
    ConvSamplesArgs args = conv_samples_args(problem, offsets);
    std::vector<double> made(2 * offsets.size());
    args.x = x.data();
    args.w = w.data();
    args.y = y.data();
    args.sums = made.data();
    launch_conv_samples(args, nullptr);
    return made;
  }
  /// By ref, as if the problem were `another` of the same extents.
  std::vector<double> results(const ConvProblem& another, bool tf32 = false) {
    HostContractions contractions;
    contractions.set_tf32(tf32);
    result().fill_with_nan();
    contractions.convolution(another, "")
        .run({.x = x.data(), .w = w.data(), .y = y.data(), .bias = bias.data()});
    std::vector<double> got(offsets.size());
    launch_gather(
        {.x = result().data(), .dtype = problem.dtype, .offsets = offsets, .y = got.data()},
        nullptr);
    return got;
  }
  std::vector<double> results() { return results(problem); }
  std::string wrong(const std::vector<double>& got, const ConvRounding& rounding = {}) {
    return wrong_results(problem, rounding, offsets, sums(), got);
  }

  ConvProblem problem;
  OperandMemory x;
  OperandMemory w;
  OperandMemory y;
  OperandMemory bias;
  std::vector<Index> offsets;
};

/// 3x3 or 3x3x3, of uneven padding.
ConvProblem uneven_problem(ConvDirection direction, DType dtype, int axes = 2) {
  const bool flat = axes == 2;
  return {.direction = direction,
          .dtype = dtype,
          .x = flat ? Extents{2, 16, 14, 13} : Extents{2, 8, 6, 7, 8},
          .w = flat ? Extents{24, 16, 3, 3} : Extents{16, 8, 3, 3, 3},
          .y = flat ? Extents{2, 24, 7, 7} : Extents{2, 16, 3, 4, 4},
          .pad_begin = Extents(static_cast<std::size_t>(axes), 0),
          .pad_end = flat ? Extents{1, 2} : Extents{1, 2, 1},
          .stride = Extents(static_cast<std::size_t>(axes), 2),
          .dilation = Extents(static_cast<std::size_t>(axes), 1)};
}

bool convolves(OpKind op) {
  return op == OpKind::kConv || op == OpKind::kConvTranspose || op == OpKind::kConvBackwardData ||
         op == OpKind::kConvBackwardWeights;
}

std::map<std::string, ConvProblem> problems_of_cases() {
  std::map<std::string, ConvProblem> problems;
  for (const conformance::Case& item : conformance::all_cases()) {
    if (item.dtype == DType::kF64) {
      continue;
    }
    const conformance::CaseGraph made = conformance::make_case_graph(*item.spec, item.dtype);
    const Fusion fusion(made.graph, {});
    const ChannelPadding padding(made.graph, fusion);
    for (const graph::Node& node : made.graph.nodes()) {
      if (convolves(node.op)) {
        ConvProblem asked =
            conv_problem(made.graph, node, padding, epilogue_of(node, fusion.group_of(node.id)));
        problems.emplace(asked.text(), std::move(asked));
      }
    }
  }
  return problems;
}

// ref sums in double as well: what is between them is one rounding to the result's dtype.
TEST(ConvSamples, AreWhatRefComputesInEveryConvolutionOfTheCases) {
  const auto problems = problems_of_cases();
  EXPECT_GT(problems.size(), 300U);
  for (const auto& [text, asked] : problems) {
    Tried tried(asked);
    tried.problem.epilogue = {};
    const std::vector<double> sums = tried.sums();
    const std::vector<double> got = tried.results();
    const double unit = asked.dtype == DType::kF32   ? 0x1p-23
                        : asked.dtype == DType::kF16 ? 0x1p-10
                                                     : 0x1p-7;
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], sums[2 * i], 0.51 * unit * std::abs(sums[2 * i]) + 0x1p-25)
          << text << " at " << tried.offsets[i];
    }
    EXPECT_EQ(tried.wrong(got), "") << text;
    tried.problem.epilogue = asked.epilogue;
    EXPECT_EQ(tried.wrong(tried.results()), "") << text;
  }
}

TEST(ConvSamples, AreCornersEdgesAndEveryTap) {
  for (const int axes : {2, 3}) {
    const ConvProblem gradient = uneven_problem(ConvDirection::kBackwardWeights, DType::kF32, axes);
    const Index taps = axes == 2 ? 9 : 27;
    std::set<Index> seen;
    for (const Index offset : conv_samples(gradient)) {
      seen.insert(offset / gradient.w[1] % taps);
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(taps));
  }
  ConvProblem wide = uneven_problem(ConvDirection::kForward, DType::kF32);
  wide.x = {2, 16, 64, 60};
  wide.y = {2, 24, 32, 30};
  std::set<Index> seen;
  const std::vector<Index> offsets = conv_samples(wide);
  for (const Index offset : offsets) {
    EXPECT_LT(offset, count_of(wide.y));
    seen.insert(offset / 24 % (32 * 30));
  }
  for (const Index place : {0, 15, 29, 16 * 30, 16 * 30 + 29, 31 * 30, 31 * 30 + 29}) {
    EXPECT_EQ(seen.count(place), 1U) << place;
  }
  EXPECT_GT(seen.size(), 90U);
  EXPECT_EQ(offsets.front(), 0);
  EXPECT_EQ(offsets.back(), count_of(wide.y) - 1);
}

TEST(ConvSamples, HaveOperandsThatSixteenBitsHold) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    OperandMemory values(dtype, {1, 7, 11, 13}, ConvOperand::kX);
    double sum = 0;
    double squares = 0;
    std::set<double> distinct;
    for (Index i = 0; i < values.count(); ++i) {
      const double value = values.at(i);
      if (dtype != DType::kF32) {
        EXPECT_EQ(value * 128, std::round(value * 128));
      }
      ASSERT_LE(std::abs(value), 1.0);
      sum += value;
      squares += value * value;
      distinct.insert(value);
    }
    const auto count = static_cast<double>(values.count());
    EXPECT_NEAR(sum / count, 0.0, 0.08);
    EXPECT_NEAR(squares / count, 1.0 / 3, 0.05);
    EXPECT_GT(distinct.size(), dtype == DType::kF32 ? 990U : 240U);
  }
}

struct Asked {
  ConvDirection direction;
  DType dtype;
  int axes;
};
class WrongPlans : public ::testing::TestWithParam<Asked> {
 protected:
  /// Even where a plan may round most.
  void expect_found(const std::vector<double>& got) {
    for (const bool tf32 : {false, true}) {
      for (const bool transformed : {false, true}) {
        EXPECT_NE(tried.wrong(got, {.tf32 = tf32, .transformed = transformed}), "")
            << tf32 << transformed;
      }
    }
  }

  Tried tried{uneven_problem(GetParam().direction, GetParam().dtype, GetParam().axes)};
};

TEST_P(WrongPlans, AreNotThoseThatAreRight) {
  EXPECT_EQ(tried.wrong(tried.results()), "");
  EXPECT_EQ(tried.wrong(tried.results(tried.problem, true), {.tf32 = true}), "");
}

TEST_P(WrongPlans, AreFoundByWhatTheyDoNotWrite) {
  std::vector<double> got = tried.results();
  got.back() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(tried.wrong(got), HasSubstr("= nan, wanted "));
  EXPECT_THAT(tried.wrong(got), HasSubstr("; 1 of "));
}

TEST_P(WrongPlans, AreFoundByPaddingOnTheOtherSide) {
  ConvProblem other = tried.problem;
  std::swap(other.pad_begin, other.pad_end);
  expect_found(tried.results(other));
}

TEST_P(WrongPlans, AreFoundByAFilterThatIsTurned) {
  // Each tap in the place of the one across: of a gradient its result, else what it reads.
  std::vector<double> got = tried.results();
  if (tried.problem.direction == ConvDirection::kBackwardWeights) {
    const Index taps = count_of(tried.problem.w) / tried.problem.w[0] / tried.problem.w[1];
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Index channel = tried.offsets[i] % tried.problem.w[1];
      const Index tap = tried.offsets[i] / tried.problem.w[1] % taps;
      const Index filter = tried.offsets[i] / tried.problem.w[1] / taps;
      got[i] = tried.w.at((filter * taps + taps - 1 - tap) * tried.problem.w[1] + channel);
    }
    expect_found(got);
    return;
  }
  Tried turned = tried;
  const Index channels = tried.problem.w[1];
  const Index taps = count_of(tried.problem.w) / tried.problem.w[0] / channels;
  const std::size_t bytes = core::size_of(tried.problem.dtype) * static_cast<std::size_t>(channels);
  const auto* from = static_cast<const std::byte*>(tried.w.data());
  auto* to = static_cast<std::byte*>(turned.w.data());
  for (Index row = 0; row < tried.problem.w[0] * taps; ++row) {
    const Index across = row / taps * taps + taps - 1 - row % taps;
    std::copy_n(from + static_cast<std::size_t>(across) * bytes,
                bytes,
                to + static_cast<std::size_t>(row) * bytes);
  }
  expect_found(turned.results());
}

// One product too many or too few in what lies at the end of the last axis.
TEST_P(WrongPlans, AreFoundByOneTapAtTheBorder) {
  std::vector<double> got = tried.results();
  const Extents& extents = result_extents(tried.problem);
  int spoilt = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (tried.offsets[i] / extents[1] % extents.back() == extents.back() - 1) {
      got[i] += 0.5;
      ++spoilt;
    }
  }
  EXPECT_GT(spoilt, 3);
  EXPECT_NE(tried.wrong(got), "");
}

TEST_P(WrongPlans, AreFoundByTf32InStrictF32) {
  const std::string wrong = tried.wrong(tried.results(tried.problem, true));
  EXPECT_EQ(wrong.empty(), tried.problem.dtype != DType::kF32) << wrong;
}

std::vector<Asked> all_asked() {
  std::vector<Asked> all;
  for (const ConvDirection direction : kDirections) {
    for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
      for (const int axes : {2, 3}) {
        all.push_back({direction, dtype, axes});
      }
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Kinds, WrongPlans, ::testing::ValuesIn(all_asked()), [](const auto& test) {
  return std::string(name(test.param.direction)) + "_" + std::string(core::name(test.param.dtype)) +
         "_" + std::to_string(test.param.axes);
});

TEST(WrongPlan, IsFoundByABiasThatIsNotAdded) {
  for (const bool relu : {false, true}) {
    ConvProblem with_bias = uneven_problem(ConvDirection::kForward, DType::kBF16);
    with_bias.epilogue = {.bias = true, .relu = relu};
    Tried tried(with_bias);
    EXPECT_EQ(tried.wrong(tried.results()), "");
    ConvProblem without = with_bias;
    without.epilogue = {};
    EXPECT_NE(tried.wrong(tried.results(without)), "");
  }
}

TEST(WrongPlan, IsToldByItsWorstElement) {
  const ConvProblem asked = uneven_problem(ConvDirection::kBackwardWeights, DType::kF32);
  const std::vector<Index> offsets{0, ((3 * 3 + 2) * 3 + 1) * 16 + 5};
  EXPECT_THAT(
      wrong_results(asked, {}, offsets, std::vector{1.0, 1.0, 0.4, 1.0}, std::vector{1.0, 1.2}),
      StartsWith("computes w[3, 5, 2, 1] = 1.2, wanted 0.4 (limit "));
}

}  // namespace
}  // namespace dlbench::backend::cuda
