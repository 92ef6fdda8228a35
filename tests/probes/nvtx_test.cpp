// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/trace.h"
#include "probes/registry.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace dlbench::probes {
namespace {

using core::trace::Category;
using core::trace::Region;

std::string record_regions() {
  const std::string log = std::getenv("DLBENCH_NVTX_LOG");
  std::ifstream before(log);
  const std::string old((std::istreambuf_iterator<char>(before)), {});
  const auto probe = make_probe("nvtx");
  EXPECT_EQ(open_probe(*probe, {}), "");
  core::trace::set_sink(probe->sink());
  {
    const Region trial(Category::kTrial, "synthetic");
    const Region step(Category::kStep, "step", 4);
    const Region phase(Category::kPhase, "forward");
    const Region op(Category::kOp, "c1.conv1", 7);
  }
  core::trace::set_sink(nullptr);
  std::ifstream after(log);
  return std::string((std::istreambuf_iterator<char>(after)), {}).substr(old.size());
}

TEST(Nvtx, AToolSeesTrialStepPhaseAndOp) {
  EXPECT_EQ(record_regions(),
            "push synthetic -1\npush step 4\npush forward -1\npush c1.conv1 7\n"
            "pop\npop\npop\npop\n");
}

}  // namespace
}  // namespace dlbench::probes

// NVTX looks for its tool at the first call of the process, so the variables come first.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::string log = testing::TempDir() + "dlbench_nvtx_" + std::to_string(getpid()) + ".log";
  setenv("NVTX_INJECTION64_PATH", DLBENCH_NVTX_TOOL, 1);
  setenv("DLBENCH_NVTX_LOG", log.c_str(), 1);
  const int result = RUN_ALL_TESTS();
  unlink(log.c_str());
  return result;
}
