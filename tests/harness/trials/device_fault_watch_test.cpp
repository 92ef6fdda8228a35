// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/device_fault_watch.h"

#include "engine/core/error.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A driver that has reported `fault`, once.
class ReportingProbe final : public probes::Probe {
 public:
  explicit ReportingProbe(std::string fault, std::string unavailable = "")
      : fault_(std::move(fault)), unavailable_(std::move(unavailable)) {
    spec_.name = "reporting";
    spec_.device = "cuda";
  }
  const probes::ProbeSpec& spec() const override { return spec_; }
  std::string open(const probes::ProbeOptions& /*options*/) override { return unavailable_; }
  void begin_trial(std::string_view /*trial*/) noexcept override {}
  void end_trial() noexcept override {}
  probes::ProbeValues collect(std::string_view /*trial*/) const override { return {}; }
  probes::DeviceFault take_fault() override {
    const std::string fault = std::exchange(fault_, "");
    return {.fault = fault.find("Xid 31") == std::string::npos ? fault : "",
            .possible_cause = fault};
  }
  probes::DeviceConditions conditions_now() override {
    return {.throttle_reasons = {"hardware_thermal"},
            .throttled = true,
            .neighbours = std::exchange(neighbours_, "")};
  }

 private:
  probes::ProbeSpec spec_;
  std::string fault_;
  std::string unavailable_;
  std::string neighbours_ = "process 4711";  // computed until it was first asked
};

DeviceFaultWatch watch_of(std::string kind, std::string fault, std::string unavailable = "") {
  backend::DeviceInfo device;
  device.kind = std::move(kind);
  return DeviceFaultWatch(
      device,
      1,
      OpenFailure::kWarns,
      std::make_unique<ReportingProbe>(std::move(fault), std::move(unavailable)));
}

TEST(DeviceFaultWatch, AFaultEndsWorkThatSeemedToSucceed) {
  DeviceFaultWatch watch = watch_of("cuda", "the GPU reported Xid 79");
  bool worked = false;
  try {
    watch.run_watched("4 ranks", [&worked] { worked = true; });
    FAIL() << "no error";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kRun);
    EXPECT_STREQ(error.what(), "4 ranks: the GPU reported Xid 79");
  }
  EXPECT_TRUE(worked);
  EXPECT_NO_THROW(watch.run_watched("4 ranks", [] {})) << "a fault is told once";
}

TEST(DeviceFaultWatch, WorkThatFailsNamesTheFault) {
  DeviceFaultWatch watch = watch_of("cuda", "the GPU reported Xid 79");
  try {
    watch.run_watched("4 ranks",
                      [] { throw core::Error(core::ErrorCode::kRun, "a kernel failed"); });
    FAIL() << "no error";
  } catch (const core::Error& error) {
    EXPECT_THAT(error.what(), AllOf(StartsWith("a kernel failed"), HasSubstr("Xid 79")));
  }
}

TEST(DeviceFaultWatch, AnErrorOfAnApplicationIsNamedWhereWorkFailsAndEndsNoOther) {
  DeviceFaultWatch watch = watch_of("cuda", "the GPU reported Xid 31");
  EXPECT_NO_THROW(watch.run_watched("4 ranks", [] {}));
  DeviceFaultWatch failing = watch_of("cuda", "the GPU reported Xid 31");
  try {
    failing.run_watched("4 ranks",
                        [] { throw core::Error(core::ErrorCode::kRun, "a kernel failed"); });
    FAIL() << "no error";
  } catch (const core::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("Xid 31"));
  }
  EXPECT_EQ(watch_of("cuda", "the GPU reported Xid 31").conditions().reported.possible_cause,
            "the GPU reported Xid 31");
}

TEST(DeviceFaultWatch, AsksNothingOfAProcessorOrADriverThatDoesNotAnswer) {
  EXPECT_EQ(watch_of("cpu", "Xid 79").take_fault().possible_cause, "");
  EXPECT_EQ(watch_of("cuda", "Xid 79", "no libnvidia-ml").take_fault().possible_cause, "");
  EXPECT_FALSE(watch_of("cpu", "Xid 79").conditions().throttled);
}

TEST(DeviceFaultWatch, SaysHowTheDeviceFaresWithItsFault) {
  DeviceFaultWatch watch = watch_of("cuda", "the GPU reported Xid 79");
  const probes::DeviceConditions seen = watch.conditions();
  EXPECT_TRUE(seen.throttled);
  EXPECT_EQ(seen.throttle_reasons, std::vector<std::string>{"hardware_thermal"});
  EXPECT_EQ(seen.reported.fault, "the GPU reported Xid 79");
  EXPECT_EQ(seen.reported.possible_cause, "the GPU reported Xid 79");
  EXPECT_EQ(watch.conditions().reported.fault, "") << "a fault is told once";
}

TEST(DeviceFaultWatch, WhoComputedBeforeAWindowIsNoNeighbourInItButAFaultStays) {
  EXPECT_EQ(watch_of("cuda", "Xid 79").conditions().neighbours, "process 4711");
  DeviceFaultWatch watch = watch_of("cuda", "Xid 79");
  watch.begin();
  const probes::DeviceConditions seen = watch.conditions();
  EXPECT_EQ(seen.neighbours, "");
  EXPECT_EQ(seen.reported.fault, "Xid 79");
}

}  // namespace
}  // namespace dlbench::harness
