// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "launchers/launch_environment.h"

#include <gmock/gmock.h>

#include <map>
#include <string>

namespace dlbench::launchers {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using Variables = std::map<std::string, std::string>;

// What sbatch gives a script of a job with four tasks.
Variables batch_script() {
  return {{"SLURM_JOB_ID", "7"},
          {"SLURM_NTASKS", "4"},
          {"SLURM_NPROCS", "4"},
          {"SLURM_PROCID", "0"},
          {"SLURM_LOCALID", "0"},
          {"SLURM_NODEID", "0"}};
}

// And what srun adds for its third task.
Variables srun_task() {
  Variables variables = batch_script();
  variables["SLURM_STEP_ID"] = "0";
  variables["SLURM_STEP_NUM_TASKS"] = "4";
  variables["SLURM_PROCID"] = "2";
  variables["SLURM_LOCALID"] = "1";
  return variables;
}

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) {
    variables[name] = value;
  }
  return variables;
}

TEST(DetectLaunch, AnOrdinaryShellIsNoLaunch) {
  const LaunchEnvironment launch = detect_launch({{"HOME", "/root"}, {"OMPI_MCA_btl", "self"}});
  EXPECT_FALSE(launch.launched());
  EXPECT_EQ(launch.announced_ranks, std::nullopt);
  EXPECT_EQ(launch.mpi_family, MpiFamily::kNone);
  EXPECT_THAT(broken_launch(launch, 1, ""), IsEmpty());
  EXPECT_THAT(idle_allocation_hint(launch), IsEmpty());
}

TEST(DetectLaunch, HydraAnnouncesByPmi) {
  const LaunchEnvironment launch = detect_launch({{"PMI_RANK", "3"},
                                                  {"PMI_SIZE", "8"},
                                                  {"PMI_FD", "9"},
                                                  {"MPI_LOCALRANKID", "1"},
                                                  {"MPI_LOCALNRANKS", "2"}});
  EXPECT_EQ(launch.launcher, "mpiexec");
  EXPECT_THAT(launch.announced_ranks, Optional(8));
  EXPECT_EQ(launch.source, "PMI_SIZE");
  EXPECT_THAT(launch.rank, Optional(3));
  EXPECT_THAT(launch.local_rank, Optional(1));
  EXPECT_EQ(launch.mpi_family, MpiFamily::kMpich);
}

TEST(DetectLaunch, OpenMpiAnnouncesByItsOwnVariables) {
  const LaunchEnvironment launch = detect_launch({{"OMPI_COMM_WORLD_SIZE", "2"},
                                                  {"OMPI_COMM_WORLD_RANK", "1"},
                                                  {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                                                  {"PMIX_RANK", "1"}});
  EXPECT_EQ(launch.launcher, "mpirun");
  EXPECT_THAT(launch.announced_ranks, Optional(2));
  EXPECT_EQ(launch.source, "OMPI_COMM_WORLD_SIZE");
  EXPECT_THAT(launch.local_rank, Optional(0));
  EXPECT_EQ(launch.mpi_family, MpiFamily::kOpenMpi);
}

TEST(DetectLaunch, ABatchScriptIsOneProcessWhateverItsJobHasRoomFor) {
  const LaunchEnvironment launch = detect_launch(batch_script());
  EXPECT_FALSE(launch.launched());
  EXPECT_EQ(launch.announced_ranks, std::nullopt);
  EXPECT_THAT(broken_launch(launch, 1, ""), IsEmpty());
  EXPECT_THAT(idle_allocation_hint(launch), HasSubstr("SLURM_NTASKS is 4"));
}

TEST(MissingCpusHint, ComparesWhatSlurmWasAskedForWithWhatThereIs) {
  EXPECT_EQ(lost_cpus_hint({{"SLURM_CPUS_PER_TASK", "8"}}, 1),
            "SLURM_CPUS_PER_TASK is 8, but this process may use one CPU: give --cpus-per-task to "
            "srun too, or bind no tighter");
  EXPECT_THAT(lost_cpus_hint({{"SLURM_CPUS_PER_TASK", "8"}}, 4), HasSubstr("may use 4 CPUs"));
  EXPECT_THAT(lost_cpus_hint({{"SLURM_CPUS_PER_TASK", "8"}}, 8), IsEmpty());
  EXPECT_THAT(lost_cpus_hint({{"SLURM_CPUS_PER_TASK", "many"}}, 1), IsEmpty());
  EXPECT_THAT(lost_cpus_hint({}, 1), IsEmpty());
}

TEST(DetectLaunch, TheShellOfSallocIsNoLaunch) {
  // use_interactive_step: the shell is a step of its own, numbered from the reserved range.
  const LaunchEnvironment launch =
      detect_launch(with(batch_script(), {{"SLURM_STEP_ID", "4294967290"}}));
  EXPECT_FALSE(launch.launched());
  EXPECT_THAT(launch.idle_allocation, Optional(4));
}

TEST(DetectLaunch, SrunAnnouncesTheTasksOfItsStepNotOfTheJob) {
  const LaunchEnvironment launch =
      detect_launch(with(srun_task(), {{"SLURM_STEP_NUM_TASKS", "3"}}));
  EXPECT_EQ(launch.launcher, "srun");
  EXPECT_THAT(launch.announced_ranks, Optional(3));
  EXPECT_EQ(launch.source, "SLURM_STEP_NUM_TASKS");
  EXPECT_THAT(launch.rank, Optional(2));
  EXPECT_THAT(launch.local_rank, Optional(1));
  EXPECT_EQ(launch.mpi_family, MpiFamily::kUnknown);  // --mpi=none
}

TEST(DetectLaunch, TheMpiOptionOfSrunDecidesTheFamily) {
  const auto family = [](const Variables& more) {
    return detect_launch(with(srun_task(), more)).mpi_family;
  };
  EXPECT_EQ(family({{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}, {"PMI_FD", "5"}}), MpiFamily::kMpich);
  EXPECT_EQ(family({{"PMIX_RANK", "2"}, {"PMIX_NAMESPACE", "slurm.pmix.7.0"}}),
            MpiFamily::kOpenMpi);
  EXPECT_EQ(family({{"PMI_CONTROL_PORT", "24000"}}), MpiFamily::kMpich);  // cray_shasta
}

TEST(DetectLaunch, AnMpiexecInsideOfAStepCountsInsteadOfTheStep) {
  // hydra starts one proxy a node by srun, and the ranks below inherit the proxies' variables.
  const LaunchEnvironment launch = detect_launch(with(srun_task(),
                                                      {{"SLURM_STEP_NUM_TASKS", "2"},
                                                       {"PMI_RANK", "5"},
                                                       {"PMI_SIZE", "8"},
                                                       {"MPI_LOCALRANKID", "1"}}));
  EXPECT_EQ(launch.launcher, "mpiexec");
  EXPECT_THAT(launch.announced_ranks, Optional(8));
  EXPECT_THAT(launch.rank, Optional(5));
}

TEST(DetectLaunch, ATorchrunInsideOfAStepCountsInsteadOfTheStep) {
  const LaunchEnvironment launch = detect_launch(with(
      srun_task(),
      {{"TORCHELASTIC_RUN_ID", "none"}, {"WORLD_SIZE", "8"}, {"RANK", "5"}, {"LOCAL_RANK", "1"}}));
  EXPECT_EQ(launch.launcher, "torchrun");
  EXPECT_FALSE(launch.serves_mpi);
  EXPECT_FALSE(launch.alone());
  EXPECT_THAT(launch.rank, Optional(5));
  EXPECT_THAT(launch.local_rank, Optional(1));
  EXPECT_THAT(broken_launch(launch, 1, ""),
              AllOf(HasSubstr("WORLD_SIZE announces 8 ranks"),
                    HasSubstr("torchrun started separate runs"),
                    HasSubstr("start with mpirun, mpiexec or srun")));
  EXPECT_THAT(broken_launch(detect_launch({{"TORCHELASTIC_RUN_ID", "none"}}), 1, ""),
              AllOf(HasSubstr("torchrun started this process"), HasSubstr("start with mpirun")));
  // Others set these two for programs of any kind.
  EXPECT_FALSE(detect_launch({{"WORLD_SIZE", "8"}, {"RANK", "5"}}).launched());
}

TEST(DetectLaunch, JsrunIsNamedAlthoughItSetsOpenMpisVariables) {
  const LaunchEnvironment launch = detect_launch({{"LSB_DJOB_NUMPROC", "43"},
                                                  {"JSM_NAMESPACE_SIZE", "6"},
                                                  {"JSM_NAMESPACE_RANK", "4"},
                                                  {"JSM_NAMESPACE_LOCAL_RANK", "4"},
                                                  {"OMPI_COMM_WORLD_SIZE", "6"},
                                                  {"OMPI_COMM_WORLD_RANK", "4"}});
  EXPECT_EQ(launch.launcher, "jsrun");
  EXPECT_THAT(launch.announced_ranks, Optional(6));
  EXPECT_EQ(launch.mpi_family, MpiFamily::kOpenMpi);
}

TEST(DetectLaunch, FluxServesWhicheverMpiItsVariablesName) {
  const Variables task{{"FLUX_JOB_SIZE", "4"},
                       {"FLUX_TASK_RANK", "1"},
                       {"FLUX_TASK_LOCAL_ID", "1"},
                       {"OMPI_MCA_pmix", "flux"}};
  EXPECT_EQ(detect_launch(with(task, {{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}})).mpi_family,
            MpiFamily::kMpich);
  EXPECT_EQ(detect_launch(with(task, {{"PMIX_RANK", "1"}})).mpi_family, MpiFamily::kOpenMpi);
  EXPECT_EQ(detect_launch(task).launcher, "flux run");
}

TEST(DetectLaunch, PalsAndMvapichAreMpich) {
  const LaunchEnvironment pals =
      detect_launch({{"PALS_RANKID", "9"}, {"PALS_LOCAL_RANKID", "1"}, {"PMI_SIZE", "16"}});
  EXPECT_THAT(pals.announced_ranks, Optional(16));
  EXPECT_THAT(pals.local_rank, Optional(1));
  EXPECT_EQ(pals.mpi_family, MpiFamily::kMpich);
  EXPECT_EQ(detect_launch({{"MV2_COMM_WORLD_RANK", "0"}, {"MV2_COMM_WORLD_SIZE", "2"}}).mpi_family,
            MpiFamily::kMpich);
}

TEST(DetectLaunch, AllocationsOfLsfAndPbsAreNoAnnouncement) {
  for (const char* size : {"LSB_DJOB_NUMPROC", "PBS_NP"}) {
    const LaunchEnvironment launch = detect_launch({{size, "12"}});
    EXPECT_FALSE(launch.launched());
    EXPECT_THAT(launch.idle_allocation, Optional(12)) << size;
    EXPECT_EQ(launch.idle_allocation_source, size);
    EXPECT_EQ(detect_launch({{size, "1"}}).idle_allocation, std::nullopt) << "one process is all";
  }
}

TEST(DetectLaunch, IgnoresNumbersThatAreNone) {
  const LaunchEnvironment launch =
      detect_launch({{"PMI_RANK", "0"}, {"PMI_SIZE", "four"}, {"MPI_LOCALRANKID", "-1"}});
  EXPECT_EQ(launch.announced_ranks, std::nullopt);
  EXPECT_EQ(launch.source, "");
  EXPECT_EQ(launch.local_rank, std::nullopt);
}

TEST(DetectLaunch, SeveralRanksAreBelievedBeforeWhatALaunchOfOneLeft) {
  const Variables hydra = {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "3"}};
  const Variables left = {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}};
  const LaunchEnvironment launch = detect_launch(with(hydra, left));
  EXPECT_THAT(launch.announced_ranks, Optional(4));
  EXPECT_THAT(launch.rank, Optional(3));
  EXPECT_EQ(launch.mpi_family, MpiFamily::kMpich);
  EXPECT_TRUE(detect_launch(with(left, {{"PMI_SIZE", "1"}, {"MPI_LOCALRANKID", "0"}})).alone());
  EXPECT_EQ(detect_launch(with(srun_task(), left)).announced_ranks, 1)
      << "mpirun in a task of srun, not the other way round";
  EXPECT_EQ(
      detect_launch(with(hydra, {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}}))
          .announced_ranks,
      2);
}

TEST(DetectLaunch, OneRankIsAloneUnlessItsJobHasOtherComponents) {
  EXPECT_TRUE(detect_launch({}).alone());
  EXPECT_TRUE(detect_launch({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}, {"PMI_FD", "9"}}).alone());
  EXPECT_FALSE(detect_launch({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"PMI_FD", "9"}}).alone());
  EXPECT_FALSE(detect_launch({{"PMIX_RANK", "0"}}).alone()) << "nobody says of how many";
  EXPECT_FALSE(detect_launch(srun_task()).alone());
  const Variables one = with(srun_task(), {{"SLURM_STEP_NUM_TASKS", "1"}, {"PMI_FD", "9"}});
  EXPECT_TRUE(detect_launch(one).alone());
  EXPECT_FALSE(detect_launch(with(one, {{"SLURM_HET_SIZE", "2"}})).alone());
}

TEST(BrokenLaunch, NamesVariableNumbersAndWhatToDo) {
  const LaunchEnvironment none = detect_launch(srun_task());
  EXPECT_THAT(broken_launch(none, 1, ""),
              AllOf(HasSubstr("SLURM_STEP_NUM_TASKS announces 4 ranks"),
                    HasSubstr("without MPI each process sees 1"),
                    HasSubstr("srun --mpi=pmi2 for MPICH")));
  const LaunchEnvironment open_mpi =
      detect_launch({{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "0"}});
  EXPECT_THAT(broken_launch(open_mpi, 1, "MPICH 4.0.2"),
              AllOf(HasSubstr("OMPI_COMM_WORLD_SIZE announces 2 ranks but MPICH 4.0.2 sees 1"),
                    HasSubstr("mpiexec.hydra for MPICH")));
  EXPECT_THAT(broken_launch(open_mpi, 1, ""), HasSubstr("no plug-in that works for Open MPI"));
}

TEST(BrokenLaunch, ARankWithoutAnAnnouncedSizeIsEnough) {
  const LaunchEnvironment launch = detect_launch({{"PMIX_RANK", "1"}});
  EXPECT_TRUE(launch.launched());
  EXPECT_EQ(launch.announced_ranks, std::nullopt);
  EXPECT_THAT(broken_launch(launch, 1, "MPICH 4.0.2"), HasSubstr("started as rank 1"));
  EXPECT_THAT(broken_launch(launch, 2, "Open MPI 4.1.4"), IsEmpty());
}

TEST(BrokenLaunch, AllRanksFoundIsFine) {
  EXPECT_THAT(broken_launch(detect_launch(srun_task()), 4, "MPICH 4.0.2"), IsEmpty());
  // A job of several parts (srun a : b) may announce the part only.
  EXPECT_THAT(broken_launch(detect_launch(srun_task()), 8, "MPICH 4.0.2"), IsEmpty());
  const LaunchEnvironment single = detect_launch({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}});
  EXPECT_THAT(broken_launch(single, 1, ""), IsEmpty());
}

}  // namespace
}  // namespace dlbench::launchers
