// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// jpegint.h is where libjpeg's modules meet, not its public interface; but it is installed beside
// jpeglib.h, of the same version, and the modules are structs of function pointers that are as in
// libjpeg 6b, whose binary interface libjpeg-turbo keeps. It has no include guard of its own, and
// wants jpeglib.h, which wants FILE declared before it.
#pragma once

#include <cstdio>
// clang-format off
#include <jpeglib.h>
#if __has_include(<jpegint.h>)
#define DLBENCH_HAS_JPEG_MODULES
extern "C" {
#include <jpegint.h>
}
#endif
// clang-format on
