// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Polyp segmentation in the layout of Kvasir-SEG: pairs of image and mask files, in
// DIR/{train,valid,test}/{images,masks}/, or in DIR/{images,masks}/, whose sorted list is divided
// by kvasir_seg_split_of(). Opened through dataset.h as "kvasir-seg".
//
// Tensors: "image" (N, S, S, 3) u8 in RGB order (the Keras tutorial feeds OpenCV's BGR, which
// matters only to weights trained elsewhere) and "mask" (N, S, S) u8 of 0 and 1: grey, resized
// bilinearly like the image, then 1 where >= 128. S is the image size of the options, 256 by
// default.
#pragma once

#include "data/dataset.h"

#include <cstdint>

namespace dlbench::data {

/// Returns the split of sample `index` in a sorted list of `samples`: 80 % train, 10 % valid, 10 %
/// test, in this order (rounded; at least one each from three samples on, else all are train).
[[nodiscard]] Split kvasir_seg_split_of(std::int64_t index, std::int64_t samples);

}  // namespace dlbench::data
