// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The interface of a data set on disk and the registry of formats. A new format is one file in
// datasets/ that defines a Dataset and one DatasetRegistration.
#pragma once

#include "data/batch.h"
#include "data/load_context.h"
#include "engine/core/error.h"
#include "engine/core/named.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::data {

enum class Split : std::uint8_t { kTrain, kValid, kTest };

/// "train", "valid", "test".
[[nodiscard]] std::string_view name(Split split);

/// The folder holds the data set, but nothing of the requested split: no valid/ next to train/, or
/// no t10k files. A split that exists but is broken is a plain core::Error.
class MissingSplit : public core::Error {
 public:
  explicit MissingSplit(const std::string& message)
      : core::Error(core::ErrorCode::kFile, message) {}
};

/// kExact decodes all pixels. kScaled lets JPEG images be reduced by 2, 4 or 8 in the DCT domain,
/// but not below the requested size: faster on large images, slightly different pixels.
enum class DecodeMode : std::uint8_t { kExact, kScaled };
inline constexpr std::array<core::Named<DecodeMode>, 2> kDecodeModes{
    {{DecodeMode::kExact, "exact"}, {DecodeMode::kScaled, "scaled"}}};

struct DatasetOptions {
  /// Side of the square images delivered; 0: the format's own (kvasir-seg 256, mnist 28).
  std::int64_t image_size = 0;
  DecodeMode decode = DecodeMode::kExact;
  /// Images with more pixels are refused before memory is allocated. 2^27 pixels are 11585 x 11585
  /// and take at most 1.2 GB while a progressive JPEG is decoded.
  std::int64_t max_pixels = std::int64_t{1} << 27;
  /// If set, problems of the folder (an image without mask, ...) are appended here and the sample
  /// is left out, instead of throwing. For `inspect`.
  std::vector<std::string>* problems = nullptr;
};

struct DatasetSpec {
  std::string name;    ///< "kvasir-seg"
  std::string format;  ///< "JPEG/PNG image and mask pairs", for people
  std::vector<TensorSpec> tensors;
  std::int64_t classes = 0;  ///< for labels: they lie in [0, classes); 0: no labels
  /// Samples that a worker takes at a time: 1 where a sample costs a millisecond, more where taking
  /// the lock would cost more than the sample.
  std::int64_t samples_per_ticket = 1;
  /// True if open() read everything into memory, so that the page cache no longer matters.
  bool held_in_memory = false;
  /// True if DecodeMode::kScaled may decode less of a file than kExact.
  bool scaled_decoding = false;
  std::map<std::string, std::string> libraries{};  ///< that decode samples, with their versions
};

/// A sample's size before resizing.
struct SampleInfo {
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// Loads samples for one worker; owns decoders and buffers. Not thread safe. The data set must
/// outlive it.
class SampleReader {
 public:
  SampleReader() = default;
  SampleReader(const SampleReader&) = delete;
  SampleReader& operator=(const SampleReader&) = delete;
  virtual ~SampleReader() = default;

  /// Reads, decodes and transforms sample `index` into `rows`: one destination of row_bytes() per
  /// tensor of the spec, in the spec's order. Times its stages through `context`. Throws
  /// Error(kFile or kData) that names the file; the rows are then unspecified.
  virtual void load(std::int64_t index,
                    LoadContext& context,
                    std::span<const std::span<std::byte>> rows) = 0;
};

/// The samples of one split of a data set, in sorted order. Immutable after open: thread safe.
class Dataset {
 public:
  Dataset() = default;
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;
  virtual ~Dataset() = default;

  [[nodiscard]] virtual const DatasetSpec& spec() const = 0;
  [[nodiscard]] virtual std::int64_t size() const = 0;
  /// Returns a name for messages: the stem of the image file, or "train-images-idx3-ubyte[17]".
  [[nodiscard]] virtual std::string sample_name(std::int64_t index) const = 0;
  /// Decodes headers only, but may read whole files. Throws Error(kFile or kData).
  [[nodiscard]] virtual SampleInfo describe(std::int64_t index) const = 0;
  /// Returns all files of this split, sorted, without repeats: what the page cache is to hold.
  [[nodiscard]] virtual std::vector<std::filesystem::path> files() const = 0;
  [[nodiscard]] virtual std::unique_ptr<SampleReader> make_reader() const = 0;
};

struct GenerateOptions {
  std::filesystem::path out{};
  std::int64_t samples = 64;
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: one per core. The files do not depend on it.
  /// Called before each sample, on several threads; an exception from it ends the generation.
  std::function<void()> check = [] {};
};

/// One format: how to recognise, open and generate it.
struct DatasetFormat {
  std::string name{};     ///< as on the command line: "kvasir-seg"
  std::string summary{};  ///< one line for `dlbench list`
  std::string layout{};   ///< what the folder holds, for messages: "images/ and masks/"
  /// Where the operating system's packages put such data; empty: nowhere.
  std::filesystem::path default_folder{};
  /// Whether the folder looks like this format (whatever its problems). Does not throw.
  bool (*recognise)(const std::filesystem::path& folder) = nullptr;
  /// Returns the files of this format in the folder, of all splits, paired or not, and the names of
  /// files that would be read if they existed: the places where no result may be written. Reads no
  /// file and does not throw: skips what cannot be listed.
  std::vector<std::filesystem::path> (*files)(const std::filesystem::path& folder) = nullptr;
  /// Opens the data set. Throws MissingSplit, or Error(kFile, kData or kUsage), in one line that
  /// names the folder and what is expected there.
  std::unique_ptr<Dataset> (*open)(const std::filesystem::path& folder,
                                   Split split,
                                   const DatasetOptions& options) = nullptr;
  /// Writes files of this format into an existing, empty folder, options.out. Throws Error(kFile).
  void (*generate)(const GenerateOptions& options) = nullptr;
};

/// Adds a format at program start; a second one of the same name is a CheckFailure.
class DatasetRegistration {
 public:
  explicit DatasetRegistration(DatasetFormat format);
};

/// Returns the names of all formats, sorted.
[[nodiscard]] std::vector<std::string> dataset_names();

/// Returns the format of that name. Throws Error(kUsage) that suggests the nearest name.
[[nodiscard]] const DatasetFormat& find_dataset(std::string_view name);

/// Throws Error(kFile) if `folder` is missing, not a folder or unreadable. The message says how to
/// make the data set `name`.
void check_data_folder(const std::filesystem::path& folder, std::string_view name);

/// Calls find_dataset(name).open(...) after check_data_folder().
[[nodiscard]] std::unique_ptr<Dataset> open_dataset(std::string_view name,
                                                    const std::filesystem::path& folder,
                                                    Split split,
                                                    const DatasetOptions& options = {});

}  // namespace dlbench::data
