// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Window of the chain solver (solvers/direct/DESIGN.md) in memory, and its elimination by partial pivoting or
/// Householder reflections.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/solvers/direct/block_banded/elimination/chain_growth.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_householder.hpp>

namespace coppice::inline v0_1::chain {

/// A team of one worker.
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

/// A team that works if `works` is set, and else only takes part in the barriers of other teams.
template <class Team>
struct masked_team {
    Team const& team;
    bool works;
    COPPICE_HD COPPICE_ALWAYS_INLINE int rank() const { return works ? team.rank() : 1 << 20; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int size() const { return team.size(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE void sync() const { team.sync(); }
};

inline constexpr int max_stack_rows = 32;     ///< W + K of condensed segments of blocks of 8 rows
inline constexpr int max_block_row_size = 16; ///< K of these condensed segments

/// Sizes K and W of one level, known at run time only.
struct any_size {
    int rows_, width_;
    COPPICE_HD COPPICE_ALWAYS_INLINE int rows() const { return rows_; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int width() const { return width_; }
};
/// Sizes that the compiler knows; it unrolls their elimination.
template <int K, int W>
struct known_size {
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int rows() { return K; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int width() { return W; }
};

/// K and W together with the number of block rows of a segment and of right-hand sides, and the sizes of memory that
/// follow from these. `rhs_count` right-hand sides are solved together.
template <class Size>
struct block_row_shape : Size {
    int block_rows; ///< of a segment; at least W / K
    int rhs_count;

    using Size::rows;
    using Size::width;
    COPPICE_HD COPPICE_ALWAYS_INLINE int stack_rows() const { return width() + rows(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE int pitch() const { return stack_rows() | 1; }  ///< odd, to avoid bank conflicts
    COPPICE_HD COPPICE_ALWAYS_INLINE int active() const { return width() + rows(); } ///< columns of a block row
    COPPICE_HD COPPICE_ALWAYS_INLINE int inner() const {
        return block_rows - width() / rows();
    } ///< groups of K unknowns to eliminate
    /// Unknowns of all groups and of z.
    COPPICE_HD COPPICE_ALWAYS_INLINE int unknowns() const { return inner() * rows() + width(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE int reduce_columns() const { return active() + width() + rhs_count; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int substitute_columns() const { return active() + rhs_count; }
    /// Elements of a block row in memory: its right-hand sides and its columns.
    COPPICE_HD COPPICE_ALWAYS_INLINE int block_row_elements() const { return rows() * (active() + rhs_count); }
    /// Elements of slot_rows.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t slot_elements() const {
        return std::int64_t(block_rows) * block_row_elements() + std::int64_t(rows() + width()) * rhs_count;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t reduce_elements() const { return 2ll * pitch() * reduce_columns(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t substitute_elements() const {
        return 2ll * pitch() * substitute_columns() + slot_elements();
    }
};

/// Options of an elimination.
template <class Real>
struct elimination {
    Real threshold; ///< if `flush` is set, entries of at most this magnitude count as zero
    bool flush;
    bool equilibrate; ///< scale each row by a power of two first (scaled partial pivoting)
};

/// The rows of a window, column-major. Columns: W + K of unknowns, of which the first K are eliminated next; then
/// `left` columns of y; then the right-hand sides. Rows: W that remain from previous block rows, then K of the next
/// block row.
template <class T>
struct stack_view {
    T* at;
    int pitch, columns;
    int left; ///< number of columns of y: W in the reduction, 0 if y is known

    COPPICE_HD COPPICE_ALWAYS_INLINE T* column(int j) const { return at + j * pitch; }
    COPPICE_HD COPPICE_ALWAYS_INLINE T& operator()(int r, int j) const { return at[j * pitch + r]; }
};

/// Pivot row of a column of scalars: the index in [k, rows) of the largest entry; of equal ones the first.
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
    /// Whether row r is the pivot row, which is exchanged with row k: the former row k is then in row r.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool here(int r) const { return r == row; }
    /// The pivot.
    COPPICE_HD COPPICE_ALWAYS_INLINE T top(T const* column, int, int) const { return column[row]; }
};

/// A value whose magnitude is the size that pivots are compared by: a real number itself, |a| for a complex number.
COPPICE_HD COPPICE_ALWAYS_INLINE float pivot_key(float a) { return a; }
COPPICE_HD COPPICE_ALWAYS_INLINE double pivot_key(double a) { return a; }
template <class R>
COPPICE_HD COPPICE_ALWAYS_INLINE R pivot_key(complex_lane<R> const& a) {
    return magnitude(a);
}

/// Pivot row of a column of `Rows` rows in registers, which cannot be indexed at run time. The rows are compared in a
/// tournament, so that the comparisons of a round are independent.
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
        for (int distance = 1; distance < Rows; distance *= 2) {
            COPPICE_UNROLL
            for (int r = k; r < rows; ++r)
                if ((r - k) % (2 * distance) == 0 && r + distance < rows) {
                    bool const later = magnitude(best[r]) < magnitude(best[r + distance]);
                    best[r] = select(later, best[r + distance], best[r]);
                    at[r] = later ? at[r + distance] : at[r];
                }
        }
        row = at[k];
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool here(int r) const { return r == row; }
    /// The pivot, selected by the bits of its row index: one selection for each row, but few conditions and a short
    /// chain of dependent selections.
    COPPICE_HD COPPICE_ALWAYS_INLINE T top(T const* column, int k, int rows) const {
        T value[Rows];
        COPPICE_UNROLL
        for (int r = k; r < rows; ++r) value[r] = column[r];
        COPPICE_UNROLL
        for (int distance = 1; distance < Rows; distance *= 2) {
            bool const odd = ((row - k) & distance) != 0;
            COPPICE_UNROLL
            for (int r = k; r < rows; ++r)
                if ((r - k) % (2 * distance) == 0 && r + distance < rows)
                    value[r] = select(odd, value[r + distance], value[r]);
        }
        return value[k];
    }
};

/// Pivot rows of a pack of columns, one in each lane: a mask for each row.
template <class T>
struct pack_pivot {
    decltype(real_lane_t<T>() <= real_lane_t<T>()) mask[max_stack_rows];

    COPPICE_ALWAYS_INLINE pack_pivot(T const* column, int k, int rows) {
        auto best = magnitude(column[k]);
        for (int r = k + 1; r < rows; ++r) {
            auto const size = magnitude(column[r]);
            mask[r] = best < size;
            best = select(mask[r], size, best);
        }
        if (rows == k + 1) return; // a single row
        // If a later row has a larger entry, it is the pivot row instead of an earlier one.
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

/// Eliminates column k from the rows below k of another column, with factors f[k + 1 ... rows). Rows from
/// `rows_in_place` on are written to to[r - rows_in_place]; the others stay in place.
template <class T, class Pivot>
COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate_in(T* column, Pivot const& pivot, T const* f, int k, int rows,
                                                   int rows_in_place, T* to) {
    T const v = pivot.top(column, k, rows);
    T const held = column[k];
    COPPICE_UNROLL
    for (int r = k + 1; r < rows; ++r) {
        T const value = select(pivot.here(r), held, column[r]) + f[r] * v;
        (r < rows_in_place ? column[r] : to[r - rows_in_place]) = value;
    }
    column[k] = v;
}

/// Calls the observer for each lane without a pivot in column k.
template <class T, class Observer>
COPPICE_HD COPPICE_ALWAYS_INLINE void report_zero_pivot(T const& pivot, int k, Observer const& zero_pivot) {
    if (!zero_pivot.needed()) return;
    for (int l = 0; l < lane_count<T>; ++l)
        if (get_lane(magnitude(pivot), l) == 0) zero_pivot(k, l);
}

/// Pivot row of column k, reciprocal of the pivot, and factors of the rows below. For workers that each hold the whole
/// column.
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
/// reciprocals in place of the pivots; the other rows move to `next`, up and to the left by `count`. The observer
/// zero_pivot(k, lane) is called for columns of zeros. If the observer records, it receives every pivot, and the first
/// `count` columns then keep the factors below their pivots.
template <class T, class Team, class Observer>
COPPICE_HD COPPICE_ALWAYS_INLINE void
eliminate_columns(Team const& team, stack_view<T> const& s, int count, int rows, int active, stack_view<T> const& next,
                  elimination<real_lane_t<T>> const& how, Observer const& zero_pivot) {
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
                report_zero_pivot(top, k, zero_pivot);
                zero_pivot.record(k, pivot, key);
            }
            T const reciprocal = safe_reciprocal(top);
            // Each factor overwrites the entry that it eliminates, so that the whole team can read it.
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
            column_removal<T, pack_pivot<T>, max_stack_rows> const of(key, k, rows);
            report_zero_pivot(of.top, k, zero_pivot);
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

/// Values that a recording observer receives for a column that was eliminated by a Householder reflection.
template <class T>
struct householder_column {
    real_lane_t<T> weight; ///< of the reflection
    real_lane_t<T> size;   ///< magnitude of the pivot
};

/// Applies the reflection of column k to the columns after it; column k keeps v below its pivot.
template <class T, class Team>
COPPICE_HD COPPICE_ALWAYS_INLINE householder_column<T> householder_step(Team const& team, stack_view<T> const& s, int k,
                                                                        int rows) {
    T* const key = s.column(k);
    householder<T> const of(key, k, rows);
    team.sync();
    for (int r = k + 1 + team.rank(); r < rows; r += team.size()) key[r] = of.v(key[r]);
    if (team.rank() == 0) key[k] = safe_reciprocal(of.top);
    team.sync();
    for (int j = k + 1 + team.rank(); j < s.columns; j += team.size())
        apply_householder(
            s.column(j), of.weight, [key](int r) -> T const& { return key[r]; }, k, rows);
    team.sync();
    return {of.weight, magnitude(of.top)};
}
/// Moves the remaining rows to `next`, up and to the left by `count`.
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
/// As eliminate_columns, but by Householder reflections, which bound element growth: the first `count` columns keep v
/// below the diagonal, and `eliminated` receives what report_householder passes on. Reflections are rare, so one
/// function that is not inlined serves all kernels; the same holds for load_block_row_out_of_line.
template <class T, class Team>
[[gnu::noinline]] COPPICE_HD void eliminate_by_householder(Team const& team, stack_view<T> const& s, int count,
                                                           int rows, int active, stack_view<T> const& next,
                                                           householder_column<T>* eliminated) {
    for (int k = 0; k < count; ++k) eliminated[k] = householder_step(team, s, k, rows);
    move_left_rows(team, s, count, rows, active, next);
}
/// Calls the observer for `count` columns that were eliminated by reflections, by one lane of a team. A pivot of at
/// most `tolerance` counts as zero.
template <class T, class Team, class Observer>
COPPICE_HD COPPICE_ALWAYS_INLINE void report_householder(Team const& team, householder_column<T> const* eliminated,
                                                         int count, real_lane_t<T> const& tolerance,
                                                         Observer const& zero_pivot) {
    if (team.rank() != 0) return;
    for (int k = 0; k < count; ++k) {
        if (zero_pivot.needed())
            for (int l = 0; l < lane_count<T>; ++l)
                if (get_lane(eliminated[k].size, l) <= get_lane(tolerance, l)) zero_pivot(k, l);
        zero_pivot.record(k, eliminated[k], static_cast<T const*>(nullptr));
    }
}

/// Power of two that scales the largest of the active entries of a row to about 1.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE auto scale_of(stack_view<T> const& s, int r, int active) {
    auto size = magnitude(s(r, 0));
    for (int j = 1; j < active; ++j) size = larger(magnitude(s(r, j)), size);
    return scale_to_one(size);
}

/// Scales `rows` rows from `first` on so that the largest active entry of each is about 1.
template <class T, class Team>
COPPICE_HD inline void equilibrate_rows(Team const& team, stack_view<T> const& s, int first, int rows, int active) {
    for (int r = first + team.rank(); r < first + rows; r += team.size()) {
        auto const factor = scale_of(s, r, active);
        for (int j = 0; j < s.columns; ++j) s(r, j) = scaled(s(r, j), factor);
    }
    team.sync();
}

/// Sets entries of the active columns to zero if they are at most the threshold.
template <class T, class Team>
COPPICE_HD inline void flush_rows(Team const& team, stack_view<T> const& s, int first, int rows, int active,
                                  real_lane_t<T> const& threshold) {
    for (int i = team.rank(); i < rows * active; i += team.size()) {
        T& entry = s(first + i % rows, i / rows);
        entry = select(magnitude(entry) <= threshold, T(0), entry);
    }
    team.sync();
}

/// Loads block row `u` into the last K rows and prepares them for elimination.
template <class T, class Team, class BlockRows, class Shape, class Locations>
COPPICE_HD COPPICE_ALWAYS_INLINE void load_block_row(Team const& team, BlockRows const& block_rows, Shape const& g,
                                                     Locations const& at, int u, stack_view<T> const& s,
                                                     elimination<real_lane_t<T>> const& how) {
    for (int i = team.rank(); i < g.rows() * s.left; i += team.size())
        s(g.width() + i % g.rows(), g.active() + i / g.rows()) = T(0);
    block_rows.load(team, g, at, u, s);
    team.sync();
    if (how.flush) flush_rows(team, s, g.width(), g.rows(), g.active(), how.threshold);
    if (how.equilibrate) equilibrate_rows(team, s, g.width(), g.rows(), g.active());
}

/// load_block_row for Householder reflections; not inlined.
template <class T, class Team, class BlockRows, class Shape, class Locations>
[[gnu::noinline]] COPPICE_HD void
load_block_row_out_of_line(Team const& team, BlockRows const& block_rows, Shape const& g, Locations const& at, int u,
                           stack_view<T> const& s, elimination<real_lane_t<T>> const& how) {
    load_block_row(team, block_rows, g, at, u, s, how);
}

/// Maximum of `size` and the entries of the last K rows that this lane of the team reads.
template <class T, class Team, class Shape>
COPPICE_HD COPPICE_ALWAYS_INLINE real_lane_t<T> with_block_row(Team const& team, Shape const& g, stack_view<T> const& s,
                                                               real_lane_t<T> size) {
    for (int i = team.rank(); i < g.rows() * g.active(); i += team.size())
        size = larger(size, magnitude(s(g.width() + i % g.rows(), i / g.rows())));
    return size;
}

/// Loads block row `u` < W / K, which has entries in columns of y, into rows [u K, u K + K). If y is known, its terms
/// are subtracted from the right-hand sides. The last K rows keep the block row as it was loaded.
template <class T, class Team, class BlockRows, class Shape, class Locations>
COPPICE_HD inline void load_first_block_row(Team const& team, BlockRows const& block_rows, Shape const& g,
                                            Locations const& at, int u, stack_view<T> const& s, T const* y,
                                            elimination<real_lane_t<T>> const& how) {
    int const offset = u * g.rows(), active = g.active();
    load_block_row(team, block_rows, g, at, u, s, how); // into the last rows; from there to its columns
    for (int i = team.rank(); i < g.rows() * s.columns; i += team.size()) {
        int const j = i / g.rows(), r = i - j * g.rows(), from = g.width() + r;
        T value(0);
        if (j < g.width()) { // an unknown after y
            int const c = g.width() + j - offset;
            if (c >= 0 && c < active) value = s(from, c);
        } else if (j >= active && j < active + s.left) { // y itself
            int const c = j - active - offset;
            if (c >= 0 && c < active) value = s(from, c);
        } else if (j >= active + s.left) {
            value = s(from, j);
            if (s.left == 0)
                for (int c = 0; c + offset < g.width() && c < active; ++c)
                    value = value - s(from, c) * y[(c + offset) * g.rhs_count + (j - active)];
        }
        s(offset + r, j) = value;
    }
    team.sync();
}

/// Window in memory that a team shares; a model of elimination_window.
template <class T, class Team, class BlockRows, class Shape, class Locations>
struct memory_stacks {
    Team const& team;
    BlockRows const& block_rows;
    Shape const& g;
    Locations const& at;
    T const* y; ///< [width][rhs_count], the unknowns before the segment, if they are known
    elimination<real_lane_t<T>> const& how;
    stack_view<T> now, next;
    real_lane_t<T> size{0}; ///< largest entry of the first block rows that this lane has read

    COPPICE_HD COPPICE_ALWAYS_INLINE memory_stacks(Team const& t, BlockRows const& from, Shape const& shape,
                                                   Locations const& locations, T* memory, int left, T const* known,
                                                   elimination<real_lane_t<T>> const& e)
        : team(t), block_rows(from), g(shape), at(locations), y(known),
          how(e), now{memory, g.pitch(), g.active() + left + g.rhs_count, left}, next{memory + g.pitch() * now.columns,
                                                                                      now.pitch, now.columns, left} {}

    COPPICE_HD COPPICE_ALWAYS_INLINE void load_first(int u) {
        load_first_block_row(team, block_rows, g, at, u, now, y, how);
        if (now.left == 0) return;
        size = with_block_row(team, g, now, size);
        team.sync();
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void load(int u) {
        load_block_row(team, block_rows, g, at, u, now, how);
        clear_new_columns();
    }
    template <class Observer>
    COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate(Observer const& observer) {
        eliminate_columns(team, now, g.rows(), g.stack_rows(), g.active(), next, how, observer);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void advance() {
        team.sync();
        stack_view<T> const old = now;
        now = next;
        next = old;
    }
    /// Calls take(row, column, value) for the first `rows` rows: the pivot rows, or at the end of a segment the
    /// condensed rows. Columns: first those of the unknowns, then `left` columns of y, then the right-hand sides.
    template <class Take>
    COPPICE_HD COPPICE_ALWAYS_INLINE void for_each(int rows, Take const& take) const {
        for (int i = team.rank(); i < rows * now.columns; i += team.size()) {
            int const j = i / rows, r = i - j * rows;
            take(r, j, now(r, j));
        }
    }
    /// The remaining rows have zeros in the columns of the unknowns that enter.
    COPPICE_HD COPPICE_ALWAYS_INLINE void clear_new_columns() {
        for (int i = team.rank(); i < g.rows() * g.width(); i += team.size())
            next(i % g.width(), g.width() + i / g.width()) = T(0);
    }
    /// largest_magnitude of the condensed rows, over the entries that this lane reads.
    COPPICE_HD COPPICE_ALWAYS_INLINE real_lane_t<T> largest_left() const {
        int const w = g.width();
        largest_magnitude<T> largest;
        for (int i = team.rank(); i < 2 * w * w; i += team.size()) {
            int const j = i / w, r = i - j * w;
            largest.include(now(r, j < w ? j : g.active() + j - w));
        }
        return largest.value();
    }
};

/// `elements`, rounded up to a multiple of 16 bytes.
template <class T>
COPPICE_HD constexpr std::int64_t aligned_elements(std::int64_t elements) {
    constexpr std::int64_t together = sizeof(T) < 16 ? 16 / std::int64_t(sizeof(T)) : 1;
    return (elements + together - 1) / together * together;
}

/// memory_stacks with elimination by Householder reflections; a pivot of at most `tolerance` counts as zero. If the
/// compiler knows the sizes, as in kernels that do nothing else, all loops are unrolled. Both stacks then take
/// aligned_elements() and start at a multiple of 16 bytes: `now` and `next` are swapped, and nvcc 13.0 assumes for both
/// the alignment that it knows of one, and loads 16 bytes at a time.
template <class T, class Team, class BlockRows, class Shape, class Locations>
struct householder_stacks : memory_stacks<T, Team, BlockRows, Shape, Locations> {
    static constexpr bool unrolled = !std::is_same_v<Shape, block_row_shape<any_size>>;
    real_lane_t<T> tolerance;

    COPPICE_HD COPPICE_ALWAYS_INLINE householder_stacks(memory_stacks<T, Team, BlockRows, Shape, Locations> const& rows,
                                                        real_lane_t<T> const& zero)
        : memory_stacks<T, Team, BlockRows, Shape, Locations>(rows), tolerance(zero) {
        if (unrolled) this->next.at = this->now.at + aligned_elements<T>(this->now.pitch * this->now.columns);
    }

    COPPICE_HD COPPICE_ALWAYS_INLINE void load(int u) {
        if constexpr (unrolled)
            load_block_row(this->team, this->block_rows, this->g, this->at, u, this->now, this->how);
        else
            load_block_row_out_of_line(this->team, this->block_rows, this->g, this->at, u, this->now, this->how);
        this->clear_new_columns();
    }
    template <class Observer>
    COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate(Observer const& observer) {
        if constexpr (unrolled) {
            constexpr int count = Shape::rows(), rows = count + Shape::width();
            householder_column<T> eliminated[count];
            COPPICE_UNROLL
            for (int k = 0; k < count; ++k) eliminated[k] = householder_step(this->team, this->now, k, rows);
            move_left_rows(this->team, this->now, count, rows, rows, this->next);
            report_householder(this->team, eliminated, count, tolerance, observer);
        } else {
            householder_column<T> eliminated[max_block_row_size];
            eliminate_by_householder(this->team, this->now, this->g.rows(), this->g.stack_rows(), this->g.active(),
                                     this->next, eliminated);
            report_householder(this->team, eliminated, this->g.rows(), tolerance, observer);
        }
    }
};

} // namespace coppice::inline v0_1::chain
