// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A step that has run once allocates nothing of its own. The global operator new counts. oneDNN 2.x
// copies the arguments of each execution into a small map of its own: those few nodes per
// primitive, below 512 bytes each, are the library's and are counted apart.
#include "engine/backend/backend.h"
#include "engine/comm/self.h"
#include "engine/exec/executor.h"
#include "workloads/workload.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

namespace {

constexpr std::size_t kLibraryNode = 512;

std::atomic<bool> counting{false};
std::atomic<long> small_allocations{0};
std::atomic<long> large_allocations{0};

void* count_and_allocate(std::size_t bytes) {
  if (counting.load(std::memory_order_relaxed)) {
    (bytes < kLibraryNode ? small_allocations : large_allocations).fetch_add(1);
  }
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) {
    return memory;
  }
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return count_and_allocate(bytes); }
void* operator new[](std::size_t bytes) { return count_and_allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

namespace dlbench {
namespace {

TEST(CpuSteadyState, StepsAllocateNothing) {
  const auto& workload = workloads::find_workload("mnist_cnn");
  const auto built = workload.build({.batch_size = 4, .image_size = 28}, graph::Mode::kTrain);
  const graph::Graph graph = workloads::training_graph(workload.spec(), built, core::DType::kF32);
  const auto backend = backend::create_backend("cpu", {.threads = 1});
  exec::ModelState state(*backend, graph, 1);
  comm::SelfCommunicator self;
  exec::ExecutorOptions options;
  options.lowering.autotune = false;
  exec::Executor executor(*backend, state, self, graph, options);
  std::vector<core::HostTensor> inputs;
  for (const graph::ValueId id : graph.inputs()) {
    const graph::Value& value = graph.value(id);
    inputs.emplace_back(value.dtype, value.shape);
    executor.bind_input(value.name, inputs.back().data(), inputs.back().bytes());
  }
  executor.run();
  long library_nodes = 0;
  for (const auto& node : executor.lowered().nodes) {
    library_nodes += node.kernel_name.starts_with("onednn:") ? 1 : 0;
  }
  counting = true;
  executor.run();
  counting = false;
  EXPECT_EQ(large_allocations.load(), 0);
  // A map of at most eight arguments per primitive, its nodes and buckets.
  EXPECT_LE(small_allocations.load(), library_nodes * 16);
  RecordProperty("library_nodes", static_cast<int>(library_nodes));
  RecordProperty("small_allocations", static_cast<int>(small_allocations.load()));
  std::printf("%ld primitives, %ld small allocations inside the library\n",
              library_nodes,
              small_allocations.load());
}

}  // namespace
}  // namespace dlbench
