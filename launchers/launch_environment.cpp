// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "launchers/launch_environment.h"

#include "engine/core/parse_number.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace dlbench::launchers {
namespace {

using Variables = std::map<std::string, std::string>;

template <typename Number>
std::optional<Number> number_of(const Variables& variables, const char* name) {
  const auto found = variables.find(name);
  if (found == variables.end()) {
    return std::nullopt;
  }
  const auto number = core::parse_number<Number>(found->second);
  return number.has_value() && *number >= 0 ? number : std::nullopt;
}

bool has_any(const Variables& variables, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (variables.contains(name)) {
      return true;
    }
  }
  return false;
}

/// A launcher and the variables that it sets for each rank.
struct LauncherVariables {
  std::string_view launcher;
  const char* proof;  ///< present only in what this launcher started
  const char* size;
  const char* rank;
  const char* local_rank;
  MpiFamily family;  ///< kUnknown: see wire_up()
};

constexpr std::string_view kSrun = "srun";
constexpr std::string_view kFlux = "flux run";
constexpr std::string_view kTorchrun = "torchrun";

// Launchers that start ranks inside something else come first: the ranks of an mpiexec inherit the
// variables of its batch job. srun --mpi=pmi2 and Flux set PMI_SIZE too, so hydra has its own
// proof.
constexpr std::array<LauncherVariables, 9> kLaunchers{{
    {.launcher = kTorchrun,  // first: each task of a step may be one
     .proof = "TORCHELASTIC_RUN_ID",
     .size = "WORLD_SIZE",
     .rank = "RANK",
     .local_rank = "LOCAL_RANK",
     .family = MpiFamily::kUnknown},
    {.launcher = "jsrun",  // before mpirun: it also sets OMPI_COMM_WORLD_*
     .proof = "JSM_NAMESPACE_RANK",
     .size = "JSM_NAMESPACE_SIZE",
     .rank = "JSM_NAMESPACE_RANK",
     .local_rank = "JSM_NAMESPACE_LOCAL_RANK",
     .family = MpiFamily::kOpenMpi},
    {.launcher = "mpirun",
     .proof = "OMPI_COMM_WORLD_RANK",
     .size = "OMPI_COMM_WORLD_SIZE",
     .rank = "OMPI_COMM_WORLD_RANK",
     .local_rank = "OMPI_COMM_WORLD_LOCAL_RANK",
     .family = MpiFamily::kOpenMpi},
    {.launcher = "mpirun_rsh",
     .proof = "MV2_COMM_WORLD_RANK",
     .size = "MV2_COMM_WORLD_SIZE",
     .rank = "MV2_COMM_WORLD_RANK",
     .local_rank = "MV2_COMM_WORLD_LOCAL_RANK",
     .family = MpiFamily::kMpich},
    {.launcher = "mpiexec",  // hydra: MPICH, Intel MPI
     .proof = "MPI_LOCALRANKID",
     .size = "PMI_SIZE",
     .rank = "PMI_RANK",
     .local_rank = "MPI_LOCALRANKID",
     .family = MpiFamily::kMpich},
    {.launcher = "mpiexec",  // PALS of HPE Cray
     .proof = "PALS_RANKID",
     .size = "PMI_SIZE",
     .rank = "PALS_RANKID",
     .local_rank = "PALS_LOCAL_RANKID",
     .family = MpiFamily::kMpich},
    {.launcher = kFlux,
     .proof = "FLUX_TASK_RANK",
     .size = "FLUX_JOB_SIZE",
     .rank = "FLUX_TASK_RANK",
     .local_rank = "FLUX_TASK_LOCAL_ID",
     .family = MpiFamily::kUnknown},
    {.launcher = kSrun,  // see is_srun_task()
     .proof = "SLURM_STEP_ID",
     .size = "SLURM_STEP_NUM_TASKS",
     .rank = "SLURM_PROCID",
     .local_rank = "SLURM_LOCALID",
     .family = MpiFamily::kUnknown},
    {.launcher = "mpiexec",
     .proof = "PMI_RANK",
     .size = "PMI_SIZE",
     .rank = "PMI_RANK",
     .local_rank = "PMI_LOCAL_RANK",
     .family = MpiFamily::kMpich},
}};

/// Returns the MPI family offered in this launch by a launcher that serves several. OMPI_MCA_* say
/// nothing, because Flux sets them for every program.
MpiFamily wire_up(const Variables& variables) {
  if (has_any(variables, {"PMIX_RANK", "PMIX_NAMESPACE"})) {
    return MpiFamily::kOpenMpi;
  }
  // PMI_CONTROL_PORT: Slurm's plug-in for Cray MPICH sets no PMI_SIZE.
  if (has_any(variables, {"PMI_SIZE", "PMI_RANK", "PMI_FD", "PMI_CONTROL_PORT"})) {
    return MpiFamily::kMpich;
  }
  return MpiFamily::kUnknown;
}

/// Whether srun started this process. A batch script and the shell of salloc also have SLURM_PROCID
/// and SLURM_NTASKS but are one process; the former has no step, the latter a step number from the
/// top of the range that Slurm reserves for such steps.
bool is_srun_task(const Variables& variables) {
  constexpr std::uint32_t kFirstReservedStep = 0xfffffff0;
  const auto step = number_of<std::uint32_t>(variables, "SLURM_STEP_ID");
  return step.has_value() && *step < kFirstReservedStep && variables.contains("SLURM_PROCID");
}

/// Returns the first launcher that started this process. Among launchers of MPI programs the
/// nesting is unknown: one that announces several ranks is preferred to one that announces only
/// this process, whose variables a shell or notebook may have left behind.
const LauncherVariables* find_launcher(const Variables& variables) {
  const LauncherVariables* first = nullptr;
  for (const LauncherVariables& candidate : kLaunchers) {
    const bool scheduler = candidate.launcher == kSrun || candidate.launcher == kFlux;
    if (first != nullptr && scheduler) {
      break;
    }
    if (candidate.launcher == kSrun ? !is_srun_task(variables)
                                    : !variables.contains(candidate.proof)) {
      continue;
    }
    const int ranks = number_of<int>(variables, candidate.size).value_or(0);
    if (first == nullptr) {
      first = &candidate;
    } else if (ranks > 1) {
      return &candidate;
    }
    if (scheduler || ranks != 1) {
      break;
    }
  }
  return first;
}

void add_idle_allocation(const Variables& variables, LaunchEnvironment& launch) {
  for (const char* size : {"SLURM_NTASKS", "LSB_DJOB_NUMPROC", "PBS_NP"}) {
    const auto tasks = number_of<int>(variables, size);
    if (tasks.value_or(0) > 1) {
      launch.idle_allocation = tasks;
      launch.idle_allocation_source = size;
      return;
    }
  }
}

std::string advice(const LaunchEnvironment& launch, std::string_view mpi) {
  if (!launch.serves_mpi) {
    return "ranks of dlbench meet by MPI: start with mpirun, mpiexec or srun";
  }
  if (launch.launcher == kSrun) {
    return launch.mpi_family == MpiFamily::kUnknown
               ? "start with srun --mpi=pmi2 for MPICH or --mpi=pmix for Open MPI "
                 "(srun --mpi=list shows what there is)"
               : "start with the --mpi of srun that this MPI speaks: pmi2 for MPICH, pmix for Open "
                 "MPI";
  }
  if (mpi.empty()) {
    return fmt::format(
        "this dlbench has no plug-in that works for {}",
        launch.mpi_family == MpiFamily::kUnknown ? "this launcher's MPI" : name(launch.mpi_family));
  }
  return fmt::format(
      "start with the launcher that belongs to {}: mpiexec.hydra for MPICH, "
      "mpirun.openmpi for Open MPI",
      mpi);
}

}  // namespace

std::string_view name(MpiFamily family) {
  switch (family) {
    case MpiFamily::kMpich:
      return "MPICH";
    case MpiFamily::kOpenMpi:
      return "Open MPI";
    case MpiFamily::kUnknown:
      return "unknown";
    case MpiFamily::kNone:
      break;
  }
  return "none";
}

LaunchEnvironment detect_launch(const Variables& variables) {
  LaunchEnvironment launch;
  if (const LauncherVariables* const found = find_launcher(variables); found != nullptr) {
    launch.launcher = found->launcher;
    launch.one_of_several_jobs =
        found->launcher == kSrun && number_of<int>(variables, "SLURM_HET_SIZE").value_or(1) > 1;
    launch.announced_ranks = number_of<int>(variables, found->size);
    launch.source = launch.announced_ranks.has_value() ? found->size : "";
    launch.rank = number_of<int>(variables, found->rank);
    launch.local_rank = number_of<int>(variables, found->local_rank);
    launch.serves_mpi = found->launcher != kTorchrun;
    launch.mpi_family = found->family == MpiFamily::kUnknown ? wire_up(variables) : found->family;
    return launch;
  }
  if (const auto rank = number_of<int>(variables, "PMIX_RANK"); rank.has_value()) {
    // A bare PMIx server gives a rank its number, but the size only through its library.
    launch.launcher = "prterun";
    launch.rank = rank;
    launch.mpi_family = MpiFamily::kOpenMpi;
    return launch;
  }
  add_idle_allocation(variables, launch);
  return launch;
}

std::string broken_launch(const LaunchEnvironment& launch, int mpi_size, std::string_view mpi) {
  const std::string found = fmt::format(
      "{} {}",
      mpi.empty() ? std::string("without MPI each process sees") : fmt::format("{} sees", mpi),
      mpi_size);
  if (launch.announced_ranks.value_or(0) > mpi_size) {
    return fmt::format("{} announces {} ranks but {}: {} started separate runs; {}",
                       launch.source,
                       *launch.announced_ranks,
                       found,
                       launch.launcher,
                       advice(launch, mpi));
  }
  if (launch.rank.value_or(0) >= mpi_size) {
    return fmt::format("this process was started as rank {} but {}: {} started separate runs; {}",
                       *launch.rank,
                       found,
                       launch.launcher,
                       advice(launch, mpi));
  }
  if (!launch.serves_mpi) {
    return fmt::format("{} started this process, and its ranks cannot find each other; {}",
                       launch.launcher,
                       advice(launch, mpi));
  }
  return {};
}

std::string idle_allocation_hint(const LaunchEnvironment& launch) {
  if (!launch.idle_allocation.has_value()) {
    return {};
  }
  return fmt::format(
      "{} is {}, but this is one process: use srun or mpiexec to start that many ranks",
      launch.idle_allocation_source,
      *launch.idle_allocation);
}

// Only up to Slurm 22.05 srun takes --cpus-per-task from sbatch; the variable is still set.
std::string lost_cpus_hint(const Variables& variables, int usable_cpus) {
  constexpr const char* kAsked = "SLURM_CPUS_PER_TASK";
  const std::optional<int> asked = number_of<int>(variables, kAsked);
  if (asked.value_or(0) <= usable_cpus) {
    return {};
  }
  return fmt::format(
      "{} is {}, but this process may use {}: give --cpus-per-task to srun too, or bind no tighter",
      kAsked,
      *asked,
      usable_cpus == 1 ? std::string("one CPU") : fmt::format("{} CPUs", usable_cpus));
}

}  // namespace dlbench::launchers
