// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SRCSR (segmented reduction over CSR): the generic semiring sparse matrix-vector product (SpMV) as a segmented
/// reduction over the rows of a CSR pattern.
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

namespace coppice::inline v0_1 {

/// Half-open range of rows [first, last).
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

/// Partition of the rows of one pattern for the machine. It depends on the structure only and is reusable while the
/// pattern does not change. It borrows the row offsets, which must stay valid at the same address.
///
/// A CUDA plan owns scratch memory for rows that are split between blocks. Calls that use one plan must therefore be on
/// one stream, never concurrent.
template <class O>
struct srcsr_plan {
    array_view<O const> offsets{}; ///< offsets[rows + 1]
    std::int64_t nonzeros = 0;
    std::int64_t work_per_block = 0; ///< path steps (rows + nonzeros) per chunk (host) or per block (CUDA)
    /// Row and nonzero at which each chunk or block range begins, and the end of the path. On CUDA the slots of the
    /// plan follow in the same allocation.
    buffer<detail::path_point> block_starts{};
    std::int64_t block_count = 0;

    srcsr_scheme scheme = srcsr_scheme::adaptive; ///< CUDA
    srcsr_tuning tuning{};                        ///< CUDA: the sizes in use
    std::string reason{};                         ///< CUDA: why these sizes were chosen
    int capacity = 0;                             ///< CUDA: largest number of nonzeros of a range of whole rows
    /// CUDA: whether most ranges are split along the path. The device sets it asynchronously. If set, another kernel
    /// with bitwise equal results is faster; calls that are queued before that use the kernel for regular patterns.
    device_flag irregular{};
    /// CUDA: two slots per range, after block_starts; through them the blocks of a call pass partial sums to each
    /// other.
    hand_over_slot* slots = nullptr;

    std::int64_t rows() const { return offsets.size() > 0 ? offsets.size() - 1 : 0; }
    std::int64_t blocks() const { return block_count; }

    /// Bytes of workspace that reduce_rows needs for sums of this type: 0 for sums of up to 8 bytes, and 0 on the host.
    template <class Accumulator>
    std::int64_t workspace() const {
        bool const on_host = tuning.threads == 0;
        return on_host || sizeof(Accumulator) <= 8 ? 0 : 2 * block_count * std::int64_t(sizeof(Accumulator));
    }
};

namespace detail {

template <class Store, class Result>
concept has_merge = requires(Store const& store, Result const& sum) {
    store.merge(std::int64_t{}, sum);
};
/// Former name of merge(); still accepted.
template <class Store, class Result>
concept has_join = requires(Store const& store, Result const& sum) {
    store.join(std::int64_t{}, sum);
};

} // namespace detail

/// Requirements of the scheme balanced_atomic on a store: open(row) prepares a row that is split between blocks (y =
/// beta y); merge(row, sum) adds a partial sum atomically. Only the device calls them.
template <class Store, class Result>
concept atomic_store = requires(Store const& store) {
    store.open(std::int64_t{});
}
&&(detail::has_merge<Store, Result> || detail::has_join<Store, Result>);

} // namespace coppice::inline v0_1

#include <coppice/semiring/reduce_rows/srcsr_host.hpp>
#if defined(__CUDACC__)
#include <coppice/semiring/reduce_rows/srcsr_cuda.cuh>
#endif

namespace coppice::inline v0_1 {

/// Makes the plan for a matrix, without a transfer to the host.
template <executor Executor, class T, class I, class O>
srcsr_plan<O> make_srcsr_plan(Executor const& exec, csr_view<T, I, O> a, srcsr_options const& options = {}) {
    require_row_offsets(a);
    srcsr_options filled = options;
    if (filled.nonzero_bytes == 0) filled.nonzero_bytes = int(sizeof(T) + sizeof(I));
    return make_srcsr_plan(exec, a.row_offsets(), static_cast<std::int64_t>(a.nonzeros()), filled);
}

/// Makes the plan for offsets[rows + 1], which run from 0 to the number of nonzeros. On CUDA it waits for the last
/// offset.
template <executor Executor, class O>
srcsr_plan<O> make_srcsr_plan(Executor const& exec, array_view<O const> offsets, srcsr_options const& options = {}) {
    std::int64_t const nonzeros =
        offsets.size() > 0 ? static_cast<std::int64_t>(exec.load(offsets.data() + offsets.size() - 1)) : 0;
    return make_srcsr_plan(exec, offsets, nonzeros, options);
}

/// Reduces every row: store(row, ⊕ over the row's nonzeros k, in order, of multiply(k) or multiply(k, row)).
///
/// - `multiply` takes (nonzero) or (nonzero, row), both std::int64_t; floating-point parameters do not compile. The
///   form is found at compile time, and the row is not computed if it is not a parameter. The result may have a smaller
///   type than the accumulator.
/// - `add` is an adder (semiring/operators/operators.hpp): identity(), (accumulator, accumulator), and optionally
///   (accumulator, product). It must be associative; it need not commute, since the order of the nonzeros is preserved.
/// - `store` is called exactly once for every row, in any order and from any thread, for empty rows with the identity.
///   It may read what it overwrites (y = beta y + sum). `multiply` must not read what `store` writes.
///
/// Deterministic: the result is bitwise equal on every run and for any number of threads. Values are not combined
/// atomically, except with the scheme balanced_atomic. On CUDA all three operators are trivially copyable and callable
/// on the device. The call returns when the work is queued; it may be captured into a CUDA graph and replayed while the
/// plan exists.
///
/// A store may also fold over the rows that it stores, in a fixed order (for example the dot product of y with another
/// vector). On the host, `of_rows(first, last)` returns the contribution of stored rows, a value with +=; it is called
/// while these rows are in cache. `finish(folded)` receives the result. On CUDA, `on_thread()` returns the store of one
/// thread, whose calls may add to its state; at the end all threads of block b of `blocks` call `finish(block, shared,
/// b, blocks, store)`, where `shared` holds one double per warp. A folding store needs the scheme `adaptive`; see
/// solvers/iterative/vectors/product_and_dot.hpp.
///
/// For speed on CUDA, write `multiply` as `along_nonzeros` (semiring/operators/nonzero_streams.hpp). If the store reads
/// memory, give it `fetch(row)`: that value is prefetched and passed as store(row, sum, fetched).
///
/// `workspace` is optional: at least plan.workspace<accumulator>() bytes, aligned to 16 and to the accumulator. Without
/// it the call allocates from the executor's pool.
template <executor Executor, class O, row_multiplier Multiply, adder Add, class Store>
requires row_multiplier_for<Multiply, Add> && row_store_for<Store, Add>
void reduce_rows(Executor const& exec, srcsr_plan<O> const& plan, Multiply multiply, Add add, Store store,
                 array_view<std::byte> workspace = {}) {
    detail::require_indices<Multiply, Store>();
    reduce_rows(exec, plan, row_range{0, plan.rows()}, multiply, add, store, workspace);
}

COPPICE_ACCEPT_OWNERS(make_srcsr_plan)

} // namespace coppice::inline v0_1
