// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints, for each memory-bound kernel of a backend, the bytes per second that it moves and their
// share of a copy's: a line each, and all as JSON.
//
//   gpu_bandwidth [--backend cuda] [--output FILE] [--batch N --channels C --side S] [--calls N]
//
// Exit code: 0 measured, 1 an error, 77 the backend cannot be used here.
#include "engine/backend/backend.h"
#include "engine/core/build_info.h"
#include "engine/core/error.h"
#include "harness/peaks/device_peaks.h"
#include "tests/gpu/op_bandwidth.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

namespace {

using namespace dlbench;  // NOLINT(google-build-using-namespace): a program of one file.
using nlohmann::json;

constexpr int kSkipped = 77;
constexpr int kFailed = 1;

struct Options {
  std::string backend = "cuda";
  std::string output;
  BandwidthSizes sizes;
};

json row_of(const OpBandwidth& result, double copy_rate) {
  return {{"name", result.name},
          {"dtype", result.dtype},
          {"kernel", result.kernel},
          {"kind", result.kind},
          {"seconds", result.seconds},
          {"operand_bytes", result.traffic.operands},
          {"model_bytes", result.traffic.model},
          {"moved_bytes", result.traffic.moved},
          {"bytes_per_s", result.bytes_per_s()},
          {"share_of_copy", result.bytes_per_s() / copy_rate}};
}

/// After every case: a run that is cut short leaves what it measured, and is not "complete".
void write(const json& report, const std::string& path) {
  if (path.empty()) {
    return;
  }
  std::ofstream file(path);
  file << report.dump(1) << "\n";
  if (!file.flush()) {
    throw core::Error(core::ErrorCode::kFile, "cannot write " + path);
  }
}

/// As much as a case's largest tensor has: a copy of less would be one inside the caches.
harness::DevicePeakSizes copy_sizes(const backend::Backend& backend, const Options& options) {
  auto sizes = harness::DevicePeakSizes::for_device(backend.device());
  const BandwidthSizes& s = options.sizes;
  sizes.copy_bytes = std::min(sizes.copy_bytes, 8 * s.batch * s.channels * s.side * s.side);
  return sizes;
}

bool measure(const Options& options) {
  const auto backend = backend::create_backend(options.backend, {});
  const double copy_rate = harness::device_copy_rate(*backend, copy_sizes(*backend, options));
  const core::BuildInfo& build = core::build_info();
  json report{
      {"dlbench", fmt::format("{} ({})", build.version, build.git_commit)},  // as --version has it
      {"device", backend->device().name},
      {"copy_bytes_per_s", copy_rate},
      {"largest_tensor",
       {options.sizes.batch, options.sizes.channels, options.sizes.side, options.sizes.side}},
      {"complete", false},
      {"rows", json::array()},
      {"skipped", json::array()},
      {"failed", json::array()}};
  fmt::print("{}: copy {:.1f} GB/s\n", backend->device().name, copy_rate / 1e9);
  for (const conformance::OpCase& spec : bandwidth_cases(options.sizes)) {
    for (const core::DType dtype : spec.dtypes) {
      try {
        for (const OpBandwidth& result : measure_case(*backend, spec, dtype, options.sizes)) {
          report["rows"].push_back(row_of(result, copy_rate));
          fmt::print("{:<44} {:<5} {:>9.1f} GB/s  {:>5.2f} of copy\n",
                     result.name,
                     result.dtype,
                     result.bytes_per_s() / 1e9,
                     result.bytes_per_s() / copy_rate);
        }
      } catch (const std::exception& error) {
        const auto* refusal = dynamic_cast<const core::Error*>(&error);
        const bool skipped = refusal != nullptr && refusal->code() == core::ErrorCode::kUnavailable;
        const std::string what =
            fmt::format("{} {}: {}", spec.note, core::name(dtype), error.what());
        report[skipped ? "skipped" : "failed"].push_back(what);
        fmt::print("{} {}\n", skipped ? "skipped" : "FAILED", what);
      }
      std::fflush(stdout);
      write(report, options.output);
    }
  }
  report["complete"] = true;
  write(report, options.output);
  return report["failed"].empty();
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): of setting up options and of printing itself.
int main(int argc, char** argv) {
  CLI::App app("bytes per second of memory-bound kernels, beside a copy's");
  Options options;
  app.add_option("--backend", options.backend, "cuda, cpu or ref");
  app.add_option("--output", options.output, "all results as JSON");
  app.add_option("--batch", options.sizes.batch)->check(CLI::PositiveNumber);
  app.add_option("--channels", options.sizes.channels, "a multiple of 4")
      ->check(CLI::PositiveNumber);
  app.add_option("--side", options.sizes.side, "even")->check(CLI::PositiveNumber);
  app.add_option("--batches", options.sizes.batches, "the fastest counts")
      ->check(CLI::PositiveNumber);
  app.add_option("--calls", options.sizes.calls, "in a batch")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    if (const std::string why = backend::backend_unavailable_reason(options.backend);
        !why.empty()) {
      fmt::print("skipped: {}\n", why);
      return kSkipped;
    }
    return measure(options) ? 0 : kFailed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu_bandwidth: {}\n", error.what());
    return kFailed;
  }
}
