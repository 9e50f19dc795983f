// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factorisation for repeated solves: what a worker saves of the elimination of a segment, and how it solves with this.
///
/// For each group of K unknowns the worker saves the pivot rows U with their columns of the next W unknowns and of y,
/// the factors L (f of (3) in solvers/direct/DESIGN.md), and for each column the index of its pivot row. For a segment
/// that was eliminated by Householder reflections it saves v (chain_reflections.hpp) instead of the factors, and the
/// negative weight of the reflection instead of the index of the pivot row. A solve repeats (4) on the right-hand
/// sides, stores the right-hand sides of the pivot rows where the solution will be, and executes (5).
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_lane.hpp>

namespace coppice::inline v0_1::chain {

/// Saved data of one group of a segment: L and U of the columns of the group [K][rows], U of later columns and of y
/// [...][K], pivots [K].
template <class T>
struct saved_group {
    T* at;
    int rows, stack_rows, later;

    COPPICE_LANE T& factor(int r, int k) const { return at[k * stack_rows + r]; }
    COPPICE_LANE T& upper(int r, int j) const { return at[(stack_rows + j) * rows + r]; }
    COPPICE_LANE T& pivot(int k) const { return at[(stack_rows + later) * rows + k]; }
};

/// Elements of one group; `later` columns: W of the next unknowns and W of y.
template <class Shape>
COPPICE_LANE int saved_elements(Shape const& g) {
    return g.rows() * (g.stack_rows() + 2 * g.width() + 1);
}
template <class T, class Shape>
COPPICE_LANE saved_group<T> saved_at(T* memory, Shape const& g, int inner) {
    return {memory + std::int64_t(inner) * saved_elements(g), g.rows(), g.stack_rows(), 2 * g.width()};
}

/// The index of the pivot row, stored as an element; floating-point numbers represent small integers exactly.
template <class T>
COPPICE_LANE T pivot_number(scalar_pivot const& p, int, int) {
    return T(typename lane_traits<real_lane_t<T>>::value_type(p.row));
}
template <class T>
COPPICE_ALWAYS_INLINE T pivot_number(pack_pivot<T> const& p, int k, int rows) {
    using real = typename lane_traits<real_lane_t<T>>::value_type;
    T number{real(k)};
    for (int r = k + 1; r < rows; ++r) number = select(p.here(r), T(real(r)), number);
    return number;
}
/// For a Householder reflection: minus its weight; k, the index of the row itself, if the weight is 0 (the identity) or
/// NaN.
template <class T>
COPPICE_LANE T pivot_number(householder_column<T> const& p, int k, int) {
    using real = real_lane_t<T>;
    real const own{typename lane_traits<real>::value_type(k)};
    real const number = select(real(0) < p.weight, -p.weight, own);
    if constexpr (is_complex_lane<T>)
        return T(number, real(0));
    else
        return number;
}
template <class R>
COPPICE_LANE R real_part(complex_lane<R> const& a) {
    return a.re;
}
template <class T>
COPPICE_LANE T real_part(T const& a) {
    return a;
}

/// Saves the values of all lanes (save_all), or of the lanes with active segments (save_some).
struct save_all {
    template <class T>
    COPPICE_LANE void operator()(T& to, T const& value) const {
        to = value;
    }
};
template <class Locations>
struct save_some {
    Locations const& at;
    template <class T>
    COPPICE_LANE void operator()(T& to, T const& value) const {
        for (int l = 0; l < lane_count<T>; ++l)
            if (at.lane[l].segment >= 0) set_lane(to, l, get_lane(value, l));
    }
};

/// An observer that also records pivots. `saved` is the group of the current elimination.
template <class T, class Observer, class Save = save_all>
struct recording_observer {
    static constexpr bool recording = true;

    Save save;
    Observer observer;
    saved_group<T> saved;
    T* memory; ///< of the segment
    int each;  ///< elements of a group
    int first; ///< first block row that eliminates

    COPPICE_LANE recording_observer at(int u) const {
        saved_group<T> group = saved;
        group.at = memory + std::int64_t(u - first) * each;
        return {save, observer.at(u), group, memory, each, first};
    }
    COPPICE_LANE bool needed() const { return observer.needed(); }
    COPPICE_LANE void operator()(int k, int lane) const { observer(k, lane); }
    template <class Pivot>
    COPPICE_LANE void record(int k, Pivot const& pivot, T const*) const {
        save(saved.pivot(k), pivot_number<T>(pivot, k, saved.stack_rows));
    }
};

/// Copies the factors and pivot rows of a group after its elimination.
template <class T, class Team, class Shape, class Save>
struct save_group {
    Team const& team;
    Shape const& g;
    T* memory;
    Save save;

    template <class Stacks>
    COPPICE_LANE void operator()(int inner, Stacks const& stacks) const {
        stack_view<T> const& s = stacks.now;
        saved_group<T> const to = saved_at(memory, g, inner);
        for (int i = team.rank(); i < g.rows() * g.stack_rows(); i += team.size())
            save(to.at[i], s(i % g.stack_rows(), i / g.stack_rows()));
        for (int i = team.rank(); i < g.rows() * to.later; i += team.size())
            save(to.upper(i % g.rows(), i / g.rows()), s(i % g.rows(), g.rows() + i / g.rows()));
    }
};

/// Repeats the row operations of a group on the rows v of one right-hand side. `by_householder`: some of the operations
/// may be reflections.
template <class T>
COPPICE_LANE void repeat_operations(saved_group<T> const& saved, bool by_householder, T* v) {
    using lane = real_lane_t<T>;
    using real = typename lane_traits<lane>::value_type;
    for (int k = 0; k < saved.rows; ++k) {
        auto const number = real_part(saved.pivot(k));
        if constexpr (lane_count<T> == 1) {
            int const pivot = number < 0 ? k : int(number);
            T const held = v[k];
            v[k] = v[pivot];
            v[pivot] = held;
        } else {
            for (int r = k + 1; r < saved.stack_rows; ++r) {
                auto const here = without(number <= lane(real(r)), number <= lane(real(r) - real(0.5)));
                T const top = v[k];
                v[k] = select(here, v[r], top);
                v[r] = select(here, top, v[r]);
            }
        }
        T multiple = v[k];
        if (by_householder) {
            auto const here = number < lane(0);
            T sum = v[k];
            for (int r = k + 1; r < saved.stack_rows; ++r) sum = sum + conjugate_of(saved.factor(r, k)) * v[r];
            sum = scaled(sum, number); // -weight
            multiple = select(here, sum, v[k]);
            v[k] = select(here, v[k] + sum, v[k]);
        }
        for (int r = k + 1; r < saved.stack_rows; ++r) v[r] = v[r] + saved.factor(r, k) * multiple;
    }
}

/// Repeats the row operations of a segment on its right-hand sides, one in each column of v. Stores the right-hand
/// sides of pivot row r of each group in x[group][r][right-hand side], unless x is null; at the end the first W rows of
/// v are the right-hand sides of the condensed segment.
template <class T, class Team, class BlockRows, class Shape, class Locations>
COPPICE_HD COPPICE_ONE_COPY void repeat_segment(Team const& team, BlockRows const& block_rows, Shape const g,
                                                Locations const& at, stack_view<T> const v, T* saved,
                                                bool by_householder, T* x) {
    int const first = g.width() / g.rows();
    for (int u = 0; u < g.block_rows; ++u) {
        block_rows.load_rhs(team, g, at, u, v, u < first ? u * g.rows() : g.width(), 0);
        if (u < first) continue;
        team.sync();
        saved_group<T> const group = saved_at(saved, g, u - first);
        for (int rhs_index = team.rank(); rhs_index < g.rhs_count; rhs_index += team.size()) {
            T* const column = v.column(rhs_index);
            repeat_operations(group, by_householder, column);
            for (int r = 0; x && r < g.rows(); ++r)
                x[((u - first) * g.rows() + r) * g.rhs_count + rhs_index] = column[r];
            for (int r = 0; r < g.width(); ++r) column[r] = column[r + g.rows()];
        }
        team.sync();
    }
}

/// Computes the right-hand sides of the condensed segment from those of a segment; `memory` has a pitch
/// for each.
template <class T, class Team, class BlockRows, class Shape, class Locations, class Condensed>
COPPICE_HD inline void forward_segment(Team const& team, BlockRows const& block_rows, Shape const& g,
                                       Locations const& at, T* memory, T* saved, Condensed const& condensed) {
    stack_view<T> const v{memory, g.pitch(), g.rhs_count, 0};
    repeat_segment(team, block_rows, g, at, v, saved, condensed.any_by_householder(at), static_cast<T*>(nullptr));
    for (int i = team.rank(); i < g.width() * g.rhs_count; i += team.size()) {
        int const r = i / g.rhs_count, rhs_index = i - r * g.rhs_count;
        condensed.take(at, r, 2 * g.width() + rhs_index, v(r, rhs_index));
    }
    team.sync();
}

/// Solves a segment with known y and z, (5); `memory` holds backward_elements(). The right-hand sides of the pivot rows
/// are computed a second time. Saving them in forward_segment would cost more, since padding rows would need memory,
/// too.
template <class T, class Team, class BlockRows, class Shape, class Locations, class Condensed>
COPPICE_HD inline void backward_segment(Team const& team, BlockRows const& block_rows, Shape const& g,
                                        Locations const& at, T* memory, T* saved, Condensed const& condensed) {
    T *const x = memory, *const y = x + std::int64_t(g.unknowns()) * g.rhs_count; // both [unknown][right-hand side]
    stack_view<T> const v{y + std::int64_t(g.width()) * g.rhs_count, g.pitch(), g.rhs_count, 0};
    for (int i = team.rank(); i < g.width() * g.rhs_count; i += team.size()) {
        condensed.left(at, i / g.rhs_count, i % g.rhs_count, y[i]);
        condensed.right(at, i / g.rhs_count, i % g.rhs_count, x[g.inner() * g.rows() * g.rhs_count + i]);
    }
    team.sync();
    repeat_segment(team, block_rows, g, at, v, saved, condensed.any_by_householder(at), x);
    int const each = g.rows() * g.rhs_count;
    for (int inner = g.inner() - 1; inner >= 0; --inner) {
        saved_group<T> const group = saved_at(saved, g, inner);
        T* const here = x + std::int64_t(inner) * each;
        for (int i = team.rank(); i < each; i += team.size()) {
            int const r = i / g.rhs_count, rhs_index = i - r * g.rhs_count;
            T value = here[i];
            for (int c = 0; c < g.width(); ++c) {
                value = value - group.upper(r, c) * here[(g.rows() + c) * g.rhs_count + rhs_index];
                value = value - group.upper(r, g.width() + c) * y[c * g.rhs_count + rhs_index];
            }
            here[i] = value;
        }
        team.sync();
        for (int rhs_index = team.rank(); rhs_index < g.rhs_count; rhs_index += team.size())
            solve_triangle(
                g.rows(), [&](int r, int c) -> T const& { return group.factor(r, c); },
                [&](int r) -> T& { return here[r * g.rhs_count + rhs_index]; });
        team.sync();
    }
    for (int i = team.rank(); i < g.block_rows * each; i += team.size()) {
        int const u = i / each, rest = i - u * each, r = rest / g.rhs_count, rhs_index = rest - r * g.rhs_count;
        block_rows.store(at, u, r, rhs_index, u == 0 ? y[(g.width() - g.rows()) * g.rhs_count + rest] : x[i - each]);
    }
    team.sync();
}

/// Elements of memory that backward_segment needs.
template <class Shape>
COPPICE_LANE std::int64_t backward_elements(Shape const& g) {
    return std::int64_t(g.unknowns() + g.width() + g.pitch()) * g.rhs_count;
}

} // namespace coppice::inline v0_1::chain
