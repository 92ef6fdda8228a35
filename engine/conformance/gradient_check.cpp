// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/gradient_check.h"

#include "engine/conformance/case_run.h"
#include "engine/core/rng.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <set>

namespace dlbench::conformance {
namespace {

constexpr double kStep = 1e-4;
constexpr std::int64_t kElements = 48;
// Extrapolated differences in f64 are accurate to 1e-10 here; a wrong rule is off by a per cent.
constexpr double kTolerance = 1e-6;
// Limit for the difference between the two step sizes: h^2 terms contribute 1e-8 to 1e-7, a kink at
// distance d from the point about 1 or d / h.
constexpr double kKink = 1e-6;
constexpr double kMaxKinks = 0.25;
// A gradient whose true value is zero (of a bias before batch norm) shows only rounding errors:
// errors are relative to at least this part of the largest gradient of the case.
constexpr double kSmallestScale = 1e-3;

double largest(const core::HostTensor& tensor) {
  double size = 0;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    size = std::max(size, std::abs(tensor.at(i)));
  }
  return size;
}

class Checker {
 public:
  Checker(backend::Backend& backend, const OpCase& spec)
      : backend_(backend),
        full_(make_case_graph(spec, core::DType::kF64)),
        forward_(make_case_graph(spec, core::DType::kF64, Nodes::kForward)) {}

  std::vector<GradientCheck> run() {
    if (full_.gradients.empty()) {
      return {};
    }
    const TensorsByName results = CaseRun(backend_, full_).run(full_.contents);
    const auto analytic = [&](const OperandGradient& gradient) -> const core::HostTensor& {
      return gradient.is_input ? full_.contents.at(gradient.result) : results.at(gradient.result);
    };
    double largest_of_case = 0;
    for (const OperandGradient& gradient : full_.gradients) {
      largest_of_case = std::max(largest_of_case, largest(analytic(gradient)));
    }
    run_ = std::make_unique<CaseRun>(backend_, forward_);
    for (const auto& [name, tensor] : forward_.contents) {
      run_->write(name, tensor);
    }
    std::vector<GradientCheck> checks;
    for (const OperandGradient& gradient : full_.gradients) {
      checks.push_back(
          check(gradient.operand, analytic(gradient), kSmallestScale * largest_of_case));
    }
    return checks;
  }

 private:
  /// Returns L with element `index` of `operand` changed by `delta`.
  double loss(const std::string& operand, std::int64_t index, double delta) {
    core::HostTensor& tensor = forward_.contents.at(operand);
    const double before = tensor.at(index);
    tensor.set(index, before + delta);
    run_->write(operand, tensor);
    run_->execute();
    tensor.set(index, before);
    run_->write(operand, tensor);
    double sum = 0;
    for (const std::string& name : forward_.weighted) {
      const core::HostTensor output = run_->read_output(name);
      const core::HostTensor& weight = full_.contents.at("seed_" + name);
      for (std::int64_t i = 0; i < output.elements(); ++i) {
        sum += output.at(i) * weight.at(i);
      }
    }
    return sum;
  }

  double central_difference(const std::string& operand, std::int64_t index, double step) {
    return (loss(operand, index, step) - loss(operand, index, -step)) / (2 * step);
  }

  static std::set<std::int64_t> elements_to_check(std::int64_t count) {
    std::set<std::int64_t> chosen;
    core::RandomStream random(1, static_cast<std::uint64_t>(count));
    while (static_cast<std::int64_t>(chosen.size()) < std::min(count, kElements)) {
      chosen.insert(count <= kElements ? static_cast<std::int64_t>(chosen.size())
                                       : random.below(static_cast<std::uint32_t>(count)));
    }
    return chosen;
  }

  GradientCheck check(const std::string& operand,
                      const core::HostTensor& analytic,
                      double smallest_scale) {
    GradientCheck result{.operand = operand};
    const double scale = std::max(largest(analytic), smallest_scale);
    std::string worst_text;
    for (const std::int64_t index : elements_to_check(analytic.elements())) {
      const double coarse = central_difference(operand, index, kStep);
      const double fine = central_difference(operand, index, kStep / 2);
      const double numeric = (4 * fine - coarse) / 3;
      if (std::abs(fine - coarse) > kKink * std::max(scale, std::abs(numeric))) {
        ++result.kinks;
        continue;
      }
      ++result.checked;
      const double unit = std::max(scale, std::abs(numeric));
      const double error = std::abs(analytic.at(index) - numeric) / unit;
      if (!(error <= result.worst)) {
        result.worst = std::isfinite(error) ? error : INFINITY;
        worst_text = fmt::format("element {}: gradient {:.9g}, central difference {:.9g}",
                                 index,
                                 analytic.at(index),
                                 numeric);
      }
    }
    const int tried = result.checked + result.kinks;
    if (scale == 0) {
      result.detail = "every gradient is zero: the check proves nothing";
    } else if (result.kinks > kMaxKinks * tried) {
      result.detail = fmt::format("{} of {} elements lie at a kink", result.kinks, tried);
    } else if (result.worst > kTolerance) {
      result.detail = worst_text;
    }
    result.passed = result.detail.empty();
    return result;
  }

  backend::Backend& backend_;
  CaseGraph full_;
  CaseGraph forward_;  ///< its contents are varied during the check
  std::unique_ptr<CaseRun> run_;
};

}  // namespace

std::vector<GradientCheck> check_gradients(backend::Backend& backend, const OpCase& spec) {
  if (!spec.smooth) {
    return {};
  }
  return Checker(backend, spec).run();
}

}  // namespace dlbench::conformance
