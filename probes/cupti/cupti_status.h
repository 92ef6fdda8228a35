// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What CUPTI's refusals mean for a user.
#pragma once

#include "engine/core/error.h"
#include "probes/cupti/cupti_library.h"
#include "probes/cupti/driver_context.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <string>

namespace dlbench::probes {

/// One sentence for a CUptiResult that is not success: which call was refused, why, and what to do
/// about it. Another tool that owns the profiler, and counters that only an administrator may read,
/// are named as such.
[[nodiscard]] std::string cupti_refusal(const std::string& call, int status);

/// Why counters are for administrators: by the driver of Linux, or, `below_windows`, by that of
/// Windows, which nothing in its subsystem for Linux can change.
[[nodiscard]] std::string privilege_refusal(bool below_windows);

/// Whether `kernel`, as in /proc/sys/kernel/osrelease, is that of the Windows Subsystem for Linux.
[[nodiscard]] bool is_windows_subsystem(const std::string& kernel);

/// The same for the calls that take the counters of a device, which CUPTI hands to one owner in a
/// process: there an operation that is not valid means that somebody has them already.
[[nodiscard]] std::string counters_refusal(const std::string& call, int status);

/// Why counters of a device that processes share by MPS are not read; empty where none do. CUPTI's
/// known issues: profiling is not supported under MPS.
[[nodiscard]] std::string mps_counters_refusal(const DriverDevice& device);

/// Why work of such a device is not recorded; empty where it may be. CUPTI's known issues: before
/// Hopper (9.0) tracing of kernels that are launched cooperatively can hang under MPS.
[[nodiscard]] std::string mps_recording_refusal(const DriverDevice& device);

/// "CUPTI 13.0.1", the one that was loaded; empty: none was.
[[nodiscard]] std::string cupti_library();

/// Empty if this library was opened and has all functions that the probes call; else one sentence:
/// why not, and what to do.
[[nodiscard]] std::string cupti_library_refusal(const CuptiLibrary& library);

/// Empty if a CUPTI of version `loaded`, as cuptiGetVersion() numbers them, may be used by a build
/// whose headers are of version `built`: it is as new, and not older than 13.0.1; else a sentence
/// with both. By its release notes CUPTI 13.0.0 may hang when kernels are no longer recorded, and
/// crash when buffers are flushed, or with a process whose NVTX came first.
[[nodiscard]] std::string cupti_version_refusal(std::uint32_t loaded, std::uint32_t built);

/// Empty if opened_cupti() has all functions and is new enough; else one sentence. For what opens
/// a probe: it starts nothing.
[[nodiscard]] std::string opened_cupti_refusal();

/// Whether what a probe failed with when it began holds for the whole run:
/// core::Error(kUnavailable).
[[nodiscard]] bool is_for_good(const std::exception& error);

/// kUnavailable; kLibrary where another process has what is wanted, which may pass.
[[nodiscard]] core::ErrorCode refusal_code(int status);

/// Runs `open`, which takes counters of a device. What it throws is thrown on, with the status of
/// starting the profiler (a CUptiResult) added if that failed: it may be the cause.
void with_start(int started, const std::function<void()>& open);

/// Throws core::Error(kUnavailable, why): the counters of a device cannot be had.
[[noreturn]] void refuse_counters(const std::string& why);

/// Throws core::Error(code), in place of kUnavailable refusal_code(), with the sentence of
/// cupti_refusal() unless `status` is success.
void check_cupti(int status, const char* call, core::ErrorCode code);

}  // namespace dlbench::probes
