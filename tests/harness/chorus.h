// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks for tests that have no launcher.
#pragma once

#include "engine/comm/rendezvous.h"

#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {

/// Rank 0 among others that say the same as it does, or what they are given to say.
class Chorus final : public comm::Rendezvous {
 public:
  explicit Chorus(std::vector<comm::RankPlace> places, std::vector<std::string> answers = {})
      : places_(std::move(places)), answers_(std::move(answers)) {}

  [[nodiscard]] std::string library() const override { return "chorus"; }
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return static_cast<int>(places_.size()); }
  [[nodiscard]] const std::vector<comm::RankPlace>& places() const override { return places_; }
  void broadcast(std::span<std::byte> /*bytes*/) override {}
  [[nodiscard]] std::vector<std::string> gather(const std::string& text) override {
    return answers_.empty() ? std::vector<std::string>(places_.size(), text) : answers_;
  }
  void barrier() override {}
  [[nodiscard]] std::unique_ptr<comm::Rendezvous> first(int /*ranks*/) override { return nullptr; }
  [[nodiscard]] std::unique_ptr<comm::Communicator> create_host_communicator() override {
    return nullptr;
  }
  [[noreturn]] void abort(int exit_code) override { std::exit(exit_code); }

 private:
  std::vector<comm::RankPlace> places_;
  std::vector<std::string> answers_;
};

}  // namespace dlbench::harness
