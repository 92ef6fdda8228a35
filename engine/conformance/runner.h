// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs conformance cases: what the tests and `dlbench verify --op` call.
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
  std::string backend{};    ///< of the line that runs a case again; empty: the backend's name
};

enum class Outcome {
  kPassed,
  kFailed,
  kMistrusted,  ///< the oracle's result could not have shown an error; counts as failed
  kRefused,     ///< core::Error(kUnavailable) in precisions that the backend has; counts as failed
  kUnimplemented,  ///< the backend lacks a precision that the case is of, or serves
};

[[nodiscard]] std::string_view name(Outcome outcome);

struct CaseResult {
  std::string op;
  int index = 0;
  std::string note;
  core::DType dtype = core::DType::kF32;
  Outcome outcome = Outcome::kPassed;
  /// Of the result with the largest error in relation to its tolerance.
  double worst_error = 0.0;
  double tolerance = 0.0;
  std::string detail{};  ///< why not passed: the result's name and what is wrong with it
  std::string repro{};   ///< the command line that runs this case again
};

/// The cases that a filter selects. Throws core::Error(kUsage) for an unknown name (with the
/// nearest one) or number.
[[nodiscard]] std::vector<Case> select_cases(const Filter& filter);

/// Runs one case on `backend` and on `oracle` with equal inputs and compares every result. What the
/// backend throws fails the case. Throws core::Error what ends a run: kRun, the case named, behind
/// which a device may be of no more use; kTimeout and kInterrupted.
[[nodiscard]] CaseResult run_case(backend::Backend& backend,
                                  backend::Backend& oracle,
                                  const Case& item,
                                  const CaseOptions& how = {});

/// Is told of each case when it has run: what is known where a later one ends the run.
using ResultListener = std::function<void(const CaseResult&)>;

/// Runs the selected cases against the ref backend, in order.
std::vector<CaseResult> run_cases(backend::Backend& backend,
                                  const Filter& filter,
                                  const ResultListener& listener = {});

/// Checks the gradient rules of the selected cases by central differences in f64 on `backend`, each
/// case once whatever its dtypes; the backend must run f64, as ref does. Cases without a gradient
/// are left out.
std::vector<CaseResult> run_gradient_checks(backend::Backend& backend,
                                            const Filter& filter,
                                            const ResultListener& listener = {});

/// One line: "FAILED conv case 17 (dilation 6, bf16): grad_x element 3: ...; rerun: dlbench verify
/// --op conv --case 17 --backend cpu".
[[nodiscard]] std::string describe(const CaseResult& result);

}  // namespace dlbench::conformance
