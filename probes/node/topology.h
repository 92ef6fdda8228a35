// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Cores, caches, NUMA nodes and GPUs of a node, as hwloc sees them. What ranks make of it is in
// placement.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::probes {

/// A physical core, or what the process may use of it.
struct TopologyCore {
  std::vector<int> cpus;  ///< its hardware threads, numbered as the kernel does, ascending
  int numa_node = 0;      ///< as the kernel numbers them
  int package = 0;
};

/// A cache of the last level before main memory, or what the process may use of it.
struct TopologyCache {
  std::int64_t bytes = 0;  ///< of the whole cache
  std::vector<int> cpus;   ///< that share it, ascending
};

/// A GPU, found by its PCI class and vendor (NVIDIA, AMD). Whether a library can use it is not
/// known here.
struct TopologyGpu {
  std::string pci_address;       ///< "0000:18:00.0", lower case
  std::optional<int> numa_node;  ///< empty where the machine does not say
};

/// Part of a node that ranks may be placed on.
struct Topology {
  /// In hwloc's order: neighbours in the list share caches, then a NUMA node, then a package.
  std::vector<TopologyCore> cores;
  std::vector<TopologyCache> last_level_caches;  ///< none where the machine does not say
  std::vector<TopologyGpu> gpus;  ///< by PCI address, as with CUDA_DEVICE_ORDER=PCI_BUS_ID
};

/// This node, without CPUs that the control group's cpuset keeps from us. The affinity mask is not
/// looked at. Throws core::Error(kLibrary) if hwloc cannot read it.
[[nodiscard]] Topology read_topology();

/// A made-up node in hwloc's notation: "pack:2 numa:1 core:8 pu:2". Has no GPUs. Throws
/// core::Error(kUsage).
[[nodiscard]] Topology synthetic_topology(const std::string& description);

/// The part of a topology that has one of `cpus`; cores and caches without any are left out.
[[nodiscard]] Topology restrict_topology(const Topology& topology, const std::vector<int>& cpus);

/// All hardware threads of the cores that any of `cpus` is one of, ascending.
[[nodiscard]] std::vector<int> cpus_of_same_cores(const Topology& topology,
                                                  const std::vector<int>& cpus);

/// All CPUs of a topology, ascending.
[[nodiscard]] std::vector<int> cpus_of(const Topology& topology);

/// Bytes of all last-level caches of a topology together; 0: unknown.
[[nodiscard]] std::int64_t last_level_cache_bytes(const Topology& topology);

}  // namespace dlbench::probes
