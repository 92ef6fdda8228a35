// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/trace.h"
#include "probes/registry.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>

namespace dlbench::probes {
namespace {

using core::trace::Category;
using core::trace::Region;

constexpr std::array kCategories{Category::kTrial,
                                 Category::kRepetition,
                                 Category::kStep,
                                 Category::kPhase,
                                 Category::kOp,
                                 Category::kLoader,
                                 Category::kComm};

std::string read_log() {
  std::ifstream file(std::getenv("DLBENCH_NVTX_LOG"));
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What the tool saw of `regions`, with the probe's domain before them.
template <typename Regions>
std::string record(const Regions& regions) {
  const std::string before = read_log();
  const auto probe = make_probe("nvtx");
  EXPECT_EQ(open_probe(*probe, {}), "");
  core::trace::set_sink(probe->sink());
  regions();
  core::trace::set_sink(nullptr);
  return read_log().substr(before.size());
}

TEST(Nvtx, AToolSeesTrialStepPhaseAndOp) {
  const std::string seen = record([] {
    const Region trial(Category::kTrial, "synthetic");
    const Region step(Category::kStep, "step", 4);
    const Region phase(Category::kPhase, "forward");
    const Region op(Category::kOp, "c1.conv1", 7);
  });
  const std::regex attributes(" category=\\d+ color=[0-9a-f]{8}");
  EXPECT_EQ(std::regex_replace(seen.substr(seen.find("push")), attributes, ""),
            "push synthetic -1\npush step 4\npush forward -1\npush c1.conv1 7\n"
            "pop\npop\npop\npop\n");
}

TEST(Nvtx, EveryCategoryHasItsNameAndColour) {
  const std::string seen = record([] {
    for (const Category category : kCategories) {
      const Region region(category, "of_" + std::string(core::trace::name(category)));
    }
  });
  std::map<std::string, std::string> names;
  std::map<std::string, std::string> colours;
  std::istringstream lines(seen);
  const std::regex named("category (\\d+) (\\w+)");
  const std::regex pushed("push of_(\\w+) -1 category=(\\d+) color=(ff[0-9a-f]{6})");
  for (std::string line; std::getline(lines, line);) {
    std::smatch part;
    if (std::regex_match(line, part, named)) {
      names[part[2]] = part[1];
    } else if (std::regex_match(line, part, pushed)) {
      EXPECT_EQ(names[part[1]], part[2]) << line;
      colours.emplace(part[3], part[1]);
    }
  }
  EXPECT_EQ(names.size(), kCategories.size());
  EXPECT_EQ(colours.size(), kCategories.size()) << "no two are the same: " << seen;
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
