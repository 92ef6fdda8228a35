// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// DLBENCH_HOST_DEVICE marks functions that run on the host and, if compiled by nvcc, on the device
// as well. DLBENCH_UNROLL(n) before a loop asks nvcc to unroll it, so that the device has n loads
// in flight.
#pragma once

#if defined(__CUDACC__)
#define DLBENCH_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define DLBENCH_HOST_DEVICE inline
#endif

#if defined(__CUDA_ARCH__)
#define DLBENCH_PRAGMA(text) _Pragma(#text)
#define DLBENCH_UNROLL(n) DLBENCH_PRAGMA(unroll n)
#else
#define DLBENCH_UNROLL(n)
#endif
