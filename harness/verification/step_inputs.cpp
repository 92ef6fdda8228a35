// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/verification/step_inputs.h"

#include "data/loader/prefetch_loader.h"
#include "engine/core/check.h"
#include "engine/core/rng.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace dlbench::harness {
namespace {

constexpr std::uint64_t kEllipseStream = 0x656c6c69;  // each kind of draw has a stream of its own
constexpr std::uint64_t kNoiseStream = 0x6e6f6973;
constexpr std::uint64_t kLabelStream = 0x6c616265;

std::uint64_t stream_of(std::uint64_t kind, std::int64_t sample) {
  return (kind << 32U) + static_cast<std::uint64_t>(sample);
}

/// An ellipse in units of the image's side.
struct Ellipse {
  float center_row = 0.5F;
  float center_column = 0.5F;
  float height = 0.2F;
  float width = 0.3F;

  Ellipse(std::uint64_t seed, std::int64_t sample) {
    core::RandomStream random(seed, stream_of(kEllipseStream, sample));
    center_row = random.uniform(0.3F, 0.7F);
    center_column = random.uniform(0.3F, 0.7F);
    height = random.uniform(0.15F, 0.3F);
    width = random.uniform(0.15F, 0.3F);
  }

  [[nodiscard]] bool contains(float row, float column) const {
    const float y = (row - center_row) / height;
    const float x = (column - center_column) / width;
    return x * x + y * y <= 1.0F;
  }
};

/// (N, H, W, C) u8.
void draw_images(core::HostTensor& images, std::uint64_t seed) {
  const core::Shape& shape = images.shape();
  auto pixels = images.as<std::uint8_t>();
  std::size_t next = 0;
  for (std::int64_t sample = 0; sample < shape[0]; ++sample) {
    const Ellipse ellipse(seed, sample);
    core::RandomStream noise(seed, stream_of(kNoiseStream, sample));
    for (std::int64_t row = 0; row < shape[1]; ++row) {
      for (std::int64_t column = 0; column < shape[2]; ++column) {
        const float y = (static_cast<float>(row) + 0.5F) / static_cast<float>(shape[1]);
        const float x = (static_cast<float>(column) + 0.5F) / static_cast<float>(shape[2]);
        const bool inside = ellipse.contains(y, x);
        for (std::int64_t channel = 0; channel < shape[3]; ++channel) {
          const float tint = 25.0F * static_cast<float>(channel);
          const float ground = 140.0F - tint + 60.0F * (x - 0.5F) + 30.0F * (y - 0.5F);
          const float value = ground + (inside ? 40.0F : 0.0F) + noise.uniform(-25.0F, 25.0F);
          pixels[next++] = static_cast<std::uint8_t>(std::clamp(value, 0.0F, 255.0F));
        }
      }
    }
  }
}

/// (N, H, W) u8 of 0 and 1.
void draw_masks(core::HostTensor& masks, std::uint64_t seed) {
  const core::Shape& shape = masks.shape();
  auto pixels = masks.as<std::uint8_t>();
  std::size_t next = 0;
  for (std::int64_t sample = 0; sample < shape[0]; ++sample) {
    const Ellipse ellipse(seed, sample);
    for (std::int64_t row = 0; row < shape[1]; ++row) {
      for (std::int64_t column = 0; column < shape[2]; ++column) {
        const float y = (static_cast<float>(row) + 0.5F) / static_cast<float>(shape[1]);
        const float x = (static_cast<float>(column) + 0.5F) / static_cast<float>(shape[2]);
        pixels[next++] = ellipse.contains(y, x) ? 1 : 0;
      }
    }
  }
}

/// (N) i32.
void draw_labels(core::HostTensor& labels, std::int64_t classes, std::uint64_t seed) {
  core::RandomStream random(seed, stream_of(kLabelStream, 0));
  for (std::int32_t& label : labels.as<std::int32_t>()) {
    label = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(classes)));
  }
}

}  // namespace

StepInputs draw_step_inputs(const workloads::WorkloadSpec& spec,
                            const workloads::BuiltWorkload& built,
                            std::uint64_t seed) {
  StepInputs inputs;
  for (const graph::ValueId id : built.graph.inputs()) {
    const graph::Value& value = built.graph.value(id);
    core::HostTensor tensor(value.dtype, value.shape);
    if (value.dtype == core::DType::kU8 && value.shape.rank() == 4) {
      draw_images(tensor, seed);
    } else if (value.dtype == core::DType::kU8 && value.shape.rank() == 3) {
      draw_masks(tensor, seed);
    } else {
      DLBENCH_CHECK(value.dtype == core::DType::kI32 && value.shape.rank() == 1)
          << "no rule to draw input '" << value.name << "' of workload " << spec.name;
      draw_labels(tensor, spec.classes, seed);
    }
    inputs.emplace(value.name, std::move(tensor));
  }
  return inputs;
}

StepInputs load_step_inputs(const data::Dataset& dataset,
                            const workloads::BuiltWorkload& built,
                            std::uint64_t seed) {
  data::LoaderOptions options;
  options.batch_size = built.params.batch_size;
  options.seed = seed;
  options.prefetch = 1;
  options.epochs = 1;
  data::PrefetchLoader loader(dataset, options);
  const data::BatchLease batch = loader.next();
  DLBENCH_CHECK(static_cast<bool>(batch)) << "the loader has no batch";
  StepInputs inputs;
  for (const workloads::InputBinding& binding : built.inputs) {
    const graph::Value& value = built.graph.value(built.graph.find(binding.input).value());
    const data::BatchTensor& source = batch->tensor(binding.tensor);
    core::HostTensor tensor(value.dtype, value.shape);
    DLBENCH_CHECK(source.bytes() == tensor.bytes()) << binding.tensor;
    std::memcpy(tensor.data(), source.data(), tensor.bytes());
    inputs.emplace(binding.input, std::move(tensor));
  }
  return inputs;
}

}  // namespace dlbench::harness
