// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Generated polyp segmentation data in Kvasir-SEG's layout.
#pragma once

#include "data/dataset.h"

namespace dlbench::data {

/// Writes options.samples pairs as OUT/{train,valid,test}/{images,masks}/NNNNNN.jpg: 80, 10 and 10
/// % (at least one each from three samples on). Images are RGB JPEG, about 100 KB on average; masks
/// are grey JPEG, 255 in the polyp. Sizes run from 332 x 487 to 1920 x 1072, most near 620 x 530,
/// as in Kvasir-SEG (Jha et al. 2020, "Kvasir-SEG: a segmented polyp dataset", MMM 2020). Throws
/// Error(kFile).
void generate_kvasir_seg(const GenerateOptions& options);

}  // namespace dlbench::data
