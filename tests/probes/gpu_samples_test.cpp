// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Samples of counters over time, without a GPU: a made-up stream with a gap of two samples, and the
// thread that empties a device's buffer, with a pretended buffer.
#include "probes/gpu_samples.h"

#include "engine/core/error.h"
#include "probes/gpu_tracks.h"
#include "probes/sample_drain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace dlbench::probes {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

GpuSamples synthetic() {
  return read_gpu_samples(DLBENCH_TEST_DATA "/recorded/gpu_samples_synthetic.json");
}

TEST(GpuSamples, CountsWhatWouldFillTheGapsAsLost) {
  GpuSamples samples = synthetic();
  EXPECT_EQ(samples.interval_ns(), 100'000);
  EXPECT_EQ(samples.lost(), 2) << "200 us between two samples";
  samples.samples[3].begin_ns -= 40'000;  // clocks waver
  EXPECT_EQ(samples.lost(), 2);
  samples.overflows = 1;
  EXPECT_EQ(samples.lost(), 4) << "and from the last one to the end, 200 us later";
  samples.samples.resize(3);
  samples.stopped_ns = samples.samples.back().end_ns;
  EXPECT_EQ(samples.lost(), 1) << "an overflow lost something, gap or not";
  samples.overflows = 0;
  EXPECT_EQ(samples.lost(), 0);
  EXPECT_EQ(GpuSamples{}.lost(), 0);
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
  std::vector<std::pair<std::int64_t, double>> points;
  for (const CounterPoint& point : tracks[0].points) {
    points.emplace_back(point.time_ns - 1'000'000'000, point.value);
  }
  EXPECT_EQ(points,
            (std::vector<std::pair<std::int64_t, double>>{{0, 0.0},
                                                          {100'000, 0.2},
                                                          {200'000, 0.4},
                                                          {300'000, 0.0},
                                                          {500'000, 0.6},
                                                          {600'000, 0.8},
                                                          {700'000, 1.0},
                                                          {800'000, 0.0}}));
}

TEST(GpuSamples, ReadingGivesBackWhatWasWritten) {
  const std::filesystem::path copy = testing::TempDir() + "/dlbench_gpu_samples.json";
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
  std::filesystem::remove(copy);
}

/// A buffer that hands out two samples at a time.
class PretendedBuffer {
 public:
  SampleBatch read() {
    SampleBatch batch;
    while (read_ < filled_ && batch.samples.size() < 2) {
      batch.samples.push_back({read_, read_ + 1, {}});
      read_ += 1;
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
  PretendedBuffer buffer;
  buffer.fill(5);
  SampleDrain drain([&] { return buffer.read(); }, std::chrono::microseconds(50));
  while (buffer.readings() < 4) {  // three for the five samples
    std::this_thread::yield();
  }
  buffer.fill(3);
  const SampleDrain::Result result = drain.finish();
  ASSERT_THAT(result.samples, SizeIs(8));
  for (std::size_t index = 0; index < result.samples.size(); ++index) {
    EXPECT_EQ(result.samples[index].begin_ns, static_cast<std::int64_t>(index));
  }
  EXPECT_EQ(result.overflows, 0);
}

TEST(SampleDrain, AfterAnOverflowForGoodItReadsNoMore) {
  std::atomic<int> readings = 0;
  SampleDrain drain(
      [&] {
        readings += 1;
        return SampleBatch{
            .samples = {{0, 1, {}}}, .more = true, .overflowed = true, .ended = true};
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

TEST(SampleDrain, ABufferThatPromisesMoreAndGivesNothingDoesNotHangTheRun) {
  SampleDrain drain([] { return SampleBatch{.more = true}; }, std::chrono::hours(1));
  EXPECT_THAT(drain.finish().samples, IsEmpty());
}

}  // namespace
}  // namespace dlbench::probes
