// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of NVML that is used: types, constants and functions, which are loaded at run time.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

namespace dlbench::probes::nvml {

// Types, layouts and constants of NVML's interface 13 (docs.nvidia.com/deploy/nvml-api), because
// not every package of the toolkit has its header. All calls return 0 for success.
using Device = struct nvmlDevice_st*;
using EventSet = struct nvmlEventSet_st*;
inline constexpr int kSuccess = 0;
inline constexpr int kNotFound = 6;
inline constexpr int kInsufficientSize = 7;
inline constexpr int kGpuIsLost = 15;

struct Utilization {
  unsigned gpu;
  unsigned memory;
};
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
struct Temperature {
  unsigned version = 0x0100000c;  // size 12, version 1
  int sensor = 0;                 // of the chip
  int celsius = 0;
};
static_assert(sizeof(Temperature) == 12);
union FieldNumber {
  double as_double;
  int as_int;
  unsigned as_unsigned;
  unsigned long as_long;
  unsigned long long as_long_long;
  long long as_signed_long_long;
  unsigned short as_short;
};
struct Field {
  unsigned id = 0;
  unsigned scope = 0;
  long long timestamp_us = 0;
  long long latency_us = 0;
  int type = 0;
  int status = 0;
  FieldNumber value{};
};
static_assert(sizeof(Field) == 40);
struct PciInfo {
  char legacy_address[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char address[32];
};
static_assert(sizeof(PciInfo) == 68);
struct ProcessUtilization {
  unsigned pid;
  unsigned long long timestamp_us;  // of the processor's clock
  unsigned sm;                      // percent of a period of the driver's
  unsigned memory;
  unsigned encoder;
  unsigned decoder;
};
static_assert(sizeof(ProcessUtilization) == 32);
struct EventData {
  Device device = nullptr;
  unsigned long long type = 0;
  unsigned long long data = 0;
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};

inline constexpr unsigned kFieldMemoryTemperature = 82;
inline constexpr unsigned kFieldPowerAverage = 185;
inline constexpr unsigned kFieldPowerInstant = 186;
inline constexpr unsigned kFieldPcieSent = 197;
inline constexpr unsigned kFieldPcieReceived = 198;
inline constexpr int kTypeUnsigned = 1;
inline constexpr unsigned kMigEnabled = 1;
inline constexpr int kClockSm = 1;
inline constexpr int kClockMemory = 2;

/// The functions of the library. One that an older driver lacks is null, and its value absent. The
/// library stays loaded, as its threads may outlive the probe.
struct Nvml {
  explicit Nvml(void* library) : library_(library) {
    load(init, "nvmlInit_v2");
    load(shutdown, "nvmlShutdown");
    load(error_string, "nvmlErrorString");
    load(driver_version, "nvmlSystemGetDriverVersion");
    load(device_count, "nvmlDeviceGetCount_v2");
    load(by_index, "nvmlDeviceGetHandleByIndex_v2");
    load(by_address, "nvmlDeviceGetHandleByPciBusId_v2");
    load(by_uuid, "nvmlDeviceGetHandleByUUID");
    load(name, "nvmlDeviceGetName");
    load(uuid, "nvmlDeviceGetUUID");
    load(compute_capability, "nvmlDeviceGetCudaComputeCapability");
    load(pci_info, "nvmlDeviceGetPciInfo_v3");
    load(mig_mode, "nvmlDeviceGetMigMode");
    load(power_usage, "nvmlDeviceGetPowerUsage");
    load(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
    load(energy, "nvmlDeviceGetTotalEnergyConsumption");
    load(utilization, "nvmlDeviceGetUtilizationRates");
    load(memory, "nvmlDeviceGetMemoryInfo");
    load(temperature, "nvmlDeviceGetTemperatureV");
    load(temperature_before_13, "nvmlDeviceGetTemperature");
    load(clock, "nvmlDeviceGetClockInfo");
    load(max_clock, "nvmlDeviceGetMaxClockInfo");
    load(clock_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
    if (clock_reasons == nullptr) {
      load(clock_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");  // its name before 535
    }
    load(pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
    load(pcie_lanes, "nvmlDeviceGetCurrPcieLinkWidth");
    load(fields, "nvmlDeviceGetFieldValues");
    load(process_utilization, "nvmlDeviceGetProcessUtilization");
    load(create_events, "nvmlEventSetCreate");
    load(supported_events, "nvmlDeviceGetSupportedEventTypes");
    load(register_events, "nvmlDeviceRegisterEvents");
    load(wait_event, "nvmlEventSetWait_v2");
    load(free_events, "nvmlEventSetFree");
  }

  [[nodiscard]] std::string error_text(int status) const {
    const char* text = error_string != nullptr ? error_string(status) : nullptr;
    return fmt::format("{} (NVML error {})", text != nullptr ? text : "failed", status);
  }

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*device_count)(unsigned*) = nullptr;
  int (*by_index)(unsigned, Device*) = nullptr;
  int (*by_address)(const char*, Device*) = nullptr;
  int (*by_uuid)(const char*, Device*) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*uuid)(Device, char*, unsigned) = nullptr;
  int (*compute_capability)(Device, int*, int*) = nullptr;  // major, minor
  int (*pci_info)(Device, PciInfo*) = nullptr;
  int (*mig_mode)(Device, unsigned*, unsigned*) = nullptr;  // now, pending
  int (*power_usage)(Device, unsigned*) = nullptr;          // mW
  int (*power_limit)(Device, unsigned*) = nullptr;          // mW
  int (*energy)(Device, unsigned long long*) = nullptr;     // mJ since the driver was loaded
  int (*utilization)(Device, Utilization*) = nullptr;       // percent
  int (*memory)(Device, Memory*) = nullptr;
  int (*temperature)(Device, Temperature*) = nullptr;
  int (*temperature_before_13)(Device, int, unsigned*) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;      // MHz
  int (*max_clock)(Device, int, unsigned*) = nullptr;  // MHz
  int (*clock_reasons)(Device, unsigned long long*) = nullptr;
  int (*pcie_generation)(Device, unsigned*) = nullptr;
  int (*pcie_lanes)(Device, unsigned*) = nullptr;
  int (*fields)(Device, int, Field*) = nullptr;
  // Samples; room in, number out; only samples newer than
  int (*process_utilization)(Device, ProcessUtilization*, unsigned*, unsigned long long) = nullptr;
  int (*create_events)(EventSet*) = nullptr;
  int (*supported_events)(Device, unsigned long long*) = nullptr;
  int (*register_events)(Device, unsigned long long, EventSet) = nullptr;
  int (*wait_event)(EventSet, EventData*, unsigned) = nullptr;  // timeout in ms
  int (*free_events)(EventSet) = nullptr;

 private:
  template <typename Function>
  void load(Function*& function, const char* symbol) {
    function = reinterpret_cast<Function*>(dlsym(library_, symbol));
  }

  void* library_;
};

}  // namespace dlbench::probes::nvml
