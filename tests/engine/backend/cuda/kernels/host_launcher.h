// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the bodies of the CUDA kernels in host loops that walk every thread of every block, as
// device_launcher.cuh does on a device.
#pragma once

#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/kernels/reduce.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>

namespace dlbench::backend::cuda {

/// An error planted into every launch, to see whether the tests notice.
enum class Fault : std::uint8_t {
  kNone,
  kLostThread,  ///< the first thread of the first block does nothing
  kLostMerge,   ///< the last level of the tree of a reduction does not run
};

/// Blocks and threads run in falling order: whoever relies on a rising one fails. The levels of a
/// tree run in both orders: if threads of one level read what others write, the results differ; so
/// does what fills a block's shared memory, which holds garbage before.
class HostLauncher {
 public:
  explicit HostLauncher(std::uint32_t resident_blocks = 3, Fault fault = Fault::kNone)
      : resident_blocks_(resident_blocks), fault_(fault) {}

  template <typename Body>
  [[nodiscard]] std::uint32_t resident_blocks() const {
    return resident_blocks_;
  }
  [[nodiscard]] int launches() const { return launches_; }

  template <typename Body>
  void map(const Body& body, std::uint32_t blocks, std::uint32_t threads) {
    begin(blocks, threads);
    for_each_thread(blocks, threads, [&](const Position& p) { body(p); });
  }

  template <typename Body>
  void map_shared(const Body& body, std::uint32_t blocks, std::uint32_t threads) {
    begin(blocks, threads);
    for (std::uint32_t block = blocks; block-- > 0;) {
      typename Body::Shared shared;
      body.prepare(shared);
      for (std::uint32_t thread = threads; thread-- > 0;) {
        if (!lost(block, thread)) {
          body(Position{block, thread, blocks, threads}, shared);
        }
      }
    }
  }

  template <typename Body>
  void exchange(const Body& body, std::uint32_t blocks, std::uint32_t threads) {
    using Shared = typename Body::Shared;
    static_assert(std::is_trivially_copyable_v<Shared>);
    begin(blocks, threads);
    const auto shared = std::make_unique<Shared>();
    const auto replay = std::make_unique<Shared>();
    for (std::uint32_t block = blocks; block-- > 0;) {
      std::memset(static_cast<void*>(shared.get()), 0xA5, sizeof(Shared));
      std::memset(static_cast<void*>(replay.get()), 0xA5, sizeof(Shared));
      for (std::uint32_t thread = threads; thread-- > 0;) {
        body.load(Position{block, thread, blocks, threads}, *shared);
      }
      for (std::uint32_t thread = 0; thread < threads; ++thread) {
        body.load(Position{block, thread, blocks, threads}, *replay);
      }
      DLBENCH_CHECK(std::memcmp(shared.get(), replay.get(), sizeof(Shared)) == 0)
          << "what block " << block << " shares depends on the order of its threads";
      for (std::uint32_t thread = threads; thread-- > 0;) {
        if (!lost(block, thread)) {
          body.store(Position{block, thread, blocks, threads}, *shared);
        }
      }
    }
  }

  template <typename Body>
  void reduce(const Body& body, std::uint32_t blocks, std::uint32_t threads) {
    begin(blocks, threads);
    DLBENCH_CHECK(threads % body.lanes == 0) << threads << " threads, " << body.lanes << " lanes";
    const auto table = std::make_unique<PartialTable<typename Body::Partial>>();
    const auto replay = std::make_unique<PartialTable<typename Body::Partial>>();
    for (std::uint32_t block = blocks; block-- > 0;) {
      for (std::uint32_t thread = threads; thread-- > 0;) {
        table->write(thread, body.gather(Position{block, thread, blocks, threads}));
      }
      const std::uint32_t last = fault_ == Fault::kLostMerge ? 2 : 1;
      for (std::uint32_t rows = threads / body.lanes; rows > last; rows = rows_after(rows)) {
        *replay = *table;
        for (std::uint32_t thread = threads; thread-- > 0;) {
          tree_step(body, *table, thread, rows);
        }
        for (std::uint32_t thread = 0; thread < threads; ++thread) {
          tree_step(body, *replay, thread, rows);
        }
        DLBENCH_CHECK(std::memcmp(table->word, replay->word, sizeof(table->word)) == 0)
            << "a level of " << rows << " rows depends on the order of its threads";
      }
      for (std::uint32_t thread = threads; thread-- > 0;) {
        if (!lost(block, thread)) {
          body.finish(Position{block, thread, blocks, threads}, table->read(thread % body.lanes));
        }
      }
    }
  }

 private:
  void begin(std::uint32_t blocks, std::uint32_t threads) {
    DLBENCH_CHECK(blocks > 0 && threads > 0 && threads <= kThreads)
        << blocks << " blocks of " << threads << " threads";
    ++launches_;
  }
  template <typename Visit>
  void for_each_thread(std::uint32_t blocks, std::uint32_t threads, const Visit& visit) {
    for (std::uint32_t block = blocks; block-- > 0;) {
      for (std::uint32_t thread = threads; thread-- > 0;) {
        if (!lost(block, thread)) {
          visit(Position{block, thread, blocks, threads});
        }
      }
    }
  }
  [[nodiscard]] bool lost(std::uint32_t block, std::uint32_t thread) const {
    return fault_ == Fault::kLostThread && block == 0 && thread == 0;
  }

  std::uint32_t resident_blocks_;
  Fault fault_;
  int launches_ = 0;
};

/// The loops of one launch of the kernels' own files (as_host_code), to be run now or when the
/// stream gets there; once or, recorded, again. Defined by whoever links dlbench_host_kernels.
void enqueue_kernel(StreamHandle stream, std::function<void()> loops);

}  // namespace dlbench::backend::cuda
