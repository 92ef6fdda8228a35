// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The first fault in a launch of several ranks: on which rank, where, and during what.
#pragma once

#include "engine/core/error.h"
#include "reports/record.h"

#include <cstdint>
#include <string>

namespace dlbench::comm {
struct RankProgress;
}

namespace dlbench::harness {

struct Fault {
  int rank = 0;
  std::string host;
  std::string phase;             ///< the rank's activity: "trial full, round 2"
  std::string op;                ///< "all_reduce (collective 17)", "after ..."; empty before any
  std::int64_t collective = -1;  ///< number of the last one it entered; -1: none yet
  std::string detail;
  core::ErrorCode code = core::ErrorCode::kRun;
  bool told_by_rank = false;  ///< reported by the rank, which still runs and will end by itself
  /// System clock, since 1970; 0: not yet. Of another node's fault: on this one's clock.
  double noticed_s = 0.0;

  /// Returns the time on the clock of noticed_s.
  [[nodiscard]] static double now_s();

  /// Whether the rank waits for its GPU, and so continues once the collectives there are aborted.
  [[nodiscard]] bool in_device_wait() const;

  /// "rank 1 (node7), trial full, round 2, after all_reduce (collective 17): killed by SIGKILL".
  [[nodiscard]] std::string text() const;
};

/// Fills in phase, op and collective from the rank's own progress.
void describe_place(const comm::RankProgress& progress, Fault& fault);

/// Fills run.status, exit_code, finished_at, failure and the taint `partial` of a report of a run
/// that this fault ended.
void record_fault(const Fault& fault, reports::RunRecord& record);

/// Does the same in the report file at `path`, unless that run has finished; if it has no job
/// record, run.skipped says why. Throws core::Error if the file cannot be read or written.
void name_in_report(const Fault& fault, const std::string& path);

}  // namespace dlbench::harness
