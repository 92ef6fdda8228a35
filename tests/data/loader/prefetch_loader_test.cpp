// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/prefetch_loader.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "tests/data/loader/batch_text.h"
#include "tests/data/loader/fake_dataset.h"
#include "tests/data/loader/rank_indices.h"
#include "tests/error_message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace dlbench::data {
namespace {

using std::chrono::microseconds;
using testing::all_batches;
using testing::batch_text;
using testing::FakeDataset;

TEST(PrefetchLoader, ContentsDoNotDependOnWorkersPrefetchOrTickets) {
  FakeDataset dataset(23);
  dataset.sample_time = microseconds(50);
  FakeDataset coarse(23, 3);
  const LoaderOptions base{.batch_size = 4, .seed = 3, .drop_last = false, .epochs = 3};
  const std::string expected = all_batches(dataset, base);
  EXPECT_EQ(std::ranges::count(expected, '\n'), 18);
  for (const int workers : {1, 2, 5}) {
    for (const int prefetch : {1, 2, 7}) {
      LoaderOptions options = base;
      options.workers = workers;
      options.prefetch = prefetch;
      EXPECT_EQ(all_batches(dataset, options), expected)
          << workers << " workers, prefetch " << prefetch;
      EXPECT_EQ(all_batches(coarse, options), expected) << workers << " workers, tickets of 3";
    }
  }
}

TEST(PrefetchLoader, FollowsTheSampler) {
  const FakeDataset dataset(10);
  PrefetchLoader loader(dataset, {.batch_size = 3, .seed = 9, .rank = 1, .world = 2, .epochs = 2});
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    const auto expected = testing::rank_indices(loader.sampler(), epoch);
    std::vector<std::int64_t> got;
    for (std::int64_t i = 0; i < loader.sampler().batches_per_epoch(); ++i) {
      const BatchLease lease = loader.next();
      ASSERT_TRUE(lease);
      EXPECT_EQ(lease->epoch, epoch);
      EXPECT_EQ(lease->global_row, 3);
      EXPECT_EQ(lease->global_samples, 6);
      got.insert(got.end(), lease->indices.begin(), lease->indices.end());
    }
    EXPECT_EQ(got, expected);
  }
  EXPECT_FALSE(loader.next());
  EXPECT_FALSE(loader.next()) << "the end must stay the end";
}

TEST(PrefetchLoader, LateShardingGivesTheSameBatchesAndLoadsEverything) {
  const FakeDataset dataset(12);
  const LoaderOptions early{.batch_size = 3, .workers = 2, .rank = 1, .world = 2, .epochs = 1};
  LoaderOptions late = early;
  late.shard = ShardMode::kLate;
  const std::string expected = all_batches(dataset, early);
  EXPECT_EQ(dataset.loads.exchange(0), 6);
  EXPECT_EQ(all_batches(dataset, late), expected);
  EXPECT_EQ(dataset.loads.load(), 12);
}

TEST(PrefetchLoader, ErrorsComeInOrderWithTheFileNamed) {
  FakeDataset dataset(12);
  dataset.corrupt = {7, 6};
  for (const int workers : {1, 4}) {
    PrefetchLoader loader(
        dataset,
        {.batch_size = 2, .workers = workers, .shuffle = false, .corrupt_advice = "leave it out"});
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(loader.next());
    }
    for (int i = 0; i < 2; ++i) {  // and again
      const std::string message = tests::error_of([&] { static_cast<void>(loader.next()); });
      EXPECT_EQ(message, "fake6 is corrupt; leave it out");
    }
  }
}

TEST(PrefetchLoader, SkipCorruptReplacesTheSameWayWithAnyNumberOfWorkers) {
  FakeDataset dataset(12);
  dataset.corrupt = {3, 4, 11};
  LoaderOptions options{.batch_size = 4, .shuffle = false, .epochs = 2, .skip_corrupt = true};
  const std::string expected = all_batches(dataset, options);
  EXPECT_NE(expected.find("0/0/0:0,1,2,5,"), std::string::npos) << expected;  // 3 -> 5, past 4
  EXPECT_NE(expected.find("1/0/1:5,5,6,7,"), std::string::npos) << expected;
  EXPECT_NE(expected.find("2/0/2:8,9,10,0,"), std::string::npos) << expected;  // wraps round
  for (const int workers : {2, 5}) {
    options.workers = workers;
    EXPECT_EQ(all_batches(dataset, options), expected);
  }
  PrefetchLoader loader(dataset, options);
  while (loader.next()) {
  }
  const LoaderStats stats = loader.stats();
  ASSERT_EQ(stats.skipped.size(), 3U);
  EXPECT_EQ(stats.skipped[0].index, 3);
  EXPECT_EQ(stats.skipped[0].name, "fake3");
  EXPECT_EQ(stats.skipped[0].message, "fake3 is corrupt");
  EXPECT_EQ(stats.samples_replaced, 6);
  loader.reset_stats();
  EXPECT_EQ(loader.stats().samples_replaced, 0);
  EXPECT_EQ(loader.stats().skipped.size(), 3U) << "they are corrupt all the same";
}

TEST(PrefetchLoader, SkipCorruptEndsWhenNothingIsGood) {
  FakeDataset dataset(3);
  dataset.corrupt = {0, 1, 2};
  PrefetchLoader loader(dataset, {.batch_size = 1, .workers = 2, .skip_corrupt = true});
  EXPECT_NE(tests::error_of([&] { static_cast<void>(loader.next()); }).find("all 3 samples"),
            std::string::npos);
}

TEST(PrefetchLoader, LeasedSlotsAreNotReusedAndOutliveTheLoader) {
  const FakeDataset dataset(64);
  auto loader =
      std::make_unique<PrefetchLoader>(dataset, LoaderOptions{.batch_size = 4, .workers = 2});
  BatchLease kept = loader->next();
  const std::string before = batch_text(*kept);
  for (int i = 0; i < 40; ++i) {
    static_cast<void>(loader->next());
  }
  EXPECT_EQ(batch_text(*kept), before);
  loader.reset();
  EXPECT_EQ(batch_text(*kept), before);
  BatchLease moved = std::move(kept);
  EXPECT_FALSE(kept);  // NOLINT(bugprone-use-after-move): the moved-from state is the claim
  EXPECT_TRUE(moved);
}

TEST(PrefetchLoader, TooManyLeasesIsAProgrammerError) {
  const FakeDataset dataset(64);
  PrefetchLoader loader(dataset, {.batch_size = 1, .max_leases = 2});
  const BatchLease first = loader.next();
  const BatchLease second = loader.next();
  EXPECT_THROW(static_cast<void>(loader.next()), core::CheckFailure);
}

TEST(PrefetchLoader, StopAndStartGoOnWhereTheConsumerWas) {
  FakeDataset dataset(16);
  dataset.sample_time = microseconds(100);
  const LoaderOptions options{.batch_size = 2, .workers = 3, .prefetch = 4, .epochs = 3};
  const std::string expected = all_batches(dataset, options);
  PrefetchLoader loader(dataset, options);
  std::string got;
  for (int i = 0; i < 24; ++i) {
    if (i % 5 == 3) {
      loader.stop();
      EXPECT_FALSE(loader.running());
      EXPECT_FALSE(loader.next());
      const std::int64_t loads = dataset.loads.load();
      std::this_thread::sleep_for(microseconds(500));
      EXPECT_EQ(dataset.loads.load(), loads) << "a stopped loader works";
      loader.start();
    }
    const BatchLease lease = loader.next();
    ASSERT_TRUE(lease);
    got += batch_text(*lease) + "\n";
  }
  EXPECT_EQ(got, expected);
}

TEST(PrefetchLoader, SkipsToTheBeginningOfAnEpoch) {
  const FakeDataset dataset(12);
  PrefetchLoader loader(dataset, {.batch_size = 2, .prefetch = 3});
  const auto next_number = [&] {
    loader.stop();
    loader.skip_to_epoch();
    loader.start();
    return loader.next()->number;
  };
  EXPECT_EQ(next_number(), 0);
  EXPECT_EQ(next_number(), 6) << "the rest of the epoch that had begun";
  for (int batch = 1; batch < 6; ++batch) {
    static_cast<void>(loader.next());
  }
  EXPECT_EQ(next_number(), 12) << "a new epoch, and none of its batches left out";
  loader.reset_stats();
  EXPECT_EQ(loader.next()->number, 13);
  EXPECT_EQ(loader.stats().batches_delivered, 1);
  loader.stop();
  const LoaderStats stats = loader.stats();
  EXPECT_GE(stats.bytes_read_ever - stats.bytes_read, 8 * 2 * 19) << "eight before the reset";
  EXPECT_THROW(
      {
        loader.start();
        loader.skip_to_epoch();
      },
      core::CheckFailure);
}

TEST(PrefetchLoader, StartsAnEpochWithNothingPreparedAndPreparesNothingBehindIt) {
  const FakeDataset dataset(12);
  PrefetchLoader loader(dataset, {.batch_size = 2, .prefetch = 3, .epochs = 2});
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // of no epoch's clock
    EXPECT_TRUE(epoch == 0 || loader.stats().queue_ready == 0);
    loader.stop();
    loader.reset_stats();
    loader.start_epoch();
    for (std::int64_t batch = 0; batch < 6; ++batch) {
      EXPECT_EQ(loader.next()->number, 6 * epoch + batch);
    }
    EXPECT_EQ(loader.stats().samples_loaded, 12) << "each was loaded under the clock";
    EXPECT_FALSE(loader.next());
  }
  loader.start_epoch();
  EXPECT_FALSE(loader.next()) << "there is no third one";
}

// With the fewest slots: none may be held by a batch that was left out.
TEST(PrefetchLoader, LeavesOutMoreBatchesThanItHasSlots) {
  const FakeDataset dataset(20);
  PrefetchLoader loader(dataset, {.batch_size = 2, .prefetch = 1});
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    EXPECT_EQ(loader.next()->number, 10 * epoch);
    loader.stop();
    loader.skip_to_epoch();
    loader.start();
  }
}

TEST(PrefetchLoader, StopFromAnotherThreadWakesTheConsumer) {
  const FakeDataset dataset(16);
  // Storage so slow that nothing arrives during the test.
  PrefetchLoader loader(dataset,
                        {.batch_size = 2, .workers = 2, .storage = {.latency_ms = 60'000.0}});
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    loader.stop();
  });
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(loader.next());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(PrefetchLoader, SurvivesStartsAndStopsAtAnyMoment) {
  const FakeDataset dataset(64);
  PrefetchLoader loader(dataset, {.batch_size = 3, .workers = 4, .prefetch = 3});
  std::jthread toggler([&] {
    for (int i = 0; i < 100; ++i) {
      loader.stop();
      std::this_thread::yield();
      loader.start();
    }
  });
  for (std::int64_t expected = 0; expected < 500;) {  // ends: at last the loader stays started
    if (const BatchLease lease = loader.next()) {
      EXPECT_EQ(lease->number, expected++);
      batch_text(*lease);
    }
  }
}

TEST(PrefetchLoader, PrefetchesNoMoreThanAsked) {
  const FakeDataset dataset(1000);
  PrefetchLoader loader(dataset, {.batch_size = 2, .workers = 3, .prefetch = 5});
  const auto settle = [&] {
    for (int i = 0; i < 2000 && loader.stats().queue_ready < 5; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  settle();
  EXPECT_EQ(loader.stats().queue_ready, 5);
  EXPECT_EQ(loader.stats().queue_capacity, 5);
  EXPECT_EQ(dataset.loads.load(), 10);
  static_cast<void>(loader.next());
  settle();
  EXPECT_EQ(dataset.loads.load(), 12);
}

double stage_s(const LoaderStats& stats, Stage stage) {
  return stats.stage_s[static_cast<std::size_t>(stage)];
}

TEST(PrefetchLoader, CountsWhatItDid) {
  FakeDataset dataset(20);
  dataset.sample_time = microseconds(2000);
  PrefetchLoader loader(dataset, {.batch_size = 5, .workers = 2, .epochs = 2});
  while (loader.next()) {
  }
  const LoaderStats stats = loader.stats();
  EXPECT_EQ(stats.samples_loaded, 40);
  EXPECT_EQ(stats.samples_delivered, 40);
  EXPECT_EQ(stats.batches_delivered, 8);
  EXPECT_EQ(stats.bytes_read, 40 * 19);
  // Sleeps of 2, 4 and 6 ms in turn: about 4 ms a sample on average, in decode alone.
  EXPECT_GT(stage_s(stats, Stage::kDecode), 40 * 3.5e-3);
  EXPECT_LT(stage_s(stats, Stage::kTransform), 40 * 1e-9);
  EXPECT_GT(stats.wait_s, 0.0);
  EXPECT_GT(stats.worker_cpu_s, 0.0);
  EXPECT_LT(stats.worker_cpu_s, 40 * 3.5e-3) << "sleeping is not CPU time";
  loader.reset_stats();
  EXPECT_EQ(loader.stats().samples_loaded, 0);
  EXPECT_EQ(stage_s(loader.stats(), Stage::kDecode), 0.0);
}

TEST(PrefetchLoader, CountsTheSamplesOfItsRank) {
  const FakeDataset dataset(10);
  PrefetchLoader loader(dataset,
                        {.batch_size = 2, .rank = 1, .world = 2, .drop_last = false, .epochs = 1});
  while (loader.next()) {
  }
  EXPECT_EQ(loader.stats().samples_delivered, 5) << "2, 2 and 1 of the last two";
  EXPECT_EQ(loader.stats().batches_delivered, 3);
}

TEST(PrefetchLoader, InjectedDelaysAppearInTheirStage) {
  const FakeDataset dataset(8);
  LoaderOptions options{.batch_size = 4, .epochs = 1};
  options.delays[static_cast<std::size_t>(Stage::kTransform)].sleep_s = 0.002;
  options.delays[static_cast<std::size_t>(Stage::kRead)].busy_s = 0.002;
  PrefetchLoader loader(dataset, options);
  while (loader.next()) {
  }
  const LoaderStats stats = loader.stats();
  EXPECT_GE(stage_s(stats, Stage::kTransform), 8 * 0.002);
  EXPECT_GE(stage_s(stats, Stage::kRead), 8 * 0.002);
  EXPECT_GT(stats.worker_cpu_s, 8 * 0.0005);  // the busy one; a loaded machine may preempt it
}

TEST(PrefetchLoader, NamesItsThreadsForTheSystem) {
  const FakeDataset dataset(64);
  PrefetchLoader loader(dataset, {.batch_size = 8, .workers = 2});
  std::set<std::string> names;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!(names.contains("loader 0") && names.contains("loader 1")) &&
         std::chrono::steady_clock::now() < deadline) {  // a thread names itself when it starts
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::string name;
      std::getline(std::ifstream(task.path() / "comm"), name);
      names.insert(name);
    }
  }
  EXPECT_TRUE(names.contains("loader 0"));
  EXPECT_TRUE(names.contains("loader 1"));
}

TEST(PrefetchLoader, SaysHowMuchMemoryItTakes) {
  const FakeDataset dataset(64);
  const LoaderOptions options{.batch_size = 4, .prefetch = 2, .max_leases = 3};
  PrefetchLoader loader(dataset, options);
  EXPECT_EQ(loader.buffer_bytes(), 5U * 4U * 19U);
  EXPECT_EQ(loader_buffer_bytes(dataset.spec(), options), loader.buffer_bytes());
}

TEST(PrefetchLoader, SaysHowManyBatchesMayComeAtOnce) {
  const FakeDataset dataset(64);
  DatasetSpec spec = dataset.spec();
  spec.samples_per_ticket = 64;
  const LoaderOptions options{.batch_size = 64, .workers = 5, .prefetch = 8};
  EXPECT_EQ(loader_burst(spec, options), 5) << "a batch for each worker";
  spec.samples_per_ticket = 16;
  EXPECT_EQ(loader_burst(spec, options), 2) << "four workers share one";
  spec.samples_per_ticket = 1;
  EXPECT_EQ(loader_burst(spec, options), 1);
  EXPECT_EQ(loader_burst(spec, {.batch_size = 1, .workers = 5, .prefetch = 2}), 2);
  LoaderOptions late{.batch_size = 1, .workers = 5, .prefetch = 8, .world = 3};
  late.shard = ShardMode::kLate;
  EXPECT_EQ(loader_burst(spec, late), 2) << "three samples to load";
}

TEST(PrefetchLoader, SaysHowManyWorkersCanWorkAtOnce) {
  DatasetSpec spec = FakeDataset(64).spec();
  const LoaderOptions options{.batch_size = 65, .workers = 50, .prefetch = 3};
  spec.samples_per_ticket = 64;
  EXPECT_EQ(parts_of_batch(spec, options), 2);
  EXPECT_EQ(most_busy_workers(spec, options), 6);
  spec.samples_per_ticket = 1;
  EXPECT_EQ(most_busy_workers(spec, options), 3 * 65);
}

TEST(PrefetchLoader, RefusesImpossibleOptions) {
  const FakeDataset dataset(4);
  for (const LoaderOptions& options : {LoaderOptions{.batch_size = 5},
                                       LoaderOptions{.batch_size = 0},
                                       LoaderOptions{.batch_size = 1, .workers = 0},
                                       LoaderOptions{.batch_size = 1, .prefetch = 0}}) {
    EXPECT_THROW(PrefetchLoader(dataset, options), core::Error);
  }
}

}  // namespace
}  // namespace dlbench::data
