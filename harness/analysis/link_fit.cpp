// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/link_fit.h"

#include "engine/core/check.h"
#include "harness/analysis/least_squares.h"
#include "reports/statistics_records.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

namespace dlbench::harness {
namespace {

using reports::Interval;

/// Order of the coefficients: among indistinguishable features the earlier one is kept, so a
/// latency rather than an overhead.
enum Feature : std::size_t { kAlpha, kBeta, kInsideAlpha, kInsideBeta, kOverhead };

std::vector<double> features_of(const CollectiveTime& collective,
                                Medium medium,
                                std::int64_t node_ranks) {
  const comm::LinkLoad load =
      comm::link_load(collective.op, collective.bytes, collective.ranks, node_ranks);
  const double carried = medium == Medium::kShared ? static_cast<double>(collective.ranks) : 1.0;
  if (node_ranks == 0) {
    return {load.between_messages, load.between_bytes * carried, 1.0};
  }
  return {load.between_messages, load.between_bytes, load.inside_messages, load.inside_bytes, 1.0};
}

std::vector<std::vector<double>> features_of(const std::vector<CollectiveTime>& measured,
                                             Medium medium,
                                             std::int64_t node_ranks) {
  std::vector<std::vector<double>> rows;
  rows.reserve(measured.size());
  for (const CollectiveTime& collective : measured) {
    rows.push_back(features_of(collective, medium, node_ranks));
  }
  return rows;
}

/// Returns Akaike's criterion for a regression with normal errors relative to the expected values;
/// smaller is better. `corrected` for few measurements (Burnham and Anderson 2002, "Model selection
/// and multimodel inference", section 2.4), infinite if these are too few for the parameters.
/// Rounded, so that networks that differ only by rounding are equal.
double criterion_of(const RelativeFit& fit, std::int64_t choices, bool corrected) {
  constexpr double kSmallest = 1e-24;  // an exact fit: keep the logarithm finite
  constexpr double kGrain = 1e-6;
  const auto count = static_cast<double>(fit.linear.n);
  const auto parameters = static_cast<double>(fit.linear.free + choices + 1);  // 1: the variance
  double deviance = count * std::log(std::max(fit.linear.weighted_squares / count, kSmallest));
  for (const double expected : fit.expected) {
    deviance += 2.0 * std::log(expected);  // the standard deviation of each is a share of it
  }
  double penalty = 2.0 * parameters;
  if (corrected) {
    const double spare = count - parameters - 1.0;
    penalty += spare > 0.0 ? 2.0 * parameters * (parameters + 1.0) / spare
                           : std::numeric_limits<double>::infinity();
  }
  return std::round((deviance + penalty) / kGrain) * kGrain;
}

}  // namespace

struct LinkFitter::Candidate {
  Medium medium;
  std::int64_t node_ranks;
  std::vector<std::vector<double>> features;
  RelativeFit fit;  ///< to the measured times
  double criterion = 0.0;

  /// Parameters beside the coefficients: the size of the nodes, where there are such.
  [[nodiscard]] std::int64_t choices() const { return node_ranks > 0 ? 1 : 0; }

  [[nodiscard]] LinkFit link_fit(const LinearFit& linear) const {
    const bool two_levels = node_ranks > 0;
    const std::size_t overhead = two_levels ? std::size_t{kOverhead} : 2U;
    LinkFit result;
    result.link = {medium,
                   node_ranks,
                   linear.coefficients[overhead],
                   linear.coefficients[kAlpha],
                   linear.coefficients[kBeta],
                   two_levels ? linear.coefficients[kInsideAlpha] : 0.0,
                   two_levels ? linear.coefficients[kInsideBeta] : 0.0};
    result.overhead_s = linear.interval(overhead);
    result.alpha_s = linear.interval(kAlpha);
    result.beta_s_per_byte = linear.interval(kBeta);
    if (two_levels) {
      result.inside_alpha_s = linear.interval(kInsideAlpha);
      result.inside_beta_s_per_byte = linear.interval(kInsideBeta);
    }
    result.n = linear.n;
    result.free = linear.free;
    result.residual = linear.residual();
    return result;
  }
};

LinkFitter::~LinkFitter() = default;
LinkFitter::LinkFitter(LinkFitter&&) noexcept = default;
LinkFitter& LinkFitter::operator=(LinkFitter&&) noexcept = default;

LinkFitter::LinkFitter(std::vector<CollectiveTime> measured, std::optional<std::int64_t> node_ranks)
    : measured_(std::move(measured)) {
  DLBENCH_CHECK(!measured_.empty()) << "no collective";
  DLBENCH_CHECK(!node_ranks.has_value() || *node_ranks == 0 || *node_ranks >= 2) << *node_ranks;
  std::set<std::int64_t> sizes;
  std::vector<double> time_s;
  for (const CollectiveTime& collective : measured_) {
    DLBENCH_CHECK(collective.ranks >= 2 && collective.time_s > 0.0)
        << collective.ranks << " ranks, " << collective.time_s << " s";
    sizes.insert(collective.ranks);
    time_s.push_back(collective.time_s);
  }
  const auto add = [&](Medium medium, std::int64_t in_node) {
    Candidate candidate{medium, in_node, features_of(measured_, medium, in_node), {}};
    candidate.fit = fit_relative(candidate.features, time_s, time_s);
    candidate.criterion = criterion_of(candidate.fit, candidate.choices(), true);
    candidates_.push_back(std::move(candidate));
  };
  add(Medium::kSwitched, 0);
  add(Medium::kShared, 0);
  if (node_ranks.has_value()) {
    sizes = {*node_ranks, *sizes.rbegin()};
  }
  for (const std::int64_t size : sizes) {
    if (size > 0 && size < *sizes.rbegin()) {
      add(Medium::kSwitched, size);
    }
  }
  const bool too_few = std::ranges::none_of(
      candidates_, [](const Candidate& each) { return std::isfinite(each.criterion); });
  for (Candidate& candidate : candidates_) {
    if (too_few) {  // measurements for any of them: what fits best with what it takes
      candidate.criterion = criterion_of(candidate.fit, candidate.choices(), false);
    }
  }
  std::stable_sort(candidates_.begin(), candidates_.end(), [](const auto& left, const auto& right) {
    return left.criterion < right.criterion;
  });
  double sum = 0.0;
  for (const Candidate& candidate : candidates_) {
    fits_.push_back(candidate.link_fit(candidate.fit.linear));
    fits_.back().weight = std::exp(0.5 * (candidates_.front().criterion - candidate.criterion));
    sum += fits_.back().weight;
  }
  for (LinkFit& fit : fits_) {
    fit.weight /= sum;
  }
}

LinkFit LinkFitter::refit(std::size_t index, std::span<const double> time_s) const {
  const Candidate& candidate = candidates_.at(index);
  return candidate.link_fit(
      fit_relative(candidate.features, time_s, candidate.fit.expected).linear);
}

double collective_s(const LinkParameters& link,
                    comm::Collective op,
                    double bytes,
                    std::int64_t ranks) {
  if (ranks == 1) {
    return 0.0;
  }
  const comm::LinkLoad load = comm::link_load(op, bytes, ranks, link.node_ranks);
  const double carried = link.medium == Medium::kShared ? static_cast<double>(ranks) : 1.0;
  return link.overhead_s + load.between_messages * link.alpha_s +
         load.between_bytes * carried * link.beta_s_per_byte +
         load.inside_messages * link.inside_alpha_s +
         load.inside_bytes * link.inside_beta_s_per_byte;
}

namespace {

std::optional<reports::IntervalRecord> fitted_ci95(const std::optional<Interval>& interval) {
  return interval.has_value() ? std::optional(reports::interval_record(*interval)) : std::nullopt;
}

}  // namespace

std::optional<reports::LinkRecord> fit_line(std::span<const double> bytes,
                                            std::span<const double> time_s) {
  DLBENCH_CHECK(bytes.size() == time_s.size()) << bytes.size() << " sizes";
  constexpr std::size_t kMinSizes = 3;
  if (bytes.size() < kMinSizes ||
      std::all_of(bytes.begin(), bytes.end(), [&](double value) { return value == bytes[0]; }) ||
      std::any_of(time_s.begin(), time_s.end(), [](double value) { return !(value > 0.0); })) {
    return std::nullopt;
  }
  std::vector<std::vector<double>> rows;
  rows.reserve(bytes.size());
  for (const double size : bytes) {
    rows.push_back({1.0, size});
  }
  const LinearFit line = fit_relative(rows, time_s, time_s).linear;
  return reports::LinkRecord{.alpha_s = line.coefficients[0],
                             .alpha_s_ci95 = fitted_ci95(line.interval(0)),
                             .beta_s_per_byte = line.coefficients[1],
                             .beta_s_per_byte_ci95 = fitted_ci95(line.interval(1)),
                             .residual = line.residual()};
}

reports::LinkFitRecord link_fit_record(const LinkFit& fit, const char* source) {
  reports::LinkFitRecord record;
  record.medium = fit.link.medium == Medium::kShared ? "shared" : "switched";
  record.overhead_s = fit.link.overhead_s;
  record.overhead_s_ci95 = fitted_ci95(fit.overhead_s);
  record.alpha_s = fit.link.alpha_s;
  record.alpha_s_ci95 = fitted_ci95(fit.alpha_s);
  record.beta_s_per_byte = fit.link.beta_s_per_byte;
  record.beta_s_per_byte_ci95 = fitted_ci95(fit.beta_s_per_byte);
  if (fit.link.node_ranks > 0) {
    record.node_ranks = fit.link.node_ranks;
    record.inside =
        reports::LinkRecord{.alpha_s = fit.link.inside_alpha_s,
                            .alpha_s_ci95 = fitted_ci95(fit.inside_alpha_s),
                            .beta_s_per_byte = fit.link.inside_beta_s_per_byte,
                            .beta_s_per_byte_ci95 = fitted_ci95(fit.inside_beta_s_per_byte),
                            .residual = std::nullopt};
  }
  record.n = fit.n;
  record.residual = fit.residual;
  record.source = source;
  return record;
}

}  // namespace dlbench::harness
