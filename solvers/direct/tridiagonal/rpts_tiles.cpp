// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// RPTS on one core: one partition in each SIMD lane. Tiles are transposed through a buffer that stays in the
/// first-level cache, as the CUDA kernels stage theirs in shared memory. Compiled once for each instruction set.
#include <coppice/solvers/direct/tridiagonal/rpts_tiles.hpp>

#include <coppice/solvers/direct/interface/instances.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_substitution.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_two_sided.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_lane_tile.hpp>

namespace coppice::inline v0_1::COPPICE_ISA {
namespace {

using namespace coppice::rpts;

// Whether no lane has an element below the smallest normal number.
template <class Lanes>
COPPICE_ALWAYS_INLINE bool is_normal(Lanes const& x) {
    using T = typename Lanes::value_type;
    auto const* const of_lane = reinterpret_cast<T const*>(&x);
    bool normal = true;
    for (int l = 0; l < Lanes::size; ++l) normal &= of_lane[l] >= std::numeric_limits<T>::min();
    return normal;
}
// Whether x is finite in all lanes. Uses x - x, which is 0 if x is finite, else NaN.
template <class Lanes>
COPPICE_ALWAYS_INLINE bool is_finite(Lanes const& x) {
    Lanes const none = x - x;
    auto const* const difference = reinterpret_cast<typename Lanes::value_type const*>(&none);
    typename Lanes::value_type sum(0);
    for (int l = 0; l < Lanes::size; ++l) sum += difference[l];
    return sum == 0;
}
// Whether the solution of a tile is finite. Each substitution goes from the middle of a partition to its ends; each
// step is x = reciprocal (rhs - next x1 - after x2). If an x is not finite, no later one is. So it is sufficient to
// check the unknowns at the ends, unless pairs have another split.
template <class T>
COPPICE_ALWAYS_INLINE bool is_solution_finite(tile<T>& t, bool shifted) {
    auto const* const x = t.bands[3];
    auto sum = (x[0] - x[0]) + (x[1] - x[1]) + (x[length - 2] - x[length - 2]) + (x[length - 1] - x[length - 1]);
    for (int j = 2; shifted && j < length - 2; ++j) sum = sum + (x[j] - x[j]);
    return is_finite(sum);
}

// Loads `count` lanes; the others get `padding`.
template <class Lanes, class T>
Lanes load_lanes(T const* from, int count, T padding) {
    Lanes value(padding);
    if (count >= Lanes::size)
        __builtin_memcpy(value.v, from, sizeof(value));
    else
        __builtin_memcpy(value.v, from, std::size_t(count) * sizeof(T));
    return value;
}

// The elimination of a system is one dependent chain, so that two registers are faster at every level.
template <class T>
using system_lanes = pack<T, register_bytes, 2>;

// Solves one system in each lane, by elimination with row exchanges; `memory` holds the slots of the pivot rows.
// Returns whether x is finite: only the first unknown, which is substituted last, needs a check.
template <pivoting P, class T>
bool solve_lanes(system_view<T> const& s, T threshold, std::int64_t first, int count, T* memory) {
    using lanes = system_lanes<T>;
    lanes* const slots = reinterpret_cast<lanes*>(memory);
    partition_rows<lanes> const rows{slots, slots + s.size, slots + 2 * s.size, slots + 3 * s.size};
    int const n = int(s.size);
    auto const row = [&](int j) COPPICE_INLINE_LAMBDA {
        std::int64_t const at = j * s.systems + first;
        lanes const lower = j > 0 ? load_lanes<lanes>(s.lower + at, count, T(0)) : lanes(T(0));
        lanes const upper = j + 1 < n ? load_lanes<lanes>(s.upper + at, count, T(0)) : lanes(T(0));
        return scaled<P>(lower, load_lanes<lanes>(s.diagonal + at, count, T(1)), upper,
                         load_lanes<lanes>(s.rhs + at, count, T(0)));
    };
    solve_downwards<P>(rows, n, row, lanes(threshold));
    for (int j = 0; j < n; ++j)
        __builtin_memcpy(s.x + j * s.systems + first, &rows.rhs[j], std::size_t(count) * sizeof(T));
    return is_finite(rows.rhs[0]);
}

// Solves one system from its first row to its last; `memory` holds 4 size elements.
template <pivoting P, class T>
void solve_alone(system_view<T> const& s, T threshold, T* memory) {
    std::int64_t const n = s.size;
    partition_rows<T> const rows{memory, memory + n, memory + 2 * n, memory + 3 * n};
    auto const row = [&](int i) COPPICE_INLINE_LAMBDA {
        return scaled<P>(i > 0 ? s.lower[i] : T(0), s.diagonal[i], i + 1 < n ? s.upper[i] : T(0),
                         s.rhs[s.source_of(i)]);
    };
    solve_downwards<P>(rows, int(n), row, threshold);
    for (std::int64_t i = 0; i < n; ++i) s.x[s.target_of(i)] = rows.rhs[i];
}

template <pivoting P, class T>
bool reduce_tiles(level<T> const& s, std::int64_t first, std::int64_t last, auto const& threshold) {
    tile<T> t;
    using lanes = typename tile<T>::lanes;
    bool all_good = true;
    for (std::int64_t p = first; p < last; p += lanes::size) {
        t.load(s.fine, p);
        coarse_row<lanes> up, down;
        boundary_multipliers<lanes> multipliers;
        lanes min_pivot;
        reduce_both<P>(t.rows(), length, threshold, up, down, fetch_ahead<T, sizeof(lanes)>(s.fine, p + lanes::size),
                       &multipliers, &min_pivot);
        store_coarse(s.coarse.lower + 2 * p, up.lower, down.lower, last - p);
        store_coarse(s.coarse.diagonal + 2 * p, up.diagonal, down.diagonal, last - p);
        store_coarse(s.coarse.upper + 2 * p, up.upper, down.upper, last - p);
        store_coarse(s.coarse.rhs + 2 * p, up.rhs, down.rhs, last - p);
        all_good &= resplit_pairs<P>(s, p, last, t, multipliers);
        all_good &= is_normal(min_pivot);
    }
    return all_good;
}

template <pivoting P, class T>
bool substitute_tiles(level<T> const& s, std::int64_t first, std::int64_t last, auto const& threshold) {
    tile<T> t;
    using lanes = typename tile<T>::lanes;
    bool finite = true;
    for (std::int64_t p = first; p < last; p += lanes::size) {
        t.load(s.fine, p);
        recorded_pairs<P, T> const recorded(s, p, last);
        auto const x = load_interfaces<lanes>(s, p);
        bool const shifted = recorded.any_shifted();
        T solutions[lanes::size / 2][2 * length];
        if (shifted) recorded.solve_shifted(s, p, t, x, solutions);
        substitute_partition<P>(t.rows(), length, x, threshold, recorded.multipliers,
                                fetch_ahead<T, sizeof(lanes)>(s.fine, p + lanes::size));
        if (shifted) recorded.put_shifted(t, solutions);
        finite &= is_solution_finite(t, shifted);
        t.store_solution(s.fine, p);
    }
    return finite;
}

} // namespace

template <class T>
bool rpts_interleaved(system_view<T> const& s, pivoting pivot, T threshold, std::int64_t first, std::int64_t last,
                      T* memory) {
    constexpr int size = system_lanes<T>::size;
    static_assert(size <= rpts::max_lanes<T>);
    bool finite = true;
    rpts::with_pivoting(pivot, [&](auto p) {
        for (std::int64_t k = first; k < last; k += size)
            finite &= solve_lanes<decltype(p)::value>(s, threshold, k, last - k < size ? int(last - k) : size, memory);
    });
    return finite;
}

template <class T>
bool rpts_small(system_view<T> const& s, pivoting pivot, T threshold) {
    using lanes = pack<T, 16, 1>;
    lanes memory[4][(host_last + 1) / 2];
    rpts::with_pivoting(pivot, [&](auto p) {
        constexpr pivoting P = decltype(p)::value;
        // the direction of the elimination determines which entries a threshold can flush: use downwards, as elsewhere
        if (threshold > T(0)) return solve_alone<P>(s, threshold, reinterpret_cast<T*>(memory));
        solve_from_ends<P>(s, partition_rows<lanes>{memory[0], memory[1], memory[2], memory[3]});
    });
    // The unknowns at the ends are substituted last: if any unknown is not finite, one of these is not.
    T const first = s.x[s.target_of(0)], last = s.x[s.target_of(s.size - 1)];
    return (first - first) + (last - last) == T(0);
}

// A threshold takes two instructions for each entry that may become a pivot.
template <pivoting P, class T>
bool rpts_reduce(level<T> const& s, std::int64_t first, std::int64_t last) {
    if (s.threshold > T(0)) return reduce_tiles<P>(s, first, last, typename tile<T>::lanes(s.threshold));
    return reduce_tiles<P>(s, first, last, no_threshold{});
}

template <pivoting P, class T>
bool rpts_substitute(level<T> const& s, std::int64_t first, std::int64_t last) {
    if (s.threshold > T(0)) return substitute_tiles<P>(s, first, last, typename tile<T>::lanes(s.threshold));
    return substitute_tiles<P>(s, first, last, no_threshold{});
}

#define COPPICE_RPTS_LEVELS(T, P)                                                                                      \
    template bool rpts_reduce<P>(level<T> const&, std::int64_t, std::int64_t);                                         \
    template bool rpts_substitute<P>(level<T> const&, std::int64_t, std::int64_t);
#define COPPICE_RPTS_TILES(T)                                                                                          \
    COPPICE_RPTS_LEVELS(T, pivoting::none)                                                                             \
    COPPICE_RPTS_LEVELS(T, pivoting::partial)                                                                          \
    COPPICE_RPTS_LEVELS(T, pivoting::scaled_partial)                                                                   \
    template bool rpts_interleaved(system_view<T> const&, pivoting, T, std::int64_t, std::int64_t, T*);                \
    template bool rpts_small(system_view<T> const&, pivoting, T);
COPPICE_REAL_TYPES(COPPICE_RPTS_TILES)

} // namespace coppice::inline v0_1::COPPICE_ISA
