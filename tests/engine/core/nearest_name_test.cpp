// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/nearest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dlbench::core {
namespace {

const std::vector<std::string> kWorkloads{"mnist_cnn", "resunetpp"};

TEST(NearestName, FindsTypingErrors) {
  EXPECT_EQ(nearest_name("resunetp", kWorkloads), "resunetpp");
  EXPECT_EQ(nearest_name("mnist-cnn", kWorkloads), "mnist_cnn");
  EXPECT_EQ(nearest_name("ersunetpp", kWorkloads), "resunetpp");
  EXPECT_EQ(nearest_name("RESUNETPP", kWorkloads), "resunetpp");
  EXPECT_EQ(nearest_name("mni", kWorkloads), "mnist_cnn") << "how it begins";
  EXPECT_EQ(nearest_name("fole", std::vector<std::string>{"full"}), "full") << "half of four";
  EXPECT_EQ(nearest_name("rat", std::vector<std::string>{"cat", "bat"}), "cat") << "the first";
}

TEST(NearestName, WhatBeginsSoComesBeforeWhatLooksSo) {
  const std::vector<std::string> options{"--benchy", "--batch-size", "--cache", "--max-time"};
  EXPECT_EQ(nearest_name("--batch", options), "--batch-size");
  EXPECT_EQ(nearest_name("--bench", options), "--benchy");
  const std::vector<std::string> several{"loader_a", "loader_b", "loaded"};
  EXPECT_EQ(nearest_name("loader", several), "loaded") << "two begin so: the nearest of all";
}

TEST(NearestName, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("bert", kWorkloads), "");
  EXPECT_EQ(nearest_name("re", kWorkloads), "") << "two letters begin too much";
}

TEST(NearestName, MessageListsWhatIsKnown) {
  EXPECT_EQ(unknown_name_message("workload", "resunetp", kWorkloads),
            "unknown workload 'resunetp'; did you mean 'resunetpp'? known: mnist_cnn, resunetpp");
  EXPECT_EQ(unknown_name_message("workload", "bert", kWorkloads),
            "unknown workload 'bert'; known: mnist_cnn, resunetpp");
}

}  // namespace
}  // namespace dlbench::core
