// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A library with NVML's interface and one fake GPU: what probes/gpu/nvml_library.cpp reads is
// known. Signatures and layouts are those of docs.nvidia.com/deploy/nvml-api, written down a second
// time.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr int kOk = 0;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
constexpr int kInsufficientSize = 7;
constexpr int kTimeout = 10;
constexpr int kGpuIsLost = 15;
constexpr unsigned kSamplesKept = 100;

/// By PCI bus, from 41 on, as the fake GPUs have them. NVML's index knows one alone, the first
/// or number DLBENCH_FAKE_VISIBLE (from 0).
int device_objects[8];
int visible() {
  const char* setting = std::getenv("DLBENCH_FAKE_VISIBLE");
  return setting != nullptr ? std::atoi(setting) : 0;
}
int number_of(void* device) { return static_cast<int>(static_cast<int*>(device) - device_objects); }
int events_object = 0;
int energy_reads = 0;
int temperature_reads = 0;
std::uint32_t received = 0xFFFFFF00U;
std::uint64_t sent = 0xFFFFFF00U;
int event_looks = 0;
int field_reads = 0;

/// DLBENCH_FAKE_XID: a fault, told once, at that look (from 1): "48@3" for an Xid, "ecc@3" for
/// an uncorrected error of the memory; or "lost@3": from that reading of fields on the device does
/// not answer any more.
const char* fault_setting() {
  const char* setting = std::getenv("DLBENCH_FAKE_XID");
  return setting != nullptr && std::strchr(setting, '@') != nullptr ? setting : "@0";
}
int fault_at() { return std::atoi(std::strchr(fault_setting(), '@') + 1); }
bool fault_is(const char* kind) {
  return std::strncmp(fault_setting(), kind, std::strlen(kind)) == 0;
}

void put(char* text, unsigned length, const char* value) { std::strncpy(text, value, length); }

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names of NVML.
extern "C" {

int nvmlInit_v2() { return kOk; }
int nvmlShutdown() { return kOk; }
const char* nvmlErrorString(int status) { return status == kNotFound ? "Not Found" : "Error"; }
int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  put(text, length, "0.1");
  return kOk;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return kOk;
}
int nvmlDeviceGetCudaComputeCapability(void* /*device*/, int* major, int* minor) {
  *major = 9;
  *minor = 0;
  return kOk;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = device_objects + visible();
  return index == 0 ? kOk : kNotFound;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  const char* at = std::strstr(address, "0000:4");
  const int number = at != nullptr ? at[6] - '1' : -1;
  if (number < 0 || number >= 8 || std::strcmp(at + 7, ":00.0") != 0) {
    return kNotFound;
  }
  *device = &device_objects[number];
  return kOk;
}
int nvmlDeviceGetName(void* /*device*/, char* text, unsigned length) {
  put(text, length, "Fake GPU");
  return kOk;
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned length) {
  put(text, length, "GPU-1");
  text[4] = static_cast<char>('1' + number_of(device));
  return kOk;
}
int nvmlDeviceGetPciInfo_v3(void* device, unsigned char* info) {
  std::memset(info, 0, 68);
  std::memcpy(info + 36, "00000000:41:00.0", 17);
  info[46] = static_cast<unsigned char>('1' + number_of(device));
  return kOk;
}
/// DLBENCH_FAKE_MIG: it is divided.
int nvmlDeviceGetMigMode(void* /*device*/, unsigned* now, unsigned* pending) {
  *now = std::getenv("DLBENCH_FAKE_MIG") != nullptr ? 1 : 0;
  *pending = 0;
  return kOk;
}
int nvmlDeviceGetEnforcedPowerLimit(void* /*device*/, unsigned* milliwatt) {
  *milliwatt = 700000;
  return kOk;
}
int nvmlDeviceGetPowerUsage(void* /*device*/, unsigned* milliwatt) {
  *milliwatt = 250000;
  return kOk;
}
int nvmlDeviceGetMaxClockInfo(void* /*device*/, int domain, unsigned* megahertz) {
  *megahertz = domain == 1 ? 1980 : 2619;
  return domain == 1 || domain == 2 ? kOk : kNotSupported;
}
int nvmlDeviceGetTotalEnergyConsumption(void* /*device*/, unsigned long long* millijoules) {
  // DLBENCH_FAKE_DEAR_ENERGY: a millisecond of the processor, as below some drivers.
  const std::clock_t begin = std::clock();
  while (std::getenv("DLBENCH_FAKE_DEAR_ENERGY") != nullptr &&
         std::clock() - begin < CLOCKS_PER_SEC / 1000) {
  }
  // At ten looks a second that of the power.
  *millijoules = 1000000 + 25050ULL * static_cast<unsigned>(energy_reads++);
  return kOk;
}
int nvmlDeviceGetUtilizationRates(void* /*device*/, unsigned* gpu_and_memory) {
  gpu_and_memory[0] = 75;
  gpu_and_memory[1] = 25;
  return kOk;
}
int nvmlDeviceGetMemoryInfo(void* /*device*/, unsigned long long* total_free_used) {
  total_free_used[0] = 1000;
  total_free_used[1] = 600;
  total_free_used[2] = 400;
  return kOk;
}
/// Serves every other call: the older function must be asked in between.
int nvmlDeviceGetTemperatureV(void* /*device*/, int* version_sensor_celsius) {
  version_sensor_celsius[2] = version_sensor_celsius[0] == 0x0100000c ? 61 : -1;
  return temperature_reads++ % 2 == 0 ? kOk : kNotSupported;
}
int nvmlDeviceGetTemperature(void* /*device*/, int sensor, unsigned* celsius) {
  *celsius = 62;
  return sensor == 0 ? kOk : kNotSupported;
}
int nvmlDeviceGetClockInfo(void* /*device*/, int domain, unsigned* megahertz) {
  *megahertz = domain == 1 ? 1755 : 2619;
  return domain == 1 || domain == 2 ? kOk : kNotSupported;
}
int nvmlDeviceGetCurrentClocksEventReasons(void* /*device*/, unsigned long long* reasons) {
  // DLBENCH_FAKE_REASONS: bits of nvmlClocksEventReason*.
  const char* setting = std::getenv("DLBENCH_FAKE_REASONS");
  *reasons = setting != nullptr ? std::strtoull(setting, nullptr, 10) : 4;
  return kOk;
}
/// DLBENCH_FAKE_AVERAGE_POWER: fields tell of the average and not of this moment.
/// DLBENCH_FAKE_SENT: the counter of bytes sent, as it stands.
/// 40 bytes a field: id, scope, two 64-bit times, type at 24, status at 28, value at 32.
int nvmlDeviceGetFieldValues(void* /*device*/, int count, unsigned char* fields) {
  if (fault_is("lost") && ++field_reads >= fault_at()) {
    return kGpuIsLost;
  }
  for (int index = 0; index < count; ++index) {
    unsigned char* field = fields + std::ptrdiff_t{40} * index;
    std::uint32_t id = 0;
    std::memcpy(&id, field, 4);
    std::uint32_t type = 1;  // 32 bits without sign
    std::uint32_t status = kOk;
    std::uint64_t value = 0;
    const bool of_average = std::getenv("DLBENCH_FAKE_AVERAGE_POWER") != nullptr;
    const char* const sent_now = std::getenv("DLBENCH_FAKE_SENT");
    if (id == 186 && !of_average) {
      value = 250500;
    } else if (id == 185 && of_average) {
      value = 240000;
    } else if (std::getenv("DLBENCH_FAKE_NO_PCIE") != nullptr) {
      status = kNotSupported;
    } else if (id == 198) {
      value = received;
      received += 512;
    } else if (id == 197) {
      type = 3;  // 64 bits without sign, of a counter that has 32
      value = sent_now != nullptr ? std::strtoull(sent_now, nullptr, 10) : sent;
      sent = (sent + 256) & 0xFFFFFFFFU;
    } else {
      status = kNotSupported;
    }
    std::memcpy(field + 24, &type, 4);
    std::memcpy(field + 28, &status, 4);
    std::memcpy(field + 32, &value, type == 1 ? 4 : 8);
  }
  return kOk;
}
/// 32 bytes a sample: pid, time at 8, share of the multiprocessors at 16.
/// DLBENCH_FAKE_PROCESSES: "4711:37,self:80": what each process has of the time, in percent;
/// each call has samples that are newer than those of the call before. Behind the last one
/// "@later": its time is in the far future, or "@before": it is that of the call before. As users
/// report of some drivers (NVIDIA/go-nvml issue 11, Syllo/nvtop issue 110), it wants room for 100
/// samples, and gives as many; those that nobody wrote are zero here.
int nvmlDeviceGetProcessUtilization(void* /*device*/,
                                    unsigned char* samples,
                                    unsigned* count,
                                    unsigned long long newer_than) {
  static std::uint64_t now = 1000;
  const char* at = std::getenv("DLBENCH_FAKE_PROCESSES");
  if (at == nullptr) {
    return kNotSupported;
  }
  if (*at == '\0') {
    return kNotFound;
  }
  unsigned wanted = 1;
  for (const char* letter = at; *letter != '\0'; ++letter) {
    wanted += *letter == ',' ? 1 : 0;
  }
  const unsigned room = std::max(kSamplesKept, wanted);
  if (*count < room) {
    *count = room;
    return kInsufficientSize;
  }
  const std::uint64_t before = now;
  now += newer_than >= now ? 1000 : 0;
  for (*count = 0; *count < wanted; ++*count) {
    const auto pid =
        static_cast<std::uint32_t>(std::strncmp(at, "self", 4) == 0 ? getpid() : std::atoi(at));
    const auto share = static_cast<std::uint32_t>(std::atoi(std::strchr(at, ':') + 1));
    const char* const end = std::strchr(at, ',');
    const auto is_marked = [&](const char* mark) {
      return end == nullptr && std::strstr(at, mark) != nullptr;
    };
    const std::uint64_t time = is_marked("@later")    ? UINT64_MAX / 2
                               : is_marked("@before") ? before
                                                      : now;
    unsigned char* sample = samples + std::ptrdiff_t{32} * *count;
    std::memset(sample, 0, 32);
    std::memcpy(sample, &pid, 4);
    std::memcpy(sample + 8, &time, 8);
    std::memcpy(sample + 16, &share, 4);
    at = end != nullptr ? end + 1 : at;
  }
  std::memset(samples + std::ptrdiff_t{32} * wanted, 0, std::size_t{32} * (room - wanted));
  *count = room;
  return kOk;
}
int nvmlEventSetCreate(void** events) {
  *events = &events_object;
  return kOk;
}
int nvmlDeviceGetSupportedEventTypes(void* /*device*/, unsigned long long* types) {
  *types = fault_is("ecc") ? 0x8 | 0x4 | 0x2 : 0x8 | 0x4;
  return kOk;
}
int nvmlDeviceRegisterEvents(void* /*device*/, unsigned long long types, void* /*events*/) {
  // Asked for what is supported, and no more.
  return types == (fault_is("ecc") ? 0xAU : 0x8U) ? kOk : kNotSupported;
}
int nvmlEventSetWait_v2(void* /*events*/, unsigned char* data, unsigned /*timeout_ms*/) {
  if (fault_is("lost") || ++event_looks != fault_at()) {
    return kTimeout;
  }
  const unsigned long long type = fault_is("ecc") ? 0x2 : 0x8;
  const auto xid = static_cast<unsigned long long>(std::atoi(fault_setting()));
  // NOLINTNEXTLINE(bugprone-not-null-terminated-result): numbers.
  std::memcpy(data + 8, &type, 8);
  std::memcpy(data + 16, &xid, 8);
  return kOk;
}
int nvmlEventSetFree(void* /*events*/) { return kOk; }

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
