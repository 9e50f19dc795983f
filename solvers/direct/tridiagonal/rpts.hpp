// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Solution of tridiagonal systems by RPTS (recursive partitioned tridiagonal Schur complement);
/// include/coppice/tridiagonal.hpp has the contract.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/solvers/direct/interface/pivoting.hpp>

namespace coppice::inline v0_1 {

/// Bytes of workspace of solve_tridiagonal for n rows on any executor: at most 8 % of the 4 n elements of the system
/// plus 4 KiB, and 0 for n <= 64. Throws argument_error for negative n.
template <class T>
std::int64_t tridiagonal_workspace(std::int64_t n);

/// Solves A x = d by RPTS without a second solve if x is not finite. For preconditioners, whose systems are regularised
/// beforehand. Otherwise the contract is that of solve_tridiagonal. Instantiated for float and double on both
/// executors.
template <class T, executor Executor>
void solve_tridiagonal_by_rpts(Executor const& exec, tridiagonal_view<T> a, array_view<std::type_identity_t<T> const> d,
                               array_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                               tridiagonal_options options = {});

/// Orders of the vectors of a system, in memory of the executor: row p has the right-hand side d[from[p]] and the
/// unknown x[to[p]]; null is the order of the rows. Both are permutations; this is not checked.
struct row_orders {
    std::int32_t const *from = nullptr, *to = nullptr;
    /// Whether matrix and orders are complete when the call is queued: they may be read before d is written.
    bool ready = false;
};

/// solve_tridiagonal for permuted vectors. x may be d if both have the same order.
template <class T, executor Executor>
void solve_tridiagonal_in_order(Executor const& exec, tridiagonal_view<T> a, row_orders const& orders,
                                array_view<std::type_identity_t<T> const> d, array_view<std::type_identity_t<T>> x,
                                array_view<std::byte> workspace, tridiagonal_options options = {});

/// A batch of systems, stored one after the other in the bands of `matrix`, each with `columns` right-hand sides: row i
/// of all rows has the right-hand side rhs[i + c * rhs_leading] and the unknown x[i + c * x_leading] in column c.
template <class T>
struct tridiagonal_batch {
    tridiagonal_view<T> matrix;
    std::int64_t systems = 1, columns = 1;
    T const* rhs = nullptr;
    T* x = nullptr;
    std::int64_t rhs_leading = 0, x_leading = 0;
    /// Null for systems of equal size; otherwise the first row of each system and the number of rows, in memory of the
    /// executor.
    std::int64_t const* offsets = nullptr;
    std::int64_t largest = 0; ///< for systems of different sizes: upper bound of their rows
    bool interleaved = false; ///< row i of system k has index i systems + k; systems of equal size
    bool cyclic = false;      ///< the corner entries couple first and last rows; see takes_cyclic_batch
    /// Null, or where 1 is written if an element of x is not finite, in memory of the executor. The caller sets it to 0
    /// before. The check takes almost no time.
    int* not_finite = nullptr;
    /// Null, or for each system where 1 is written if x may be finite and wrong, because the reduction with pivoting
    /// found a zero pivot (host) or no good split of two neighbouring partitions. The caller sets them to 0 before. On
    /// CUDA for systems of equal size, with not_finite: 1 is then also written to *not_finite. Takes no time.
    int* uncertain = nullptr;
};

/// Bytes of workspace of solve_tridiagonal_batch for systems of `rows` rows each.
template <class T, executor Executor>
std::int64_t equal_batch_workspace(Executor const& exec, std::int64_t rows, std::int64_t systems, std::int64_t columns,
                                   bool cyclic = false);

/// Bytes of workspace for systems of different sizes with `size` rows in total.
template <class T, executor Executor>
std::int64_t varied_batch_workspace(Executor const& exec, std::int64_t size, std::int64_t systems, std::int64_t columns,
                                    std::int64_t largest);

/// Whether solve_tridiagonal_batch accepts systems of different sizes. On the host always; on CUDA if each fits into a
/// block and at most 8 size rows are processed (largest * systems <= 8 size).
template <class T, executor Executor>
bool takes_varied_batch(Executor const& exec, std::int64_t size, std::int64_t systems, std::int64_t largest);

/// Whether solve_tridiagonal_batch accepts cyclic systems of equal size with `rows` rows each: on the host from three
/// rows on, all of them uncertain; on CUDA from 64 rows on, with pivoting and without a threshold.
template <class T, executor Executor>
bool takes_cyclic_batch(Executor const& exec, std::int64_t rows, tridiagonal_options const& options);

/// Whether solve_tridiagonal_batch copies interleaved systems of `rows` rows, so that they are stored one after the
/// other. On the host from 4097 rows on: shorter ones are eliminated in place, one system in each SIMD lane. On CUDA if
/// a system does not fit into a block. Cyclic systems always.
template <class T, executor Executor>
bool separates_interleaved_batch(Executor const& exec, std::int64_t rows, bool cyclic);

/// Bytes of workspace for interleaved systems, including such copies.
template <class T, executor Executor>
std::int64_t interleaved_batch_workspace(Executor const& exec, std::int64_t rows, std::int64_t systems,
                                         std::int64_t columns, bool cyclic);

/// Solves a batch of systems by RPTS, as solve_tridiagonal_by_rpts solves one. Used by solve_bands. Arguments are not
/// checked: numbers of rows, systems and columns are positive, the rows are a multiple of the systems, `x` is `rhs` or
/// overlaps nothing, the workspace is aligned to 64 bytes. Only the host checks `largest` (argument_error). Values of
/// one system, NaN included, do not affect another system. The bits of a solution do not depend on the other right-hand
/// sides. On CUDA the partition size depends on the number of systems and on the tuning file of the user.
template <class T, executor Executor>
void solve_tridiagonal_batch(Executor const& exec, tridiagonal_batch<T> const& batch, array_view<std::byte> workspace,
                             tridiagonal_options options = {});

/// What a solve on the host finds out about x in no additional time.
struct tridiagonal_outcome {
    bool finite = true; ///< all elements are
    /// No reduction with pivoting found a zero pivot, or two neighbouring partitions that are nearly singular with
    /// every split. If one did, x may be wrong; tridiagonal_batch::uncertain reports which systems.
    bool certain = true;
};

/// Solves a batch on the host. `save_rhs`, which may be empty, is called before anything is written to x if x may
/// become not finite or is not certain; then the caller can copy the right-hand sides if x replaces them. It is always
/// called for systems that are solved without a reduction, of different sizes or interleaved, and if the coarse
/// solution of larger systems is huge.
template <class T>
tridiagonal_outcome solve_tridiagonal_batch(host_executor const& exec, tridiagonal_batch<T> const& batch,
                                            array_view<std::byte> workspace, tridiagonal_options options,
                                            std::function<void()> const& save_rhs);

} // namespace coppice::inline v0_1
