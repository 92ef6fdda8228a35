// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/communicator_list.h"

#include "engine/comm/host_staged.h"
#include "engine/comm/self.h"
#include "engine/comm/shared_device.h"
#include "engine/core/check.h"
#include "engine/core/error.h"

#include <utility>
#include <vector>

namespace dlbench::comm {
namespace {

std::vector<CommunicatorEntry>& communicators() {
  static std::vector<CommunicatorEntry> list;
  return list;
}

}  // namespace

void register_communicator(CommunicatorEntry entry) {
  for (const CommunicatorEntry& known : communicators()) {
    DLBENCH_CHECK(known.device_kind != entry.device_kind) << "twice: " << entry.device_kind;
  }
  communicators().push_back(std::move(entry));
}

std::unique_ptr<Communicator> create_communicator(Rendezvous& ranks,
                                                  backend::Backend& backend,
                                                  const CommunicatorOptions& options) {
  if (ranks.size() == 1) {
    return std::make_unique<SelfCommunicator>();
  }
  if (backend.reads_host_memory()) {
    return ranks.create_host_communicator();
  }
  if (const std::string shared = shared_device(ranks.places(), device_addresses(ranks, backend));
      !shared.empty()) {
    if (options.sharing == DeviceSharing::kRefused) {
      throw core::Error(core::ErrorCode::kUnavailable, refusal_to_share(shared));
    }
    return std::make_unique<HostStagedCommunicator>(ranks.create_host_communicator(), backend);
  }
  return create_device_communicator(ranks, backend, options);
}

std::unique_ptr<Communicator> create_device_communicator(Rendezvous& ranks,
                                                         backend::Backend& backend,
                                                         const CommunicatorOptions& options) {
  const std::string kind = backend.device().kind;
  for (const CommunicatorEntry& entry : communicators()) {
    if (entry.device_kind == kind) {
      return entry.create(ranks, options);
    }
  }
  throw core::Error(core::ErrorCode::kUnavailable,
                    "no communicator between devices of kind '" + kind + "' is part of this build");
}

}  // namespace dlbench::comm
