// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Selects the k largest entries of each column of a dense matrix, in the order of rows (thesis section 2.6.12, Eq.
/// 81).
///
/// Radix select: bits of magnitudes are ordered like the magnitudes. A histogram of the highest byte determines the bin
/// of the k-th largest entry, and each further byte refines the bin, until its size equals the number of missing
/// entries. Here the key is the magnitude followed by the row number, so that equal magnitudes have an order and the
/// result does not depend on the order of atomics. The output positions are prefix sums over leaves of rows, computed
/// by a tree. Nothing is allocated.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/algebra/band_storage.hpp>
#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::largest {

inline constexpr int bins = 256;
inline constexpr int leaf_rows = 32; ///< rows that one worker processes
inline constexpr int fan = 64;       ///< leaves, or sums of them, that one worker adds

/// Sort key: the bits of |x| (|x|^2 for complex numbers), then the row; lower rows are first.
struct order_key {
    std::uint64_t magnitude;
    std::uint64_t row; ///< complement of the row, left-aligned

    /// Returns byte `i`; byte 0 is the highest.
    COPPICE_HD int byte(int i) const { return int((i < 8 ? magnitude >> (56 - 8 * i) : row >> (120 - 8 * i)) & 255); }
    /// Whether the first `count` bytes are equal.
    COPPICE_HD bool agrees(order_key const& o, int count) const {
        return ((magnitude ^ o.magnitude) & high(count)) == 0 && ((row ^ o.row) & high(count - 8)) == 0;
    }
    COPPICE_HD bool greater(order_key const& o) const {
        return magnitude != o.magnitude ? magnitude > o.magnitude : row > o.row;
    }
    /// Returns a mask of the `count` highest bytes.
    COPPICE_HD static std::uint64_t high(int count) {
        return count <= 0 ? 0 : count >= 8 ? ~std::uint64_t(0) : ~(~std::uint64_t(0) >> (8 * count));
    }
};

/// Number of bytes that distinguish the rows of a column of this length.
COPPICE_HD inline int row_bytes(std::int64_t rows) { return rows <= (std::int64_t(1) << 32) ? 4 : 8; }
COPPICE_HD inline int key_bytes(std::int64_t rows) { return 8 + row_bytes(rows); }

template <class T>
COPPICE_HD inline order_key key_of(T const& value, std::int64_t row, std::int64_t rows) {
    double size;
    if constexpr (std::is_floating_point_v<T>) {
        size = value < 0 ? -double(value) : double(value);
    } else {
        auto const* const components = reinterpret_cast<typename T::value_type const*>(&value);
        size = double(components[0]) * double(components[0]) + double(components[1]) * double(components[1]);
    }
    order_key key;
    __builtin_memcpy(&key.magnitude, &size, sizeof(size));
    key.magnitude &= ~(std::uint64_t(1) << 63);
    key.row = ~std::uint64_t(row) << (64 - 8 * row_bytes(rows));
    return key;
}

/// State of the search for the k-th largest entry of one column.
struct search {
    order_key prefix;
    std::int64_t target;
    std::int64_t missing;    ///< entries still to be found among those whose key begins with the prefix
    std::int64_t population; ///< number of entries whose key begins with the prefix
    int done;                ///< bytes of the prefix that are determined
    bool exact;              ///< all entries whose key begins with the prefix are selected
};

template <class I>
struct start_search {
    search* searches;
    I const* offsets;
    std::int64_t first, rows;
    COPPICE_HD void operator()(std::int64_t c) const {
        // Unsigned, since offsets that are invalid may be any integers.
        std::int64_t const begin = offsets[first + c], end = offsets[first + c + 1];
        std::uint64_t const capacity = begin < end ? std::uint64_t(end) - std::uint64_t(begin) : 0;
        std::int64_t const target = capacity > std::uint64_t(rows) ? rows : std::int64_t(capacity);
        searches[c] = {{0, 0}, target, target, rows, 0, target == rows};
        if (target == 0) // no key is that large
            searches[c] = {{~std::uint64_t(0), ~std::uint64_t(0)}, 0, 0, 0, key_bytes(rows), true};
    }
};

/// The columns that are searched, with their rows split into leaves of leaf_rows rows.
template <class T>
struct columns_searched {
    columns_view<T> x;
    search const* searches;

    COPPICE_HD std::int64_t leaves() const { return (x.rows + leaf_rows - 1) / leaf_rows; }
    COPPICE_HD std::int64_t end_of(std::int64_t leaf) const {
        return (leaf + 1) * leaf_rows < x.rows ? (leaf + 1) * leaf_rows : x.rows;
    }
    COPPICE_HD order_key key(std::int64_t row, std::int64_t c) const {
        return key_of(x.pointer[row + c * x.leading], row, x.rows);
    }
    COPPICE_HD bool selected(std::int64_t row, std::int64_t c) const {
        order_key const k = key(row, c);
        return k.agrees(searches[c].prefix, searches[c].done) || k.greater(searches[c].prefix);
    }
};

/// Adds one leaf to the histogram of its column. Bin 0, which holds the zeros, is not counted: narrow_search computes
/// it from the total.
template <class T>
struct count_bytes {
    columns_searched<T> in;
    std::int64_t* histogram; ///< [column][bin]
    COPPICE_HD void operator()(std::int64_t at) const {
        std::int64_t const c = at / in.leaves(), leaf = at - c * in.leaves();
        search const& s = in.searches[c];
        if (s.exact) return;
        for (std::int64_t row = leaf * leaf_rows; row < in.end_of(leaf); ++row) {
            order_key const key = in.key(row, c);
            int const bin = key.byte(s.done);
            if (bin > 0 && key.agrees(s.prefix, s.done)) count_one(histogram + c * bins + bin);
        }
    }
};

/// Descends the histogram to the bin of the k-th largest entry and clears the histogram for the next round.
struct narrow_search {
    search* searches;
    std::int64_t* histogram;
    std::int64_t rows;
    COPPICE_HD void operator()(std::int64_t c) const {
        search& s = searches[c];
        std::int64_t* const counts = histogram + c * bins;
        if (!s.exact) {
            counts[0] = s.population;
            for (int bin = 1; bin < bins; ++bin) counts[0] -= counts[bin];
            int bin = bins - 1;
            while (bin > 0 && counts[bin] < s.missing) s.missing -= counts[bin--];
            if (s.done < 8)
                s.prefix.magnitude |= std::uint64_t(bin) << (56 - 8 * s.done);
            else
                s.prefix.row |= std::uint64_t(bin) << (120 - 8 * s.done);
            s.population = counts[bin];
            ++s.done;
            s.exact = s.population == s.missing || s.done == key_bytes(rows);
        }
        for (int bin = 0; bin < bins; ++bin) counts[bin] = 0;
    }
};

/// Counts the selected entries of each leaf.
template <class T>
struct count_selected {
    columns_searched<T> in;
    std::int64_t* counts; ///< [column][leaf]
    COPPICE_HD void operator()(std::int64_t at) const {
        std::int64_t const c = at / in.leaves(), leaf = at - c * in.leaves();
        std::int64_t count = 0;
        for (std::int64_t row = leaf * leaf_rows; row < in.end_of(leaf); ++row) count += in.selected(row, c) ? 1 : 0;
        counts[at] = count;
    }
};

/// Upward pass: adds `fan` counts each, [column][count] -> [column][sum]. Downward pass (`back`): replaces counts by
/// the rank of their first entry.
struct fan_counts {
    std::int64_t *counts, *sums;
    std::int64_t each; ///< number of counts of a column
    bool back;

    COPPICE_HD std::int64_t sums_each() const { return (each + fan - 1) / fan; }
    COPPICE_HD void operator()(std::int64_t at) const {
        std::int64_t const c = at / sums_each(), first = (at - c * sums_each()) * fan;
        std::int64_t const last = first + fan < each ? first + fan : each;
        std::int64_t sum = back ? sums[at] : 0;
        for (std::int64_t i = c * each + first; i < c * each + last; ++i) {
            std::int64_t const count = counts[i];
            if (back) counts[i] = sum;
            sum += count;
        }
        if (!back) sums[at] = sum;
    }
};

/// Writes the selected entries of a leaf to the range of its column; never outside of the result arrays.
template <class T, class I>
struct keep_entries {
    columns_searched<T> in;
    std::int64_t const* ranks; ///< [column][leaf]
    I const* offsets;
    std::int64_t first;
    array_view<I> row_indices;
    array_view<T> values;
    COPPICE_HD void operator()(std::int64_t at) const {
        std::int64_t const c = at / in.leaves(), leaf = at - c * in.leaves();
        std::int64_t rank = ranks[at];
        for (std::int64_t row = leaf * leaf_rows; row < in.end_of(leaf); ++row) {
            if (rank >= in.searches[c].target || !in.selected(row, c)) continue;
            auto const to = std::uint64_t(std::int64_t(offsets[first + c])) + std::uint64_t(rank++);
            if (to >= std::uint64_t(values.size())) continue;
            row_indices[std::int64_t(to)] = I(row);
            values[std::int64_t(to)] = in.x.pointer[row + c * in.x.leading];
        }
    }
};

/// Number of counts of all levels of one column.
inline std::int64_t counts_each(std::int64_t rows) {
    std::int64_t all = 0;
    for (std::int64_t each = (rows + leaf_rows - 1) / leaf_rows;; each = (each + fan - 1) / fan) {
        all += each;
        if (each <= 1) return all;
    }
}

struct zero_counts {
    std::int64_t* counts;
    COPPICE_HD void operator()(std::int64_t i) const { counts[i] = 0; }
};

/// Workspace of keep_largest for `columns` columns.
struct memory {
    search* searches;        ///< [columns]
    std::int64_t* histogram; ///< [columns][bins]
    std::int64_t* counts;    ///< columns * counts_each(rows)
};

/// Writes the largest entries of the columns of x, which are columns first, first + 1, ... of the result. Column c has
/// offsets[c + 1] - offsets[c] entries.
template <class T, class I, class Executor>
void keep_largest(Executor const& exec, columns_view<T> x, std::int64_t first, I const* offsets, memory const& m,
                  array_view<I> row_indices, array_view<T> values) {
    columns_searched<T> const in{x, m.searches};
    std::int64_t const columns = x.columns, leaves = in.leaves();
    for_each(exec, columns, start_search<I>{m.searches, offsets, first, x.rows});
    for_each(exec, columns * bins, zero_counts{m.histogram});
    for (int round = 0; round < key_bytes(x.rows); ++round) {
        for_each(exec, columns * leaves, count_bytes<T>{in, m.histogram});
        for_each(exec, columns, narrow_search{m.searches, m.histogram, x.rows});
    }
    for_each(exec, columns * leaves, count_selected<T>{in, m.counts});
    fan_counts levels[8];
    int depth = 0;
    std::int64_t* at = m.counts;
    for (std::int64_t each = leaves; each > 1; each = levels[depth++].sums_each()) {
        levels[depth] = {at, at + columns * each, each, false};
        at += columns * each;
        for_each(exec, columns * levels[depth].sums_each(), levels[depth]);
    }
    for_each(exec, columns, zero_counts{at}); // the first entry of a column has rank 0
    while (depth-- > 0) {
        levels[depth].back = true;
        for_each(exec, columns * levels[depth].sums_each(), levels[depth]);
    }
    for_each(exec, columns * leaves, keep_entries<T, I>{in, m.counts, offsets, first, row_indices, values});
}

} // namespace coppice::inline v0_1::largest
