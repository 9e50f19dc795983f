// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SRCSR: the generic semiring SpMV as a segmented reduction over the rows of a CSR pattern.
///
/// y_i = store(i, ⊕_j multiply(nonzero j of row i)), Eq. 19 and section 3.5 of the source thesis.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/cuda/device_flag.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/semiring/operators/nonzero_streams.hpp>
#include <coppice/semiring/operators/operators.hpp>
#include <coppice/semiring/operators/shared_memory_layout.hpp>
#include <coppice/semiring/reduce_rows/srcsr_lane.hpp>
#include <coppice/semiring/reduce_rows/srcsr_options.hpp>
#include <coppice/semiring/reduce_rows/srcsr_partition.hpp>

namespace coppice {

/// Rows [first, last).
struct row_range {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

namespace detail {

inline void require_workspace(array_view<std::byte> workspace, std::int64_t bytes, std::size_t alignment) {
    if (alignment < 16) alignment = 16;
    if (workspace.size() < bytes)
        throw argument_error("workspace of reduce_rows has " + std::to_string(workspace.size()) + " bytes, needs " +
                             std::to_string(bytes));
    if (reinterpret_cast<std::uintptr_t>(workspace.data()) % alignment != 0)
        throw argument_error("workspace of reduce_rows is not aligned to " + std::to_string(alignment) + " bytes");
}

} // namespace detail

struct hand_over_slot; // core/block.hpp

/// How the rows of one pattern are laid over the machine; depends on structure alone and is reusable while the pattern
/// stands. Borrows the row offsets, which must stay where they are.
///
/// On CUDA a plan holds scratch memory for the rows that are cut between blocks, so that it serves one call at a time:
/// calls on one stream, but not on two at once.
template <class O>
struct srcsr_plan {
    array_view<O const> offsets{}; ///< offsets[rows + 1]
    std::int64_t nonzeros = 0;
    std::int64_t work_per_block = 0; ///< path steps (rows + nonzeros) of a stretch (host) or of a share (CUDA)
    /// Row and nonzero where each stretch or share begins, and one more for the end. On CUDA what else a plan holds
    /// lies behind them, so that making it takes one allocation.
    buffer<detail::path_point> block_starts{};
    std::int64_t block_count = 0;

    srcsr_scheme scheme = srcsr_scheme::adaptive; ///< CUDA
    srcsr_tuning tuning{};                        ///< CUDA: the sizes taken
    std::string reason{};                         ///< CUDA: why these
    int capacity = 0;                             ///< CUDA: nonzeros of a share of whole rows at most
    /// CUDA: whether most shares lie along the path, once the device has found out: another kernel, of the same bits,
    /// is faster then. Calls that are queued before take the one for regular patterns.
    device_note irregular{};
    /// CUDA: behind block_starts, two for each share; what blocks of a call leave for each other.
    hand_over_slot* slots = nullptr;

    std::int64_t rows() const { return offsets.size() > 0 ? offsets.size() - 1 : 0; }
    std::int64_t blocks() const { return block_count; }

    /// Bytes of workspace that reduce_rows takes beside the plan for sums of this type: 0 for up to 8 bytes a sum, and
    /// on the host.
    template <class Accumulator>
    std::int64_t workspace() const {
        bool const on_host = tuning.threads == 0;
        return on_host || sizeof(Accumulator) <= 8 ? 0 : 2 * block_count * std::int64_t(sizeof(Accumulator));
    }
};

/// What scheme balanced_atomic asks of a store: open(row) prepares a row that is cut (y = beta y), join(row, part) adds
/// a part atomically. The device alone calls them.
template <class Store, class Result>
concept atomic_store = requires(Store const& store, Result const& part) {
    store.open(std::int64_t{});
    store.join(std::int64_t{}, part);
};

} // namespace coppice

#include <coppice/semiring/reduce_rows/srcsr_host.hpp>
#if defined(__CUDACC__)
#include <coppice/semiring/reduce_rows/srcsr_cuda.cuh>
#endif

namespace coppice {

/// The plan for a matrix, without a round trip to the host.
template <executor Executor, class T, class I, class O>
srcsr_plan<O> make_srcsr_plan(Executor const& exec, csr_view<T, I, O> a, srcsr_options const& options = {}) {
    srcsr_options filled = options;
    if (filled.nonzero_bytes == 0) filled.nonzero_bytes = int(sizeof(T) + sizeof(I));
    return make_srcsr_plan(exec, a.row_offsets(), static_cast<std::int64_t>(a.nonzeros()), filled);
}

/// The plan for offsets[rows + 1] from 0 to the number of nonzeros; on CUDA waits to read the last offset.
template <executor Executor, class O>
srcsr_plan<O> make_srcsr_plan(Executor const& exec, array_view<O const> offsets, srcsr_options const& options = {}) {
    std::int64_t const nonzeros =
        offsets.size() > 0 ? static_cast<std::int64_t>(exec.load(offsets.data() + offsets.size() - 1)) : 0;
    return make_srcsr_plan(exec, offsets, nonzeros, options);
}

/// Reduces every row: store(row, ⊕ over the row's nonzeros k, in order, of multiply(k) or multiply(k, row)).
///
/// - `multiply` takes (nonzero) or (nonzero, row), both std::int64_t (floating-point parameters do not compile); found
/// at compile time, and the row costs nothing
///   when it is not asked for. Its result may be smaller than the accumulator.
/// - `add` is an adder (semiring/operators/operators.hpp): identity(), (accumulator, accumulator), and optionally
///   (accumulator, product). Associative is enough; the order of the nonzeros is kept.
/// - `store` is called exactly once for every row, empty rows included (with the identity), in any order and from any
///   thread; it may read what it overwrites (y = beta y + sum). multiply must not read what store writes.
///
/// The same bits on every run and for any number of threads; no atomic operations on values, except where the plan's
/// scheme is balanced_atomic. On CUDA all three are trivially copyable and callable on the device, and the call returns
/// when the work is queued; it may be captured into a CUDA graph and replayed while the plan lives.
///
/// A store may also fold over the rows that it stores (the dot product of y with another vector), in a fixed order:
/// `of_rows(first, last)` gives what rows that are stored add, a value with +=, for the host, which asks while they are
/// in cache; `finish(folded)` takes the result. On CUDA `on_thread()` gives the store of one thread, whose calls may
/// add to what it holds, and all threads of block b of `blocks` end with `finish(block, shared, b, blocks, store)`,
/// where `shared` has a double for each warp. Needs the scheme `adaptive`; see
/// solvers/iterative/vectors/product_and_dot.hpp.
///
/// For speed on CUDA: write multiply as `along_nonzeros` (semiring/operators/nonzero_streams.hpp); give a store that
/// reads memory of its own `fetch(row)`, whose value is passed to store(row, sum, fetched), so that it is read ahead.
///
/// `workspace`, if given: at least plan.workspace<accumulator>() bytes, aligned to 16 and as the accumulator; else
/// memory of the executor's pool.
template <executor Executor, class O, row_multiplier Multiply, adder Add, class Store>
requires row_multiplier_for<Multiply, Add> && row_store_for<Store, Add>
void reduce_rows(Executor const& exec, srcsr_plan<O> const& plan, Multiply multiply, Add add, Store store,
                 array_view<std::byte> workspace = {}) {
    detail::require_indices<Multiply, Store>();
    reduce_rows(exec, plan, row_range{0, plan.rows()}, multiply, add, store, workspace);
}

} // namespace coppice
