// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/node/recorded_environment.h"

#include <gmock/gmock.h>

namespace dlbench::probes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(RecordedEnvironment, LeavesOutWhatIsNotListed) {
  EXPECT_THAT(recorded_environment({{"OMP_NUM_THREADS", "2"},
                                    {"API_TOKEN", "secret"},
                                    {"HOME", "/home/somebody"},
                                    {"MY_NCCL_ALGO", "Ring"},
                                    {"CUDA_HOME", "/usr/local/cuda"}}),
              ElementsAre(Pair("OMP_NUM_THREADS", "2")));
}

TEST(RecordedEnvironment, HasWhateverTunesCommunication) {
  EXPECT_THAT(recorded_environment({{"NCCL_CROSS_NIC", "1"},
                                    {"NCCL_NET_GDR_LEVEL", "PHB"},
                                    {"NCCL_IB_PKEY", "3"},
                                    {"NCCL_OF_ANOTHER_VERSION", "x"},
                                    {"NCCL_DEBUG", "WARN"},
                                    {"CUBLAS_EMULATE_SINGLE_PRECISION", "1"},
                                    {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
                                    {"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "50"},
                                    {"FI_PROVIDER", "cxi"},
                                    {"UCX_TLS", "rc_x,cuda_ipc"}}),
              ElementsAre(Pair("CUBLAS_EMULATE_SINGLE_PRECISION", "1"),
                          Pair("CUDA_DEVICE_ORDER", "PCI_BUS_ID"),
                          Pair("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "50"),
                          Pair("FI_PROVIDER", "cxi"),
                          Pair("NCCL_CROSS_NIC", "1"),
                          Pair("NCCL_DEBUG", "WARN"),
                          Pair("NCCL_IB_PKEY", "3"),
                          Pair("NCCL_NET_GDR_LEVEL", "PHB"),
                          Pair("NCCL_OF_ANOTHER_VERSION", "x"),
                          Pair("UCX_TLS", "rc_x,cuda_ipc")));
}

TEST(RecordedEnvironment, HasNoSecretAndNoPlaceOfDebugOutput) {
  EXPECT_THAT(recorded_environment({{"NCCL_API_KEY", "s"},
                                    {"NCCL_AUTHTOKEN", "s"},
                                    {"NCCL_PLUGIN_PASSWORD", "s"},
                                    {"UCX_SECRET_OF_TESTS", "s"},
                                    {"FI_PSM3_UUID", "s"},
                                    {"NCCL_DEBUG_FILE", "/home/ada/nccl.%h"},
                                    {"NCCL_TOPO_DUMP_FILE", "topo.xml"},
                                    {"UCX_LOG_FILE", "log"},
                                    {"CUDA_MPS_LOG_DIRECTORY", "/tmp/ada"}}),
              IsEmpty());
}

TEST(RecordedEnvironment, NamesFilesWithoutTheirFolders) {
  EXPECT_THAT(recorded_environment({{"CUDA_MPS_PIPE_DIRECTORY", "/tmp/ada/mps/"},
                                    {"FI_PROVIDER_PATH", "/home/ada/lib:~/more"},
                                    {"NCCL_IB_ADDR_RANGE", "10.0.0.0/16"},
                                    {"NCCL_SOCKET_IFNAME", "=eth0"},
                                    {"NCCL_TOPO_FILE", "/home/ada/topo.xml"},
                                    {"NCCL_TUNER_PLUGIN", "/"}}),
              ElementsAre(Pair("CUDA_MPS_PIPE_DIRECTORY", "mps"),
                          Pair("FI_PROVIDER_PATH", "lib:more"),
                          Pair("NCCL_IB_ADDR_RANGE", "10.0.0.0/16"),
                          Pair("NCCL_SOCKET_IFNAME", "=eth0"),
                          Pair("NCCL_TOPO_FILE", "topo.xml"),
                          Pair("NCCL_TUNER_PLUGIN", "")));
}

}  // namespace
}  // namespace dlbench::probes
