// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/communicator.h"

#include "engine/core/error.h"

#include <string>

namespace dlbench::comm {

CommunicationTotals& CommunicationTotals::operator+=(const CommunicationTotals& other) {
  collectives += other.collectives;
  bytes += other.bytes;
  waiting_s += other.waiting_s;
  transfer_s += other.transfer_s;
  exposed_s += other.exposed_s;
  exposed_transfer_s += other.exposed_transfer_s;
  all_reduce_s += other.all_reduce_s;
  exposed_all_reduce_s += other.exposed_all_reduce_s;
  return *this;
}
namespace {

[[noreturn]] void refuse_root(std::string_view communicator) {
  throw core::Error(core::ErrorCode::kUnavailable,
                    "the communicator '" + std::string(communicator) +
                        "' has no collectives from and to one rank: they are for the ranks of one "
                        "node, on the host");
}

}  // namespace

void Communicator::reduce(const ReduceRequest& /*request*/,
                          int /*root*/,
                          backend::Stream& /*stream*/) {
  refuse_root(name());
}

void Communicator::scatter(std::byte* /*data*/,
                           std::span<const std::size_t> /*bounds*/,
                           int /*root*/,
                           backend::Stream& /*stream*/) {
  refuse_root(name());
}

void Communicator::gather(std::byte* /*data*/,
                          std::span<const std::size_t> /*bounds*/,
                          int /*root*/,
                          backend::Stream& /*stream*/) {
  refuse_root(name());
}

std::size_t share_begin(std::size_t count, int rank, int size) {
  // Avoids the product count * rank, which could overflow.
  const auto ranks = static_cast<std::size_t>(size);
  const auto index = static_cast<std::size_t>(rank);
  return count / ranks * index + count % ranks * index / ranks;
}

}  // namespace dlbench::comm
