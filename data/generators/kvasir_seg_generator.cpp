// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/generators/kvasir_seg_generator.h"

#include "data/datasets/kvasir_seg.h"
#include "data/for_each_sample.h"
#include "data/generators/colonoscopy_scene.h"
#include "data/generators/file_writer.h"
#include "engine/core/error.h"
#include "engine/core/rng.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace dlbench::data {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSizeStreams = 0x5349'5A45'0000'0000U;
// Kvasir-SEG's masks decode to values within 8 of 0 and 255; ours do so at quality 95. At the
// images' quality a pair has the original's 44.8 KB on average.
constexpr int kImageQuality = 80;
constexpr int kMaskQuality = 95;

struct Size {
  int width;
  int height;
};

/// The first two samples are the smallest and the largest, so that any set of two covers the range.
/// The others follow heights and widths in Kvasir-SEG's kavsir_bboxes.json (some 290 of the 1000
/// entries were counted): three recorders' crops, and 3 % frames of about 1.4 megapixels.
Size size_of_sample(std::uint64_t seed, std::int64_t sample) {
  if (sample == 0) {
    return {332, 487};
  }
  if (sample == 1) {
    return {1920, 1072};
  }
  core::RandomStream random(seed, kSizeStreams + static_cast<std::uint64_t>(sample));
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random.below(static_cast<std::uint32_t>(high - low + 1)));
  };
  const float recorder = random.uniform();
  const float crop = random.uniform();
  if (recorder < 0.76F) {
    const int height = between(526, 531);
    if (crop < 0.40F) {
      return {622, height};
    }
    if (crop < 0.56F) {
      return {570, height};
    }
    return {crop < 0.88F ? between(580, 621) : between(440, 569), height};
  }
  if (recorder < 0.89F) {
    return {626, between(546, 547)};
  }
  if (recorder < 0.97F) {
    return {between(540, 626), between(400, 525)};
  }
  return crop < 0.70F ? Size{1348, 1070} : Size{1220, 1011};
}

fs::path folder_of(const GenerateOptions& options, std::int64_t sample) {
  return options.out / name(kvasir_seg_split_of(sample, options.samples));
}

void make_folder(const fs::path& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure) {
    throw core::Error(core::ErrorCode::kFile,
                      fmt::format("cannot create '{}': {}", path.string(), failure.message()));
  }
}

struct Artist {
  ColonoscopyScene scene;
  JpegWriter writer;
};

void write_pair(const GenerateOptions& options, std::int64_t sample, Artist& artist) {
  const Size size = size_of_sample(options.seed, sample);
  draw_colonoscopy(options.seed, sample, size.height, size.width, artist.scene);
  const fs::path folder = folder_of(options, sample);
  const std::string file_name = fmt::format("{:06}.jpg", sample);
  write_file(folder / "images" / file_name,
             artist.writer.encode({artist.scene.image, size.height, size.width, 3, kImageQuality}));
  write_file(folder / "masks" / file_name,
             artist.writer.encode({artist.scene.mask, size.height, size.width, 1, kMaskQuality}));
}

}  // namespace

void generate_kvasir_seg(const GenerateOptions& options) {
  for (std::int64_t sample = 0; sample < options.samples; ++sample) {
    const fs::path folder = folder_of(options, sample);
    if (sample == 0 || folder != folder_of(options, sample - 1)) {
      make_folder(folder / "images");
      make_folder(folder / "masks");
    }
  }
  const int threads = set_up_threads(options.threads, options.samples);
  std::vector<std::unique_ptr<Artist>> artists;
  artists.reserve(static_cast<std::size_t>(threads));
  for (int thread = 0; thread < threads; ++thread) {
    artists.push_back(std::make_unique<Artist>());
  }
  for_each_sample(
      options.samples, threads, "generating kvasir-seg", [&](std::int64_t sample, int thread) {
        options.check();
        write_pair(options, sample, *artists[static_cast<std::size_t>(thread)]);
      });
}

}  // namespace dlbench::data
