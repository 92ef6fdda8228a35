// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/analysis/peak_cache.h"
#include "reports/atomic_file.h"
#include "tests/harness/commands/command_line_call.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace dlbench::harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Info : public ::testing::Test {
 protected:
  static std::string info() {
    const CommandLineCall called = call_dlbench({"info"});
    EXPECT_EQ(called.code, 0) << called.err;
    return called.out;
  }

  tests::CacheFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
};

TEST_F(Info, SaysWhatIsHereAndWhyTheRestIsNot) {
  EXPECT_THAT(info(),
              AllOf(HasSubstr("dlbench 0."),
                    HasSubstr("processor"),
                    HasSubstr("this process may use"),
                    HasSubstr("ref "),
                    HasSubstr("cuda "),
                    HasSubstr("perf_event"),
                    HasSubstr("kvasir-seg"),
                    HasSubstr(folder_.string()),
                    HasSubstr("dlbench info --measure-peaks")));
}

TEST_F(Info, ShowsThePeaksOfThisMachineThatAreKept) {
  MachinePeaks peaks{.key = peak_key(), .effort = PeakEffort::kThorough};
  peaks.compute = {{"fp32", "avx9", 123.4e9, "2026-01-31T12:00:00Z"}};
  store_peaks(folder_, peaks);
  EXPECT_THAT(info(),
              AllOf(HasSubstr("avx9"), HasSubstr("123.4 GFLOP/s"), HasSubstr("2026-01-31")));
}

TEST_F(Info, ABrokenCacheIsSaidAndNoFailure) {
  const auto path = peak_file(folder_, peak_key());
  std::filesystem::create_directories(path.parent_path());
  reports::write_file_atomically(path.string(), "{");
  EXPECT_THAT(info(), AllOf(HasSubstr("does not hold measured peaks"), HasSubstr("delete it")));
}

}  // namespace
}  // namespace dlbench::harness
