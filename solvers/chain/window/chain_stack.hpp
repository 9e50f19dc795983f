// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The chain solver: rows under elimination by partial pivoting, in memory. chain_lane.hpp says what they are of.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/solvers/chain/window/chain_growth.hpp>
#include <coppice/solvers/chain/window/chain_reflect.hpp>

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

/// A team that works, or only goes along to the barriers of others.
template <class Team>
struct onlooking {
    Team const& team;
    bool works;
    COPPICE_HD COPPICE_ALWAYS_INLINE int rank() const { return works ? team.rank() : 1 << 20; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int size() const { return team.size(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE void sync() const { team.sync(); }
};

inline constexpr int most_stack_rows = 32; ///< W + K of links of blocks of 8
inline constexpr int most_unit_rows = 16;  ///< K of those

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

/// The same and what goes with them. `sides` right-hand sides are solved at once.
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
    COPPICE_HD COPPICE_ALWAYS_INLINE int unknowns() const { return inner() * rows() + width(); } ///< those and z
    COPPICE_HD COPPICE_ALWAYS_INLINE int reduce_columns() const { return active() + width() + sides; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int substitute_columns() const { return active() + sides; }
    /// Elements of a unit in memory: its right-hand sides and its columns.
    COPPICE_HD COPPICE_ALWAYS_INLINE int unit_elements() const { return rows() * (active() + sides); }
    /// Of slot_rows.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t slot_elements() const {
        return std::int64_t(units) * unit_elements() + std::int64_t(rows() + width()) * sides;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t reduce_elements() const { return 2ll * pitch() * reduce_columns(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t substitute_elements() const {
        return 2ll * pitch() * substitute_columns() + slot_elements();
    }
};

/// How to eliminate.
template <class Real>
struct elimination {
    Real threshold;   ///< entries up to this count as zero,
    bool flush;       ///< where this is on
    bool equilibrate; ///< scale each row by a power of two first (scaled partial pivoting)
};

/// Rows under elimination, column-major. Columns: W + K of the unknowns, the first K of which go next; `left` of y; the
/// right-hand sides. Rows: W that are left from before, K of the next unit.
template <class T>
struct stack_view {
    T* at;
    int pitch, columns;
    int left; ///< columns of y: W in the reduction, none where y is known

    COPPICE_HD COPPICE_ALWAYS_INLINE T* column(int j) const { return at + j * pitch; }
    COPPICE_HD COPPICE_ALWAYS_INLINE T& operator()(int r, int j) const { return at[j * pitch + r]; }
};

/// The row with the largest entry of a column among rows [k, rows), for a scalar: its number. The first of equals wins.
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
    /// Whether row r is the pivot row. It and row k are exchanged: row r then holds what was in row k.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool here(int r) const { return r == row; }
    /// What stands in the pivot row.
    COPPICE_HD COPPICE_ALWAYS_INLINE T top(T const* column, int, int) const { return column[row]; }
};

/// What pivots are compared by: |a| is its magnitude. Reals are, as they stand.
COPPICE_HD COPPICE_ALWAYS_INLINE float pivot_key(float a) { return a; }
COPPICE_HD COPPICE_ALWAYS_INLINE double pivot_key(double a) { return a; }
template <class R>
COPPICE_HD COPPICE_ALWAYS_INLINE R pivot_key(complex_lane<R> const& a) {
    return magnitude(a);
}

/// The same for columns of `Rows` rows in registers, which have no addresses: every row is looked at, in rounds of a
/// tournament, whose comparisons do not wait for each other.
template <class T, int Rows>
struct register_pivot {
    int row;

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
    /// By the bits of its number: as many selections as there are rows, but few conditions and short ways.
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

/// The same for a pack: a mask for each row.
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
        if (rows == k + 1) return; // nothing to choose from
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

/// Tells of the lanes that found no pivot for column k.
template <class T, class Tell>
COPPICE_HD COPPICE_ALWAYS_INLINE void tell_of_zero(T const& pivot, int k, Tell const& zero_pivot) {
    if (!zero_pivot.wanted()) return;
    for (int l = 0; l < lane_count<T>; ++l)
        if (get_lane(magnitude(pivot), l) == 0) zero_pivot(k, l);
}

/// The removal of column k: its pivot row, the reciprocal of the pivot, the factors for the rows below. For workers
/// that see all of the column.
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

/// Eliminates the first `count` columns of `s` from `rows` rows by partial pivoting. Pivot rows stay, with reciprocals
/// in place of the pivots; what is left moves to `next`, up and to the left by `count`. zero_pivot(k, lane) hears of
/// columns of zeros; where it records, it hears of every pivot, and the first `count` columns keep the factors below.
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
            // Factors take the place of the entries they remove, where the whole team sees them.
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

/// What is left to say of a column that was reflected.
template <class T>
struct reflected_column {
    real_lane_t<T> weight; ///< of its reflection
    real_lane_t<T> size;   ///< of its pivot
};

/// Reflects column k, which keeps v below its pivot, and the columns behind it.
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
/// What is left moves to `next`, up and to the left by `count`.
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
/// eliminate_columns by reflections, which let nothing grow: the first `count` columns keep v below the diagonal;
/// `told` is for tell_of_reflected. Rare, and so kept out of the way of others and the same for all of them, as what
/// follows is.
template <class T, class Team>
[[gnu::noinline]] COPPICE_HD void reflect_columns(Team const& team, stack_view<T> const& s, int count, int rows,
                                                  int active, stack_view<T> const& next, reflected_column<T>* told) {
    for (int k = 0; k < count; ++k) told[k] = reflect_column(team, s, k, rows);
    move_left_rows(team, s, count, rows, active, next);
}
/// Tells, by one of a team, of what became of `count` columns. A pivot up to `tolerance` counts as none.
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

/// Loads unit `u` to the last K rows, ready for elimination.
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

/// The same, rare.
template <class T, class Team, class Units, class Shape, class Places>
[[gnu::noinline]] COPPICE_HD void load_unit_apart(Team const& team, Units const& units, Shape const& g,
                                                  Places const& at, int u, stack_view<T> const& s,
                                                  elimination<real_lane_t<T>> const& how) {
    load_unit(team, units, g, at, u, s, how);
}

/// The larger of `size` and the magnitudes of the entries of the last K rows, of those that this lane looks at.
template <class T, class Team, class Shape>
COPPICE_HD COPPICE_ALWAYS_INLINE real_lane_t<T> with_unit(Team const& team, Shape const& g, stack_view<T> const& s,
                                                          real_lane_t<T> size) {
    for (int i = team.rank(); i < g.rows() * g.active(); i += team.size())
        size = larger(size, magnitude(s(g.width() + i % g.rows(), i / g.rows())));
    return size;
}

/// Puts unit `u` < W / K, which reaches into y, into rows [u K, u K + K). Where y is known it goes to the other side.
/// The unit stays where it was loaded, too.
template <class T, class Team, class Units, class Shape, class Places>
COPPICE_HD inline void load_first_unit(Team const& team, Units const& units, Shape const& g, Places const& at, int u,
                                       stack_view<T> const& s, T const* y, elimination<real_lane_t<T>> const& how) {
    int const offset = u * g.rows(), active = g.active();
    load_unit(team, units, g, at, u, s, how); // to the last rows, as it stands; then dealt out
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

/// The rows under elimination in memory, shared by a team: one model of what walk() works on.
template <class T, class Team, class Units, class Shape, class Places>
struct memory_stacks {
    Team const& team;
    Units const& units;
    Shape const& g;
    Places const& at;
    T const* y; ///< [width][sides], the unknowns before the stretch where they are known
    elimination<real_lane_t<T>> const& how;
    stack_view<T> now, next;
    real_lane_t<T> size{0}; ///< of the entries of the first units, by the lanes of the team together

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
    /// Calls take(row, column, value) for the first `rows` rows, those of pivots or, at the end, those that are left.
    /// Columns: those of the unknowns, then `left` of y, then the right-hand sides.
    template <class Take>
    COPPICE_HD COPPICE_ALWAYS_INLINE void for_each(int rows, Take const& take) const {
        for (int i = team.rank(); i < rows * now.columns; i += team.size()) {
            int const j = i / rows, r = i - j * rows;
            take(r, j, now(r, j));
        }
    }
    /// Rows that are left know nothing of the unknowns that come in.
    COPPICE_HD COPPICE_ALWAYS_INLINE void clear_new_columns() {
        for (int i = team.rank(); i < g.rows() * g.width(); i += team.size())
            next(i % g.width(), g.width() + i / g.width()) = T(0);
    }
    /// The largest_magnitude of the link that is left, of what this lane looks at.
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

/// The same by reflections; a pivot up to `tolerance` counts as none.
template <class T, class Team, class Units, class Shape, class Places>
struct reflecting_stacks : memory_stacks<T, Team, Units, Shape, Places> {
    real_lane_t<T> tolerance;

    COPPICE_HD COPPICE_ALWAYS_INLINE reflecting_stacks(memory_stacks<T, Team, Units, Shape, Places> const& rows,
                                                       real_lane_t<T> const& zero)
        : memory_stacks<T, Team, Units, Shape, Places>(rows), tolerance(zero) {}

    COPPICE_HD COPPICE_ALWAYS_INLINE void load(int u) {
        load_unit_apart(this->team, this->units, this->g, this->at, u, this->now, this->how);
        this->clear_new_columns();
    }
    template <class Tell>
    COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate(Tell const& tell) {
        reflected_column<T> told[most_unit_rows];
        reflect_columns(this->team, this->now, this->g.rows(), this->g.stack_rows(), this->g.active(), this->next,
                        told);
        tell_of_reflected(this->team, told, this->g.rows(), tolerance, tell);
    }
};

/// Elements of a stack, up to whole 16 bytes.
template <class T>
COPPICE_HD constexpr std::int64_t aligned_elements(std::int64_t elements) {
    constexpr std::int64_t together = sizeof(T) < 16 ? 16 / std::int64_t(sizeof(T)) : 1;
    return (elements + together - 1) / together * together;
}

/// The same of sizes that the compiler knows, for kernels that do nothing else. Both stacks, aligned_elements() each,
/// begin at 16 bytes: where pointers to them trade places, nvcc 13.0 takes what it knows of one for both and loads 16
/// bytes at once.
template <class T, class Team, class Units, class Shape, class Places>
struct unrolled_reflecting_stacks : memory_stacks<T, Team, Units, Shape, Places> {
    real_lane_t<T> tolerance;

    COPPICE_HD COPPICE_ALWAYS_INLINE
    unrolled_reflecting_stacks(memory_stacks<T, Team, Units, Shape, Places> const& rows, real_lane_t<T> const& zero)
        : memory_stacks<T, Team, Units, Shape, Places>(rows), tolerance(zero) {
        this->next.at = this->now.at + aligned_elements<T>(this->now.pitch * this->now.columns);
    }

    template <class Tell>
    COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate(Tell const& tell) {
        constexpr int count = Shape::rows(), rows = count + Shape::width();
        reflected_column<T> told[count];
        COPPICE_UNROLL
        for (int k = 0; k < count; ++k) told[k] = reflect_column(this->team, this->now, k, rows);
        move_left_rows(this->team, this->now, count, rows, rows, this->next);
        tell_of_reflected(this->team, told, count, tolerance, tell);
    }
};

} // namespace coppice::chain
