// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/spatial.h"

#include "engine/core/check.h"

#include <gtest/gtest.h>

namespace dlbench::graph {
namespace {

TEST(Spatial, ExtentsOfImagesHaveADepthOfOne) {
  EXPECT_EQ(spatial_extents({2, 3, 5, 7}), (Spatial{1, 5, 7}));
  EXPECT_EQ(spatial_extents({2, 3, 4, 5, 7}), (Spatial{4, 5, 7}));
}

TEST(Spatial, AttributesOfImagesAreFilledInFront) {
  EXPECT_EQ(spatial_attribute({2, 3, 9}, 4, 1), (Spatial{1, 2, 3}));
  EXPECT_EQ(spatial_attribute({2, 3, 9}, 4, 0), (Spatial{0, 2, 3}));
  EXPECT_EQ(spatial_attribute({2, 3, 9}, 5, 1), (Spatial{2, 3, 9}));
}

TEST(Spatial, OtherRanksAreProgrammerErrors) {
  EXPECT_THROW(static_cast<void>(spatial_extents({2, 3, 5})), core::CheckFailure);
  EXPECT_THROW(static_cast<void>(spatial_attribute({2, 3, 9}, 3, 1)), core::CheckFailure);
}

}  // namespace
}  // namespace dlbench::graph
