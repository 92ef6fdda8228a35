// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// One execution of a cuDNN plan: its addresses, checked, and the kernel that works on them.
#pragma once

#include "tests/engine/backend/cuda/fake/cudnn_program.h"
#include "tests/engine/backend/cuda/fake/cudnn_records.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dlbench::fake {

/// Throws CUDNN_STATUS_BAD_PARAM.
void require_or_bad(bool holds, const std::string& why);

/// What a profiler calls its kernel: "fake_cudnn_fprop".
[[nodiscard]] std::string kernel_name(const CudnnProgram& program);

class CudnnLaunch {
 public:
  /// Throws CudnnRefusal where the pack has not one fitting address for each tensor of the plan's
  /// program, and a workspace.
  CudnnLaunch(const CudnnRecord& plan, const CudnnRecord& pack);

  /// The workspace is left as anything.
  void operator()() const;

 private:
  void check_workspace(std::size_t bytes, const std::vector<void*>& given);
  void check_tensor(std::int64_t id, const CudnnTensor& tensor) const;

  std::shared_ptr<const CudnnProgram> program_;
  std::map<std::int64_t, void*> addresses_;
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace dlbench::fake
