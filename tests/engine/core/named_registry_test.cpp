// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/named_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlbench::core {
namespace {

class NamedRegistryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    registry_.add("pear", 2);
    registry_.add("apple", 1);
  }

  NamedRegistry<int> registry_{"fruit"};
};

TEST_F(NamedRegistryTest, FindsByNameAndSortsNames) {
  EXPECT_EQ(registry_.find("pear"), 2);
  EXPECT_THAT(registry_.names(), ::testing::ElementsAre("apple", "pear"));
}

TEST_F(NamedRegistryTest, AnUnknownNameGetsTheNearest) {
  try {
    static_cast<void>(registry_.find("aple"));
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_STREQ(error.what(), "unknown fruit 'aple'; did you mean 'apple'? known: apple, pear");
  }
}

TEST_F(NamedRegistryTest, TwoOfOneNameAreAProgrammerError) {
  EXPECT_THROW(registry_.add("apple", 3), CheckFailure);
  EXPECT_EQ(registry_.find("apple"), 1);
}

}  // namespace
}  // namespace dlbench::core
