// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/comm/thread_rendezvous.h"

#include "engine/comm/host_communicator.h"
#include "engine/comm/self.h"
#include "engine/core/check.h"
#include "tests/engine/comm/thread_ranks.h"

#include <barrier>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>

namespace dlbench::testing {
namespace {

// What the threads of one set share.
struct Board {
  explicit Board(int ranks)
      : meeting(ranks), texts(static_cast<std::size_t>(ranks)), memory(ranks) {}
  std::barrier<> meeting;
  std::vector<std::string> texts;
  std::string from_root;
  comm::ThreadNode memory;
  std::shared_ptr<Board> child;
};

class ThreadRank final : public comm::Rendezvous {
 public:
  ThreadRank(std::shared_ptr<Board> board, int rank, std::vector<comm::RankPlace> places)
      : board_(std::move(board)), rank_(rank), places_(std::move(places)) {}

  [[nodiscard]] std::string library() const override { return "threads"; }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return static_cast<int>(places_.size()); }
  [[nodiscard]] const std::vector<comm::RankPlace>& places() const override { return places_; }

  void broadcast(std::span<std::byte> bytes) override {
    if (rank_ == 0) {
      board_->from_root.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    barrier();
    DLBENCH_CHECK(board_->from_root.size() == bytes.size()) << "sizes differ between ranks";
    std::memcpy(bytes.data(), board_->from_root.data(), bytes.size());
    barrier();
  }
  [[nodiscard]] std::vector<std::string> gather(const std::string& text) override {
    board_->texts[static_cast<std::size_t>(rank_)] = text;
    barrier();
    std::vector<std::string> texts;
    if (rank_ == 0) {
      texts = board_->texts;
    }
    barrier();
    return texts;
  }
  void barrier() override { board_->meeting.arrive_and_wait(); }

  [[nodiscard]] std::unique_ptr<comm::Rendezvous> first(int ranks) override {
    if (rank_ == 0) {
      board_->child = std::make_shared<Board>(ranks);
    }
    barrier();
    std::unique_ptr<comm::Rendezvous> members;
    if (rank_ < ranks) {
      members = std::make_unique<ThreadRank>(
          board_->child, rank_, std::vector(places_.begin(), places_.begin() + ranks));
    }
    barrier();
    return members;
  }
  [[nodiscard]] std::unique_ptr<comm::Communicator> create_host_communicator() override {
    if (size() == 1) {
      return std::make_unique<comm::SelfCommunicator>();
    }
    comm::HostRanks ranks{.rank = rank_, .size = size(), .timeout_s = timeout_s()};
    ranks.node_ranks.resize(places_.size());
    std::iota(ranks.node_ranks.begin(), ranks.node_ranks.end(), 0);
    ranks.memory = board_->memory.memory(rank_);
    return std::make_unique<comm::HostCommunicator>(std::move(ranks));
  }
  [[noreturn]] void abort(int exit_code) override {
    throw std::runtime_error("aborted with " + std::to_string(exit_code));
  }

 private:
  std::shared_ptr<Board> board_;  // shared by the threads of the set, the last one frees it
  int rank_;
  std::vector<comm::RankPlace> places_;
};

}  // namespace

void on_ranks(int ranks, const std::function<void(comm::Rendezvous&)>& body) {
  std::vector<comm::RankPlace> places;
  for (int rank = 0; rank < ranks; ++rank) {
    places.push_back({.host = "here", .local_rank = rank, .local_size = ranks});
  }
  on_ranks(places, body);
}

void on_ranks(const std::vector<comm::RankPlace>& places,
              const std::function<void(comm::Rendezvous&)>& body) {
  const auto ranks = static_cast<int>(places.size());
  const auto board = std::make_shared<Board>(ranks);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(ranks));
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        ThreadRank member(board, rank, places);
        try {
          body(member);
        } catch (...) {
          failures[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure != nullptr) {
      std::rethrow_exception(failure);
    }
  }
}

}  // namespace dlbench::testing
