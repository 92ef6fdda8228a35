// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/system_info.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace dlbench::probes {
namespace {

constexpr const char* kTwoSockets =
    "processor\t: 0\nmodel name\t: Example CPU 9000\nphysical id\t: 0\ncore id\t\t: 0\n"
    "flags\t\t: fpu sse4_2 avx avx2 avx512f\n\n"
    "processor\t: 1\nmodel name\t: Example CPU 9000\nphysical id\t: 0\ncore id\t\t: 0\n\n"
    "processor\t: 2\nmodel name\t: Example CPU 9000\nphysical id\t: 1\ncore id\t\t: 0\n\n"
    "processor\t: 3\nmodel name\t: Example CPU 9000\nphysical id\t: 1\ncore id\t\t: 0\n\n";

TEST(ParseCpuinfo, CoreNumbersRepeatOnEachSocket) {
  const CpuFacts facts = parse_cpuinfo(kTwoSockets);
  EXPECT_EQ(facts.model, "Example CPU 9000");
  EXPECT_EQ(facts.sockets, 2);
  EXPECT_EQ(facts.cores, 2);
  EXPECT_EQ(facts.threads, 4);
  EXPECT_EQ(facts.isa, "avx512");
}

TEST(ParseCpuinfo, WithoutTopologyEachCpuIsACore) {
  const CpuFacts facts = parse_cpuinfo("processor : 0\n\nprocessor : 1\nflags : avx2\n");
  EXPECT_EQ(facts.sockets, 1);
  EXPECT_EQ(facts.cores, 2);
  EXPECT_EQ(facts.isa, "avx2");
}

TEST(ParseCpuinfo, OfArmHasFeaturesAndNoTopology) {
  const CpuFacts facts = parse_cpuinfo(
      "processor\t: 0\nFeatures\t: fp asimd sve sve2 bf16\nCPU implementer\t: 0x41\n"
      "CPU part\t: 0xd4f\n\nprocessor\t: 1\nFeatures\t: fp asimd\n");
  EXPECT_EQ(facts.model, "Neoverse-V2");
  EXPECT_EQ(facts.isa, "sve2");
  EXPECT_EQ(facts.cores, 2);
  EXPECT_EQ(parse_cpuinfo("processor : 0\nFeatures : fp asimd\n").isa, "asimd");
}

TEST(ParseCpuinfo, FlagsAreWholeWords) {
  EXPECT_EQ(parse_cpuinfo("processor : 0\nflags : avx512_bf16x avx\n").isa, "avx");
}

TEST(ParseMeminfo, KibibytesBecomeBytes) {
  const auto [total, available] =
      parse_meminfo("MemTotal:       1000 kB\nMemFree: 5 kB\nMemAvailable:    600 kB\n");
  EXPECT_EQ(total, 1'024'000);
  EXPECT_EQ(available, 614'400);
}

TEST(ParseOsRelease, TakesThePrettyName) {
  EXPECT_EQ(parse_os_release("ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
            "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(parse_os_release(""), "unknown");
}

core::EnvironmentLookup environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(DetectScheduler, ReadsSlurm) {
  const auto job = detect_scheduler(
      environment({{"SLURM_JOB_ID", "4711"}, {"SLURM_JOB_NUM_NODES", "2"}, {"SLURM_NTASKS", "8"}}));
  ASSERT_TRUE(job.has_value());
  EXPECT_EQ(job->name, "slurm");
  EXPECT_EQ(job->job_id, "4711");
  EXPECT_EQ(job->nodes, 2);
  EXPECT_EQ(job->tasks, 8);
}

TEST(DetectScheduler, NumbersThatAreNoneStayEmpty) {
  const auto job = detect_scheduler(environment({{"PBS_JOBID", "7.server"}, {"PBS_NP", "many"}}));
  ASSERT_TRUE(job.has_value());
  EXPECT_EQ(job->name, "pbs");
  EXPECT_FALSE(job->nodes.has_value());
  EXPECT_FALSE(job->tasks.has_value());
}

TEST(DetectScheduler, ThereAreNotFewerThanOne) {
  const auto job = detect_scheduler(environment(
      {{"SLURM_JOB_ID", "4711"}, {"SLURM_JOB_NUM_NODES", "0"}, {"SLURM_NTASKS", "-5"}}));
  ASSERT_TRUE(job.has_value());
  EXPECT_FALSE(job->nodes.has_value());
  EXPECT_FALSE(job->tasks.has_value());
}

TEST(UsableCpus, AQuotaIsRoundedUpAndMayBeLargerThanAnyNumberOfCpus) {
  EXPECT_EQ(usable_cpus(8, std::nullopt), 8);
  EXPECT_EQ(usable_cpus(8, 1.5), 2);
  EXPECT_EQ(usable_cpus(8, 0.01), 1);
  EXPECT_EQ(usable_cpus(8, 17592186044.4), 8) << "the largest that the kernel takes";
  EXPECT_EQ(usable_cpus(0, std::nullopt), 1);
}

TEST(DetectScheduler, OutsideOfAJobThereIsNone) {
  EXPECT_FALSE(detect_scheduler(environment({})).has_value());
}

TEST(ReadSystemFacts, AgreesWithTheSystemCalls) {
  const SystemFacts facts = read_system_facts();
  EXPECT_FALSE(facts.hostname.empty());
  EXPECT_GE(facts.usable_cpus, 1);
  EXPECT_LE(facts.usable_cpus, facts.cpu.threads);
  EXPECT_GE(facts.numa_nodes, 1);
  const std::int64_t total = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE);
  EXPECT_NEAR(static_cast<double>(facts.memory.total_bytes),
              static_cast<double>(total),
              0.01 * static_cast<double>(total));
  EXPECT_GT(facts.memory.usable_bytes, 0);
  EXPECT_LE(facts.memory.usable_bytes, facts.memory.available_bytes);
}

}  // namespace
}  // namespace dlbench::probes
