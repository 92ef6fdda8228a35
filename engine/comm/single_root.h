// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Gradients that one rank alone gets, as in PyTorch's DataParallel.
#pragma once

#include "engine/comm/forwarding.h"

namespace dlbench::comm {

/// Reduces to rank 0 where a step would all-reduce, and blocks until that is done: elsewhere the
/// data are undefined afterwards. Everything else passes through.
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
