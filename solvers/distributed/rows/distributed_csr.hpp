// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A square CSR matrix whose rows lie in contiguous blocks, a part each, and its product with a vector in the same
/// blocks.
///
/// What couples rows of a part with each other is a matrix of its own, its own block. Columns of other parts, the halo,
/// are found once; what couples with them is added when they are there: while they cross, the own block is multiplied.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/multi_executor.hpp>

namespace coppice {

/// The rows of one part, of float or double. All parts construct it, and call apply(), at the same time and in the same
/// order; one part calls apply() from one thread at a time.
template <executor Executor, class T>
class csr_part {
public:
    using value_type = T;

    /// `offsets`[rows + 1] from 0, `columns` counted in the whole matrix, on the host. The first part has the first
    /// rows, and so on; a part may be empty. Throws dimension_error, on this part, where array lengths disagree, and
    /// matrix_error for offsets that fall or a column outside the matrix; the other parts throw where they meet it.
    csr_part(Executor const& exec, part_messages const& others, std::vector<std::int32_t> const& offsets,
             std::vector<std::int32_t> const& columns, std::vector<T> const& values);
    csr_part(csr_part&&) noexcept;
    csr_part& operator=(csr_part&&) noexcept;
    ~csr_part();

    std::int64_t size() const;
    std::int64_t halo() const;       ///< columns of other parts that it reads
    std::int64_t outer_rows() const; ///< rows that read any

    /// Its rows and columns of this part alone, size() x size(): what a preconditioner of this part is made of (block
    /// Jacobi over the parts).
    csr<T> const& own_block() const;

    /// Entries in columns of other parts, on the host.
    struct entries_of_others {
        std::vector<std::int32_t> rows{}, offsets{}; ///< rows that have any, ascending, and where their entries begin
        std::vector<std::int32_t> columns{};         ///< of the whole matrix
        std::vector<T> values{};
    };
    entries_of_others const& couplings() const;

    /// Where each part begins in the whole, and its end.
    std::vector<std::int64_t> const& begins() const;

    /// apply() waits for nobody and may be captured into a CUDA graph: on devices with NCCL, or where nothing crosses.
    bool replayable() const;

    /// y = A x; x[size()] and y[size()] are the blocks of this part and do not overlap. On a device it returns when the
    /// work is queued, where NCCL is there; else it waits for the others.
    void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace coppice
