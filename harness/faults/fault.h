// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The first thing that went wrong in a launch of several ranks: which rank, where, doing what.
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
  std::string phase;             ///< what the rank did: "trial full, round 2"
  std::string op;                ///< "all_reduce (collective 17)", "after ..."; empty before any
  std::int64_t collective = -1;  ///< number of the last one it entered; -1: none yet
  std::string detail;
  core::ErrorCode code = core::ErrorCode::kRun;
  bool told_by_rank = false;  ///< which so far runs, and ends by itself
  double noticed_s = 0.0;     ///< system clock, since 1970; 0: not yet

  /// The clock of noticed_s.
  [[nodiscard]] static double now_s();

  /// Whether the rank waits for its GPU, so that it goes on once collectives there are given up.
  [[nodiscard]] bool in_device_wait() const;

  /// "rank 1 (node7), trial full, round 2, after all_reduce (collective 17): killed by SIGKILL".
  [[nodiscard]] std::string text() const;
};

/// Fills in phase, op and collective from what the rank says of itself.
void describe_place(const comm::RankProgress& progress, Fault& fault);

/// run.status, exit_code, finished_at, failure and the taint `partial` of a report that this fault
/// ended.
void record_fault(const Fault& fault, reports::RunRecord& record);

/// The same in the report at `path`, if that run has not finished; without a job record
/// run.skipped says why. Throws core::Error if it cannot be read or written.
void name_in_report(const Fault& fault, const std::string& path);

}  // namespace dlbench::harness
