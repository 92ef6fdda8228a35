// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/disturbance.h"

#include "engine/core/affinity.h"
#include "probes/node/system_info.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

namespace dlbench::probes {
namespace {

constexpr const char* kStat =
    "cpu  1300 50 300 9000 10 20 30 40 0 0\n"
    "cpu0 1000 10 200 4000 5 10 20 30 0 0\n"
    "cpu1 300 40 100 5000 5 10 10 10 500 0\n"
    "cpu10 7 0 0 0 0 0 0 0 0 0\n"
    "intr 12345 0 0\n";

TEST(ParseProcStat, SumsTheChosenCpusWithoutIdleIowaitAndGuest) {
  const auto both = parse_proc_stat(kStat, {0, 1}, 100);
  ASSERT_TRUE(both.has_value());
  // user + nice + system + irq + softirq of both lines, in ticks of 10 ms.
  EXPECT_DOUBLE_EQ(both->busy_s, (1000 + 10 + 200 + 10 + 20 + 300 + 40 + 100 + 10 + 10) / 100.0);
  EXPECT_DOUBLE_EQ(both->steal_s, 0.4);
  EXPECT_DOUBLE_EQ(parse_proc_stat(kStat, {1}, 100)->busy_s, 4.6);
}

TEST(ParseProcStat, IsEmptyWhenACpuHasNoLineOrTheLineIsShort) {
  EXPECT_FALSE(parse_proc_stat(kStat, {0, 2}, 100).has_value());
  EXPECT_FALSE(parse_proc_stat("cpu0 1 2 3\n", {0}, 100).has_value());
  EXPECT_FALSE(parse_proc_stat("", {0}, 100).has_value());
  EXPECT_FALSE(parse_proc_stat(kStat, {}, 100).has_value());
}

/// Two snapshots of a quiet second on two CPUs; the tests spoil one field each.
struct Pair {
  ProcSnapshot begin;
  ProcSnapshot end;
  Pair() {
    begin.steady_s = 100;
    end.steady_s = 101;
    end.user_cpu_s = 1.9;
    end.involuntary_switches = 20;
    begin.cpus = CpuTimes{500, 3};
    end.cpus = CpuTimes{501.91, 3};
  }
};

TEST(CompareSnapshots, AQuietSecondIsClean) {
  const Pair pair;
  const Disturbance seen = compare_snapshots(pair.begin, pair.end, {.cpus = 2, .threads = 2});
  EXPECT_FALSE(seen.disturbed);
  EXPECT_EQ(seen.reason, "");
  EXPECT_NEAR(*seen.other_cpu_s, 0.01, 1e-9);
  EXPECT_EQ(seen.involuntary_context_switches, 20);
}

TEST(CompareSnapshots, TakesEachFieldFromItsOwn) {
  ProcSnapshot begin;
  begin.steady_s = 10;
  begin.user_cpu_s = 20;
  begin.system_cpu_s = 30;
  begin.voluntary_switches = 40;
  begin.involuntary_switches = 50;
  begin.minor_faults = 60;
  begin.major_faults = 70;
  begin.peak_rss_bytes = 4;
  begin.read_bytes = 100;
  ProcSnapshot end;
  end.steady_s = 11;
  end.user_cpu_s = 22;
  end.system_cpu_s = 33;
  end.voluntary_switches = 44;
  end.involuntary_switches = 55;
  end.minor_faults = 66;
  end.major_faults = 77;
  end.peak_rss_bytes = 8;
  end.read_bytes = 109;
  begin.cpus = CpuTimes{.busy_s = 20, .steal_s = 30};
  end.cpus = CpuTimes{.busy_s = 40, .steal_s = 31};
  const Disturbance seen = compare_snapshots(begin, end, {.other_ranks_cpu_s = 10});
  EXPECT_EQ(seen.wall_s, 1);
  EXPECT_EQ(seen.user_cpu_s, 2);
  EXPECT_EQ(seen.system_cpu_s, 3);
  EXPECT_EQ(seen.voluntary_context_switches, 4);
  EXPECT_EQ(seen.involuntary_context_switches, 5);
  EXPECT_EQ(seen.minor_faults, 6);
  EXPECT_EQ(seen.major_faults, 7);
  EXPECT_EQ(seen.peak_rss_bytes, 8) << "no difference: it is a peak";
  EXPECT_EQ(seen.read_bytes, 9);
  EXPECT_EQ(seen.steal_s, 1);
  EXPECT_EQ(seen.other_cpu_s, 5) << "20 busy, 2 + 3 of ours, 10 of our other ranks";
}

TEST(CompareSnapshots, OtherProcessesAreFoundAndNamed) {
  Pair pair;
  pair.end.cpus = CpuTimes{502.2, 3};
  const Disturbance seen = compare_snapshots(pair.begin, pair.end, {.cpus = 2, .threads = 2});
  EXPECT_TRUE(seen.disturbed);
  EXPECT_THAT(seen.reason, testing::HasSubstr("other processes used 0.30 s"));
}

TEST(CompareSnapshots, BeyondTheLimitIsDisturbed) {
  const core::DisturbanceThresholds thresholds;
  const double limit_s = thresholds.limit_s(thresholds.other_cpu_share, 1.0, 2);
  for (const double factor : {0.9, 1.1}) {
    Pair pair;
    pair.end.cpus = CpuTimes{501.9 + factor * limit_s, 3};
    const Disturbance seen = compare_snapshots(pair.begin, pair.end, {.cpus = 2, .threads = 2});
    EXPECT_EQ(seen.disturbed, factor > 1.0) << factor;
  }
}

TEST(CompareSnapshots, StealIsFound) {
  Pair pair;
  pair.end.cpus = CpuTimes{501.9, 3.2};
  const Disturbance seen = compare_snapshots(pair.begin, pair.end, {.cpus = 2, .threads = 2});
  EXPECT_THAT(seen.reason, testing::HasSubstr("hypervisor took 0.20 s"));
}

TEST(CompareSnapshots, InvoluntarySwitchesCountOnlyWhenOwnThreadsFit) {
  Pair pair;
  pair.end.involuntary_switches = 2000;
  EXPECT_TRUE(compare_snapshots(pair.begin, pair.end, {.cpus = 2, .threads = 2}).disturbed);
  EXPECT_FALSE(compare_snapshots(pair.begin, pair.end, {.cpus = 2, .threads = 4}).disturbed);
}

TEST(CompareSnapshots, AStopIsFound) {
  Pair pair;
  pair.begin.continued = 1;
  EXPECT_FALSE(compare_snapshots(pair.begin, pair.begin, {.cpus = 2, .threads = 2}).disturbed);
  pair.end.continued = 4;
  const auto result = compare_snapshots(pair.begin, pair.end, {.cpus = 2, .threads = 2});
  EXPECT_TRUE(result.disturbed);
  EXPECT_THAT(result.reason, testing::HasSubstr("stopped 3 time(s)"));
}

TEST(TakeSnapshot, CountsContinuing) {
  const ProcSnapshot begin = take_snapshot();
  count_continued(SIGCONT);
  EXPECT_EQ(take_snapshot().continued - begin.continued, 1);
}

TEST(CompareSnapshots, AFewTicksOfAShortIntervalAreNoEvidence) {
  Pair pair;
  pair.end.steady_s = 100.1;
  pair.end.user_cpu_s = 0.1;
  pair.end.involuntary_switches = 2;
  pair.end.cpus = CpuTimes{500.15, 3};  // 50 ms too much, of 200 ms
  EXPECT_FALSE(compare_snapshots(pair.begin, pair.end, {.cpus = 2, .threads = 2}).disturbed);
}

TEST(CompareSnapshots, WhatCannotBeReadStaysEmptyAndIsNotJudged) {
  Pair pair;
  pair.end.cpus.reset();
  const Disturbance seen = compare_snapshots(pair.begin, pair.end, {.cpus = 2, .threads = 2});
  EXPECT_FALSE(seen.other_cpu_s.has_value());
  EXPECT_FALSE(seen.steal_s.has_value());
  EXPECT_FALSE(seen.disturbed);
}

TEST(TakeSnapshot, TakesEachNumberFromItsOwn) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  rusage before{};
  // Until the times of user and system differ by more than the snapshot takes.
  std::atomic<std::uint64_t> sum = 0;
  while (getrusage(RUSAGE_SELF, &before) == 0 &&
         seconds(before.ru_utime) < seconds(before.ru_stime) + 0.2) {
    for (std::uint64_t step = 0; step < 100'000; ++step) {
      sum += step;
    }
  }
  const ProcSnapshot seen = take_snapshot();
  rusage after{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &after), 0);
  const auto expect = [](auto least, auto number, auto most, const char* what) {
    EXPECT_GE(number, least) << what;
    EXPECT_LE(number, most) << what;
  };
  expect(seconds(before.ru_utime), seen.user_cpu_s, seconds(after.ru_utime), "user");
  expect(seconds(before.ru_stime), seen.system_cpu_s, seconds(after.ru_stime), "system");
  expect(before.ru_nvcsw, seen.voluntary_switches, after.ru_nvcsw, "voluntary switches");
  expect(before.ru_nivcsw, seen.involuntary_switches, after.ru_nivcsw, "involuntary switches");
  expect(before.ru_minflt, seen.minor_faults, after.ru_minflt, "minor faults");
  expect(before.ru_majflt, seen.major_faults, after.ru_majflt, "major faults");
  expect(1024 * before.ru_maxrss, seen.peak_rss_bytes, 1024 * after.ru_maxrss, "peak");
}

TEST(TakeSnapshot, SeesTheCpuTimeOfThisProcess) {
  const ProcSnapshot begin = take_snapshot();
  std::atomic<std::uint64_t> sum = 0;
  while (take_snapshot().user_cpu_s - begin.user_cpu_s < 0.05) {
    for (std::uint64_t step = 0; step < 100'000; ++step) {
      sum += step;
    }
  }
  const Disturbance seen = compare_snapshots(
      begin, take_snapshot(), {.cpus = static_cast<int>(core::affinity_cpus().size())});
  EXPECT_GE(seen.user_cpu_s, 0.05);
  EXPECT_GE(seen.wall_s, 0.04);
  EXPECT_GT(seen.peak_rss_bytes, 1 << 20);
}

// Memory that nobody has touched yet is mapped page by page, and nothing is read for it.
TEST(TakeSnapshot, SeesThePagesThatThisProcessTouches) {
  constexpr std::int64_t kPages = 4096;
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  const auto bytes = static_cast<std::size_t>(kPages * page);
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  const ProcSnapshot begin = take_snapshot();
  for (std::int64_t index = 0; index < kPages; ++index) {
    static_cast<volatile char*>(memory)[index * page] = 1;
  }
  const Disturbance seen = compare_snapshots(begin, take_snapshot(), {});
  munmap(memory, bytes);
  EXPECT_GE(seen.minor_faults, kPages);
  EXPECT_LT(seen.major_faults, kPages);
}

TEST(CompareSnapshots, AQuotaIsToldAndDisturbsNothing) {
  ProcSnapshot begin;
  ProcSnapshot end;
  end.steady_s = 10.0;
  EXPECT_EQ(compare_snapshots(begin, end, {}).throttled_s, std::nullopt);
  begin.throttled_s = 3.0;
  end.throttled_s = 7.5;
  const Disturbance seen = compare_snapshots(begin, end, {});
  EXPECT_EQ(seen.throttled_s, 4.5);
  EXPECT_FALSE(seen.disturbed);
}

}  // namespace
}  // namespace dlbench::probes
