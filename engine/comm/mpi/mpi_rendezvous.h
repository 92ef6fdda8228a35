// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A set of ranks connected by MPI.
#pragma once

#include "engine/comm/mpi/mpi_group.h"
#include "engine/comm/rendezvous.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dlbench::comm::mpi {

class MpiRendezvous final : public Rendezvous {
 public:
  /// Starts MPI and returns the set of all ranks. `ranks_per_node` > 0 pretends that a node has at
  /// most that many ranks, to test communication between nodes on one machine. Throws
  /// core::Error(kUnavailable).
  [[nodiscard]] static std::unique_ptr<Rendezvous> start(int ranks_per_node);

  /// The destructor of the set of all ranks finalises MPI if all ranks get here.
  ~MpiRendezvous() override;

  [[nodiscard]] std::string library() const override { return MpiGroup::library(); }
  [[nodiscard]] int rank() const override { return group_->rank(); }
  [[nodiscard]] int size() const override { return group_->size(); }
  [[nodiscard]] const std::vector<RankPlace>& places() const override { return places_; }

  void broadcast(std::span<std::byte> bytes) override;
  [[nodiscard]] std::vector<std::string> gather(const std::string& text) override;
  void barrier() override;
  [[nodiscard]] std::unique_ptr<Rendezvous> first(int ranks) override;
  [[nodiscard]] std::unique_ptr<Communicator> create_host_communicator() override;
  void note_exit_code(int exit_code) override { exit_code_ = exit_code; }
  [[noreturn]] void abort(int exit_code) override { MpiGroup::abort(exit_code); }

 private:
  MpiRendezvous(std::unique_ptr<MpiGroup> group, bool is_world)
      : group_(std::move(group)), is_world_(is_world) {}

  void find_places(int ranks_per_node);
  [[nodiscard]] Waiting waiting(const char* what) const;
  /// NodeBarrier::Options::spins, the same on all ranks of a node: polling pays only if each of
  /// them has a CPU of its own. Called by all ranks.
  [[nodiscard]] int spins();

  std::unique_ptr<MpiGroup> group_;
  std::vector<RankPlace> places_;
  bool is_world_;
  int exit_code_ = 0;
};

}  // namespace dlbench::comm::mpi
