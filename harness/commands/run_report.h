// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The report of a command while it runs: valid on the disk from the first repetition on, whatever
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

/// How a run ends that has measured all it should.
struct RunEnding {
  bool strict = false;       ///< a taint is exit code 4
  bool gate_failed = false;  ///< exit code 3: what was measured is wrong
  /// Writes what else the run leaves, on all ranks: it fails as the report does.
  std::function<void()> write_others{};
  /// Lines that are told below the summary, and lost as it may be.
  std::function<std::string()> lines_below{};
};

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
  /// If there is one.
  void taint(const std::optional<reports::TaintRecord>& taint);
  void taint(const std::vector<reports::TaintRecord>& taints);
  /// What the run does without: into the report, and a warning each.
  void leave_out(const std::vector<reports::SkipRecord>& skipped);
  /// What it may lack, if there is such a thing: into the report, and a line.
  void note(const std::optional<reports::SkipRecord>& lacking);
  /// OpenedDevice::why_no_better, which was told already: kept where this machine has a GPU.
  void keep_device_choice(const std::string& why_no_better);
  /// Those of the trials as they are so far, in place of the ones of the last call.
  void taint_trials(const std::vector<reports::TaintRecord>& taints);

  /// Throws core::Error(kFile) before anything is measured if the report could not be written.
  void check_output() const;
  /// check_output(), and a first report without trials: whatever happens from now on, the report at
  /// this place is this run's.
  void begin() const;
  /// The partial report, where it goes to a file; the finished one also to a stream.
  void write() const;
  /// Prints on stdout, from rank 0.
  void print_result(const std::string& text) const;
  /// Prints from rank 0 on stdout, or on stderr where the report goes to stdout.
  void print_beside_report(const std::string& text) const;

  /// Runs what the run is about. What it throws, out of memory and the like too, becomes the
  /// report's failure, after `before` has added to the record, and is thrown on.
  void attempt(const std::function<void()>& body, const std::function<void()>& before = {});
  /// The report of a run that ended too early: what ended it, on which rank, in which phase. If it
  /// cannot be written it goes to the folder for temporary files; a warning says so. Never throws.
  void fail(const core::Error& error);
  /// print_beside_report() of the summary, with where the report is.
  void summarize() const;
  /// The complete report and its summary. Collective. Returns the exit code, on all ranks the one
  /// that rank 0's report has. Where something cannot be written any more, the summary included:
  /// fail(), the summary all the same, and the error.
  int finish(const RunEnding& ending);

 private:
  /// Of the report's taints. Collective.
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
