// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/activity_buffers.h"

#include "probes/cupti/activity_records.h"
#include "tests/probes/cupti/fake_cupti.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace dlbench::probes {
namespace {

constexpr std::size_t kBlock = ActivityBuffers::kBlockBytes;

/// Of a block, how many pages are in memory.
std::ptrdiff_t resident_pages(std::uint8_t* block) {
  std::vector<unsigned char> pages(kBlock / static_cast<std::size_t>(::getpagesize()));
  EXPECT_EQ(::mincore(block, kBlock, pages.data()), 0);
  return std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return page & 1U; });
}

TEST(ActivityBuffers, ABlockIsZeroAndCostsNoMoreThanIsWritten) {
  ActivityBuffers buffers(4 * kBlock);
  for (int round = 0; round < 2; ++round) {  // the second block has the place of the first
    std::uint8_t* const block = buffers.lend();
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(resident_pages(block), 0);
    EXPECT_EQ(std::count(block, block + kBlock, 0), static_cast<std::ptrdiff_t>(kBlock));
    std::memset(block, 1, kBlock);
    buffers.take(block, kBlock);
  }
}

TEST(ActivityBuffers, ABlockThatWasRefusedGivesNothingBack) {
  ActivityBuffers buffers(kBlock);
  std::uint8_t* const block = buffers.lend();
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(buffers.lend(), nullptr);
  buffers.take(nullptr, 0);
  EXPECT_EQ(buffers.lend(), nullptr) << "one block is all there may be";
  buffers.take(block, 0);
  EXPECT_NE(buffers.lend(), nullptr);
}

// As CUPTI does where NCCL launches each collective on a new thread.
TEST(ActivityBuffers, OfTwoThousandThreadsTheRecordsAloneAreKept) {
  FakeCupti::instance() = {};
  constexpr std::size_t kThreads = 2000;
  constexpr std::size_t kRecords = 4096;  // bytes of each
  ActivityBuffers buffers(2 * kBlock + kThreads * kRecords);
  buffers.open();
  for (std::size_t number = 0; number < kThreads; ++number) {
    std::thread([&] {
      std::uint8_t* const block = buffers.lend();
      ASSERT_NE(block, nullptr) << number;
      std::memset(block, static_cast<int>(1 + number % 100), kRecords);
      buffers.take(block, kRecords);
    }).join();
  }
  const ActivityBuffers::Content content = buffers.close();
  ASSERT_EQ(content.buffers.size(), kThreads);
  EXPECT_EQ(content.dropped, 0);
  for (std::size_t number = 0; number < kThreads; ++number) {
    const ActivityBuffers::Full& buffer = content.buffers[number];
    ASSERT_EQ(buffer.bytes, kRecords);
    const auto wanted = static_cast<std::uint8_t>(1 + number % 100);
    ASSERT_EQ(std::count(buffer.memory.get(), buffer.memory.get() + kRecords, wanted),
              static_cast<std::ptrdiff_t>(kRecords));
  }
}

TEST(ActivityBuffers, ThereAreNoMoreThanMayBe) {
  FakeCupti& cupti = FakeCupti::instance();
  cupti = {};
  ActivityBuffers buffers(3 * kBlock);
  buffers.open();
  std::uint8_t* const kept = buffers.lend();
  std::uint8_t* const empty = buffers.lend();
  std::uint8_t* const lent = buffers.lend();
  EXPECT_EQ(buffers.lend(), nullptr) << "all three are CUPTI's";
  buffers.take(kept, kBlock);
  EXPECT_EQ(buffers.lend(), nullptr) << "one is kept";
  buffers.take(empty, 0);
  std::uint8_t* const again = buffers.lend();
  EXPECT_NE(again, nullptr);
  EXPECT_EQ(buffers.lend(), nullptr);
  cupti.dropped = 7;  // what CUPTI had no room for
  const ActivityBuffers::Content content = buffers.close();
  EXPECT_EQ(content.buffers.size(), 1U);
  EXPECT_EQ(content.dropped, 7);
  buffers.take(lent, kBlock);  // late: of no window
  buffers.take(again, kBlock);
  buffers.open();
  std::uint8_t* const next = buffers.lend();
  EXPECT_NE(next, nullptr);
  buffers.take(next, kBlock);
  EXPECT_EQ(buffers.close().buffers.size(), 1U);
}

}  // namespace
}  // namespace dlbench::probes
