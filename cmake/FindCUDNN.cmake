# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
#
# cuDNN 9: CUDNN_FOUND, CUDNN_VERSION and the target CUDNN::cudnn. In wheels: nvidia/cudnn.
include(${CMAKE_CURRENT_LIST_DIR}/NvidiaLibrary.cmake)
dlbench_find_nvidia_library(CUDNN cudnn libcudnn.so.9 cudnn_version.h PATCHLEVEL)
