// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The filtered matrix A_F of a prolongator: its entries, which rows are smoothed, and the damping.
#pragma once

#include <coppice/core/lane/lane_math.hpp>
#include <coppice/solvers/multilevel/coupling_sums.hpp>
#include <coppice/solvers/multilevel/coupling_weights.hpp>

namespace coppice::inline v0_1::multilevel_detail {

/// Sums of a filtered row: the diagonal with the dropped entries lumped to it, and the magnitudes of the remaining
/// off-diagonal entries.
template <class T>
struct filtered_row {
    T lumped, remaining;
};
template <class T>
struct add_filtered {
    COPPICE_HD filtered_row<T> identity() const { return {T(0), T(0)}; }
    COPPICE_HD filtered_row<T> operator()(filtered_row<T> const& a, filtered_row<T> const& b) const {
        return {a.lumped + b.lumped, a.remaining + b.remaining};
    }
};

/// Inputs of the filter for each row: scales, and sums of the couplings with other ranks.
template <class T>
struct filter_scales {
    row_scales const& of_rows;
    filtered_couplings<T> others;

    double inverse_scale() const { return 1 / of_rows.scale; }
    double const* diagonal() const { return of_rows.diagonal.data(); }
    row_kind const* kinds() const { return of_rows.kinds.data(); }
};
template <class T>
COPPICE_HD filtered_row<T> with_couplings(filtered_row<T> own, filtered_couplings<T> const& others, std::int64_t row) {
    return {own.lumped + others.lumped(row), own.remaining + others.magnitude(row)};
}

/// Whether an entry is within an aggregate, or between two neighbours on a path of the first or the second forest; runs
/// and aggregates are numbered along their paths.
template <class I>
struct along_path_rule {
    I const *of, *runs;
    int block = 1; ///< aggregates of a point: one for each component, numbered consecutively
    COPPICE_HD bool operator()(std::int64_t row, std::int64_t column) const {
        std::int64_t const across = std::int64_t(of[row]) - of[column], along = std::int64_t(runs[row]) - runs[column];
        return (across >= -block && across <= block) || (along >= -1 && along <= 1);
    }
    COPPICE_HD bool same_component(std::int64_t row, std::int64_t column) const {
        return block == 1 || (row - column) % block == 0;
    }
};
/// Threshold for off-diagonal entries.
struct filter_threshold {
    double min_ratio; ///< relative to sqrt(d_i d_j)
    bool signed_size; ///< entries with the sign of the diagonal are dropped, because they make neighbours differ
    COPPICE_HD bool keeps(double value, row_kind kind, double diagonal, double other) const {
        double const size = coupling_size(signed_size ? kind : row_kind::any, value);
        double const product = diagonal * other;
        if (product > 0 && product < 1e-290) return size >= min_ratio * std::sqrt(diagonal) * std::sqrt(other);
        return bool(size >= 0) & bool(size * size >= min_ratio * min_ratio * product); // without a root
    }
};
/// Whether an off-diagonal entry passes the filter: of the same component, large enough and, if along_paths, along a
/// path. Entries between components are dropped: their row sums are small where `block` applies (translations of
/// elasticity), and with them P would have `block` times the entries and CG 10 % more iterations.
template <class T, class I>
struct filter_rule {
    double inverse_scale;
    filter_threshold threshold;
    double const* diagonal;
    row_kind const* kinds;
    bool along_paths;
    along_path_rule<I> along;
    COPPICE_HD bool operator()(T value, std::int64_t row, std::int64_t column) const {
        return threshold.keeps(double(value) * inverse_scale, kinds[row], diagonal[row], diagonal[column]) &&
               along.same_component(row, column) && (!along_paths || along(row, column));
    }
};
template <class T, class I>
struct filter_by_size {
    filter_rule<T, I> rule;
    COPPICE_HD filtered_row<T> operator()(T const& value, I const& column, std::int64_t row) const {
        if (std::int64_t(column) == row) return {value, T(0)};
        return rule(value, row, column) ? filtered_row<T>{T(0), magnitude(value)} : filtered_row<T>{value, T(0)};
    }
};
template <class T, class I>
struct filter_by_flag {
    COPPICE_HD filtered_row<T> operator()(T const& value, I const& column, std::uint8_t const& flag,
                                          std::int64_t row) const {
        if (std::int64_t(column) == row || !flag) return {value, T(0)};
        return {T(0), magnitude(value)};
    }
};

/// Rows whose lumped diagonal is small, or without remaining entries, are not smoothed.
template <class T>
COPPICE_HD bool smooths(filtered_row<T> const& sum, double diagonal) {
    constexpr double small = 0.25;
    return sum.remaining > T(0) && double(magnitude(sum.lumped)) > small * diagonal;
}
template <class T>
COPPICE_HD filtered_row<double> scaled(filtered_row<T> const& sum, double inverse_scale) {
    return {double(sum.lumped) * inverse_scale, double(sum.remaining)};
}
template <class T, class I>
struct store_smoothed {
    double inverse_scale;
    double const* diagonal; ///< divided by the scale
    filtered_couplings<T> others;
    I const* of;
    std::uint8_t* smoothed;
    COPPICE_HD void operator()(std::int64_t row, filtered_row<T> const& own) const {
        filtered_row<T> const sum = with_couplings(own, others, row);
        smoothed[row] = of[row] >= 0 && smooths(scaled(sum, inverse_scale), diagonal[row]);
    }
};
/// A row of omega D_F^-1.
template <class T>
struct damped_row {
    T damping, lumped;
    /// s_ij of I - omega D_F^-1 A_F
    COPPICE_HD T on_diagonal() const { return T(1) - damping * lumped; }
    COPPICE_HD T off_diagonal(T value) const { return -value * damping; }
};
/// Stores 1 / m for a row: m is the lumped diagonal, damped by 2.2/3 or, if the row sum dominates, by 4.4/3 over the
/// Gershgorin bound; the usual 2/3 and 4/3 take 10 % more iterations. Rows with remaining entries in columns of other
/// ranks (`across` > 0) use the usual factors, because no aggregate contains both ends of these entries, however strong
/// they are. 0 if the row is not smoothed.
template <class T>
COPPICE_HD damped_row<T> damp_row(filtered_row<T> const& sum, T across, double inverse_scale, double diagonal) {
    if (!smooths(scaled(sum, inverse_scale), diagonal)) return {T(0), T(0)};
    T const size = magnitude(sum.lumped), longer = across > T(0) ? T(1) : T(1.1);
    T const m = larger(T(1.5) * size, T(0.75) * (size + sum.remaining)) / longer;
    return {(sum.lumped < T(0) ? T(-1) : T(1)) / m, sum.lumped};
}

} // namespace coppice::inline v0_1::multilevel_detail
