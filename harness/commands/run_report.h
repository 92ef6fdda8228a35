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

  /// What the run does now, for the failure record and for who watches the ranks.
  static void enter(const std::string& phase);
  void taint(reports::Taint code, std::string where, std::string detail);

  /// Throws core::Error(kFile) before anything is measured if the report could not be written.
  void check_output() const;
  /// check_output(), and a first report without trials: whatever happens from now on, the report at
  /// this place is this run's.
  void begin() const;
  /// The partial report, where it goes to a file; the finished one anywhere.
  void write() const;
  /// Prints on stdout, from rank 0.
  void say(const std::string& text) const;

  /// The report of a run that ended too early: what ended it, on which rank, in which phase. If it
  /// cannot be written it goes to the folder for temporary files; a warning says so. Never throws.
  void fail(const core::Error& error, const RunGuard& guard);
  /// The complete report and its summary. Collective. Returns the exit code: 4 if `strict` and
  /// tainted.
  int finish(bool strict, const RunGuard& guard);

 private:
  void write_anywhere() const;

  reports::RunRecord record_;
  std::string output_;
  comm::Rendezvous& ranks_;
};

}  // namespace dlbench::harness
