// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the environment tells about how this process was started: by which parallel launcher, as
// which of how many ranks, and for which MPI. Pure functions of the variables; nothing calls MPI.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace dlbench::launchers {

/// The MPI families, by the protocol with which a launcher connects its ranks.
enum class MpiFamily : std::uint8_t {
  kNone,     ///< no launcher: one process, no MPI needed
  kMpich,    ///< PMI: MPICH, Intel MPI, Cray MPICH, MVAPICH
  kOpenMpi,  ///< PMIx or Open MPI's own: Open MPI, Spectrum MPI
  kUnknown,  ///< a launcher that offers none of them, such as srun --mpi=none
};

/// "none", "MPICH", "Open MPI", "unknown".
[[nodiscard]] std::string_view name(MpiFamily family);

/// How this process was started.
struct LaunchEnvironment {
  std::string launcher;                ///< "srun", "mpiexec", "mpirun", "jsrun", "flux run", ...
  std::optional<int> announced_ranks;  ///< processes the launcher started together
  std::string source;                  ///< the variable that says so; empty without one
  std::optional<int> rank;             ///< of this process, among announced_ranks
  std::optional<int> local_rank;       ///< among the ranks of its node
  MpiFamily mpi_family = MpiFamily::kNone;
  bool serves_mpi = true;  ///< false: of torchrun, below which MPI must not be asked: what a task
                           ///< around it has of MPI, all its processes inherit

  /// Tasks of a batch job whose script this process was started from without a launcher: one
  /// process where the job has room for more. No broken launch, but perhaps a forgotten srun.
  std::optional<int> idle_allocation;
  std::string idle_allocation_source;

  bool one_of_several_jobs = false;  ///< a component of a heterogeneous Slurm job, which has ranks
                                     ///< that announced_ranks does not count

  [[nodiscard]] bool launched() const { return mpi_family != MpiFamily::kNone; }
  /// Whether this is the only process, whoever started it. It needs no MPI. A launcher's task that
  /// runs several programs in sequence could not use MPI in the second: the end of the first
  /// program has closed the connection to the launcher.
  [[nodiscard]] bool alone() const {
    return !launched() || (announced_ranks == 1 && !one_of_several_jobs);
  }
};

/// Reads the variables of torchrun (which starts no MPI programs: such a launch is a broken one),
/// jsrun, Open MPI, MVAPICH, MPICH's hydra, PALS, Flux, Slurm and plain PMI or PMIx, in this order:
/// an mpiexec inside of a batch job inherits the scheduler's variables, never the other way round.
/// The size of an allocation (sbatch's SLURM_NTASKS, LSF's LSB_DJOB_NUMPROC, PBS's PBS_NP) is no
/// announcement: the script itself is one process. Numbers that are none are ignored.
[[nodiscard]] LaunchEnvironment detect_launch(const std::map<std::string, std::string>& variables);

/// One line if fewer ranks found each other than were started, so that each would measure on its
/// own and overwrite the others' report: the variable, both numbers, what to do. Empty if all is
/// well. `mpi_size`: ranks that MPI sees, 1 without MPI. `mpi`: what was asked for that number,
/// such as "MPICH 4.0.2"; empty if no MPI was loaded.
[[nodiscard]] std::string broken_launch(const LaunchEnvironment& launch,
                                        int mpi_size,
                                        std::string_view mpi);

/// One line for a process that sits alone in an allocation for more; empty if it does not.
[[nodiscard]] std::string idle_allocation_hint(const LaunchEnvironment& launch);

/// One line for a task that may use fewer CPUs than its job asked for each; empty if it may use as
/// many.
[[nodiscard]] std::string lost_cpus_hint(const std::map<std::string, std::string>& variables,
                                         int usable_cpus);

}  // namespace dlbench::launchers
