// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// MPI implementation of what the host communicator is built on: windows of shared memory within a
// node, messages between nodes.
#pragma once

#include "engine/comm/mpi/mpi_group.h"
#include "engine/comm/node_ranks.h"

#include <memory>

namespace dlbench::comm::mpi {

/// Makes the shared memory of the ranks of `all` that pass the same `node`. Collective over `all`;
/// the destructor is collective over the node.
[[nodiscard]] std::unique_ptr<NodeMemory> share_node_memory(const MpiGroup& all,
                                                            int node,
                                                            const Waiting& waiting);

/// Makes the links between the ranks of `all`; lane i, 0 <= i < `lanes`, consists of the ranks with
/// `local_rank` i. Collective.
[[nodiscard]] std::unique_ptr<NodeLinks> link_nodes(const MpiGroup& all,
                                                    int local_rank,
                                                    int lanes,
                                                    const Waiting& waiting);

}  // namespace dlbench::comm::mpi
