// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/datasets/kvasir_seg.h"

#include "data/datasets/image_mask_pairs.h"
#include "data/decoders/image.h"
#include "data/generators/kvasir_seg_generator.h"
#include "data/transforms/resize.h"
#include "data/transforms/threshold.h"
#include "engine/core/check.h"
#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace dlbench::data {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;

constexpr std::int64_t kDefaultImageSize = 256;
constexpr std::int64_t kMaxImageSize = 4096;
constexpr std::uint8_t kMaskThreshold = 128;  // 0.5 of 255, rounded up
constexpr const char* kLayout = "{train,valid,test}/{images,masks}/ or images/ and masks/";

bool is_folder(const fs::path& path) {
  std::error_code ignored;  // what cannot be examined is reported when it is opened
  return fs::is_directory(path, ignored);
}

bool has_split_folders(const fs::path& folder) {
  return is_folder(folder / "train") || is_folder(folder / "valid") || is_folder(folder / "test");
}

std::vector<ImageMaskPair> cut(std::vector<ImageMaskPair> pairs, Split split) {
  const auto count = static_cast<std::int64_t>(pairs.size());
  std::vector<ImageMaskPair> part;
  for (std::int64_t index = 0; index < count; ++index) {
    if (kvasir_seg_split_of(index, count) == split) {
      part.push_back(std::move(pairs[static_cast<std::size_t>(index)]));
    }
  }
  return part;
}

std::vector<ImageMaskPair> find_split(const fs::path& folder,
                                      Split split,
                                      const DatasetOptions& options) {
  std::vector<ImageMaskPair> pairs;
  if (has_split_folders(folder)) {
    const fs::path part = folder / std::string(name(split));
    if (!is_folder(part)) {
      throw MissingSplit(fmt::format("'{}' has no folder '{}'; wanted {}/{{images,masks}}/ in it",
                                     folder.string(),
                                     name(split),
                                     name(split)));
    }
    pairs = find_pairs(part, options.problems);
  } else if (is_folder(folder / "images") || is_folder(folder / "masks")) {
    pairs = cut(find_pairs(folder, options.problems), split);
  } else {
    throw Error(
        ErrorCode::kData,
        fmt::format("'{}' holds no kvasir-seg data: wanted {} in it", folder.string(), kLayout));
  }
  if (pairs.empty() && options.problems == nullptr) {
    throw MissingSplit(fmt::format("no samples for '{}' in '{}'", name(split), folder.string()));
  }
  return pairs;
}

// Both are stretched to one size: if they differed, the mask would mark other places.
void check_same_size(const ImageMaskPair& pair, const ImageHeader& image, const ImageHeader& mask) {
  if (mask.height != image.height || mask.width != image.width) {
    throw Error(ErrorCode::kData,
                fmt::format("'{}' is {} x {}, but its mask '{}' is {} x {}: they do not lie on "
                            "each other",
                            pair.image.string(),
                            image.width,
                            image.height,
                            pair.mask.string(),
                            mask.width,
                            mask.height));
  }
}

std::span<std::uint8_t> pixels_of(std::span<std::byte> row) {
  return {reinterpret_cast<std::uint8_t*>(row.data()), row.size()};
}

class KvasirSegReader final : public SampleReader {
 public:
  KvasirSegReader(const std::vector<ImageMaskPair>& pairs,
                  std::int64_t image_size,
                  const DatasetOptions& options)
      : pairs_(pairs), image_size_(image_size) {
    request_.max_pixels = options.max_pixels;
    if (options.decode == DecodeMode::kScaled) {
      request_.min_height = image_size;
      request_.min_width = image_size;
    }
  }

  void load(std::int64_t index,
            LoadContext& context,
            std::span<const std::span<std::byte>> rows) override {
    const ImageMaskPair& pair = pairs_.at(static_cast<std::size_t>(index));
    DLBENCH_CHECK(rows.size() == 2);
    const ImageHeader image = load_resized(pair.image, 3, context, rows[0]);
    const ImageHeader mask = load_resized(pair.mask, 1, context, rows[1]);
    check_same_size(pair, image, mask);
    const LoadContext::StageTimer timer(context, Stage::kTransform);
    threshold(pixels_of(rows[1]), kMaskThreshold);
  }

 private:
  // Returns the size in the file.
  ImageHeader load_resized(const fs::path& path,
                           std::int64_t channels,
                           LoadContext& context,
                           std::span<std::byte> row) {
    const std::span<const std::byte> file = context.read_file(path);
    request_.channels = channels;
    ImageHeader header;
    ImageRows* image = nullptr;
    {
      const LoadContext::StageTimer timer(context, Stage::kDecode);
      header = decoder_.read_header(file, path);
      image = &decoder_.decode(file, path, request_);
    }
    const LoadContext::StageTimer timer(context, Stage::kTransform);
    resizer_.resize(*image, image_size_, image_size_, pixels_of(row));
    return header;
  }

  const std::vector<ImageMaskPair>& pairs_;
  std::int64_t image_size_;
  DecodeRequest request_;
  ImageDecoder decoder_;
  BilinearResizer resizer_;
};

class KvasirSeg final : public Dataset {
 public:
  KvasirSeg(std::vector<ImageMaskPair> pairs, std::int64_t image_size, DatasetOptions options)
      : pairs_(std::move(pairs)), image_size_(image_size), options_(options) {
    options_.problems = nullptr;  // the caller's list is for opening only
    spec_.name = "kvasir-seg";
    spec_.format = "JPEG/PNG pairs of image and mask";
    spec_.libraries = image_libraries();
    spec_.scaled_decoding = std::ranges::any_of(pairs_, [](const ImageMaskPair& pair) {
      return is_jpeg_name(pair.image) || is_jpeg_name(pair.mask);
    });
    spec_.tensors = {{"image", Role::kInput, core::DType::kU8, {image_size, image_size, 3}},
                     {"mask", Role::kTarget, core::DType::kU8, {image_size, image_size}}};
  }

  [[nodiscard]] const DatasetSpec& spec() const override { return spec_; }
  [[nodiscard]] std::int64_t size() const override {
    return static_cast<std::int64_t>(pairs_.size());
  }
  [[nodiscard]] std::string sample_name(std::int64_t index) const override {
    return pairs_.at(static_cast<std::size_t>(index)).stem;
  }

  [[nodiscard]] SampleInfo describe(std::int64_t index) const override {
    const ImageMaskPair& pair = pairs_.at(static_cast<std::size_t>(index));
    WorkerCounters counters;
    LoadContext context(counters, {});
    ImageDecoder decoder;
    const ImageHeader header = decoder.read_header(context.read_file(pair.image), pair.image);
    check_same_size(pair, header, decoder.read_header(context.read_file(pair.mask), pair.mask));
    return {header.height, header.width};
  }

  [[nodiscard]] std::vector<fs::path> files() const override {
    std::vector<fs::path> all;
    for (const ImageMaskPair& pair : pairs_) {
      all.push_back(pair.image);
      all.push_back(pair.mask);
    }
    std::ranges::sort(all);
    return all;
  }

  [[nodiscard]] std::unique_ptr<SampleReader> make_reader() const override {
    return std::make_unique<KvasirSegReader>(pairs_, image_size_, options_);
  }

 private:
  std::vector<ImageMaskPair> pairs_;
  std::int64_t image_size_;
  DatasetOptions options_;
  DatasetSpec spec_;
};

// Folders that contain a split's images/ and masks/; "" is the folder itself, divided into splits.
constexpr std::array<const char*, 4> kParts{"train", "valid", "test", ""};

std::vector<fs::path> all_files(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const char* part : kParts) {
    const std::vector<fs::path> files = find_images(folder / part);
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

bool holds_kvasir_seg(const fs::path& folder) {
  for (const char* part : kParts) {
    if (is_folder(folder / part / "images") || is_folder(folder / part / "masks")) {
      return true;
    }
  }
  return false;
}

/// Opens the data set as described in kvasir_seg.h. Throws MissingSplit if other splits have
/// samples, Error(kUsage) for an image size out of range, Error(kFile or kData); see find_pairs().
std::unique_ptr<Dataset> open_kvasir_seg(const fs::path& folder,
                                         Split split,
                                         const DatasetOptions& options) {
  const std::int64_t image_size = options.image_size == 0 ? kDefaultImageSize : options.image_size;
  if (image_size < 1 || image_size > kMaxImageSize) {
    throw Error(ErrorCode::kUsage,
                fmt::format("image size {}; wanted 1 to {}", image_size, kMaxImageSize));
  }
  return std::make_unique<KvasirSeg>(find_split(folder, split, options), image_size, options);
}

const DatasetRegistration kKvasirSegRegistration({
    .name = "kvasir-seg",
    .summary = "polyp segmentation: JPEG or PNG images and masks in Kvasir-SEG's layout",
    .layout = kLayout,
    .default_folder = {},
    .recognise = holds_kvasir_seg,
    .files = all_files,
    .open = open_kvasir_seg,
    .generate = generate_kvasir_seg,
});

}  // namespace

Split kvasir_seg_split_of(std::int64_t index, std::int64_t samples) {
  const std::int64_t tenth =
      samples < 3 ? 0
                  : std::max<std::int64_t>(1, std::llround(static_cast<double>(samples) / 10.0));
  if (index >= samples - tenth) {
    return Split::kTest;
  }
  return index >= samples - 2 * tenth ? Split::kValid : Split::kTrain;
}

}  // namespace dlbench::data
