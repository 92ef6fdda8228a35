// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the host communicator stands on, from MPI: windows of shared memory within a node, messages
// between nodes.
#pragma once

#include "engine/comm/mpi/mpi_group.h"
#include "engine/comm/node_ranks.h"

#include <memory>

namespace dlbench::comm::mpi {

/// The memory of the ranks of `all` that give the same `node`. Collective over `all`; so is the
/// destructor over the node.
[[nodiscard]] std::unique_ptr<NodeMemory> share_node_memory(const MpiGroup& all,
                                                            int node,
                                                            const Waiting& waiting);

/// The links of `all`, of which lane 0 to `lanes` - 1 are the ranks with that `local_rank`.
/// Collective.
[[nodiscard]] std::unique_ptr<NodeLinks> link_nodes(const MpiGroup& all,
                                                    int local_rank,
                                                    int lanes,
                                                    const Waiting& waiting);

}  // namespace dlbench::comm::mpi
