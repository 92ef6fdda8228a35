// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A loader that has met its largest file allocates nothing per batch: counted, not believed. What
// libjpeg allocates for each picture is counted apart and printed.
#include "data/dataset.h"
#include "data/generators/generate.h"
#include "data/loader/prefetch_loader.h"
#include "tests/allocation_counter.h"
#include "tests/data/loader/fake_dataset.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace dlbench::data {
namespace {

using tests::AllocationCount;
using tests::start_counting;
using tests::stop_counting;

/// Counts over three epochs, after two: buffers have their final size when every worker has met
/// every kind of file.
AllocationCount count_epochs(const Dataset& dataset, const LoaderOptions& options) {
  PrefetchLoader loader(dataset, options);
  const std::int64_t epoch = loader.sampler().batches_per_epoch();
  for (std::int64_t batch = 0; batch < 2 * epoch; ++batch) {
    static_cast<void>(loader.next());
  }
  start_counting();
  for (std::int64_t batch = 0; batch < 3 * epoch; ++batch) {
    static_cast<void>(loader.next());
  }
  return stop_counting();
}

TEST(LoaderSteadyState, AllocatesNothingPerBatchOfFiles) {
  const tests::TemporaryFolder folder;
  const auto out = folder.path() / "k";
  generate("kvasir-seg", {.out = out, .samples = 10});
  for (const DecodeMode decode : {DecodeMode::kExact, DecodeMode::kScaled}) {
    const auto dataset =
        open_dataset("kvasir-seg", out, Split::kTrain, {.image_size = 128, .decode = decode});
    // One worker: it has met all files after an epoch. Of several, each may meet the largest late.
    const AllocationCount count = count_epochs(*dataset, {.batch_size = 2, .workers = 1});
    EXPECT_EQ(count.own, 0) << core::name_in(kDecodeModes, decode) << ", first by "
                            << count.first_own;
    EXPECT_GT(count.library, 0) << "libjpeg's allocations are not seen: does the counter work?";
    std::cout << core::name_in(kDecodeModes, decode) << ", " << 3 * dataset->size()
              << " samples: allocations inside libjpeg " << count.library << '\n';
  }
}

TEST(LoaderSteadyState, AllocatesNothingPerBatchWithSeveralWorkers) {
  const testing::FakeDataset dataset(64);
  const AllocationCount count = count_epochs(dataset, {.batch_size = 8, .workers = 3});
  EXPECT_EQ(count.own, 0) << "first by " << count.first_own;
}

TEST(LoaderSteadyState, TheCounterSeesTheFirstEpoch) {
  const testing::FakeDataset dataset(64);
  start_counting();
  PrefetchLoader loader(dataset, {.batch_size = 8, .workers = 1});
  static_cast<void>(loader.next());
  EXPECT_GT(stop_counting().own, 0);
}

}  // namespace
}  // namespace dlbench::data
