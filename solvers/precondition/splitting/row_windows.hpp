// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows of B M^-1 for a tridiagonal M along a forest: which entries are the largest, and what they are.
///
/// Row i of B M^-1 is the sum of the rows p of M^-1, one for each nonzero b_ip (a source). Each of these decays along
/// its path, so that only windows around the sources hold entries that may be kept.
///
/// When is a window wide enough? With ratios as in path_inverse.hpp the entries of a source outside a window that ends
/// at q are at most |b_ip y_q| reach[q]. The sum L of that over both ends of all windows bounds every entry outside of
/// all windows, and what any entry inside lacks. With s the smallest of the entries kept so far, L <= accuracy s with
/// accuracy <= 1 says that nothing outside can take the place of an entry that is kept, and that those are right to
/// that share of s. Until then windows widen, up to `most` positions to each side.
#pragma once

#include <limits>

#include <coppice/algebra/csr.hpp>
#include <coppice/solvers/precondition/splitting/path_inverse.hpp>
#include <coppice/solvers/precondition/splitting/rounded_weight.hpp>

namespace coppice::detail {

/// B with its columns as positions along the forest of M, rising in every row.
template <class T, class I>
struct placed_rows {
    csr_view<T, I> b;
    path_ratios<T> m;
    I const* permutation; ///< position -> vertex
    I const* inverse;     ///< vertex -> position
    int most;             ///< positions of a window to each side of its source
};

/// The largest entries so far of a row: a heap with the least of them on top. Of ones that are equal but for rounding
/// the smaller column stays.
template <class T, class I>
struct entry_heap {
    I* columns;
    T* values;
    I capacity;
    I size = 0;

    COPPICE_HD void offer(I column, T value) {
        if (size < capacity) {
            I at = size++;
            for (; at > 0 && before(column, value, columns[(at - 1) / 2], values[(at - 1) / 2]); at = (at - 1) / 2)
                move((at - 1) / 2, at);
            put(at, column, value);
        } else if (size > 0 && before(columns[0], values[0], column, value)) {
            sink(column, value);
        }
    }
    COPPICE_HD double least() const { return double(magnitude(values[0])); }

private:
    /// Whether the first entry counts for less.
    COPPICE_HD static bool before(I column, T value, I other, T than) {
        T const a = to_16_bits(magnitude(value)), b = to_16_bits(magnitude(than));
        return a != b ? a < b : column > other;
    }
    COPPICE_HD void put(I at, I column, T value) {
        columns[at] = column;
        values[at] = value;
    }
    COPPICE_HD void move(I from, I to) { put(to, columns[from], values[from]); }
    COPPICE_HD void sink(I column, T value) {
        I at = 0;
        for (I child = 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && before(columns[child + 1], values[child + 1], columns[child], values[child]))
                ++child;
            if (!before(columns[child], values[child], column, value)) break;
            move(child, at);
            at = child;
        }
        put(at, column, value);
    }
};

/// Finds the entries of rows first, first + 1, ... of B M^-1 to keep: the diagonal, and as many of the largest others
/// as a row has places.
template <class T, class I>
struct find_largest {
    placed_rows<T, I> rows;
    I const* places; ///< [rows + 1], where what is found in each row begins; one place is for the diagonal
    double accuracy; ///< in (0, 1]
    std::int64_t first;
    I* columns; ///< found, with the diagonal first
    T* values;  ///< and about how large
    I* counts;  ///< of each row
    T* scratch; ///< each(most) elements for each nonzero of these rows

    COPPICE_HD static std::int64_t each(int most) { return 2 * std::int64_t(most) + 2; }

    COPPICE_HD void operator()(std::int64_t r) const {
        std::int64_t const i = first + r;
        I const at = places[i];
        T* const memory = scratch + std::int64_t(rows.b.row_begin(i) - rows.b.row_begin(first)) * each(rows.most);
        columns[at] = I(i);
        double const largest = largest_source(i);
        double const rounding = 4 * double(std::numeric_limits<T>::epsilon()) * largest;
        double left_out = largest / 16; // of each end of a window, at most
        for (;;) {
            values[at] = T(0);
            entry_heap<T, I> heap{columns + at + 1, values + at + 1, I(places[i + 1] - at - 1)};
            search const found = look(i, left_out, rounding, memory, heap, values + at);
            bool const full = heap.size == heap.capacity;
            double const least = full && heap.capacity > 0 ? accuracy * heap.least() : 0.0;
            bool const enough = heap.capacity == 0 || left_out == 0 || !found.may_widen || !is_finite(found.outside) ||
                                (full && found.outside <= least);
            if (enough) {
                counts[i] = heap.size + 1;
                return;
            }
            // A row that is not full takes whatever there is. Else all ends together are to leave out no more than
            // that.
            double const share = least / double(2 * (rows.b.row_end(i) - rows.b.row_begin(i)));
            left_out = share < left_out / 4 ? share : left_out / 4;
        }
    }

private:
    struct search {
        double outside; ///< L
        bool may_widen; ///< there is more within reach
    };
    struct window {
        std::int64_t first, last;
    };

    COPPICE_HD double source(I k) const {
        return double(rows.b.coefficients[k]) * double(rows.m.middle[rows.b.indices[k]]);
    }
    COPPICE_HD double largest_source(std::int64_t i) const {
        double most = 0;
        for (I k = rows.b.row_begin(i); k < rows.b.row_end(i); ++k) {
            double const size = magnitude(source(k));
            most = size > most ? size : most;
        }
        return most;
    }
    /// The ends of the window of source k: beyond them is nothing larger than left_out, unless it is `most` away. Each
    /// adds what is beyond to `s`.
    COPPICE_HD std::int64_t right_end(I k, double left_out, search& s) const {
        std::int64_t const p = rows.b.indices[k];
        std::int64_t q = p;
        double y = magnitude(source(k));
        for (; y * double(rows.m.reach_right[q]) > left_out && q - p < rows.most; ++q)
            y *= double(magnitude(rows.m.right[q + 1]));
        s.outside += y * double(rows.m.reach_right[q]);
        s.may_widen = s.may_widen || (q - p < rows.most && rows.m.reach_right[q] != T(0));
        return q;
    }
    COPPICE_HD std::int64_t left_end(I k, double left_out, search& s) const {
        std::int64_t const p = rows.b.indices[k];
        std::int64_t q = p;
        double y = magnitude(source(k));
        for (; y * double(rows.m.reach_left[q]) > left_out && p - q < rows.most; --q)
            y *= double(magnitude(rows.m.left[q - 1]));
        s.outside += y * double(rows.m.reach_left[q]);
        s.may_widen = s.may_widen || (p - q < rows.most && rows.m.reach_left[q] != T(0));
        return q;
    }
    COPPICE_HD std::int64_t first_of(I k, T reach) const {
        return std::int64_t(rows.b.indices[k]) - std::int64_t(reach);
    }
    /// Joins windows that touch and offers all entries inside.
    COPPICE_HD search look(std::int64_t i, double left_out, double rounding, T* memory, entry_heap<T, I>& heap,
                           T* diagonal) const {
        search s{0, false};
        I const begin = rows.b.row_begin(i), end = rows.b.row_end(i);
        // How far each source or one behind it reaches to its left: `most` at most.
        T* const reach = memory;
        std::int64_t left = begin < end ? std::int64_t(rows.b.indices[end - 1]) : 0;
        for (I k = end; k-- > begin;) {
            std::int64_t const here = left_end(k, left_out, s);
            left = here < left ? here : left;
            reach[k - begin] = T(rows.b.indices[k] - left);
        }
        for (I k = begin; k < end;) {
            I const from = k;
            window joined{first_of(k, reach[k - begin]), right_end(k, left_out, s)};
            for (++k; k < end && first_of(k, reach[k - begin]) <= joined.last + 1; ++k) {
                std::int64_t const last = right_end(k, left_out, s);
                joined.last = last > joined.last ? last : joined.last;
            }
            sweep(i, joined, from, k, rounding, memory + (end - begin), heap, diagonal);
        }
        return s;
    }
    /// Entries of sources [from, to) at the positions of a window: what comes from the right first, into `memory`. What
    /// is nothing but rounding is no entry.
    COPPICE_HD void sweep(std::int64_t i, window w, I from, I to, double rounding, T* memory, entry_heap<T, I>& heap,
                          T* diagonal) const {
        double carry = 0;
        I k = to;
        for (std::int64_t q = w.last; q >= w.first; --q) {
            carry *= double(rows.m.left[q]);
            memory[q - w.first] = T(carry);
            if (k > from && rows.b.indices[k - 1] == I(q)) carry += source(--k);
        }
        carry = 0;
        for (std::int64_t q = w.first; q <= w.last; ++q) {
            carry *= double(rows.m.right[q]);
            if (k < to && rows.b.indices[k] == I(q)) carry += source(k++);
            T const value = T(carry + double(memory[q - w.first]));
            I const column = rows.permutation[q];
            if (column == I(i))
                *diagonal = value;
            else if (double(magnitude(value)) > rounding && is_finite(value))
                heap.offer(column, value);
        }
    }
};

/// Entries of B M^-1 on a pattern that is known: the sum over the sources within `most` positions.
template <class T, class I>
struct fill_entries {
    placed_rows<T, I> rows;
    I const* offsets; ///< of the pattern
    I const* columns; ///< vertices, or positions of another order that `vertex_of` translates
    I const* vertex_of;
    T* values;

    COPPICE_HD std::uint8_t operator()(std::int64_t k, std::int64_t i) const {
        I const vertex = vertex_of ? vertex_of[columns[k]] : columns[k];
        std::int64_t const q = rows.inverse[vertex];
        double sum = 0;
        for (I s = first_from(i, q - rows.most); s < rows.b.row_end(i); ++s) {
            std::int64_t const p = rows.b.indices[s];
            if (p > q + rows.most) break;
            sum += double(rows.b.coefficients[s]) * entry(p, q);
        }
        values[k] = is_finite(T(sum)) ? T(sum) : T(0);
        return 0;
    }

private:
    /// The first source of row i at `position` or behind it.
    COPPICE_HD I first_from(std::int64_t i, std::int64_t position) const {
        I low = rows.b.row_begin(i), high = rows.b.row_end(i);
        while (low < high) {
            I const middle = low + (high - low) / 2;
            if (rows.b.indices[middle] < position)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    /// (M^-1)_pq
    COPPICE_HD double entry(std::int64_t p, std::int64_t q) const {
        double y = rows.m.middle[p];
        for (std::int64_t k = p + 1; k <= q && y != 0; ++k) y *= double(rows.m.right[k]);
        for (std::int64_t k = p - 1; k >= q && y != 0; --k) y *= double(rows.m.left[k]);
        return y;
    }
};

} // namespace coppice::detail
