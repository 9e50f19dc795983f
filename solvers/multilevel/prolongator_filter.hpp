// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The filtered matrix A_F of a prolongator: which entries it keeps, which rows are smoothed and by how much.
#pragma once

#include <coppice/core/lane/lane_math.hpp>
#include <coppice/solvers/multilevel/coupling_sums.hpp>
#include <coppice/solvers/multilevel/coupling_weights.hpp>

namespace coppice::multilevel_detail {

/// Of a filtered row: its diagonal with the dropped entries lumped to it, and the magnitudes that it keeps beside it.
template <class T>
struct filtered_row {
    T lumped, kept;
};
template <class T>
struct add_filtered {
    COPPICE_HD filtered_row<T> identity() const { return {T(0), T(0)}; }
    COPPICE_HD filtered_row<T> operator()(filtered_row<T> const& a, filtered_row<T> const& b) const {
        return {a.lumped + b.lumped, a.kept + b.kept};
    }
};

/// What the filter knows of the rows: their scales, and what it makes of what they have beside the matrix.
template <class T>
struct filter_scales {
    row_scales const& of_rows;
    filtered_couplings<T> others;

    double one_by_unit() const { return 1 / of_rows.unit; }
    double const* diagonal() const { return of_rows.diagonal.data(); }
    row_kind const* kinds() const { return of_rows.kinds.data(); }
};
template <class T>
COPPICE_HD filtered_row<T> with_others(filtered_row<T> own, filtered_couplings<T> const& others, std::int64_t row) {
    return {own.lumped + others.lumped(row), own.kept + others.magnitude(row)};
}

/// Within an aggregate, or between two that stand one behind the other on a path of the first or the second forest:
/// runs and aggregates are numbered along their paths.
template <class I>
struct lies_along_paths {
    I const *of, *runs;
    COPPICE_HD bool operator()(std::int64_t row, std::int64_t column) const {
        std::int64_t const across = std::int64_t(of[row]) - of[column], along = std::int64_t(runs[row]) - runs[column];
        return (across >= -1 && across <= 1) || (along >= -1 && along <= 1);
    }
};
/// What is large enough to be kept of entries beside the diagonal.
struct prolongator_share {
    double least;     ///< of the root of both diagonals
    bool signed_size; ///< of couplings alone: what has the sign of the diagonal makes neighbours differ
    COPPICE_HD bool holds(double value, row_kind kind, double diagonal, double other) const {
        return coupling_size(signed_size ? kind : row_kind::any, value) >= least * geometric_mean(diagonal, other);
    }
};
/// Whether an entry beside the diagonal is kept: strong enough, and along paths if need be.
template <class T, class I>
struct is_kept {
    double one_by_unit;
    prolongator_share share;
    double const* diagonal;
    row_kind const* kinds;
    bool along_paths;
    lies_along_paths<I> along;
    COPPICE_HD bool operator()(T value, std::int64_t row, std::int64_t column) const {
        return share.holds(double(value) * one_by_unit, kinds[row], diagonal[row], diagonal[column]) &&
               (!along_paths || along(row, column));
    }
};
template <class T, class I>
struct filter_by_size {
    is_kept<T, I> kept;
    COPPICE_HD filtered_row<T> operator()(T const& value, I const& column, std::int64_t row) const {
        if (std::int64_t(column) == row) return {value, T(0)};
        return kept(value, row, column) ? filtered_row<T>{T(0), magnitude(value)} : filtered_row<T>{value, T(0)};
    }
};
template <class T, class I>
struct filter_by_mark {
    COPPICE_HD filtered_row<T> operator()(T const& value, I const& column, std::uint8_t const& kept,
                                          std::int64_t row) const {
        if (std::int64_t(column) == row || !kept) return {value, T(0)};
        return {T(0), magnitude(value)};
    }
};

/// Rows whose lumped diagonal is small, or that keep nothing, are not smoothed.
template <class T>
COPPICE_HD bool smooths(filtered_row<T> const& sum, double diagonal) {
    constexpr double small = 0.25;
    return sum.kept > T(0) && double(magnitude(sum.lumped)) > small * diagonal;
}
template <class T>
COPPICE_HD filtered_row<double> in_units(filtered_row<T> const& sum, double one_by_unit) {
    return {double(sum.lumped) * one_by_unit, double(sum.kept)};
}
template <class T, class I>
struct store_smoothed {
    double one_by_unit;
    double const* diagonal; ///< in units
    filtered_couplings<T> others;
    I const* of;
    std::uint8_t* smoothed;
    COPPICE_HD void operator()(std::int64_t row, filtered_row<T> const& own) const {
        filtered_row<T> const sum = with_others(own, others, row);
        smoothed[row] = of[row] >= 0 && smooths(in_units(sum, one_by_unit), diagonal[row]);
    }
};
/// A row of omega D_F^-1.
template <class T>
struct damped_row {
    T damping, lumped;
    /// s_ij of I - omega D_F^-1 A_F
    COPPICE_HD T on_diagonal() const { return T(1) - damping * lumped; }
    COPPICE_HD T beside(T value) const { return -value * damping; }
};
/// 1 / m of a row: m is the lumped diagonal, damped by 2.2/3 or, where the row outweighs it, by 4.4/3 over Gershgorin's
/// bound; with the usual 2/3 and 4/3 iterations are a tenth more. Rows that keep entries in columns of other parts,
/// `across`, have the usual ones: no aggregate joins their ends, however strong they are. 0 where the row is not
/// smoothed.
template <class T>
COPPICE_HD damped_row<T> damp_row(filtered_row<T> const& sum, T across, double one_by_unit, double diagonal) {
    if (!smooths(in_units(sum, one_by_unit), diagonal)) return {T(0), T(0)};
    T const size = magnitude(sum.lumped), longer = across > T(0) ? T(1) : T(1.1);
    T const m = larger(T(1.5) * size, T(0.75) * (size + sum.kept)) / longer;
    return {(sum.lumped < T(0) ? T(-1) : T(1)) / m, sum.lumped};
}

} // namespace coppice::multilevel_detail
