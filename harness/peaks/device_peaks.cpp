// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/peaks/device_peaks.h"

#include "engine/comm/self.h"
#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/rng.h"
#include "engine/exec/executor.h"
#include "engine/graph/layers.h"
#include "engine/graph/passes.h"
#include "harness/cache_folder.h"
#include "harness/peaks/peak_file_internal.h"
#include "harness/utc_time.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace dlbench::harness {
namespace {

namespace fs = std::filesystem;
using core::DType;
using core::Error;
using core::ErrorCode;
using nlohmann::json;

constexpr const char* kFormat = "dlbench.device_peaks";
constexpr int kVersion = 1;
constexpr const char* kLayer = "product";
constexpr int kCopiesInABatch = 4;

struct Precision {
  const char* name;
  DType dtype;
  bool tf32;
};
constexpr std::array<Precision, 4> kPrecisions{{{"fp32", DType::kF32, false},
                                                {"tf32", DType::kF32, true},
                                                {"bf16", DType::kBF16, false},
                                                {"fp16", DType::kF16, false}}};

/// Builds y = x w^T in one precision, all of them extent x extent.
graph::Graph product_graph(std::int64_t extent, DType dtype) {
  graph::GraphBuilder builder(graph::Mode::kEvaluate);
  const graph::ValueId x = builder.add_input("x", DType::kF32, {extent, extent});
  builder.mark_output("y",
                      graph::linear(builder, x, kLayer, {.features_out = extent, .bias = false}));
  graph::Graph graph = std::move(builder).finish();
  return dtype == DType::kF32 ? graph : graph::mixed_precision(graph, dtype);
}

/// Returns the index of the product's node; the other nodes convert operands.
std::size_t product_node(const backend::LoweredGraph& lowered, std::int64_t extent) {
  std::size_t node = 0;
  while (node < lowered.nodes.size() &&
         lowered.nodes[node].cost.flop != 2 * extent * extent * extent) {
    ++node;
  }
  DLBENCH_CHECK(node < lowered.nodes.size()) << "no node of the graph is the product";
  return node;
}

double best_product_seconds(backend::Backend& backend,
                            const Precision& precision,
                            const DevicePeakSizes& sizes) {
  const graph::Graph graph = product_graph(sizes.extent, precision.dtype);
  exec::ModelState state(backend, graph, 1);
  comm::SelfCommunicator self;
  exec::Executor executor(
      backend, state, self, graph, {.lowering = {.allow_tf32 = precision.tf32}});
  // Random numbers: products of zeros take less power and therefore run at a higher clock.
  core::HostTensor x(DType::kF32, {sizes.extent, sizes.extent});
  core::RandomStream random(1, 1);
  for (float& element : x.as<float>()) {
    element = random.uniform(-1.0F, 1.0F);
  }
  executor.bind_input("x", x.data(), x.bytes());
  const std::size_t node = product_node(executor.lowered(), sizes.extent);
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat <= sizes.repeats; ++repeat) {
    executor.run_profiled();
    if (repeat > 0) {  // the first one loads and allocates
      best = std::min(best, executor.node_seconds()[node]);
    }
  }
  return best;
}

std::vector<ProductPeak> measure_products(backend::Backend& backend, const DevicePeakSizes& sizes) {
  std::vector<ProductPeak> products;
  for (const Precision& precision : kPrecisions) {
    std::string why;
    if (!backend.supports(precision.dtype, &why) ||
        (precision.tf32 && backend.device().kind != "cuda")) {
      continue;
    }
    try {
      const double seconds = best_product_seconds(backend, precision, sizes);
      const auto extent = static_cast<double>(sizes.extent);
      products.push_back({.precision = precision.name,
                          .extent = sizes.extent,
                          .flop_per_s = 2.0 * extent * extent * extent / seconds});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kUnavailable) {  // a device too old for tf32
        throw;
      }
    }
  }
  return products;
}

void measure_copies(backend::Backend& backend, const DevicePeakSizes& sizes, DevicePeaks& peaks) {
  peaks.copy_bytes = sizes.copy_bytes;
  peaks.copy_bytes_per_s = device_copy_rate(backend, sizes);
  const auto stream = backend.create_stream();
  core::HostBlock host(backend.host_allocator(), static_cast<std::size_t>(sizes.copy_bytes / 4));
  std::fill_n(host.data(), host.bytes(), std::byte{1});
  const auto there = backend.allocate(host.bytes());
  const auto rate = [&](const std::function<void()>& enqueue) {
    return static_cast<double>(host.bytes()) /
           fastest_call_s(*stream, sizes.repeats, kCopiesInABatch, enqueue);
  };
  peaks.to_device_bytes_per_s =
      rate([&] { stream->copy_to_device(there->data(), host.data(), host.bytes()); });
  peaks.to_host_bytes_per_s =
      rate([&] { stream->copy_to_host(host.data(), there->data(), host.bytes()); });
}

json to_json(const DevicePeaks& peaks) {
  json products = json::array();
  for (const ProductPeak& product : peaks.products) {
    products.push_back({{"precision", product.precision},
                        {"extent", product.extent},
                        {"flop_per_s", product.flop_per_s}});
  }
  return {{"format", kFormat},
          {"version", kVersion},
          {"device", peaks.device},
          {"libraries", peaks.libraries},
          {"products", std::move(products)},
          {"copy_bytes", peaks.copy_bytes},
          {"copy_bytes_per_s", peaks.copy_bytes_per_s},
          {"to_device_bytes_per_s", peaks.to_device_bytes_per_s},
          {"to_host_bytes_per_s", peaks.to_host_bytes_per_s},
          {"measured_at", peaks.measured_at}};
}

DevicePeaks from_json(const json& file) {
  check_format(file, kFormat, kVersion);
  DevicePeaks peaks{.device = file.at("device").get<std::string>(),
                    .libraries = file.at("libraries").get<std::map<std::string, std::string>>(),
                    .copy_bytes = file.at("copy_bytes").get<std::int64_t>(),
                    .copy_bytes_per_s = positive_number(file.at("copy_bytes_per_s")),
                    .to_device_bytes_per_s = positive_number(file.at("to_device_bytes_per_s")),
                    .to_host_bytes_per_s = positive_number(file.at("to_host_bytes_per_s")),
                    .measured_at = utc_text(file.at("measured_at"))};
  for (const json& product : file.at("products")) {
    peaks.products.push_back({.precision = printable_text(product.at("precision")),
                              .extent = positive_integer(product.at("extent")),
                              .flop_per_s = positive_number(product.at("flop_per_s"))});
  }
  return peaks;
}

}  // namespace

DevicePeakSizes DevicePeakSizes::for_device(const backend::DeviceInfo& device) {
  constexpr std::int64_t kSmall = std::int64_t{8} << 30;
  if (device.memory_bytes > 0 && device.memory_bytes < kSmall) {
    return {.extent = 4096, .copy_bytes = std::int64_t{1} << 28};
  }
  return {};
}

double fastest_call_s(backend::Stream& stream,
                      int batches,
                      int calls,
                      const std::function<void()>& enqueue) {
  const auto begin = stream.create_event();
  const auto end = stream.create_event();
  enqueue();
  double best = std::numeric_limits<double>::infinity();
  for (int batch = 0; batch < batches; ++batch) {
    stream.record_time(*begin);
    for (int call = 0; call < calls; ++call) {
      enqueue();
    }
    stream.record_time(*end);
    stream.synchronize();
    best = std::min(best, end->seconds_since(*begin) / calls);
  }
  return best;
}

double device_copy_rate(backend::Backend& backend, const DevicePeakSizes& sizes) {
  const auto bytes = static_cast<std::size_t>(sizes.copy_bytes);
  const auto from = backend.allocate(bytes);
  const auto to = backend.allocate(bytes);
  const auto stream = backend.create_stream();
  stream->fill_zero(from->data(), bytes);
  const double seconds = fastest_call_s(*stream, sizes.repeats, kCopiesInABatch, [&] {
    stream->copy_on_device(to->data(), from->data(), bytes);
  });
  return 2.0 * static_cast<double>(sizes.copy_bytes) / seconds;
}

DevicePeaks measure_device_peaks(backend::Backend& backend, const DevicePeakSizes& sizes) {
  DevicePeaks peaks{.device = backend.device().name, .libraries = backend.libraries()};
  measure_copies(backend, sizes, peaks);
  peaks.products = measure_products(backend, sizes);
  peaks.measured_at = utc_now();
  return peaks;
}

std::vector<reports::PeakRecord> peak_records(const DevicePeaks& peaks) {
  std::vector<reports::PeakRecord> records;
  for (const ProductPeak& product : peaks.products) {
    records.push_back(
        {.device = peaks.device,
         .precision = product.precision,
         .flop_per_s = product.flop_per_s,
         .memory_bytes_per_s = peaks.copy_bytes_per_s,
         .source = "measured",
         .measured_at = peaks.measured_at,
         .method = fmt::format("product of two {0} x {0} matrices; copy of {1} MiB on the device, "
                               "bytes read plus bytes written",
                               product.extent,
                               peaks.copy_bytes >> 20)});
  }
  return records;
}

std::string peaks_text(const DevicePeaks& peaks) {
  std::string text = fmt::format("peaks of {}, measured {}\n", peaks.device, peaks.measured_at);
  for (const ProductPeak& product : peaks.products) {
    text += fmt::format("  {:<12} {:<31} {:>8.1f} TFLOP/s\n",
                        product.precision,
                        fmt::format("product of {0} x {0}", product.extent),
                        product.flop_per_s / 1e12);
  }
  const auto line = [](const char* name, const char* what, double rate) {
    return fmt::format("  {:<12} {:<31} {:>8.1f} GB/s\n", name, what, rate / 1e9);
  };
  return text + line("copy", "on the device, read + written", peaks.copy_bytes_per_s) +
         line("to device", "from the host", peaks.to_device_bytes_per_s) +
         line("to host", "from the device", peaks.to_host_bytes_per_s);
}

fs::path device_peak_file(const fs::path& folder, const std::string& device) {
  return folder / "peaks" / (file_name_part(device) + ".json");
}

void store_device_peaks(const fs::path& folder, const DevicePeaks& peaks) {
  write_peak_file(device_peak_file(folder, peaks.device), to_json(peaks));
}

std::optional<DevicePeaks> load_device_peaks(const fs::path& folder,
                                             const std::string& device,
                                             const std::map<std::string, std::string>& libraries) {
  const auto peaks = read_peak_file<DevicePeaks>(device_peak_file(folder, device), from_json);
  const bool same = peaks.has_value() && peaks->device == device && peaks->libraries == libraries;
  return same ? peaks : std::nullopt;
}

std::vector<reports::PeakRecord> cached_device_peaks(const backend::Backend& backend) {
  const std::optional<fs::path> folder = cache_folder_if_usable();
  if (!folder.has_value()) {
    return {};
  }
  try {
    const auto peaks = load_device_peaks(*folder, backend.device().name, backend.libraries());
    return peaks.has_value() ? peak_records(*peaks) : std::vector<reports::PeakRecord>{};
  } catch (const Error& error) {
    core::log::warn(error.what());
    return {};
  }
}

}  // namespace dlbench::harness
