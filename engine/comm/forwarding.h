// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A communicator that wraps another one and forwards what it does not change.
#pragma once

#include "engine/comm/communicator.h"

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::comm {

/// Forwards every call to the inner communicator, which it owns. Subclasses override what they
/// change; all_reduce() remains start and wait, so that it includes what they do there.
class ForwardingCommunicator : public Communicator {
 public:
  explicit ForwardingCommunicator(std::unique_ptr<Communicator> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] std::string_view name() const override { return inner_->name(); }
  [[nodiscard]] int rank() const override { return inner_->rank(); }
  [[nodiscard]] int size() const override { return inner_->size(); }
  [[nodiscard]] bool capturable() const override { return inner_->capturable(); }
  [[nodiscard]] DeviceWatch* watch() override { return inner_->watch(); }
  [[nodiscard]] std::unique_ptr<backend::Buffer> allocate(backend::Backend& backend,
                                                          std::size_t bytes) override {
    return inner_->allocate(backend, bytes);
  }
  void prepare(const ReduceRequest& request) override { inner_->prepare(request); }
  [[nodiscard]] Ticket start_all_reduce(const ReduceRequest& request,
                                        backend::Stream& stream) override {
    return inner_->start_all_reduce(request, stream);
  }
  void wait(Ticket ticket, backend::Stream& stream) override { inner_->wait(ticket, stream); }
  void reduce_scatter(const ReduceRequest& request, backend::Stream& stream) override {
    inner_->reduce_scatter(request, stream);
  }
  void all_gather(std::byte* data,
                  std::size_t count,
                  core::DType dtype,
                  backend::Stream& stream) override {
    inner_->all_gather(data, count, dtype, stream);
  }
  void broadcast(std::byte* data, std::size_t bytes, int root, backend::Stream& stream) override {
    inner_->broadcast(data, bytes, root, stream);
  }
  void reduce(const ReduceRequest& request, int root, backend::Stream& stream) override {
    inner_->reduce(request, root, stream);
  }
  void scatter(std::byte* data,
               std::span<const std::size_t> bounds,
               int root,
               backend::Stream& stream) override {
    inner_->scatter(data, bounds, root, stream);
  }
  void gather(std::byte* data,
              std::span<const std::size_t> bounds,
              int root,
              backend::Stream& stream) override {
    inner_->gather(data, bounds, root, stream);
  }
  void give_up() override { inner_->give_up(); }
  [[nodiscard]] CommunicationTotals take_totals() override { return inner_->take_totals(); }
  [[nodiscard]] std::vector<double> take_arrivals() override { return inner_->take_arrivals(); }

 protected:
  [[nodiscard]] Communicator& inner() { return *inner_; }

 private:
  std::unique_ptr<Communicator> inner_;
};

}  // namespace dlbench::comm
