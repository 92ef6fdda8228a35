// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A library with two of CUPTI's functions.

// NOLINTBEGIN(readability-identifier-naming): CUPTI's names.
extern "C" {
int cuptiGetVersion() { return 0; }
int cuptiGetResultString() { return 0; }
}
// NOLINTEND(readability-identifier-naming)
