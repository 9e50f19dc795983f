// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The real form of a complex matrix that is distributed over ranks, and its near-null-space vectors; on the host.
///
/// The rank that owns row i of A owns rows 2 i and 2 i + 1 of the real form, so that vectors keep their memory.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/complex_pair.hpp>
#include <coppice/core/rank_communicator.hpp>
#include <coppice/solvers/distributed/rows/read_rows.hpp>

namespace coppice::inline v0_1::distributed {

/// The rows of a rank, each with its entries in columns of this rank, then those in columns of other ranks.
template <class R>
struct complex_rows {
    std::vector<std::int64_t> begins{}; ///< [ranks + 1] first row of each rank
    std::int64_t first = 0;
    /// Columns are numbered from `first` to the last one, then from 0 on, so that the diagonal entry of the i-th row is
    /// in column i.
    std::vector<std::int32_t> offsets{0}, columns{};
    std::vector<complex_pair<R>> values{};

    std::int32_t local_column(std::int64_t global) const {
        return std::int32_t(global < first ? global - first + begins.back() : global - first);
    }
    std::int32_t global_column(std::int64_t local) const {
        return std::int32_t(local < begins.back() - first ? local + first : local + first - begins.back());
    }
    csr_view<complex_pair<R>> view() const {
        auto const rows = std::int32_t(offsets.size() - 1);
        return {rows, rows, std::int32_t(columns.size()), offsets.data(), columns.data(), values.data()};
    }
};

/// f with |f| = 1 that makes the diagonal entries of f A positive on average over all ranks; `standard` if they are not
/// finite. Collective.
template <class R>
complex_pair<R> factor_of_phases(host_executor const& host, rank_communicator const& comm, complex_rows<R> const& a,
                                 complex_pair<R> standard);

/// The rows of the real form of f A, with global columns. Throws overflow_error if the rows of all ranks or the entries
/// of this rank exceed 32 bits.
template <class R>
row_block<R> real_rows(host_executor const& host, complex_rows<R> const& a, complex_pair<R> factor);

/// Elements of this rank of real vectors with 2 unknowns per unknown of A, one vector after the other.
template <class R>
struct real_vectors_of_rank {
    int count = 0;
    buffer<R> elements{};
};
/// The near-null-space vectors that complex_multilevel chooses for a matrix with `block` unknowns per point: real
/// constants, or t and i t of a vector t whose phases follow the entries along the breadth-first search tree of all
/// ranks. Collective.
template <class R>
real_vectors_of_rank<R> near_vectors_of(host_executor const& host, rank_communicator const& comm,
                                        complex_rows<R> const& a, int block);

/// The real forms of t and i t for `count` given vectors t of A, whose elements of this rank are given. Throws
/// matrix_error for elements that are not finite.
template <class R>
real_vectors_of_rank<R> near_vectors_of(host_executor const& host, array_view<complex_pair<R> const> vectors,
                                        int count);

} // namespace coppice::inline v0_1::distributed
