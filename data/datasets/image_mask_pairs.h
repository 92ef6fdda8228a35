// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds image and mask files that belong together by their stem. Knows names only, reads no image.
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

/// Whether a file of this name counts as an image: .jpg, .jpeg or .png, in any case.
[[nodiscard]] bool is_image_name(const std::filesystem::path& path);

/// The pairs in `folder`/images and `folder`/masks, sorted by stem. Files that are hidden or no
/// images by their name are passed over. With `problems`, what does not pair is
/// appended there and left out, and so is a link to nothing or a pipe; without, it is thrown.
/// Throws Error(kFile) if one of the two folders is missing or unreadable; Error(kData) for an
/// image without mask or the reverse (counts and the first names), two files of one stem, or no
/// pair.
[[nodiscard]] std::vector<ImageMaskPair> find_pairs(const std::filesystem::path& folder,
                                                    std::vector<std::string>* problems = nullptr);

/// The image files in `folder`/images and `folder`/masks, paired or not. Does not throw: of a
/// folder that cannot be listed there is nothing.
[[nodiscard]] std::vector<std::filesystem::path> find_images(const std::filesystem::path& folder);

}  // namespace dlbench::data
