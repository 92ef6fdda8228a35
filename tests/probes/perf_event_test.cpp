// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/perf_event.h"

#include <gmock/gmock.h>
#include <linux/perf_event.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <ctime>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dlbench::probes {
namespace {

double cpu_s(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void burn(double seconds) {
  const double end = cpu_s(CLOCK_THREAD_CPUTIME_ID) + seconds;
  while (cpu_s(CLOCK_THREAD_CPUTIME_ID) < end) {
  }
}

/// A thread that is there before anything is counted, as those of OpenMP are, and works later.
class WaitingThread {
 public:
  explicit WaitingThread(std::function<void()> work)
      : thread_([this, work = std::move(work)] {
          std::unique_lock lock(mutex_);
          changed_.wait(lock, [this] { return told_; });
          work();
        }) {}
  WaitingThread(const WaitingThread&) = delete;
  WaitingThread& operator=(const WaitingThread&) = delete;
  ~WaitingThread() { finish(); }

  void finish() {
    {
      const std::lock_guard lock(mutex_);
      told_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool told_ = false;
  std::thread thread_;
};

// The kernel's own clock of a task stands in for hardware events, which few virtual machines have.
TEST(ProcessCounter, CountsThreadsThatExistAndThoseTheyStart) {
  WaitingThread before([] {
    burn(0.1);
    std::thread(burn, 0.1).join();
  });
  ProcessCounter counter;
  if (const int error = counter.open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK); error != 0) {
    GTEST_SKIP() << perf_event_reason(error, -2);
  }
  const std::vector<PerfReading> begin = counter.read();
  ASSERT_THAT(begin, testing::SizeIs(testing::Ge(2)));
  const double used = cpu_s(CLOCK_PROCESS_CPUTIME_ID);
  before.finish();
  std::thread(burn, 0.1).join();
  const double truth = cpu_s(CLOCK_PROCESS_CPUTIME_ID) - used;
  const auto counted = events_between(begin, counter.read());
  ASSERT_TRUE(counted.has_value());
  EXPECT_GE(truth, 0.3);
  EXPECT_NEAR(*counted * 1e-9, truth, 0.1 * truth);
}

TEST(ProcessCounter, IsEmptyBeforeItIsOpened) {
  EXPECT_THAT(ProcessCounter().read(), testing::IsEmpty());
}

TEST(EventsBetween, AddsThreadsAndScalesWhatWasNotCounted) {
  const std::array begin{PerfReading{100, 1000, 1000}, PerfReading{0, 0, 0}};
  EXPECT_EQ(
      events_between(begin, std::array{PerfReading{150, 2000, 2000}, PerfReading{70, 10, 10}}),
      120.0);
  // The second counted half of its time, then none of it: as often as the first, by time.
  EXPECT_EQ(events_between(begin, std::array{PerfReading{150, 2000, 2000}, PerfReading{70, 10, 5}}),
            190.0);
  EXPECT_EQ(events_between(begin, std::array{PerfReading{150, 2000, 2000}, PerfReading{0, 500, 0}}),
            75.0);
  EXPECT_EQ(events_between(begin, begin), 0.0);
}

TEST(EventsBetween, IsNothingWhereNoTimeWasCounted) {
  const std::array begin{PerfReading{100, 1000, 1000}};
  EXPECT_EQ(events_between(begin, std::array{PerfReading{100, 2000, 1000}}), std::nullopt);
  EXPECT_EQ(events_between({}, {}), std::nullopt);
  EXPECT_EQ(events_between(begin, {}), std::nullopt);
}

TEST(PerfEventReason, NamesWhatToChange) {
  EXPECT_THAT(perf_event_reason(EACCES, 4),
              testing::HasSubstr("perf_event_paranoid is 4, 2 or less"));
  EXPECT_THAT(perf_event_reason(EPERM, 1), testing::HasSubstr("seccomp"));
  EXPECT_THAT(perf_event_reason(ENOENT, 1), testing::HasSubstr("virtual machine"));
  EXPECT_THAT(perf_event_reason(ENOENT, 1), testing::Not(testing::HasSubstr("seccomp")));
}

}  // namespace
}  // namespace dlbench::probes
