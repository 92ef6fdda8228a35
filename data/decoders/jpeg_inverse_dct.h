// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Inverse DCTs for libjpeg-turbo to call in place of its own, which use a half or a quarter of an
// AVX-512 register. Which sizes of block occur, and where samples go, stays libjpeg's business.
#pragma once

struct jpeg_decompress_struct;

namespace dlbench::data {

/// Call it between jpeg_start_decompress(), which chooses libjpeg-turbo's own, and the first read.
/// Replaces the accurate integer transforms to 8 x 8 (jidctint.c), 4 x 4 and 2 x 2 samples
/// (jidctred.c), if this processor has AVX-512 F, BW, VBMI and VNNI; else does nothing.
///
/// The samples are libjpeg-turbo's bit for bit, for the coefficients that encoders make of 8-bit
/// samples; wilder ones, which damage brings about, overflow differently.
void choose_inverse_dcts(jpeg_decompress_struct& info);

}  // namespace dlbench::data
