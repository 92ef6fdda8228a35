// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The peak rates of a device as measured with the engine's own means: products of square matrices
// and copies. gpu_peaks.h has the data sheets' figures. Kept in the cache folder.
#pragma once

#include "engine/backend/backend.h"
#include "reports/record.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// A product of two matrices of extent x extent, 2 x extent^3 FLOP.
struct ProductPeak {
  std::string precision;  ///< fp32, tf32, bf16, fp16
  std::int64_t extent = 0;
  double flop_per_s = 0.0;
};

struct DevicePeaks {
  std::string device;                            ///< its name
  std::map<std::string, std::string> libraries;  ///< of its kernels, with versions
  std::vector<ProductPeak> products;             ///< one per precision that the device has
  std::int64_t copy_bytes = 0;                   ///< of one copy on the device
  double copy_bytes_per_s = 0.0;                 ///< on the device: bytes read plus bytes written
  double to_device_bytes_per_s = 0.0;            ///< from memory of the backend's host allocator
  double to_host_bytes_per_s = 0.0;
  std::string measured_at;  ///< UTC, ISO 8601
};

struct DevicePeakSizes {
  std::int64_t extent = 8192;
  std::int64_t copy_bytes = std::int64_t{1} << 30;
  int repeats = 10;  ///< the best of this many counts

  /// Returns smaller sizes for a device with little memory.
  [[nodiscard]] static DevicePeakSizes for_device(const backend::DeviceInfo& device);
};

/// Returns the seconds of one call of `enqueue` on the stream's own clock: enqueues `calls` calls
/// between two events, `batches` times, and takes the fastest batch. A first, untimed call loads
/// what is loaded at first use and touches the memory.
[[nodiscard]] double fastest_call_s(backend::Stream& stream,
                                    int batches,
                                    int calls,
                                    const std::function<void()>& enqueue);

/// Returns bytes read plus bytes written per second for copies of sizes.copy_bytes on the device.
/// Allocates two such blocks; throws core::Error(kMemory).
[[nodiscard]] double device_copy_rate(backend::Backend& backend, const DevicePeakSizes& sizes);

/// Measures all peaks. Takes some seconds, and memory for two copies and a layer of extent x
/// extent. Copies are timed by fastest_call_s(), products like a node in Executor::run_profiled():
/// by events on the device's clock. Throws core::Error(kMemory).
[[nodiscard]] DevicePeaks measure_device_peaks(backend::Backend& backend,
                                               const DevicePeakSizes& sizes);

/// Returns one record per precision, each with the bandwidth of the copy on the device.
[[nodiscard]] std::vector<reports::PeakRecord> peak_records(const DevicePeaks& peaks);

/// Returns a line per figure, for people.
[[nodiscard]] std::string peaks_text(const DevicePeaks& peaks);

/// Returns the file of a device below the cache folder: peaks/<device>.json.
[[nodiscard]] std::filesystem::path device_peak_file(const std::filesystem::path& folder,
                                                     const std::string& device);

/// Replaces the file atomically. Throws core::Error(kFile).
void store_device_peaks(const std::filesystem::path& folder, const DevicePeaks& peaks);

/// Loads a device's peaks; nothing if the file is missing or was measured with other library
/// versions. Throws core::Error(kData) for any other content.
[[nodiscard]] std::optional<DevicePeaks> load_device_peaks(
    const std::filesystem::path& folder,
    const std::string& device,
    const std::map<std::string, std::string>& libraries);

/// Returns the cached records of this device; empty if there are none. An unusable file is a
/// warning.
[[nodiscard]] std::vector<reports::PeakRecord> cached_device_peaks(const backend::Backend& backend);

}  // namespace dlbench::harness
