// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Our side of tests/peers/loader_compare.py: loads a Kvasir-SEG folder for some seconds and prints
// one JSON line. With --generate N it makes the folder first, if it is not there.
#include "data/dataset.h"
#include "data/generators/generate.h"
#include "data/loader/prefetch_loader.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <string_view>

namespace dlbench::data {
namespace {

struct Arguments {
  std::string folder;
  DecodeMode decode = DecodeMode::kExact;
  std::int64_t generate = 0;
  std::int64_t batch_size = 8;
  std::int64_t image_size = 256;
  int workers = 1;
  int prefetch = 2;
  double seconds = 3.0;
};

void measure(const Arguments& arguments) {
  using Clock = std::chrono::steady_clock;
  const auto dataset =
      open_dataset("kvasir-seg",
                   arguments.folder,
                   Split::kTrain,
                   {.image_size = arguments.image_size, .decode = arguments.decode});
  PrefetchLoader loader(*dataset,
                        {.batch_size = arguments.batch_size,
                         .workers = arguments.workers,
                         .prefetch = arguments.prefetch});
  // One epoch fills the page cache and grows the buffers to their final size, more than the queue
  // holds; only then the clock starts.
  for (std::int64_t i = 0; i < loader.sampler().batches_per_epoch(); ++i) {
    static_cast<void>(loader.next());
  }
  loader.reset_stats();
  const auto start = Clock::now();
  double seconds = 0.0;
  std::int64_t samples = 0;
  while (seconds < arguments.seconds) {
    samples += loader.next()->samples;
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  const LoaderStats stats = loader.stats();
  const auto ms_per_sample = [&stats](double total_s) {
    return 1e3 * total_s / static_cast<double>(stats.samples_loaded);
  };
  const auto stage_ms = [&](Stage stage) {
    return ms_per_sample(stats.stage_s[static_cast<std::size_t>(stage)]);
  };
  fmt::print(
      "{{\"samples_per_s\": {:.2f}, \"cpu_ms_per_sample\": {:.4f}, \"read_ms\": {:.4f}, "
      "\"decode_ms\": {:.4f}, \"transform_ms\": {:.4f}, \"collate_ms\": {:.4f}}}\n",
      static_cast<double>(samples) / seconds,
      ms_per_sample(stats.worker_cpu_s),
      stage_ms(Stage::kRead),
      stage_ms(Stage::kDecode),
      stage_ms(Stage::kTransform),
      stage_ms(Stage::kCollate));
}

}  // namespace
}  // namespace dlbench::data

int main(int argc, char** argv) {
  dlbench::data::Arguments arguments;
  CLI::App app("loads JPEG image and mask pairs and prints samples per second as JSON");
  app.add_option("--data", arguments.folder, "folder in Kvasir-SEG's layout")->required();
  std::map<std::string_view, dlbench::data::DecodeMode> modes;
  for (const auto& mode : dlbench::data::kDecodeModes) {
    modes[mode.name] = mode.value;
  }
  app.add_option("--decode", arguments.decode)->transform(CLI::CheckedTransformer(modes));
  app.add_option("--generate", arguments.generate, "make the folder with this many samples");
  app.add_option("--batch-size", arguments.batch_size);
  app.add_option("--image-size", arguments.image_size);
  app.add_option("--workers", arguments.workers);
  app.add_option("--prefetch", arguments.prefetch);
  app.add_option("--seconds", arguments.seconds);
  try {
    app.parse(argc, argv);
    if (arguments.generate > 0) {
      dlbench::data::generate_once("kvasir-seg",
                                   {.out = arguments.folder, .samples = arguments.generate});
    }
    dlbench::data::measure(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}
