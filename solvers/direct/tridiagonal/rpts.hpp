// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Tridiagonal systems solved by RPTS; include/coppice/tridiagonal.hpp has the contract.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/solvers/direct/interface/pivoting.hpp>

namespace coppice {

/// Bytes of workspace that solve_tridiagonal needs for n rows on any executor: at most 8 % of the 4 n elements of the
/// system plus 4 KiB, and 0 for n <= 64. Throws argument_error for negative n.
template <class T>
std::int64_t tridiagonal_workspace(std::int64_t n);

/// Solves A x = d by RPTS and leaves x as it is, also if it is not finite: for preconditioners, whose systems are made
/// safe beforehand. Contract as that of solve_tridiagonal. Instantiated for float and double on both executors.
template <class T, executor Executor>
void solve_tridiagonal_by_rpts(Executor const& exec, tridiagonal_view<T> a, array_view<std::type_identity_t<T> const> d,
                               array_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                               tridiagonal_options options = {});

/// In which order the vectors of a system are, in the memory of the executor: row p has the right-hand side d[from[p]]
/// and the unknown x[to[p]]; null is the order of the rows. Permutations, not checked.
struct row_orders {
    std::int32_t const *from = nullptr, *to = nullptr;
    /// The host has waited since matrix and orders were written: they are read before d is there.
    bool settled = false;
};

/// The same for vectors in orders of their own. x may be d where both are in the same order.
template <class T, executor Executor>
void solve_tridiagonal_in_order(Executor const& exec, tridiagonal_view<T> a, row_orders const& orders,
                                array_view<std::type_identity_t<T> const> d, array_view<std::type_identity_t<T>> x,
                                array_view<std::byte> workspace, tridiagonal_options options = {});

/// A batch of systems, one behind the other in the bands of `matrix`, each with `columns` right-hand sides: row i of
/// column c of all systems is rhs[i + c * rhs_leading], its unknown x[i + c * x_leading].
template <class T>
struct tridiagonal_batch {
    tridiagonal_view<T> matrix;
    std::int64_t systems = 1, columns = 1;
    T const* rhs = nullptr;
    T* x = nullptr;
    std::int64_t rhs_leading = 0, x_leading = 0;
    /// Null for systems of equal size, or in memory of the executor: where each begins, and the end of the last.
    std::int64_t const* offsets = nullptr;
    std::int64_t largest = 0; ///< of systems of different sizes: none has more rows
    bool interleaved = false; ///< row i of system k stands at i systems + k; systems of equal size
    bool cyclic = false;      ///< the corner entries couple first and last rows; see takes_cyclic_batch
};

/// Bytes of workspace of solve_tridiagonal_batch for systems of `rows` rows each.
template <class T>
std::int64_t tridiagonal_batch_workspace(std::int64_t rows, std::int64_t systems, std::int64_t columns,
                                         bool cyclic = false);

/// The same for systems of different sizes, `size` rows together.
template <class T, executor Executor>
std::int64_t varied_batch_workspace(Executor const& exec, std::int64_t size, std::int64_t systems, std::int64_t columns,
                                    std::int64_t largest);

/// Does solve_tridiagonal_batch take systems of different sizes? On the host always; on CUDA where each fits on chip,
/// in a block, and few blocks are much too large.
template <class T, executor Executor>
bool takes_varied_batch(Executor const& exec, std::int64_t size, std::int64_t systems, std::int64_t largest);

/// Does solve_tridiagonal_batch take cyclic systems of equal size, `rows` rows each? On CUDA, with pivoting and without
/// a threshold, from 64 rows on.
template <class T, executor Executor>
bool takes_cyclic_batch(Executor const& exec, std::int64_t rows, tridiagonal_options const& options);

/// Does solve_tridiagonal_batch take interleaved systems of `rows` rows? On the host up to 4096, where each lane
/// eliminates a system; on CUDA where each fits into a block.
template <class T, executor Executor>
bool takes_interleaved_batch(Executor const& exec, std::int64_t rows);

/// Bytes of workspace for those; 0 on CUDA.
template <class T, executor Executor>
std::int64_t interleaved_batch_workspace(Executor const& exec, std::int64_t rows, std::int64_t systems);

/// Solves a batch by RPTS, as solve_tridiagonal_by_rpts one system; what solve_bands is made of. Nothing is checked:
/// there are rows, systems and columns, the rows are a multiple of the systems, `x` is `rhs` or apart from everything,
/// the workspace is aligned to 64 bytes. Only the host looks whether `largest` is true (argument_error). Values of one
/// system, NaN included, do not reach another; a right-hand side gives the same bits alone and among others. On CUDA
/// the number of systems and the user's tuning file decide how they are cut into partitions.
template <class T, executor Executor>
void solve_tridiagonal_batch(Executor const& exec, tridiagonal_batch<T> const& batch, array_view<std::byte> workspace,
                             tridiagonal_options options = {});

/// The same on the host. Returns whether x is finite; costs nothing beside the solve. `keep` is called before anything
/// is written to x if x may turn out not to be finite: the caller may copy right-hand sides then that x replaces. It is
/// always called for systems that are solved without a reduction; for larger ones of equal size if the reduction finds
/// a zero pivot or a partition that is nearly singular however it is cut, or the coarse solution is huge. May be empty.
template <class T>
bool solve_tridiagonal_batch(host_executor const& exec, tridiagonal_batch<T> const& batch,
                             array_view<std::byte> workspace, tridiagonal_options options,
                             std::function<void()> const& keep);

} // namespace coppice
