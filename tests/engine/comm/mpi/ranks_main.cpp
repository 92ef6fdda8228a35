// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Usage: mpiexec.hydra -n 4 comm_mpi_test mpich [GoogleTest options]
#include "engine/core/plugin.h"
#include "tests/engine/comm/mpi/ranks.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>

namespace dlbench::comm::mpi {
namespace {

std::unique_ptr<Rendezvous> launch;

/// Failures of ranks above 0, whose own printer is silent.
class RankPrinter final : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed()) {
      std::fprintf(stderr,
                   "[rank %d] %s:%d: %s\n",
                   launch->rank(),
                   result.file_name() == nullptr ? "" : result.file_name(),
                   result.line_number(),
                   result.message());
    }
  }
};

int run(const std::string& family) {
  const core::PluginStatus plugin = core::load_plugin("mpi_" + family);
  if (!plugin.loaded) {
    std::fprintf(stderr, "%s\n", plugin.reason.c_str());
    return 1;
  }
  launch = connect(family);
  launch->set_timeout(120.0);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (launch->rank() > 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new RankPrinter);
  }
  double failed = RUN_ALL_TESTS() == 0 ? 0.0 : 1.0;
  double total = 0.0;
  for (const double each : launch->all_gather(failed)) {
    total += each;
  }
  launch.reset();
  return total == 0.0 ? 0 : 1;
}

}  // namespace

Rendezvous& ranks() { return *launch; }

}  // namespace dlbench::comm::mpi

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: comm_mpi_test mpich|openmpi\n");
    return 2;
  }
  try {
    return dlbench::comm::mpi::run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
