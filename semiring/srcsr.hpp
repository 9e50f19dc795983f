// SPDX-License-Identifier: BSD-3-Clause
/// \file SRCSR: the generic semiring SpMV as a segmented reduction over the rows of a CSR pattern.
///
/// y_i = store(i, ⊕_j multiply(nonzero j of row i)), Eq. 19 and section 3.5 of the source thesis.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "algebra/csr.hpp"
#include "core/parallel.hpp"
#include "semiring/operators.hpp"
#include "semiring/srcsr_lane.hpp"

namespace coppice {

/// Rows [first, last).
struct row_range {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

/// How the rows of one pattern are laid over the machine; depends on structure alone and is reusable while the pattern
/// stands. Borrows the row offsets, which must stay where they are.
template <class O>
struct srcsr_plan {
    array_view<O const> offsets{}; ///< offsets[rows + 1]
    std::int64_t nonzeros = 0;
    std::int64_t work_per_block = 0; ///< path steps (rows + nonzeros) of a stretch (host) or of a block (CUDA)
    buffer<detail::path_point> block_starts{}; ///< row and nonzero where each begins; one more entry for the end

    std::int64_t rows() const { return offsets.size() > 0 ? offsets.size() - 1 : 0; }
    std::int64_t blocks() const { return block_starts.size() > 0 ? block_starts.size() - 1 : 0; }
};

} // namespace coppice

#include "semiring/srcsr_host.hpp"
#if defined(__CUDACC__)
#include "semiring/srcsr_cuda.cuh"
#endif

namespace coppice {

/// The plan for a matrix, without a round trip to the host.
template <executor Executor, class T, class I, class O>
srcsr_plan<O> make_srcsr_plan(Executor const& exec, csr_view<T, I, O> a) {
    return make_srcsr_plan(exec, a.row_offsets(), static_cast<std::int64_t>(a.nonzeros()));
}

/// The plan for offsets[rows + 1] from 0 to the number of nonzeros; on CUDA waits to read the last offset.
template <executor Executor, class O>
srcsr_plan<O> make_srcsr_plan(Executor const& exec, array_view<O const> offsets) {
    std::int64_t const nonzeros =
        offsets.size() > 0 ? static_cast<std::int64_t>(exec.load(offsets.data() + offsets.size() - 1)) : 0;
    return make_srcsr_plan(exec, offsets, nonzeros);
}

/// Reduces every row: store(row, ⊕ over the row's nonzeros k, in order, of multiply(k) or multiply(k, row)).
///
/// - `multiply` takes (nonzero) or (nonzero, row), both std::int64_t; found at compile time, and the row costs nothing
///   when it is not asked for. Its result may be smaller than the accumulator.
/// - `add` is an adder (semiring/operators.hpp): identity(), (accumulator, accumulator), and optionally
///   (accumulator, product). Associative is enough; the order of the nonzeros is kept.
/// - `store` is called exactly once for every row, empty rows included (with the identity), in any order and from any
///   thread; it may read what it overwrites (y = beta y + sum). multiply must not read what store writes.
///
/// No atomics; the same bits on every run and for any number of threads. On CUDA all three are trivially copyable and
/// callable on the device, and the call returns when the work is queued.
template <executor Executor, class O, class Multiply, adder Add, class Store>
void reduce_rows(Executor const& exec, srcsr_plan<O> const& plan, Multiply multiply, Add add, Store store) {
    reduce_rows(exec, plan, row_range{0, plan.rows()}, multiply, add, store);
}

} // namespace coppice
