// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns the values of --device and --precision into a backend and a dtype.
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

/// Returns the PCI addresses of the GPUs that this process may open for that --device, in their
/// order, as far as known without opening them: each rank's visible GPUs in
/// probes::PlacementLimits. None for cpu and ref.
[[nodiscard]] std::vector<std::string> usable_gpus(const std::string& device);
/// Calls usable_gpus() if several ranks share the GPUs out; none for a lone rank, which takes the
/// first one.
[[nodiscard]] std::vector<std::string> usable_gpus(const comm::Rendezvous& ranks,
                                                   const std::string& device);

/// Returns the PCI address of the GPU where a rank of a launch of `ranks` was placed (see
/// probes::RankPlacement); empty if none was chosen, as for a lone rank, which takes the first.
[[nodiscard]] std::string placed_gpu_address(const probes::RankPlacement& placement, int ranks);

/// Maps fp32, tf32, bf16, fp16 to the contractions' dtype. Throws core::Error(kUsage/kUnavailable).
[[nodiscard]] core::DType compute_dtype(const std::string& precision,
                                        const backend::Backend& backend);

/// Whether a GPU is on the bus, with or without a driver.
[[nodiscard]] bool machine_has_gpu();

/// Whether the name is that of a GPU; false for auto, which may choose one.
[[nodiscard]] bool is_gpu(const std::string& device);

/// Returns the device numbers of a backend that --device auto tries for a lone process; an entry
/// without number means the first or only device.
[[nodiscard]] std::vector<std::optional<int>> device_indices(const std::string& backend);

/// Opens the backend of auto, cpu, cuda[:N] or ref. auto tries all GPUs before the processor and
/// logs why a better device was not taken, as a warning if it chose ref, or cpu where
/// machine_has_gpu(). Throws core::Error(kUnavailable).
[[nodiscard]] std::unique_ptr<backend::Backend> open_device(const std::string& device,
                                                            std::optional<std::int64_t> threads);

/// Opens the backend of --backend: cpu, cuda[:N] or ref, and no other one. `threads` 0: all cores.
/// Throws core::Error(kUsage / kUnavailable).
[[nodiscard]] std::unique_ptr<backend::Backend> open_backend(const std::string& name, int threads);

/// A backend, the --device that opens it again (what auto chose; for a lone rank with the GPU's
/// number unless it is the first), and why auto took no better one (empty: there is none, or none
/// was tried).
struct OpenedDevice {
  std::unique_ptr<backend::Backend> backend;
  std::string device;
  std::string why_no_better;
};

/// Opens the device on every rank of a launch. Among several GPUs a rank takes the one at
/// `gpu_address` (see placed_gpu_address()), or, if empty, the one with its number on its host.
/// Also throws core::Error(kUnavailable) on all ranks if auto found a GPU for some ranks only,
/// because their collectives would not match. Collective.
[[nodiscard]] OpenedDevice open_device_on_all(comm::Rendezvous& ranks,
                                              const std::string& device,
                                              std::optional<std::int64_t> threads,
                                              const std::string& gpu_address);

/// Throws what open_device() and compute_dtype() would throw on every machine, without looking at
/// this one.
void check_device(const std::string& device, const std::string& precision);

/// Returns the error for `option` with a backend that has its own memory.
[[nodiscard]] core::Error host_memory_refusal(std::string_view backend, const std::string& option);

/// Throws host_memory_refusal() if `option`, which works in host memory between the ranks, is given
/// for a backend that has its own memory.
void require_host_memory(const backend::Backend& backend, const std::string& option);

}  // namespace dlbench::harness
