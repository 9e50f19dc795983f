// SPDX-License-Identifier: BSD-3-Clause
// The exported functions of libcoppice_mpi: make_mpi_ranks() for programs, and C functions for the command, which loads
// the library if it is started by mpiexec.
#include <coppice/mpi.hpp>

#include <coppice/version.h>

#include "mpi/command_ranks.hpp"
#include "mpi/mpi_transport.hpp"

namespace coppice::inline v0_1 {

std::shared_ptr<process_ranks> make_mpi_ranks(MPI_Comm comm) { return std::make_shared<mpi::transport>(comm); }

} // namespace coppice::inline v0_1

extern "C" {

char const* coppice_mpi_version() { return COPPICE_VERSION_STRING; }

coppice::process_ranks* coppice_mpi_open() {
    int threads = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &threads) != MPI_SUCCESS) return nullptr;
    return new coppice::mpi::transport(MPI_COMM_WORLD);
}

void coppice_mpi_close(coppice::process_ranks* ranks) {
    delete ranks;
    MPI_Finalize();
}
}
