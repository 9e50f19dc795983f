// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How strongly the unknowns of a matrix are coupled, as multilevel coarsening looks at it.
#pragma once

#include <cmath>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/lane/lane_math.hpp>
#include <coppice/graph/factor/edge_weights.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>
#include <coppice/solvers/multilevel/coupling_sums.hpp>
#include <coppice/solvers/precondition/interface/rounded_weight.hpp>

namespace coppice::multilevel_detail {

using namespace detail;

/// 2^e with the exponent of the largest magnitude of a matrix, which no square or quotient of entries can overflow
/// after division by it; 1 where there is none.
template <class T, class I>
struct magnitude_of_entry {
    T const* values;
    COPPICE_HD double operator()(std::int64_t k) const { return double(magnitude(values[k])); }
};
template <executor Executor, class T, class I>
double entry_unit(Executor const& exec, csr_view<T, I> a) {
    double const largest =
        reduce(exec, std::int64_t(a.nonzeros()), 0.0, magnitude_of_entry<T, I>{a.coefficients}, maximum{});
    return largest > 0 && std::isfinite(largest) ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
}

/// What a row shows of itself: its diagonal entry, what stands beside it, the largest entry against its sign.
template <class T>
struct row_look {
    T diagonal, beside, lowest, highest;
};
template <class T, class I>
struct look_at_entry {
    COPPICE_HD row_look<T> operator()(T const& value, I const& column, std::int64_t row) const {
        if (std::int64_t(column) == row) return {value, T(0), T(0), T(0)};
        return {T(0), magnitude(value), value < T(0) ? value : T(0), value < T(0) ? T(0) : value};
    }
};
template <class T>
struct add_row_looks {
    COPPICE_HD row_look<T> identity() const { return {T(0), T(0), T(0), T(0)}; }
    COPPICE_HD row_look<T> operator()(row_look<T> const& a, row_look<T> const& b) const {
        return {a.diagonal + b.diagonal, a.beside + b.beside, a.lowest < b.lowest ? a.lowest : b.lowest,
                a.highest < b.highest ? b.highest : a.highest};
    }
};

/// How the entries of a row become couplings.
enum class row_kind : std::uint8_t {
    positive, ///< diagonal above zero: entries below zero couple
    negative, ///< the other way
    any,      ///< no entry has the sign for it: all couple, by magnitude
    apart     ///< dominated by its diagonal by far, or without one: nothing couples
};
/// The part of an entry beside the diagonal that couples, in a row that is not apart: none is below zero.
template <class T>
COPPICE_HD T coupling_size(row_kind kind, T const& value) {
    return kind == row_kind::any ? magnitude(value) : kind == row_kind::positive ? -value : value;
}
template <class T>
struct store_row_look {
    double one_by_unit;
    coupling_sums<T> others;
    double* diagonal; ///< |a_ii| in units
    row_kind* kinds;
    COPPICE_HD void operator()(std::int64_t i, row_look<T> const& sum) const {
        constexpr T dominated = T(0.2); // Jacobi reduces the error by that in a step
        diagonal[i] = double(magnitude(sum.diagonal)) * one_by_unit;
        bool const positive = sum.diagonal > T(0);
        bool const alone = sum.beside + others.magnitude(i) <= dominated * magnitude(sum.diagonal);
        kinds[i] = sum.diagonal == T(0) || alone                    ? row_kind::apart
                   : (positive ? -sum.lowest : sum.highest) == T(0) ? row_kind::any
                   : positive                                       ? row_kind::positive
                                                                    : row_kind::negative;
    }
};

/// sqrt(a b) for a, b >= 0; roots take long, and neighbours often have the same diagonal.
COPPICE_HD inline double geometric_mean(double a, double b) { return a == b ? a : ::sqrt(a * b); }

/// w_ij = max(∓a_ij, 0) / sqrt(d_i d_j), as the product of a reduction to the largest one of a row.
template <class T, class I>
struct write_coupling {
    csr_view<T, I> a;
    double one_by_unit;
    double const* diagonal;
    row_kind const* kinds;
    float* weights;
    COPPICE_HD float operator()(std::int64_t k, std::int64_t row) const { return weights[k] = coupling(k, row); }

private:
    COPPICE_HD float coupling(std::int64_t k, std::int64_t row) const {
        std::int64_t const column = a.indices[k];
        row_kind const kind = kinds[row];
        if (column == row || kind == row_kind::apart || kinds[column] == row_kind::apart) return 0;
        double const value = double(a.coefficients[k]) * one_by_unit;
        double const size = coupling_size(kind, value);
        double const w = size > 0 ? size / geometric_mean(diagonal[row], diagonal[column]) : 0.0;
        return w < 1e30 ? to_16_bits(float(w)) : 1e30f; // rounding decides no tie
    }
};

struct largest_weight {
    COPPICE_HD float operator()(float const& value, std::int32_t const&) const { return magnitude(value); }
};
struct keep_larger {
    COPPICE_HD float identity() const { return 0; }
    COPPICE_HD float operator()(float a, float b) const { return a < b ? b : a; }
};
struct store_largest {
    float* largest;
    COPPICE_HD void operator()(std::int64_t row, float value) const { largest[row] = value; }
};

/// Vertices that are runs of paths, numbered along them.
template <class I>
struct runs_of_paths {
    I const* path_of = nullptr; ///< [runs] the path of each, called by its first vertex; null: vertices are no runs
    I const* run_of = nullptr;  ///< [vertices of the paths] run of each

    /// Whether two runs follow each other on one path, which couples them then.
    COPPICE_HD bool follow(std::int64_t a, std::int64_t b) const {
        return path_of && (a - b == 1 || b - a == 1) && path_of[a] == path_of[b];
    }
    /// The weight of a coupling that was rounded to 16 bits, where ties go to runs that lie as far along their paths,
    /// and to those whose numbers differ by fewer bits. By how much they differ is not asked: along slanted paths that
    /// grows from run to run, and a factor by it waits for itself from one end of the domain to the other.
    COPPICE_HD float break_ties(float weight, std::int64_t a, std::int64_t b) const {
        if (!path_of || weight == 0.0f) return weight;
        int rank = a - run_of[path_of[a]] == b - run_of[path_of[b]] ? 128 : 64;
        rank -= bit_width(std::uint64_t(a < b ? b - a : a - b));
        return with_last_bits(weight, std::uint8_t(rank));
    }
};
/// Keeps a weight that is no less than a quarter of the largest one of both its ends.
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
        bool const holds = w >= quarter * largest[row] && w >= quarter * largest[column];
        strong[k] = column != row && holds && !runs.follow(row, column) ? runs.break_ties(w, row, column) : 0.0f;
        return 0;
    }
};

/// Sizes of a matrix, row by row.
struct row_scales {
    double unit = 1;           ///< a power of two of the order of the largest entry
    buffer<double> diagonal{}; ///< |a_ii| / unit
    buffer<row_kind> kinds{};
};
template <executor Executor, class T, class I>
row_scales look_at_rows(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan,
                        coupling_sums<T> const& others = {}) {
    row_scales rows{entry_unit(exec, a), buffer<double>(exec, a.rows()), buffer<row_kind>(exec, a.rows())};
    reduce_rows(exec, plan, along_nonzeros{look_at_entry<T, I>{}, a.coefficients, a.indices}, add_row_looks<T>{},
                store_row_look<T>{1 / rows.unit, others, rows.diagonal.data(), rows.kinds.data()});
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

/// Columns of A rise in every row. `mirrors`: as of graph_detail::find_mirrors(); none where A is symmetric but for
/// rounding, and so are its couplings then, unless rows go by different signs. `runs`, of a contracted graph:
/// couplings along a path count as weak.
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
                write_coupling<T, I>{a, 1 / rows.unit, rows.diagonal.data(), rows.kinds.data(), c.raw.data()},
                keep_larger{}, store_largest{largest.data()});
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
        reduce_rows(exec, over, along_nonzeros{largest_weight{}, all.coefficients, all.indices}, keep_larger{},
                    store_largest{largest.data()});
    c.strong_values = buffer<float>(exec, all.nonzeros());
    reduce_rows(exec, over, write_strong<I>{all, largest.data(), runs, c.strong_values.data()}, ignore_products{},
                ignore_rows{});
    c.strong = all;
    c.strong.coefficients = c.strong_values.data();
    return c;
}

} // namespace coppice::multilevel_detail
