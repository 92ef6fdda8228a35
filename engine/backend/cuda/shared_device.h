// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One rank per GPU: checked before NCCL is asked. Knows no CUDA call.
#pragma once

#include <string>
#include <vector>

namespace dlbench::backend::cuda {

/// Empty, or a sentence that names the first two ranks with the same GPU. `devices`: host and PCI
/// address of each rank's GPU, by rank.
[[nodiscard]] std::string shared_device(const std::vector<std::string>& devices);

}  // namespace dlbench::backend::cuda
