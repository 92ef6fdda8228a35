// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The MPI plug-in: built once per MPI library, under different names (DLBENCH_MPI_FAMILY).
#include "engine/core/plugin.h"

#include "engine/comm/mpi/mpi_rendezvous.h"
#include "engine/comm/rendezvous.h"

#include "build_id.h"

#include <cstdlib>
#include <memory>

namespace dlbench::comm::mpi {
namespace {

std::unique_ptr<Rendezvous> connect_ranks() {
  // For tests: groups of this many ranks of one machine behave as if each were a separate node.
  const char* ranks_per_node = std::getenv("DLBENCH_TEST_RANKS_PER_NODE");
  return MpiRendezvous::start(ranks_per_node == nullptr ? 0 : std::atoi(ranks_per_node));
}

void register_all() {
  register_launch_library({.name = DLBENCH_MPI_FAMILY, .connect = connect_ranks});
}

}  // namespace
}  // namespace dlbench::comm::mpi

extern "C" const dlbench::core::PluginInfo* dlbench_plugin() {
  static const dlbench::core::PluginInfo info{.build_id = DLBENCH_BUILD_ID,
                                              .name = "mpi_" DLBENCH_MPI_FAMILY,
                                              .register_all = dlbench::comm::mpi::register_all};
  return &info;
}
