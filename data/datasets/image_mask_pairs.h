// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds image and mask files that belong together by their stem. Looks at names, reads no image.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dlbench::data {

/// Image and mask of one sample: images/x.jpg and masks/x.png have the stem "x".
struct ImageMaskPair {
  std::string stem;
  std::filesystem::path image;
  std::filesystem::path mask;
};

/// Returns whether a file of this name counts as an image: .jpg, .jpeg or .png, in any case.
[[nodiscard]] bool is_image_name(const std::filesystem::path& path);

/// Returns whether a file of this name counts as a JPEG: .jpg or .jpeg, in any case.
[[nodiscard]] bool is_jpeg_name(const std::filesystem::path& path);

/// Returns the pairs in `folder`/images and `folder`/masks, sorted by stem. Hidden files and files
/// without an image's name are ignored. With `problems`, unpaired files, dangling links and pipes
/// are appended there and left out; without, they are thrown. Throws Error(kFile) if one of the two
/// folders is missing or unreadable; Error(kData) for an image without mask or the reverse (with
/// counts and the first names), two files of one stem, or no pair at all.
[[nodiscard]] std::vector<ImageMaskPair> find_pairs(const std::filesystem::path& folder,
                                                    std::vector<std::string>* problems = nullptr);

/// Returns the image files in `folder`/images and `folder`/masks, paired or not. Does not throw: a
/// folder that cannot be listed counts as empty.
[[nodiscard]] std::vector<std::filesystem::path> find_images(const std::filesystem::path& folder);

}  // namespace dlbench::data
