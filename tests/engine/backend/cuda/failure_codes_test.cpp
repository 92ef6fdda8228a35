// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/failure_codes.h"

#include <gtest/gtest.h>

namespace dlbench::backend::cuda {
namespace {

using core::ErrorCode;

TEST(FailureCodes, WhatTheDeviceOrAKernelDidEndsARunWithCodeFive) {
  for (const int failed : {2,   46,  214, 220, 226, 304, 700, 702, 709, 710, 714, 715, 716, 717,
                           718, 719, 721, 802, 805, 806, 807, 808, 809, 810, 909, 911, 999}) {
    EXPECT_EQ(code_of_cuda(failed), ErrorCode::kRun) << failed;
    EXPECT_EQ(core::exit_code(code_of_cuda(failed)), 5) << failed;
  }
}

TEST(FailureCodes, ACallThatCudaRefusesIsNoFailureOfTheDevice) {
  // Invalid value, invalid configuration, no kernel image, too many resources, not permitted, not
  // supported, and the errors of a capture, after which a step runs node by node.
  for (const int refused : {1, 9, 209, 218, 400, 701, 720, 800, 801, 900, 901, 906, 908, 910}) {
    EXPECT_EQ(code_of_cuda(refused), ErrorCode::kLibrary) << refused;
    EXPECT_EQ(core::exit_code(code_of_cuda(refused)), 1) << refused;
  }
}

TEST(FailureCodes, CudnnAndCublasFailWhenTheyExecuteOrLackMemory) {
  for (const int failed : {1007, 4004, 5000, 5001, 5002, 5003, 5004}) {
    EXPECT_EQ(code_of_cudnn(failed), ErrorCode::kRun) << failed;
  }
  for (const int refused : {1001, 1002, 2000, 2003, 3000, 3007, 4000, 4001, 4003}) {
    EXPECT_EQ(code_of_cudnn(refused), ErrorCode::kLibrary) << refused;
  }
  for (const int failed : {3, 11, 13, 14}) {
    EXPECT_EQ(code_of_cublas(failed), ErrorCode::kRun) << failed;
  }
  for (const int refused : {1, 7, 8, 15, 16}) {
    EXPECT_EQ(code_of_cublas(refused), ErrorCode::kLibrary) << refused;
  }
}

}  // namespace
}  // namespace dlbench::backend::cuda
