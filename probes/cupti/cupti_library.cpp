// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/cupti_library.h"

#include "engine/core/plugin.h"

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>

namespace dlbench::probes {
namespace {

// All calls of the probes, with their number of parameters; a call that is missing here fails to
// link.
#define DLBENCH_CUPTI_CALLS(CALL)                       \
  CALL(1, cuptiActivityDisable)                         \
  CALL(1, cuptiActivityEnable)                          \
  CALL(1, cuptiActivityFlushAll)                        \
  CALL(3, cuptiActivityGetNextRecord)                   \
  CALL(3, cuptiActivityGetNumDroppedRecords)            \
  CALL(2, cuptiActivityPopExternalCorrelationId)        \
  CALL(2, cuptiActivityPushExternalCorrelationId)       \
  CALL(2, cuptiActivityRegisterCallbacks)               \
  CALL(3, cuptiActivitySetAttribute)                    \
  CALL(1, cuptiDeviceGetChipName)                       \
  CALL(3, cuptiGetCallbackName)                         \
  CALL(2, cuptiGetDeviceId)                             \
  CALL(2, cuptiGetResultString)                         \
  CALL(1, cuptiGetTimestamp)                            \
  CALL(1, cuptiGetVersion)                              \
  CALL(1, cuptiPmSamplingCounterDataGetSampleInfo)      \
  CALL(1, cuptiPmSamplingCounterDataImageInitialize)    \
  CALL(1, cuptiPmSamplingDecodeData)                    \
  CALL(1, cuptiPmSamplingDisable)                       \
  CALL(1, cuptiPmSamplingEnable)                        \
  CALL(1, cuptiPmSamplingGetCounterAvailability)        \
  CALL(1, cuptiPmSamplingGetCounterDataInfo)            \
  CALL(1, cuptiPmSamplingGetCounterDataSize)            \
  CALL(1, cuptiPmSamplingSetConfig)                     \
  CALL(1, cuptiPmSamplingStart)                         \
  CALL(1, cuptiPmSamplingStop)                          \
  CALL(1, cuptiProfilerDeviceSupported)                 \
  CALL(1, cuptiProfilerGetCounterAvailability)          \
  CALL(1, cuptiProfilerHostConfigAddMetrics)            \
  CALL(1, cuptiProfilerHostDeinitialize)                \
  CALL(1, cuptiProfilerHostEvaluateToGpuValues)         \
  CALL(1, cuptiProfilerHostGetConfigImage)              \
  CALL(1, cuptiProfilerHostGetConfigImageSize)          \
  CALL(1, cuptiProfilerHostGetNumOfPasses)              \
  CALL(1, cuptiProfilerHostGetSupportedChips)           \
  CALL(1, cuptiProfilerHostInitialize)                  \
  CALL(1, cuptiProfilerInitialize)                      \
  CALL(1, cuptiRangeProfilerCounterDataImageInitialize) \
  CALL(1, cuptiRangeProfilerDecodeData)                 \
  CALL(1, cuptiRangeProfilerDisable)                    \
  CALL(1, cuptiRangeProfilerEnable)                     \
  CALL(1, cuptiRangeProfilerGetCounterDataSize)         \
  CALL(1, cuptiRangeProfilerPopRange)                   \
  CALL(1, cuptiRangeProfilerPushRange)                  \
  CALL(1, cuptiRangeProfilerSetConfig)                  \
  CALL(1, cuptiRangeProfilerStart)                      \
  CALL(1, cuptiRangeProfilerStop)                       \
  CALL(3, cuptiSubscribe)                               \
  CALL(1, cuptiUnsubscribe)

#define DLBENCH_CUPTI_NAME(parameters, name) #name,
constexpr std::array kNames{DLBENCH_CUPTI_CALLS(DLBENCH_CUPTI_NAME)};

consteval std::size_t number_of(std::string_view name) {
  std::size_t number = 0;
  while (kNames.at(number) != name) {
    ++number;
  }
  return number;
}

/// The types of a function's parameters, as CUPTI's headers have them.
template <typename Function>
struct Declared;
template <typename... Parameters>
struct Declared<CUptiResult(Parameters...)> {
  template <std::size_t kIndex>
  using Parameter = std::tuple_element_t<kIndex, std::tuple<Parameters...>>;
};

template <typename Function, typename... Arguments>
CUptiResult hand_on(std::size_t number, Arguments... arguments) {
  void* const function = opened_cupti().functions[number];
  return function != nullptr ? reinterpret_cast<Function*>(function)(arguments...)
                             : CUPTI_ERROR_NOT_SUPPORTED;
}

}  // namespace

CuptiLibrary open_cupti(const std::string& file) {
  CuptiLibrary library{.loader_error = {},
                       .missing = {},
                       .functions = std::vector<void*>(kNames.size()),
                       .folder = {}};
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    library.loader_error = core::last_loader_error();
    return library;
  }
  for (std::size_t number = 0; number < kNames.size(); ++number) {
    library.functions[number] = dlsym(handle, kNames[number]);
    if (library.functions[number] == nullptr) {
      library.missing.emplace_back(kNames[number]);
    } else if (Dl_info info{};
               library.folder.empty() && dladdr(library.functions[number], &info) != 0) {
      library.folder = std::filesystem::path(info.dli_fname).parent_path();
    }
  }
  return library;
}

const CuptiLibrary& opened_cupti() {
  // Never destroyed: probes that live as long as the process may call it at exit.
  static const auto* const library =
      new CuptiLibrary(open_cupti(fmt::format("libcupti.so.{}", CUPTI_API_VERSION / 10000)));
  return *library;
}

}  // namespace dlbench::probes

// Hidden, so that CUPTI's internal calls stay within CUPTI. Weak, because the fake CUPTI of the
// tests defines some of them instead.
#define DLBENCH_CUPTI_FUNCTION __attribute__((weak, visibility("hidden"))) CUptiResult
#define DLBENCH_CUPTI_TYPE(name, index) dlbench::probes::Declared<decltype(name)>::Parameter<index>
#define DLBENCH_CUPTI_HAND_ON(name, ...) \
  return dlbench::probes::hand_on<decltype(name)>(dlbench::probes::number_of(#name), __VA_ARGS__)
#define DLBENCH_CUPTI_FUNCTION_1(name) \
  DLBENCH_CUPTI_FUNCTION name(DLBENCH_CUPTI_TYPE(name, 0) a) { DLBENCH_CUPTI_HAND_ON(name, a); }
#define DLBENCH_CUPTI_FUNCTION_2(name)                                                        \
  DLBENCH_CUPTI_FUNCTION name(DLBENCH_CUPTI_TYPE(name, 0) a, DLBENCH_CUPTI_TYPE(name, 1) b) { \
    DLBENCH_CUPTI_HAND_ON(name, a, b);                                                        \
  }
#define DLBENCH_CUPTI_FUNCTION_3(name)                         \
  DLBENCH_CUPTI_FUNCTION name(DLBENCH_CUPTI_TYPE(name, 0) a,   \
                              DLBENCH_CUPTI_TYPE(name, 1) b,   \
                              DLBENCH_CUPTI_TYPE(name, 2) c) { \
    DLBENCH_CUPTI_HAND_ON(name, a, b, c);                      \
  }
#define DLBENCH_CUPTI_DEFINE(parameters, name) DLBENCH_CUPTI_FUNCTION_##parameters(name)

// NOLINTBEGIN(readability-identifier-naming): CUPTI's names.
extern "C" {
DLBENCH_CUPTI_CALLS(DLBENCH_CUPTI_DEFINE)
}  // extern "C"
// NOLINTEND(readability-identifier-naming)
