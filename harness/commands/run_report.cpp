// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/run_report.h"

#include "engine/core/log.h"
#include "harness/commands/job_record.h"
#include "harness/trials/utc_time.h"
#include "reports/atomic_file.h"
#include "reports/json_writer.h"
#include "reports/show.h"

#include <cstdio>
#include <utility>

namespace dlbench::harness {

using core::Error;
using core::ErrorCode;

RunReport::RunReport(reports::RunRecord record, std::string output, comm::Rendezvous& ranks)
    : record_(std::move(record)), output_(std::move(output)), ranks_(ranks) {}

void RunReport::taint(reports::Taint code, std::string where, std::string detail) {
  record_.run.taints.push_back({code, std::move(where), std::move(detail)});
}

void RunReport::check_output() const {
  if (speaks()) {
    reports::check_writable(output_);
  }
}

void RunReport::write() const {
  if (speaks()) {
    reports::write_report(record_, output_);
  }
}

void RunReport::say(const std::string& text) const {
  if (speaks()) {
    std::fputs(text.c_str(), stdout);
  }
}

void RunReport::fail(const Error& error, const RunGuard& guard) {
  const bool ended = error.code() == ErrorCode::kInterrupted || error.code() == ErrorCode::kTimeout;
  record_.run.status = ended ? reports::RunStatus::kPartial : reports::RunStatus::kFailed;
  record_.run.exit_code = core::exit_code(error.code());
  record_.run.finished_at = utc_now();
  record_.job = own_job(ranks_, job_state(error.code()), guard.elapsed_s());
  record_.run.failure =
      reports::FailureRecord{.rank = ranks_.rank(),
                             .host = ranks_.places()[static_cast<std::size_t>(ranks_.rank())].host,
                             .phase = phase_,
                             .op = "",
                             .detail = error.what()};
  taint(reports::Taint::kPartial, phase_, error.what());
  try {
    write();
  } catch (const Error& second) {
    core::log::warn(second.what());
  }
}

int RunReport::finish(bool strict, const RunGuard& guard) {
  record_.run.status = reports::RunStatus::kComplete;
  record_.run.finished_at = utc_now();
  record_.job = gather_job(ranks_, "COMPLETED", guard.elapsed_s());
  record_.run.exit_code = strict && !record_.run.taints.empty() ? 4 : 0;
  write();
  if (output_ != "-") {
    say(reports::summary_text(record_, output_));
  }
  return static_cast<int>(record_.run.exit_code);
}

}  // namespace dlbench::harness
