// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Samples of counters over time, without a GPU: a made-up stream with a gap of two samples, and the
// thread that empties a device's buffer, with a fake buffer.
#include "probes/gpu/gpu_samples.h"

#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "probes/gpu/sample_drain.h"
#include "probes/gpu_tracks.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dlbench::probes {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

GpuSamples synthetic() { return read_gpu_samples(DLBENCH_RECORDED "/gpu_samples_synthetic.json"); }

TEST(GpuSamples, CountsWhatWouldFillTheGapsAsLost) {
  GpuSamples samples = synthetic();
  EXPECT_EQ(samples.interval_ns(), 100'000);
  EXPECT_EQ(samples.lost(), 2) << "200 us between two samples";
  samples.samples[3].begin_ns -= 40'000;  // clocks waver
  EXPECT_EQ(samples.lost(), 2);
  samples.overflows = 1;
  samples.end_ns = samples.stopped_ns;
  EXPECT_EQ(samples.lost(), 4) << "and from the last one to the end, 200 us later";
  samples.samples.resize(3);
  samples.stopped_ns = samples.samples.back().end_ns;
  EXPECT_EQ(samples.lost(), 1) << "an overflow lost something, gap or not";
  samples.overflows = 0;
  EXPECT_EQ(samples.lost(), 0);
  EXPECT_EQ(GpuSamples{}.lost(), 0);
}

TEST(GpuSamples, TimesAreMovedToTheHostsClock) {
  const GpuSamples wanted = synthetic();
  constexpr std::int64_t kAhead = 1'700'000'000'000'000'000;
  const ProfilerClock clock(
      {.host_ns = wanted.started_ns, .profiler_ns = wanted.started_ns + kAhead},
      {.host_ns = wanted.stopped_ns, .profiler_ns = wanted.stopped_ns + kAhead});
  GpuSamples samples = wanted;
  for (CounterSample& sample : samples.samples) {
    sample.begin_ns += kAhead;
    sample.end_ns += kAhead;
  }
  EXPECT_FALSE(samples.on_host_clock());
  move_to_host(samples, clock);
  EXPECT_TRUE(samples.on_host_clock());
  EXPECT_EQ(samples.samples.front().begin_ns, wanted.samples.front().begin_ns);
  EXPECT_EQ(samples.samples.back().end_ns, wanted.samples.back().end_ns);
}

TEST(ProfilerClock, IsOfNoUseWhereItWasSet) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const ClockReading before{.host_ns = 10 * kSecond, .profiler_ns = 1000 * kSecond};
  const auto later = [&](std::int64_t gained_ns) {
    return ClockReading{.host_ns = 12 * kSecond, .profiler_ns = 1002 * kSecond + gained_ns};
  };
  EXPECT_EQ(ProfilerClock(before, later(0)).refusal(), "");
  EXPECT_EQ(ProfilerClock(before, later(1'000'000)).refusal(), "") << "NTP lets it run faster";
  EXPECT_THAT(ProfilerClock(before, later(kSecond)).refusal(), HasSubstr("set by 1.000 s"));
  EXPECT_THAT(ProfilerClock(before, later(-kSecond)).refusal(), HasSubstr("set by -1.000 s"));
  const ProfilerClock fast(before, later(1'000'000));
  EXPECT_EQ(fast.to_host(1000 * kSecond), 10 * kSecond);
  EXPECT_EQ(fast.to_host(1002 * kSecond + 1'000'000), 12 * kSecond);
  EXPECT_NEAR(static_cast<double>(fast.to_host(1001 * kSecond + 500'000)), 11e9, 2.0);
  EXPECT_EQ(ProfilerClock(before, later(3'000'000)).refusal(), "") << "1 ms, and 1 more a second";
  EXPECT_NE(ProfilerClock(before, later(3'000'001)).refusal(), "");
}

TEST(ProfilerClock, OfSeveralReadingsTheQuickestIsTaken) {
  constexpr int kQuick = 2;
  int readings = 0;
  const ClockReading now = read_clocks([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(readings == kQuick ? 0 : 20));
    return readings++;
  });
  EXPECT_EQ(now.profiler_ns, kQuick);
}

TEST(ProfilerClock, AReadingIsOfTheMiddleOfItsTime) {
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> spans;
  const ClockReading now = read_clocks([&] {
    const std::int64_t begin_ns = core::steady_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    spans[begin_ns] = {begin_ns, core::steady_ns()};
    return begin_ns;
  });
  EXPECT_GT(now.host_ns, spans.at(now.profiler_ns).first);
  EXPECT_LT(now.host_ns, spans.at(now.profiler_ns).second);
}

TEST(ProfilerClock, IsReadWithTheHostsClockAroundIt) {
  std::vector<std::int64_t> told;
  const std::int64_t before_ns = core::steady_ns();
  const ClockReading now = read_clocks([&] {
    told.push_back(static_cast<std::int64_t>(told.size()));
    return told.back();
  });
  EXPECT_GE(now.host_ns, before_ns);
  EXPECT_LE(now.host_ns, core::steady_ns());
  EXPECT_THAT(told, Contains(now.profiler_ns));
}

TEST(GpuSamples, WithoutStepsOrOnAnotherClockEveryGapCounts) {
  GpuSamples samples = synthetic();
  samples.end_ns = samples.begin_ns;
  EXPECT_EQ(samples.lost(), 0);
  samples.steps = 0;
  EXPECT_EQ(samples.lost(), 2);
  samples.steps = 2;
  samples.started_ns = samples.stopped_ns = 0;
  EXPECT_EQ(samples.lost(), 2);
}

TEST(GpuSamples, MayBeAMillisecondOutsideOfTheTimeInWhichTheyWereTaken) {
  const GpuSamples inside = synthetic();
  GpuSamples samples = inside;
  samples.started_ns = samples.samples.front().end_ns + 1'000'000;
  EXPECT_TRUE(samples.on_host_clock());
  samples.started_ns += 1;
  EXPECT_FALSE(samples.on_host_clock());
  samples = inside;
  samples.stopped_ns = samples.samples.back().end_ns - 1'000'000;
  EXPECT_TRUE(samples.on_host_clock());
  samples.stopped_ns -= 1;
  EXPECT_FALSE(samples.on_host_clock());
}

// Of the synthetic steps, 150 to 750 us, four samples and a gap of two.
TEST(GpuSamples, OnlyGapsBetweenTheFirstAndTheLastStepCount) {
  GpuSamples samples = synthetic();
  const auto steps = [&](std::int64_t begin_us, std::int64_t end_us) {
    samples.begin_ns = 1'000'000'000 + begin_us * 1000;
    samples.end_ns = 1'000'000'000 + end_us * 1000;
  };
  steps(150, 300);
  EXPECT_EQ(samples.lost(), 0) << "the gap follows the last step";
  steps(400, 750);
  EXPECT_EQ(samples.lost(), 1) << "half of the gap came before the first one";
  steps(0, 900);
  samples.overflows = 1;
  EXPECT_EQ(samples.lost(), 3) << "of the 200 us after the last sample 100 are of the steps";
}

TEST(GpuSamples, AFewLostOnesDoNotMatter) {
  GpuSamples samples{.started_ns = 1, .stopped_ns = 500'000, .begin_ns = 1, .end_ns = 500'000};
  samples.steps = 3;
  for (std::int64_t index = 0; index < 400; ++index) {
    samples.samples.push_back({index * 1000, index * 1000 + 1000, {}});
  }
  EXPECT_FALSE(samples.has_gaps());
  samples.samples.erase(samples.samples.begin() + 100, samples.samples.begin() + 104);
  EXPECT_EQ(samples.lost(), 4);
  EXPECT_FALSE(samples.has_gaps()) << "1 %";
  samples.samples.erase(samples.samples.begin() + 200);
  EXPECT_EQ(samples.lost(), 5);
  EXPECT_TRUE(samples.has_gaps());
  samples.samples.resize(50);
  samples.end_ns = 50'000;
  EXPECT_FALSE(samples.has_gaps());
  samples.overflows = 1;
  EXPECT_TRUE(samples.has_gaps());
}

TEST(GpuSamples, LostOnesAreJudgedBesideThoseOfTheSteps) {
  GpuSamples samples{.started_ns = 1, .stopped_ns = 400'000, .begin_ns = 1, .end_ns = 400'000};
  samples.steps = 3;
  for (std::int64_t index = 0; index < 400; ++index) {
    samples.samples.push_back({index * 1000, index * 1000 + 1000, {}});
  }
  samples.overflows = 1;
  EXPECT_EQ(samples.lost(), 1);
  EXPECT_TRUE(samples.has_gaps()) << "after an overflow nobody knows how many they were";
  samples.overflows = 0;
  samples.samples.erase(samples.samples.begin() + 50, samples.samples.begin() + 52);
  EXPECT_FALSE(samples.has_gaps()) << "2 of 400";
  samples.end_ns = 100'000;
  EXPECT_TRUE(samples.has_gaps()) << "2 of 100";
}

TEST(GpuSamples, TheFirstSampleIsDroppedIfThereAreOthers) {
  GpuSamples samples = synthetic();
  const std::size_t all = samples.samples.size();
  drop_first_sample(samples);
  EXPECT_THAT(samples.samples, SizeIs(all - 1));
  EXPECT_EQ(samples.samples.front().values.front(), 0.2);
  samples.samples.resize(2);
  drop_first_sample(samples);
  EXPECT_THAT(samples.samples, SizeIs(1));
  drop_first_sample(samples);
  EXPECT_THAT(samples.samples, SizeIs(1));
  GpuSamples none;
  drop_first_sample(none);
  EXPECT_THAT(none.samples, IsEmpty());
}

// As of a unit that the slices of a GPU share.
TEST(GpuSamples, ACounterWithoutANumberIsMissing) {
  const double none = std::nan("");
  GpuSamples samples{
      .counters = {"dram_read_bytes_per_s", "sm_active_share", "tensor_active_share"},
      .missing = {"sm__other.sum"}};
  const std::vector<std::string> names{"dram__bytes_read", "sm__cycles_active", "sm__pipe_tensor"};
  leave_out_empty(samples, names);
  EXPECT_THAT(samples.counters, SizeIs(3)) << "nothing was sampled";
  samples.samples = {{.values = {none, 0.5, none}}, {.values = {none, none, none}}};
  leave_out_empty(samples, names);
  EXPECT_THAT(samples.counters, ElementsAre("sm_active_share"));
  EXPECT_THAT(samples.missing,
              UnorderedElementsAre("sm__other.sum", "dram__bytes_read", "sm__pipe_tensor"));
  EXPECT_THAT(samples.samples[0].values, ElementsAre(0.5));
  EXPECT_THAT(samples.samples[1].values, SizeIs(1));
}

TEST(GpuSamples, AreSorted) {
  GpuSamples samples;
  samples.samples = {{300, 400, {3.0}}, {100, 200, {1.0}}};
  put_in_order(samples);
  EXPECT_EQ(samples.samples[0].begin_ns, 100);
  EXPECT_EQ(samples.samples[1].values, (std::vector<double>{3.0}));
  EXPECT_EQ(samples.lost(), 1) << "the gap says that one is missing";
}

TEST(GpuSamples, TimesOfAnotherClockAreNoticed) {
  GpuSamples samples = synthetic();
  EXPECT_TRUE(samples.on_host_clock());
  EXPECT_THAT(counter_tracks(samples), SizeIs(2));
  for (CounterSample& sample : samples.samples) {
    sample.begin_ns += 3'600'000'000'000;
    sample.end_ns += 3'600'000'000'000;
  }
  EXPECT_FALSE(samples.on_host_clock());
  EXPECT_THAT(counter_tracks(samples), IsEmpty()) << "not to be drawn beside the host's regions";
  EXPECT_FALSE(GpuSamples{}.on_host_clock());
}

TEST(GpuSamples, TracksFallToZeroWhereNothingWasSampled) {
  const std::vector<CounterTrack> tracks = counter_tracks(synthetic());
  ASSERT_THAT(tracks, SizeIs(2));
  EXPECT_EQ(tracks[0].name, "GPU sm_active_share");
  using Points = std::vector<std::pair<std::int64_t, double>>;
  const auto points_of = [](const CounterTrack& track) {
    Points points;
    for (const CounterPoint& point : track.points) {
      points.emplace_back(point.time_ns - 1'000'000'000, point.value);
    }
    return points;
  };
  EXPECT_EQ(points_of(tracks[0]),
            (Points{{0, 0.0},
                    {100'000, 0.2},
                    {200'000, 0.4},
                    {300'000, 0.0},
                    {500'000, 0.6},
                    {600'000, 0.8},
                    {700'000, 1.0},
                    {800'000, 0.0}}));
  EXPECT_EQ(points_of(tracks[1]),
            (Points{{0, 0.0},
                    {100'000, 1e12},
                    {200'000, 0.0},  // no number
                    {300'000, 0.0},
                    {500'000, 3e12},
                    {600'000, 2e12},
                    {700'000, 5e11},
                    {800'000, 0.0}}));
}

TEST(GpuSamples, ReadingGivesBackWhatWasWritten) {
  const tests::TemporaryFolder folder;
  const std::filesystem::path copy = folder.path() / "samples.json";
  const GpuSamples samples = synthetic();
  write_gpu_samples(copy, samples);
  const GpuSamples again = read_gpu_samples(copy);
  EXPECT_EQ(again.trial, "synthetic/device");
  EXPECT_EQ(again.counters, samples.counters);
  EXPECT_EQ(again.missing, samples.missing);
  EXPECT_EQ(again.begin_ns, samples.begin_ns);
  EXPECT_EQ(again.stopped_ns, samples.stopped_ns);
  EXPECT_EQ(again.steps, 2);
  ASSERT_EQ(again.samples.size(), samples.samples.size());
  EXPECT_EQ(again.samples[3].values, samples.samples[3].values);
  EXPECT_TRUE(std::isnan(again.samples[2].values[1])) << "null: nothing to divide by";

  std::ofstream(copy)
      << R"({"format": "dlbench.gpu_samples", "version": 1, "origin": "", "trial": "",
    "started_ns": 0, "stopped_ns": 0, "begin_ns": 0, "end_ns": 0, "steps": 0, "overflows": 0,
    "counters": ["a", "b"], "missing": [], "samples": [[0, 1, 0.5]]})";
  try {
    static_cast<void>(read_gpu_samples(copy));
    FAIL() << "one value for two counters";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kData);
    EXPECT_THAT(error.what(), HasSubstr("3 numbers"));
  }
}

/// A buffer that hands out two samples at a time.
class FakeBuffer {
 public:
  SampleBatch read() {
    SampleBatch batch;
    while (read_ < filled_ && batch.samples.size() < 2) {
      read_ += 1;
      batch.samples.push_back({read_, read_ + 1, {}});
    }
    readings_ += 1;
    batch.more = read_ < filled_;
    return batch;
  }
  void fill(std::int64_t samples) { filled_ += samples; }
  [[nodiscard]] int readings() const { return readings_; }

 private:
  std::atomic<std::int64_t> filled_ = 0;
  std::int64_t read_ = 0;
  std::atomic<int> readings_ = 0;
};

TEST(SampleDrain, ReadsMeanwhileAndTheRestAtTheEnd) {
  FakeBuffer buffer;
  buffer.fill(5);
  SampleDrain drain([&] { return buffer.read(); }, std::chrono::microseconds(50));
  while (buffer.readings() < 4) {  // three for the five samples
    std::this_thread::yield();
  }
  buffer.fill(3);
  const SampleDrain::Result result = drain.finish();
  ASSERT_THAT(result.samples, SizeIs(8));
  for (std::size_t index = 0; index < result.samples.size(); ++index) {
    EXPECT_EQ(result.samples[index].begin_ns, static_cast<std::int64_t>(index) + 1);
  }
  EXPECT_EQ(result.overflows, 0);
}

TEST(SampleDrain, AfterAnOverflowForGoodItReadsNoMore) {
  std::atomic<int> readings = 0;
  SampleDrain drain(
      [&] {
        readings += 1;
        return SampleBatch{
            .samples = {{1, 2, {}}}, .more = true, .overflowed = true, .ended = true};
      },
      std::chrono::microseconds(50));
  while (readings == 0) {
    std::this_thread::yield();
  }
  const SampleDrain::Result result = drain.finish();
  EXPECT_EQ(readings, 1);
  EXPECT_EQ(result.overflows, 1);
  EXPECT_THAT(result.samples, SizeIs(1));
}

// Stopped for a reason that is not told: the thread comes back in a period, the end reads on.
TEST(SampleDrain, WhatIsUnfinishedWaitsForTheNextTimeAndNotForTheEnd) {
  std::atomic<int> left = 6;
  std::atomic<int> readings = 0;
  const auto read = [&] {
    SampleBatch batch;
    if (left > 0) {
      left -= 1;
      batch.samples.push_back({1, 2, {}});
    }
    batch.unfinished = left > 0;
    readings += 1;
    return batch;
  };
  SampleDrain seldom(read, std::chrono::hours(1));
  EXPECT_THAT(seldom.finish().samples, SizeIs(6)) << "nothing comes later: all is read";
  left = 6;
  readings = 0;
  constexpr std::chrono::milliseconds kPeriod{20};
  const auto begin = std::chrono::steady_clock::now();
  SampleDrain drain(read, kPeriod);
  while (readings < 3) {
    std::this_thread::yield();
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 3 * kPeriod) << "one reading in a period";
  EXPECT_THAT(drain.finish().samples, SizeIs(6));
}

TEST(SampleDrain, WhatReadingThrowsComesOutAtTheEnd) {
  std::atomic<int> readings = 0;
  SampleDrain drain(
      [&]() -> SampleBatch {
        readings += 1;
        throw std::runtime_error("the device is lost");
      },
      std::chrono::microseconds(50));
  while (readings == 0) {
    std::this_thread::yield();
  }
  EXPECT_THROW((void)drain.finish(), std::runtime_error);
  EXPECT_EQ(readings, 1);
}

TEST(SampleDrain, ABufferThatIsNeverEmptyDoesNotHangTheRun) {
  std::atomic<int> readings{0};
  SampleDrain drain(
      [&] {
        ++readings;
        return SampleBatch{.samples = {{1, 2, {}}}, .unfinished = true};
      },
      std::chrono::hours(1));
  const SampleDrain::Result result = drain.finish();
  EXPECT_EQ(readings, 100);
  EXPECT_EQ(result.overflows, 1) << "what was left is lost";
}

// A decoder that has nothing left may give samples without a time for ever.
TEST(SampleDrain, SamplesWithoutATimeAreNoneAndNoOverflow) {
  std::atomic<int> readings{0};
  SampleDrain drain(
      [&] {
        ++readings;
        SampleBatch batch{.samples = {{0, 0, {}}, {7, 7, {}}}, .unfinished = true};
        if (readings == 1) {
          batch.samples.insert(batch.samples.begin() + 1, {5, 6, {}});
        }
        return batch;
      },
      std::chrono::hours(1));
  const SampleDrain::Result result = drain.finish();
  EXPECT_EQ(readings, 2);
  EXPECT_EQ(result.overflows, 0);
  ASSERT_THAT(result.samples, SizeIs(1));
  EXPECT_EQ(result.samples[0].begin_ns, 5);
}

TEST(SampleDrain, ABufferThatPromisesMoreAndGivesNothingDoesNotHangTheRun) {
  SampleDrain drain([] { return SampleBatch{.more = true}; }, std::chrono::hours(1));
  EXPECT_THAT(drain.finish().samples, IsEmpty());
}

}  // namespace
}  // namespace dlbench::probes
