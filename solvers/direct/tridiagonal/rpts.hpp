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

namespace rpts {
template <class T>
struct system_view; // partition/rpts_levels.hpp: a batch of systems
}

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

/// Bytes of workspace of solve_tridiagonal_batch, which depends on sizes and layout only. Cyclic systems, and
/// interleaved ones that do not stay so, are copied.
template <class T, executor Executor>
std::int64_t tridiagonal_batch_workspace(Executor const& exec, rpts::system_view<T> const& systems);

/// Whether solve_tridiagonal_batch accepts cyclic systems, or systems of different sizes. The latter on the host
/// always; on CUDA if each fits into a block and at most 8 times as many rows are processed as there are (size *
/// systems <= 8 stride). Cyclic systems on the host from three rows on, all of them uncertain; on CUDA from 64 rows on,
/// with pivoting and without a threshold.
template <class T, executor Executor>
bool takes_tridiagonal_batch(Executor const& exec, rpts::system_view<T> const& systems,
                             tridiagonal_options const& options);

/// Whether interleaved systems of `rows` rows are solved as they are stored. On the host up to 4096 rows, one system in
/// each SIMD lane; on CUDA if a system fits into a block. Cyclic systems never.
template <class T, executor Executor>
bool stays_interleaved(Executor const& exec, std::int64_t rows, bool cyclic);

/// Solves a batch of systems by RPTS, as solve_tridiagonal_by_rpts solves one. Used by solve_bands. Arguments are not
/// checked: numbers of rows, systems and columns are positive, `x` is `rhs` or overlaps nothing, the workspace is
/// aligned to 64 bytes. Only the host checks the size of the largest system (argument_error). Values of one system, NaN
/// included, do not affect another system. The bits of a solution do not depend on the other right-hand sides. On CUDA
/// the partition size depends on the number of systems and on the tuning file of the user.
template <class T, executor Executor>
void solve_tridiagonal_batch(Executor const& exec, rpts::system_view<T> const& systems, array_view<std::byte> workspace,
                             tridiagonal_options options = {});

/// What a solve on the host finds out about x in no additional time.
struct tridiagonal_outcome {
    bool finite = true; ///< all elements are
    /// No reduction with pivoting found a zero pivot, or two neighbouring partitions that are nearly singular with
    /// every split. If one did, x may be wrong; system_view::uncertain reports which systems.
    bool certain = true;
};

/// Solves a batch on the host. `save_rhs`, which may be empty, is called before anything is written to x if x may
/// become not finite or is not certain; then the caller can copy the right-hand sides if x replaces them. It is always
/// called for systems that are solved without a reduction, of different sizes or interleaved, and if the coarse
/// solution of larger systems is huge.
template <class T>
tridiagonal_outcome solve_tridiagonal_batch(host_executor const& exec, rpts::system_view<T> const& systems,
                                            array_view<std::byte> workspace, tridiagonal_options options,
                                            std::function<void()> const& save_rhs);

} // namespace coppice::inline v0_1
