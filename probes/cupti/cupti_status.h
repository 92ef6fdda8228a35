// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Explains CUPTI's refusals to the user.
#pragma once

#include "engine/core/error.h"
#include "probes/cupti/cupti_library.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <string>

namespace dlbench::probes {

/// Returns one sentence for an unsuccessful CUptiResult: which call was refused, why, and what to
/// do. Recognises another tool that owns the profiler, and counters that only an administrator may
/// read.
[[nodiscard]] std::string cupti_refusal(const std::string& call, int status);

/// Like cupti_refusal(), for calls that acquire a device's counters, which CUPTI gives to one owner
/// per process: an invalid operation there means that another one has them already.
[[nodiscard]] std::string counters_refusal(const std::string& call, int status);

/// Returns the version of the loaded library, "CUPTI 13.0.1"; empty: none was loaded.
[[nodiscard]] std::string cupti_library();

/// Returns an empty text if this library was opened and has all functions that the probes call;
/// else one sentence on why not, and what to do.
[[nodiscard]] std::string cupti_library_refusal(const CuptiLibrary& library);

/// Returns an empty text if this CUPTI version (numbered as by cuptiGetVersion()) is at least that
/// of the build; else a sentence with both.
[[nodiscard]] std::string cupti_version_refusal(std::uint32_t loaded);

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
