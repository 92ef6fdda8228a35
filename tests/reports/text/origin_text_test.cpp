// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/origin_text.h"

#include "tests/reports/sample_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dlbench::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RunRecord on_two_kinds_of_hosts() {
  RunRecord record = sample_record();
  record.run.command = {"dlbench", "run", "--batch-size", "2"};
  record.run.started_at = "2026-01-31T12:00:00Z";
  record.run.finished_at = "2026-01-31T12:05:00Z";
  record.system.scheduler = SchedulerRecord{.name = "slurm", .job_id = "4711"};
  record.system.libraries = {{"cudnn", "9.19.0"}, {"nccl", "2.28.9"}};
  HostRecord host;
  host.cpu = {.model = "Example CPU",
              .cores = 64,
              .threads = 128,
              .isa = "avx512",
              .usable_cores = 16,
              .cpu_quota = 12.5};
  host.os = "Example OS 12";
  host.kernel = "Linux 6.1";
  host.memory_bytes = std::int64_t{512} << 30;
  const GpuRecord gpu{.name = "Example GPU", .driver = "580.1"};
  host.gpus = {gpu, gpu};
  record.system.hosts.clear();
  for (int node = 0; node < 10; ++node) {
    host.hostname = "node" + std::to_string(node);
    record.system.hosts.push_back(host);
  }
  record.system.hosts[9].gpus.clear();
  record.config.effective = {{"batch-size", 2}, {"seed", 1}, {"precision", "bf16"}};
  record.config.source = {
      {"batch-size", "command_line"}, {"seed", "default"}, {"precision", "file"}};
  record.dataset->path = "/data/kvasir";
  record.dataset->bytes = std::int64_t{48} << 20;
  record.probes = {
      {"proc", ValueMap{{"available", true}}},
      {"perf_event", ValueMap{{"available", false}, {"reason", "no counters in\nthis machine"}}}};
  return record;
}

TEST(OriginText, SaysWhatAReaderHasToKnowWhoWasNotThere) {
  const std::string text = origin_text(on_two_kinds_of_hosts());
  EXPECT_THAT(text, HasSubstr("  command     dlbench run --batch-size 2\n"));
  EXPECT_THAT(text, HasSubstr("  time        2026-01-31T12:00:00Z to 2026-01-31T12:05:00Z\n"));
  EXPECT_THAT(text, HasSubstr("  job         slurm 4711\n"));
  EXPECT_THAT(text,
              HasSubstr("  hosts       node0 node1 node2 node3 node4 node5 node6 node7 and 1 more: "
                        "Example CPU, 16 CPUs of 128, a quota of 12.5 CPUs, 512 GiB, 2 x Example "
                        "GPU (driver 580.1), Example OS 12, Linux 6.1\n"));
  EXPECT_THAT(text, HasSubstr("  host        node9: Example CPU, 16 CPUs of 128"));
  EXPECT_THAT(text, HasSubstr("  software    cudnn 9.19.0, nccl 2.28.9, built "));
  EXPECT_THAT(text, HasSubstr("  options     batch-size=2, precision=bf16 (of a file)\n"));
  EXPECT_THAT(text, HasSubstr("  data        /data/kvasir, 48.0 MiB, split "));
  EXPECT_THAT(text, HasSubstr("  no probe    perf_event: no counters in"));
  EXPECT_THAT(text, Not(HasSubstr("proc")));
  EXPECT_THAT(text, Not(HasSubstr("in\nthis"))) << "a line each";
}

TEST(OriginText, OfManyKindsOfHostsTheFirstAreShown) {
  RunRecord record = on_two_kinds_of_hosts();
  record.system.hosts.resize(10);
  for (std::size_t node = 0; node < record.system.hosts.size(); ++node) {
    record.system.hosts[node].cpu.model = "CPU " + std::to_string(node);
  }
  const std::string text = origin_text(record);
  EXPECT_THAT(text, HasSubstr("  host        node7: CPU 7, "));
  EXPECT_THAT(text, Not(HasSubstr("CPU 8, ")));
  EXPECT_THAT(text, HasSubstr("  hosts       2 more kinds\n"));
}

TEST(OriginText, WhatIsNotKnownHasNoLine) {
  RunRecord record = on_two_kinds_of_hosts();
  record.system.scheduler.reset();
  record.dataset.reset();
  record.run.finished_at.reset();
  record.config.source = {{"seed", "default"}};
  const std::string text = origin_text(record);
  EXPECT_THAT(text, Not(HasSubstr("  job ")));
  EXPECT_THAT(text, Not(HasSubstr("  data ")));
  EXPECT_THAT(text, HasSubstr("2026-01-31T12:00:00Z to ?\n")) << "while it runs";
  EXPECT_THAT(text, HasSubstr("  options     all are the defaults\n"));
}

}  // namespace
}  // namespace dlbench::reports
