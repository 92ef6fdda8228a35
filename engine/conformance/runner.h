// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs conformance cases, for the tests and for `dlbench verify --op`.
#pragma once

#include "engine/backend/backend.h"
#include "engine/conformance/case_run.h"
#include "engine/conformance/op_case.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::conformance {

/// Which cases to run, and how.
struct Filter {
  std::string op{};            ///< a name of case_names(); empty: all
  std::optional<int> index{};  ///< the case's number within its name; needs `op`
  backend::ConvAlgorithm conv_algorithm = backend::ConvAlgorithm::kDirect;
  bool allow_tf32 = false;  ///< in f32: with the tolerance of tf32 for contractions
  std::string backend{};    ///< for the repro command line; empty: the backend's name
};

enum class Outcome {
  kPassed,
  kFailed,
  kMistrusted,  ///< the oracle's result could not have revealed an error; counts as failed
  kRefused,     ///< core::Error(kUnavailable) in precisions that the backend has; counts as failed
  kUnimplemented,  ///< the backend lacks the precision of the case, or one that it serves
};

[[nodiscard]] std::string_view name(Outcome outcome);

struct CaseResult {
  std::string op;
  int index = 0;
  std::string note;
  core::DType dtype = core::DType::kF32;
  Outcome outcome = Outcome::kPassed;
  /// Error and tolerance of the result with the largest ratio of the two.
  double worst_error = 0.0;
  double tolerance = 0.0;
  std::string detail{};  ///< why it did not pass: the result's name and what is wrong with it
  std::string repro{};   ///< the command line that runs this case again
};

/// The cases that a filter selects. Throws core::Error(kUsage) for an unknown number, an unknown
/// name (suggesting the nearest one), or a number without a name.
[[nodiscard]] std::vector<Case> select_cases(const Filter& filter);

/// Runs one case on `backend` and on `oracle` with equal inputs and compares every result. An
/// exception of the backend fails the case, except those that end a run, which are rethrown:
/// core::Error of kRun (naming the case; the device may be unusable), kTimeout and kInterrupted.
[[nodiscard]] CaseResult run_case(backend::Backend& backend,
                                  backend::Backend& oracle,
                                  const Case& item,
                                  const CaseOptions& how = {});

/// Called with each result as soon as its case has run, so that it is not lost if a later case ends
/// the run.
using ResultListener = std::function<void(const CaseResult&)>;

/// Runs the selected cases against the ref backend, in order.
std::vector<CaseResult> run_cases(backend::Backend& backend,
                                  const Filter& filter,
                                  const ResultListener& listener = {});

/// Checks the gradient rules of the selected cases by central differences in f64 on `backend`, each
/// case once regardless of its dtypes. The backend must support f64, as ref does. Cases without a
/// gradient are left out.
std::vector<CaseResult> run_gradient_checks(backend::Backend& backend,
                                            const Filter& filter,
                                            const ResultListener& listener = {});

/// One line: "FAILED conv case 17 (dilation 6, bf16): grad_x element 3: ...; rerun: dlbench verify
/// --op conv --case 17 --backend cpu".
[[nodiscard]] std::string describe(const CaseResult& result);

}  // namespace dlbench::conformance
