// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Coupling weights between the unknowns of a matrix, for multilevel coarsening.
#pragma once

#include <cmath>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/lane/lane_math.hpp>
#include <coppice/graph/factor/edge_weights.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>
#include <coppice/solvers/multilevel/coupling_sums.hpp>
#include <coppice/solvers/precondition/interface/rounded_weight.hpp>

namespace coppice::inline v0_1::multilevel_detail {

using namespace detail;

template <class T>
struct entry_magnitude {
    T const* values;
    COPPICE_HD double operator()(std::int64_t k) const { return double(magnitude(values[k])); }
};
/// Returns 2^e, the largest power of two that does not exceed the largest magnitude of an entry, or 1 if there is none.
/// Squares and quotients of entries divided by it do not overflow.
template <executor Executor, class T, class I>
double power_of_two_scale(Executor const& exec, csr_view<T, I> a) {
    double const largest = reduce(exec, std::int64_t(a.nonzeros()), 0.0, entry_magnitude<T>{a.coefficients}, maximum{});
    return largest > 0 && std::isfinite(largest) ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
}

/// Summary of a row: the diagonal entry, the sum of the off-diagonal magnitudes, and the smallest and largest
/// off-diagonal entry.
template <class T>
struct row_summary {
    T diagonal, off_diagonal, lowest, highest;
};
template <class T, class I>
struct summarise_entry {
    COPPICE_HD row_summary<T> operator()(T const& value, I const& column, std::int64_t row) const {
        if (std::int64_t(column) == row) return {value, T(0), T(0), T(0)};
        return {T(0), magnitude(value), value < T(0) ? value : T(0), value < T(0) ? T(0) : value};
    }
};
template <class T>
struct add_row_summaries {
    COPPICE_HD row_summary<T> identity() const { return {T(0), T(0), T(0), T(0)}; }
    COPPICE_HD row_summary<T> operator()(row_summary<T> const& a, row_summary<T> const& b) const {
        return {a.diagonal + b.diagonal, a.off_diagonal + b.off_diagonal, a.lowest < b.lowest ? a.lowest : b.lowest,
                a.highest < b.highest ? b.highest : a.highest};
    }
};

/// Which entries of a row count as couplings.
enum class row_kind : std::uint8_t {
    positive, ///< positive diagonal: negative entries couple
    negative, ///< negative diagonal: positive entries couple
    any,      ///< no entry has that sign: all entries couple, by magnitude
    uncoupled ///< strongly diagonally dominant or zero diagonal: no entry couples
};
/// The size of an off-diagonal entry as a coupling, in a row that is not uncoupled; negative if it does not couple.
template <class T>
COPPICE_HD T coupling_size(row_kind kind, T const& value) {
    return kind == row_kind::any ? magnitude(value) : kind == row_kind::positive ? -value : value;
}

/// sqrt(a b) for a, b >= 0. The root is slow, and neighbours often have the same diagonal.
COPPICE_HD inline double geometric_mean(double a, double b) { return a == b ? a : ::sqrt(a * b); }

/// w_ij = max(∓a_ij, 0) / sqrt(d_i d_j); used as the multiply operation of a reduction to the largest weight of a row.
template <class T, class I>
struct write_coupling {
    csr_view<T, I> a;
    double inverse_scale;
    double const* diagonal;
    row_kind const* kinds;
    float* weights;
    COPPICE_HD float operator()(std::int64_t k, std::int64_t row) const { return weights[k] = coupling(k, row); }

private:
    COPPICE_HD float coupling(std::int64_t k, std::int64_t row) const {
        std::int64_t const column = a.indices[k];
        row_kind const kind = kinds[row];
        if (column == row || kind == row_kind::uncoupled || kinds[column] == row_kind::uncoupled) return 0;
        double const value = double(a.coefficients[k]) * inverse_scale;
        double const size = coupling_size(kind, value);
        double const w = size > 0 ? size / geometric_mean(diagonal[row], diagonal[column]) : 0.0;
        return w < 1e30 ? to_16_bits(float(w)) : 1e30f; // rounded, so that rounding errors do not decide ties
    }
};

struct largest_weight {
    COPPICE_HD float operator()(float const& value, std::int32_t const&) const { return magnitude(value); }
};
struct larger_weight {
    COPPICE_HD float identity() const { return 0; }
    COPPICE_HD float operator()(float a, float b) const { return a < b ? b : a; }
};
struct store_largest {
    float* largest;
    COPPICE_HD void operator()(std::int64_t row, float value) const { largest[row] = value; }
};

/// For graphs whose vertices are runs of paths, numbered along the paths.
template <class I>
struct runs_of_paths {
    I const* path_of = nullptr; ///< [runs] path of each run, identified by its first vertex; null: vertices are no runs
    I const* run_of = nullptr;  ///< [vertices of the paths] run of each

    /// Whether two runs are neighbours on one path.
    COPPICE_HD bool follow(std::int64_t a, std::int64_t b) const {
        return path_of && (a - b == 1 || b - a == 1) && path_of[a] == path_of[b];
    }
    /// Adds tie-breaking bits to a coupling weight that is rounded to 16 bits: ties prefer runs at the same position of
    /// their paths, then runs whose numbers differ by fewer bits. The exact difference is not used: along slanted paths
    /// it grows from run to run, so the decisions of a factor would depend on each other from one end of the domain to
    /// the other.
    COPPICE_HD float break_ties(float weight, std::int64_t a, std::int64_t b) const {
        if (!path_of || weight == 0.0f) return weight;
        int rank = a - run_of[path_of[a]] == b - run_of[path_of[b]] ? 128 : 64;
        rank -= bit_width(std::uint64_t(a < b ? b - a : a - b));
        return with_last_bits(weight, std::uint8_t(rank));
    }
};
/// Selects a weight that is at least a quarter of the largest weight of both of its ends.
template <class I>
struct write_strong {
    csr_view<float, I> weights;
    float const* largest;
    runs_of_paths<I> runs;
    float* strong;
    COPPICE_HD std::uint8_t operator()(std::int64_t k, std::int64_t row) const {
        constexpr float quarter = 0.25f;
        float const w = magnitude(weights.coefficients[k]);
        std::int64_t const column = weights.indices[k];
        bool const keeps =
            bool(column != row) & bool(w >= quarter * largest[row]) & bool(w >= quarter * largest[column]);
        if (runs.path_of)
            strong[k] = keeps && !runs.follow(row, column) ? runs.break_ties(w, row, column) : 0.0f;
        else
            strong[k] = w * float(keeps); // a branch would be unpredictable
        return 0;
    }
};

/// Scales of the rows of a matrix.
struct row_scales {
    double scale = 1;          ///< a power of two of the order of the largest entry
    buffer<double> diagonal{}; ///< |a_ii| / scale
    buffer<row_kind> kinds{};
};
template <class T>
struct store_row_scale {
    coupling_sums<T> others;
    double inverse_scale;
    double* diagonal;
    row_kind* kinds;
    COPPICE_HD void operator()(std::int64_t i, row_summary<T> const& sum) const {
        T const dominated = T(0.2); // one Jacobi step reduces the error by this factor
        diagonal[i] = double(magnitude(sum.diagonal)) * inverse_scale;
        bool const positive = sum.diagonal > T(0);
        bool const alone = sum.off_diagonal + others.magnitude(i) <= dominated * magnitude(sum.diagonal);
        kinds[i] = sum.diagonal == T(0) || alone                    ? row_kind::uncoupled
                   : (positive ? -sum.lowest : sum.highest) == T(0) ? row_kind::any
                   : positive                                       ? row_kind::positive
                                                                    : row_kind::negative;
    }
};
template <executor Executor, class T, class I>
row_scales compute_row_scales(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan,
                              coupling_sums<T> const& others = {}) {
    row_scales rows{power_of_two_scale(exec, a), buffer<double>(exec, a.rows()), buffer<row_kind>(exec, a.rows())};
    reduce_rows(exec, plan, along_nonzeros{summarise_entry<T, I>{}, a.coefficients, a.indices}, add_row_summaries<T>{},
                store_row_scale<T>{others, 1 / rows.scale, rows.diagonal.data(), rows.kinds.data()});
    return rows;
}

struct is_one_sided_kind {
    row_kind const* kinds;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        return kinds[i] == row_kind::any || kinds[i] == row_kind::negative;
    }
};

/// The couplings of a matrix, all and the strong ones, on one symmetric pattern.
template <class I>
struct coupling_weights {
    buffer<float> raw{}, strong_values{};
    edge_weights<float, I> all{};
    csr_view<float, I> strong{};
};

/// Columns of A are sorted in each row. `mirrors`: result of graph_detail::find_mirrors(), or empty if A is symmetric
/// up to rounding; then the couplings are symmetric as well, unless the rows use different signs. `runs`, for a
/// contracted graph: couplings along a path count as weak.
template <executor Executor, class T, class I>
coupling_weights<I> couplings_of(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan,
                                 row_scales const& rows, array_view<I const> mirrors, runs_of_paths<I> runs = {}) {
    using graph_detail::ignore_products;
    using graph_detail::ignore_rows;
    std::int64_t const n = a.rows();
    coupling_weights<I> c;
    c.raw = buffer<float>(exec, a.nonzeros());
    buffer<float> largest(exec, n);
    reduce_rows(exec, plan,
                write_coupling<T, I>{a, 1 / rows.scale, rows.diagonal.data(), rows.kinds.data(), c.raw.data()},
                larger_weight{}, store_largest{largest.data()});
    c.all.view = csr_view<float, I>{a.rows(), a.columns(), a.nonzeros(), a.offsets, a.indices, c.raw.data()};
    if (mirrors.size() > 0)
        c.all = graph_detail::edge_weights_by(exec, c.all.view, mirrors);
    else if (reduce(exec, n, std::int64_t(0), is_one_sided_kind{rows.kinds.data()}, plus{}) > 0)
        c.all = make_edge_weights(exec, c.all.view);
    csr_view<float, I> const all = c.all.view;
    srcsr_plan<I> own;
    if (all.offsets != a.offsets) own = make_srcsr_plan(exec, all);
    srcsr_plan<I> const& over = all.offsets != a.offsets ? own : plan;
    if (all.coefficients != c.raw.data())
        reduce_rows(exec, over, along_nonzeros{largest_weight{}, all.coefficients, all.indices}, larger_weight{},
                    store_largest{largest.data()});
    c.strong_values = buffer<float>(exec, all.nonzeros());
    reduce_rows(exec, over, write_strong<I>{all, largest.data(), runs, c.strong_values.data()}, ignore_products{},
                ignore_rows{});
    c.strong = all;
    c.strong.coefficients = c.strong_values.data();
    return c;
}

} // namespace coppice::inline v0_1::multilevel_detail
