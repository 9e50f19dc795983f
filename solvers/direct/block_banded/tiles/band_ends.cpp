// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Banded systems on one core: real ones eliminated from both ends, complex ones row by row. Compiled once for each
/// instruction set.
#include <coppice/solvers/direct/block_banded/tiles/band_ends.hpp>

#include <coppice/solvers/direct/block_banded/tiles/band_end.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_front.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_rows_walk.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_small.hpp>
#include <coppice/solvers/direct/interface/instances.hpp>

namespace coppice::inline v0_1::COPPICE_ISA {
namespace {

using namespace coppice::chain;

template <class T, class... Ends>
void reduce(band_ends<T> const& e, Ends const&... ends) {
    (ends.start(), ...);
    for (std::int64_t b = 0; b + 1 < e.blocks; ++b) {
        std::int64_t const first = b * e.block_steps;
        advance(b, b + 1, first, first, first + e.block_steps, ends...); // these pivot rows are overwritten
    }
    std::int64_t const first = (e.blocks - 1) * e.block_steps, common = e.steps[1];
    advance(e.blocks - 1, e.blocks, first, first, common, ends...);
    // One end may have one step more than the other.
    ((ends.steps > common ? advance(e.blocks, e.blocks, first, common, ends.steps, ends) : void()), ...);
}

template <class T, class... Ends>
void substitute(band_ends<T> const& e, Ends const&... ends) {
    for (std::int64_t b = e.blocks - 1; b >= 0; --b) {
        std::int64_t const first = b * e.block_steps, to = first + e.block_steps;
        bool const made = b + 1 == e.blocks; // its pivot rows are saved
        if (!made) advance(b, b + 1, first, first, to, ends...);
        (ends.substitute(first, made ? ends.steps : to, b > 0 ? first + ends.below : first), ...);
    }
}

/// The remaining rows of both ends, in the unknowns between them.
template <int Lanes, class T>
few_rows<T, Lanes> middle_of(band_ends<T> const& e) {
    int const n = e.lower + e.upper;
    few_rows<T, Lanes> m(n, e.rhs_count);
    T const* const down = e.memory + e.blocks * e.front_pitch;
    T const* const up = down + e.end_elements;
    for (int c = 0; c < n; ++c) {
        for (int r = 0; r < e.lower; ++r) m.entry[c][r] = down[c * e.lanes + r];
        for (int r = 0; r < e.upper; ++r) m.entry[n - 1 - c][e.lower + r] = up[c * e.lanes + r];
    }
    for (int s = 0; s < e.rhs_count; ++s) {
        T const *const first = down + (e.width + s) * e.lanes, *const second = up + (e.width + s) * e.lanes;
        for (int r = 0; r < e.lower; ++r) m.rhs(r, s) = first[r];
        for (int r = 0; r < e.upper; ++r) m.rhs(e.lower + r, s) = second[r];
    }
    return m;
}

/// Reports columns without a pivot; `first` is the index of unknown 0 in the system.
template <class T>
struct middle_observer {
    band_ends<T> const& e;
    int step;
    std::int64_t first;

    void operator()(int k) const {
        if (e.singular) lower_to(e.singular, met_at(step, first + k));
    }
};
/// An end that eliminates an unknown without a pivot may cause missing pivots of later unknowns, so only the first of
/// each end is reported.
template <class T>
void report_ends(band_ends<T> const& e) {
    if (e.singular && e.met[0] != no_row) lower_to(e.singular, met_at(0, e.met[0]));
    if (e.singular && e.met[1] != no_row) lower_to(e.singular, met_at(1, e.a.scalar_rows - 1 - e.met[1]));
}
template <class T>
T threshold_of(band_ends<T> const& e) {
    return e.how.flush ? e.how.threshold : T(0);
}

template <int Lanes, class T>
void solve_middle(band_ends<T> const& e) {
    report_ends(e);
    few_rows<T, Lanes> m = middle_of<Lanes>(e);
    m.solve(threshold_of(e), middle_observer<T>{e, 2, e.split - e.lower});
    T* const down = e.memory + e.known_after;
    T* const up = down + e.end_elements;
    for (int s = 0; s < e.rhs_count; ++s)
        for (int k = 0; k < e.width; ++k) {
            down[s * e.width + k] = k < m.n ? m.x[s][k] : T(0);
            up[s * e.width + k] = k < m.n ? m.x[s][m.n - 1 - k] : T(0);
        }
}
/// Calls work<Lanes, Width>() with the shape of the fronts.
template <class T, class Work>
void with_shape(band_ends<T> const& e, Work const& work) {
    if (e.lanes == 4) return e.width == 4 ? work.template operator()<4, 4>() : work.template operator()<4, 8>();
    if (e.lanes == 16) return work.template operator()<16, 30>();
    switch (e.width) {
    case 10:
        return work.template operator()<8, 10>();
    case 12:
        return work.template operator()<8, 12>();
    case 14:
        return work.template operator()<8, 14>();
    case 16:
        return work.template operator()<8, 16>();
    }
}

template <class T, int Lanes, int Width>
void solve_small(band_ends<T> const& e) {
    small_system<T, Lanes, Width> system(e);
    system.eliminate(middle_observer<T>{e, 0, 0});
    system.substitute();
}

} // namespace

template <bool Left, class T>
void band_ends_pass(band_ends<T> const& e, int end) {
    with_shape(e, [&]<int Lanes, int Width>() {
        using one = one_end<T, Lanes, Width>;
        auto const run = [&](auto const&... ends) {
            if constexpr (Left)
                reduce(e, ends...);
            else
                substitute(e, ends...);
        };
        if (end < 2) return run(one(e, end));
        if constexpr (Lanes <= 8) return run(one(e, 0), one(e, 1));
        run(one(e, 0)); // two fronts do not fit into the first-level cache at the speed of one
        run(one(e, 1));
    });
}

template <class T>
void band_ends_middle(band_ends<T> const& e) {
    if (e.lower + e.upper <= 8) return solve_middle<8>(e);
    e.lower + e.upper <= 16 ? solve_middle<16>(e) : solve_middle<32>(e);
}

template <class T>
void band_ends_small(band_ends<T> const& e) {
    if (e.lanes == 8 && e.width == 8) return solve_small<T, 8, 8>(e);
    with_shape(e, [&]<int Lanes, int Width>() { solve_small<T, Lanes, Width>(e); });
}

#define COPPICE_BAND_ENDS(T)                                                                                           \
    template void band_ends_pass<true>(band_ends<T> const&, int);                                                      \
    template void band_ends_pass<false>(band_ends<T> const&, int);                                                     \
    template void band_ends_middle(band_ends<T> const&);                                                               \
    template void band_ends_small(band_ends<T> const&);
COPPICE_REAL_TYPES(COPPICE_BAND_ENDS)

} // namespace coppice::inline v0_1::COPPICE_ISA
