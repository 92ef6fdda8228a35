// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/device_watch.h"

#include "engine/comm/rank_progress.h"
#include "engine/comm/self.h"
#include "engine/core/error.h"
#include "tests/error_message.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

namespace dlbench::comm {
namespace {

using core::Error;
using core::ErrorCode;
using ::testing::HasSubstr;

constexpr double kShort = 0.3;

void sleep(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// Work on a device that ends only when it is aborted.
struct Device {
  void run() const {
    while (aborts == 0) {
      sleep(0.001);
    }
  }
  DeviceWatch::Collectives collectives(double timeout_s) {
    return {.check =
                [this] {
                  if (failed) {
                    throw Error(ErrorCode::kRun, "a link is down");
                  }
                },
            .abort = [this] { ++aborts; },
            .rank = 7,
            .timeout_s = timeout_s};
  }
  std::atomic<int> aborts{0};
  std::atomic<bool> failed{false};
};

TEST(DeviceWatch, LeavesWorkThatEndsAlone) {
  Device device;
  constexpr double kPatience = 1.5;  // much more than a busy machine adds to a quarter of it
  DeviceWatch watch(device.collectives(kPatience));
  int runs = 0;
  for (int i = 0; i < 5; ++i) {
    watch.during([&] {
      ++runs;
      sleep(kPatience / 4.0);  // all together longer than one may last
    });
  }
  sleep(1.25 * kPatience);  // nobody waits
  watch.during([&] { ++runs; });
  EXPECT_EQ(runs, 6);
  EXPECT_EQ(device.aborts, 0);
  EXPECT_THROW(watch.during([] { throw std::out_of_range("its own"); }), std::out_of_range);
}

TEST(DeviceWatch, EndsAWaitThatIsTooLong) {
  Device device;
  DeviceWatch watch(device.collectives(kShort));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(tests::error_of([&] { watch.during([&] { device.run(); }); }, ErrorCode::kTimeout),
              HasSubstr("[rank 7]"));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::duration<double>(kShort));
  EXPECT_EQ(device.aborts, 1);
}

TEST(DeviceWatch, TellsTheFirstFailureFromThenOn) {
  Device device;
  DeviceWatch watch(device.collectives(1000.0));
  device.failed = true;
  // What the work meets when it is aborted is not the cause.
  EXPECT_EQ(tests::error_of(
                [&] {
                  watch.during([&] {
                    device.run();
                    throw Error(ErrorCode::kLibrary, "aborted");
                  });
                },
                ErrorCode::kRun),
            "a link is down");
  EXPECT_THROW(watch.rethrow_failure(), Error);
  bool ran = false;
  EXPECT_EQ(tests::error_of([&] { watch.during([&] { ran = true; }); }, ErrorCode::kRun),
            "a link is down");
  EXPECT_TRUE(ran) << "who waits before it frees memory has waited";
  EXPECT_EQ(device.aborts, 1);
}

TEST(DeviceWatch, EndsALongWaitWhenTheRunShallEnd) {
  Device device;
  DeviceWatch watch(device.collectives(1000.0));
  std::atomic<bool> over = false;
  set_end_check([&] {
    if (over) {
      throw Error(ErrorCode::kInterrupted, "Ctrl-C");
    }
  });
  watch.during([] { sleep(0.3); });
  over = true;
  watch.during([] { sleep(0.3); });  // ends by itself: who asks between steps shall end the run
  EXPECT_EQ(tests::error_of([&] { watch.during([&] { device.run(); }); }, ErrorCode::kInterrupted),
            "Ctrl-C");
  EXPECT_EQ(device.aborts, 1);
  set_end_check({});
}

TEST(DeviceWatch, ShowsThatTheHostWaits) {
  Device device;
  DeviceWatch watch(device.collectives(1000.0));
  const auto waits = [] { return own_progress().awaits_device.load() != 0; };
  bool waited = false;
  watch.during([&] { waited = waits(); });
  EXPECT_TRUE(waited);
  EXPECT_FALSE(waits());
  EXPECT_THROW(watch.during([] { throw std::out_of_range("its own"); }), std::out_of_range);
  EXPECT_FALSE(waits());
}

// In a process of its own: a launch that has ended stays so.
TEST(DeviceWatchDeathTest, EndsTheWaitWhenAnotherRankHasFailed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto told = [] {
    Device device;
    DeviceWatch watch(device.collectives(1000.0));
    std::jthread other([] {
      sleep(0.05);
      end_waits(ErrorCode::kRun, "rank 1 is gone");
    });
    return tests::error_of([&] { watch.during([&] { device.run(); }); }, ErrorCode::kRun);
  };
  EXPECT_EXIT(_exit(told() == "rank 1 is gone" ? 17 : 1), ::testing::ExitedWithCode(17), "");
}

TEST(DeviceWatch, IsNotThereForCollectivesThatBlock) {
  SelfCommunicator self;
  EXPECT_EQ(self.watch(), nullptr);
  int runs = 0;
  watched(self, [&] { ++runs; });
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace dlbench::comm
