// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/conv_check.h"

#include "engine/backend/cuda/kernels/conv_samples.h"
#include "engine/core/check.h"
#include "engine/core/rng.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

/// The extents of the result in memory order: outer, places, channels.
struct ResultShape {
  Index outer = 1;
  std::vector<std::int64_t> spatial;
  Index places = 1;
  Index channels = 1;
};

ResultShape result_shape(const ConvProblem& problem) {
  const std::vector<std::int64_t>& extents = result_extents(problem);
  ResultShape shape{
      .outer = extents[0], .spatial = {extents.begin() + 2, extents.end()}, .channels = extents[1]};
  for (const std::int64_t extent : shape.spatial) {
    shape.places *= extent;
  }
  return shape;
}

/// The place that is first, middle or last along each axis: the `index`th of 3^axes, with
/// repetitions if an axis has fewer than three.
Index edge(const ResultShape& shape, std::size_t index) {
  Index place = 0;
  for (const std::int64_t extent : shape.spatial) {
    const std::int64_t choices[3] = {0, extent - 1, extent / 2};
    place = place * extent + choices[index % 3];
    index /= 3;
  }
  return place;
}

/// The error limit of a sum in f32, in any order, by engines that may truncate instead of round.
double sum_limit(const ConvProblem& problem,
                 const ConvRounding& rounding,
                 double terms,
                 double size,       // of the sum
                 double own,        // root of the sum of squares of its products
                 double largest) {  // largest `own` of all samples
  constexpr double kLongestChain = 0x1p16;
  constexpr double kExactTerms = 0x1p19;
  const bool f32 = problem.dtype == core::DType::kF32;
  const bool tf32 = rounding.tf32 && f32;
  // In a chain of n additions each rounds a sum that grows like the square root of their number:
  // the errors add up to a fifth of 2^-23 sqrt(n) of the whole. Allowing for more than 2^16 terms
  // would let tf32 operands pass as f32; a chain of 2^21 still meets the limit (WrongPlan.*).
  double limit = own * 0x1p-23 * (64.0 + 8.0 * std::sqrt(std::min(terms, kLongestChain)));
  // Tensor cores truncate, always in one direction. Products of 16-bit values are multiples of
  // 2^-14 (random_value): their sums are exact below 2^10, which random sums of fewer terms are.
  if (tf32 || !f32) {
    limit += (own + size) * 0x1p-26 * (f32 ? terms : std::max(terms - kExactTerms, 0.0));
  }
  if (tf32) {
    limit += own * 0x1p-6;  // each product is too small by up to 2^-9
  }
  if (rounding.transformed) {
    // Rounding errors of a transform scale with all values of a tile: F(4x4, 3x3) in f32 loses
    // about 2^-17 of them, F(6x6, 3x3) with tiles stored in bf16 a fifth
    // (WrongPlan.IsNoneThatRoundsAsWinogradDoes), larger tiles more. So with 16-bit or tf32
    // operands such a plan is only checked for gross errors: a flipped filter, padding on the wrong
    // side.
    limit += largest * (problem.dtype == core::DType::kBF16          ? 0x1p-1
                        : problem.dtype == core::DType::kF16 || tf32 ? 0x1p-2
                                                                     : 0x1p-4);
  }
  return limit;
}

/// The error limit of storing numbers of this total size, also as partial sums, truncated or
/// rounded.
double storage_limit(core::DType dtype, double size) {
  switch (dtype) {
    case core::DType::kBF16:
      return size * 0x1p-6;
    case core::DType::kF16:
      return size * 0x1p-9 + 0x1p-23;  // below 2^-14 its numbers are 2^-24 apart
    default:
      return size * 0x1p-22;
  }
}

double bias_of(const ConvProblem& problem, Index offset) {
  if (!problem.epilogue.bias) {
    return 0.0;
  }
  const Index channel = offset % problem.y[1];
  float values[kRandomRun];
  visit_activation(problem.dtype, [&](auto type) {
    random_values<decltype(type)>(
        static_cast<std::uint32_t>(ConvOperand::kBias), channel / kRandomRun, values);
  });
  return static_cast<double>(values[channel % kRandomRun]);
}

std::string element_text(const ConvProblem& problem, Index offset) {
  const ResultShape shape = result_shape(problem);
  std::vector<Index> at(shape.spatial.size() + 2);
  at[1] = offset % shape.channels;
  offset /= shape.channels;
  for (std::size_t axis = shape.spatial.size(); axis-- > 0;) {
    at[axis + 2] = offset % shape.spatial[axis];
    offset /= shape.spatial[axis];
  }
  at[0] = offset;
  const char* const name = problem.direction == ConvDirection::kForward        ? "y"
                           : problem.direction == ConvDirection::kBackwardData ? "x"
                                                                               : "w";
  return fmt::format("{}[{}]", name, fmt::join(at, ", "));
}

}  // namespace

const std::vector<std::int64_t>& result_extents(const ConvProblem& problem) {
  switch (problem.direction) {
    case ConvDirection::kForward:
      return problem.y;
    case ConvDirection::kBackwardData:
      return problem.x;
    default:
      return problem.w;
  }
}

std::vector<Index> conv_samples(const ConvProblem& problem) {
  const ResultShape shape = result_shape(problem);
  std::size_t edges = 1;
  for (std::size_t axis = 0; axis < shape.spatial.size(); ++axis) {
    edges *= 3;
  }
  core::RandomStream random(0, 0);
  const auto below = [&](Index bound) {
    return static_cast<Index>(random.below(static_cast<std::uint32_t>(bound)));
  };
  std::vector<Index> offsets;
  for (std::size_t i = 0; i < kMaxConvSamples; ++i) {
    Index place = 0;
    if (shape.places <= kMaxConvSamples) {
      place = static_cast<Index>(i) % shape.places;
    } else {
      place = i < 2 * edges ? edge(shape, i / 2) : below(shape.places);
    }
    const Index outer = below(shape.outer);
    offsets.push_back((outer * shape.places + place) * shape.channels + below(shape.channels));
  }
  offsets.front() = 0;
  offsets.back() = shape.outer * shape.places * shape.channels - 1;
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

ConvSamplesArgs conv_samples_args(const ConvProblem& problem, std::vector<Index> offsets) {
  ConvSamplesArgs args{.direction = problem.direction,
                       .dtype = problem.dtype,
                       .batch = problem.x[0],
                       .channels = problem.x[1],
                       .filters = problem.w[0],
                       .groups = problem.x[1] / problem.w[1],
                       .offsets = std::move(offsets)};
  const std::size_t axes = problem.stride.size();
  for (std::size_t axis = 0; axis < axes; ++axis) {
    args.axes.at(axis + 3 - axes) = {.x = problem.x[axis + 2],
                                     .w = problem.w[axis + 2],
                                     .y = problem.y[axis + 2],
                                     .pad = problem.pad_begin[axis],
                                     .stride = problem.stride[axis],
                                     .dilation = problem.dilation[axis]};
  }
  return args;
}

std::string wrong_results(const ConvProblem& problem,
                          const ConvRounding& rounding,
                          std::span<const Index> offsets,
                          std::span<const double> sums,
                          std::span<const double> results) {
  DLBENCH_CHECK(sums.size() == 2 * offsets.size() && results.size() == offsets.size());
  const auto terms = static_cast<double>(conv_terms(conv_samples_args(problem, {})));
  double largest = 0.0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    largest = std::max(largest, std::sqrt(sums[2 * i + 1]));
  }
  std::string worst;
  double worst_excess = 0.0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const double sum = sums[2 * i];
    const double bias = bias_of(problem, offsets[i]);
    const double wanted = problem.epilogue.relu ? std::max(sum + bias, 0.0) : sum + bias;
    const double own = std::sqrt(sums[2 * i + 1]);
    const double limit = sum_limit(problem, rounding, terms, std::abs(sum), own, largest) +
                         storage_limit(problem.dtype, std::abs(sum) + std::abs(bias) + own);
    const double error = std::abs(results[i] - wanted);
    if (error <= limit) {
      continue;
    }
    ++wrong;
    const double excess = std::isnan(error) ? HUGE_VAL : error - limit;
    if (worst.empty() || excess > worst_excess) {
      worst_excess = excess;
      worst = fmt::format("computes {} = {:.6g}, wanted {:.6g} (limit {:.2g})",
                          element_text(problem, offsets[i]),
                          results[i],
                          wanted,
                          limit);
    }
  }
  return wrong == 0 ? ""
                    : fmt::format("{}; {} of {} results are wrong", worst, wrong, offsets.size());
}

}  // namespace dlbench::backend::cuda
