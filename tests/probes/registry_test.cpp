// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/registry.h"

#include "engine/core/check.h"
#include "engine/core/error.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace dlbench::probes {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(ProbeRegistry, HoldsEveryProbeFileOfTheBuild) {
  const std::vector<std::string> names = probe_names();
  EXPECT_EQ(names.size(), std::size_t{DLBENCH_PROBE_COUNT});
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_THAT(names, Contains("proc"));
  EXPECT_THAT(names, Contains("timeline"));
}

TEST(ProbeRegistry, EachProbeAnswersToItsName) {
  for (const std::string& name : probe_names()) {
    EXPECT_EQ(make_probe(name)->spec().name, name);
  }
}

TEST(ProbeRegistry, RefusesASecondProbeOfTheSameName) {
  EXPECT_THROW(ProbeRegistration("proc", [] { return make_probe("proc"); }), core::CheckFailure);
}

TEST(ProbeRegistry, SuggestsTheNearestName) {
  try {
    (void)make_probe("timelin");
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'timeline'"));
  }
}

TEST(OpenProbe, RefusesAnUnknownOption) {
  const auto probe = make_probe("proc");
  EXPECT_THROW((void)open_probe(*probe, {{"colour", "red"}}), core::Error);
}

// Whatever this machine offers: a probe either measures every value of its spec or says why not.
TEST(Probes, MeasureOrSayWhy) {
  for (const std::string& name : probe_names()) {
    SCOPED_TRACE(name);
    const auto probe = make_probe(name);
    const std::string reason = open_probe(*probe, {});
    probe->begin_trial("io");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    probe->end_trial();
    const ProbeValues values = probe->collect("io");
    EXPECT_EQ(values.available, reason.empty());
    EXPECT_EQ(values.reason, reason);
    if (!values.available) {
      continue;
    }
    ASSERT_EQ(values.values.size(), probe->spec().values.size());
    for (std::size_t index = 0; index < values.values.size(); ++index) {
      EXPECT_EQ(values.values[index].name, probe->spec().values[index].name);
      EXPECT_NE(values.values[index].value.has_value(), !values.values[index].reason.empty());
    }
  }
}

}  // namespace
}  // namespace dlbench::probes
