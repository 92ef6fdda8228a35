# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# NCCL: NCCL_FOUND, NCCL_VERSION and the target NCCL::nccl. In wheels: nvidia/nccl.
include(${CMAKE_CURRENT_LIST_DIR}/NvidiaLibrary.cmake)
dlbench_find_nvidia_library(NCCL nccl libnccl.so.2 nccl.h PATCH)
