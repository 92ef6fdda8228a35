// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/datasets/image_mask_pairs.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <system_error>

namespace dlbench::data {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;
using FilesByStem = std::map<std::string, fs::path>;

void report(std::vector<std::string>* problems, std::string message) {
  if (problems == nullptr) {
    throw Error(ErrorCode::kData, message);
  }
  problems->push_back(std::move(message));
}

FilesByStem list_images(const fs::path& folder, std::vector<std::string>* problems) {
  std::error_code failure;
  fs::directory_iterator entries(folder, failure);
  if (failure) {
    throw Error(ErrorCode::kFile,
                fmt::format("cannot read folder '{}': {}", folder.string(), failure.message()));
  }
  FilesByStem files;
  for (const fs::directory_iterator end; entries != end; entries.increment(failure)) {
    const fs::path& path = entries->path();
    std::error_code ignored;  // an entry that cannot be examined is no regular file
    if (path.filename().string().starts_with('.') || !is_image_name(path) ||
        entries->is_directory(ignored)) {
      continue;
    }
    if (!entries->is_regular_file(ignored)) {
      report(problems,
             fmt::format("'{}' has an image's name, but is {}; remove it",
                         path.string(),
                         fs::exists(path, ignored) ? "no regular file" : "a link to nothing"));
      continue;
    }
    const auto [first, inserted] = files.emplace(path.stem().string(), path);
    if (!inserted) {
      // Independent of the folder's listing order, the same one is kept and named.
      const fs::path dropped = std::max(first->second, path);
      first->second = std::min(first->second, path);
      report(problems,
             fmt::format("'{}' and '{}' have the same stem; one sample needs one file",
                         first->second.string(),
                         dropped.filename().string()));
    }
  }
  if (failure) {
    throw Error(ErrorCode::kFile,
                fmt::format("cannot list folder '{}': {}", folder.string(), failure.message()));
  }
  return files;
}

/// "3 images without a mask in 'DIR' (a.jpg, b.jpg, c.jpg)", or empty.
std::string unpaired(std::string_view what,
                     std::string_view lacks,
                     const FilesByStem& files,
                     const FilesByStem& partners,
                     const fs::path& folder) {
  constexpr std::size_t kNamesShown = 3;
  std::size_t count = 0;
  std::string names;
  for (const auto& [stem, path] : files) {
    if (partners.contains(stem)) {
      continue;
    }
    if (count++ < kNamesShown) {
      names += (names.empty() ? "" : ", ") + path.filename().string();
    }
  }
  if (count == 0) {
    return {};
  }
  return fmt::format(
      "{} {}{} without {} in '{}' ({}{}); pairs have the same stem in images/ and masks/",
      count,
      what,
      count == 1 ? "" : "s",
      lacks,
      folder.string(),
      names,
      count > kNamesShown ? ", ..." : "");
}

std::string lower_case_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(
      extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return extension;
}

}  // namespace

bool is_jpeg_name(const fs::path& path) {
  const std::string extension = lower_case_extension(path);
  return extension == ".jpg" || extension == ".jpeg";
}

bool is_image_name(const fs::path& path) {
  return is_jpeg_name(path) || lower_case_extension(path) == ".png";
}

std::vector<ImageMaskPair> find_pairs(const fs::path& folder, std::vector<std::string>* problems) {
  const FilesByStem images = list_images(folder / "images", problems);
  const FilesByStem masks = list_images(folder / "masks", problems);
  if (images.empty() && masks.empty()) {
    throw Error(ErrorCode::kData,
                fmt::format("no .jpg or .png files in '{}' and its sibling masks/",
                            (folder / "images").string()));
  }
  const std::string no_mask = unpaired("image", "a mask", images, masks, folder);
  const std::string no_image = unpaired("mask", "an image", masks, images, folder);
  if (!no_mask.empty() || !no_image.empty()) {
    if (problems == nullptr) {
      throw Error(ErrorCode::kData,
                  no_mask + (no_mask.empty() || no_image.empty() ? "" : "; ") + no_image);
    }
    for (const std::string& message : {no_mask, no_image}) {
      if (!message.empty()) {
        problems->push_back(message);
      }
    }
  }
  std::vector<ImageMaskPair> pairs;
  for (const auto& [stem, image] : images) {
    if (const auto mask = masks.find(stem); mask != masks.end()) {
      pairs.push_back({stem, image, mask->second});
    }
  }
  return pairs;
}

std::vector<fs::path> find_images(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const char* part : {"images", "masks"}) {
    std::error_code failure;
    fs::directory_iterator entries(folder / part, failure);
    for (const fs::directory_iterator end; !failure && entries != end; entries.increment(failure)) {
      if (is_image_name(entries->path())) {
        files.push_back(entries->path());
      }
    }
  }
  return files;
}

}  // namespace dlbench::data
