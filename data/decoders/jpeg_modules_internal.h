// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// jpegint.h declares the internal interface between libjpeg's modules. It is not public, but is
// installed next to jpeglib.h in the same version, and its structs of function pointers are those
// of libjpeg 6b, whose binary interface libjpeg-turbo keeps. It has no include guard, and needs
// jpeglib.h before it, which needs FILE.
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
