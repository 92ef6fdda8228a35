// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/info_text.h"

#include "engine/core/atomic_file.h"
#include "engine/core/build_info.h"
#include "harness/peaks/device_peaks.h"
#include "harness/peaks/peak_cache.h"
#include "reports/record.h"
#include "tests/harness/commands/command_line_call.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace dlbench::harness {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

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
                    HasSubstr("MPICH "),
                    HasSubstr("Open MPI "),
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
  core::write_file_atomically(path.string(), "{");
  EXPECT_THAT(info(), AllOf(HasSubstr("does not hold measured peaks"), HasSubstr("delete it")));
}

FoundBackend fake_gpu() {
  return {.name = "cuda",
          .reason = "",
          .device = {.name = "NVIDIA H200",
                     .kind = "cuda",
                     .memory_bytes = std::int64_t{140} << 30,
                     .isa = "sm_90"},
          .libraries = {{"cuda", "13.0"}, {"cuda_driver", "13.1"}, {"cudnn", "9.19.0"}}};
}

TEST_F(Info, AGpuHasMemoryAndLibrariesAndNoThreads) {
  const std::string text = backends_text({fake_gpu()});
  EXPECT_THAT(text,
              AllOf(HasSubstr("NVIDIA H200, 140 GiB, sm_90\n"),
                    HasSubstr("cuda 13.0\n"),
                    HasSubstr("cuda_driver 13.1\n"),
                    HasSubstr("cudnn 9.19.0\n"),
                    Not(HasSubstr("threads"))));
}

TEST_F(Info, ArchitecturesOfTheBuildAreSaidWithoutADeviceToo) {
  const std::string text = backends_text({{.name = "cuda", .reason = "no driver"}});
  EXPECT_THAT(text, HasSubstr("not here: no driver\n"));
  const std::string& built_for = core::build_info().cuda_architectures;
  ASSERT_EQ(core::build_info().features.at("cuda"), !built_for.empty());
  if (!built_for.empty()) {
    EXPECT_THAT(text, HasSubstr("built for architectures " + built_for + "\n"));
  }
}

TEST_F(Info, ProbesOfADeviceThatIsNotHereSayWhy) {
  const std::string text = available_probes_text({{.name = "cuda", .reason = "no such driver"}});
  for (const char* name : {"cupti", "cupti_counters", "cupti_sampling"}) {
    EXPECT_THAT(text, ContainsRegex("  " + std::string(name) + " +not here: no such driver\n"));
  }
  EXPECT_THAT(text, HasSubstr("what the operating system knows")) << "needs no device";
}

TEST_F(Info, ShowsTheKeptPeaksOfAGpu) {
  const FoundBackend gpu = fake_gpu();
  EXPECT_THAT(cache_text({gpu}), HasSubstr("not measured on NVIDIA H200"));
  store_device_peaks(folder_,
                     {.device = gpu.device.name,
                      .libraries = gpu.libraries,
                      .products = {{"bf16", 8192, 788.1e12}},
                      .copy_bytes = 1 << 30,
                      .copy_bytes_per_s = 4.3e12,
                      .to_device_bytes_per_s = 5e10,
                      .to_host_bytes_per_s = 5e10,
                      .measured_at = "2026-01-31T12:00:00Z"});
  EXPECT_THAT(cache_text({gpu}), AllOf(HasSubstr("788.1 TFLOP/s"), HasSubstr("4300.0 GB/s")));
}

TEST(LowerPeaks, AreThoseThatLostMoreThanATenth) {
  const reports::PeakRecord fp32{
      .precision = "fp32", .flop_per_s = 2e12, .memory_bytes_per_s = 98e9};
  const reports::PeakRecord bf16{
      .precision = "bf16", .flop_per_s = 4e12, .memory_bytes_per_s = 98e9};
  reports::PeakRecord slower_fp32 = fp32;
  reports::PeakRecord slower_bf16 = bf16;
  slower_fp32.flop_per_s = 1.81e12;
  slower_bf16.flop_per_s = 3.59e12;
  slower_fp32.memory_bytes_per_s = 55e9;
  slower_bf16.memory_bytes_per_s = 55e9;
  EXPECT_EQ(
      lower_peaks_text({fp32, bf16}, {slower_fp32, slower_bf16}),
      "lower than what was kept and is now replaced: bf16 3590.0 GFLOP/s, 4000.0 before; memory "
      "55.0 GB/s, 98.0 before. If something slowed this machine, measure again when it is quiet");
  EXPECT_EQ(lower_peaks_text({slower_fp32}, {fp32}), "");
  EXPECT_EQ(lower_peaks_text({}, {slower_fp32}), "");
  slower_fp32.flop_per_s = std::nullopt;
  slower_fp32.memory_bytes_per_s = std::nullopt;
  EXPECT_EQ(lower_peaks_text({fp32}, {slower_fp32}), "");
}

TEST_F(Info, EveryOptionalPartIsAFeatureThatIsOnOrOff) {
  const auto& features = core::build_info().features;
  for (const char* part : {"cpu", "cuda", "cupti", "mpi", "nccl", "nvml"}) {
    EXPECT_EQ(features.count(part), 1U) << part;
  }
  EXPECT_TRUE(features.at("nvml")) << "opened at run time, so always built";
  EXPECT_EQ(features.at("nccl"), features.at("cuda")) << "the plug-in links it";
}

}  // namespace
}  // namespace dlbench::harness
