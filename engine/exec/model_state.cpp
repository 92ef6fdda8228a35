// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/exec/model_state.h"

#include "engine/comm/device_watch.h"
#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/fnv1a.h"
#include "engine/core/rng.h"
#include "engine/core/round_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

namespace dlbench::exec {
namespace {

using core::Error;
using core::ErrorCode;
using graph::Initializer;
using graph::Storage;

constexpr std::size_t kSlotAlignment = 64;

/// Each value has a random stream of its own, so that adding a layer changes no other value.
std::uint64_t stream_of(std::string_view name) { return core::fnv1a(name); }

double truncated_normal(core::RandomStream& random) {
  double value = random.normal();
  while (std::abs(value) > 2.0) {
    value = random.normal();
  }
  return value;
}

bool is_among(const std::vector<Storage>& kinds, Storage kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

void fill(core::HostTensor& tensor, const Initializer& initializer, core::RandomStream random) {
  const auto fan_in = static_cast<double>(initializer.fan_in);
  const auto fan_sum = static_cast<double>(initializer.fan_in + initializer.fan_out);
  // Standard deviation of a normal cut at 2 sigma; Keras divides by it to keep the variance.
  constexpr double kTruncatedStddev = 0.87962566103423978;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    double value = 0.0;
    switch (initializer.kind) {
      case Initializer::Kind::kZero:
        return;
      case Initializer::Kind::kConstant:
        value = initializer.value;
        break;
      case Initializer::Kind::kGlorotUniform:
        value = (2.0 * random.uniform() - 1.0) * std::sqrt(6.0 / fan_sum);
        break;
      case Initializer::Kind::kHeNormal:
        value = truncated_normal(random) * std::sqrt(2.0 / fan_in) / kTruncatedStddev;
        break;
      case Initializer::Kind::kUniform:
        value = (2.0 * random.uniform() - 1.0) * initializer.value;
        break;
    }
    tensor.set(i, value);
  }
}

}  // namespace

ModelState::ModelState(backend::Backend& backend,
                       const graph::Graph& graph,
                       std::uint64_t seed,
                       comm::Communicator* communicator,
                       std::vector<Storage> shared)
    : backend_(backend),
      communicator_(communicator),
      shared_(std::move(shared)),
      stream_(backend.create_stream()) {
  for (const Storage storage : {Storage::kParameter, Storage::kBuffer, Storage::kScalar}) {
    add_arena(graph, graph.with_storage(storage));
  }
  // Gradients and each kind of optimizer state, in the order of their parameters.
  std::map<std::string, std::vector<graph::ValueId>> by_kind;
  for (const graph::ValueId parameter : graph.with_storage(Storage::kParameter)) {
    if (const graph::ValueId gradient = graph.gradient_of(parameter); gradient != graph::kNoValue) {
      by_kind["grad"].push_back(gradient);
    }
  }
  for (const graph::ValueId state : graph.with_storage(Storage::kOptimizerState)) {
    const graph::Value& value = graph.value(state);
    const std::string& parameter = graph.value(value.parameter).name;
    by_kind[value.name.substr(0, value.name.size() - parameter.size())].push_back(state);
  }
  for (const auto& [kind, values] : by_kind) {
    add_arena(graph, values);
  }
  initialize(seed);
  if (contains("seed")) {
    core::HostTensor bits(core::DType::kI64, core::Shape{});
    bits.as<std::int64_t>()[0] = static_cast<std::int64_t>(seed);
    write("seed", bits);
  }
}

void ModelState::add_arena(const graph::Graph& graph, const std::vector<graph::ValueId>& values) {
  std::size_t bytes = 0;
  for (const graph::ValueId id : values) {
    const graph::Value& value = graph.value(id);
    const std::size_t size = backend_.state_layout(value).bytes;
    std::size_t offset = bytes;
    if (value.parameter != graph::kNoValue) {
      // Same offset as its parameter: a parameter without a gradient leaves a gap.
      const Entry& parameter = entry(graph.value(value.parameter).name);
      DLBENCH_CHECK(parameter.bytes == size) << value.name << " is laid out unlike its parameter";
      offset = parameter.offset;
    }
    const bool inserted =
        entries_
            .emplace(
                value.name,
                Entry{.value = value, .arena = arenas_.size(), .offset = offset, .bytes = size})
            .second;
    DLBENCH_CHECK(inserted) << value.name;
    bytes = offset + core::round_up(size, kSlotAlignment);
  }
  Arena arena;
  if (!values.empty()) {
    arena.storage = graph.value(values.front()).storage;
  }
  const bool is_shared =
      communicator_ != nullptr && std::ranges::find(shared_, arena.storage) != shared_.end();
  arena.memory = is_shared ? communicator_->allocate(backend_, bytes) : backend_.allocate(bytes);
  stream_->fill_zero(arena.memory->data(), bytes);
  stream_->synchronize();
  arenas_.push_back(std::move(arena));
}

void ModelState::initialize(std::uint64_t seed) {
  for (const auto& [name, entry] : entries_) {
    if (entry.value.initializer.kind == Initializer::Kind::kZero) {
      continue;
    }
    core::HostTensor tensor(entry.value.dtype, entry.value.shape);
    fill(tensor, entry.value.initializer, core::RandomStream(seed, stream_of(name)));
    upload(entry, tensor);
  }
}

const ModelState::Entry& ModelState::entry(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    throw Error(ErrorCode::kData, "the model has no value named '" + std::string(name) + "'");
  }
  return found->second;
}

std::byte* ModelState::address(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end()
             ? nullptr
             : arenas_[found->second.arena].memory->data() + found->second.offset;
}

std::size_t ModelState::value_bytes(std::string_view name) const { return entry(name).bytes; }

std::vector<std::span<std::byte>> ModelState::memory(Storage storage) const {
  std::vector<std::span<std::byte>> spans;
  for (const Arena& arena : arenas_) {
    if (arena.storage == storage && arena.memory->bytes() > 0) {
      spans.emplace_back(arena.memory->data(), arena.memory->bytes());
    }
  }
  return spans;
}

std::size_t ModelState::bytes(Storage storage) const {
  std::set<std::size_t> arenas;
  for (const auto& [name, entry] : entries_) {
    if (entry.value.storage == storage) {
      arenas.insert(entry.arena);
    }
  }
  std::size_t sum = 0;
  for (const std::size_t arena : arenas) {
    sum += arenas_[arena].memory->bytes();
  }
  return sum;
}

core::HostTensor ModelState::read(std::string_view name) const {
  const Entry& found = entry(name);
  std::vector<std::byte> physical(found.bytes);
  stream_->copy_to_host(physical.data(), address(name), found.bytes);
  stream_->synchronize();
  core::HostTensor logical(found.value.dtype, found.value.shape);
  backend_.unpack_state(found.value, physical.data(), logical);
  return logical;
}

void ModelState::upload(const Entry& target, const core::HostTensor& tensor) {
  std::vector<std::byte> physical(target.bytes);
  backend_.pack_state(target.value, tensor, physical.data());
  stream_->copy_to_device(address(target.value.name), physical.data(), target.bytes);
  stream_->synchronize();
}

void ModelState::check_fits(std::string_view name, const core::HostTensor& tensor) const {
  const Entry& found = entry(name);
  if (tensor.dtype() != found.value.dtype || tensor.shape() != found.value.shape) {
    throw Error(ErrorCode::kData,
                "tensor '" + std::string(name) + "' is " + std::string(core::name(tensor.dtype())) +
                    " " + tensor.shape().to_string() + ", the model wants " +
                    std::string(core::name(found.value.dtype)) + " " +
                    found.value.shape.to_string());
  }
}

void ModelState::write(std::string_view name, const core::HostTensor& tensor) {
  check_fits(name, tensor);
  upload(entry(name), tensor);
}

void ModelState::set_scalar(std::string_view name, double value) {
  const Entry& found = entry(name);
  core::HostTensor tensor(found.value.dtype, found.value.shape);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.set(i, value);
  }
  upload(found, tensor);
}

double ModelState::scalar(std::string_view name) const { return read(name).at(0); }

TensorMap ModelState::export_tensors(const std::vector<Storage>& kinds) const {
  TensorMap tensors;
  for (const auto& [name, entry] : entries_) {
    if (is_among(kinds, entry.value.storage)) {
      tensors.emplace(name, read(name));
    }
  }
  return tensors;
}

std::string ModelState::find_not_finite() const {
  for (const auto& [name, entry] : entries_) {
    const bool learned =
        entry.value.storage == Storage::kParameter || entry.value.storage == Storage::kBuffer;
    if (!learned || !core::is_float(entry.value.dtype)) {
      continue;
    }
    const core::HostTensor tensor = read(name);
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      if (!std::isfinite(tensor.at(i))) {
        return name;
      }
    }
  }
  return "";
}

void ModelState::import_tensors(const TensorMap& tensors, const std::vector<Storage>& kinds) {
  for (const auto& [name, tensor] : tensors) {
    if (const Storage kind = entry(name).value.storage; !is_among(kinds, kind)) {
      throw Error(
          ErrorCode::kData,
          fmt::format(
              "tensor '{}' does not belong here: the model has it as {}", name, graph::name(kind)));
    }
    check_fits(name, tensor);
  }
  std::vector<std::string_view> missing;
  for (const auto& [name, entry] : entries_) {
    if (is_among(kinds, entry.value.storage) && !tensors.contains(name)) {
      missing.emplace_back(name);
    }
  }
  if (!missing.empty()) {
    constexpr std::size_t kNamed = 3;
    const std::size_t named = std::min(kNamed, missing.size());
    throw Error(
        ErrorCode::kData,
        fmt::format(
            "tensors missing for this model: {}{}",
            fmt::join(std::span(missing).first(named), ", "),
            missing.size() > named ? fmt::format(" and {} more", missing.size() - named) : ""));
  }
  for (const auto& [name, tensor] : tensors) {
    upload(entry(name), tensor);
  }
}

template <typename Wanted>
void ModelState::broadcast(Wanted wanted) {
  if (communicator_ == nullptr || communicator_->size() == 1) {
    return;
  }
  comm::watched(*communicator_, [&] {
    for (Arena& arena : arenas_) {
      if (wanted(arena.storage) && arena.memory->bytes() > 0) {
        communicator_->broadcast(arena.memory->data(), arena.memory->bytes(), 0, *stream_);
      }
    }
    stream_->synchronize();
  });
}

void ModelState::broadcast_all() {
  broadcast([](Storage storage) {
    // Gradients are recomputed in each step; scalars (share of the batch, first sample) differ
    // between ranks.
    return storage != Storage::kGradient && storage != Storage::kScalar;
  });
}

void ModelState::broadcast_kind(Storage storage) {
  broadcast([storage](Storage other) { return other == storage; });
}

void ModelState::save() {
  for (Arena& arena : arenas_) {
    arena.saved.resize(arena.memory->bytes());
    stream_->copy_to_host(arena.saved.data(), arena.memory->data(), arena.saved.size());
  }
  stream_->synchronize();
}

void ModelState::restore() {
  for (Arena& arena : arenas_) {
    DLBENCH_CHECK(arena.saved.size() == arena.memory->bytes()) << "restore() before save()";
    stream_->copy_to_device(arena.memory->data(), arena.saved.data(), arena.saved.size());
  }
  stream_->synchronize();
}

}  // namespace dlbench::exec
