// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SPIKE with diagonal pivoting for large tridiagonal systems (L.-W. Chang, thesis of 2014, chapter 3), for comparison.
/// docs/guide/classical.md has the equations and compares it with the other solvers.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include <coppice/algebra/band_storage.hpp>
#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/solvers/compare/spans.hpp>

namespace coppice::inline v0_1 {

/// Memory layout of the partitions while threads of a GPU work on them, one thread for each.
enum class spike_layout {
    staged,     ///< tiles of partitions in shared memory, loaded in the order of the storage
    marshalled, ///< a copy in which row k of 32 neighbouring partitions is contiguous (section 3.2.1)
    as_stored   ///< the bands themselves, without a copy
};

struct spike_options {
    /// Pivots of one or two rows; false: Thomas algorithm in the partitions, for diagonally dominant matrices.
    bool pivots = true;
    int partition = 31; ///< rows of a partition, 1 to 64; an odd number avoids bank conflicts of staged partitions
    spike_layout layout = spike_layout::staged;
    /// Rows that the lanes of a warp eliminate between two synchronisations; 0: no synchronisation; unused if staged.
    int watermark = 4;
    bool fused = true; ///< solve during the factorisation; false: three passes; unused if staged
};

/// Solves A x = d for every column of d; x may be d. The values of lower[0] and upper[n - 1] are ignored. Every
/// partition must be nonsingular; if one is singular, x is not finite. Deterministic: the same bits for any number of
/// threads. On CUDA the call returns before the work is done. Memory in addition to the system: staged 16 elements for
/// each partition, n / 2 in total; as_stored 3 n; marshalled 8 n; n more if not fused. Throws dimension_error or
/// argument_error before anything is written.
template <class T, class Executor>
void solve_spike(Executor const& exec, tridiagonal_view<T> a, columns_view<std::type_identity_t<T> const> d,
                 columns_view<std::type_identity_t<T>> x, spike_options options = {});

/// A segment of consecutive rows of a system whose other rows may be on another device or host:
///
///     reduce(d)            for all segments, in parallel
///     ends()               two equations, a value on the host; those of all segments determine the unknowns
///                          around each segment (classical::solve_spans)
///     solve(around, d, x)  for all segments, in parallel
///
/// lower[0] is the coefficient of the last row before the segment and upper[size - 1] that of the first row after it.
/// If there is no such row, `first` or `last` is true and the coefficient is ignored. Views must stay valid during the
/// lifetime of the segment.
template <class T, class Executor>
class spike_segment {
public:
    spike_segment(Executor const& exec, tridiagonal_view<T> a, bool first, bool last, spike_options options = {});
    ~spike_segment();
    spike_segment(spike_segment&&) noexcept;
    spike_segment& operator=(spike_segment&&) noexcept;

    void reduce(array_view<T const> d);
    classical::span<T> ends() const; ///< waits for the device
    void solve(classical::surroundings<T> around, array_view<T const> d, array_view<T> x);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace coppice::inline v0_1
