// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/op_verification.h"

#include "engine/core/error.h"
#include "harness/trials/device_fault_watch.h"

#include <fmt/format.h>

#include <map>
#include <ostream>
#include <vector>

namespace dlbench::harness {

using conformance::CaseResult;
using conformance::Outcome;

int run_verify_ops(const std::string& backend_name,
                   int threads,
                   const conformance::Filter& filter,
                   std::ostream& out) {
  const auto backend = backend::create_backend(backend_name, {.threads = threads});
  const bool is_reference = backend_name == "ref";
  DeviceFaultWatch watch(backend->device());
  const std::vector<CaseResult> results = is_reference
                                              ? conformance::run_gradient_checks(*backend, filter)
                                              : conformance::run_cases(*backend, filter);
  const std::string fault = watch.take_fault();
  std::map<Outcome, int> counts;
  for (const CaseResult& result : results) {
    out << conformance::describe(result) << '\n';
    ++counts[result.outcome];
  }
  const int failed = counts[Outcome::kFailed] + counts[Outcome::kMistrusted];
  out << fmt::format("verify: {} of {} {} passed, {} failed, {} not implemented\n",
                     counts[Outcome::kPassed],
                     results.size(),
                     is_reference ? "gradient checks" : "cases",
                     failed,
                     counts[Outcome::kUnimplemented]);
  if (!fault.empty()) {
    throw core::Error(core::ErrorCode::kRun, "verify: " + fault);
  }
  return failed == 0 ? 0 : core::exit_code(core::ErrorCode::kGate);
}

}  // namespace dlbench::harness
