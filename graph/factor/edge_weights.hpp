// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Edge weights of the undirected graph of a matrix; without a copy if the matrix can be used directly.
#pragma once

#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/spmv/inspect_nonzeros.hpp>

namespace coppice::inline v0_1 {

/// Weights that parallel_factor() and extract_forest() read: the magnitudes at (i, j) and (j, i) are the weight of edge
/// {i, j}. Diagonal entries and zeros are no edges. Move-only; borrows the matrix that it was made from.
template <class T, class I, class O = I>
struct edge_weights {
    csr_view<T, I, O> view{};
    csr<T, I, O> made{}; ///< owns pattern and values, if the pattern differs from that of the matrix
    buffer<T> values{};  ///< owns the values, if only these differ
};

namespace graph_detail {

/// values[k] = |a_ij| + |a_ji| for nonzero k = (i, j) of a symmetric pattern. Implemented as the product of a reduction
/// whose sums are ignored.
template <class T, class I, class O>
struct add_mirror {
    csr_view<T, I, O> a;
    T* values;
    COPPICE_HD std::uint8_t operator()(std::int64_t k, std::int64_t row) const {
        O const mirror = detail::position_in_row(a, a.indices[k], row);
        values[k] = detail::magnitude(a.coefficients[k]) + detail::magnitude(a.coefficients[mirror]);
        return 0;
    }
};
/// values[k] = |a_ij| + |a_ji| if mirrors[k] is the position of the mirror entry. The result is reduced by maximum: 2
/// if there is no mirror entry, 1 if its magnitude differs, else 0.
template <class T, class O>
struct add_known_mirror {
    T const* coefficients;
    O const* mirrors;
    T* values;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const {
        if (mirrors[k] < 0) return 2;
        T const own = detail::magnitude(coefficients[k]), other = detail::magnitude(coefficients[mirrors[k]]);
        values[k] = own + other;
        return own != other ? 1 : 0;
    }
};
/// Position of a_ji for nonzero k = (i, j), or -1.
template <class T, class I, class O>
struct write_mirror {
    csr_view<T, I, O> a;
    O* mirrors;
    COPPICE_HD std::uint8_t operator()(std::int64_t k, std::int64_t row) const {
        mirrors[k] = detail::position_in_row(a, a.indices[k], row);
        return 0;
    }
};
struct ignore_products {
    COPPICE_HD std::uint8_t identity() const { return 0; }
    COPPICE_HD std::uint8_t operator()(std::uint8_t, std::uint8_t) const { return 0; }
};
struct ignore_rows {
    COPPICE_HD void operator()(std::int64_t, std::uint8_t) const {}
};

/// Position of the mirror entry of every nonzero of a square matrix with sorted rows; -1: none.
template <executor Executor, class T, class I, class O>
buffer<O> find_mirrors(Executor const& exec, srcsr_plan<O> const& plan, csr_view<T, I, O> a) {
    buffer<O> mirrors(exec, a.nonzeros());
    reduce_rows(exec, plan, write_mirror<T, I, O>{a, mirrors.data()}, ignore_products{}, ignore_rows{});
    return mirrors;
}
/// find_mirrors() on the host, with one search per pair.
template <class T, class I, class O>
buffer<O> find_mirrors(host_executor const& exec, srcsr_plan<O> const&, csr_view<T, I, O> a) {
    constexpr std::int64_t block = 2048; // rows
    buffer<O> mirrors(exec, a.nonzeros());
    fill(exec, mirrors.view(), O(-1));
    coppice::detail::for_each_block(exec, a.rows(), block, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row)
            for (O k = a.row_begin(row), end = a.row_end(row); k < end; ++k) {
                std::int64_t const column = a.indices[k];
                if (column < row) continue;
                O const mirror = column == row ? k : coppice::detail::position_in_row(a, column, row);
                if (mirror < 0) continue;
                mirrors[k] = mirror;
                mirrors[mirror] = k;
            }
    });
    return mirrors;
}

} // namespace graph_detail

/// Returns the weights |a_ij| if A is symmetric by magnitude, else |a_ij| + |a_ji|, as symmetrised_weights(). The graph
/// is the same; the view may contain a diagonal and zeros. A symmetric matrix is borrowed; a symmetric pattern with
/// other values gets new values; any other matrix gets a new pattern. Mirror entries are found by binary search.
///
/// A is square (dimension_error), has no duplicates, and all its values are finite (matrix_error). Unsorted rows are
/// sorted in a copy. Waits. Throws overflow_error if the union of both patterns exceeds O.
template <executor Executor, class T, class I, class O>
edge_weights<T, I, O> make_edge_weights(Executor const& exec, csr_view<T, I, O> a) {
    using namespace graph_detail;
    require_square(a, "make_edge_weights");
    edge_weights<T, I, O> weights;
    weights.view = a;
    if (!a.offsets) return weights;
    using flags = detail::nonzero_flags;
    flags found = detail::inspect_nonzeros(exec, a);
    if (found.any(flags::not_finite)) detail::require_finite(exec, a);
    if (found.any(flags::unsorted)) {
        weights.made = sort_columns(exec, a);
        weights.view = weights.made.view();
        found = detail::inspect_nonzeros(exec, weights.view);
        if (found.any(flags::unsorted))
            throw matrix_error("a row holds a column twice, expected every entry once; sum duplicates first");
    }
    if (found.symmetric_pattern() && !found.any(flags::uneven)) return weights;
    if (!found.symmetric_pattern()) {
        weights.made = detail::united_weights(exec, weights.view);
        weights.view = weights.made.view();
        return weights;
    }
    weights.values = buffer<T>(exec, a.nonzeros());
    reduce_rows(exec, make_srcsr_plan(exec, weights.view), add_mirror<T, I, O>{weights.view, weights.values.data()},
                ignore_products{}, ignore_rows{});
    weights.view.coefficients = weights.values.data();
    return weights;
}

namespace graph_detail {
/// make_edge_weights() for a matrix with sorted rows and finite values, given find_mirrors() of its pattern.
template <executor Executor, class T, class I, class O>
edge_weights<T, I, O> edge_weights_by(Executor const& exec, csr_view<T, I, O> a, array_view<O const> mirrors) {
    edge_weights<T, I, O> weights;
    weights.view = a;
    weights.values = buffer<T>(exec, a.nonzeros());
    std::int64_t const fault =
        reduce(exec, a.nonzeros(), std::int64_t(0),
               add_known_mirror<T, O>{a.coefficients, mirrors.data(), weights.values.data()}, maximum{});
    if (fault == 1) {
        weights.view.coefficients = weights.values.data();
        return weights;
    }
    weights.values = {};
    if (fault == 2) {
        weights.made = detail::united_weights(exec, a);
        weights.view = weights.made.view();
    }
    return weights;
}
} // namespace graph_detail

} // namespace coppice::inline v0_1
