// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elimination of a window of the chain solver by partial pivoting: the pivot row of a column in memory, in registers
/// or in every lane of a pack, and the elimination of the columns of a window in memory. Equations (1) to (4) in
/// solvers/direct/DESIGN.md.
#pragma once

#include <limits>

#include <coppice/core/lane/lane_access.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_window.hpp>

namespace coppice::inline v0_1::chain {

/// Pivot row of a column of scalars in memory: the index in [k, rows) of the largest entry; of equal ones the first.
struct scalar_pivot {
    int row;

    /// The lanes of the team, an exchanging_team, compare their own rows and then exchange the largest; all get the
    /// same row. NaN is never larger than another entry; in row k it is the pivot, since no entry is larger than NaN
    /// either.
    template <class T, class Team>
    COPPICE_LANE scalar_pivot(Team const& team, T const* column, int k, int rows) : row(rows) {
        using real = real_lane_t<T>;
        real best(-1);
        for (int r = own_row(team, k); r < rows; r += team.size()) {
            real size = magnitude(column[r]);
            if (r == k && !(size == size)) size = std::numeric_limits<real>::infinity();
            if (best < size) {
                best = size;
                row = r;
            }
        }
        combine_lanes(team, [&](int lane) {
            real const size = team.from(best, lane);
            int const at = team.from(row, lane);
            if (best < size || (best == size && at < row)) {
                best = size;
                row = at;
            }
        });
    }
};

/// A value whose magnitude is the size that pivots are compared by: a real number itself, |a| for a complex number.
COPPICE_LANE float pivot_key(float a) { return a; }
COPPICE_LANE double pivot_key(double a) { return a; }
template <class R>
COPPICE_LANE R pivot_key(complex_lane<R> const& a) {
    return magnitude(a);
}

/// Pivot row of a column of `Rows` rows in registers, which cannot be indexed at run time. The rows are compared in a
/// tournament, so that the comparisons of a round are independent.
template <class T, int Rows>
struct register_pivot {
    int row;

    COPPICE_LANE explicit register_pivot(int number) : row(number) {}
    COPPICE_LANE register_pivot(T const* column, int k, int rows) {
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
    COPPICE_LANE bool here(int r) const { return r == row; }
    /// The pivot, selected by the bits of its row index: one selection for each row, but few conditions and a short
    /// chain of dependent selections.
    COPPICE_LANE T top(T const* column, int k, int rows) const {
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
COPPICE_LANE void eliminate_in(T* column, Pivot const& pivot, T const* f, int k, int rows, int rows_in_place, T* to) {
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
COPPICE_LANE void report_zero_pivot(T const& pivot, int k, Observer const& zero_pivot) {
    if (!zero_pivot.needed()) return;
    for (int l = 0; l < lane_count<T>; ++l)
        if (get_lane(magnitude(pivot), l) == 0) zero_pivot(k, l);
}

/// An observer behind function pointers, so that one elimination of packs serves all observers.
template <class T>
struct pack_observer {
    void const* observer;
    void (*report)(void const*, int k, int lane);                         ///< null if it is not needed
    void (*keep)(void const*, int k, pack_pivot<T> const&, T const* key); ///< null if it does not record
    bool const recording = keep != nullptr;

    template <class Observer>
    COPPICE_ALWAYS_INLINE explicit pack_observer(Observer const& target)
        : observer(&target), report(target.needed() ? &report_to<Observer> : nullptr),
          keep(Observer::recording ? &record_by<Observer> : nullptr) {}
    COPPICE_ALWAYS_INLINE bool needed() const { return report; }
    COPPICE_ALWAYS_INLINE void operator()(int k, int lane) const { report(observer, k, lane); }
    COPPICE_ALWAYS_INLINE void record(int k, pack_pivot<T> const& pivot, T const* key) const {
        if (keep) keep(observer, k, pivot, key);
    }

private:
    template <class Observer>
    static void report_to(void const* target, int k, int lane) {
        (*static_cast<Observer const*>(target))(k, lane);
    }
    template <class Observer>
    static void record_by(void const* target, int k, pack_pivot<T> const& pivot, T const* key) {
        static_cast<Observer const*>(target)->record(k, pivot, key);
    }
};

/// Pivot row of column k, reciprocal of the pivot, and factors of the rows below. For workers that each hold the whole
/// column.
template <class T, class Pivot, int Rows>
struct column_removal {
    Pivot pivot;
    T top; ///< the pivot
    T reciprocal;
    T factor[Rows]; ///< [k + 1, rows)

    COPPICE_LANE column_removal(T const* key, int k, int rows)
        : pivot(key, k, rows), top(pivot.top(key, k, rows)), reciprocal(safe_reciprocal(top)) {
        COPPICE_UNROLL
        for (int r = k + 1; r < rows; ++r) factor[r] = -(select(pivot.here(r), key[k], key[r]) * reciprocal);
    }
};

/// to[j] = row[j] + factor top[j] for the columns j in [first, end), `pitch` elements apart; `to` may be `row`. Loads
/// are grouped, since the compiler does not move a load before the store of another column.
template <class T>
COPPICE_LANE void add_multiple(T const* row, T const* top, T const& factor, int first, int end, int pitch, T* to) {
    constexpr int each = 4;
    int j = first;
    for (; j + each <= end; j += each) {
        T value[each], multiple[each];
        COPPICE_UNROLL
        for (int i = 0; i < each; ++i) value[i] = row[(j + i) * pitch], multiple[i] = top[(j + i) * pitch];
        COPPICE_UNROLL
        for (int i = 0; i < each; ++i) to[(j + i) * pitch] = value[i] + factor * multiple[i];
    }
    for (; j < end; ++j) to[j * pitch] = row[j * pitch] + factor * top[j * pitch];
}

/// eliminate_columns for one column k of scalars: every lane of the team computes its rows of all columns. Both windows
/// have the same pitch.
template <class T, class Team, class Observer>
COPPICE_LANE void eliminate_column(Team const& team, stack_view<T> const& s, int k, int count, int rows, int active,
                                   stack_view<T> const& next, Observer const& zero_pivot) {
    T* const key = s.column(k);
    scalar_pivot const pivot(team, key, k, rows);
    team.sync(); // every lane has written its rows
    T const top = key[pivot.row];
    if (team.rank() == 0) {
        report_zero_pivot(top, k, zero_pivot);
        zero_pivot.record(k, pivot, key);
    }
    team.sync();
    for (int j = k + team.rank(); j < s.columns && pivot.row != k; j += team.size()) {
        T const held = s(k, j);
        s(k, j) = s(pivot.row, j);
        s(pivot.row, j) = held;
    }
    T const reciprocal = safe_reciprocal(top);
    team.sync();
    T const* const top_row = s.at + k;
    bool const last = k == count - 1;
    for (int r = own_row(team, k + 1); r < rows; r += team.size()) {
        T const factor = key[r] = -(key[r] * reciprocal);
        T* const row = s.at + r;
        T* const to = last ? next.at + (r - count) : row;
        add_multiple(row, top_row, factor, k + 1, active, s.pitch, last ? to - count * s.pitch : to);
        add_multiple(row, top_row, factor, active, s.columns, s.pitch, to);
    }
    if (team.rank() == 0) key[k] = reciprocal;
}

/// Eliminates the first `count` columns of `s` from `rows` rows by partial pivoting. Pivot rows stay in `s`, with
/// reciprocals in place of the pivots; the other rows move to `next`, up and to the left by `count`. The observer
/// zero_pivot(k, lane) is called for columns of zeros. If the observer records, it receives every pivot, and the first
/// `count` columns then keep the factors below their pivots. Scalars: all lanes of the team call it.
template <class T, class Team, class Observer>
COPPICE_LANE void eliminate_columns(Team const& team, stack_view<T> const& s, int count, int rows, int active,
                                    stack_view<T> const& next, elimination<real_lane_t<T>> const& how,
                                    Observer const& zero_pivot) {
    for (int k = 0; k < count; ++k) {
        T* const key = s.column(k);
        if (how.flush)
            for (int r = own_row(team, k); r < rows; r += team.size())
                key[r] = select(magnitude(key[r]) <= how.threshold, T(0), key[r]);
        if constexpr (lane_count<T> == 1) {
            eliminate_column(team, s, k, count, rows, active, next, zero_pivot);
        } else {
            column_removal<T, pack_pivot<T>, max_stack_rows> const of(key, k, rows);
            report_zero_pivot(of.top, k, zero_pivot);
            zero_pivot.record(k, of.pivot, key);
            key[k] = of.reciprocal;
            if (zero_pivot.recording)
                for (int r = k + 1; r < rows; ++r) key[r] = of.factor[r];
            if (k < count - 1) {
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
    if constexpr (lane_count<T> == 1) team.sync();
}

/// eliminate_columns for packs whose sizes are known at run time only: one function for all levels and observers.
template <class T>
[[gnu::noinline]] void eliminate_columns_of_packs(stack_view<T> const s, int count, int rows, int active,
                                                  stack_view<T> const next, elimination<real_lane_t<T>> const& how,
                                                  pack_observer<T> const zero_pivot) {
    eliminate_columns(alone{}, s, count, rows, active, next, how, zero_pivot);
}

} // namespace coppice::inline v0_1::chain
