// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/host_staged.h"

#include "engine/backend/host_stream.h"
#include "engine/core/check.h"
#include "engine/core/error.h"

#include <utility>

namespace dlbench::comm {
HostStagedCommunicator::HostStagedCommunicator(std::unique_ptr<Communicator> inner,
                                               backend::Backend& backend)
    : ForwardingCommunicator(std::move(inner)),
      backend_(backend),
      name_(std::string(ForwardingCommunicator::name()) + ", host-staged"),
      out_(backend.create_stream()),
      back_(backend.create_stream()) {
  DLBENCH_CHECK(!backend.reads_host_memory()) << "the host reaches this memory without copies";
  thread_ = std::make_unique<CommunicationThread>(
      CommunicationThread::Work{.run =
                                    [this](const ReduceRequest& request, auto /*started*/) {
                                      run(request);
                                      return CollectiveTimes{};
                                    },
                                .idle = {}});
}

HostStagedCommunicator::~HostStagedCommunicator() {
  give_up();  // only a rank that ends because of an error has a collective in flight
  thread_.reset();
  try {
    out_->synchronize();  // they may still write to the stages and read from them
    back_->synchronize();
  } catch (const core::Error&) {
    // The device is lost, which the call that first noticed it has reported.
  }
}

HostStagedCommunicator::Stage& HostStagedCommunicator::stage_for(const std::byte* data,
                                                                 std::size_t bytes) {
  Stage& stage = stages_[data];
  if (stage.ready == nullptr) {
    stage.ready = out_->create_event();
    stage.copied = out_->create_event();
    stage.returned = back_->create_event();
  }
  if (stage.host.bytes() < bytes) {
    if (stage.used) {
      stage.returned->wait();
    }
    stage.host = core::HostBlock(backend_.host_allocator(), bytes);
  }
  return stage;
}

void HostStagedCommunicator::copy_out(Stage& stage,
                                      const std::byte* data,
                                      const Part& part,
                                      backend::Stream& stream) {
  stream.record(*stage.ready);
  out_->wait_for(*stage.ready);
  if (stage.used) {
    out_->wait_for(*stage.returned);  // the last use of the stage may have had another stream
  }
  if (part.end > part.begin) {
    out_->copy_to_host(stage.host.data() + part.begin, data + part.begin, part.end - part.begin);
  }
  out_->record(*stage.copied);
}

void HostStagedCommunicator::copy_back(Stage& stage, std::byte* data, const Part& part) {
  if (part.end > part.begin) {
    back_->copy_to_device(data + part.begin, stage.host.data() + part.begin, part.end - part.begin);
  }
  back_->record(*stage.returned);
  stage.used = true;
}

Ticket HostStagedCommunicator::start_all_reduce(const ReduceRequest& request,
                                                backend::Stream& stream) {
  Stage& stage = stage_for(request.data, request.bytes());
  copy_out(stage, request.data, {0, request.bytes()}, stream);
  ReduceRequest staged = request;
  staged.data = stage.host.data();
  const std::scoped_lock lock(mutex_);
  flights_.push_back({.stage = &stage, .data = request.data});
  flights_.back().ticket = thread_->start(staged);
  return static_cast<Ticket>(flights_.size()) - 1;
}

// Runs on the communication thread. Nothing depends on the copy it enqueues before wait(), by which
// time it is enqueued.
void HostStagedCommunicator::run(const ReduceRequest& request) {
  Flight flight;
  {
    const std::scoped_lock lock(mutex_);
    flight = flights_.at(departed_++);
  }
  backend_.attach_thread();
  flight.stage->copied->wait();
  backend::HostStream host;
  inner().all_reduce(request, host);
  copy_back(*flight.stage, flight.data, {0, request.bytes()});
}

void HostStagedCommunicator::wait(Ticket ticket, backend::Stream& stream) {
  Flight flight;
  {
    const std::scoped_lock lock(mutex_);
    flight = flights_.at(static_cast<std::size_t>(ticket));
  }
  thread_->wait(flight.ticket);
  stream.wait_for(*flight.stage->returned);
  const std::scoped_lock lock(mutex_);
  if (++landed_ == flights_.size()) {
    flights_.clear();
    departed_ = 0;
    landed_ = 0;
  }
}

template <typename Collective>
void HostStagedCommunicator::run_here(const Passage& passage,
                                      backend::Stream& stream,
                                      Collective collective) {
  thread_->run_here(passage.bytes, [&] {
    Stage& stage = stage_for(nullptr, passage.bytes);
    copy_out(stage, passage.data, passage.out, stream);
    stage.copied->wait();
    backend::HostStream host;
    collective(stage.host.data(), host);
    copy_back(stage, passage.data, passage.back);
    stream.wait_for(*stage.returned);
    return CollectiveTimes{};
  });
}

void HostStagedCommunicator::reduce_scatter(const ReduceRequest& request, backend::Stream& stream) {
  const std::size_t width = core::size_of(request.dtype);
  const Passage passage{.data = request.data,
                        .bytes = request.bytes(),
                        .out = {0, request.bytes()},
                        .back = {share_begin(request.count, rank(), size()) * width,
                                 share_begin(request.count, rank() + 1, size()) * width}};
  run_here(passage, stream, [&](std::byte* host, backend::Stream& host_stream) {
    ReduceRequest staged = request;
    staged.data = host;
    inner().reduce_scatter(staged, host_stream);
  });
}

void HostStagedCommunicator::all_gather(std::byte* data,
                                        std::size_t count,
                                        core::DType dtype,
                                        backend::Stream& stream) {
  const std::size_t width = core::size_of(dtype);
  const Passage passage{.data = data,
                        .bytes = count * width,
                        .out = {share_begin(count, rank(), size()) * width,
                                share_begin(count, rank() + 1, size()) * width},
                        .back = {0, count * width}};
  run_here(passage, stream, [&](std::byte* host, backend::Stream& host_stream) {
    inner().all_gather(host, count, dtype, host_stream);
  });
}

void HostStagedCommunicator::broadcast(std::byte* data,
                                       std::size_t bytes,
                                       int root,
                                       backend::Stream& stream) {
  const Part all{0, bytes};
  const bool sends = rank() == root;
  const Passage passage{
      .data = data, .bytes = bytes, .out = sends ? all : Part{}, .back = sends ? Part{} : all};
  run_here(passage, stream, [&](std::byte* host, backend::Stream& host_stream) {
    inner().broadcast(host, bytes, root, host_stream);
  });
}

void HostStagedCommunicator::reduce(const ReduceRequest& request,
                                    int root,
                                    backend::Stream& stream) {
  const Part all{0, request.bytes()};
  const Passage passage{.data = request.data,
                        .bytes = request.bytes(),
                        .out = all,
                        .back = rank() == root ? all : Part{}};
  run_here(passage, stream, [&](std::byte* host, backend::Stream& host_stream) {
    ReduceRequest staged = request;
    staged.data = host;
    inner().reduce(staged, root, host_stream);
  });
}

void HostStagedCommunicator::scatter(std::byte* data,
                                     std::span<const std::size_t> bounds,
                                     int root,
                                     backend::Stream& stream) {
  const auto own = static_cast<std::size_t>(rank());
  const bool sends = rank() == root;
  const Passage passage{.data = data,
                        .bytes = bounds.back(),
                        .out = sends ? Part{bounds.front(), bounds.back()} : Part{},
                        .back = sends ? Part{} : Part{bounds[own], bounds[own + 1]}};
  run_here(passage, stream, [&](std::byte* host, backend::Stream& host_stream) {
    inner().scatter(host, bounds, root, host_stream);
  });
}

void HostStagedCommunicator::gather(std::byte* data,
                                    std::span<const std::size_t> bounds,
                                    int root,
                                    backend::Stream& stream) {
  const auto own = static_cast<std::size_t>(rank());
  const Passage passage{.data = data,
                        .bytes = bounds.back(),
                        .out = {bounds[own], bounds[own + 1]},
                        .back = rank() == root ? Part{bounds.front(), bounds.back()} : Part{}};
  run_here(passage, stream, [&](std::byte* host, backend::Stream& host_stream) {
    inner().gather(host, bounds, root, host_stream);
  });
}

}  // namespace dlbench::comm
