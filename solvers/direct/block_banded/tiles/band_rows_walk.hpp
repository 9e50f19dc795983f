// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The elimination of tiles/band_ends.hpp. Included by band_ends.cpp, which is compiled for several instruction sets,
/// so everything is in an unnamed namespace.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include <coppice/core/lane/pack.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_observers.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_stack.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_ends.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_front.hpp>

namespace coppice::inline v0_1::COPPICE_ISA {
namespace {

using namespace coppice::chain;

/// Registers of real and of imaginary parts.
template <class R>
struct complex_vector {
    static constexpr int bytes =
        band_rows<R>::group * int(sizeof(R)) < register_bytes ? band_rows<R>::group * int(sizeof(R)) : register_bytes;
    static constexpr int lanes = bytes / int(sizeof(R));
    typedef R vector __attribute__((vector_size(bytes)));

    vector re, im;

    COPPICE_ALWAYS_INLINE static complex_vector load(R const* real, R const* imaginary) {
        complex_vector v;
        __builtin_memcpy(&v.re, real, bytes);
        __builtin_memcpy(&v.im, imaginary, bytes);
        return v;
    }
    COPPICE_ALWAYS_INLINE void store(R* real, R* imaginary) const {
        __builtin_memcpy(real, &re, bytes);
        __builtin_memcpy(imaginary, &im, bytes);
    }
    /// this - factor * v
    COPPICE_ALWAYS_INLINE void subtract(complex_lane<R> const& factor, complex_vector const& v) {
        re = re - factor.re * v.re + factor.im * v.im; // two fused operations, from left to right
        im = im - factor.re * v.im - factor.im * v.re;
    }
    /// this + a * b
    COPPICE_ALWAYS_INLINE void add(complex_vector const& a, complex_vector const& b) {
        re = re + a.re * b.re - a.im * b.im;
        im = im + a.re * b.im + a.im * b.re;
    }
    /// Elements from `lane` on; the others become zero.
    COPPICE_ALWAYS_INLINE complex_vector from(int lane) const {
        using keys = lane_keys<pack<R, bytes, 1>>;
        auto const selected = keys::own_number() >= typename keys::integer(lane);
        return {selected ? re : vector{}, selected ? im : vector{}};
    }
    COPPICE_ALWAYS_INLINE complex_lane<R> sum() const {
        complex_lane<R> all(R(0));
        for (int k = 0; k < lanes; ++k) all = all + complex_lane<R>(re[k], im[k]);
        return all;
    }
};

/// 1 / a as safe_reciprocal, with one division: sizes are divided by a power of two.
template <class R>
COPPICE_ALWAYS_INLINE complex_lane<R> fast_reciprocal(complex_lane<R> const& a) {
    R const smallest = std::numeric_limits<R>::min(), size = larger(magnitude(a.re), magnitude(a.im));
    bool const tiny = size < smallest;
    R const scale = scale_to_one(tiny ? smallest : size);
    R const x = (tiny ? smallest : a.re) * scale, y = (tiny ? R(0) : a.im) * scale;
    R const factor = scale / (x * x + y * y);
    return {x * factor, -(y * factor)};
}

/// One system. A row under elimination has its entry of column c at position c - origin; entries of columns that are
/// eliminated already are not zero and count as zero.
template <class R>
struct row_walk {
    using T = complex_lane<R>;
    using lanes = complex_vector<R>;
    using integer = typename pack<R, lanes::bytes, 1>::bits_type;
    static constexpr int tile = band_rows<R>::tile;
    static constexpr int max_held = 15; ///< index of the last row: that of blocks of 8 rows

    band_rows<R> const& e;
    int const bands = e.lower + e.upper;
    std::int64_t const rows = e.a.scalar_rows;
    R* const saved_rows = e.memory;
    R* const reciprocals = saved_rows + rows * 2 * e.saved; ///< of the pivots, each with the entry after the pivot
    R* const vectors = e.memory + align_elements<R>(rows * (2 * e.saved + 4));
    R* const pool = vectors + 2 * e.rhs_count * e.vector; ///< two buffers for the rows of a tile
    R* held[max_held + 1]{};                              ///< rows that contain the next unknown
    int count = 0;                                        ///< number of these

    R* row_at(int buffer, int k) const { return pool + std::int64_t(buffer * (e.lower + tile) + k) * e.row; }
    R* rhs_of(R* row) const { return row + 2 * e.half; }
    T entry(R const* row, int c) const { return {row[c], row[e.half + c]}; }
    R* x_of(int s) const { return vectors + 2 * s * e.vector; }

    /// Writes row i, with column `origin` at position 0, into a row of zeros.
    void load(R* to, std::int64_t i, std::int64_t origin) const {
        bool const conjugated = e.a.op == matrix_operation::conjugate_transposed;
        auto const put = [&](std::int64_t column, T const& value) {
            to[column - origin] = value.re;
            to[e.half + column - origin] = conjugated ? -value.im : value.im;
        };
        e.a.banded() ? each_of_bands(i, put) : each_of_blocks(i, put);
        for (int s = 0; s < e.rhs_count; ++s) {
            T const value = e.d[s * e.d_leading + i];
            rhs_of(to)[2 * s] = value.re, rhs_of(to)[2 * s + 1] = value.im;
        }
        if (e.how.equilibrate) scale(to, int(i - origin));
    }
    template <class Put>
    void each_of_bands(std::int64_t i, Put const& put) const {
        bool const transposed = e.a.op != matrix_operation::none;
        std::int64_t const first = i < e.lower ? 0 : i - e.lower, last = i + e.upper < rows ? i + e.upper : rows - 1;
        for (std::int64_t c = first; c <= last; ++c)
            put(c, transposed ? e.a.diagonal[(i - c + e.a.lower_bands) * rows + c]
                              : e.a.diagonal[(c - i + e.a.lower_bands) * rows + i]);
    }
    template <class Put>
    void each_of_blocks(std::int64_t i, Put const& put) const {
        matrix_rows<T> const& a = e.a;
        bool const transposed = a.op != matrix_operation::none;
        int const n = a.n;
        std::int64_t const block = i / n, square = e.block_stride * n * n;
        int const r = int(i - block * n);
        T const* const of[] = {transposed ? a.upper : a.lower, a.diagonal, transposed ? a.lower : a.upper};
        for (std::int64_t b = block > 0 ? block - 1 : 0; b <= block + 1 && b < a.batch.rows; ++b) {
            T const* const from = of[b - block + 1] + (transposed ? b * square + r * n : block * square + r);
            for (int q = 0; q < n; ++q) put(b * n + q, from[q * (transposed ? 1 : n)]);
        }
    }
    /// Multiplies a row, whose own column is at position `at`, by a power of two.
    void scale(R* row, int at) const {
        R largest(0);
        int const first = at < e.lower ? 0 : at - e.lower;
        for (int c = first; c <= at + e.upper; ++c) largest = larger(magnitude(entry(row, c)), largest);
        row_scale<R> const factor(largest);
        for (int c = first; c <= at + e.upper; ++c)
            row[c] = factor.of(row[c]), row[e.half + c] = factor.of(row[e.half + c]);
        for (int s = 0; s < 2 * e.rhs_count; ++s) rhs_of(row)[s] = factor.of(rhs_of(row)[s]);
    }

    /// Key of row k for the choice of a pivot: the magnitude of its entry in column c as an integer, with k in the last
    /// bits. Of entries that differ only in these bits the first wins; NaN is larger than all. An entry that is to be
    /// flushed becomes zero.
    COPPICE_ALWAYS_INLINE integer key(int c, int k) const {
        R* const row = held[k];
        R const size = magnitude(entry(row, c));
        integer bits;
        __builtin_memcpy(&bits, &size, sizeof(bits));
        if (e.how.flush && size <= e.how.threshold) row[c] = row[e.half + c] = R(0), bits = 0;
        return ((bits & std::numeric_limits<integer>::max()) | max_held) - k;
    }
    /// Removes the row with the largest entry in column c from those that are held.
    COPPICE_ALWAYS_INLINE R* take_pivot(int c, R* entering) {
        if (entering) held[count++] = entering;
        integer best = key(c, 0);
        for (int k = 1; k < count; ++k) {
            integer const other = key(c, k);
            best = other > best ? other : best;
        }
        --count;
        return std::exchange(held[max_held - int(best & max_held)], held[count]);
    }
    /// Eliminates unknown u, which has position c.
    COPPICE_ALWAYS_INLINE void eliminate(std::int64_t u, int c, R* entering) {
        R* const top = take_pivot(c, entering);
        T const value = entry(top, c), next = entry(top, c + 1), reciprocal = fast_reciprocal(value);
        if (e.singular && magnitude(value) == R(0)) lower_to(e.singular, met_at(0, u));
        int const first = c / lanes::lanes * lanes::lanes, end = c + bands + 1;
        lanes const corner = lanes::load(top + first, top + e.half + first).from(c + 1 - first);
        for (int k = 0; k < count; ++k) subtract(held[k], entry(held[k], c) * reciprocal, top, corner, first, end);
        R* const head = reciprocals + 4 * u;
        head[0] = reciprocal.re, head[1] = reciprocal.im, head[2] = next.re, head[3] = next.im;
        R* const saved = saved_rows + u * 2 * e.saved;
        for (int j = 0; j < e.saved; j += lanes::lanes)
            lanes::load(top + c + 2 + j, top + e.half + c + 2 + j).store(saved + j, saved + e.saved + j);
        for (int s = 0; s < e.rhs_count; ++s) {
            x_of(s)[u] = rhs_of(top)[2 * s];
            x_of(s)[e.vector + u] = rhs_of(top)[2 * s + 1];
        }
    }
    /// Subtracts a multiple of the pivot row `top`, which has the entries `corner` in columns from `first` on.
    COPPICE_ALWAYS_INLINE void subtract(R* row, T const& factor, R const* top, lanes const& corner, int first,
                                        int end) const {
        lanes value = lanes::load(row + first, row + e.half + first);
        value.subtract(factor, corner);
        value.store(row + first, row + e.half + first);
        for (int j = first + lanes::lanes; j < end; j += lanes::lanes) {
            value = lanes::load(row + j, row + e.half + j);
            value.subtract(factor, lanes::load(top + j, top + e.half + j));
            value.store(row + j, row + e.half + j);
        }
        R* const own = row + 2 * e.half;
        R const* const rhs = top + 2 * e.half;
        for (int s = 0; s < e.rhs_count; ++s) {
            T const of_pivot = factor * T(rhs[2 * s], rhs[2 * s + 1]);
            own[2 * s] -= of_pivot.re, own[2 * s + 1] -= of_pivot.im;
        }
    }
    void reduce() {
        clear(0);
        for (; count < e.lower && count < rows; ++count) load(held[count] = row_at(0, count), count, 0);
        int buffer = 0;
        for (std::int64_t origin = 0; origin < rows; origin += tile, buffer = 1 - buffer) {
            int const steps = rows - origin < tile ? int(rows - origin) : tile;
            for (int t = 0; t < steps; ++t)
                if (origin + t + e.lower < rows) load(row_at(buffer, e.lower + t), origin + t + e.lower, origin);
            for (int t = 0; t < steps; ++t) {
                bool const enters = origin + t + e.lower < rows;
                eliminate(origin + t, t, enters ? row_at(buffer, e.lower + t) : nullptr);
            }
            clear(1 - buffer);
            for (int k = 0; k < count; ++k) held[k] = shifted(held[k], row_at(1 - buffer, k));
        }
    }
    /// Fills all rows of a buffer with zeros.
    void clear(int buffer) const {
        std::memset(row_at(buffer, 0), 0, std::size_t(e.lower + tile) * std::size_t(e.row) * sizeof(R));
    }
    /// Copies a row so that position `tile` becomes 0.
    R* shifted(R const* from, R* to) const {
        std::memcpy(to, from + tile, std::size_t(e.half - tile) * sizeof(R));
        std::memcpy(to + e.half, from + e.half + tile, std::size_t(e.half - tile) * sizeof(R));
        std::memcpy(to + 2 * e.half, from + 2 * e.half, std::size_t(2 * e.rhs_count) * sizeof(R));
        return to;
    }

    /// Replaces the right-hand sides of the pivot rows by unknowns.
    void substitute() const {
        for (int s = 0; s < e.rhs_count; ++s) {
            R *const re = x_of(s), *const im = re + e.vector;
            for (std::int64_t i = rows; i < e.vector; ++i) re[i] = im[i] = R(0);
            for (std::int64_t u = rows - 1; u >= 0; --u) {
                R const *const row = saved_rows + u * 2 * e.saved, *const head = reciprocals + 4 * u;
                lanes sum{};
                for (int j = 0; j < e.saved; j += lanes::lanes)
                    sum.add(lanes::load(row + j, row + e.saved + j), lanes::load(re + u + 2 + j, im + u + 2 + j));
                // The newest unknown comes last, so that fewer operations wait for it.
                T const rest = T(re[u], im[u]) - sum.sum() - T(head[2], head[3]) * T(re[u + 1], im[u + 1]);
                T const value = rest * T(head[0], head[1]);
                re[u] = value.re, im[u] = value.im;
            }
            T* const x = e.x + s * e.x_leading;
            for (std::int64_t i = 0; i < rows; ++i) x[i] = T(re[i], im[i]);
        }
    }
};

} // namespace

template <class R>
void solve_band_rows(band_rows<R> const& e) {
    row_walk<R> walk{e};
    walk.reduce();
    walk.substitute();
}
template void solve_band_rows(band_rows<float> const&);
template void solve_band_rows(band_rows<double> const&);

} // namespace coppice::inline v0_1::COPPICE_ISA
