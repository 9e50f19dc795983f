// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows of B M^-1 for a tridiagonal M along a forest: finds their largest entries and computes entries on a given
/// pattern.
///
/// M holds the entries of B along the forest, so B M^-1 = I + R M^-1 with R = B - M: the other entries of B, and minus
/// the changes of the diagonal by regularisation. Row i of R M^-1 is the sum over the nonzeros r_ip (the sources) of
/// r_ip times row p of M^-1. These rows decay along their paths, so only windows around the sources contain large
/// entries.
///
/// Width of the windows: two sweeps over the row, one to the left and one to the right, compute the entries; each
/// carries the sum of the contributions of all previous sources. With the ratios of path_inverse.hpp, the entries that
/// a sweep omits when it ends at q are at most |carry| reach[q]. The sum L of this bound over all ends bounds every
/// entry outside of all windows, and the error of every entry inside. Let s be the smallest selected entry. If L <=
/// accuracy s with accuracy <= 1, no entry outside can replace a selected one, and the selected entries have the
/// relative error `accuracy`. The width is first estimated from single sources and increased if contributions cancel;
/// it is limited to `window` positions from a source.
#pragma once

#include <limits>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/rows/lane_sort.hpp>
#include <coppice/solvers/precondition/interface/rounded_weight.hpp>
#include <coppice/solvers/precondition/splitting/path_inverse.hpp>

namespace coppice::inline v0_1::detail {

/// B with columns as positions along the forest of M, ascending in each row.
template <class T, class I>
struct path_ordered_rows {
    csr_view<T, I> b;
    path_ratios<T> m;
    T const* diagonal;    ///< of M, by position
    I const* links;       ///< of the forest, two of each vertex
    I const* permutation; ///< position -> vertex
    I const* inverse;     ///< row -> position
    int window;           ///< positions of a window to each side of its source
    I first = 0;          ///< index of the first row; `permutation` and the columns of B M^-1 count from 0

    /// Entry of R = B - M at nonzero k of row i.
    COPPICE_HD T rest(std::int64_t i, I k) const {
        I const p = inverse[i], q = b.indices[k];
        if (q == p) return b.coefficients[k] - diagonal[p];
        bool const connected = (q == p - 1 && links[2 * i] >= 0) || (q == p + 1 && links[2 * i + 1] >= 0);
        return connected ? T(0) : b.coefficients[k];
    }
};

/// The largest entries of a row so far: a heap whose top is the smallest of them. Of entries that are equal up to
/// rounding, those with smaller columns are selected.
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
    COPPICE_HD double smallest() const { return double(magnitude(values[0])); }
    /// Lower bound for new entries. Entries that equal the top to 16 bits may still be accepted.
    COPPICE_HD T floor() const { return size < capacity ? T(0) : T(1 - 0x1p-14) * magnitude(values[0]); }

private:
    /// Whether the first entry has a lower priority.
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

/// Memory of one row: its elements are `stride` apart, so that rows of a warp are interleaved.
template <class T>
struct strided_memory {
    T* first;
    std::int64_t stride;
    COPPICE_HD T& operator[](std::int64_t k) const { return first[k * stride]; }
};

/// Row i of R M^-1 by two sweeps over the windows of its sources.
template <class T, class I>
struct row_walk {
    path_ordered_rows<T, I> rows;
    std::int64_t i;
    I begin, end; ///< nonzeros of the row
    /// Four arrays, one after the other, for the n = end - begin nonzeros of the row:
    /// - [n]: value of each source times the diagonal entry of M^-1; 0 if the nonzero is no source.
    /// - [n]: contributions to each source from the sources on its right.
    /// - [n]: number of entries on the left of each source that are stored in the last array.
    /// - [n][window]: these entries.
    strided_memory<T> memory;
    double outside = 0;  ///< L
    bool widens = false; ///< the windows must become wider, because more sources are within reach

    COPPICE_HD static std::int64_t each(int window) { return std::int64_t(window) + 3; }

    /// Reads the sources and returns the largest one.
    COPPICE_HD double read_sources() {
        double largest = 0;
        for (I k = begin; k < end; ++k) {
            double const y = double(rows.rest(i, k)) * double(rows.m.middle[rows.b.indices[k]]);
            source(k) = is_finite(T(y)) ? T(y) : T(0);
            double const size = double(magnitude(source(k)));
            largest = size > largest ? size : largest;
        }
        return largest;
    }
    COPPICE_HD I sources() const {
        I count = 0;
        for (I k = begin; k < end; ++k) count += source(k) != T(0) ? 1 : 0;
        return count;
    }
    /// Number of entries of single sources that exceed `threshold`; counting stops at `enough`.
    COPPICE_HD I entries_above(double threshold, I enough) const {
        I count = 0;
        for (I k = begin; k < end && count < enough; ++k) {
            double const y = double(magnitude(source(k)));
            if (!(y > threshold)) continue;
            std::int64_t const p = rows.b.indices[k];
            ++count;
            double right = y, left = y;
            for (std::int64_t q = p + 1; q <= last_to_right(p) && count < enough; ++q, ++count) {
                right *= double(magnitude(rows.m.right[q]));
                if (!(right > threshold)) break;
            }
            for (std::int64_t q = p - 1; q >= last_to_left(p) && count < enough; --q, ++count) {
                left *= double(magnitude(rows.m.left[q]));
                if (!(left > threshold)) break;
            }
        }
        return count;
    }
    /// Passes all entries inside of the windows to `offer`. The bound at each end of a window is at most left_out.
    template <class Offer>
    COPPICE_HD void walk(double left_out, Offer& offer) {
        outside = 0;
        widens = false;
        walk_left(left_out);
        walk_right(left_out, offer);
    }

private:
    COPPICE_HD T& source(I k) const { return memory[k - begin]; }
    COPPICE_HD T& from_right(I k) const { return memory[std::int64_t(end - begin) + (k - begin)]; }
    COPPICE_HD T& known_left(I k) const { return memory[2 * std::int64_t(end - begin) + (k - begin)]; }
    COPPICE_HD T& tail(I k, std::int64_t step) const {
        return memory[3 * std::int64_t(end - begin) + std::int64_t(k - begin) * rows.window + step];
    }
    COPPICE_HD std::int64_t position(I k) const { return rows.b.indices[k]; }
    COPPICE_HD std::int64_t last_to_right(std::int64_t p) const {
        std::int64_t const n = rows.b.columns();
        return p + rows.window < n ? p + rows.window : n - 1;
    }
    COPPICE_HD std::int64_t last_to_left(std::int64_t p) const { return p > rows.window ? p - rows.window : 0; }
    COPPICE_HD I before(I k) const {
        while (k-- > begin && source(k) == T(0)) {
        }
        return k;
    }
    COPPICE_HD I right_limit(I k) const {
        while (++k < end && source(k) == T(0)) {
        }
        return k;
    }
    /// Ends a window with the bound `beyond` of the omitted entries; `below_max`: before its maximum width.
    COPPICE_HD void stop(double beyond, bool below_max) {
        outside += beyond;
        widens = widens || (below_max && beyond > 0);
    }

    COPPICE_HD void walk_left(double left_out) {
        double carry = 0;
        for (I k = before(end), next = k; k >= begin; k = next) {
            next = before(k);
            from_right(k) = T(carry);
            carry += double(source(k));
            std::int64_t const p = position(k), stop_at = next >= begin ? position(next) : std::int64_t(-1);
            std::int64_t q = p;
            double beyond = magnitude(carry) * double(rows.m.reach_left[q]);
            while (beyond > left_out && q - 1 > stop_at && p - q < rows.window) {
                carry *= double(rows.m.left[--q]);
                tail(k, p - q - 1) = T(carry);
                beyond = magnitude(carry) * double(rows.m.reach_left[q]);
            }
            known_left(k) = T(p - q);
            if (beyond > left_out && q - 1 == stop_at && next >= begin) {
                carry *= double(rows.m.left[stop_at]);
            } else {
                stop(beyond, p - q < rows.window);
                carry = 0;
            }
        }
    }
    template <class Offer>
    COPPICE_HD void walk_right(double left_out, Offer& offer) {
        double carry = 0;
        I const first = right_limit(begin - 1);
        if (first < end) offer_tail(first, position(first) - std::int64_t(known_left(first)), offer);
        for (I k = first, next = k; k < end; k = next) {
            next = right_limit(k);
            std::int64_t const p = position(k);
            carry += double(source(k));
            offer(p, T(carry + double(from_right(k))));
            std::int64_t const stop_at = next < end ? position(next) : std::int64_t(rows.b.columns());
            std::int64_t const known = next < end ? stop_at - std::int64_t(known_left(next)) : stop_at;
            std::int64_t q = p;
            double beyond = magnitude(carry) * double(rows.m.reach_right[q]);
            while (beyond > left_out && q + 1 < stop_at && q - p < rows.window) {
                carry *= double(rows.m.right[++q]);
                offer(q, T(q < known ? carry : carry + double(tail(next, stop_at - 1 - q))));
                beyond = magnitude(carry) * double(rows.m.reach_right[q]);
            }
            if (next < end) offer_tail(next, q + 1 > known ? q + 1 : known, offer);
            if (beyond > left_out && q + 1 == stop_at && next < end) {
                carry *= double(rows.m.right[stop_at]);
            } else {
                stop(beyond, q - p < rows.window);
                carry = 0;
            }
        }
    }
    /// Passes the stored entries on the left of source k, from position `from` on, to `offer`.
    template <class Offer>
    COPPICE_HD void offer_tail(I k, std::int64_t from, Offer& offer) const {
        for (std::int64_t q = from; q < position(k); ++q) offer(q, tail(k, position(k) - 1 - q));
    }
};

/// Selects entries of the rows of B M^-1: the diagonal, and as many of the largest others as capacity_offsets allows.
template <class T, class I>
struct find_largest {
    path_ordered_rows<T, I> rows;
    /// [rows + 1] offsets of the rows in `columns` and `values`; one position is for the diagonal
    I const* capacity_offsets;
    double accuracy;     ///< in (0, 1]
    I* columns;          ///< selected columns, ascending
    T* values;           ///< memory of the same size
    I* counts;           ///< number of selected columns in each row
    T* scratch;          ///< [lanes memory]
    std::int64_t memory; ///< row_walk::each(most) elements for each nonzero of the longest row
    std::int64_t lanes;
    std::int64_t each; ///< rows per lane
    bool interleaved;  ///< the rows and the memory of lanes are interleaved; otherwise contiguous

    COPPICE_HD void operator()(std::int64_t lane) const {
        strided_memory<T> const own{scratch + (interleaved ? lane : lane * memory), interleaved ? lanes : 1};
        for (std::int64_t k = 0; k < each; ++k) {
            std::int64_t const i = interleaved ? k * lanes + lane : lane * each + k;
            if (i < std::int64_t(rows.b.rows())) search(i, own);
        }
    }

private:
    static constexpr I few = 16;

    /// Short rows are sorted in registers.
    COPPICE_HD void search(std::int64_t i, strided_memory<T> own) const {
        I const at = capacity_offsets[i], length = capacity_offsets[i + 1] - at;
        if (length > few) {
            counts[i] = search_into(i, columns + at, values + at, length - 1, own);
            return;
        }
        I found[few];
        T sizes[few];
        I const count = search_into(i, found, sizes, length - 1, own);
        for (I k = 0; k < count; ++k) columns[at + k] = found[k];
        counts[i] = count;
    }
    /// Writes the selected columns, including the diagonal, in ascending order and returns their number; `sizes` holds
    /// their values.
    COPPICE_HD I search_into(std::int64_t i, I* found, T* sizes, I capacity, strided_memory<T> own) const {
        row_walk<T, I> row{rows, i, rows.b.row_begin(i), rows.b.row_end(i), own};
        found[0] = rows.first + I(i);
        double const largest = row.read_sources();
        // Diagonal entries are near 1: entries of the size of their rounding error are not stored.
        double const rounding = 4 * double(std::numeric_limits<T>::epsilon()) * (largest > 1 ? largest : 1);
        double const ends = 2.0 * double(row.sources());
        double const expected = estimate(row, largest, capacity);
        double left_out = expected * accuracy / (ends > 0 ? ends : 1);
        // Entries below half of the estimate matter only if contributions of several sources cancel.
        double floor = expected / 2 > rounding ? expected / 2 : rounding;
        for (;;) {
            entry_heap<T, I> const none{found + 1, sizes + 1, capacity};
            offer_to_heap offer{rows.permutation, none, rows.first + I(i), T(floor), T(floor)};
            if (capacity > 0) row.walk(left_out, offer);
            bool const full = offer.heap.size == capacity;
            double const tolerance = full && capacity > 0 ? accuracy * offer.heap.smallest() : 0.0;
            bool const enough =
                capacity == 0 || !is_finite(row.outside) ||
                ((full || floor == rounding) && (left_out == 0 || !row.widens || (full && row.outside <= tolerance)));
            if (enough) {
                lane_sort<T, I>{found, nullptr}(offer.heap.size + 1);
                return offer.heap.size + 1;
            }
            if (!full && floor > rounding) {
                floor = rounding;
                continue;
            }
            // A row with spare capacity accepts all entries. Otherwise the sum of the bounds of all ends must not
            // exceed the tolerance.
            double const bound = tolerance / ends;
            left_out = bound < left_out / 4 ? bound : left_out / 4;
        }
    }

    struct offer_to_heap {
        I const* permutation;
        entry_heap<T, I> heap;
        I diagonal;
        T rounding, floor;
        COPPICE_HD void operator()(std::int64_t q, T value) {
            T const size = magnitude(value);
            if (!(size > floor) || !is_finite(value)) return;
            I const column = permutation[q];
            if (column == diagonal) return;
            heap.offer(column, value);
            floor = heap.floor() > rounding ? heap.floor() : rounding;
        }
    };
    /// Estimate of the capacity-th largest entry if each position had one source; 0 if there are fewer.
    COPPICE_HD double estimate(row_walk<T, I> const& row, double largest, I capacity) const {
        double threshold = largest / 4;
        for (int step = 0; step < 24; ++step, threshold /= 4)
            if (row.entries_above(threshold, capacity) == capacity) return threshold;
        return 0;
    }
};

/// Entries of B M^-1 on a given pattern: those of I, plus the sum over the sources within `window` positions.
template <class T, class I>
struct fill_entries {
    path_ordered_rows<T, I> rows;
    I const* offsets; ///< of the pattern
    I const* columns; ///< vertices, or positions of another order that `vertex_of` translates
    I const* vertex_of;
    I const* position_of; ///< of the vertices; null: the columns are positions
    T* values;

    COPPICE_HD std::uint8_t operator()(std::int64_t k, std::int64_t i) const {
        I const vertex = vertex_of ? vertex_of[columns[k]] : columns[k];
        std::int64_t const q = position_of ? position_of[vertex] : vertex;
        double sum = q == rows.inverse[i] ? 1 : 0;
        for (I s = first_from(i, q - rows.window); s < rows.b.row_end(i); ++s) {
            std::int64_t const p = rows.b.indices[s];
            if (p > q + rows.window) break;
            T const coefficient = rows.rest(i, s);
            if (coefficient != T(0)) sum += double(coefficient) * entry(p, q);
        }
        values[k] = is_finite(T(sum)) ? T(sum) : T(0);
        return 0;
    }

private:
    /// The first source of row i at or after `position`.
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

} // namespace coppice::inline v0_1::detail
