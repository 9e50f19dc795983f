// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A square CSR (compressed sparse row) matrix, distributed by contiguous blocks of rows, and its product with a vector
/// that is distributed in the same way.
///
/// Entries between rows of one rank form the own block. The columns of other ranks (the halo) are found once, in the
/// constructor. apply() multiplies the own block while the halo is exchanged, then adds the products with the halo.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/multi_executor.hpp>

namespace coppice::inline v0_1 {

/// The rows of one rank; T is float, double or std::complex of these. Collective: all ranks construct it, and call
/// apply(), in the same order. On each rank only one thread calls apply() at a time.
template <executor Executor, class T>
class distributed_csr {
public:
    using value_type = T;

    /// `offsets`[rows + 1] starts with 0; `columns` are global indices; all arrays are on the host. Rank 0 has the
    /// first rows, and so on; a rank may have no rows. Throws, on this rank, dimension_error if the array lengths
    /// disagree and matrix_error for decreasing offsets or a column out of range; the other ranks throw at their next
    /// communication.
    distributed_csr(Executor const& exec, rank_communicator const& comm, std::vector<std::int32_t> const& offsets,
                    std::vector<std::int32_t> const& columns, std::vector<T> const& values);
    distributed_csr(distributed_csr&&) noexcept;
    distributed_csr& operator=(distributed_csr&&) noexcept;
    ~distributed_csr();

    std::int64_t size() const;
    std::int64_t halo() const;       ///< number of columns of other ranks that this rank reads
    std::int64_t outer_rows() const; ///< number of rows with entries in such columns

    /// The submatrix of the rows and columns of this rank, size() x size(). A preconditioner of this block on each rank
    /// is block Jacobi.
    csr<T> const& own_block() const;

    /// Entries in columns of other ranks, on the host.
    struct entries_of_others {
        /// the rows with such entries, ascending, and the offsets of their entries
        std::vector<std::int32_t> rows{}, offsets{};
        std::vector<std::int32_t> columns{}; ///< global indices
        std::vector<T> values{};
    };
    entries_of_others const& couplings() const;

    /// First row of each rank, and the number of rows of the whole matrix: [ranks + 1].
    std::vector<std::int64_t> const& begins() const;

    /// Replaces the values of this rank on the same pattern: `values`[nonzeros], in the order of the constructor and in
    /// memory of the executor. Not collective; on CUDA waits for the values of couplings(). Throws dimension_error for
    /// another number of values.
    void set_values(Executor const& exec, array_view<T const> values);
    /// Copies the values of this rank from a matrix with the same pattern. Not collective. Throws dimension_error for
    /// another number of values.
    void copy_values(Executor const& exec, distributed_csr const& from);
    /// A copy with separate values, which exchanges its halo by the same plan. Not collective; not simultaneously with
    /// other calls of this rank.
    distributed_csr copy(Executor const& exec) const;

    /// Whether apply() never synchronises and may be captured into a CUDA graph: on devices with NCCL, or if there is
    /// no halo.
    bool replayable() const;

    /// y = A x; x[size()] and y[size()] are the blocks of this rank and do not overlap. With NCCL it returns after
    /// queueing the work on the device; otherwise it waits for the other ranks.
    void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const;
    /// y = A^T x; shapes and waiting as for apply(). The first call after a change of values transposes the rows of
    /// this rank, and allocates. Products with rows of other ranks are added in rank order.
    void apply_transpose(Executor const& exec, array_view<T const> x, array_view<T> y) const;

private:
    struct state;
    explicit distributed_csr(std::unique_ptr<state> of);
    std::unique_ptr<state> state_;
};

} // namespace coppice::inline v0_1
