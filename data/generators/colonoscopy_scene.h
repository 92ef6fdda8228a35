// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One generated colonoscopy-like picture with one or two polyps and its exact mask.
#pragma once

#include <cstdint>
#include <vector>

namespace dlbench::data {

struct ColonoscopyScene {
  std::vector<std::uint8_t> image;  ///< (height, width, 3) RGB
  std::vector<std::uint8_t> mask;   ///< (height, width), 255 inside a polyp, else 0
};

/// Draws picture number `sample` of `seed` into `scene`, whose memory is reused: pink tissue with
/// folds around a dark lumen, vessels, highlights, black corners. Polyps differ from the tissue in
/// tint, shading and texture; no single one of these reveals every polyp. The result depends on the
/// arguments only.
void draw_colonoscopy(
    std::uint64_t seed, std::int64_t sample, int height, int width, ColonoscopyScene& scene);

}  // namespace dlbench::data
