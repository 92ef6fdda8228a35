// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/shape.h"

#include "engine/core/check.h"
#include "engine/core/error.h"

#include <algorithm>

namespace dlbench::core {

Shape::Shape(std::initializer_list<std::int64_t> extents)
    : Shape(std::span<const std::int64_t>(extents.begin(), extents.size())) {}

Shape::Shape(std::span<const std::int64_t> extents) : rank_(extents.size()) {
  DLBENCH_CHECK(rank_ <= kMaxRank) << "rank " << rank_;
  std::copy(extents.begin(), extents.end(), extents_.begin());
  for (const auto extent : extents) {
    DLBENCH_CHECK(extent >= 0) << "negative extent in " << to_string();
  }
}

std::int64_t Shape::operator[](std::size_t axis) const {
  DLBENCH_CHECK(axis < rank_) << "axis " << axis << " of " << to_string();
  return extents_[axis];
}

std::int64_t Shape::elements() const {
  constexpr std::int64_t kLimit = std::int64_t{1} << 60U;
  std::int64_t product = 1;
  bool fits = true;
  for (const auto extent : extents()) {
    fits = !__builtin_mul_overflow(product, extent, &product) && product < kLimit && fits;
  }
  if (fits) {
    return product;
  }
  if (std::ranges::find(extents(), 0) != extents().end()) {
    return 0;
  }
  throw Error(ErrorCode::kShape,
              "a tensor of shape " + to_string() +
                  " has 2^60 elements or more; choose a smaller batch or image");
}

Shape Shape::with(std::size_t axis, std::int64_t extent) const {
  DLBENCH_CHECK(axis < rank_) << "axis " << axis << " of " << to_string();
  DLBENCH_CHECK(extent >= 0) << "extent " << extent << " for axis " << axis << " of "
                             << to_string();
  Shape changed = *this;
  changed.extents_[axis] = extent;
  return changed;
}

std::string Shape::to_string() const {
  std::string text = "(";
  for (std::size_t axis = 0; axis < rank_; ++axis) {
    if (axis > 0) {
      text += ", ";
    }
    text += std::to_string(extents_[axis]);
  }
  return text + ")";
}

}  // namespace dlbench::core
