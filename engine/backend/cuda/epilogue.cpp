// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/epilogue.h"

namespace dlbench::backend::cuda {

std::string Epilogue::text() const {
  return std::string(bias ? "+bias" : "") + (relu ? "+relu" : "");
}

Epilogue epilogue_of(const graph::Node& node, const FusedGroup* group) {
  if (node.op != graph::OpKind::kConv && node.op != graph::OpKind::kLinear) {
    return {};
  }
  return {.bias = node.inputs.size() > 2,
          .relu = group != nullptr && group->relu != graph::kNoNode};
}

}  // namespace dlbench::backend::cuda
