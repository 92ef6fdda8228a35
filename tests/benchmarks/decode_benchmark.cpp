// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoders and the resizer on pictures of the data set's usual sizes.
#include "data/decoders/image.h"
#include "data/generators/colonoscopy_scene.h"
#include "data/generators/file_writer.h"
#include "data/transforms/resize.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace dlbench::data {
namespace {

struct Files {
  std::vector<std::byte> image;
  std::vector<std::byte> mask;
  ColonoscopyScene scene;
};

Files make_files(int height, int width) {
  Files files;
  draw_colonoscopy(1, 7, height, width, files.scene);
  JpegWriter writer;
  const auto image = writer.encode({files.scene.image, height, width, 3, 80});
  files.image.assign(image.begin(), image.end());
  const auto mask = writer.encode({files.scene.mask, height, width, 1, 95});
  files.mask.assign(mask.begin(), mask.end());
  return files;
}

void decode(benchmark::State& state,
            const std::vector<std::byte>& file,
            const DecodeRequest& request) {
  ImageDecoder decoder;
  for (auto _ : state) {
    ImageRows& image = decoder.decode(file, "benchmark", request);
    for (std::int64_t y = 0; y < image.height(); ++y) {
      benchmark::DoNotOptimize(image.row(y));
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.size()));
  state.counters["pixels_per_s"] =
      benchmark::Counter(static_cast<double>(state.range(0) * state.range(1)) *
                             static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

void decode_jpeg_exact(benchmark::State& state) {
  decode(state,
         make_files(static_cast<int>(state.range(0)), static_cast<int>(state.range(1))).image,
         {});
}

void decode_jpeg_scaled(benchmark::State& state) {
  decode(state,
         make_files(static_cast<int>(state.range(0)), static_cast<int>(state.range(1))).image,
         {.min_height = 256, .min_width = 256});
}

void decode_jpeg_mask(benchmark::State& state) {
  decode(state,
         make_files(static_cast<int>(state.range(0)), static_cast<int>(state.range(1))).mask,
         {.channels = 1});
}

void resize_to_256(benchmark::State& state) {
  const auto height = state.range(0);
  const auto width = state.range(1);
  const auto channels = state.range(2);
  std::vector<std::uint8_t> image(static_cast<std::size_t>(height * width * channels) + 128, 99);
  std::vector<std::uint8_t> out(static_cast<std::size_t>(256 * 256 * channels));
  BilinearResizer resizer;
  PixelRows rows({image.data(), height, width, channels});
  for (auto _ : state) {
    resizer.resize(rows, 256, 256, out);
    benchmark::DoNotOptimize(out.data());
  }
}

BENCHMARK(decode_jpeg_exact)->Args({531, 622})->Args({1072, 1920})->Unit(benchmark::kMicrosecond);
BENCHMARK(decode_jpeg_scaled)->Args({531, 622})->Args({1072, 1920})->Unit(benchmark::kMicrosecond);
BENCHMARK(decode_jpeg_mask)->Args({531, 622})->Args({1072, 1920})->Unit(benchmark::kMicrosecond);
BENCHMARK(resize_to_256)
    ->Args({531, 622, 3})
    ->Args({531, 622, 1})
    ->Args({1072, 1920, 3})
    ->Args({512, 512, 3})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace dlbench::data
