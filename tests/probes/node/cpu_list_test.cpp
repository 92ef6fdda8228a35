// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/cpu_list.h"

#include <gmock/gmock.h>

namespace dlbench::probes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ParseCpuList, ReadsWhatTheKernelWrites) {
  EXPECT_THAT(parse_cpu_list("0-3,8,10-11\n"), ElementsAre(0, 1, 2, 3, 8, 10, 11));
  EXPECT_THAT(parse_cpu_list("0"), ElementsAre(0));
  EXPECT_THAT(parse_cpu_list(""), IsEmpty());
  EXPECT_THAT(parse_cpu_list("\n"), IsEmpty());
  EXPECT_THAT(parse_cpu_list("x,3-,-1,5"), ElementsAre(5));
  EXPECT_THAT(parse_cpu_list("0-2147483647,7"), ElementsAre(7)) << "no machine has so many";
}

TEST(CpuListText, WritesRanges) {
  EXPECT_EQ(cpu_list_text({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(cpu_list_text({5}), "5");
  EXPECT_EQ(cpu_list_text({}), "");
  EXPECT_EQ(cpu_list_text({0, 2, 3}), "0,2-3");
}

}  // namespace
}  // namespace dlbench::probes
