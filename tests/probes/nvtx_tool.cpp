// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A fake NVTX tool: NVTX loads this library into the test through NVTX_INJECTION64_PATH, and
// it appends what happens in the domain "dlbench" to the file that DLBENCH_NVTX_LOG names: the
// names of categories ("category 3 step") and each push ("push step 4 category=3 color=ff3070c0")
// and pop.
#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

// Whole lines, beside those of other writers.
template <typename... Values>
void log(const char* format, Values... values) {
  static std::FILE* const file = std::fopen(std::getenv("DLBENCH_NVTX_LOG"), "a");
  std::fprintf(file, format, values...);
  std::fflush(file);
}

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  static int dlbench_domain = 0;
  static int other_domain = 0;
  const bool ours = std::strcmp(name, "dlbench") == 0;
  return reinterpret_cast<nvtxDomainHandle_t>(ours ? &dlbench_domain : &other_domain);
}

int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  if (domain == create_domain("dlbench")) {
    log("push %s %lld category=%u color=%08x\n",
        attributes->message.ascii,
        static_cast<long long>(attributes->payload.llValue),
        attributes->category,
        attributes->color);
  }
  return 0;
}

int NVTX_API pop(nvtxDomainHandle_t domain) {
  if (domain == create_domain("dlbench")) {
    log("pop\n");
  }
  return 0;
}

void NVTX_API name_category(nvtxDomainHandle_t domain, std::uint32_t category, const char* name) {
  if (domain == create_domain("dlbench")) {
    log("category %u %s\n", category, name);
  }
}

template <typename Function>
void install(NvtxFunctionTable table, unsigned int size, unsigned int index, Function function) {
  if (index < size) {
    *table[index] = reinterpret_cast<NvtxFunctionPointer>(function);
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that NVTX looks for.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) {
    return 0;
  }
  install(table, size, NVTX_CBID_CORE2_DomainCreateA, create_domain);
  install(table, size, NVTX_CBID_CORE2_DomainNameCategoryA, name_category);
  install(table, size, NVTX_CBID_CORE2_DomainRangePushEx, push);
  install(table, size, NVTX_CBID_CORE2_DomainRangePop, pop);
  return 1;
}
