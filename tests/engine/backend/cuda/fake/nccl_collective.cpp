// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/fake/nccl_collective.h"

#include "engine/core/dtype.h"
#include "tests/engine/backend/cuda/fake/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace dlbench::fake::nccl {
namespace {

/// By ncclDataType_t.
struct DTypeFact {
  const char* name;
  std::size_t bytes;
  bool reduced;  ///< here
};
constexpr DTypeFact kDTypes[] = {{"ncclInt8", 1, false},
                                 {"ncclUint8", 1, true},
                                 {"ncclInt32", 4, true},
                                 {"ncclUint32", 4, false},
                                 {"ncclInt64", 8, true},
                                 {"ncclUint64", 8, false},
                                 {"ncclFloat16", 2, true},
                                 {"ncclFloat32", 4, true},
                                 {"ncclFloat64", 8, true},
                                 {"ncclBfloat16", 2, true},
                                 {"ncclFloat8e4m3", 1, false},
                                 {"ncclFloat8e5m2", 1, false}};
static_assert(std::size(kDTypes) == ncclNumTypes);

std::size_t bytes_of(ncclDataType_t dtype) { return kDTypes[dtype].bytes; }

bool reduces(Kind kind) { return kind == Kind::kAllReduce || kind == Kind::kReduceScatter; }

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kAllReduce:
      return "ncclAllReduce";
    case Kind::kReduceScatter:
      return "ncclReduceScatter";
    case Kind::kAllGather:
      return "ncclAllGather";
    default:
      return "ncclBroadcast";
  }
}

std::string operation_text(ncclRedOp_t op) {
  if (op == ncclSum || op == ncclMax) {
    return op == ncclSum ? "ncclSum" : "ncclMax";
  }
  return fmt::format("operation {}", static_cast<int>(op));
}

/// The extents of a call, and where its in-place form has `recv`.
struct Extents {
  std::size_t send = 0;
  std::size_t recv = 0;
  const std::byte* in_place = nullptr;
};

Extents extents_of(const Collective& collective, const Buffers& buffers, int rank, int size) {
  const std::size_t share = collective.count * bytes_of(collective.dtype);
  const std::size_t all = share * static_cast<std::size_t>(size);
  const std::size_t offset = share * static_cast<std::size_t>(rank);
  switch (collective.kind) {
    case Kind::kReduceScatter:
      return {.send = all, .recv = share, .in_place = buffers.send + offset};
    case Kind::kAllGather:
      return {.send = share, .recv = all, .in_place = buffers.send - offset};
    default:
      return {.send = share, .recv = share, .in_place = buffers.send};
  }
}

void check_buffer(const char* name, const std::byte* data, std::size_t bytes, std::size_t element) {
  const auto place = reinterpret_cast<std::uintptr_t>(data);
  if (data == nullptr || place % element != 0 || !is_device_memory(data, bytes)) {
    throw Refused(ncclInvalidArgument,
                  fmt::format("{} {}: {} bytes there are not aligned memory of the device",
                              name,
                              static_cast<const void*>(data),
                              bytes));
  }
}

void check_arguments(const Collective& collective, int size) {
  const std::string what = name_of(collective.kind);
  if (collective.dtype < 0 || collective.dtype >= ncclNumTypes) {
    throw Refused(ncclInvalidArgument,
                  fmt::format("{}: invalid type {}", what, static_cast<int>(collective.dtype)));
  }
  if (collective.root < 0 || collective.root >= size) {
    throw Refused(ncclInvalidArgument,
                  fmt::format("{}: invalid root {} of {} ranks", what, collective.root, size));
  }
  if (reduces(collective.kind) && (!kDTypes[collective.dtype].reduced ||
                                   (collective.op != ncclSum && collective.op != ncclMax))) {
    throw Refused(ncclInvalidArgument, fmt::format("the fake lacks {}", text_of(collective)));
  }
  const std::size_t most = std::numeric_limits<std::size_t>::max() / 8 / kMaxRanks;
  if (collective.count > most) {
    throw Refused(ncclInvalidArgument, fmt::format("{}: no such count", text_of(collective)));
  }
}

template <typename Number>
Number add(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>) {  // they wrap
    using Unsigned = std::make_unsigned_t<Number>;
    return static_cast<Number>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return a + b;
  }
}

template <typename Number>
Number larger(Number a, Number b) {
  if constexpr (std::is_integral_v<Number>) {
    return std::max(a, b);
  } else {
    return std::fmax(a, b);
  }
}

/// Of what is in the slots, in the order of the ranks. Numbers that are stored in fewer bits are
/// rounded once, at the end.
template <typename Stored, typename Load, typename Store>
void reduce(const Ranks& ranks,
            ncclRedOp_t op,
            std::size_t count,
            std::byte* to,
            const Load& load,
            const Store& store) {
  auto* const results = reinterpret_cast<Stored*>(to);
  for (std::size_t i = 0; i < count; ++i) {
    auto result = load(reinterpret_cast<const Stored*>(ranks.slot(0))[i]);
    for (int rank = 1; rank < ranks.size(); ++rank) {
      const auto next = load(reinterpret_cast<const Stored*>(ranks.slot(rank))[i]);
      result = op == ncclSum ? add(result, next) : larger(result, next);
    }
    results[i] = store(result);
  }
}

template <typename Number>
void reduce(const Ranks& ranks, ncclRedOp_t op, std::size_t count, std::byte* to) {
  const auto same = [](Number number) { return number; };
  reduce<Number>(ranks, op, count, to, same, same);
}

void reduce_slots(const Ranks& ranks, const Collective& what, std::size_t count, std::byte* to) {
  switch (what.dtype) {
    case ncclUint8:
      return reduce<std::uint8_t>(ranks, what.op, count, to);
    case ncclInt32:
      return reduce<std::int32_t>(ranks, what.op, count, to);
    case ncclInt64:
      return reduce<std::int64_t>(ranks, what.op, count, to);
    case ncclFloat32:
      return reduce<float>(ranks, what.op, count, to);
    case ncclFloat64:
      return reduce<double>(ranks, what.op, count, to);
    case ncclFloat16:
      return reduce<std::uint16_t>(ranks, what.op, count, to, core::f16_to_f32, core::f32_to_f16);
    default:
      return reduce<std::uint16_t>(ranks, what.op, count, to, core::bf16_to_f32, core::f32_to_bf16);
  }
}

/// A rank's part in a collective that all have begun.
class Part {
 public:
  Part(const Collective& what,
       const Buffers& buffers,
       Ranks& ranks,
       const std::atomic<bool>& given_up)
      : what_(what),
        buffers_(buffers),
        ranks_(ranks),
        given_up_(given_up),
        share_(what.count * bytes_of(what.dtype)) {}

  void run() {
    const bool scatters = what_.kind == Kind::kReduceScatter;
    for (int block = 0; block < (scatters ? ranks_.size() : 1); ++block) {
      const std::size_t begin = share_ * static_cast<std::size_t>(block);
      for (std::size_t done = 0; done < share_; done += kChunkBytes) {
        const std::size_t bytes = std::min(kChunkBytes, share_ - done);
        if (what_.kind != Kind::kBroadcast || ranks_.rank() == what_.root) {
          std::memcpy(ranks_.slot(ranks_.rank()), buffers_.send + begin + done, bytes);
        }
        ranks_.meet(given_up_);
        if (!scatters || block == ranks_.rank()) {
          receive(done, bytes);
        }
        ranks_.meet(given_up_);  // then the slots are free
      }
    }
  }

 private:
  /// What the slots hold of the results' bytes from `begin` on.
  void receive(std::size_t begin, std::size_t bytes) {
    switch (what_.kind) {
      case Kind::kAllGather:
        for (int rank = 0; rank < ranks_.size(); ++rank) {
          std::memcpy(buffers_.recv + share_ * static_cast<std::size_t>(rank) + begin,
                      ranks_.slot(rank),
                      bytes);
        }
        return;
      case Kind::kBroadcast:
        std::memcpy(buffers_.recv + begin, ranks_.slot(what_.root), bytes);
        return;
      default:
        reduce_slots(ranks_, what_, bytes / bytes_of(what_.dtype), buffers_.recv + begin);
    }
  }

  const Collective& what_;
  const Buffers& buffers_;
  Ranks& ranks_;
  const std::atomic<bool>& given_up_;
  std::size_t share_;  ///< bytes
};

}  // namespace

std::string text_of(const Collective& collective) {
  std::string text = fmt::format(
      "{} of {} x {}", name_of(collective.kind), collective.count, kDTypes[collective.dtype].name);
  if (reduces(collective.kind)) {
    text += ", " + operation_text(collective.op);
  } else if (collective.kind == Kind::kBroadcast) {
    text += fmt::format(" from {}", collective.root);
  }
  return collective.recorded ? text + ", recorded" : text;
}

std::string kernel_name(const Collective& collective) {
  return fmt::format("ncclDevKernel_{}_{}",
                     std::string(name_of(collective.kind)).substr(std::strlen("nccl")),
                     kDTypes[collective.dtype].name);
}

void check_call(const Collective& collective, const Buffers& buffers, int rank, int size) {
  check_arguments(collective, size);
  if (collective.count == 0) {
    return;
  }
  const Extents extents = extents_of(collective, buffers, rank, size);
  const std::size_t element = bytes_of(collective.dtype);
  check_buffer("recvbuff", buffers.recv, extents.recv, element);
  if (collective.kind == Kind::kBroadcast && rank != collective.root) {
    return;  // what it sends is not read
  }
  check_buffer("sendbuff", buffers.send, extents.send, element);
  const bool apart =
      buffers.send + extents.send <= buffers.recv || buffers.recv + extents.recv <= buffers.send;
  if (!apart && buffers.recv != extents.in_place) {
    throw Refused(ncclInvalidArgument,
                  fmt::format("{}: its buffers overlap, but not as in place", text_of(collective)));
  }
}

void run_collective(const Collective& collective,
                    const Buffers& buffers,
                    Ranks& ranks,
                    const std::atomic<bool>& given_up) {
  static_assert(sizeof(Collective) <= sizeof(Ranks::Description));
  static_assert(std::is_trivially_copyable_v<Collective>);
  std::memcpy(ranks.description(ranks.rank()).data(), &collective, sizeof(collective));
  ranks.meet(given_up);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    Collective other;
    std::memcpy(&other, ranks.description(rank).data(), sizeof(other));
    if (other != collective) {
      throw Refused(ncclInvalidUsage,
                    fmt::format("rank {} is in {}, rank {} in {}",
                                ranks.rank(),
                                text_of(collective),
                                rank,
                                text_of(other)));
    }
  }
  Part(collective, buffers, ranks, given_up).run();
}

}  // namespace dlbench::fake::nccl
