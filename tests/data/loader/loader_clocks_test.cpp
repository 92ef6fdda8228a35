// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The loader's clocks against the test's own, read just outside and just inside: a busy machine
// makes both longer.
#include "data/loader/prefetch_loader.h"
#include "tests/data/loader/fake_dataset.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <numeric>
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

TEST(LoaderClocks, AWorkerDoesOneThingAtATime) {
  const testing::FakeDataset dataset(16);
  LoaderOptions options{.batch_size = 2, .workers = 1, .prefetch = 1, .epochs = 1};
  options.delays[static_cast<std::size_t>(Stage::kDecode)].busy_s = 0.001;
  options.delays[static_cast<std::size_t>(Stage::kTransform)].sleep_s = 0.001;
  const Seconds begin = steady_now();
  PrefetchLoader loader(dataset, options);
  for (BatchLease lease = loader.next(); lease; lease = loader.next()) {
    if (lease->number < 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));  // there is no room meanwhile
    }
  }
  const LoaderStats stats = loader.stats();
  const Seconds end = steady_now();
  const double elapsed_s = 1.01 * (end - begin).count();  // clocks of threads are others
  const double busy_s = std::accumulate(stats.stage_s.begin(), stats.stage_s.end(), 0.0);
  EXPECT_GE(busy_s, 16 * 0.002);
  EXPECT_LE(busy_s + stats.worker_idle_s, elapsed_s);
  EXPECT_LE(stats.worker_cpu_s, elapsed_s);
}

TEST(LoaderStats, IdleTimeIsAddedToo) {
  LoaderStats sum{.worker_idle_s = 1.0, .worker_cpu_s = 2.0};
  sum.add({.worker_idle_s = 0.5, .worker_cpu_s = 0.25});
  EXPECT_EQ(sum.worker_idle_s, 1.5);
  EXPECT_EQ(sum.worker_cpu_s, 2.25);
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
