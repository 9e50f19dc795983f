// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The tridiagonal system of a matrix along a linear forest (thesis, section 4.4.3). See
/// graph/forest/linear_forest.hpp.
#pragma once

#include <coppice/graph/forest/linear_forest.hpp>

namespace coppice::inline v0_1 {
namespace graph_detail {

/// Target of a nonzero: the lower band, the diagonal, the upper band, or none.
enum class band : std::int32_t { lower, diagonal, upper, none };

template <class T>
struct band_value {
    T value;
    band target;
};
template <class T>
struct forest_row {
    T lower;
    T diagonal;
    T upper;
};

/// Classifies a nonzero by its column: the vertex itself, one of its two neighbours on the path, or another vertex,
/// which is left out. Reads data of this row only.
template <class T, class I>
struct classify_nonzero {
    I const* links;

    COPPICE_HD band_value<T> operator()(T const& value, I const& column, std::int64_t row) const {
        band const target = column == static_cast<I>(row)  ? band::diagonal
                            : column == links[2 * row]     ? band::lower
                            : column == links[2 * row + 1] ? band::upper
                                                           : band::none;
        return {target == band::none ? T(0) : value, target};
    }
};
template <class T>
struct add_to_row {
    COPPICE_HD forest_row<T> identity() const { return {T(0), T(0), T(0)}; }
    COPPICE_HD forest_row<T> operator()(forest_row<T> sum, band_value<T> const& next) const {
        if (next.target == band::lower) sum.lower = sum.lower + next.value;
        if (next.target == band::diagonal) sum.diagonal = sum.diagonal + next.value;
        if (next.target == band::upper) sum.upper = sum.upper + next.value;
        return sum;
    }
    COPPICE_HD forest_row<T> operator()(forest_row<T> const& a, forest_row<T> const& b) const {
        return {a.lower + b.lower, a.diagonal + b.diagonal, a.upper + b.upper};
    }
};
template <class T, class I>
struct store_system_row {
    I const* inverse;
    T* lower;
    T* diagonal;
    T* upper;

    COPPICE_HD void operator()(std::int64_t row, forest_row<T> const& sum) const {
        I const p = inverse[row];
        lower[p] = sum.lower;
        diagonal[p] = sum.diagonal;
        upper[p] = sum.upper;
    }
};

/// A nonzero and the band that it belongs to.
template <class O>
struct band_nonzero {
    O nonzero;
    band target;
};
template <class I>
struct find_nonzero {
    I const* indices;
    classify_nonzero<char, I> classify;

    COPPICE_HD band_nonzero<I> operator()(std::int64_t k, std::int64_t row) const {
        return {static_cast<I>(k), classify(char(1), indices[k], row).target};
    }
};
template <class O>
struct record_nonzero {
    COPPICE_HD forest_row<O> identity() const { return {O(-1), O(-1), O(-1)}; }
    COPPICE_HD forest_row<O> operator()(forest_row<O> found, band_nonzero<O> const& next) const {
        if (next.target == band::lower) found.lower = next.nonzero;
        if (next.target == band::diagonal) found.diagonal = next.nonzero;
        if (next.target == band::upper) found.upper = next.nonzero;
        return found;
    }
    COPPICE_HD forest_row<O> operator()(forest_row<O> const& a, forest_row<O> const& b) const {
        return {b.lower < O(0) ? a.lower : b.lower, b.diagonal < O(0) ? a.diagonal : b.diagonal,
                b.upper < O(0) ? a.upper : b.upper};
    }
};

} // namespace graph_detail

/// Indices of the nonzeros that make the system of a forest, for new values on an old pattern. In the memory of its
/// executor.
template <class O>
struct forest_system_indices {
    buffer<O> lower{}, diagonal{}, upper{}; ///< [N] indices of nonzeros in the order of the forest; -1: a zero
};
template <class O>
using forest_system_places [[deprecated("renamed to forest_system_indices")]] = forest_system_indices<O>;

/// Finds the nonzeros of the system of a forest. A has no duplicates. Queued on CUDA. Throws dimension_error if A is
/// not N x N.
template <executor Executor, class T, class I>
forest_system_indices<I> find_forest_system(Executor const& exec, csr_view<T, I> a, linear_forest<I> const& forest) {
    using namespace graph_detail;
    require_square(a, "find_forest_system");
    require_size("rows of the matrix of a forest", a.rows(), forest.vertices);
    std::int64_t const n = a.rows();
    forest_system_indices<I> indices{buffer<I>(exec, n), buffer<I>(exec, n), buffer<I>(exec, n)};
    reduce_rows(exec, make_srcsr_plan(exec, a), find_nonzero<I>{a.indices, {forest.links.data()}}, record_nonzero<I>{},
                store_system_row<I, I>{forest.inverse.data(), indices.lower.data(), indices.diagonal.data(),
                                       indices.upper.data()});
    return indices;
}

/// Copies row p of the system from the values of the matrix.
template <class T, class O>
struct read_forest_row {
    O const *lower_at, *diagonal_at, *upper_at;
    T const* values;
    T *lower, *diagonal, *upper;

    read_forest_row(forest_system_indices<O> const& indices, T const* from, tridiagonal<T>& to)
        : lower_at(indices.lower.data()), diagonal_at(indices.diagonal.data()), upper_at(indices.upper.data()),
          values(from), lower(to.lower.data()), diagonal(to.diagonal.data()), upper(to.upper.data()) {}

    COPPICE_HD void operator()(std::int64_t p) const {
        O const below = lower_at[p], middle = diagonal_at[p], above = upper_at[p];
        T const l = below < O(0) ? T(0) : values[below], d = middle < O(0) ? T(0) : values[middle],
                u = above < O(0) ? T(0) : values[above];
        lower[p] = l;
        diagonal[p] = d;
        upper[p] = u;
    }
};

template <executor Executor, class T, class I, class O>
void extract_forest_system(Executor const& exec, srcsr_plan<O> const& plan, csr_view<T, I, O> a,
                           linear_forest<I> const& forest, tridiagonal<T>& system) {
    require_square(a, "extract_forest_system");
    require_size("rows of the matrix of a forest", a.rows(), forest.vertices);
    require_size("rows of a forest's system", system.size(), forest.vertices);
    reduce_rows(exec, plan,
                along_nonzeros{graph_detail::classify_nonzero<T, I>{forest.links.data()}, a.coefficients, a.indices},
                graph_detail::add_to_row<T>{},
                graph_detail::store_system_row<T, I>{forest.inverse.data(), system.lower.data(), system.diagonal.data(),
                                                     system.upper.data()});
}

template <executor Executor, class T, class I, class O>
tridiagonal<T> extract_forest_system(Executor const& exec, csr_view<T, I, O> a, linear_forest<I> const& forest) {
    tridiagonal<T> system(exec, a.rows());
    extract_forest_system(exec, make_srcsr_plan(exec, a), a, forest, system);
    return system;
}

} // namespace coppice::inline v0_1
