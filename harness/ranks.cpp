// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ranks.h"

#include "engine/core/environment.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/plugin.h"
#include "launchers/launch_environment.h"

#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

std::string library_of(launchers::MpiFamily family) {
  return family == launchers::MpiFamily::kOpenMpi ? "openmpi" : "mpich";
}

// "<code> <message>" of a failure, empty for none, as ranks exchange it.
std::string encode(const std::optional<Error>& error) {
  return error.has_value() ? std::to_string(static_cast<int>(error->code())) + " " + error->what()
                           : "";
}

Error decode(const std::string& text, int rank, bool on_all) {
  const std::size_t space = text.find(' ');
  const auto code = static_cast<ErrorCode>(std::stoi(text.substr(0, space)));
  const std::string message = text.substr(space + 1);
  return {code, on_all ? message : "[rank " + std::to_string(rank) + "] " + message};
}

}  // namespace

int announced_rank() { return launchers::detect_launch(core::environment()).rank.value_or(0); }

bool of_several_ranks() {
  return launchers::detect_launch(core::environment()).announced_ranks.value_or(1) > 1;
}

std::unique_ptr<comm::Rendezvous> join_launch() {
  const launchers::LaunchEnvironment launch = launchers::detect_launch(core::environment());
  if (launch.alone()) {
    if (const std::string hint = launchers::idle_allocation_hint(launch); !hint.empty()) {
      core::log::warn(hint);
    }
    return std::make_unique<comm::LoneRank>();
  }
  if (!launch.serves_mpi) {
    throw BrokenLaunch(broken_launch(launch, 1, ""));
  }
  const std::string name = library_of(launch.mpi_family);
  const core::PluginStatus plugin = core::load_plugin("mpi_" + name);
  if (!plugin.loaded) {
    if (launch.announced_ranks.value_or(1) > 1) {
      throw BrokenLaunch(broken_launch(launch, 1, "") + " (no MPI plug-in: " + plugin.reason + ")");
    }
    return std::make_unique<comm::LoneRank>();
  }
  std::unique_ptr<comm::Rendezvous> ranks = comm::connect(name);
  if (const std::string broken = broken_launch(launch, ranks->size(), ranks->library());
      !broken.empty()) {
    throw BrokenLaunch(broken);
  }
  return ranks;
}

void together(comm::Rendezvous& ranks, const std::function<void()>& work) {
  std::optional<Error> failure;
  try {
    work();
  } catch (const Error& error) {
    failure = error;
  }
  if (ranks.size() == 1) {
    if (failure.has_value()) {
      throw Error(*failure);
    }
    return;
  }
  const std::vector<std::string> texts = ranks.gather(encode(failure));
  std::string verdict;
  for (std::size_t rank = 0; rank < texts.size() && verdict.empty(); ++rank) {
    if (!texts[rank].empty()) {
      verdict = std::to_string(rank) + " " + texts[rank];
    }
  }
  verdict = ranks.broadcast_text(verdict);
  if (!verdict.empty()) {
    const std::size_t space = verdict.find(' ');
    const int rank = std::stoi(verdict.substr(0, space));
    throw decode(verdict.substr(space + 1), rank, rank == 0);
  }
}

}  // namespace dlbench::harness
