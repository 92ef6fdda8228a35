// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/topology.h"

#include "engine/core/error.h"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <memory>

namespace dlbench::probes {
namespace {

using core::Error;
using core::ErrorCode;

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, DestroyTopology>;

HwlocTopology make_topology() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) {
    throw Error(ErrorCode::kLibrary, "hwloc cannot start");
  }
  // PCI devices are left out by default. Nothing else is added: discovering operating system
  // devices would wake up drivers (OpenCL, NVML). The kernel's files are sufficient; hwloc's pci
  // plug-in is a separate package, and libpciaccess below it leaks.
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "pci");
  return HwlocTopology(topology);
}

// Returns the first NUMA node next to an object; without any, the machine is one node.
std::optional<int> nearest_numa_node(hwloc_obj_t object) {
  if (object == nullptr || object->nodeset == nullptr ||
      hwloc_bitmap_iszero(object->nodeset) != 0) {
    return std::nullopt;
  }
  return hwloc_bitmap_first(object->nodeset);
}

std::vector<int> bits(hwloc_const_bitmap_t bitmap) {
  std::vector<int> numbers;
  for (int bit = hwloc_bitmap_first(bitmap); bit >= 0; bit = hwloc_bitmap_next(bitmap, bit)) {
    numbers.push_back(bit);
  }
  return numbers;
}

using PciDevice = decltype(hwloc_obj_attr_u::pcidev);

bool is_gpu(const PciDevice& device) {
  constexpr unsigned kNvidia = 0x10de;
  constexpr unsigned kAmd = 0x1002;
  constexpr unsigned kDisplay = 0x03;  // class: graphics of any kind
  constexpr unsigned kAccelerator =
      0x12;  // class: how some boards without a display call themselves
  const unsigned kind = device.class_id >> 8U;
  return (device.vendor_id == kNvidia || device.vendor_id == kAmd) &&
         (kind == kDisplay || kind == kAccelerator);
}

std::vector<TopologyGpu> find_gpus(hwloc_topology_t topology) {
  std::vector<TopologyGpu> gpus;
  for (hwloc_obj_t object = hwloc_get_next_pcidev(topology, nullptr); object != nullptr;
       object = hwloc_get_next_pcidev(topology, object)) {
    const PciDevice& device = object->attr->pcidev;
    if (!is_gpu(device)) {
      continue;
    }
    hwloc_obj_t beside = hwloc_get_non_io_ancestor_obj(topology, object);
    // Attached to the whole machine, its place is unknown unless there is only one.
    const bool known = beside != nullptr && hwloc_bitmap_weight(beside->nodeset) == 1;
    gpus.push_back({.pci_address = fmt::format("{:04x}:{:02x}:{:02x}.{:x}",
                                               unsigned{device.domain},
                                               unsigned{device.bus},
                                               unsigned{device.dev},
                                               unsigned{device.func}),
                    .numa_node = known ? nearest_numa_node(beside) : std::nullopt});
  }
  std::sort(gpus.begin(), gpus.end(), [](const TopologyGpu& left, const TopologyGpu& right) {
    return left.pci_address < right.pci_address;
  });
  return gpus;
}

// Returns the cache furthest from the core; null if the machine reports none.
hwloc_obj_t last_level_cache(hwloc_obj_t core) {
  hwloc_obj_t last = nullptr;
  for (hwloc_obj_t object = core; object != nullptr; object = object->parent) {
    if (hwloc_obj_type_is_dcache(object->type) != 0) {
      last = object;
    }
  }
  return last;
}

Topology load(const HwlocTopology& handle, ErrorCode code, const std::string& what) {
  hwloc_topology_t topology = handle.get();
  if (hwloc_topology_load(topology) != 0) {
    throw Error(code, "hwloc cannot read " + what);
  }
  Topology result;
  const int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
  // Some virtual machines report no cores: then each CPU counts as one.
  const hwloc_obj_type_t type = count > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  hwloc_obj_t last_cache = nullptr;
  for (hwloc_obj_t core = hwloc_get_next_obj_by_type(topology, type, nullptr); core != nullptr;
       core = hwloc_get_next_obj_by_type(topology, type, core)) {
    hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, core);
    result.cores.push_back(
        {.cpus = bits(core->cpuset),
         .numa_node = nearest_numa_node(core).value_or(0),
         .package = package == nullptr ? 0 : static_cast<int>(package->os_index)});
    hwloc_obj_t cache = last_level_cache(core);
    if (cache != nullptr && cache != last_cache) {
      result.last_level_caches.push_back(
          {.bytes = static_cast<std::int64_t>(cache->attr->cache.size),
           .cpus = bits(cache->cpuset)});
    }
    last_cache = cache;
  }
  if (result.cores.empty()) {
    throw Error(code, "hwloc sees no core in " + what);
  }
  result.gpus = find_gpus(topology);
  return result;
}

}  // namespace

Topology read_topology() { return load(make_topology(), ErrorCode::kLibrary, "this machine"); }

Topology synthetic_topology(const std::string& description) {
  const HwlocTopology topology = make_topology();
  if (hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0) {
    throw Error(ErrorCode::kUsage,
                fmt::format("'{}' is no topology in hwloc's notation, such as "
                            "'pack:2 numa:1 core:8 pu:2'",
                            description));
  }
  return load(topology, ErrorCode::kUsage, "'" + description + "'");
}

Topology restrict_topology(const Topology& topology, const std::vector<int>& cpus) {
  Topology result = topology;
  const auto restrict = [&cpus](auto& parts) {
    for (auto& part : parts) {
      std::erase_if(part.cpus, [&cpus](int cpu) {
        return std::find(cpus.begin(), cpus.end(), cpu) == cpus.end();
      });
    }
    std::erase_if(parts, [](const auto& part) { return part.cpus.empty(); });
  };
  restrict(result.cores);
  restrict(result.last_level_caches);
  return result;
}

std::vector<int> cpus_of_same_cores(const Topology& topology, const std::vector<int>& cpus) {
  Topology touched = topology;
  std::erase_if(touched.cores, [&cpus](const TopologyCore& core) {
    return std::ranges::find_first_of(core.cpus, cpus) == core.cpus.end();
  });
  return cpus_of(touched);
}

std::vector<int> cpus_of(const Topology& topology) {
  std::vector<int> cpus;
  for (const TopologyCore& core : topology.cores) {
    cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

std::int64_t last_level_cache_bytes(const Topology& topology) {
  std::int64_t bytes = 0;
  for (const TopologyCache& cache : topology.last_level_caches) {
    bytes += cache.bytes;
  }
  return bytes;
}

}  // namespace dlbench::probes
