// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/system_record.h"

#include "tests/engine/comm/thread_rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using reports::GpuRecord;
using ::testing::ElementsAre;
using testing::on_ranks;

GpuRecord gpu(std::int64_t index, const std::string& uuid, std::optional<std::string> address) {
  return {.index = index, .name = "GPU", .uuid = uuid, .address = std::move(address)};
}

/// What rank 0 writes of its host where each rank sees the GPUs of its list.
std::vector<std::string> described(const std::vector<std::vector<GpuRecord>>& seen) {
  std::vector<std::string> gpus;
  on_ranks(static_cast<int>(seen.size()), [&](comm::Rendezvous& ranks) {
    reports::SystemRecord system;
    system.hosts.push_back({.gpus = seen[static_cast<std::size_t>(ranks.rank())]});
    describe_launch(ranks, system);
    if (ranks.rank() == 0) {
      for (const GpuRecord& told : system.hosts.at(0).gpus) {
        gpus.push_back(std::to_string(told.index) + " " + told.uuid + " " +
                       told.address.value_or("none"));
      }
    }
  });
  return gpus;
}

TEST(SystemRecord, HasTheGpusOfAllRanksOfAHostOnce) {
  const GpuRecord first = gpu(0, "GPU-a", "0000:18:00.0");
  const GpuRecord second = gpu(1, "GPU-b", "0000:2a:00.0");
  EXPECT_THAT(described({{first, second}, {first, second}}),
              ElementsAre("0 GPU-a 0000:18:00.0", "1 GPU-b 0000:2a:00.0"));
  EXPECT_THAT(described({{second}, {first}}),
              ElementsAre("0 GPU-a 0000:18:00.0", "1 GPU-b 0000:2a:00.0"))
      << "the driver counts all of the machine";
  EXPECT_THAT(described({{}, {}}), ElementsAre());
}

TEST(SystemRecord, CountsGpusAnewThatEachRankCallsItsFirst) {
  EXPECT_THAT(described({{gpu(0, "GPU-b", "0000:2a:00.0")},
                         {gpu(0, "GPU-a", "0000:18:00.0")},
                         {gpu(0, "GPU-b", "0000:2a:00.0")}}),
              ElementsAre("0 GPU-a 0000:18:00.0", "1 GPU-b 0000:2a:00.0"));
}

TEST(SystemRecord, TellsGpusApartByWhatTheDriverSays) {
  EXPECT_THAT(described({{gpu(0, "", "0000:18:00.0")}, {gpu(0, "GPU-a", "0000:18:00.0")}}),
              ElementsAre("0  0000:18:00.0"));
  EXPECT_THAT(described({{gpu(0, "GPU-a", std::nullopt)}, {gpu(0, "GPU-b", std::nullopt)}}),
              ElementsAre("0 GPU-a none", "1 GPU-b none"));
  EXPECT_THAT(described({{gpu(0, "", std::nullopt)}, {gpu(0, "", std::nullopt)}}),
              ElementsAre("0  none"));
}

TEST(SystemRecord, NamesTheDevicesOfRanksByTheirHosts) {
  reports::SystemRecord system;
  system.hosts.push_back({.ranks = {0, 1}, .gpus = {gpu(0, "GPU-a", "0000:18:00.0")}});
  system.hosts.push_back({.ranks = {2}, .gpus = {gpu(0, "GPU-c", "0000:18:00.0")}});
  reports::TrialRecord trial;
  trial.per_rank = {{.rank = 0, .device_address = "0000:18:00.0"},
                    {.rank = 1, .device_address = "0000:2a:00.0"},
                    {.rank = 2, .device_address = "0000:18:00.0"},
                    {.rank = 3}};
  name_devices(system, trial);
  EXPECT_EQ(trial.per_rank[0].device_uuid, "GPU-a");
  EXPECT_EQ(trial.per_rank[1].device_uuid, std::nullopt) << "its driver was not asked";
  EXPECT_EQ(trial.per_rank[2].device_uuid, "GPU-c");
  EXPECT_EQ(trial.per_rank[3].device_uuid, std::nullopt);
}

}  // namespace
}  // namespace dlbench::harness
