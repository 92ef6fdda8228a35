// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/sampler.h"

#include "tests/data/loader/rank_indices.h"
#include "tests/error_message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace dlbench::data {
namespace {

std::vector<std::int64_t> all_ranks(SamplerOptions options, std::int64_t epoch) {
  std::vector<std::int64_t> all;
  for (options.rank = 0; options.rank < options.world; ++options.rank) {
    const auto mine = testing::rank_indices(Sampler(options), epoch);
    all.insert(all.end(), mine.begin(), mine.end());
  }
  return all;
}

TEST(Sampler, RanksAreDisjointAndCoverAll) {
  for (const std::int64_t size : {24, 25, 29, 31}) {
    for (const int world : {1, 2, 3}) {
      auto all =
          all_ranks({.dataset_size = size, .batch_size = 4, .world = world, .drop_last = false}, 3);
      std::ranges::sort(all);
      std::vector<std::int64_t> expected(static_cast<std::size_t>(size));
      std::iota(expected.begin(), expected.end(), 0);
      EXPECT_EQ(all, expected) << size << " samples, " << world << " ranks";
    }
  }
}

TEST(Sampler, DropsOnlyThePartialBatch) {
  auto all = all_ranks({.dataset_size = 31, .batch_size = 4, .world = 2}, 0);
  EXPECT_EQ(all.size(), 24U);
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << "a sample twice";
}

TEST(Sampler, TwoRanksSeeWhatOneWithTwiceTheBatchSees) {
  const Sampler one({.dataset_size = 40, .batch_size = 8, .seed = 5});
  const auto whole = testing::rank_indices(one, 2);
  for (int rank = 0; rank < 2; ++rank) {
    const Sampler two({.dataset_size = 40, .batch_size = 4, .seed = 5, .rank = rank, .world = 2});
    const auto part = testing::rank_indices(two, 2);
    for (std::size_t batch = 0; batch < 5; ++batch) {
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(part[batch * 4 + i], whole[batch * 8 + static_cast<std::size_t>(rank) * 4 + i]);
      }
    }
  }
}

TEST(Sampler, OrderChangesWithEpochAndSeedOnly) {
  const auto order = [](std::uint64_t seed, std::int64_t epoch) {
    return testing::rank_indices(Sampler({.dataset_size = 50, .batch_size = 5, .seed = seed}),
                                 epoch);
  };
  EXPECT_EQ(order(1, 0), order(1, 0));
  EXPECT_NE(order(1, 0), order(1, 1));
  EXPECT_NE(order(1, 0), order(2, 0));
}

TEST(Sampler, KeepsTheSortedOrderWithoutShuffle) {
  const auto order =
      testing::rank_indices(Sampler({.dataset_size = 6, .batch_size = 2, .shuffle = false}), 9);
  EXPECT_EQ(order, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Sampler, ShufflesUniformly) {
  // Where sample 0 lands in 4000 shuffles of 4: 1000 each, standard deviation 27.
  std::vector<int> landed(4);
  const Sampler sampler({.dataset_size = 4, .batch_size = 1});
  std::vector<std::int64_t> order;
  for (std::int64_t epoch = 0; epoch < 4000; ++epoch) {
    sampler.order(epoch, order);
    ++landed[static_cast<std::size_t>(std::ranges::find(order, 0) - order.begin())];
  }
  for (const int count : landed) {
    EXPECT_NEAR(count, 1000, 140);  // five standard deviations
  }
}

TEST(Sampler, SpreadsAKeptPartialBatchEvenly) {
  std::vector<std::int64_t> samples;
  for (int rank = 0; rank < 4; ++rank) {
    const Sampler sampler(
        {.dataset_size = 22, .batch_size = 4, .rank = rank, .world = 4, .drop_last = false});
    ASSERT_EQ(sampler.batches_per_epoch(), 2);
    samples.push_back(sampler.plan(1).local_samples);
  }
  EXPECT_EQ(samples, (std::vector<std::int64_t>{2, 2, 1, 1}));
}

TEST(Sampler, CountsBatchesAsTheMnistTutorialDoes) {
  EXPECT_EQ(
      Sampler({.dataset_size = 60000, .batch_size = 64, .drop_last = false}).batches_per_epoch(),
      938);
  EXPECT_EQ(Sampler({.dataset_size = 800, .batch_size = 8}).batches_per_epoch(), 100);
}

TEST(Sampler, NamesABatchThatIsTooLarge) {
  EXPECT_EQ(tests::error_of([] { Sampler({.dataset_size = 64, .batch_size = 40, .world = 2}); }),
            "batch size 40 x 2 rank(s) is larger than the data set's 64 samples; the largest that "
            "fits is 32 per rank");
  EXPECT_EQ(Sampler({.dataset_size = 6, .batch_size = 8, .drop_last = false}).plan(0).local_samples,
            6);
}

}  // namespace
}  // namespace dlbench::data
