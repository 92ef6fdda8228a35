// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/run_report.h"

#include "engine/comm/rank_progress.h"
#include "engine/core/atomic_file.h"
#include "engine/core/log.h"
#include "harness/commands/failure.h"
#include "harness/commands/job_record.h"
#include "harness/commands/rank_warnings.h"
#include "harness/commands/standard_streams.h"
#include "harness/faults/fault_watch.h"
#include "harness/session/open_device.h"
#include "harness/session/run_guard.h"
#include "harness/utc_time.h"
#include "reports/json_writer.h"
#include "reports/text/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <mutex>
#include <span>
#include <utility>

namespace dlbench::harness {

using core::Error;

namespace {

/// Guards the report on disk: a process has one run.
std::mutex& report_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// Whether anything was measured so far.
bool has_results(const reports::RunRecord& record) {
  return !record.trials.empty() || !record.history.empty() || !record.collectives.empty() ||
         !record.scaling.empty();
}

}  // namespace

RunReport::RunReport(reports::RunRecord record, std::string output, comm::Rendezvous& ranks)
    : record_(std::move(record)),
      output_(core::is_standard_output(output) ? "-" : std::move(output)),
      ranks_(ranks) {
  enter("preparing");
}

void RunReport::enter(const std::string& phase) { comm::enter_phase(phase); }

void RunReport::taint(reports::Taint code, std::string where, std::string detail) {
  record_.run.taints.push_back({code, std::move(where), std::move(detail)});
}

void RunReport::taint(const std::optional<reports::TaintRecord>& taint) {
  if (taint.has_value()) {
    record_.run.taints.push_back(*taint);
  }
}

void RunReport::taint(const std::vector<reports::TaintRecord>& taints) {
  record_.run.taints.insert(record_.run.taints.end(), taints.begin(), taints.end());
}

void RunReport::leave_out(const std::vector<reports::SkipRecord>& skipped) {
  for (const reports::SkipRecord& each : skipped) {
    record_.run.skipped.push_back(each);
    core::log::warn(each.what + " left out: " + each.reason);
  }
}

void RunReport::note(const std::optional<reports::SkipRecord>& lacking) {
  if (lacking.has_value()) {
    record_.run.skipped.push_back(*lacking);
    core::log::info(lacking->what + ": " + lacking->reason);
  }
}

void RunReport::keep_device_choice(const std::string& why_no_better) {
  const bool driver_has_gpu = std::ranges::any_of(
      record_.system.hosts, [](const reports::HostRecord& host) { return !host.gpus.empty(); });
  if (!why_no_better.empty() && (driver_has_gpu || machine_has_gpu())) {
    record_.run.skipped.push_back({"first choice of --device auto", why_no_better});
  }
}

void RunReport::taint_trials(const std::vector<reports::TaintRecord>& taints) {
  std::vector<reports::TaintRecord>& all = record_.run.taints;
  first_of_trials_ = of_trials_ == 0 ? all.size() : first_of_trials_;
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(first_of_trials_);
  const auto next = all.erase(first, first + static_cast<std::ptrdiff_t>(of_trials_));
  all.insert(next, taints.begin(), taints.end());
  of_trials_ = taints.size();
}

void RunReport::check_output() const {
  if (speaks()) {
    if (output_ != "-" && !standard_output_is_open()) {
      throw Error(core::ErrorCode::kFile,
                  "the standard output is closed, and the summary goes there; send it to a file or "
                  "to /dev/null");
    }
    core::check_writable(output_, "choose another place with --output");
  }
}

void RunReport::begin() const {
  check_output();
  write();
  fault_watch().report_is_at(output_);                    // known to every node
  if (ranks_.size() == 1 && !core::is_stream(output_)) {  // of several the sentinel names it
    RunGuard::set_last_words([path = output_, host = ranks_.places()[0].host](const Error& end) {
      Fault fault{.rank = 0, .host = host};
      fault.detail = end.what();
      fault.code = end.code();
      describe_place(comm::own_progress(), fault);
      // A thread that is writing the report must not be disturbed: then the report stays as it is.
      if (const std::unique_lock lock(report_mutex(), std::try_to_lock); lock.owns_lock()) {
        name_in_report(fault, path);
      }
    });
  }
}

void RunReport::write() const {
  const bool finished = record_.run.finished_at.has_value();
  if (!speaks() || (core::is_stream(output_) && !finished)) {
    return;
  }
  {
    const std::scoped_lock lock(report_mutex());
    reports::write_report(record_, output_);
  }
  fault_watch().report_is_at(output_);
}

void RunReport::print_result(const std::string& text) const {
  if (speaks()) {
    std::fputs(text.c_str(), stdout);
  }
}

void RunReport::attempt(const std::function<void()>& body, const std::function<void()>& before) {
  try {
    body();
  } catch (const std::exception& failure) {
    if (before) {
      before();
    }
    fail(as_error(failure));
    show_results();
    throw;
  }
}

void RunReport::show_results() const noexcept {
  try {
    if (has_results(record_)) {
      summarize();
    }
  } catch (const std::exception& error) {
    core::log::warn(std::string("no summary: ") + error.what());
  }
}

void RunReport::fail(const Error& error) {
  const Fault fault = fault_watch().declare(own_fault(ranks_, error.code(), error.what()));
  record_fault(fault, record_);
  if (record_.job.has_value()) {  // gathered when the run was over
    record_.job->state = job_state(fault.code);
  } else {
    record_.job = own_job(ranks_, job_state(fault.code), process_age_s());
    if (ranks_.size() > 1) {
      record_.run.skipped.push_back(
          {"job record of the other ranks",
           fmt::format("they may be gone: it is of rank {} alone", ranks_.rank())});
    }
  }
  if (speaks()) {
    write_anywhere();
    fault_watch().conclude();
  }
}

void RunReport::write_anywhere() {
  try {
    write();
    return;
  } catch (const Error& error) {
    core::log::warn(error.what());
  }
  try {
    const std::string elsewhere =
        (std::filesystem::temp_directory_path() / ("dlbench-" + record_.run.id + ".json")).string();
    core::write_file_atomically(
        elsewhere, reports::to_json(record_), "TMPDIR names another folder for it");
    core::log::warn("the report is in " + elsewhere + " instead");
    saved_at_ = elsewhere;
  } catch (const std::exception& error) {
    core::log::warn(error.what());
    saved_at_ = "nowhere";
  }
}

void RunReport::print_beside_report(const std::string& text) const {
  if (speaks()) {
    std::FILE* stream = output_ == "-" ? stderr : stdout;
    std::fputs(core::log::lines(text).c_str(), stream);
    std::fflush(stream);
  }
}

void RunReport::summarize() const {
  print_beside_report(reports::summary_text(record_, saved_at_));
}

// The report's taints count: those known only to another rank are in no report.
int RunReport::agreed_code(const RunEnding& ending) {
  const bool tainted = !record_.run.taints.empty();
  int code = ending.gate_failed         ? core::exit_code(core::ErrorCode::kGate)
             : ending.strict && tainted ? core::kTaintedExitCode
                                        : 0;
  ranks_.broadcast(std::as_writable_bytes(std::span(&code, 1)));
  return code;
}

int RunReport::finish(const RunEnding& ending) {
  enter("writing the results");
  int code = 0;
  try {
    code = agreed_code(ending);
    record_.job = gather_job(ranks_, "COMPLETED", process_age_s());
    tell_warnings_of_others(ranks_);
    record_.run.status = reports::RunStatus::kComplete;
    record_.run.finished_at = utc_now();
    record_.run.exit_code = code;
    if (ending.write_others) {
      ending.write_others();
    }
    write();
  } catch (const Error& error) {
    fail(error);
    summarize();
    throw;
  }
  summarize();
  if (ending.lines_below) {
    print_beside_report(ending.lines_below());
  }
  if (const std::optional<Error> lost = speaks() ? lost_results() : std::nullopt) {
    fail(*lost);
    throw Error(*lost);
  }
  return code;
}

}  // namespace dlbench::harness
