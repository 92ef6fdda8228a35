// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/fake/tensor_view.h"

#include "engine/core/dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

namespace dlbench::fake {
namespace {

struct Halves {
  std::uint16_t bits;
  static float load(std::uint16_t value) { return core::f16_to_f32(value); }
  static std::uint16_t store(float value) { return core::f32_to_f16(value); }
};

struct Brains {
  std::uint16_t bits;
  static float load(std::uint16_t value) { return core::bf16_to_f32(value); }
  static std::uint16_t store(float value) { return core::f32_to_bf16(value); }
};

struct Floats {
  float bits;
  static float load(float value) { return value; }
  static float store(float value) { return value; }
};

template <typename Function>
void visit_element(Element element, Function function) {
  switch (element) {
    case Element::kF32:
      function(Floats{});
      break;
    case Element::kF16:
      function(Halves{});
      break;
    case Element::kBF16:
      function(Brains{});
      break;
  }
}

/// For each run along the last axis, in row-major order: its number and its offset in elements.
template <typename Function>
void visit_runs(const TensorView& view, Function function) {
  if (view.elements() == 0) {
    return;
  }
  const std::size_t outer = view.extents.size() - 1;
  std::vector<std::int64_t> index(outer, 0);
  std::int64_t offset = 0;
  for (std::int64_t run = 0;; ++run) {
    function(run, offset);
    std::size_t axis = outer;
    while (true) {
      if (axis == 0) {
        return;
      }
      --axis;
      offset += view.strides[axis];
      if (++index[axis] < view.extents[axis]) {
        break;
      }
      offset -= view.strides[axis] * view.extents[axis];
      index[axis] = 0;
    }
  }
}

/// For each element: its number in row-major order and its offset.
template <typename Function>
void visit_elements(const TensorView& view, Function function) {
  constexpr std::int64_t kTile = 16;
  const std::int64_t count = view.extents.back();
  const std::int64_t stride = view.strides.back();
  if (view.extents.size() == 2 && view.strides[0] < stride) {
    // Column-major: in tiles, so that neither side leaves the cache with each element.
    for (std::int64_t first = 0; first < view.extents[0]; first += kTile) {
      const std::int64_t last = std::min(first + kTile, view.extents[0]);
      for (std::int64_t column = 0; column < count; ++column) {
        for (std::int64_t row = first; row < last; ++row) {
          function(row * count + column, row * view.strides[0] + column * stride);
        }
      }
    }
    return;
  }
  visit_runs(view, [&](std::int64_t run, std::int64_t offset) {
    for (std::int64_t i = 0; i < count; ++i) {
      function(run * count + i, offset + i * stride);
    }
  });
}

}  // namespace

std::size_t bytes_of(Element element) { return element == Element::kF32 ? 4 : 2; }

std::int64_t TensorView::elements() const {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

std::size_t TensorView::bytes() const {
  if (elements() == 0) {
    return 0;
  }
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    last += (extents[axis] - 1) * strides[axis];
  }
  return static_cast<std::size_t>(last + 1) * bytes_of(element);
}

bool TensorView::apart() const {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] > 1) {
      axes.emplace_back(strides[axis], extents[axis]);
    }
  }
  std::sort(axes.begin(), axes.end());
  std::int64_t inner = 1;
  for (const auto& [stride, extent] : axes) {
    if (stride < inner) {
      return false;
    }
    inner = stride * extent;
  }
  return true;
}

TensorView TensorView::channels_last() const {
  TensorView view = *this;
  std::rotate(view.extents.begin() + 1, view.extents.begin() + 2, view.extents.end());
  std::rotate(view.strides.begin() + 1, view.strides.begin() + 2, view.strides.end());
  return view;
}

std::vector<float> gather(const TensorView& view, const void* data) {
  std::vector<float> values(static_cast<std::size_t>(view.elements()));
  visit_element(view.element, [&](auto kind) {
    using Kind = decltype(kind);
    const auto* from = static_cast<const decltype(kind.bits)*>(data);
    float* to = values.data();
    visit_elements(view, [&](std::int64_t number, std::int64_t offset) {
      to[number] = Kind::load(from[offset]);
    });
  });
  return values;
}

void scatter(const TensorView& view, const std::vector<float>& values, void* data) {
  visit_element(view.element, [&](auto kind) {
    using Kind = decltype(kind);
    auto* to = static_cast<decltype(kind.bits)*>(data);
    const float* from = values.data();
    visit_elements(view, [&](std::int64_t number, std::int64_t offset) {
      to[offset] = Kind::store(from[number]);
    });
  });
}

void round_all(Element element, std::vector<float>& values) {
  visit_element(element, [&](auto kind) {
    using Kind = decltype(kind);
    for (float& value : values) {
      value = Kind::load(Kind::store(value));
    }
  });
}

void round_all_to_tf32(std::vector<float>& values) {
  constexpr std::uint32_t kHalf = 1U << 12;
  constexpr std::uint32_t kDropped = (1U << 13) - 1;
  for (float& value : values) {
    if (std::isfinite(value)) {
      value = std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + kHalf) & ~kDropped);
    }
  }
}

bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a);
  const auto b_begin = reinterpret_cast<std::uintptr_t>(b);
  return a_bytes > 0 && b_bytes > 0 && a_begin < b_begin + b_bytes && b_begin < a_begin + a_bytes;
}

bool is_aligned(const void* data, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(data) % alignment == 0;
}

}  // namespace dlbench::fake
