// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/fault.h"

#include "engine/comm/rank_progress.h"
#include "harness/utc_time.h"
#include "reports/json_reader.h"
#include "reports/json_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace dlbench::harness {
namespace {

constexpr const char* kDeviceWait = "wait for its GPU";

}  // namespace

double Fault::now_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string Fault::text() const {
  return fmt::format("rank {} ({}), {}{}{}: {}",
                     rank,
                     host,
                     phase.empty() ? "before any trial" : phase,
                     op.empty() ? "" : ", ",
                     op,
                     detail);
}

bool Fault::in_device_wait() const { return op == kDeviceWait; }

void describe_place(const comm::RankProgress& progress, Fault& fault) {
  fault.phase = progress.phase.load();
  fault.collective = progress.collectives.load(std::memory_order_relaxed) - 1;
  if (progress.awaits_message.load(std::memory_order_relaxed) != 0) {
    fault.op = progress.message.load();
  } else if (progress.awaits_device.load(std::memory_order_relaxed) != 0) {
    fault.op = kDeviceWait;
  } else if (fault.collective >= 0) {
    fault.op =
        fmt::format("{}{} (collective {})",
                    progress.in_collective.load(std::memory_order_relaxed) != 0 ? "" : "after ",
                    progress.collective.load(),
                    fault.collective);
  }
}

void record_fault(const Fault& fault, reports::RunRecord& record) {
  record.run.status =
      core::ended_early(fault.code) ? reports::RunStatus::kPartial : reports::RunStatus::kFailed;
  record.run.exit_code = core::exit_code(fault.code);
  // The sentinel of another node may write this, by a clock that is behind rank 0's.
  record.run.finished_at = std::max(utc_now(), record.run.started_at);
  record.run.failure = reports::FailureRecord{.rank = fault.rank,
                                              .host = fault.host,
                                              .phase = fault.phase,
                                              .op = fault.op,
                                              .detail = fault.detail};
  if (fault.collective >= 0) {
    record.run.failure->collective = fault.collective;
  }
  record.run.taints.push_back({reports::Taint::kPartial, fault.phase, fault.detail});
}

void name_in_report(const Fault& fault, const std::string& path) {
  reports::RunRecord record = reports::read_report(path);
  if (record.run.finished_at.has_value()) {
    return;
  }
  record_fault(fault, record);
  if (!record.job.has_value()) {
    record.run.skipped.push_back(
        {"job record",
         "the process that keeps it did not get to write it: others ended the report"});
  }
  reports::write_report(record, path);
}

}  // namespace dlbench::harness
