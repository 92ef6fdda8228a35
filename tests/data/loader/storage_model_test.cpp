// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/storage_model.h"

#include "tests/error_message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace dlbench::data {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
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
                           "mib_per_s=1e-12",  // its nanoseconds would not fit 64 bits
                           "mib_per_s=1,",
                           "speed=3",
                           "mib_per_s=1e99",
                           "mib_per_s=nan",
                           "latency_ms=1 "}) {
    const std::string message =
        tests::error_of([&] { static_cast<void>(parse_storage_options(text)); });
    EXPECT_NE(message.find("wanted latency_ms=NUMBER,mib_per_s=NUMBER"), std::string::npos) << text;
  }
}

TEST(StorageModel, LatenciesOverlapAndTransfersQueue) {
  StorageModel storage({.latency_ms = 10.0, .mib_per_s = 1.0});
  const auto now = Clock::now();
  const auto first = storage.reserve(1 << 20, now);
  const auto second = storage.reserve(1 << 20, now);
  EXPECT_EQ(first - now, milliseconds(1010));
  EXPECT_EQ(second - first, milliseconds(1000));
  StorageModel latency_only({.latency_ms = 10.0});
  EXPECT_EQ(latency_only.reserve(1 << 30, now) - now, milliseconds(10));
  EXPECT_EQ(latency_only.reserve(1 << 30, now) - now, milliseconds(10));
}

/// 1 ms of a link of 1000 MiB/s.
constexpr std::int64_t kBytes = 1 << 20;
constexpr StorageOptions kLink{.mib_per_s = 1000.0};

TEST(StorageModel, AnIdleLinkSavesUpNothing) {
  StorageModel storage(kLink);
  auto now = Clock::now();
  for (int read = 0; read < 10; ++read) {
    const auto complete = storage.reserve(kBytes, now);
    EXPECT_EQ(complete - now, milliseconds(1)) << "read " << read;
    storage.woke(complete, complete);
    now = complete + milliseconds(3);  // it decodes
  }
}

TEST(StorageModel, ALateReaderMakesUpForThatAndNoMore) {
  StorageModel storage(kLink);
  const auto first = storage.reserve(kBytes, Clock::now());
  auto now = first + microseconds(300);
  storage.woke(first, now);
  const auto second = storage.reserve(kBytes, now);
  EXPECT_EQ(second - first, milliseconds(1)) << "the link lost nothing";
  // Late again, but this time it decodes before it reads on: it asks 300 us later than it would.
  storage.woke(second, second + microseconds(300));
  now = second + microseconds(3300);
  const auto third = storage.reserve(kBytes, now);
  EXPECT_EQ(third - now, microseconds(700));
  now = third + milliseconds(3);
  EXPECT_EQ(storage.reserve(kBytes, now) - now, milliseconds(1)) << "made up for once";
}

TEST(StorageModel, SeveralShortReadsMakeUpForOneLateReader) {
  StorageModel storage(kLink);
  auto complete = storage.reserve(kBytes, Clock::now());
  const auto start = complete;
  const auto now = complete + microseconds(1500);
  for (int read = 1; read <= 3; ++read) {  // the first two are complete when they are asked for
    storage.woke(complete, std::max(now, complete));
    complete = storage.reserve(kBytes / 2, now);
    EXPECT_EQ(complete - start, microseconds(500) * read);
  }
}

TEST(StorageModel, AStoppedProcessGetsNothingForIt) {
  StorageModel storage({.mib_per_s = 1.0});
  const auto complete = storage.reserve(1 << 20, Clock::now());
  const auto now = complete + std::chrono::seconds(100);
  storage.woke(complete, now);
  EXPECT_GE(storage.reserve(1 << 20, now) - now, milliseconds(998));
}

TEST(StorageModel, KeepsItsRateOverManySmallReads) {
  StorageModel storage({.mib_per_s = 10.0});
  const auto start = Clock::now();
  for (int read = 0; read < 200; ++read) {
    storage.read(5243, {});  // 0.5 ms each
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  EXPECT_GT(seconds, 0.097);  // 100 ms, less what a late reader makes up for
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
