// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/comm_options.h"

#include "engine/core/error.h"
#include "tests/error_message.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using tests::usage_error;

using ::testing::ElementsAre;

TEST(CommOptions, CountsCoverTheSizesOnceEach) {
  CommOptions comm{.min_bytes = 1024, .max_bytes = 16384, .step_factor = 4.0};
  EXPECT_THAT(element_counts(comm), ElementsAre(256, 1024, 4096));
  comm.dtype = "f64";
  EXPECT_THAT(element_counts(comm), ElementsAre(128, 512, 2048));
  comm = {.min_bytes = 101, .max_bytes = 100};
  EXPECT_THAT(usage_error([&] { (void)element_counts(comm); }), ::testing::HasSubstr("101"));
}

TEST(CommOptions, CollectivesKeepTheirOrder) {
  EXPECT_THAT(parse_collectives("broadcast,all_reduce,broadcast"),
              ElementsAre(comm::Collective::kBroadcast, comm::Collective::kAllReduce));
  EXPECT_THAT(usage_error([] { (void)parse_collectives("all_recude"); }),
              ::testing::HasSubstr("'all_reduce'"));
  EXPECT_THAT(usage_error([] { (void)parse_collectives(""); }), ::testing::HasSubstr("empty"));
  EXPECT_THAT(usage_error([] { (void)parse_collectives("all_reduce,"); }),
              ::testing::HasSubstr("''"));
}

TEST(CommOptions, RankCountsAscendAndEndAtAllRanks) {
  EXPECT_THAT(parse_rank_counts("", 8), ElementsAre(8));
  EXPECT_THAT(parse_rank_counts("8,2,2,1", 8), ElementsAre(1, 2, 8));
  EXPECT_THAT(usage_error([] { (void)parse_rank_counts("9", 8); }),
              ::testing::HasSubstr("9 ranks asked for, this launch has 8"));
  for (const char* const wrong : {"0", "1,,2", "1,2,"}) {
    EXPECT_THAT(usage_error([&] { (void)parse_rank_counts(wrong, 8); }),
                ::testing::HasSubstr("is no number of ranks"));
  }
}

TEST(CommOptions, OnlyTypesThatCanBeReduced) {
  EXPECT_EQ(parse_reducible("bf16"), core::DType::kBF16);
  for (const std::string refused : {"u8", "f8"}) {
    EXPECT_EQ(
        usage_error([&] { (void)parse_reducible(refused); }),
        "--dtype '" + refused + "' cannot be reduced; wanted one of f32, f64, f16, bf16, i32, i64");
  }
}

}  // namespace
}  // namespace dlbench::harness
