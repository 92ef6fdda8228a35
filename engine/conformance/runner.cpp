// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/runner.h"

#include "engine/conformance/compare.h"
#include "engine/conformance/gradient_check.h"
#include "engine/conformance/tolerance.h"
#include "engine/core/error.h"
#include "engine/core/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>
#include <utility>

namespace dlbench::conformance {
namespace {

std::string repro_of(const CaseResult& result, std::string_view backend) {
  return fmt::format(
      "dlbench verify --op {} --case {} --backend {}", result.op, result.index, backend);
}

CaseResult start_result(const backend::Backend& backend, const Case& item) {
  CaseResult result{
      .op = item.name(), .index = item.index, .note = item.spec->note, .dtype = item.dtype};
  result.repro = repro_of(result, backend.name());
  return result;
}

/// The results of a run, passed to the listener as they come.
class Results {
 public:
  Results(const Filter& filter, const ResultListener& listener)
      : filter_(filter), listener_(listener) {}

  void add(CaseResult result) {
    if (!filter_.backend.empty()) {
      result.repro = repro_of(result, filter_.backend);
    }
    if (listener_) {
      listener_(result);
    }
    results_.push_back(std::move(result));
  }
  [[nodiscard]] std::vector<CaseResult> take() && { return std::move(results_); }

 private:
  const Filter& filter_;
  const ResultListener& listener_;
  std::vector<CaseResult> results_;
};

Outcome outcome_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAgrees:
      return Outcome::kPassed;
    case Verdict::kDiffers:
      return Outcome::kFailed;
    case Verdict::kMistrusted:
      return Outcome::kMistrusted;
  }
  return Outcome::kFailed;
}

Outcome outcome_of(const core::Error& error, const backend::Backend& backend, const OpCase& spec) {
  if (error.code() != core::ErrorCode::kUnavailable) {
    return Outcome::kFailed;
  }
  const bool serves_all = std::ranges::all_of(
      spec.serves, [&](core::DType dtype) { return backend.supports(dtype, nullptr); });
  return serves_all ? Outcome::kRefused : Outcome::kUnimplemented;
}

/// Called from a handler of `error`: rethrows it if it ends the run.
void rethrow_if_it_ends_the_run(const core::Error& error, const Case& item) {
  if (core::ended_early(error.code())) {
    throw;
  }
  if (error.code() == core::ErrorCode::kRun) {
    throw core::Error(error.code(),
                      fmt::format("{} case {}: {}", item.name(), item.index, error.what()));
  }
}

Arithmetic arithmetic_of(const CaseOptions& how) {
  if (how.allow_tf32) {
    return Arithmetic::kTf32;
  }
  return how.conv_algorithm == backend::ConvAlgorithm::kDirect ? Arithmetic::kDirect
                                                               : Arithmetic::kWinograd;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// An error relative to its tolerance; a tolerance of 0 allows no error.
double used(double error, double tolerance) {
  return tolerance > 0 ? error / tolerance : (error > 0 ? INFINITY : 0.0);
}

void compare_results(const TensorsByName& got,
                     const TensorsByName& want,
                     const OpCase& spec,
                     Arithmetic arithmetic,
                     CaseResult& result) {
  for (const auto& [name, expected] : want) {
    const bool integers = !core::is_float(expected.dtype());
    const Tolerance bound =
        tolerance(integers ? Accuracy::kExact : spec.accuracy, expected.dtype(), arithmetic);
    const Comparison comparison =
        compare(got.at(name),
                expected,
                {.tolerance = bound.relative,
                 // Positions, steps and counts may rightly be zero.
                 .may_be_mostly_zero = integers || contains(spec.mostly_zero, name)});
    if (used(comparison.worst, bound.relative) > used(result.worst_error, result.tolerance) ||
        result.tolerance == 0.0) {
      result.worst_error = comparison.worst;
      result.tolerance = bound.relative;
    }
    if (comparison.verdict != Verdict::kAgrees && result.outcome != Outcome::kFailed) {
      result.outcome = outcome_of(comparison.verdict);
      result.detail = name + ' ' + comparison.detail;
    }
  }
}

}  // namespace

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "passed";
    case Outcome::kFailed:
      return "FAILED";
    case Outcome::kMistrusted:
      return "MISTRUSTED";
    case Outcome::kRefused:
      return "REFUSED";
    case Outcome::kUnimplemented:
      return "unimplemented";
  }
  return "";
}

std::vector<Case> select_cases(const Filter& filter) {
  if (!filter.op.empty()) {
    const std::vector<std::string> names = case_names();
    if (!contains(names, filter.op)) {
      throw core::Error(core::ErrorCode::kUsage,
                        core::unknown_name_message("op", filter.op, names));
    }
  } else if (filter.index.has_value()) {
    throw core::Error(core::ErrorCode::kUsage,
                      "--case needs the --op that it is of, not all: numbers count within one");
  }
  std::vector<Case> selected;
  int last = -1;
  for (const Case& item : all_cases()) {
    if (filter.op.empty() || item.name() == filter.op) {
      last = item.index;
      if (!filter.index.has_value() || *filter.index == item.index) {
        selected.push_back(item);
      }
    }
  }
  if (selected.empty()) {
    throw core::Error(
        core::ErrorCode::kUsage,
        fmt::format("{} has no case {}; its cases are 0 to {}", filter.op, *filter.index, last));
  }
  return selected;
}

CaseResult run_case(backend::Backend& backend,
                    backend::Backend& oracle,
                    const Case& item,
                    const CaseOptions& how) {
  CaseResult result = start_result(backend, item);
  const CaseGraph graph = make_case_graph(*item.spec, item.dtype);
  TensorsByName got;
  if (!backend.supports(item.dtype, &result.detail)) {
    result.outcome = Outcome::kUnimplemented;
    return result;
  }
  try {
    got = CaseRun(backend, graph, how).run(graph.contents);
  } catch (const core::Error& error) {
    rethrow_if_it_ends_the_run(error, item);
    result.outcome = outcome_of(error, backend, *item.spec);
    result.detail = error.what();
    return result;
  } catch (const std::exception& error) {
    // A broken check or a bug in the backend: the other cases still run.
    result.outcome = Outcome::kFailed;
    result.detail = std::string("threw ") + error.what();
    return result;
  }
  const TensorsByName want = CaseRun(oracle, graph).run(graph.contents);
  compare_results(got, want, *item.spec, arithmetic_of(how), result);
  return result;
}

std::vector<CaseResult> run_cases(backend::Backend& backend,
                                  const Filter& filter,
                                  const ResultListener& listener) {
  const auto oracle = backend::create_backend("ref", {.threads = backend.device().threads});
  Results results(filter, listener);
  for (const Case& item : select_cases(filter)) {
    results.add(
        run_case(backend,
                 *oracle,
                 item,
                 {.conv_algorithm = filter.conv_algorithm, .allow_tf32 = filter.allow_tf32}));
  }
  return std::move(results).take();
}

std::vector<CaseResult> run_gradient_checks(backend::Backend& backend,
                                            const Filter& filter,
                                            const ResultListener& listener) {
  Results results(filter, listener);
  std::set<const OpCase*> done;
  for (const Case& item : select_cases(filter)) {
    if (!done.insert(item.spec).second) {
      continue;
    }
    const std::vector<GradientCheck> checks = check_gradients(backend, *item.spec);
    if (checks.empty()) {
      continue;
    }
    CaseResult result = start_result(backend, item);
    result.dtype = core::DType::kF64;
    for (const GradientCheck& check : checks) {
      result.worst_error = std::max(result.worst_error, check.worst);
      if (!check.passed && result.outcome == Outcome::kPassed) {
        result.outcome = Outcome::kFailed;
        result.detail = "gradient of " + check.operand + ": " + check.detail;
      }
    }
    results.add(std::move(result));
  }
  return std::move(results).take();
}

std::string describe(const CaseResult& result) {
  std::string line = fmt::format("{} {} case {} ({}, {})",
                                 name(result.outcome),
                                 result.op,
                                 result.index,
                                 result.note,
                                 core::name(result.dtype));
  if (result.outcome != Outcome::kPassed) {
    line += ": " + result.detail;
  }
  if (result.outcome != Outcome::kPassed && result.outcome != Outcome::kUnimplemented) {
    line += "; rerun: " + result.repro;
  }
  return line;
}

}  // namespace dlbench::conformance
