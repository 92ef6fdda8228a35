// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/node_cpus.h"

#include <gtest/gtest.h>

#include <optional>

namespace dlbench::harness {
namespace {

TEST(NodeCpus, WhatRanksShareCountsOnce) {
  NodeCpus node;
  node.add({0, 1}, std::nullopt);
  node.add({0, 1}, std::nullopt);
  EXPECT_EQ(node.cores(), 2);
  node.add({1, 2}, std::nullopt);
  EXPECT_EQ(node.cores(), 3);
}

TEST(NodeCpus, AQuotaIsOfAllRanks) {
  NodeCpus bound;  // each to a CPU of its own: no rank alone sees that there is less for both
  bound.add({0}, 1.0);
  bound.add({1}, 1.0);
  EXPECT_EQ(bound.cores(), 1);
  EXPECT_EQ(bound.capacity(), 1.0);
  NodeCpus half;
  half.add({0, 1, 2, 3}, 1.5);
  half.add({0, 1, 2, 3}, 1.5);
  EXPECT_EQ(half.cores(), 2);
  EXPECT_EQ(half.capacity(), 1.5) << "two threads, but not two processors' time";
  half.add({0, 1, 2, 3}, std::nullopt);
  EXPECT_EQ(half.cores(), 4);
  EXPECT_EQ(half.capacity(), 4.0);
  NodeCpus narrow;
  narrow.add({0}, 2.5);
  EXPECT_EQ(narrow.capacity(), 1.0) << "a CPU has no more time than that";
}

TEST(LaunchCpus, AMachineCountsOnceHoweverManyNodesItHas) {
  LaunchCpus launch;
  launch.add({.node = 0}, {0, 1, 2, 3}, std::nullopt);
  launch.add({.node = 1}, {2, 3, 4, 5}, std::nullopt);
  EXPECT_EQ(launch.cores(), 6);
  EXPECT_EQ(launch.capacity(), 6.0);
  launch.add({.node = 2, .machine = 1}, {0, 1}, std::nullopt);
  EXPECT_EQ(launch.cores(), 8) << "of another machine";
  EXPECT_EQ(launch.capacity(), 8.0);
}

TEST(LaunchCpus, ANodeOfAMachineHasAQuotaOfItsOwn) {
  LaunchCpus launch;
  launch.add({.node = 0}, {0, 1, 2, 3}, 1.5);
  launch.add({.node = 0}, {0, 1, 2, 3}, 1.5);
  launch.add({.node = 1}, {0, 1, 2, 3}, 1.25);
  EXPECT_EQ(launch.capacity(), 2.75);
  EXPECT_EQ(launch.cores(), 4);
  launch.add({.node = 2}, {0, 1, 2, 3}, 3.0);
  EXPECT_EQ(launch.capacity(), 4.0) << "four processors have no more";
}

}  // namespace
}  // namespace dlbench::harness
