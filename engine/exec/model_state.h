// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything that outlives a step: parameters, gradients, optimizer state, buffers, scalars. One
// flat arena per kind, outside the activation arena, shared by the plans of all modes and batch
// sizes.
#pragma once

#include "engine/backend/backend.h"
#include "engine/comm/communicator.h"
#include "engine/core/host_tensor.h"
#include "engine/graph/graph.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::exec {

/// Named tensors in logical layout, as in a safetensors file.
using TensorMap = std::map<std::string, core::HostTensor>;

/// The state of one model on one device.
/// Parameters, their gradients and each kind of optimizer state have equal offsets in their arenas,
/// so a gradient bucket and an optimizer update are contiguous ranges.
class ModelState {
 public:
  /// Allocates the state values of `graph` (a training graph has them all) and initialises each
  /// from `seed` and its name alone. Values of the kinds `shared` (gradients, if it reduces them,
  /// and what is broadcast at every step) live in memory of the communicator, which must outlive
  /// the state. With nullptr all memory comes from the backend.
  ModelState(backend::Backend& backend,
             const graph::Graph& graph,
             std::uint64_t seed,
             comm::Communicator* communicator = nullptr,
             std::vector<graph::Storage> shared = {graph::Storage::kGradient});

  /// The device address of a state value by name; nullptr if there is none.
  [[nodiscard]] std::byte* address(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return address(name) != nullptr; }
  /// Size of a value in its arena in bytes, layout padding included.
  [[nodiscard]] std::size_t value_bytes(std::string_view name) const;

  /// The device memory of all arenas of one kind; none of the spans is empty.
  [[nodiscard]] std::vector<std::span<std::byte>> memory(graph::Storage storage) const;
  /// Size of all arenas of one kind in bytes.
  [[nodiscard]] std::size_t bytes(graph::Storage storage) const;

  /// Read and write one value in logical layout. write() throws core::Error(kData) if the name is
  /// unknown or dtype or shape differ. Not for the hot path.
  [[nodiscard]] core::HostTensor read(std::string_view name) const;
  void write(std::string_view name, const core::HostTensor& tensor);

  void set_scalar(std::string_view name, double value);
  [[nodiscard]] double scalar(std::string_view name) const;

  /// Returns every value of the given kinds, in logical layout.
  [[nodiscard]] TensorMap export_tensors(const std::vector<graph::Storage>& kinds) const;
  /// Returns the name of a parameter or buffer that contains NaN or infinity; empty if there is
  /// none. The last loss may still be finite: an overflow in an update shows in the next step's.
  [[nodiscard]] std::string find_not_finite() const;
  /// Overwrites every value of the given kinds; the counterpart of export_tensors(). Throws
  /// core::Error(kData) and changes nothing if a tensor is unknown or of another kind, dtype or
  /// shape, or if some are missing, which the message lists.
  void import_tensors(const TensorMap& tensors, const std::vector<graph::Storage>& kinds);

  /// Broadcasts rank 0's parameters, buffers and optimizer state to all ranks; broadcast_buffers()
  /// (running statistics) and broadcast_parameters() only those. Collective; no-op with one rank.
  void broadcast_all();
  void broadcast_buffers() { broadcast_kind(graph::Storage::kBuffer); }
  void broadcast_parameters() { broadcast_kind(graph::Storage::kParameter); }

  /// Save and restore a copy of all arenas, so that every repetition starts from the same state.
  void save();
  void restore();

 private:
  struct Arena {
    graph::Storage storage = graph::Storage::kParameter;
    std::unique_ptr<backend::Buffer> memory;
    std::vector<std::byte> saved;
  };
  struct Entry {
    graph::Value value;
    std::size_t arena = 0;
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };

  void add_arena(const graph::Graph& graph, const std::vector<graph::ValueId>& values);
  void initialize(std::uint64_t seed);
  /// Broadcasts the arenas of the kinds for which `wanted(storage)` is true.
  template <typename Wanted>
  void broadcast(Wanted wanted);
  void broadcast_kind(graph::Storage storage);
  [[nodiscard]] const Entry& entry(std::string_view name) const;
  void check_fits(std::string_view name, const core::HostTensor& tensor) const;
  void upload(const Entry& entry, const core::HostTensor& tensor);

  backend::Backend& backend_;
  comm::Communicator* communicator_;
  std::vector<graph::Storage> shared_;  ///< kinds that live in memory of the communicator
  std::unique_ptr<backend::Stream> stream_;
  std::vector<Arena> arenas_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace dlbench::exec
