// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The loader's clocks against the test's own, read just outside and just inside: a busy machine
// makes both longer.
#include "data/loader/prefetch_loader.h"
#include "tests/data/loader/fake_dataset.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace dlbench::data {
namespace {

using Seconds = std::chrono::duration<double>;

Seconds steady_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

TEST(LoaderClocks, AWorkerIsIdleWhileThereIsNoRoom) {
  const testing::FakeDataset dataset(8);
  PrefetchLoader loader(dataset, {.batch_size = 2, .workers = 1, .prefetch = 1});
  const Seconds deadline = steady_now() + Seconds(60);
  // It filled the only batch, and nobody takes it.
  while (loader.stats().worker_idle_s == 0.0 && steady_now() < deadline) {
    std::this_thread::yield();
  }
  ASSERT_EQ(loader.stats().queue_ready, 1);
  const Seconds before_reset = steady_now();
  loader.reset_stats();
  const Seconds begin = steady_now();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  const Seconds end = steady_now();
  const double idle_s = loader.stats().worker_idle_s;
  const Seconds after_stats = steady_now();
  EXPECT_GE(idle_s, 0.9 * (end - begin).count()) << "it may wake for nothing";
  EXPECT_LE(idle_s, (after_stats - before_reset).count());
}

TEST(LoaderClocks, AConsumerWaitsForASlowDataSet) {
  testing::FakeDataset dataset(12);
  dataset.sample_time = std::chrono::milliseconds(5);  // and twice and three times that
  PrefetchLoader loader(dataset, {.batch_size = 1, .workers = 1, .prefetch = 1, .epochs = 1});
  Seconds inside_next{0};
  while (true) {
    const Seconds begin = steady_now();
    const BatchLease lease = loader.next();
    inside_next += steady_now() - begin;
    if (!lease) {
      break;
    }
  }
  const double wait_s = loader.stats().wait_s;
  EXPECT_LE(wait_s, inside_next.count());
  EXPECT_GE(wait_s, 0.5 * inside_next.count()) << "of 0.1 s almost all is waiting";
}

}  // namespace
}  // namespace dlbench::data
