// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A library that only lends its name, libcudnn.so.9, to a plug-in that is linked with it.
extern "C" __attribute__((visibility("default"))) int dlbench_fake_cudnn() { return 9; }
