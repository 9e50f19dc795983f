// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Blocks of rows of a matrix, one for each rank: read by all ranks together, or distributed by one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/files/read_options.hpp>
#include <coppice/core/executor.hpp>
#include <coppice/core/rank_communicator.hpp>

namespace coppice::inline v0_1 {

/// The rows of one rank, on the host: the arguments of the constructor of distributed_csr.
template <class T>
struct row_block {
    std::int64_t first = 0;                     ///< global index of the first row
    std::int64_t all_rows = 0, all_columns = 0; ///< of the whole matrix
    std::vector<std::int32_t> offsets{0}, columns{};
    std::vector<T> values{};

    std::int64_t rows() const { return std::int64_t(offsets.size()) - 1; }
};

/// Reads rows [n p / P, n (p + 1) / P) of the n rows of a matrix file on rank p of P; T is float, double or
/// std::complex of these. Collective.
///
/// `unknowns`: the first row of each rank is rounded down to a multiple of gcd(n, unknowns), so that points with so
/// many consecutive rows are not divided; at least 1 (argument_error, on all ranks that pass less).
///
/// A Matrix Market file that is neither compressed nor in an archive is read in parallel: each rank reads one P-th of
/// its bytes and sends the entries to the ranks that own their rows, so that no rank has the whole matrix. Every rank
/// opens the file by `path`, which is the same on all hosts. Other files are read by rank 0, which then has the whole
/// matrix until it has sent the rows. The rows are those of read_matrix(), bit for bit.
///
/// `exec` is an executor of this rank. Throws as read_matrix(), with the line of the file; the other ranks throw at
/// their next communication.
template <class T>
row_block<T> read_rows(host_executor const& exec, rank_communicator const& comm, std::filesystem::path const& path,
                       matrix_read_options const& options = {}, std::int64_t unknowns = 1);

/// Whether read_rows() reads this file in parallel. Collective; throws io_error as read_rows().
bool reads_in_parallel(rank_communicator const& comm, std::filesystem::path const& path);
/// Whether a file that read_rows() reads in parallel has complex values, which need a complex T; false for other files.
/// Collective; throws as reads_in_parallel().
bool has_complex_rows(rank_communicator const& comm, std::filesystem::path const& path);

/// Returns rows [first, last) of a matrix in host memory.
template <class T>
row_block<T> slice_rows(csr<T> const& whole, std::int64_t first, std::int64_t last);

/// Returns the rows of the transpose of a square matrix, in the same blocks, with sorted columns. Several entries at
/// one position stay several, in the order of their ranks and rows. Collective.
template <class T>
row_block<T> transpose_rows(host_executor const& exec, rank_communicator const& comm, row_block<T> const& rows);

/// Whether the whole matrix, whose columns are sorted and unique in each row, equals its transpose; of complex values
/// its conjugate transpose. Collective.
template <class T>
bool is_symmetric(host_executor const& exec, rank_communicator const& comm, row_block<T> const& rows);

/// Sends the blocks of rows of read_rows() of `whole`, a matrix of rank 0 in host memory, to all ranks; other ranks
/// pass an empty matrix, all ranks the same `unknowns` >= 1 (argument_error). Collective.
template <class T>
row_block<T> scatter_rows(rank_communicator const& comm, csr<T> const& whole, std::int64_t unknowns = 1);

/// First rows of `ranks` blocks of consecutive rows with about equally many entries, where each row counts as one more
/// entry, and the number of rows: [ranks + 1]. `offsets`[rows + 1] starts with 0. A block exceeds the mean by less than
/// its last row.
std::vector<std::int64_t> blocks_of_entries(array_view<std::int32_t const> offsets, int ranks);

/// Divides the rows of a matrix, of which each rank has a block, into those of blocks_of_entries(), and sends them to
/// their ranks. Collective. Throws overflow_error, on this rank, for more than 2^31 - 1 entries of a block; the other
/// ranks throw at their next communication.
template <class T>
row_block<T> balance_entries(rank_communicator const& comm, row_block<T> const& rows);

} // namespace coppice::inline v0_1
