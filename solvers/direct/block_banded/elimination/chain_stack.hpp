// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A window of the chain solver (words.md) in memory, and its elimination by partial pivoting or by reflections.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/solvers/direct/block_banded/elimination/chain_growth.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_householder.hpp>

namespace coppice::chain {

/// A team of one.
struct alone {
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int rank() { return 0; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int size() { return 1; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr void sync() {}
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr bool any(bool condition) { return condition; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int lanes() { return 1; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr unsigned votes(bool condition) { return condition ? 1 : 0; }
    template <class Value>
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr Value from_lane(Value const& value, int) {
        return value;
    }
};

/// A team that works, or that only takes part in the barriers of other teams.
template <class Team>
struct onlooking {
    Team const& team;
    bool works;
    COPPICE_HD COPPICE_ALWAYS_INLINE int rank() const { return works ? team.rank() : 1 << 20; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int size() const { return team.size(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE void sync() const { team.sync(); }
};

inline constexpr int most_stack_rows = 32; ///< W + K of links of blocks of 8
inline constexpr int most_unit_rows = 16;  ///< K of these links

/// Sizes of one stage: K and W, here known at run time only.
struct any_size {
    int rows_, width_;
    COPPICE_HD COPPICE_ALWAYS_INLINE int rows() const { return rows_; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int width() const { return width_; }
};
/// Sizes known to the compiler, whose elimination it unrolls.
template <int K, int W>
struct known_size {
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int rows() { return K; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int width() { return W; }
};

/// K and W with the numbers of units and right-hand sides, and the sizes of memory that follow. `sides` right-hand
/// sides are solved at once.
template <class Size>
struct unit_shape : Size {
    int units; ///< of a stretch, at least W / K
    int sides;

    using Size::rows;
    using Size::width;
    COPPICE_HD COPPICE_ALWAYS_INLINE int stack_rows() const { return width() + rows(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE int pitch() const { return stack_rows() | 1; }  ///< odd, against bank conflicts
    COPPICE_HD COPPICE_ALWAYS_INLINE int active() const { return width() + rows(); } ///< columns of a unit
    COPPICE_HD COPPICE_ALWAYS_INLINE int inner() const { return units - width() / rows(); } ///< groups to eliminate
    /// Unknowns of the groups, and z.
    COPPICE_HD COPPICE_ALWAYS_INLINE int unknowns() const { return inner() * rows() + width(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE int reduce_columns() const { return active() + width() + sides; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int substitute_columns() const { return active() + sides; }
    /// Elements of a unit in memory: its right-hand sides and its columns.
    COPPICE_HD COPPICE_ALWAYS_INLINE int unit_elements() const { return rows() * (active() + sides); }
    /// Elements of slot_rows.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t slot_elements() const {
        return std::int64_t(units) * unit_elements() + std::int64_t(rows() + width()) * sides;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t reduce_elements() const { return 2ll * pitch() * reduce_columns(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t substitute_elements() const {
        return 2ll * pitch() * substitute_columns() + slot_elements();
    }
};

/// What the options of a solve ask of an elimination.
template <class Real>
struct elimination {
    Real threshold; ///< entries up to this size count as zero if `flush` is set
    bool flush;
    bool equilibrate; ///< scale each row by a power of two first (scaled partial pivoting)
};

/// The rows of a window, column-major. Columns: W + K of unknowns, of which the first K are eliminated next; `left`
/// columns of y; the right-hand sides. Rows: W that are left from the units before, and K of the next unit.
template <class T>
struct stack_view {
    T* at;
    int pitch, columns;
    int left; ///< columns of y: W in the reduction, none where y is known

    COPPICE_HD COPPICE_ALWAYS_INLINE T* column(int j) const { return at + j * pitch; }
    COPPICE_HD COPPICE_ALWAYS_INLINE T& operator()(int r, int j) const { return at[j * pitch + r]; }
};

/// The pivot row of a column of scalars: the number of the row in [k, rows) with the largest entry, the first of equal
/// ones.
template <class T>
struct scalar_pivot {
    int row;

    COPPICE_HD COPPICE_ALWAYS_INLINE scalar_pivot(T const* column, int k, int rows) : row(k) {
        auto best = magnitude(column[k]);
        COPPICE_UNROLL
        for (int r = k + 1; r < rows; ++r)
            if (auto const size = magnitude(column[r]); best < size) {
                best = size;
                row = r;
            }
    }
    /// Whether row r is the pivot row, which is exchanged with row k: row r then holds what was in row k.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool here(int r) const { return r == row; }
    /// The pivot.
    COPPICE_HD COPPICE_ALWAYS_INLINE T top(T const* column, int, int) const { return column[row]; }
};

/// A value whose magnitude is the size by which pivots are compared: a real number itself, |a| of a complex number.
COPPICE_HD COPPICE_ALWAYS_INLINE float pivot_key(float a) { return a; }
COPPICE_HD COPPICE_ALWAYS_INLINE double pivot_key(double a) { return a; }
template <class R>
COPPICE_HD COPPICE_ALWAYS_INLINE R pivot_key(complex_lane<R> const& a) {
    return magnitude(a);
}

/// The pivot row of a column of `Rows` rows in registers, which have no addresses: all rows are compared, in the rounds
/// of a tournament, within which no comparison waits for another.
template <class T, int Rows>
struct register_pivot {
    int row;

    COPPICE_HD COPPICE_ALWAYS_INLINE explicit register_pivot(int number) : row(number) {}
    COPPICE_HD COPPICE_ALWAYS_INLINE register_pivot(T const* column, int k, int rows) {
        real_lane_t<T> best[Rows];
        int at[Rows];
        COPPICE_UNROLL
        for (int r = k; r < rows; ++r) {
            best[r] = pivot_key(column[r]);
            at[r] = r;
        }
        COPPICE_UNROLL
        for (int apart = 1; apart < Rows; apart *= 2) {
            COPPICE_UNROLL
            for (int r = k; r < rows; ++r)
                if ((r - k) % (2 * apart) == 0 && r + apart < rows) {
                    bool const later = magnitude(best[r]) < magnitude(best[r + apart]);
                    best[r] = select(later, best[r + apart], best[r]);
                    at[r] = later ? at[r + apart] : at[r];
                }
        }
        row = at[k];
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool here(int r) const { return r == row; }
    /// The pivot, selected by the bits of its row number: as many selections as there are rows, but few conditions, and
    /// few selections one behind the other.
    COPPICE_HD COPPICE_ALWAYS_INLINE T top(T const* column, int k, int rows) const {
        T value[Rows];
        COPPICE_UNROLL
        for (int r = k; r < rows; ++r) value[r] = column[r];
        COPPICE_UNROLL
        for (int apart = 1; apart < Rows; apart *= 2) {
            bool const odd = ((row - k) & apart) != 0;
            COPPICE_UNROLL
            for (int r = k; r < rows; ++r)
                if ((r - k) % (2 * apart) == 0 && r + apart < rows) value[r] = select(odd, value[r + apart], value[r]);
        }
        return value[k];
    }
};

/// The pivot rows of a pack of columns, one in each lane: a mask for each row.
template <class T>
struct pack_pivot {
    decltype(real_lane_t<T>() <= real_lane_t<T>()) mask[most_stack_rows];

    COPPICE_ALWAYS_INLINE pack_pivot(T const* column, int k, int rows) {
        auto best = magnitude(column[k]);
        for (int r = k + 1; r < rows; ++r) {
            auto const size = magnitude(column[r]);
            mask[r] = best < size;
            best = select(mask[r], size, best);
        }
        if (rows == k + 1) return; // one row alone
        // A later row that was larger still takes the place of an earlier one.
        auto later = mask[rows - 1];
        for (int r = rows - 2; r > k; --r) {
            auto const mine = mask[r];
            mask[r] = without(mine, later);
            later = later || mine;
        }
    }
    COPPICE_ALWAYS_INLINE auto const& here(int r) const { return mask[r]; }
    COPPICE_ALWAYS_INLINE T top(T const* column, int k, int rows) const {
        T value = column[k];
        for (int r = k + 1; r < rows; ++r) value = select(mask[r], column[r], value);
        return value;
    }
};

/// Removes column k from the rows below k of one column: factors f[k + 1 ... rows). Rows from `moved` on go to
/// to[r - moved], the others stay.
template <class T, class Pivot>
COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate_in(T* column, Pivot const& pivot, T const* f, int k, int rows,
                                                   int moved, T* to) {
    T const v = pivot.top(column, k, rows);
    T const held = column[k];
    COPPICE_UNROLL
    for (int r = k + 1; r < rows; ++r) {
        T const value = select(pivot.here(r), held, column[r]) + f[r] * v;
        (r < moved ? column[r] : to[r - moved]) = value;
    }
    column[k] = v;
}

/// Calls the teller for the lanes that found no pivot for column k.
template <class T, class Tell>
COPPICE_HD COPPICE_ALWAYS_INLINE void tell_of_zero(T const& pivot, int k, Tell const& zero_pivot) {
    if (!zero_pivot.wanted()) return;
    for (int l = 0; l < lane_count<T>; ++l)
        if (get_lane(magnitude(pivot), l) == 0) zero_pivot(k, l);
}

/// The pivot row of column k, the reciprocal of the pivot, and the factors of the rows below. For workers each of which
/// has the whole column.
template <class T, class Pivot, int Rows>
struct column_removal {
    Pivot pivot;
    T top; ///< the pivot
    T reciprocal;
    T factor[Rows]; ///< [k + 1, rows)

    COPPICE_HD COPPICE_ALWAYS_INLINE column_removal(T const* key, int k, int rows)
        : pivot(key, k, rows), top(pivot.top(key, k, rows)), reciprocal(safe_reciprocal(top)) {
        COPPICE_UNROLL
        for (int r = k + 1; r < rows; ++r) factor[r] = -(select(pivot.here(r), key[k], key[r]) * reciprocal);
    }
};

/// Eliminates the first `count` columns of `s` from `rows` rows by partial pivoting. Pivot rows stay in `s`, with
/// reciprocals in place of the pivots; the other rows move to `next`, up and to the left by `count`. The teller
/// zero_pivot(k, lane) is called for columns of zeros. A teller that records is told of every pivot, and the first
/// `count` columns then keep the factors below their pivots.
template <class T, class Team, class Tell>
COPPICE_HD COPPICE_ALWAYS_INLINE void
eliminate_columns(Team const& team, stack_view<T> const& s, int count, int rows, int active, stack_view<T> const& next,
                  elimination<real_lane_t<T>> const& how, Tell const& zero_pivot) {
    for (int k = 0; k < count; ++k) {
        T* const key = s.column(k);
        if (how.flush) {
            for (int r = k + team.rank(); r < rows; r += team.size())
                key[r] = select(magnitude(key[r]) <= how.threshold, T(0), key[r]);
            team.sync();
        }
        bool const last = k == count - 1;
        if constexpr (lane_count<T> == 1) {
            scalar_pivot<T> const pivot(key, k, rows);
            T const top = pivot.top(key, k, rows), held = key[k];
            if (team.rank() == 0) {
                tell_of_zero(top, k, zero_pivot);
                zero_pivot.record(k, pivot, key);
            }
            T const reciprocal = safe_reciprocal(top);
            // Factors take the places of the entries that they eliminate, where the whole team can read them.
            team.sync();
            for (int r = k + 1 + team.rank(); r < rows; r += team.size())
                key[r] = -(select(pivot.here(r), held, key[r]) * reciprocal);
            if (team.rank() == 0) key[k] = reciprocal;
            team.sync();
            for (int j = k + 1 + team.rank(); j < s.columns; j += team.size())
                eliminate_in(s.column(j), pivot, static_cast<T const*>(key), k, rows, last ? count : rows,
                             next.column(j < active ? (j < count ? 0 : j - count) : j));
            team.sync();
        } else {
            column_removal<T, pack_pivot<T>, most_stack_rows> const of(key, k, rows);
            tell_of_zero(of.top, k, zero_pivot);
            zero_pivot.record(k, of.pivot, key);
            key[k] = of.reciprocal;
            if (zero_pivot.recording)
                for (int r = k + 1; r < rows; ++r) key[r] = of.factor[r];
            if (!last) {
                for (int j = k + 1; j < s.columns; ++j)
                    eliminate_in(s.column(j), of.pivot, of.factor, k, rows, rows, s.at);
            } else {
                for (int j = count; j < active; ++j)
                    eliminate_in(s.column(j), of.pivot, of.factor, k, rows, count, next.column(j - count));
                for (int j = active; j < s.columns; ++j)
                    eliminate_in(s.column(j), of.pivot, of.factor, k, rows, count, next.column(j));
            }
        }
    }
}

/// What a teller is told of a column that was eliminated by a reflection.
template <class T>
struct reflected_column {
    real_lane_t<T> weight; ///< of the reflection
    real_lane_t<T> size;   ///< magnitude of the pivot
};

/// Applies the reflection of column k to the columns behind it; column k keeps v below its pivot.
template <class T, class Team>
COPPICE_HD COPPICE_ALWAYS_INLINE reflected_column<T> reflect_column(Team const& team, stack_view<T> const& s, int k,
                                                                    int rows) {
    T* const key = s.column(k);
    reflection<T> const of(key, k, rows);
    team.sync();
    for (int r = k + 1 + team.rank(); r < rows; r += team.size()) key[r] = of.v(key[r]);
    if (team.rank() == 0) key[k] = safe_reciprocal(of.top);
    team.sync();
    for (int j = k + 1 + team.rank(); j < s.columns; j += team.size())
        reflect(
            s.column(j), of.weight, [key](int r) -> T const& { return key[r]; }, k, rows);
    team.sync();
    return {of.weight, magnitude(of.top)};
}
/// Moves the rows that are left to `next`, up and to the left by `count`.
template <class T, class Team>
COPPICE_HD COPPICE_ALWAYS_INLINE void move_left_rows(Team const& team, stack_view<T> const& s, int count, int rows,
                                                     int active, stack_view<T> const& next) {
    int const left = rows - count;
    for (int i = team.rank(); i < left * (s.columns - count); i += team.size()) {
        int const j = count + i / left, r = i % left;
        next(r, j < active ? j - count : j) = s(count + r, j);
    }
    team.sync();
}
/// eliminate_columns by reflections, which do not let entries grow: the first `count` columns keep v below the
/// diagonal, and `told` is what tell_of_reflected passes on. Reflections are rare, so one function that is not inlined
/// serves all kernels; the same holds for load_unit_apart.
template <class T, class Team>
[[gnu::noinline]] COPPICE_HD void reflect_columns(Team const& team, stack_view<T> const& s, int count, int rows,
                                                  int active, stack_view<T> const& next, reflected_column<T>* told) {
    for (int k = 0; k < count; ++k) told[k] = reflect_column(team, s, k, rows);
    move_left_rows(team, s, count, rows, active, next);
}
/// Calls the teller for `count` reflected columns, by one lane of a team. A pivot up to `tolerance` counts as no pivot.
template <class T, class Team, class Tell>
COPPICE_HD COPPICE_ALWAYS_INLINE void tell_of_reflected(Team const& team, reflected_column<T> const* told, int count,
                                                        real_lane_t<T> const& tolerance, Tell const& zero_pivot) {
    if (team.rank() != 0) return;
    for (int k = 0; k < count; ++k) {
        if (zero_pivot.wanted())
            for (int l = 0; l < lane_count<T>; ++l)
                if (get_lane(told[k].size, l) <= get_lane(tolerance, l)) zero_pivot(k, l);
        zero_pivot.record(k, told[k], static_cast<T const*>(nullptr));
    }
}

/// The power of two that brings the largest of the active columns of a row near 1.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE auto scale_of(stack_view<T> const& s, int r, int active) {
    auto size = magnitude(s(r, 0));
    for (int j = 1; j < active; ++j) size = larger(magnitude(s(r, j)), size);
    return scale_to_one(size);
}

/// Scales `rows` rows from `first` on so that the largest of the active columns is near 1.
template <class T, class Team>
COPPICE_HD inline void equilibrate_rows(Team const& team, stack_view<T> const& s, int first, int rows, int active) {
    for (int r = first + team.rank(); r < first + rows; r += team.size()) {
        auto const factor = scale_of(s, r, active);
        for (int j = 0; j < s.columns; ++j) s(r, j) = scaled(s(r, j), factor);
    }
    team.sync();
}

/// Entries of the active columns up to the threshold become zero.
template <class T, class Team>
COPPICE_HD inline void flush_rows(Team const& team, stack_view<T> const& s, int first, int rows, int active,
                                  real_lane_t<T> const& threshold) {
    for (int i = team.rank(); i < rows * active; i += team.size()) {
        T& entry = s(first + i % rows, i / rows);
        entry = select(magnitude(entry) <= threshold, T(0), entry);
    }
    team.sync();
}

/// Loads unit `u` into the last K rows and makes them ready for elimination.
template <class T, class Team, class Units, class Shape, class Places>
COPPICE_HD COPPICE_ALWAYS_INLINE void load_unit(Team const& team, Units const& units, Shape const& g, Places const& at,
                                                int u, stack_view<T> const& s, elimination<real_lane_t<T>> const& how) {
    for (int i = team.rank(); i < g.rows() * s.left; i += team.size())
        s(g.width() + i % g.rows(), g.active() + i / g.rows()) = T(0);
    units.load(team, g, at, u, s);
    team.sync();
    if (how.flush) flush_rows(team, s, g.width(), g.rows(), g.active(), how.threshold);
    if (how.equilibrate) equilibrate_rows(team, s, g.width(), g.rows(), g.active());
}

/// load_unit for reflections, not inlined.
template <class T, class Team, class Units, class Shape, class Places>
[[gnu::noinline]] COPPICE_HD void load_unit_apart(Team const& team, Units const& units, Shape const& g,
                                                  Places const& at, int u, stack_view<T> const& s,
                                                  elimination<real_lane_t<T>> const& how) {
    load_unit(team, units, g, at, u, s, how);
}

/// The larger of `size` and the largest entry of the last K rows among those that this lane of the team looks at.
template <class T, class Team, class Shape>
COPPICE_HD COPPICE_ALWAYS_INLINE real_lane_t<T> with_unit(Team const& team, Shape const& g, stack_view<T> const& s,
                                                          real_lane_t<T> size) {
    for (int i = team.rank(); i < g.rows() * g.active(); i += team.size())
        size = larger(size, magnitude(s(g.width() + i % g.rows(), i / g.rows())));
    return size;
}

/// Puts unit `u` < W / K, which reaches into y, into rows [u K, u K + K). Where y is known, its terms are subtracted
/// from the right-hand sides. The last K rows keep the unit as it was loaded.
template <class T, class Team, class Units, class Shape, class Places>
COPPICE_HD inline void load_first_unit(Team const& team, Units const& units, Shape const& g, Places const& at, int u,
                                       stack_view<T> const& s, T const* y, elimination<real_lane_t<T>> const& how) {
    int const offset = u * g.rows(), active = g.active();
    load_unit(team, units, g, at, u, s, how); // into the last rows; from there to its columns
    for (int i = team.rank(); i < g.rows() * s.columns; i += team.size()) {
        int const j = i / g.rows(), r = i - j * g.rows(), from = g.width() + r;
        T value(0);
        if (j < g.width()) { // an unknown behind y
            int const c = g.width() + j - offset;
            if (c >= 0 && c < active) value = s(from, c);
        } else if (j >= active && j < active + s.left) { // y itself
            int const c = j - active - offset;
            if (c >= 0 && c < active) value = s(from, c);
        } else if (j >= active + s.left) {
            value = s(from, j);
            if (s.left == 0)
                for (int c = 0; c + offset < g.width() && c < active; ++c)
                    value = value - s(from, c) * y[(c + offset) * g.sides + (j - active)];
        }
        s(offset + r, j) = value;
    }
    team.sync();
}

/// The rows under elimination in memory, shared by a team: a model of elimination_window.
template <class T, class Team, class Units, class Shape, class Places>
struct memory_stacks {
    Team const& team;
    Units const& units;
    Shape const& g;
    Places const& at;
    T const* y; ///< [width][sides], the unknowns before the stretch where they are known
    elimination<real_lane_t<T>> const& how;
    stack_view<T> now, next;
    real_lane_t<T> size{0}; ///< largest entry of the first units among those that this lane looked at

    COPPICE_HD COPPICE_ALWAYS_INLINE memory_stacks(Team const& t, Units const& from, Shape const& shape,
                                                   Places const& places, T* memory, int left, T const* known,
                                                   elimination<real_lane_t<T>> const& e)
        : team(t), units(from), g(shape), at(places), y(known),
          how(e), now{memory, g.pitch(), g.active() + left + g.sides, left}, next{memory + g.pitch() * now.columns,
                                                                                  now.pitch, now.columns, left} {}

    COPPICE_HD COPPICE_ALWAYS_INLINE void load_first(int u) {
        load_first_unit(team, units, g, at, u, now, y, how);
        if (now.left == 0) return;
        size = with_unit(team, g, now, size);
        team.sync();
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void load(int u) {
        load_unit(team, units, g, at, u, now, how);
        clear_new_columns();
    }
    template <class Tell>
    COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate(Tell const& tell) {
        eliminate_columns(team, now, g.rows(), g.stack_rows(), g.active(), next, how, tell);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void advance() {
        team.sync();
        stack_view<T> const old = now;
        now = next;
        next = old;
    }
    /// Calls take(row, column, value) for the first `rows` rows: the pivot rows, or at the end of a stretch the rows of
    /// its link. Columns: first those of the unknowns, then `left` columns of y, then the right-hand sides.
    template <class Take>
    COPPICE_HD COPPICE_ALWAYS_INLINE void for_each(int rows, Take const& take) const {
        for (int i = team.rank(); i < rows * now.columns; i += team.size()) {
            int const j = i / rows, r = i - j * rows;
            take(r, j, now(r, j));
        }
    }
    /// The rows that are left have zeros in the columns of the unknowns that enter.
    COPPICE_HD COPPICE_ALWAYS_INLINE void clear_new_columns() {
        for (int i = team.rank(); i < g.rows() * g.width(); i += team.size())
            next(i % g.width(), g.width() + i / g.width()) = T(0);
    }
    /// The largest_magnitude of the link that is left, among the entries that this lane looks at.
    COPPICE_HD COPPICE_ALWAYS_INLINE real_lane_t<T> largest_left() const {
        int const w = g.width();
        largest_magnitude<T> largest;
        for (int i = team.rank(); i < 2 * w * w; i += team.size()) {
            int const j = i / w, r = i - j * w;
            largest.look_at(now(r, j < w ? j : g.active() + j - w));
        }
        return largest.value();
    }
};

/// `elements`, rounded up to whole 16 bytes.
template <class T>
COPPICE_HD constexpr std::int64_t aligned_elements(std::int64_t elements) {
    constexpr std::int64_t together = sizeof(T) < 16 ? 16 / std::int64_t(sizeof(T)) : 1;
    return (elements + together - 1) / together * together;
}

/// memory_stacks with an elimination by reflections; a pivot up to `tolerance` counts as no pivot. Where the compiler
/// knows the sizes, in kernels that do nothing else, all of it is unrolled. Both stacks take aligned_elements() there
/// and begin at a multiple of 16 bytes: `now` and `next` trade places, and nvcc 13.0 takes the alignment that it knows
/// of one for both and loads 16 bytes at once.
template <class T, class Team, class Units, class Shape, class Places>
struct reflecting_stacks : memory_stacks<T, Team, Units, Shape, Places> {
    static constexpr bool unrolled = !std::is_same_v<Shape, unit_shape<any_size>>;
    real_lane_t<T> tolerance;

    COPPICE_HD COPPICE_ALWAYS_INLINE reflecting_stacks(memory_stacks<T, Team, Units, Shape, Places> const& rows,
                                                       real_lane_t<T> const& zero)
        : memory_stacks<T, Team, Units, Shape, Places>(rows), tolerance(zero) {
        if (unrolled) this->next.at = this->now.at + aligned_elements<T>(this->now.pitch * this->now.columns);
    }

    COPPICE_HD COPPICE_ALWAYS_INLINE void load(int u) {
        if constexpr (unrolled)
            load_unit(this->team, this->units, this->g, this->at, u, this->now, this->how);
        else
            load_unit_apart(this->team, this->units, this->g, this->at, u, this->now, this->how);
        this->clear_new_columns();
    }
    template <class Tell>
    COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate(Tell const& tell) {
        if constexpr (unrolled) {
            constexpr int count = Shape::rows(), rows = count + Shape::width();
            reflected_column<T> told[count];
            COPPICE_UNROLL
            for (int k = 0; k < count; ++k) told[k] = reflect_column(this->team, this->now, k, rows);
            move_left_rows(this->team, this->now, count, rows, rows, this->next);
            tell_of_reflected(this->team, told, count, tolerance, tell);
        } else {
            reflected_column<T> told[most_unit_rows];
            reflect_columns(this->team, this->now, this->g.rows(), this->g.stack_rows(), this->g.active(), this->next,
                            told);
            tell_of_reflected(this->team, told, this->g.rows(), tolerance, tell);
        }
    }
};

} // namespace coppice::chain
