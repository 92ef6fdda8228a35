// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Reduces gradients to one rank only, as in PyTorch's DataParallel.
#pragma once

#include "engine/comm/forwarding.h"

namespace dlbench::comm {

/// Turns the all-reduces of a step into blocking reductions to rank 0; on other ranks the data are
/// undefined afterwards. Everything else passes through.
class SingleRootCommunicator final : public ForwardingCommunicator {
 public:
  using ForwardingCommunicator::ForwardingCommunicator;

  [[nodiscard]] Ticket start_all_reduce(const ReduceRequest& request,
                                        backend::Stream& stream) override {
    inner().reduce(request, 0, stream);
    return 0;
  }
  void wait(Ticket /*ticket*/, backend::Stream& /*stream*/) override {}
};

}  // namespace dlbench::comm
