// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Our all-reduce against the library's blocking MPI_Allreduce, and against MPI_Iallreduce with a
// wait that yields: in turns, size by size, in one launch. All three sum the same f32 in place;
// ours also from memory outside of its windows ("copied").
//
// Usage: mpiexec.hydra -n 2 all_reduce_benchmark_mpich mpich [ROUNDS]
#include "engine/backend/host_stream.h"
#include "engine/comm/check_pattern.h"
#include "engine/comm/rendezvous.h"
#include "engine/core/plugin.h"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dlbench::comm {
namespace {

using Clock = std::chrono::steady_clock;

struct Contestant {
  const char* name;
  std::byte* data;
  std::function<void(std::size_t count)> all_reduce;
  std::vector<double> call_s;  // of the slowest rank
};

void mpi_blocking(std::byte* data, std::size_t count) {
  MPI_Allreduce(MPI_IN_PLACE, data, static_cast<int>(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

void mpi_yielding(std::byte* data, std::size_t count) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(
      MPI_IN_PLACE, data, static_cast<int>(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
  int done = 0;
  while (done == 0) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    sched_yield();
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// One round of calls without a pause, after two that are not timed.
void run_round(Rendezvous& ranks, Contestant& contestant, std::size_t count, int calls) {
  std::memset(contestant.data, 0, count * 4);
  ranks.barrier();
  contestant.all_reduce(count);
  contestant.all_reduce(count);
  auto last = Clock::now();
  std::vector<double> own;
  for (int i = 0; i < calls; ++i) {
    contestant.all_reduce(count);
    const auto now = Clock::now();
    own.push_back(std::chrono::duration<double>(now - last).count());
    last = now;
  }
  const std::string mine(reinterpret_cast<const char*>(own.data()), own.size() * sizeof(double));
  std::vector<double> slowest(own.size(), 0.0);
  for (const std::string& text : ranks.gather(mine)) {
    std::memcpy(own.data(), text.data(), text.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      slowest[i] = std::max(slowest[i], own[i]);
    }
  }
  contestant.call_s.insert(contestant.call_s.end(), slowest.begin(), slowest.end());
}

bool is_right(Contestant& contestant, std::size_t count, Rendezvous& ranks) {
  const PatternRange all{.data = contestant.data, .end = count};
  fill_pattern(all, ranks.rank());
  contestant.all_reduce(count);
  return count_wrong_sums(all, ranks.size()) == 0;
}

int run(const std::string& family, int rounds) {
  const core::PluginStatus plugin = core::load_plugin("mpi_" + family);
  if (!plugin.loaded) {
    std::fprintf(stderr, "%s\n", plugin.reason.c_str());
    return 1;
  }
  const std::unique_ptr<Rendezvous> ranks = connect(family);
  const std::unique_ptr<Communicator> communicator = ranks->create_host_communicator();
  const auto backend = backend::create_backend("ref", {.threads = 1});
  backend::HostStream stream;
  constexpr std::size_t kLargest = std::size_t{64} << 20;
  const auto window = communicator->allocate(*backend, kLargest);
  const auto plain = backend->allocate(kLargest);
  const auto ours = [&](std::byte* data) {
    return [&, data](std::size_t count) {
      communicator->all_reduce({.data = data, .count = count}, stream);
    };
  };
  using std::placeholders::_1;
  std::vector<Contestant> contestants{
      {"MPI_Allreduce", plain->data(), std::bind(mpi_blocking, plain->data(), _1), {}},
      {"Iallreduce+yield", plain->data(), std::bind(mpi_yielding, plain->data(), _1), {}},
      {"dlbench", window->data(), ours(window->data()), {}},
      {"dlbench, copied", plain->data(), ours(plain->data()), {}}};
  bool right = true;
  if (ranks->rank() == 0) {
    std::printf("%s, %d ranks: median us per call of the slowest rank (ratio to MPI_Allreduce)\n",
                ranks->library().c_str(),
                ranks->size());
  }
  for (std::size_t bytes = 1024; bytes <= kLargest; bytes *= 4) {
    for (Contestant& each : contestants) {
      each.call_s.clear();
      right = is_right(each, bytes / 4, *ranks) && right;
    }
    for (int round = 0; round < rounds; ++round) {
      for (Contestant& each : contestants) {
        run_round(*ranks, each, bytes / 4, 4);
      }
    }
    if (ranks->rank() == 0) {
      std::printf("%10zu B", bytes);
      for (const Contestant& each : contestants) {
        const double time = median(each.call_s);
        std::printf(
            "  %s %.1f (%.2fx)", each.name, time * 1e6, median(contestants.front().call_s) / time);
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  }
  if (!right) {
    std::fprintf(stderr, "rank %d: wrong sums\n", ranks->rank());
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace dlbench::comm

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: all_reduce_benchmark mpich|openmpi [ROUNDS]\n");
    return 2;
  }
  try {
    return dlbench::comm::run(argv[1], argc == 3 ? std::atoi(argv[2]) : 5);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
