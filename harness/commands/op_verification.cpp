// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/op_verification.h"

#include "engine/core/error.h"
#include "harness/session/open_device.h"
#include "harness/trials/device_fault_watch.h"

#include <fmt/format.h>

#include <map>
#include <ostream>
#include <string>
#include <utility>

namespace dlbench::harness {

using conformance::CaseResult;
using conformance::Outcome;

namespace {

/// The results so far. Each line is written as soon as it is known, so that it remains if a later
/// case ends the run.
class Tally {
 public:
  Tally(std::ostream& out, std::string what) : out_(out), what_(std::move(what)) {}

  void add(const CaseResult& result) {
    out_ << conformance::describe(result) << std::endl;
    ++counts_[result.outcome];
    ++total_;
    if (result.outcome == Outcome::kRefused || reason_.empty()) {
      reason_ = result.detail;
    }
  }
  [[nodiscard]] int total() const { return total_; }
  [[nodiscard]] int failed() const {
    return of(Outcome::kFailed) + of(Outcome::kMistrusted) + of(Outcome::kRefused);
  }
  /// Throws core::Error(kUnavailable) if the backend ran none of the cases, with the reason of a
  /// refused one, if any: nothing was verified.
  void check_any_ran() const {
    if (of(Outcome::kRefused) + of(Outcome::kUnimplemented) == total_) {
      throw core::Error(core::ErrorCode::kUnavailable, "verify: no case was run: " + reason_);
    }
  }
  void write_sum(const char* when = "") const {
    out_ << fmt::format("verify: {}{} of {} {} passed, {} failed, {} not implemented\n",
                        when,
                        of(Outcome::kPassed),
                        total_,
                        what_,
                        failed(),
                        of(Outcome::kUnimplemented));
  }

 private:
  [[nodiscard]] int of(Outcome outcome) const {
    const auto found = counts_.find(outcome);
    return found == counts_.end() ? 0 : found->second;
  }

  std::ostream& out_;
  std::string what_;
  std::map<Outcome, int> counts_;
  int total_ = 0;
  std::string reason_;
};

}  // namespace

int run_verify_ops(const std::string& backend_name,
                   int threads,
                   conformance::Filter filter,
                   std::ostream& out) {
  filter.backend = backend_name;
  const auto backend = open_backend(backend_name, threads);
  const bool is_reference = backend_name == "ref";
  Tally tally(out, is_reference ? "gradient checks" : "cases");
  const auto listener = [&tally](const CaseResult& result) { tally.add(result); };
  try {
    DeviceFaultWatch(backend->device()).run_watched("verify", [&] {
      if (is_reference) {
        conformance::run_gradient_checks(*backend, filter, listener);
      } else {
        conformance::run_cases(*backend, filter, listener);
      }
    });
  } catch (const core::Error&) {
    if (tally.total() > 0) {
      tally.write_sum("ended early, until then ");
    }
    throw;
  }
  if (tally.total() == 0) {
    throw core::Error(core::ErrorCode::kUsage,
                      fmt::format("verify: {} has no gradient that --backend ref could check; "
                                  "other backends are compared with ref",
                                  filter.op));
  }
  tally.check_any_ran();
  tally.write_sum();
  return tally.failed() == 0 ? 0 : core::exit_code(core::ErrorCode::kGate);
}

}  // namespace dlbench::harness
