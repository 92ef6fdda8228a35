// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Many casts in one launch, against each of them in its own.
#include "engine/backend/cuda/kernels/convert.h"
#include "engine/core/rng.h"
#include "tests/engine/backend/cuda/kernels/host_launcher.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using core::DType;

struct CastTypes {
  DType from;
  DType to;
  std::size_t shift;  ///< bytes by which all addresses are off
};

std::vector<Index> many_sizes(int count) {
  std::vector<Index> elements{
      1, 7, 8, 9, 64, 4096, 3, 100003, kCastChunk - 1, kCastChunk, kCastChunk + 1, 1029};
  for (int i = static_cast<int>(elements.size()); i < count; ++i) {
    elements.push_back(1 + (i * 37) % 211);
  }
  elements.resize(static_cast<std::size_t>(count));
  return elements;
}

/// Memory with room for all tensors, 64 bytes and more between them.
class SparseTensors {
 public:
  SparseTensors(DType dtype, const std::vector<Index>& elements, std::size_t shift) {
    std::size_t bytes = 64 + shift;
    for (const Index count : elements) {
      begin_.push_back(bytes);
      bytes += (static_cast<std::size_t>(count) * core::size_of(dtype) + 127) / 64 * 64;
    }
    bytes_.assign(bytes + 64, std::byte{0xA5});
  }
  [[nodiscard]] std::byte* at(std::size_t tensor) {
    std::byte* base = bytes_.data();
    base += 64 - reinterpret_cast<std::uintptr_t>(base) % 64;
    return base + begin_[tensor] - 64;
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::size_t> begin_;
  std::vector<std::byte> bytes_;
};

class CastManyTypes : public ::testing::TestWithParam<CastTypes> {};

TEST_P(CastManyTypes, EqualsTheCastsOneByOneAndTouchesNothingElse) {
  const auto [from, to, shift] = GetParam();
  core::RandomStream random(4, 2);
  for (const int count : {1, 2, kMaxCasts, kMaxCasts + 1, 3 * kMaxCasts - 1}) {
    const std::vector<Index> elements = many_sizes(count);
    SparseTensors x(from, elements, shift);
    SparseTensors many(to, elements, shift);
    SparseTensors single(to, elements, shift);
    HostLauncher launcher;
    CastManyArgs args{.x_dtype = from, .y_dtype = to};
    for (std::size_t tensor = 0; tensor < elements.size(); ++tensor) {
      for (Index i = 0; i < elements[tensor]; ++i) {
        const float value = random.uniform(-3.0F, 3.0F);
        std::byte* at = x.at(tensor) + static_cast<std::size_t>(i) * core::size_of(from);
        if (from == DType::kF32) {
          std::memcpy(at, &value, sizeof value);
        } else {
          const auto bits = static_cast<std::uint16_t>(static_cast<int>(value * 1000.0F) & 0x3FFF);
          std::memcpy(at, &bits, sizeof bits);
        }
      }
      args.tensors.push_back({x.at(tensor), many.at(tensor), elements[tensor]});
      const ChannelsLast layout{.channels = elements[tensor], .stride = elements[tensor]};
      run_cast(launcher,
               {.x = x.at(tensor),
                .x_dtype = from,
                .x_layout = layout,
                .y = single.at(tensor),
                .y_dtype = to,
                .y_layout = layout});
    }
    run_cast_many(launcher, args);
    for (std::size_t tensor = 0; tensor < elements.size(); ++tensor) {
      const std::size_t bytes = static_cast<std::size_t>(elements[tensor]) * core::size_of(to);
      ASSERT_EQ(std::memcmp(many.at(tensor), single.at(tensor), bytes + 8), 0)
          << count << " tensors, number " << tensor << " of " << elements[tensor];
    }
    EXPECT_EQ(std::memcmp(many.at(0) - 8, single.at(0) - 8, 8), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Types,
                         CastManyTypes,
                         ::testing::Values(CastTypes{DType::kF32, DType::kBF16, 0},
                                           CastTypes{DType::kF32, DType::kF16, 0},
                                           CastTypes{DType::kBF16, DType::kF32, 0},
                                           CastTypes{DType::kF16, DType::kF32, 0},
                                           CastTypes{DType::kF32, DType::kBF16, 4},
                                           CastTypes{DType::kF16, DType::kF32, 4}),
                         [](const auto& param_info) {
                           return std::string(core::name(param_info.param.from)) + "To" +
                                  std::string(core::name(param_info.param.to)) + "Off" +
                                  std::to_string(param_info.param.shift);
                         });

TEST(CastMany, RefusesCastsThatNeedNoKernelOfMany) {
  HostLauncher launcher;
  EXPECT_ANY_THROW(run_cast_many(launcher, {.x_dtype = DType::kF32, .y_dtype = DType::kF32}));
  EXPECT_ANY_THROW(run_cast_many(launcher, {.x_dtype = DType::kF16, .y_dtype = DType::kBF16}));
}

}  // namespace
}  // namespace dlbench::backend::cuda
