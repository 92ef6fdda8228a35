// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/op_verification.h"

#include "engine/core/error.h"
#include "harness/trials/device_fault_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <vector>

namespace dlbench::harness {

using conformance::CaseResult;
using conformance::Outcome;

namespace {

/// Throws core::Error(kUnavailable) where the backend took none of the cases, with its first
/// reason: nothing was verified.
void check_any_ran(const std::vector<CaseResult>& results) {
  const bool none = std::ranges::all_of(results, [](const CaseResult& result) {
    return result.outcome == Outcome::kRefused || result.outcome == Outcome::kUnimplemented;
  });
  if (none && !results.empty()) {
    throw core::Error(core::ErrorCode::kUnavailable,
                      "verify: no case was run: " + results.front().detail);
  }
}

}  // namespace

int run_verify_ops(const std::string& backend_name,
                   int threads,
                   const conformance::Filter& filter,
                   std::ostream& out) {
  const auto backend = backend::create_backend(backend_name, {.threads = threads});
  const bool is_reference = backend_name == "ref";
  std::vector<CaseResult> results;
  DeviceFaultWatch(backend->device()).over("verify", [&] {
    results = is_reference ? conformance::run_gradient_checks(*backend, filter)
                           : conformance::run_cases(*backend, filter);
  });
  check_any_ran(results);
  std::map<Outcome, int> counts;
  for (const CaseResult& result : results) {
    out << conformance::describe(result) << '\n';
    ++counts[result.outcome];
  }
  const int failed =
      counts[Outcome::kFailed] + counts[Outcome::kMistrusted] + counts[Outcome::kRefused];
  out << fmt::format("verify: {} of {} {} passed, {} failed, {} not implemented\n",
                     counts[Outcome::kPassed],
                     results.size(),
                     is_reference ? "gradient checks" : "cases",
                     failed,
                     counts[Outcome::kUnimplemented]);
  return failed == 0 ? 0 : core::exit_code(core::ErrorCode::kGate);
}

}  // namespace dlbench::harness
