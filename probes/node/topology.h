// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Cores, caches, NUMA nodes and GPUs of a node, as seen by hwloc. placement.h assigns them to
// ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::probes {

/// A physical core, or the part of it that the process may use.
struct TopologyCore {
  std::vector<int> cpus;  ///< its hardware threads, numbered as the kernel does, ascending
  int numa_node = 0;      ///< as the kernel numbers them
  int package = 0;
};

/// A last-level cache, or the part of it that the process may use.
struct TopologyCache {
  std::int64_t bytes = 0;  ///< of the whole cache
  std::vector<int> cpus;   ///< CPUs that share it, ascending
};

/// A GPU, found by its PCI class and vendor (NVIDIA, AMD), whether or not a library can use it.
struct TopologyGpu {
  std::string pci_address;       ///< "0000:18:00.0", lower case
  std::optional<int> numa_node;  ///< empty: not known from the machine
};

/// Part of a node that ranks may be placed on.
struct Topology {
  /// In hwloc's order: neighbours in the list share caches, then a NUMA node, then a package.
  std::vector<TopologyCore> cores;
  std::vector<TopologyCache> last_level_caches;  ///< none: not known from the machine
  std::vector<TopologyGpu> gpus;  ///< by PCI address, as with CUDA_DEVICE_ORDER=PCI_BUS_ID
};

/// Returns this node without CPUs that the control group's cpuset excludes; ignores the affinity
/// mask. Throws core::Error(kLibrary) if hwloc cannot read it.
[[nodiscard]] Topology read_topology();

/// Returns a synthetic node from hwloc's notation: "pack:2 numa:1 core:8 pu:2". Has no GPUs. Throws
/// core::Error(kUsage).
[[nodiscard]] Topology synthetic_topology(const std::string& description);

/// Returns the part of a topology within `cpus`; leaves out cores and caches without any of them.
[[nodiscard]] Topology restrict_topology(const Topology& topology, const std::vector<int>& cpus);

/// Returns all hardware threads of the cores to which any of `cpus` belongs, ascending.
[[nodiscard]] std::vector<int> cpus_of_same_cores(const Topology& topology,
                                                  const std::vector<int>& cpus);

/// Returns all CPUs of a topology, ascending.
[[nodiscard]] std::vector<int> cpus_of(const Topology& topology);

/// Returns the total bytes of all last-level caches of a topology; 0: unknown.
[[nodiscard]] std::int64_t last_level_cache_bytes(const Topology& topology);

}  // namespace dlbench::probes
