// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The rows of one part of a banded or block tridiagonal matrix, and the same with what makes them a system of their
/// own: the lane code of band_parts.hpp.
///
/// The rows of a part couple its own n unknowns with some of the parts next to it, so they are fewer equations than
/// unknowns. A border makes them as many: its unknowns are those of the neighbours, its equations are made up. Of which
/// unknowns they read, they read arbitrary multiples, so that no part that belongs to a regular matrix is singular with
/// its border, but by chance: its rows are independent, and so their null space is as large as the border and seen in
/// the unknowns that the border reads.
#pragma once

#include <cstdint>

#include <coppice/algebra/random.hpp>
#include <coppice/solvers/direct/error/error_rows.hpp>
#include <coppice/solvers/direct/solve/band_rows.hpp>

namespace coppice::distributed {

/// Where the entries of a row stand. Rows from -reach() on have a number.
struct row_shape {
    int block = 1; ///< rows of a block; 1 for scalar rows
    int below = 1, above = 1;

    friend bool operator==(row_shape const&, row_shape const&) = default;
    COPPICE_HD bool blocks() const { return block > 1; }
    COPPICE_HD int entries() const { return blocks() ? 3 * block : below + above + 1; }
    COPPICE_HD int reach() const { return below > above ? below : above; }
    COPPICE_HD int border() const { return below + above; } ///< unknowns around a cut that rows on both sides read
    /// Column of the first entry of a row.
    COPPICE_HD std::int64_t first_column(std::int64_t i) const {
        return blocks() ? ((i + block) / block - 2) * block : i - below;
    }
    COPPICE_HD row_shape transposed() const { return {block, above, below}; }
};

/// The entries of one row.
template <class L>
struct row_entries {
    L const *lower, *diagonal, *upper; ///< of this row; all bands are behind `diagonal` where stride is not 0
    std::int64_t stride;
    int block;

    COPPICE_HD L operator[](int t) const {
        if (stride != 0) return diagonal[t * stride];
        int const of = block == 1 ? t : t / block;
        return (of == 0 ? lower : of == 1 ? diagonal : upper)[block == 1 ? 0 : (t - of * block) * block];
    }
};

/// Rows as band_matrix stores them.
template <class L>
struct stored_rows {
    L const *lower = nullptr, *diagonal = nullptr, *upper = nullptr;
    std::int64_t rows = 0;
    row_shape shape{};

    COPPICE_HD row_entries<L> row(std::int64_t i) const {
        if (!lower) return {nullptr, diagonal + i, nullptr, rows, 1};
        std::int64_t const at = shape.blocks() ? i / shape.block * shape.block * (shape.block - 1) + i : i;
        return {lower + at, diagonal + at, upper + at, 0, shape.block};
    }
};

/// The rows of a part and, row by row, reach() rows before and behind them, which are zero where there are none.
/// Unknowns [first, behind) exist, from the first one of the part on.
template <class L>
struct part_rows {
    stored_rows<L> own;
    L const *rows_before = nullptr, *rows_behind = nullptr;
    std::int64_t first = 0, behind = 0;
    matrix_operation op = matrix_operation::none;

    COPPICE_HD row_shape shape() const { return op == matrix_operation::none ? own.shape : own.shape.transposed(); }
    /// Entry t of row i of op(A) or, turned once more, of column i.
    COPPICE_HD L entry(std::int64_t i, int t, bool once_more = false) const {
        bool const turned = (op != matrix_operation::none) != once_more;
        std::int64_t const column = (turned ? own.shape.transposed() : own.shape).first_column(i) + t;
        if (column < first || column >= behind) return L(0);
        L const value = turned ? stored(column, int(i - own.shape.first_column(column))) : stored(i, t);
        return op == matrix_operation::conjugate_transposed ? conjugate(value) : value;
    }

private:
    COPPICE_HD L stored(std::int64_t i, int t) const {
        int const count = own.shape.entries();
        if (i < 0) return rows_before[(i + own.shape.reach()) * count + t];
        if (i >= own.rows) return rows_behind[(i - own.rows) * count + t];
        return own.row(i)[t];
    }
};

/// The rows of a part with `before` rows of border before them and `after` behind.
template <class L>
struct bordered_rows {
    part_rows<L> part;
    int before = 0, after = 0;
    double size_before = 1, size_after = 1; ///< of the entries of the border
    int attempt = 0;                        ///< other borders
    bool cyclic = false;                    ///< the border couples both ends

    COPPICE_HD std::int64_t own() const { return part.own.rows; }
    COPPICE_HD std::int64_t size() const { return before + own() + after; }
    /// Number of a row within the border, or -1.
    COPPICE_HD int of_border(std::int64_t i) const {
        return i < before ? int(i) : i < before + own() ? -1 : int(i - own());
    }
    COPPICE_HD double size_of(int border) const { return border < before ? size_before : size_after; }
    COPPICE_HD L entry(std::int64_t i, int t) const {
        int const border = of_border(i);
        if (border < 0) return part.entry(i - before, t);
        row_shape const shape = part.shape();
        std::int64_t const column = shape.first_column(i) + t;
        if (column == i) return sized(size_of(border));
        if (!cyclic && (column < 0 || column >= size())) return L(0);
        // The more entries the smaller; where there is one beside that of the diagonal, it is below that.
        double const most = size_of(border) * (shape.border() > 3 ? 3.0 / shape.border() : 0.9);
        double const share =
            random_stream(std::uint64_t(attempt), std::uint64_t(border)).uniform(std::uint64_t(t), -1, 1);
        return sized(most * (share < 0 ? share - 1 : share + 1) / 2);
    }
    COPPICE_HD static L sized(double value) { return chain::matrix_rows<L>::sized(value); }
};

/// Element e of the bands or blocks of bordered rows, from the lowest to the highest.
template <class L>
struct write_bordered {
    bordered_rows<L> rows;
    L* to;
    COPPICE_HD void operator()(std::int64_t e) const {
        int const b = rows.part.own.shape.block;
        std::int64_t const n = rows.size(), each = n * b, band = e / each, at = e - band * each;
        if (b == 1) {
            to[e] = rows.entry(at, int(band));
        } else {
            std::int64_t const column = at / b, j = column / b; // of blocks side by side
            to[e] = rows.entry(j * b + (at - column * b), int(band) * b + int(column - j * b));
        }
    }
};
/// Right-hand sides of bordered rows: those of the part, zero in the border, and a multiple of a unit vector for each
/// row of the border.
template <class L>
struct write_sides {
    bordered_rows<L> rows;
    L const* d;
    std::int64_t leading, columns;
    L* to;
    COPPICE_HD void operator()(std::int64_t e) const {
        std::int64_t const c = e / rows.size(), i = e - c * rows.size();
        int const border = rows.of_border(i);
        if (c < columns)
            to[e] = border < 0 ? d[i - rows.before + c * leading] : L(0);
        else
            to[e] = border == c - columns ? rows.sized(rows.size_of(border)) : L(0);
    }
};

/// Rows at the ends of a part, entry by entry: `rows` first ones, and as many last ones.
template <class L>
struct read_end_rows {
    stored_rows<L> a;
    std::int64_t rows;
    L* to;
    COPPICE_HD void operator()(std::int64_t e) const {
        std::int64_t const count = a.shape.entries(), i = e / count;
        to[e] = a.row(i < rows ? i : a.rows - 2 * rows + i)[int(e - i * count)];
    }
};
/// The same of columns of `length` elements.
template <class L>
struct read_end_values {
    L const* x;
    std::int64_t length, leading, columns, rows;
    L* to;
    COPPICE_HD void operator()(std::int64_t e) const {
        std::int64_t const i = e / columns;
        to[e] = x[(i < rows ? i : length - 2 * rows + i) + (e - i * columns) * leading];
    }
};
/// Of columns of `length` elements, the `border` first ones and the `border` last ones; zero where there are no such.
template <class L>
struct read_borders {
    L const* x;
    std::int64_t length, border;
    L* to;
    COPPICE_HD void operator()(std::int64_t e) const {
        std::int64_t const c = e / (2 * border), at = e - c * 2 * border;
        std::int64_t const i = at < border ? at : length - 2 * border + at;
        to[e] = i >= 0 && i < length ? x[i + c * length] : L(0);
    }
};

/// One column of the solution: of the part alone, and what the unknowns of its border make of the others.
template <class L>
struct combine_columns {
    L const *alone, *spikes; ///< from the first row of the part on, of columns `leading` apart
    std::int64_t leading;
    L const* factors;
    int count;
    L* x;
    bool further; ///< x is added to, where what is added is finite
    COPPICE_HD void operator()(std::int64_t i) const {
        L value = alone[i];
        for (int s = 0; s < count; ++s) value = value + spikes[i + s * leading] * factors[s];
        if (!further)
            x[i] = value;
        else if (magnitude(chain::widened(value)) <= 1.7976931348623157e308)
            x[i] = x[i] + value;
    }
};

/// r = d - A x of one column, and what reports are made of.
template <class L>
struct measure_row {
    stored_rows<L> a;          ///< with the border
    std::int64_t before, rows; ///< rows of border, and of the part
    L const *d, *x;
    L const *x_before, *x_behind; ///< reach() unknowns before and behind the part, the columns side by side
    int columns, reach;
    L* r;

    COPPICE_HD chain::row_extremes<double> operator()(std::int64_t i) const {
        chain::row_sums<decltype(chain::widened(L()))> sum(chain::widened(d[i]));
        row_entries<L> const entries = a.row(before + i);
        std::int64_t const first = a.shape.first_column(before + i) - before;
        for (int t = 0; t < a.shape.entries(); ++t) sum.add(chain::widened(entries[t]), chain::widened(at(first + t)));
        r[i] = chain::narrowed(sum.rest, L());
        chain::row_extremes<double> most;
        most.add(magnitude(sum.rest), sum.row, magnitude(chain::widened(x[i])), magnitude(chain::widened(d[i])),
                 sum.product);
        return most;
    }
    COPPICE_HD L at(std::int64_t column) const {
        if (column < 0) return x_before[(column + reach) * columns];
        return column < rows ? x[column] : x_behind[(column - rows) * columns];
    }
};

/// The largest magnitudes of rows at both ends.
struct end_sizes {
    double first = 0, last = 0;
};
template <class L>
struct size_of_ends {
    part_rows<L> a;
    std::int64_t rows; ///< at either end
    COPPICE_HD end_sizes operator()(std::int64_t e) const {
        int const count = a.shape().entries();
        std::int64_t const i = e / count;
        bool const first = i < rows;
        double const size =
            magnitude(chain::widened(a.entry(first ? i : a.own.rows - 2 * rows + i, int(e - i * count))));
        return {first ? size : 0, first ? 0 : size};
    }
};
struct larger_sizes {
    COPPICE_HD end_sizes operator()(end_sizes const& a, end_sizes const& b) const {
        return {chain::larger_or_nan(a.first, b.first), chain::larger_or_nan(a.last, b.last)};
    }
};

/// Whether sums of rows and of columns are not zero: with all of them zero a matrix is singular (judge/zero_sums.hpp).
struct uneven_sums {
    int rows = 0, columns = 0;
};
template <class L>
struct sums_of_row {
    part_rows<L> a;
    COPPICE_HD uneven_sums operator()(std::int64_t i) const {
        return {magnitude(sum(i, false)) != 0, magnitude(sum(i, true)) != 0};
    }
    COPPICE_HD auto sum(std::int64_t i, bool of_column) const {
        decltype(chain::widened(L())) all(0);
        for (int t = 0; t < a.own.shape.entries(); ++t) all = all + chain::widened(a.entry(i, t, of_column));
        return all;
    }
};
/// Whether a row or its column has no entry but zeros.
template <class L>
struct is_zero_line {
    part_rows<L> a;
    COPPICE_HD int operator()(std::int64_t i) const { return is_zero(i, false) || is_zero(i, true); }
    COPPICE_HD bool is_zero(std::int64_t i, bool of_column) const {
        bool zero = true;
        for (int t = 0; t < a.own.shape.entries(); ++t) zero = zero && magnitude(a.entry(i, t, of_column)) == 0;
        return zero;
    }
};
struct either_uneven {
    COPPICE_HD uneven_sums operator()(uneven_sums const& a, uneven_sums const& b) const {
        return {a.rows | b.rows, a.columns | b.columns};
    }
};

} // namespace coppice::distributed
