// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/datasets/mnist_idx.h"

#include "data/dataset.h"
#include "data/decoders/idx_decoder.h"
#include "data/generators/mnist_generator.h"
#include "engine/core/check.h"
#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace dlbench::data {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;

constexpr std::int64_t kClasses = 10;

/// Returns where to look for `stem`, in this order: plain or .gz, in the folder or in the
/// subfolders that torchvision uses.
std::vector<fs::path> places_of(const fs::path& folder, std::string_view stem) {
  std::vector<fs::path> places;
  for (const char* part : {"", "raw", "MNIST/raw", "FashionMNIST/raw"}) {
    for (const char* suffix : {"", ".gz"}) {
      places.push_back(folder / part / (std::string(stem) + suffix));
    }
  }
  return places;
}

/// Returns the first file that exists, or an empty path.
fs::path find_file(const fs::path& folder, std::string_view stem) {
  const std::vector<fs::path> places = places_of(folder, stem);
  const auto found = std::ranges::find_if(places, [](const fs::path& path) {
    std::error_code ignored;  // not there is the usual answer
    return fs::exists(path, ignored);
  });
  return found != places.end() ? *found : fs::path();
}

std::string_view prefix(Split split) { return split == Split::kTrain ? "train" : "t10k"; }
std::string images_stem(Split split) { return fmt::format("{}-images-idx3-ubyte", prefix(split)); }
std::string labels_stem(Split split) { return fmt::format("{}-labels-idx1-ubyte", prefix(split)); }

fs::path require_file(const fs::path& folder, const std::string& stem) {
  fs::path path = find_file(folder, stem);
  if (path.empty()) {
    throw Error(ErrorCode::kFile,
                fmt::format("no file '{}' (plain or .gz) in '{}'; wanted MNIST's four IDX files",
                            stem,
                            folder.string()));
  }
  return path;
}

IdxArray read_idx(const fs::path& path) {
  WorkerCounters counters;
  LoadContext context(counters, {});
  return decode_idx(context.read_file(path), path);
}

std::string extents_text(const IdxArray& array) {
  return fmt::format("({})", fmt::join(array.extents, ", "));
}

class MnistIdx;

class MnistIdxReader final : public SampleReader {
 public:
  explicit MnistIdxReader(const MnistIdx& dataset) : dataset_(dataset) {}
  void load(std::int64_t index,
            LoadContext& context,
            std::span<const std::span<std::byte>> rows) override;

 private:
  const MnistIdx& dataset_;
};

class MnistIdx final : public Dataset {
 public:
  MnistIdx(fs::path images_path, fs::path labels_path)
      : images_path_(std::move(images_path)), labels_path_(std::move(labels_path)) {
    images_ = read_idx(images_path_);
    labels_ = read_idx(labels_path_);
    check();
    spec_.name = "mnist";
    spec_.format = "IDX images and labels";
    spec_.tensors = {{"image", Role::kInput, core::DType::kU8, {kMnistSide, kMnistSide, 1}},
                     {"label", Role::kTarget, core::DType::kI32, core::Shape{}}};
    spec_.classes = kClasses;
    spec_.samples_per_ticket = 64;
    spec_.held_in_memory = true;
  }

  [[nodiscard]] const DatasetSpec& spec() const override { return spec_; }
  [[nodiscard]] std::int64_t size() const override { return images_.extents[0]; }
  [[nodiscard]] std::string sample_name(std::int64_t index) const override {
    const fs::path file = images_path_.filename();
    return fmt::format("{}[{}]", (file.extension() == ".gz" ? file.stem() : file).string(), index);
  }
  [[nodiscard]] SampleInfo describe(std::int64_t index) const override {
    DLBENCH_CHECK(index >= 0 && index < size()) << index;
    return {kMnistSide, kMnistSide};
  }
  [[nodiscard]] std::vector<fs::path> files() const override {
    return {images_path_, labels_path_};  // sorted: i before l
  }
  [[nodiscard]] std::unique_ptr<SampleReader> make_reader() const override {
    return std::make_unique<MnistIdxReader>(*this);
  }

  [[nodiscard]] std::span<const std::uint8_t> image(std::int64_t index) const {
    return std::span(images_.values)
        .subspan(static_cast<std::size_t>(index * kMnistSide * kMnistSide),
                 kMnistSide * kMnistSide);
  }
  [[nodiscard]] std::int32_t label(std::int64_t index) const {
    return labels_.values[static_cast<std::size_t>(index)];
  }

 private:
  void check() const {
    if (images_.extents.size() != 3 || images_.extents[1] != kMnistSide ||
        images_.extents[2] != kMnistSide) {
      throw Error(ErrorCode::kData,
                  fmt::format("'{}' has shape {}; wanted (N, 28, 28)",
                              images_path_.string(),
                              extents_text(images_)));
    }
    if (labels_.extents.size() != 1) {
      throw Error(
          ErrorCode::kData,
          fmt::format(
              "'{}' has shape {}; wanted (N)", labels_path_.string(), extents_text(labels_)));
    }
    if (labels_.extents[0] != images_.extents[0]) {
      throw Error(ErrorCode::kData,
                  fmt::format("'{}' has {} images but '{}' has {} labels",
                              images_path_.string(),
                              images_.extents[0],
                              labels_path_.string(),
                              labels_.extents[0]));
    }
    const auto bad =
        std::ranges::find_if(labels_.values, [](std::uint8_t label) { return label >= kClasses; });
    if (bad != labels_.values.end()) {
      throw Error(ErrorCode::kData,
                  fmt::format("'{}' has label {} at {}; wanted 0 to 9",
                              labels_path_.string(),
                              *bad,
                              bad - labels_.values.begin()));
    }
  }

  fs::path images_path_;
  fs::path labels_path_;
  IdxArray images_;
  IdxArray labels_;
  DatasetSpec spec_;
};

void MnistIdxReader::load(std::int64_t index,
                          LoadContext& context,
                          std::span<const std::span<std::byte>> rows) {
  DLBENCH_CHECK(rows.size() == 2 && index >= 0 && index < dataset_.size()) << index;
  const std::span<const std::uint8_t> image = dataset_.image(index);
  const std::int32_t label = dataset_.label(index);
  context.account_read(static_cast<std::int64_t>(image.size()) + 1);
  // No timer per sample: reading the clock twice would cost more than the copy. The loader times
  // the whole ticket and books the time that no stage claimed as collate.
  std::memcpy(rows[0].data(), image.data(), image.size());
  std::memcpy(rows[1].data(), &label, sizeof(label));
}

std::vector<fs::path> all_files(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const Split split : {Split::kTrain, Split::kTest}) {
    for (const std::string& stem : {images_stem(split), labels_stem(split)}) {
      const std::vector<fs::path> places = places_of(folder, stem);
      all.insert(all.end(), places.begin(), places.end());
    }
  }
  return all;
}

bool holds_mnist(const fs::path& folder) {
  return !find_file(folder, images_stem(Split::kTrain)).empty() ||
         !find_file(folder, images_stem(Split::kTest)).empty();
}

/// Opens the data set as described in mnist_idx.h. Throws MissingSplit if only the other split's
/// files exist; Error(kUsage) for an image size other than 0 or 28; Error(kFile or kData) for
/// missing, truncated or foreign files, different counts of images and labels, labels above 9.
std::unique_ptr<Dataset> open_mnist_idx(const fs::path& folder,
                                        Split split,
                                        const DatasetOptions& options) {
  if (options.image_size != 0 && options.image_size != kMnistSide) {
    throw Error(ErrorCode::kUsage,
                fmt::format("image size {}; mnist images are 28 x 28", options.image_size));
  }
  if (find_file(folder, images_stem(split)).empty() &&
      find_file(folder, labels_stem(split)).empty() && holds_mnist(folder)) {
    throw MissingSplit(fmt::format("'{}' has no file '{}' (plain or .gz): nothing for '{}'",
                                   folder.string(),
                                   images_stem(split),
                                   name(split)));
  }
  fs::path images = require_file(folder, images_stem(split));
  fs::path labels = require_file(folder, labels_stem(split));
  return std::make_unique<MnistIdx>(std::move(images), std::move(labels));
}

const DatasetRegistration kMnistRegistration({
    .name = "mnist",
    .summary = "28 x 28 grey images of 10 classes in MNIST's IDX files, plain or gzipped",
    .layout = "train-images-idx3-ubyte and the three files beside it, plain or .gz",
    .default_folder = "/usr/share/datasets/fashion-mnist",  // Debian's dataset-fashion-mnist
    .recognise = holds_mnist,
    .files = all_files,
    .open = open_mnist_idx,
    .generate = generate_mnist,
});

}  // namespace

}  // namespace dlbench::data
