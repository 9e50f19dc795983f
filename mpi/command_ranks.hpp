// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Functions of libcoppice_mpi that the command finds by their names.
#pragma once

#include <coppice/core/rank_transport.hpp>

extern "C" {

/// Version of Coppice that the library belongs to.
char const* coppice_mpi_version();
/// Initialises MPI and returns the ranks of MPI_COMM_WORLD; null if MPI does not start.
coppice::process_ranks* coppice_mpi_open();
/// Destroys the ranks and finalises MPI.
void coppice_mpi_close(coppice::process_ranks* ranks);
}
