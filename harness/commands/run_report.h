// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The report of a command while it runs: valid on the disk from the first repetition on, whatever
// happens. Rank 0 writes it.
#pragma once

#include "engine/comm/rendezvous.h"
#include "engine/core/error.h"
#include "harness/trials/run_guard.h"
#include "reports/record.h"

#include <string>

namespace dlbench::harness {

class RunReport {
 public:
  /// `output`: a path, or - for stdout. `ranks` outlive the report.
  RunReport(reports::RunRecord record, std::string output, comm::Rendezvous& ranks);

  [[nodiscard]] reports::RunRecord& record() { return record_; }
  [[nodiscard]] const std::string& output() const { return output_; }
  /// Whether this rank writes and prints.
  [[nodiscard]] bool speaks() const { return ranks_.rank() == 0; }

  /// What the run does now, for the failure record.
  void enter(std::string phase) { phase_ = std::move(phase); }
  void taint(reports::Taint code, std::string where, std::string detail);

  /// Throws core::Error(kFile) before anything is measured if the report could not be written.
  void check_output() const;
  void write() const;
  /// Prints on stdout, from rank 0.
  void say(const std::string& text) const;

  /// The report of a run that ended too early: what ended it, in which phase. Never throws for a
  /// report that cannot be written; it warns.
  void fail(const core::Error& error, const RunGuard& guard);
  /// The complete report and its summary. Collective. Returns the exit code: 4 if `strict` and
  /// tainted.
  int finish(bool strict, const RunGuard& guard);

 private:
  reports::RunRecord record_;
  std::string output_;
  comm::Rendezvous& ranks_;
  std::string phase_ = "preparing";
};

}  // namespace dlbench::harness
