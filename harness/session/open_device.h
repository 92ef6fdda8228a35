// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// From the names of --device and --precision to a backend and a dtype.
#pragma once

#include "engine/backend/backend.h"
#include "engine/comm/rendezvous.h"
#include "engine/core/error.h"
#include "probes/node/placement.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::harness {

/// PCI addresses of the GPUs that this process may open as that --device, in their order, as far as
/// that is known without opening them: probes::PlacementLimits has those of each rank. None for cpu
/// and ref.
[[nodiscard]] std::vector<std::string> usable_gpus(const std::string& device);
/// usable_gpus() where several ranks share them out; none for a rank alone, which has the first
/// one.
[[nodiscard]] std::vector<std::string> usable_gpus(const comm::Rendezvous& ranks,
                                                   const std::string& device);

/// PCI address of the GPU that a rank of a launch of `ranks` was placed at (probes::RankPlacement);
/// empty: none was chosen, as for a rank alone, which has the first one.
[[nodiscard]] std::string placed_gpu_address(const probes::RankPlacement& placement, int ranks);

/// fp32, tf32, bf16, fp16 -> dtype of contractions. Throws core::Error(kUsage / kUnavailable).
[[nodiscard]] core::DType compute_dtype(const std::string& precision,
                                        const backend::Backend& backend);

/// Whether a GPU is on the bus, with a driver or without.
[[nodiscard]] bool machine_has_gpu();

/// Whether the name is that of a GPU: not of auto, which may end at one.
[[nodiscard]] bool is_gpu(const std::string& device);

/// The devices of a backend as --device auto tries them for a process that is alone, by their
/// number; nothing: the first, or the only one.
[[nodiscard]] std::vector<std::optional<int>> device_indices(const std::string& backend);

/// auto, cpu, cuda[:N], ref -> a backend. With auto all GPUs are tried before the processor, and
/// the reason why a better one was not taken is logged, as a warning if it ends at ref, or at cpu
/// where machine_has_gpu(). Throws core::Error(kUnavailable).
[[nodiscard]] std::unique_ptr<backend::Backend> open_device(const std::string& device,
                                                            std::optional<std::int64_t> threads);

/// cpu, cuda[:N], ref of --backend -> it, and no other one. `threads` 0: all cores. Throws
/// core::Error(kUsage / kUnavailable).
[[nodiscard]] std::unique_ptr<backend::Backend> open_backend(const std::string& name, int threads);

/// A backend, the --device that opens it again (of auto what it came to, of one rank alone with the
/// GPU's number where that is not the first), and why auto took no better one; empty: there is
/// none, or none was looked for.
struct OpenedDevice {
  std::unique_ptr<backend::Backend> backend;
  std::string device;
  std::string why_no_better;
};

/// The same on every rank of a launch. Of several GPUs a rank takes the one at `gpu_address` (see
/// placed_gpu_address()), or, where that is empty, that of its number on its host. Collective.
/// Throws core::Error(kUnavailable) on all of them too where auto found a GPU for some ranks only:
/// their collectives would not meet.
[[nodiscard]] OpenedDevice open_device_on_all(comm::Rendezvous& ranks,
                                              const std::string& device,
                                              std::optional<std::int64_t> threads,
                                              const std::string& gpu_address);

/// Throws what open_device() and compute_dtype() would throw on every machine, without a look at
/// this one.
void check_device(const std::string& device, const std::string& precision);

/// Of `option` for a backend with a memory of its own.
[[nodiscard]] core::Error host_memory_refusal(std::string_view backend, const std::string& option);

/// Throws host_memory_refusal() if `option`, which works in host memory between the ranks, is
/// given for a backend with a memory of its own.
void require_host_memory(const backend::Backend& backend, const std::string& option);

}  // namespace dlbench::harness
