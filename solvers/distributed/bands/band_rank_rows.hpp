// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lane code of distributed_bands.hpp: the rows of one rank of a banded or block tridiagonal matrix, and the square
/// system that they form with artificial interface rows.
///
/// The rows of a rank couple its n unknowns with some unknowns of the neighbouring ranks, so there are fewer equations
/// than unknowns. One interface row is added for each of these outer unknowns. Its coefficients are pseudo-random, so
/// that the closed system is regular with probability 1 if the whole matrix is regular: the rows of the rank are
/// linearly independent, their null space has the dimension of the interface, and the unknowns that the interface rows
/// read determine a vector of the null space.
#pragma once

#include <cstdint>

#include <coppice/algebra/random.hpp>
#include <coppice/solvers/direct/error/error_rows.hpp>
#include <coppice/solvers/direct/solve/band_rows.hpp>

namespace coppice::inline v0_1::distributed {

/// Layout of the entries of a row. Row indices start at -reach().
struct row_shape {
    int block = 1; ///< rows of a block; 1 for scalar rows
    int below = 1, above = 1;

    friend bool operator==(row_shape const&, row_shape const&) = default;
    COPPICE_HD bool blocks() const { return block > 1; }
    COPPICE_HD int entries() const { return blocks() ? 3 * block : below + above + 1; }
    COPPICE_HD int reach() const { return below > above ? below : above; }
    /// number of unknowns at a rank boundary that rows of both sides read
    COPPICE_HD int interface_size() const { return below + above; }
    /// Column of the first entry of row i.
    COPPICE_HD std::int64_t first_column(std::int64_t i) const {
        return blocks() ? ((i + block) / block - 2) * block : i - below;
    }
    COPPICE_HD row_shape transposed() const { return {block, above, below}; }
};

/// The entries of one row.
template <class L>
struct row_entries {
    L const *lower, *diagonal,
        *upper; ///< first entries of this row; if stride is not 0, all bands are read from `diagonal`
    std::int64_t stride;
    int block;

    COPPICE_HD L operator[](int t) const {
        if (stride != 0) return diagonal[t * stride];
        int const of = block == 1 ? t : t / block;
        return (of == 0 ? lower : of == 1 ? diagonal : upper)[block == 1 ? 0 : (t - of * block) * block];
    }
};

/// Rows in the storage of band_matrix.
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

/// The rows of a rank and, row by row, the reach() rows before and after them, which are zero if they do not exist. The
/// unknowns [first, end) exist; indices are relative to the first unknown of the rank.
template <class L>
struct rank_rows {
    stored_rows<L> own;
    L const *rows_before = nullptr, *rows_after = nullptr;
    std::int64_t first = 0, end = 0;
    matrix_operation op = matrix_operation::none;

    COPPICE_HD row_shape shape() const { return op == matrix_operation::none ? own.shape : own.shape.transposed(); }
    /// Entry t of row i of op(A) or, if `of_column`, of column i.
    COPPICE_HD L entry(std::int64_t i, int t, bool of_column = false) const {
        bool const transposed_entry = (op != matrix_operation::none) != of_column;
        std::int64_t const column = (transposed_entry ? own.shape.transposed() : own.shape).first_column(i) + t;
        if (column < first || column >= end) return L(0);
        L const value = transposed_entry ? stored(column, int(i - own.shape.first_column(column))) : stored(i, t);
        return op == matrix_operation::conjugate_transposed ? conjugate(value) : value;
    }

private:
    COPPICE_HD L stored(std::int64_t i, int t) const {
        int const count = own.shape.entries();
        if (i < 0) return rows_before[(i + own.shape.reach()) * count + t];
        if (i >= own.rows) return rows_after[(i - own.rows) * count + t];
        return own.row(i)[t];
    }
};

/// The rows of a rank with `before` interface rows before them and `after` interface rows after them.
template <class L>
struct bordered_rows {
    rank_rows<L> inner;
    int before = 0, after = 0;
    double size_before = 1, size_after = 1; ///< magnitude of the entries of the interface rows
    int attempt = 0;                        ///< selects other pseudo-random coefficients
    bool cyclic = false;                    ///< the interface rows couple both ends

    COPPICE_HD std::int64_t own() const { return inner.own.rows; }
    COPPICE_HD std::int64_t size() const { return before + own() + after; }
    /// Index of row i among the interface rows, or -1.
    COPPICE_HD int interface_row(std::int64_t i) const {
        return i < before ? int(i) : i < before + own() ? -1 : int(i - own());
    }
    COPPICE_HD double size_of(int interface) const { return interface < before ? size_before : size_after; }
    COPPICE_HD L entry(std::int64_t i, int t) const {
        int const interface = interface_row(i);
        if (interface < 0) return inner.entry(i - before, t);
        row_shape const shape = inner.shape();
        std::int64_t const column = shape.first_column(i) + t;
        if (column == i) return sized(size_of(interface));
        if (!cyclic && (column < 0 || column >= size())) return L(0);
        // The more off-diagonal entries an interface row has, the smaller they are; each is smaller than the diagonal
        // entry.
        double const max_size = size_of(interface) * (shape.interface_size() > 3 ? 3.0 / shape.interface_size() : 0.9);
        double const number =
            random_stream(std::uint64_t(attempt), std::uint64_t(interface)).uniform(std::uint64_t(t), -1, 1);
        return sized(max_size * (number < 0 ? number - 1 : number + 1) / 2);
    }
    COPPICE_HD static L sized(double value) { return chain::matrix_rows<L>::sized(value); }
};

/// Writes element e of the bands or blocks of the closed system, from the lowest band to the highest.
template <class L>
struct write_bordered {
    bordered_rows<L> rows;
    L* to;
    COPPICE_HD void operator()(std::int64_t e) const {
        int const b = rows.inner.own.shape.block;
        std::int64_t const n = rows.size(), each = n * b, band = e / each, at = e - band * each;
        if (b == 1) {
            to[e] = rows.entry(at, int(band));
        } else {
            std::int64_t const column = at / b, j = column / b; // blocks are stored column by column
            to[e] = rows.entry(j * b + (at - column * b), int(band) * b + int(column - j * b));
        }
    }
};
/// Right-hand sides of the closed system: those of the rank with zeros in the interface rows, then a multiple of a unit
/// vector for each interface row.
template <class L>
struct write_rhs {
    bordered_rows<L> rows;
    L const* d;
    std::int64_t leading, columns;
    L* to;
    COPPICE_HD void operator()(std::int64_t e) const {
        std::int64_t const c = e / rows.size(), i = e - c * rows.size();
        int const interface = rows.interface_row(i);
        if (c < columns)
            to[e] = interface < 0 ? d[i - rows.before + c * leading] : L(0);
        else
            to[e] = interface == c - columns ? rows.sized(rows.size_of(interface)) : L(0);
    }
};

/// Copies the first `rows` and the last `rows` rows of a rank, entry by entry.
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
/// Copies the first and the last `rows` elements of columns of `length` elements.
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
/// Copies the first and the last `interface` elements of columns of `length` elements; zero if there are fewer.
template <class L>
struct read_interfaces {
    L const* x;
    std::int64_t length, interface;
    L* to;
    COPPICE_HD void operator()(std::int64_t e) const {
        std::int64_t const c = e / (2 * interface), at = e - c * 2 * interface;
        std::int64_t const i = at < interface ? at : length - 2 * interface + at;
        to[e] = i >= 0 && i < length ? x[i + c * length] : L(0);
    }
};

/// One column of the solution: x = alone + sum over s of spikes[s] factors[s].
template <class L>
struct combine_columns {
    L const *alone, *spikes; ///< from the first row of the rank on; distance of columns: `leading`
    std::int64_t leading;
    L const* factors;
    int count;
    L* x;
    bool add; ///< add to x, if the value is finite
    COPPICE_HD void operator()(std::int64_t i) const {
        L value = alone[i];
        for (int s = 0; s < count; ++s) value = value + spikes[i + s * leading] * factors[s];
        if (!add)
            x[i] = value;
        else if (magnitude(chain::widened(value)) <= 1.7976931348623157e308)
            x[i] = x[i] + value;
    }
};

/// r = d - A x of one column, and the quantities of the error measures.
template <class L>
struct measure_row {
    stored_rows<L> a;          ///< the closed system
    std::int64_t before, rows; ///< interface rows before, and rows of the rank
    L const *d, *x;
    L const *x_before, *x_after; ///< reach() unknowns before and after the rank, column index fastest
    int columns, reach;
    L* r;

    COPPICE_HD chain::row_extremes<double> operator()(std::int64_t i) const {
        chain::row_sums<decltype(chain::widened(L()))> sum(chain::widened(d[i]));
        row_entries<L> const entries = a.row(before + i);
        std::int64_t const first = a.shape.first_column(before + i) - before;
        for (int t = 0; t < a.shape.entries(); ++t) sum.add(chain::widened(entries[t]), chain::widened(at(first + t)));
        r[i] = chain::narrowed(sum.rest, L());
        chain::row_extremes<double> extremes;
        extremes.add(magnitude(sum.rest), sum.row, magnitude(chain::widened(x[i])), magnitude(chain::widened(d[i])),
                     sum.product);
        return extremes;
    }
    COPPICE_HD L at(std::int64_t column) const {
        if (column < 0) return x_before[(column + reach) * columns];
        return column < rows ? x[column] : x_after[(column - rows) * columns];
    }
};

/// The largest magnitudes in the rows at both ends.
struct end_sizes {
    double first = 0, last = 0;
};
template <class L>
struct size_of_ends {
    rank_rows<L> a;
    std::int64_t rows; ///< number at either end
    COPPICE_HD end_sizes operator()(std::int64_t e) const {
        int const count = a.shape().entries();
        std::int64_t const i = e / count;
        bool const first = i < rows;
        double const size =
            magnitude(chain::widened(a.entry(first ? i : a.own.rows - 2 * rows + i, int(e - i * count))));
        return {first ? size : 0, first ? 0 : size};
    }
};
struct max_sizes {
    COPPICE_HD end_sizes operator()(end_sizes const& a, end_sizes const& b) const {
        return {chain::larger_or_nan(a.first, b.first), chain::larger_or_nan(a.last, b.last)};
    }
};

/// Whether any row sum and any column sum differs from zero. If all row sums or all column sums are zero, the matrix is
/// singular (solvers/direct/error/error_rows.hpp).
struct nonzero_sums {
    int rows = 0, columns = 0;
};
template <class L>
struct sums_of_row {
    rank_rows<L> a;
    COPPICE_HD nonzero_sums operator()(std::int64_t i) const {
        return {magnitude(sum(i, false)) != 0, magnitude(sum(i, true)) != 0};
    }
    COPPICE_HD auto sum(std::int64_t i, bool of_column) const {
        decltype(chain::widened(L())) all(0);
        for (int t = 0; t < a.own.shape.entries(); ++t) all = all + chain::widened(a.entry(i, t, of_column));
        return all;
    }
};
/// Whether all entries of a row or of its column are zero.
template <class L>
struct is_zero_row_or_column {
    rank_rows<L> a;
    COPPICE_HD int operator()(std::int64_t i) const { return is_zero(i, false) || is_zero(i, true); }
    COPPICE_HD bool is_zero(std::int64_t i, bool of_column) const {
        bool zero = true;
        for (int t = 0; t < a.own.shape.entries(); ++t) zero = zero && magnitude(a.entry(i, t, of_column)) == 0;
        return zero;
    }
};
struct merge_nonzero_sums {
    COPPICE_HD nonzero_sums operator()(nonzero_sums const& a, nonzero_sums const& b) const {
        return {a.rows | b.rows, a.columns | b.columns};
    }
};

} // namespace coppice::inline v0_1::distributed
