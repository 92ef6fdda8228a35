// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Explains CUPTI's refusals to the user.
#pragma once

#include "engine/core/error.h"
#include "probes/cupti/cupti_library.h"
#include "probes/cupti/driver_context.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <string>

namespace dlbench::probes {

/// Returns one sentence for an unsuccessful CUptiResult: which call was refused, why, and what to
/// do. Recognises another tool that owns the profiler, and counters that only an administrator may
/// read.
[[nodiscard]] std::string cupti_refusal(const std::string& call, int status);

/// Returns why only administrators may read counters, and how to change that: in the Linux driver,
/// or, if `below_windows`, in the Windows driver, which the subsystem for Linux cannot change.
[[nodiscard]] std::string privilege_refusal(bool below_windows);

/// Whether `kernel`, from /proc/sys/kernel/osrelease, is that of the Windows Subsystem for Linux.
[[nodiscard]] bool is_windows_subsystem(const std::string& kernel);

/// Like cupti_refusal(), for calls that acquire a device's counters, which CUPTI gives to one owner
/// per process: an invalid operation there means that another one has them already.
[[nodiscard]] std::string counters_refusal(const std::string& call, int status);

/// Returns why counters of a device that processes share by MPS are not read; empty if none share
/// it. CUPTI's known issues: profiling is not supported under MPS.
[[nodiscard]] std::string mps_counters_refusal(const DriverDevice& device);

/// Returns why work of such a device is not recorded; empty if it may be. CUPTI's known issues:
/// before Hopper (9.0) tracing of cooperatively launched kernels can hang under MPS.
[[nodiscard]] std::string mps_recording_refusal(const DriverDevice& device);

/// Returns the version of the loaded library, "CUPTI 13.0.1"; empty: none was loaded.
[[nodiscard]] std::string cupti_library();

/// Returns an empty text if this library was opened and has all functions that the probes call;
/// else one sentence on why not, and what to do.
[[nodiscard]] std::string cupti_library_refusal(const CuptiLibrary& library);

/// Returns an empty text if the CUPTI version `loaded` (numbered as by cuptiGetVersion()) is at
/// least that of the build's headers, `built`, and 13.0.1; else a sentence with both. By its
/// release notes CUPTI 13.0.0 may hang when recording of kernels ends, and crash when buffers are
/// flushed or if NVTX was used first.
[[nodiscard]] std::string cupti_version_refusal(std::uint32_t loaded, std::uint32_t built);

/// Returns an empty text if opened_cupti() has all functions and is new enough; else one sentence.
/// Starts nothing, so that a probe can call it when it is opened.
[[nodiscard]] std::string opened_cupti_refusal();

/// Whether a probe's error at its begin holds for the whole run: core::Error(kUnavailable).
[[nodiscard]] bool is_for_good(const std::exception& error);

/// Returns kUnavailable, or kLibrary if another process has the resource, which may be temporary.
[[nodiscard]] core::ErrorCode refusal_code(int status);

/// Runs `open`, which acquires a device's counters. Rethrows its error; if starting the profiler
/// failed (`started`, a CUptiResult), adds that status, which may be the cause.
void with_start(int started, const std::function<void()>& open);

/// Throws core::Error(kUnavailable, why): the counters of a device are not available.
[[noreturn]] void refuse_counters(const std::string& why);

/// Throws core::Error with the sentence of cupti_refusal() unless `status` is success. Its code is
/// `code`, except that refusal_code() replaces kUnavailable.
void check_cupti(int status, const char* call, core::ErrorCode code);

}  // namespace dlbench::probes
