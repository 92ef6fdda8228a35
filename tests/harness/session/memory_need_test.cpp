// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/memory_need.h"

#include "engine/core/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace dlbench::harness {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// A device's step: memory grows with the batch size, in pieces as cuDNN's workspaces do, and what
/// is kept beside it shrinks as they grow.
MemoryNeed need_at(std::int64_t batch_size) {
  MemoryNeed need;
  need.on_device = true;
  need.parameters = 20 * kMiB;
  need.activations = batch_size * kMiB / 2;
  need.workspace = batch_size < 300 ? 70 * kMiB : batch_size * kMiB / 4;
  need.device_reserve = 512 * kMiB + std::max<std::int64_t>(0, 1024 * kMiB - need.workspace);
  return need;
}

std::string refusal_of(const MemoryRoom& room, std::int64_t batch_size, int& looks) {
  try {
    check_room(room, batch_size, {.smaller_images = true}, [&](std::int64_t samples) {
      ++looks;
      return need_at(samples);
    });
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kMemory);
    return error.what();
  }
  return "";
}

TEST(CheckRoom, NamesTheLargestBatchSizeThatFitsWhateverWasAskedFor) {
  for (const std::int64_t device : {1600, 1650, 1700, 1800, 3000}) {
    const MemoryRoom room{.host = 8000 * kMiB, .device = device * kMiB};
    std::int64_t largest = 0;
    while (room.holds(need_at(largest + 1))) {
      ++largest;
    }
    for (const std::int64_t asked :
         {largest + 1, largest + 2, largest + 77, 3 * largest, std::int64_t{100000}}) {
      int looks = 0;
      EXPECT_THAT(refusal_of(room, asked, looks),
                  EndsWith("; the largest --batch-size found to fit is " + std::to_string(largest)))
          << device << " MiB, " << asked;
      EXPECT_LE(looks, 20) << device << " MiB, " << asked;
    }
    int looks = 0;
    EXPECT_EQ(refusal_of(room, largest, looks), "");
    EXPECT_EQ(looks, 1);
  }
}

TEST(CheckRoom, SaysWhereNotEvenOneSampleFits) {
  int looks = 0;
  EXPECT_THAT(refusal_of({.host = 8000 * kMiB, .device = 1500 * kMiB}, 64, looks),
              EndsWith("; not even --batch-size 1 fits: choose a smaller --image-size"));
  EXPECT_THAT(refusal_of({.host = 8000 * kMiB, .device = 1500 * kMiB}, 1, looks),
              EndsWith("; not even --batch-size 1 fits: choose a smaller --image-size"));
}

// Of a device that others fill, or that several ranks share.
TEST(CheckRoom, AdvisesNoSmallerStepWhereTheReserveAloneIsTooMuch) {
  int looks = 0;
  const std::int64_t reserve = need_at(1).device_reserve;
  const std::string refusal =
      refusal_of({.host = 8000 * kMiB, .device = reserve - kMiB}, 64, looks);
  EXPECT_THAT(refusal, HasSubstr("; nothing smaller fits: another device is wanted"));
  EXPECT_EQ(looks, 1);
}

// An integrated GPU and its host have one memory.
TEST(CheckRoom, CountsHostAndDeviceTogetherWhereTheyShareMemory) {
  const MemoryNeed need{.parameters = 1000 * kMiB,
                        .loader_buffers = 700 * kMiB,
                        .on_device = true,
                        .device_reserve = 300 * kMiB};
  EXPECT_TRUE(MemoryRoom{.host = 2000 * kMiB}.holds(need));
  const MemoryRoom small{.host = 1999 * kMiB};
  EXPECT_FALSE(small.holds(need));
  EXPECT_EQ(small.shortage(need),
            "the plan needs 1700 MiB of the memory that GPU and host share, and 300 MiB are kept "
            "for further workspace and libraries; 1999 MiB are available");
  EXPECT_FALSE(small.lacks_reserve(need));
  EXPECT_TRUE(MemoryRoom{.host = 299 * kMiB}.lacks_reserve(need));
  const MemoryNeed of_host{.parameters = 1000 * kMiB, .loader_buffers = 700 * kMiB};
  EXPECT_TRUE(MemoryRoom{.host = 1700 * kMiB}.holds(of_host));
  EXPECT_EQ(MemoryRoom{.host = 1600 * kMiB}.shortage(of_host),
            "the plan needs 1700 MiB of memory, 1600 MiB are available");
}

TEST(CheckRoom, SpeaksOfTheGlobalBatchWhereThatWasAskedFor) {
  const MemoryRoom room{.host = 8000 * kMiB, .device = 1600 * kMiB};
  const auto refusal = [&](std::int64_t device_mib) {
    try {
      check_room({.host = 8000 * kMiB, .device = device_mib * kMiB},
                 500,
                 {.option = "--global-batch-size", .ranks = 4},
                 need_at);
    } catch (const core::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  int looks = 0;
  const std::string local = refusal_of(room, 500, looks);
  const std::int64_t fits = std::stoll(local.substr(local.rfind(' ')));
  EXPECT_THAT(
      refusal(1600),
      EndsWith("; the largest --global-batch-size found to fit is " + std::to_string(4 * fits)));
  EXPECT_THAT(refusal(1500), EndsWith("; not even --global-batch-size 4 fits"));
}

}  // namespace
}  // namespace dlbench::harness
