// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How fast a device goes at most by the means that the engine has: products of square matrices and
// copies. Beside what its data sheet promises (gpu_peaks.h). Kept in the cache folder.
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
  std::map<std::string, std::string> libraries;  ///< behind the kernels, with their versions
  std::vector<ProductPeak> products;             ///< of the precisions that the device has
  std::int64_t copy_bytes = 0;                   ///< of one copy on the device
  double copy_bytes_per_s = 0.0;                 ///< on the device: bytes read plus bytes written
  double to_device_bytes_per_s = 0.0;            ///< from memory of the backend's host allocator
  double to_host_bytes_per_s = 0.0;
  std::string measured_at;  ///< UTC, ISO 8601
};

struct DevicePeakSizes {
  std::int64_t extent = 8192;
  std::int64_t copy_bytes = std::int64_t{1} << 30;
  int repeats = 10;  ///< the best of so many counts

  /// Smaller on a device with little memory.
  [[nodiscard]] static DevicePeakSizes for_device(const backend::DeviceInfo& device);
};

/// Seconds of one call of `enqueue` on the stream's own clock: `batches` times `calls` of them are
/// enqueued between two events, and the fastest batch counts. One call goes before, which loads
/// what is loaded at first use and touches the memory.
[[nodiscard]] double fastest_call_s(backend::Stream& stream,
                                    int batches,
                                    int calls,
                                    const std::function<void()>& enqueue);

/// Bytes read plus bytes written per second by copies of sizes.copy_bytes on the device. Takes
/// memory for two of them; throws core::Error(kMemory).
[[nodiscard]] double device_copy_rate(backend::Backend& backend, const DevicePeakSizes& sizes);

/// Takes some seconds, and memory for two copies and a layer of extent x extent. Copies are timed
/// by fastest_call_s(), products as Executor::run_profiled() times a node: by events on the
/// device's clock. Throws core::Error(kMemory).
[[nodiscard]] DevicePeaks measure_device_peaks(backend::Backend& backend,
                                               const DevicePeakSizes& sizes);

/// One record per precision, each with the bandwidth of the copy on the device.
[[nodiscard]] std::vector<reports::PeakRecord> peak_records(const DevicePeaks& peaks);

/// For people: a line per figure.
[[nodiscard]] std::string peaks_text(const DevicePeaks& peaks);

/// The file of a device below the cache folder: peaks/<device>.json.
[[nodiscard]] std::filesystem::path device_peak_file(const std::filesystem::path& folder,
                                                     const std::string& device);

/// Replaces the file atomically. Throws core::Error(kFile).
void store_device_peaks(const std::filesystem::path& folder, const DevicePeaks& peaks);

/// Nothing if there is no such file, or it was measured with other versions of the libraries.
/// Throws core::Error(kData) if it holds something else.
[[nodiscard]] std::optional<DevicePeaks> load_device_peaks(
    const std::filesystem::path& folder,
    const std::string& device,
    const std::map<std::string, std::string>& libraries);

/// Records of what is kept of this device; empty if nothing is. A file that cannot be used is a
/// warning.
[[nodiscard]] std::vector<reports::PeakRecord> cached_device_peaks(const backend::Backend& backend);

}  // namespace dlbench::harness
