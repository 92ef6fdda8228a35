// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One rank's share of a global batch that the ranks cannot share evenly.
#include "data/load_context.h"
#include "data/loader/prefetch_loader.h"
#include "tests/data/loader/batch_text.h"
#include "tests/data/loader/fake_dataset.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>

namespace dlbench::data {
namespace {

/// Seven samples of each global batch for `world` ranks; the last of the 23 samples are a batch of
/// two.
LoaderOptions seven_samples(int rank, int world) {
  return {.batch_size = (7 + world - 1) / world,
          .global_batch_size = 7,
          .workers = 2,
          .rank = rank,
          .world = world,
          .drop_last = false,
          .epochs = 2};
}

/// Early and late sharding give all ranks the same; returns what all see together, by rank.
std::string shares(const Dataset& dataset, int world, bool skip_corrupt) {
  std::string all;
  for (int rank = 0; rank < world; ++rank) {
    LoaderOptions options = seven_samples(rank, world);
    options.skip_corrupt = skip_corrupt;
    const std::string early = testing::all_batches(dataset, options);
    options.shard = ShardMode::kLate;
    EXPECT_EQ(testing::all_batches(dataset, options), early) << "rank " << rank << " of " << world;
    all += early;
  }
  return all;
}

TEST(RankShare, IsTheSameEarlyAndLateWhereSharesDiffer) {
  const testing::FakeDataset dataset(23);
  for (const int world : {2, 3, 5}) {
    const std::string all = shares(dataset, world, false);
    for (int sample = 0; sample < 23; ++sample) {
      EXPECT_NE(all.find(std::to_string(sample) + ","), std::string::npos) << sample;
    }
  }
}

TEST(RankShare, IsTheSameEarlyAndLateWhereSamplesAreReplaced) {
  testing::FakeDataset dataset(23);
  dataset.corrupt = {2, 5, 6, 22};
  for (const int world : {2, 3, 5}) {
    const std::string all = shares(dataset, world, true);
    EXPECT_EQ(all.find(":22,"), std::string::npos);
    EXPECT_EQ(all.find(",22,"), std::string::npos);
  }
}

TEST(RankShare, OfNoSampleIsABatchAllTheSame) {
  const testing::FakeDataset dataset(5);
  constexpr std::int64_t kEpochs = 300;
  // The fifth sample is rank 0's. With one batch ahead, the empty one is opened while next() waits.
  PrefetchLoader loader(dataset,
                        {.batch_size = 2,
                         .prefetch = 1,
                         .rank = 1,
                         .world = 2,
                         .drop_last = false,
                         .epochs = kEpochs});
  std::jthread watchdog([&](const std::stop_token& stop) {
    sleep_until_or_stop(std::chrono::steady_clock::now() + std::chrono::seconds(60), stop);
    if (!stop.stop_requested()) {
      loader.stop();  // else a batch that never comes would hang this test
    }
  });
  std::int64_t batches = 0;
  while (const BatchLease lease = loader.next()) {
    EXPECT_EQ(lease->samples, batches % 2 == 0 ? 2 : 0);
    EXPECT_EQ(lease->global_samples, batches % 2 == 0 ? 4 : 1);
    ++batches;
  }
  EXPECT_EQ(batches, 2 * kEpochs);
}

}  // namespace
}  // namespace dlbench::data
