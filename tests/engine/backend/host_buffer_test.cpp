// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/host_buffer.h"

#include "engine/core/error.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace dlbench::backend {
namespace {

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

std::int64_t resident_bytes() {
  std::ifstream rollup("/proc/self/smaps_rollup");  // walks the pages; statm may lag behind
  std::int64_t kib = 0;
  for (std::string word; rollup >> word;) {
    if (word == "Rss:") {
      rollup >> kib;
      break;
    }
  }
  return kib * 1024;
}

TEST(HostBuffer, IsAlignedZeroedAndOfTheSizeAskedFor) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, std::size_t{5} << 20}) {
    HostBuffer buffer(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256, 0U);
    EXPECT_EQ(buffer.bytes(), bytes);
    EXPECT_TRUE(std::all_of(
        buffer.data(), buffer.data() + bytes, [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST(HostBuffer, EmptyBufferIsValid) {
  HostBuffer buffer(0);
  EXPECT_NE(buffer.data(), nullptr);
  EXPECT_EQ(buffer.bytes(), 0U);
}

TEST(HostBuffer, LeavesNoPageFaultForItsUsers) {
  constexpr std::size_t kBytes = std::size_t{32} << 20;  // 8192 small pages
  HostBuffer buffer(kBytes);
  const long before = page_faults();
  std::fill(buffer.data(), buffer.data() + kBytes, std::byte{1});
  EXPECT_LT(page_faults() - before, 100);  // the process itself may fault here and there
}

TEST(HostBuffer, TakesNoMoreMemoryThanItsSize) {
  constexpr std::size_t kBytes = std::size_t{5} << 19;  // 2.5 MiB: two huge pages would be 4
  constexpr std::size_t kCount = 16;
  const std::int64_t before = resident_bytes();
  std::vector<std::unique_ptr<HostBuffer>> buffers;
  for (std::size_t i = 0; i < kCount; ++i) {
    buffers.push_back(std::make_unique<HostBuffer>(kBytes));
  }
  const auto wanted = static_cast<std::int64_t>(kCount * kBytes);
  EXPECT_GE(resident_bytes() - before, wanted) << "every page was touched";
  EXPECT_LE(resident_bytes() - before, wanted * 11 / 10);
}

TEST(HostBuffer, ImpossibleSizeIsAMemoryError) {
  try {
    HostBuffer buffer(std::size_t{1} << 60);
    FAIL() << "an exbibyte was mapped";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kMemory);
  }
}

}  // namespace
}  // namespace dlbench::backend
