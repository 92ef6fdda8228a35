// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/storage_model.h"

#include "tests/data/file_bytes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace dlbench::data {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

TEST(StorageOptions, ParsesBothAndEither) {
  const StorageOptions both = parse_storage_options("latency_ms=2.5,mib_per_s=40");
  EXPECT_EQ(both.latency_ms, 2.5);
  EXPECT_EQ(both.mib_per_s, 40.0);
  EXPECT_EQ(both.to_string(), "latency_ms=2.5,mib_per_s=40");
  EXPECT_EQ(parse_storage_options("mib_per_s=1").latency_ms, 0.0);
  EXPECT_FALSE(StorageOptions{}.enabled());
}

TEST(StorageOptions, RefusesOtherTexts) {
  for (const char* text : {"",
                           "latency_ms",
                           "latency_ms=",
                           "latency_ms=x",
                           "latency_ms=-1",
                           "latency_ms=1,latency_ms=2",
                           "mib_per_s=0",
                           "mib_per_s=1,",
                           "speed=3",
                           "mib_per_s=1e99",
                           "mib_per_s=nan",
                           "latency_ms=1 "}) {
    const std::string message =
        testing::error_of([&] { static_cast<void>(parse_storage_options(text)); });
    EXPECT_NE(message.find("wanted latency_ms=NUMBER,mib_per_s=NUMBER"), std::string::npos) << text;
  }
}

TEST(StorageModel, LatenciesOverlapAndTransfersQueue) {
  StorageModel storage({.latency_ms = 10.0, .mib_per_s = 1.0});
  const auto now = Clock::now();
  const auto first = storage.reserve(1 << 20, now);
  const auto second = storage.reserve(1 << 20, now);
  // 1 s per transfer, less the 2 ms that an idle link may catch up; 10 ms of latency each.
  EXPECT_NEAR(std::chrono::duration<double>(first - now).count(), 1.010, 0.003);
  EXPECT_NEAR(std::chrono::duration<double>(second - first).count(), 1.0, 0.001);
  StorageModel latency_only({.latency_ms = 10.0});
  EXPECT_EQ(latency_only.reserve(1 << 30, now) - now, milliseconds(10));
  EXPECT_EQ(latency_only.reserve(1 << 30, now) - now, milliseconds(10));
}

TEST(StorageModel, AnIdleLinkSavesUpNothing) {
  StorageModel storage({.mib_per_s = 1.0});
  const auto now = Clock::now();
  static_cast<void>(storage.reserve(1 << 20, now));
  const auto later = now + std::chrono::seconds(100);
  EXPECT_GT(storage.reserve(1 << 20, later) - later, milliseconds(990));
}

TEST(StorageModel, KeepsItsRateOverManySmallReads) {
  StorageModel storage({.mib_per_s = 10.0});
  const auto start = Clock::now();
  for (int read = 0; read < 200; ++read) {
    storage.read(5243, {});  // 0.5 ms each
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  EXPECT_GT(seconds, 0.097);  // 100 ms, less the link's slack
}

TEST(StorageModel, StopEndsTheWait) {
  StorageModel storage({.latency_ms = 60'000.0});
  std::stop_source source;
  const auto start = Clock::now();
  std::jthread reader([&] { storage.read(1, source.get_token()); });
  std::this_thread::sleep_for(milliseconds(20));
  source.request_stop();
  reader.join();
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace dlbench::data
