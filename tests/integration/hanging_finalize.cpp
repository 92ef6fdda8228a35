// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// To be preloaded into a program: MPI_Finalize() does not return, as between hosts it sometimes
// does not.
#include <unistd.h>

extern "C" int MPI_Finalize() {
  while (true) {
    ::pause();
  }
}
