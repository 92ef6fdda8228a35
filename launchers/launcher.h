// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a launcher is: how one scheduler writes a job script, submits it and names the job
// afterwards. And the registry: a launcher is one file of this folder with one LauncherRegistration
// at file scope.
#pragma once

#include "launchers/launch_request.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::launchers {

/// What `dlbench launch` must know about a scheduler besides its scripts.
struct LauncherSpec {
  std::string name;         ///< "slurm": as on the command line
  std::string description;  ///< one line
  /// Program and arguments that submit what script() returned, which they read from standard input.
  std::vector<std::string> submit_command;
  std::string partition_meaning;  ///< what --partition is called here
  bool counts_cores = false;      ///< CPUs per rank are physical cores, not hardware threads
  bool warns_ranks = false;       ///< sends SIGUSR1 launchers::warning_s() before walltime ends
  bool takes_account = true;
  bool takes_memory = true;
  bool takes_volume = false;
  bool needs_container = false;  ///< and picks no container runtime
};

/// One scheduler. Immutable: thread safe.
class Launcher {
 public:
  Launcher() = default;
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  virtual ~Launcher() = default;

  [[nodiscard]] virtual const LauncherSpec& spec() const = 0;

  /// Returns the batch script or manifest of a completed request, exactly as `submit_command` reads
  /// it. Every argument reaches dlbench byte for byte. Throws core::Error(kUsage) for what this
  /// scheduler cannot do.
  [[nodiscard]] virtual std::string script(const LaunchRequest& request) const = 0;

  /// Extracts the job's name from the output of `submit_command`; empty if it is not in there.
  [[nodiscard]] virtual std::string job_id(std::string_view printed) const = 0;
};

/// Adds a launcher at program start; a second one of the same name is a CheckFailure.
class LauncherRegistration {
 public:
  explicit LauncherRegistration(std::unique_ptr<const Launcher> launcher);
};

/// Returns the names of all launchers, sorted.
[[nodiscard]] std::vector<std::string> launcher_names();

/// Returns the launcher of that name. Throws core::Error(kUsage) that suggests the nearest name.
[[nodiscard]] const Launcher& find_launcher(std::string_view name);

}  // namespace dlbench::launchers
