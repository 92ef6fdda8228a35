// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// NCCL's communicator with a single rank: all of it that one GPU can show.
#include "engine/comm/communicator_list.h"
#include "engine/core/error.h"
#include "tests/engine/comm/lone_collectives.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>

namespace dlbench {
namespace {

class NcclAlone : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = backend::backend_unavailable_reason("cuda"); !why.empty()) {
      GTEST_SKIP() << why;
    }
    device_ = backend::create_backend("cuda", {});
    ranks_.set_timeout(60.0);
  }

  [[nodiscard]] std::unique_ptr<comm::Communicator> communicator() {
    return comm::create_device_communicator(ranks_, *device_);
  }

  /// `work` on a thread of its own. One that never ends takes the whole program with it, which can
  /// say so in a minute instead of waiting for the caller's patience.
  void in_time(const char* what, const std::function<void()>& work) {
    auto done = std::async(std::launch::async, [this, &work] {
      device_->attach_thread();
      work();
    });
    if (done.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
      std::fprintf(stderr, "%s does not end\n", what);
      std::abort();
    }
    done.get();
  }

  comm::LoneRank ranks_;
  std::unique_ptr<backend::Backend> device_;
};

TEST_F(NcclAlone, LeavesTheDataAsItIs) {
  in_time("a collective of NCCL", [this] {
    const auto nccl = communicator();
    EXPECT_EQ(nccl->name(), "nccl");
    EXPECT_EQ(nccl->size(), 1);
    EXPECT_EQ(comm::testing::changed_by_collectives(*device_, *nccl), "");
  });
}

TEST_F(NcclAlone, IsRecordedAndReplayed) {
  in_time("a recorded collective of NCCL", [this] {
    const auto nccl = communicator();
    EXPECT_EQ(comm::testing::changed_by_recorded_all_reduce(*device_, *nccl), "");
  });
}

TEST_F(NcclAlone, GivenUpRefusesCollectivesAndEnds) {
  in_time("a communicator of NCCL that was given up", [this] {
    auto nccl = communicator();
    const auto stream = device_->create_stream();
    const auto memory = device_->allocate(1024);
    const comm::ReduceRequest request{.data = memory->data(), .count = 256};
    nccl->all_reduce(request, *stream);
    nccl->give_up();
    try {
      nccl->all_reduce(request, *stream);
      ADD_FAILURE() << "a communicator that was given up reduced";
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), core::ErrorCode::kRun) << error.what();
    }
    stream->synchronize();
    testing::internal::CaptureStderr();
    nccl.reset();
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.find("has not ended"), std::string::npos) << said;
  });
}

TEST_F(NcclAlone, IsMadeAgainAfterOneHasEnded) {
  in_time("a second communicator of NCCL", [this] {
    communicator().reset();
    const auto nccl = communicator();
    EXPECT_EQ(comm::testing::changed_by_recorded_all_reduce(*device_, *nccl), "");
  });
}

}  // namespace
}  // namespace dlbench
