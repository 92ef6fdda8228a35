// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/open_device.h"

#include "engine/backend/backend_list.h"
#include "engine/backend/cuda_loader.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/nearest_name.h"
#include "harness/ranks.h"
#include "probes/node/topology.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::string_view kOracle = "ref";

/// Logs once, however many times the process opens the device.
void say_choice(const OpenedDevice& opened) {
  if (opened.why_no_better.empty()) {
    return;
  }
  static std::once_flag said;
  std::call_once(said, [&] {
    if (opened.device == kOracle) {
      core::log::warn(
          "using ref, plain loops that results are checked against, many times slower "
          "than this processor can be: " +
          opened.why_no_better);
    } else if (opened.device == "cpu" && machine_has_gpu()) {
      core::log::warn("using cpu: " + opened.why_no_better);
    } else {
      core::log::info("using " + opened.device + ": " + opened.why_no_better);
    }
  });
}

/// A device that --device auto may choose.
struct Candidate {
  std::string backend;
  std::optional<int> index;  ///< of its device; empty: as the rank's place says
  [[nodiscard]] std::string device() const {
    return index.has_value() ? backend + ":" + std::to_string(*index) : backend;
  }
};

/// Returns the candidates, best first. A lone process tries every GPU, as another process may own
/// the first; ranks have their own GPUs and leave those of others alone.
std::vector<Candidate> candidates(bool alone) {
  backend::register_cuda();
  std::vector<Candidate> found;
  for (const std::string& name : backend::backend_names()) {
    for (const std::optional<int> index :
         alone ? device_indices(name) : std::vector{std::optional<int>()}) {
      found.push_back({.backend = name, .index = index});
    }
  }
  return found;
}

OpenedDevice best_device(const backend::BackendOptions& options, bool alone) {
  std::string why;
  const auto add_reason = [&why](const std::string& reason) {
    if (!why.ends_with(reason)) {  // cpu's may be ref's
      why += (why.empty() ? "" : "; ") + reason;
    }
  };
  bool has_cpu = false;
  for (const Candidate& candidate : candidates(alone)) {
    has_cpu = has_cpu || candidate.backend == "cpu";
    if (candidate.backend == kOracle && !has_cpu) {  // which comes last
      add_reason(backend::backend_unavailable_reason("cpu"));
    }
    backend::BackendOptions chosen = options;
    chosen.device_index = candidate.index.value_or(options.device_index);
    try {
      return {backend::create_backend(candidate.backend, chosen), candidate.device(), why};
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kUnavailable) {
        throw;
      }
      add_reason(error.what());
    }
  }
  throw Error(ErrorCode::kUnavailable, "no device can be used: " + why);
}

/// The parts of "cuda:1".
struct DeviceName {
  std::string backend;
  std::optional<int> index;
};

/// The option that passed such a name.
struct NamingOption {
  std::string_view flag;
  std::string_view what;
  std::vector<std::string> names;
};

NamingOption device_option() { return {"--device", "device", {"auto", "cpu", "cuda", "ref"}}; }
NamingOption backend_option() { return {"--backend", "backend", {"cpu", "cuda", "ref"}}; }

/// Throws Error(kUsage) for a name that is no device on any machine.
DeviceName parse_device(const std::string& device, const NamingOption& option = device_option()) {
  const std::size_t colon = device.find(':');
  DeviceName parts{.backend = device.substr(0, colon)};
  if (parts.backend == "gpu") {  // one letter from "cpu", but not what was meant
    throw Error(
        ErrorCode::kUsage,
        fmt::format("{}: '{}' is no {}; did you mean 'cuda'?", option.flag, device, option.what));
  }
  std::vector<std::string> known = backend::backend_names();
  // Not every build has cpu and cuda; their refusals say so.
  known.insert(known.end(), option.names.begin(), option.names.end());
  if (std::ranges::find(known, device == "auto" ? device : parts.backend) == known.end()) {
    throw Error(ErrorCode::kUsage, core::unknown_name_message(option.what, device, option.names));
  }
  if (colon != std::string::npos) {
    const std::string index = device.substr(colon + 1);
    const bool digits =
        !index.empty() && index.size() < 4 &&
        std::all_of(index.begin(), index.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (parts.backend != "cuda" || !digits) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("{}: '{}' is no {}; wanted {} or cuda:N",
                              option.flag,
                              device,
                              option.what,
                              fmt::join(option.names, ", ")));
    }
    parts.index = std::stoi(index);
  }
  return parts;
}

OpenedDevice open(const std::string& device,
                  std::optional<std::int64_t> threads,
                  int local_rank,
                  const std::string& gpu_address,
                  bool alone) {
  backend::BackendOptions options{.threads = static_cast<int>(threads.value_or(0)),
                                  .local_rank = local_rank,
                                  .gpu_address = gpu_address};
  const DeviceName parts = parse_device(device);
  if (parts.backend == "auto") {
    return best_device(options, alone);
  }
  options.device_index = parts.index.value_or(options.device_index);
  return {backend::create_backend(parts.backend, options), device, ""};
}

/// Compares `opened` of every rank, on all ranks: empty, or the first two that differ.
std::string difference(comm::Rendezvous& ranks, const OpenedDevice& opened) {
  const std::string own(opened.backend->name());
  const std::vector<std::string> names = ranks.gather(own);
  const std::vector<std::string> reasons = ranks.gather(opened.why_no_better);
  std::string text;
  for (std::size_t rank = 1; rank < names.size() && text.empty(); ++rank) {
    if (names[rank] != names[0]) {
      const auto of = [&](std::size_t which) {
        return "rank " + std::to_string(which) + " (" + ranks.places()[which].host +
               ") computes on " + names[which] +
               (reasons[which].empty() ? "" : ": " + reasons[which]);
      };
      text = of(0) + "; " + of(rank);
    }
  }
  return ranks.broadcast_text(text);
}

}  // namespace

bool machine_has_gpu() {
  try {
    return !probes::read_topology().gpus.empty();
  } catch (const Error&) {
    return false;
  }
}

bool is_gpu(const std::string& device) { return parse_device(device).backend == "cuda"; }

std::vector<std::optional<int>> device_indices(const std::string& backend) {
  std::vector<std::optional<int>> indices{std::nullopt};
  const std::vector<backend::VisibleDevice> devices = backend::visible_devices(backend);
  for (std::size_t other = 1; other < devices.size(); ++other) {
    indices.emplace_back(devices[other].index);
  }
  return indices;
}

std::vector<std::string> usable_gpus(const std::string& device) {
  std::vector<std::string> addresses;
  if (device == "auto" || is_gpu(device)) {
    for (const backend::VisibleDevice& gpu : backend::visible_devices("cuda")) {
      addresses.push_back(gpu.address);
    }
  }
  return addresses;
}

std::vector<std::string> usable_gpus(const comm::Rendezvous& ranks, const std::string& device) {
  return ranks.size() > 1 ? usable_gpus(device) : std::vector<std::string>();
}

std::unique_ptr<backend::Backend> open_device(const std::string& device,
                                              std::optional<std::int64_t> threads) {
  OpenedDevice opened = open(device, threads, 0, {}, true);
  say_choice(opened);
  return std::move(opened.backend);
}

std::unique_ptr<backend::Backend> open_backend(const std::string& name, int threads) {
  const DeviceName parts = parse_device(name, backend_option());
  backend::BackendOptions options{.threads = threads};
  options.device_index = parts.index.value_or(options.device_index);
  return backend::create_backend(parts.backend, options);
}

OpenedDevice open_device_on_all(comm::Rendezvous& ranks,
                                const std::string& device,
                                std::optional<std::int64_t> threads,
                                const std::string& gpu_address) {
  OpenedDevice opened;
  together(ranks, [&] {
    const comm::RankPlace& place = ranks.places()[static_cast<std::size_t>(ranks.rank())];
    opened = open(device, threads, place.local_rank, gpu_address, ranks.size() == 1);
  });
  if (ranks.size() > 1) {
    if (const std::string differ = difference(ranks, opened); !differ.empty()) {
      throw Error(ErrorCode::kUnavailable,
                  "--device " + device + ": " + differ +
                      "; ranks that compute together want one kind: leave that device out, or give "
                      "--device cpu");
    }
  }
  say_choice(opened);
  return opened;
}

void check_device(const std::string& device, const std::string& precision) {
  // Support for bf16 depends on the processor.
  if (parse_device(device).backend == "cpu" && (precision == "tf32" || precision == "fp16")) {
    static_cast<void>(compute_dtype(precision, *backend::create_backend("cpu", {})));
  }
}

Error host_memory_refusal(std::string_view backend, const std::string& option) {
  return {ErrorCode::kUnavailable,
          option + " works in host memory, which a step on '" + std::string(backend) +
              "' does not use: it is there for --device cpu"};
}

void require_host_memory(const backend::Backend& backend, const std::string& option) {
  if (!backend.reads_host_memory()) {
    throw host_memory_refusal(backend.name(), option);
  }
}

std::string placed_gpu_address(const probes::RankPlacement& placement, int ranks) {
  return ranks > 1 && placement.gpu_visible ? placement.gpu_address : std::string();
}

core::DType compute_dtype(const std::string& precision, const backend::Backend& backend) {
  core::DType dtype = core::DType::kF32;
  if (precision == "bf16") {
    dtype = core::DType::kBF16;
  } else if (precision == "fp16") {
    dtype = core::DType::kF16;
  } else if (precision == "tf32") {
    if (backend.device().kind != "cuda") {
      throw Error(ErrorCode::kUnavailable,
                  "--precision tf32 exists on NVIDIA GPUs only; this run uses " +
                      std::string(backend.name()) + ": choose fp32 or bf16");
    }
  } else if (precision != "fp32") {
    throw Error(
        ErrorCode::kUsage,
        core::unknown_name_message(
            "precision", precision, std::array<std::string, 4>{"fp32", "tf32", "bf16", "fp16"}));
  }
  std::string why;
  if (!backend.supports(dtype, &why)) {
    throw Error(ErrorCode::kUnavailable, "--precision " + precision + ": " + why);
  }
  return dtype;
}

}  // namespace dlbench::harness
