// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "launchers/launcher.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "tests/error_message.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>

namespace dlbench::launchers {
namespace {

using testing::HasSubstr;
using testing::Not;

// Arguments that no shell leaves alone.
LaunchRequest request_for(const std::string& launcher, const std::string& preset) {
  LaunchRequest request{.nodes = 2,
                        .time_s = 1800,
                        .program = "/opt/dlbench/bin/dlbench",
                        .command = {"scale", "--workload", "mnist_cnn", "--data", "my data's $x"},
                        .writes_report = true,
                        .takes_timeout = true};
  if (launcher == "kubernetes") {
    request.container = "registry.example.org/dlbench:0.1";
  } else {
    request.account = "project_1";
  }
  if (preset == "none") {
    request.gpus_per_node = 4;
    request.cpus_per_rank = 8;
    request.partition = "gpu";
    request.output_folder = launcher == "kubernetes" ? "/results" : "results";
    request.nsys = true;
    if (launcher == "kubernetes") {
      request.volume = "nfs";
    } else {
      request.container = "dlbench.sif";
      request.setup = "module load cuda";
      request.directives = {launcher == "lsf" ? "-x" : launcher == "pbs" ? "-m n" : "--exclusive"};
    }
    if (find_launcher(launcher).spec().takes_memory) {
      request.memory_bytes = 60'000'000'000;
    }
  } else {
    request.preset = find_preset(preset);
  }
  request.counts_cores = find_launcher(launcher).spec().counts_cores;
  request.is_warned = find_launcher(launcher).spec().warns_ranks;
  complete_request(request);
  return request;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class GoldenScripts : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(GoldenScripts, AreUnchanged) {
  const auto& [launcher, preset] = GetParam();
  const std::string text = find_launcher(launcher).script(request_for(launcher, preset));
  const auto path =
      std::filesystem::path(DLBENCH_GOLDEN_FOLDER) / (launcher + "-" + preset + ".txt");
  if (std::getenv("DLBENCH_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  EXPECT_EQ(text, read(path)) << "if the change is wanted: cmake --build BUILD --target "
                                 "update_golden_launch, and look at the difference";
}

// bash reads the script from its standard input and runs nothing.
int bash_syntax_errors(const std::string& script) {
  std::FILE* bash = ::popen("bash -n 2>/dev/null", "w");
  EXPECT_NE(bash, nullptr);
  std::fwrite(script.data(), 1, script.size(), bash);
  return ::pclose(bash);
}

TEST_P(GoldenScripts, AreWhatBashCanRead) {
  const auto& [launcher, preset] = GetParam();
  if (launcher == "kubernetes") {
    return;  // a manifest; read as YAML by tests/integration/launch_test.py
  }
  EXPECT_EQ(bash_syntax_errors(find_launcher(launcher).script(request_for(launcher, preset))), 0);
}

std::vector<std::string> presets_and_none() {
  std::vector<std::string> names = preset_names();
  names.emplace_back("none");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Launchers,
                         GoldenScripts,
                         testing::Combine(testing::ValuesIn(launcher_names()),
                                          testing::ValuesIn(presets_and_none())),
                         [](const auto& parameters) {
                           std::string name =
                               std::get<0>(parameters.param) + "_" + std::get<1>(parameters.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(BashSyntax, TheCheckFindsAPlantedError) {
  EXPECT_NE(bash_syntax_errors("echo 'unfinished\n"), 0);
}

TEST(LauncherRegistry, HoldsEveryLauncherFileOfTheBuild) {
  EXPECT_EQ(launcher_names().size(), std::size_t{DLBENCH_LAUNCHER_COUNT});
  EXPECT_THAT(launcher_names(),
              testing::IsSupersetOf({"flux", "kubernetes", "lsf", "pbs", "slurm"}));
}

TEST(LauncherRegistry, RefusesASecondLauncherOfTheSameName) {
  class Second final : public Launcher {
   public:
    [[nodiscard]] const LauncherSpec& spec() const override { return find_launcher("pbs").spec(); }
    [[nodiscard]] std::string script(const LaunchRequest& /*request*/) const override { return {}; }
    [[nodiscard]] std::string job_id(std::string_view /*printed*/) const override { return {}; }
  };
  EXPECT_THROW(LauncherRegistration{std::make_unique<Second>()}, core::CheckFailure);
}

TEST(JobId, IsFoundInWhatTheSubmitCommandPrints) {
  const auto id = [](const char* launcher, const char* printed) {
    return find_launcher(launcher).job_id(printed);
  };
  EXPECT_EQ(id("slurm", "123\n"), "123");
  EXPECT_EQ(id("slurm", "123;cluster\n"), "123");
  EXPECT_EQ(id("lsf", "Job <77> is submitted to queue <batch>.\n"), "77");
  EXPECT_EQ(id("lsf", "something else\n"), "");
  EXPECT_EQ(id("pbs", "45.server\n"), "45.server");
  EXPECT_EQ(id("flux", "f2PMSZ6Ab\n"), "f2PMSZ6Ab");
  EXPECT_EQ(id("kubernetes", "mpijob.kubeflow.org/dlbench\n"), "mpijob.kubeflow.org/dlbench");
}

TEST(Slurm, WarnsTheRanksBeforeTheEnd) {
  EXPECT_THAT(find_launcher("slurm").script(request_for("slurm", "none")),
              HasSubstr("#SBATCH --signal=USR1@60\n"));
}

TEST(Slurm, AJobIsNotRequeuedUnlessTheUserSaysSo) {
  LaunchRequest request = request_for("slurm", "none");
  EXPECT_THAT(find_launcher("slurm").script(request), HasSubstr("#SBATCH --no-requeue\n"));
  for (const char* line : {"--requeue", "--qos=debug --requeue", "--no-requeue"}) {
    request.directives = {line};
    const std::string script = find_launcher("slurm").script(request);
    EXPECT_THAT(script, HasSubstr("#SBATCH " + std::string(line) + "\n"));
    EXPECT_THAT(script, Not(HasSubstr("#SBATCH --no-requeue\n#SBATCH"))) << line;
  }
}

TEST(Slurm, ABindingMaskOfAllRanksIsLeftOutForFewer) {
  LaunchRequest request = request_for("slurm", "lumi");
  EXPECT_THAT(find_launcher("slurm").script(request), HasSubstr("--cpu-bind=mask_cpu:fe0"));
  request.ranks_per_node = 4;
  EXPECT_THAT(find_launcher("slurm").script(request), Not(HasSubstr("--cpu-bind")));
}

TEST(Slurm, AChosenPartitionReplacesThePresets) {
  LaunchRequest request = request_for("slurm", "lumi");
  request.partition = "dev-g";
  const std::string script = find_launcher("slurm").script(request);
  EXPECT_THAT(script, HasSubstr("--partition=dev-g"));
  EXPECT_THAT(script, Not(HasSubstr("standard-g")));
}

TEST(Slurm, TheMpiChoosesHowSrunWiresUp) {
  LaunchRequest request = request_for("slurm", "none");
  EXPECT_THAT(find_launcher("slurm").script(request), Not(HasSubstr("--mpi")));
  request.mpi = MpiChoice::kMpich;
  EXPECT_THAT(find_launcher("slurm").script(request),
              HasSubstr("srun --kill-on-bad-exit=1 --mpi=pmi2"));
  request.mpi = MpiChoice::kOpenMpi;
  EXPECT_THAT(find_launcher("slurm").script(request), HasSubstr("--mpi=pmix"));
}

TEST(Presets, ApplyTheirOwnLinesOnTheirOwnSchedulerOnly) {
  EXPECT_THAT(find_launcher("pbs").script(request_for("pbs", "perlmutter")),
              testing::AllOf(Not(HasSubstr("constraint")),
                             Not(HasSubstr("CUDA_VISIBLE")),
                             HasSubstr("ncpus=128:mpiprocs=4:ngpus=4")));
}

TEST(SchedulersWithAWarning, GiveItInTime) {
  for (const auto& [launcher, warning] :
       {std::pair("slurm", "USR1@30"), std::pair("flux", "USR1@30s")}) {
    LaunchRequest request = request_for(launcher, "none");
    EXPECT_THAT(find_launcher(launcher).script(request), HasSubstr("USR1@60"));
    request.time_s = 60;
    EXPECT_THAT(find_launcher(launcher).script(request), HasSubstr(warning));
  }
}

TEST(Nsys, RecordsTheCapturedStepsAndLeavesTheProgramAlone) {
  LaunchRequest request = request_for("slurm", "none");
  EXPECT_THAT(find_launcher("slurm").script(request), Not(HasSubstr("capture-range")));
  request.captures_steps = true;
  EXPECT_THAT(find_launcher("slurm").script(request),
              HasSubstr("--capture-range=cudaProfilerApi --capture-range-end=stop"));
}

// Of a container that goes with the job, and with it a report in a folder of its own.
TEST(Pyxis, MountsTheFolderOfTheJob) {
  LaunchRequest request = request_for("slurm", "none");
  request.container_runtime = "pyxis";
  EXPECT_THAT(find_launcher("slurm").script(request),
              HasSubstr(" --container-image=dlbench.sif --container-mount-home "
                        "--container-mounts=\"$PWD:$PWD\" --container-workdir=\"$PWD\""));
}

TEST(SchedulersWithoutAWarning, GiveDlbenchATimeout) {
  for (const char* launcher : {"lsf", "pbs", "kubernetes"}) {
    LaunchRequest request = request_for(launcher, "none");
    const std::string script = find_launcher(launcher).script(request);
    EXPECT_THAT(script, testing::ContainsRegex("--timeout\"?\n? *(- )?\"?1680")) << launcher;
    request.takes_timeout = false;
    EXPECT_THAT(find_launcher(launcher).script(request), Not(HasSubstr("--timeout"))) << launcher;
  }
}

TEST(Pbs, RefusesAFolderThatItWouldLookForOnAHost) {
  LaunchRequest request = request_for("pbs", "none");
  request.output_folder = "node1:results";
  EXPECT_THAT(tests::usage_error([&] { (void)find_launcher("pbs").script(request); }),
              HasSubstr("--output-dir 'node1:results' has a colon"));
}

TEST(Kubernetes, RefusesWhatAManifestCannotSay) {
  const auto refusal = [](auto change) {
    LaunchRequest request = request_for("kubernetes", "none");
    change(request);
    try {
      (void)find_launcher("kubernetes").script(request);
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), core::ErrorCode::kUsage);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal([](auto& request) { request.container = ""; }), HasSubstr("--container"));
  EXPECT_THAT(refusal([](auto& request) { request.volume = ""; }), HasSubstr("--nsys needs"));
  const auto writes = [&refusal](const std::string& file, const char* volume) {
    return refusal([&](auto& request) {
      request.nsys = false;
      request.volume = volume;
      request.written = {{"trace", file}};
    });
  };
  EXPECT_THAT(writes("trace.json", "nfs"),
              HasSubstr("--trace trace.json: what is written in a pod"));
  EXPECT_THAT(writes("/results-of-old/trace.json", "nfs"), HasSubstr("vanishes with it"));
  EXPECT_THAT(writes("/results/trace.json", ""), HasSubstr("vanishes with it"));
  EXPECT_EQ(writes("/results/trace.json", "nfs"), "accepted");
  EXPECT_EQ(writes("-", ""), "accepted");
  EXPECT_THAT(refusal([](auto& request) { request.output_folder = "results"; }),
              HasSubstr("absolute path"));
  for (const std::string& name : {std::string("My_Job"), std::string("-x"), std::string(50, 'x')}) {
    EXPECT_THAT(refusal([&](auto& request) { request.job_name = name; }), HasSubstr(name));
    EXPECT_THAT(refusal([&](auto& request) { request.partition = name + std::string(20, '-'); }),
                HasSubstr("--partition"));
  }
  EXPECT_THAT(refusal([](auto& request) { request.job_name = "2nodes"; }), HasSubstr("a letter"));
  EXPECT_THAT(refusal([](auto& request) { request.partition = "2nd"; }), HasSubstr("accepted"));
  EXPECT_THAT(refusal([](auto& request) { request.setup = "module load x"; }),
              HasSubstr("--setup"));
}

}  // namespace
}  // namespace dlbench::launchers
