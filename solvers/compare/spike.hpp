// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SPIKE with diagonal pivoting on large tridiagonal systems (L.-W. Chang, thesis of 2014, chapter 3), for comparison.
/// docs/guide/classical.md has the equations and says when another solver is better.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include <coppice/algebra/band_storage.hpp>
#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/solvers/compare/spans.hpp>

namespace coppice {

/// Where partitions lie while they are worked on, one by each thread of a GPU.
enum class spike_layout {
    staged,     ///< tiles of them in shared memory, brought there in the order of memory
    marshalled, ///< a copy in which row k of 32 neighbouring partitions is side by side (section 3.2.1)
    as_stored   ///< the bands themselves
};

struct spike_options {
    bool pivots = true; ///< pivots of one or two rows; without: Thomas in the partitions, for dominant diagonals
    int partition = 31; ///< rows of a partition, 1 to 64; staged partitions of an odd number do not meet in the banks
    spike_layout layout = spike_layout::staged;
    int watermark = 4; ///< rows that the lanes of a warp eliminate before they wait for each other; 0: none; not staged
    bool fused = true; ///< the factors are solved with as they appear; false: three passes; not staged
};

/// Solves A x = d for every column of d; x may be d. What lower[0] and upper[n - 1] hold is ignored. Every partition
/// must be nonsingular by itself: where one is not, x is not finite. Deterministic, the same bits on any number of
/// threads. On CUDA the call returns before the work is done. Memory beside the system: staged 16 elements a
/// partition, that is n / 2; marshalled 8 n, as stored 3 n more, and n more if not fused. Throws dimension_error or
/// argument_error before anything is written.
template <class T, class Executor>
void solve_spike(Executor const& exec, tridiagonal_view<T> a, columns_view<std::type_identity_t<T> const> d,
                 columns_view<std::type_identity_t<T>> x, spike_options options = {});

/// A stretch of consecutive rows of a system whose other rows may be worked on elsewhere, on another device or host:
///
///     reduce(d)            everywhere, at the same time
///     ends()               two equations, a value on the host; what surrounds each stretch follows from all of them
///                          (classical::solve_spans)
///     solve(around, d, x)  everywhere, at the same time
///
/// lower[0] couples to the last row before the stretch and upper[size - 1] to the first one behind it; where there is
/// none, `first` or `last` says so and they are ignored. Views must live as long as the stretch.
template <class T, class Executor>
class spike_stretch {
public:
    spike_stretch(Executor const& exec, tridiagonal_view<T> a, bool first, bool last, spike_options options = {});
    ~spike_stretch();
    spike_stretch(spike_stretch&&) noexcept;
    spike_stretch& operator=(spike_stretch&&) noexcept;

    void reduce(array_view<T const> d);
    classical::span<T> ends() const; ///< waits
    void solve(classical::surroundings<T> around, array_view<T const> d, array_view<T> x);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace coppice
