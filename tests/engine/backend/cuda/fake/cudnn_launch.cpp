// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/fake/cudnn_launch.h"

#include "tests/engine/backend/cuda/fake/device.h"
#include "tests/engine/backend/cuda/fake/tensor_view.h"

#include <cstring>
#include <variant>

namespace dlbench::fake {
namespace {

std::vector<std::int64_t> unique_ids(const CudnnRecord& pack) {
  const CudnnAttribute* ids = pack.find(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  require_or_bad(ids != nullptr, "the variant pack has no unique ids");
  std::vector<std::int64_t> values(static_cast<std::size_t>(ids->count));
  std::memcpy(values.data(), ids->bytes.data(), ids->bytes.size());
  return values;
}

std::vector<void*> pointers(const CudnnRecord& pack, cudnnBackendAttributeName_t name) {
  const CudnnAttribute* data = pack.find(name);
  if (data == nullptr) {
    return {};
  }
  std::vector<void*> values(static_cast<std::size_t>(data->count));
  std::memcpy(values.data(), data->bytes.data(), data->bytes.size());
  return values;
}

std::string name_of_tensor(std::int64_t id) { return "tensor " + std::to_string(id); }

}  // namespace

void require_or_bad(bool holds, const std::string& why) {
  if (!holds) {
    throw CudnnRefusal(CUDNN_STATUS_BAD_PARAM, why);
  }
}

std::string kernel_name(const CudnnProgram& program) {
  for (const auto& step : program.steps) {
    if (const auto* convolution = std::get_if<ConvolutionStep>(&step); convolution != nullptr) {
      switch (convolution->direction) {
        case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
          return "fake_cudnn_fprop";
        case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
          return "fake_cudnn_dgrad";
        default:
          return "fake_cudnn_wgrad";
      }
    }
  }
  return "fake_cudnn_pointwise";
}

CudnnLaunch::CudnnLaunch(const CudnnRecord& plan, const CudnnRecord& pack)
    : program_(plan.program) {
  const auto ids = unique_ids(pack);
  const auto data = pointers(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  require_or_bad(ids.size() == data.size(), "unique ids and data pointers differ in number");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    require_or_bad(addresses_.emplace(ids[i], data[i]).second,
                   "the variant pack has two pointers for " + name_of_tensor(ids[i]));
    const auto tensor = program_->tensors.find(ids[i]);
    require_or_bad(tensor != program_->tensors.end() && !tensor->second.is_virtual,
                   "the variant pack has a pointer for " + name_of_tensor(ids[i]) +
                       ", which is no tensor with memory of the plan");
  }
  for (const auto& [name, attribute] : pack.attributes) {
    require_or_bad(name == CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS ||
                       name == CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS ||
                       name == CUDNN_ATTR_VARIANT_PACK_WORKSPACE,
                   "attribute " + std::to_string(static_cast<int>(name)) +
                       " of a variant pack is not interpreted here");
  }
  check_workspace(plan.workspace_bytes, pointers(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE));
  for (const auto& [id, tensor] : program_->tensors) {
    if (!tensor.is_virtual) {
      check_tensor(id, tensor);
    }
  }
}

void CudnnLaunch::operator()() const {
  if (workspace_bytes_ > 0) {
    std::memset(workspace_, 0xFF, workspace_bytes_);
  }
  program_->run(addresses_);
}

void CudnnLaunch::check_workspace(std::size_t bytes, const std::vector<void*>& given) {
  if (bytes == 0) {
    return;
  }
  require_or_bad(given.size() == 1 && given[0] != nullptr, "no workspace");
  require_or_bad(is_device_memory(given[0], bytes),
                 "the workspace is no device memory of " + std::to_string(bytes) + " bytes");
  require_or_bad(is_aligned(given[0], 16), "the workspace is misaligned");
  workspace_ = given[0];
  workspace_bytes_ = bytes;
}

void CudnnLaunch::check_tensor(std::int64_t id, const CudnnTensor& tensor) const {
  const auto entry = addresses_.find(id);
  require_or_bad(entry != addresses_.end(),
                 "the variant pack has no pointer for " + name_of_tensor(id));
  const void* address = entry->second;
  const std::size_t bytes = tensor.view.bytes();
  require_or_bad(
      is_device_memory(address, bytes),
      name_of_tensor(id) + " is no device memory of " + std::to_string(bytes) + " bytes");
  require_or_bad(is_aligned(address, static_cast<std::size_t>(tensor.alignment)),
                 name_of_tensor(id) + " is not aligned to " + std::to_string(tensor.alignment));
  require_or_bad(!overlap(address, bytes, workspace_, workspace_bytes_),
                 name_of_tensor(id) + " overlaps the workspace");
  for (const auto& [other_id, other] : program_->tensors) {
    const auto other_entry = addresses_.find(other_id);
    if (tensor.is_written && other_id != id && other_entry != addresses_.end()) {
      require_or_bad(!overlap(address, bytes, other_entry->second, other.view.bytes()),
                     name_of_tensor(id) + " is written and overlaps " + name_of_tensor(other_id));
    }
  }
}

}  // namespace dlbench::fake
