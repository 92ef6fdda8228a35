// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The loader itself: what a batch of ready-made samples costs, and the MNIST path.
#include "data/dataset.h"
#include "data/generators/generate.h"
#include "data/loader/prefetch_loader.h"
#include "tests/temporary_folder.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

namespace dlbench::data {
namespace {

/// A generated data set in a temporary folder that lives as long as the program.
class GeneratedFolder : public tests::TemporaryFolder {
 public:
  GeneratedFolder(const std::string& dataset, std::int64_t samples) {
    generate(dataset, {.out = path(), .samples = samples});
  }
};

void load(benchmark::State& state, const Dataset& dataset, std::int64_t batch_size) {
  PrefetchLoader loader(dataset,
                        {.batch_size = batch_size, .workers = static_cast<int>(state.range(0))});
  for (int i = 0; i < 4; ++i) {
    static_cast<void>(loader.next());  // more than the queue holds
  }
  std::int64_t samples = 0;
  for (auto _ : state) {
    samples += loader.next()->samples;
  }
  state.SetItemsProcessed(samples);
}

void load_mnist_batch_64(benchmark::State& state) {
  static const GeneratedFolder folder("mnist", 6000);
  const auto dataset = open_dataset("mnist", folder.path(), Split::kTrain);
  load(state, *dataset, 64);
}

void load_kvasir_seg_batch_8(benchmark::State& state) {
  static const GeneratedFolder folder("kvasir-seg", 80);
  const auto dataset = open_dataset("kvasir-seg", folder.path(), Split::kTrain);
  load(state, *dataset, 8);
}

BENCHMARK(load_mnist_batch_64)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(load_kvasir_seg_batch_8)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dlbench::data
