// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The report of a command while it runs: valid on disk from the first repetition on, whatever
// happens. Rank 0 writes it.
#pragma once

#include "engine/comm/rendezvous.h"
#include "engine/core/error.h"
#include "reports/record.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// How a run ends after all its measurements.
struct RunEnding {
  bool strict = false;       ///< a taint is exit code 4
  bool gate_failed = false;  ///< exit code 3: what was measured is wrong
  /// Writes the run's other output, on all ranks; its errors fail the run as the report's do.
  std::function<void()> write_others{};
  /// Returns lines to print below the summary; they may be lost as it may be.
  std::function<std::string()> lines_below{};
};

class RunReport {
 public:
  /// `output` is a path, or - for stdout. `ranks` must outlive the report.
  RunReport(reports::RunRecord record, std::string output, comm::Rendezvous& ranks);

  [[nodiscard]] reports::RunRecord& record() { return record_; }
  [[nodiscard]] const std::string& output() const { return output_; }
  /// Whether this rank writes and prints.
  [[nodiscard]] bool speaks() const { return ranks_.rank() == 0; }

  /// Names what the run does now, for the failure record and for those who watch the ranks.
  static void enter(const std::string& phase);
  void taint(reports::Taint code, std::string where, std::string detail);
  /// Adds the taint, if there is one.
  void taint(const std::optional<reports::TaintRecord>& taint);
  void taint(const std::vector<reports::TaintRecord>& taints);
  /// Records what the run leaves out, and warns of each.
  void leave_out(const std::vector<reports::SkipRecord>& skipped);
  /// Records what the run may lack, if anything, and prints it as information.
  void note(const std::optional<reports::SkipRecord>& lacking);
  /// Records OpenedDevice::why_no_better, which was printed already, if this machine has a GPU.
  void keep_device_choice(const std::string& why_no_better);
  /// Replaces the trials' taints of the last call by these.
  void taint_trials(const std::vector<reports::TaintRecord>& taints);

  /// Throws core::Error(kFile), before anything is measured, if the report could not be written.
  void check_output() const;
  /// Calls check_output() and writes a first report without trials, so that from now on the file is
  /// this run's, whatever happens.
  void begin() const;
  /// Writes the report: partial reports to a file only, the finished one also to a stream.
  void write() const;
  /// Prints on stdout, from rank 0.
  void print_result(const std::string& text) const;
  /// Prints from rank 0 on stdout, or on stderr where the report goes to stdout.
  void print_beside_report(const std::string& text) const;

  /// Runs the body of the command. An exception, such as out of memory, becomes the report's
  /// failure, after `before` has added to the record, and is rethrown.
  void attempt(const std::function<void()>& body, const std::function<void()>& before = {});
  /// Writes the report of a run that ended early: the cause, its rank and phase. If the file cannot
  /// be written, it goes to the folder for temporary files, with a warning. Never throws.
  void fail(const core::Error& error);
  /// Prints the summary with print_beside_report(), and where the report is.
  void summarize() const;
  /// Writes the complete report and prints its summary. Returns the exit code of rank 0's report,
  /// on all ranks. If something can no longer be written, including the summary: calls fail(),
  /// prints the summary all the same, and throws the error. Collective.
  int finish(const RunEnding& ending);

 private:
  /// Calls summarize() for a run that ended early, if it measured anything.
  void show_results() const noexcept;
  /// Returns rank 0's exit code, which depends on the report's taints. Collective.
  [[nodiscard]] int agreed_code(const RunEnding& ending);
  void write_anywhere();

  reports::RunRecord record_;
  std::string output_;
  std::string saved_at_ = output_;  ///< where the report went in the end
  /// Of run.taints those of the trials: the index of the first, and how many.
  std::size_t first_of_trials_ = 0;
  std::size_t of_trials_ = 0;
  comm::Rendezvous& ranks_;
};

}  // namespace dlbench::harness
