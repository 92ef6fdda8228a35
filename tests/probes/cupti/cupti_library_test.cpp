// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The opening of CUPTI: without it, with a library that has two of its functions
// (partial_cupti.cpp), and with the real one, to which all of this program's calls go.
#include "probes/cupti/cupti_library.h"

#include "probes/cupti/cupti_status.h"

#include <cupti.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace dlbench::probes {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsNull;
using testing::Not;
using testing::NotNull;
using testing::SizeIs;
using testing::StartsWith;

TEST(CuptiLibrary, OneThatIsNotThereIsOneSentence) {
  const CuptiLibrary library = open_cupti("libcupti_not_here.so.13");
  EXPECT_THAT(library.functions, AllOf(Not(IsEmpty()), Each(IsNull())));
  EXPECT_THAT(cupti_library_refusal(library),
              AllOf(StartsWith("CUPTI does not load: libcupti_not_here.so.13: "),
                    HasSubstr("wheel nvidia-cuda-cupti, package cuda-cupti-13-"),
                    HasSubstr("DLBENCH_CUDA_PATH"),
                    Not(HasSubstr("\n"))));
}

TEST(CuptiLibrary, FunctionsThatItLacksAreSaid) {
  CuptiLibrary library = open_cupti(DLBENCH_PARTIAL_CUPTI);
  ASSERT_EQ(library.loader_error, "");
  EXPECT_THAT(library.missing, SizeIs(library.functions.size() - 2));
  EXPECT_THAT(library.missing, AllOf(Contains("cuptiSubscribe"), Not(Contains("cuptiGetVersion"))));
  EXPECT_THAT(library.functions, Contains(NotNull()).Times(2));
  EXPECT_THAT(cupti_library_refusal(library),
              AllOf(StartsWith("the CUPTI that was loaded lacks cuptiActivityDisable and "),
                    HasSubstr(" more functions, this build needs CUPTI 13.")));
  library.missing = {"cuptiSubscribe"};
  EXPECT_THAT(cupti_library_refusal(library),
              StartsWith("the CUPTI that was loaded lacks cuptiSubscribe, this build"));
}

TEST(CuptiLibrary, TheRealOneHasAllAndAnswers) {
  EXPECT_EQ(cupti_library_refusal(opened_cupti()), "");
  EXPECT_THAT(opened_cupti().functions, Each(NotNull()));
  std::uint32_t version = 0;
  EXPECT_EQ(cuptiGetVersion(&version), CUPTI_SUCCESS);
  EXPECT_EQ(version / 10000, CUPTI_API_VERSION / 10000);
  const char* name = nullptr;
  EXPECT_EQ(
      cuptiGetCallbackName(
          CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, &name),
      CUPTI_SUCCESS);
  EXPECT_THAT(name, StartsWith("cudaLaunchKernel"));
}

// Where its tables lie too: the loader does not find them by themselves in NVIDIA's wheels.
TEST(CuptiLibrary, ItsFolderIsThatOfTheLibraryAndNotOfTheCaller) {
  EXPECT_TRUE(std::filesystem::exists(opened_cupti().folder / "libcupti.so.13"));
  EXPECT_TRUE(std::filesystem::exists(opened_cupti().folder / "libnvperf_host.so"));
}

}  // namespace
}  // namespace dlbench::probes
