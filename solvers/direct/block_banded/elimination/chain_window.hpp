// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Window of the chain solver (solvers/direct/DESIGN.md) in memory: its sizes, the view of its rows and the options of
/// its elimination; and the simplest teams that work on it.
#pragma once

#include <cstdint>

#include <coppice/core/lane/lane_access.hpp>

// Marks a function that does not depend on the types of its callers, so that a host object needs only one copy of it.
// It is inlined in device code, where a call would move registers to memory.
#if defined(__CUDACC__)
#define COPPICE_ONE_COPY COPPICE_ALWAYS_INLINE
#elif defined(__GNUC__)
#define COPPICE_ONE_COPY __attribute__((noinline))
#else
#define COPPICE_ONE_COPY inline
#endif

namespace coppice::inline v0_1::chain {

/// A team of one worker.
struct alone {
    COPPICE_LANE static constexpr int rank() { return 0; }
    COPPICE_LANE static constexpr int size() { return 1; }
    COPPICE_LANE static constexpr void sync() {}
    COPPICE_LANE static constexpr bool any(bool condition) { return condition; }
    COPPICE_LANE static constexpr int lanes() { return 1; }
    COPPICE_LANE static constexpr unsigned votes(bool condition) { return condition ? 1 : 0; }
    template <class Value>
    COPPICE_LANE static constexpr Value from_lane(Value const& value, int) {
        return value;
    }
    template <class Value>
    COPPICE_LANE static constexpr Value from(Value const& value, int) {
        return value;
    }
};

/// Calls combine(lane) in rounds, each of which covers twice as many lanes of the team: if every lane combines its
/// value with that of `lane`, all have the same result. Lanes may count twice, as for the largest value.
template <class Team, class Combine>
COPPICE_LANE void combine_lanes(Team const& team, Combine const& combine) {
    for (int distance = 1; distance < team.size(); distance *= 2) combine((team.rank() + distance) & (team.size() - 1));
}

/// The first row from k on that belongs to this lane if row r of a window belongs to lane r modulo the size of the
/// team.
template <class Team>
COPPICE_LANE int own_row(Team const& team, int k) {
    int row = team.rank();
    while (row < k) row += team.size();
    return row;
}

/// A team that works if `works` is set, and else only takes part in the barriers of other teams.
template <class Team>
struct masked_team {
    Team const& team;
    bool works;
    COPPICE_LANE int rank() const { return works ? team.rank() : 1 << 20; }
    COPPICE_LANE int size() const { return team.size(); }
    COPPICE_LANE void sync() const { team.sync(); }
};

inline constexpr int max_stack_rows = 32;     ///< W + K of condensed segments of blocks of 8 rows
inline constexpr int max_block_row_size = 16; ///< K of these condensed segments
inline constexpr int max_rhs = 8;             ///< right-hand sides that are solved together

/// Sizes K and W of one level, known at run time only.
struct any_size {
    int rows_, width_;
    COPPICE_LANE int rows() const { return rows_; }
    COPPICE_LANE int width() const { return width_; }
};
/// Sizes that the compiler knows; it unrolls their elimination.
template <int K, int W>
struct known_size {
    COPPICE_LANE static constexpr int rows() { return K; }
    COPPICE_LANE static constexpr int width() { return W; }
};

/// K and W together with the number of block rows of a segment and of right-hand sides, and the sizes of memory that
/// follow from these. `rhs_count` right-hand sides are solved together.
template <class Size>
struct block_row_shape : Size {
    int block_rows; ///< of a segment; at least W / K
    int rhs_count;

    using Size::rows;
    using Size::width;
    COPPICE_LANE int stack_rows() const { return width() + rows(); }
    COPPICE_LANE int pitch() const { return stack_rows() | 1; }              ///< odd, to avoid bank conflicts
    COPPICE_LANE int active() const { return width() + rows(); }             ///< columns of a block row
    COPPICE_LANE int inner() const { return block_rows - width() / rows(); } ///< groups of K unknowns to eliminate
    /// Unknowns of all groups and of z.
    COPPICE_LANE int unknowns() const { return inner() * rows() + width(); }
    COPPICE_LANE int reduce_columns() const { return active() + width() + rhs_count; }
    COPPICE_LANE int substitute_columns() const { return active() + rhs_count; }
    /// Elements of a block row in memory: its right-hand sides and its columns.
    COPPICE_LANE int block_row_elements() const { return rows() * (active() + rhs_count); }
    /// Elements of slot_rows.
    COPPICE_LANE std::int64_t slot_elements() const {
        return std::int64_t(block_rows) * block_row_elements() + std::int64_t(rows() + width()) * rhs_count;
    }
    COPPICE_LANE std::int64_t reduce_elements() const { return 2ll * pitch() * reduce_columns(); }
    COPPICE_LANE std::int64_t substitute_elements() const {
        return 2ll * pitch() * substitute_columns() + slot_elements();
    }
    std::int64_t elements() const {
        return reduce_elements() > substitute_elements() ? reduce_elements() : substitute_elements();
    }
};

/// Calls load(r, c, target(r, c)) for all entries of `columns` columns of `rows` rows, by the lanes of a team, column
/// by column. A lane loads several scalars before it stores the first, so that it waits for memory once.
template <class Lane, class Team, class Target, class Load>
COPPICE_LANE void load_together(Team const& team, int rows, int columns, Target const& target, Load const& load) {
    int const count = rows * columns;
    if constexpr (lane_count < Lane >> 1) {
        for (int i = team.rank(); i < count; i += team.size()) load(i % rows, i / rows, target(i % rows, i / rows));
    } else {
        constexpr int each = 6; // a block row of 8 rows and 24 columns for a warp
        for (int first = team.rank(); first < count; first += each * team.size()) {
            Lane value[each];
            COPPICE_UNROLL
            for (int i = 0, at = first; i < each; ++i, at += team.size())
                if (at < count) load(at % rows, at / rows, value[i]);
            COPPICE_UNROLL
            for (int i = 0, at = first; i < each; ++i, at += team.size())
                if (at < count) target(at % rows, at / rows) = value[i];
        }
    }
}

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

    COPPICE_LANE T* column(int j) const { return at + j * pitch; }
    COPPICE_LANE T& operator()(int r, int j) const { return at[j * pitch + r]; }
};

} // namespace coppice::inline v0_1::chain
