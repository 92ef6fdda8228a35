// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A pretended NVTX tool: NVTX loads this library into the test through NVTX_INJECTION64_PATH, and
// it writes each push and pop in the domain "dlbench" to the file that DLBENCH_NVTX_LOG names.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::FILE* log_file() {
  static std::FILE* file = std::fopen(std::getenv("DLBENCH_NVTX_LOG"), "w");
  return file;
}

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  static int dlbench_domain = 0;
  static int other_domain = 0;
  const bool ours = std::strcmp(name, "dlbench") == 0;
  return reinterpret_cast<nvtxDomainHandle_t>(ours ? &dlbench_domain : &other_domain);
}

int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  if (domain == create_domain("dlbench")) {
    std::fprintf(log_file(),
                 "push %s %lld\n",
                 attributes->message.ascii,
                 static_cast<long long>(attributes->payload.llValue));
    std::fflush(log_file());
  }
  return 0;
}

int NVTX_API pop(nvtxDomainHandle_t domain) {
  if (domain == create_domain("dlbench")) {
    std::fputs("pop\n", log_file());
    std::fflush(log_file());
  }
  return 0;
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
  install(table, size, NVTX_CBID_CORE2_DomainRangePushEx, push);
  install(table, size, NVTX_CBID_CORE2_DomainRangePop, pop);
  return 1;
}
