// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Generated polyp segmentation data in Kvasir-SEG's layout.
#pragma once

#include "data/dataset.h"

namespace dlbench::data {

/// Writes options.samples pairs as OUT/{train,valid,test}/{images,masks}/NNNNNN.jpg: 80, 10 and 10
/// % (at least one each from three samples on). Images are RGB JPEG with halved chroma, masks grey
/// JPEG, 255 in the polyp.
///
/// The cost of loading a sample matches the original's; a file with more bytes per pixel would make
/// any decoder look slower, and all of them more alike:
/// - sizes: 332 x 487 to 1920 x 1072, as Kvasir-SEG states (Jha et al. 2020, "Kvasir-SEG: a
///   segmented polyp dataset", MMM 2020), 97 % of them near 600 x 530, as its kavsir_bboxes.json
///   lists; 0.35 megapixels on average;
/// - bytes: 1000 pairs of the original have 44,848,057 bytes (the data set's card at
///   https://huggingface.co/datasets/kowndinya23/Kvasir-SEG; its home page says 46.2 MB with the
///   boxes): 44.8 KB a pair, about one bit per pixel, which `dlbench data inspect` shows for ours.
/// Throws Error(kFile).
void generate_kvasir_seg(const GenerateOptions& options);

}  // namespace dlbench::data
