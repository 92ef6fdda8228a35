// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/process_pages.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlbench::probes {
namespace {

TEST(ProcessPages, CountWhatTheProcessTouches) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const ProcessPages before = read_process_pages();
  EXPECT_GT(before.resident, 0);
  EXPECT_GE(before.address_space, before.resident);
  const std::vector<char> touched(kBytes, 1);
  const ProcessPages after = read_process_pages();
  const std::int64_t half = static_cast<std::int64_t>(kBytes) / sysconf(_SC_PAGESIZE) / 2;
  EXPECT_GT(after.address_space - before.address_space, half);
  EXPECT_GT(after.data - before.data, half);
  EXPECT_GT(after.resident - before.resident, half);
  EXPECT_EQ(touched.back(), 1);
}

}  // namespace
}  // namespace dlbench::probes
