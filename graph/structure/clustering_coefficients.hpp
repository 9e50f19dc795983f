// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Clustering coefficients of weighted and of directed graphs, by masked matrix products.
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include <coppice/graph/frontier/graph_view.hpp>
#include <coppice/semiring/matrix_operations/elementwise.hpp>
#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/spgemm/product.hpp>

namespace coppice::inline v0_1 {

struct clustering_options {
    bool undirected = false; ///< the graph is known to store both directions of every edge, with equal values
    bool weighted = false;   ///< whether values are weights; otherwise each edge has the same
};

/// Computes the clustering coefficient of every vertex. With w the third root of weight / largest weight (of all stored
/// entries; 1 without weights), loops ignored, B = W + W^T and d the number of edges at a vertex:
///
///     undirected: c_i = (W^3)_ii / (d (d - 1))                                     (Onnela et al. 2005)
///     directed:   c_i = (B^3)_ii / (2 (d (d - 1) - 2 d'))                          (Fagiolo 2007)
///
/// d' is the number of neighbours with edges in both directions; 0 / 0 is 0. Without weights of an undirected graph
/// these are the coefficients of clustering(), which takes less time. Rows are sorted and have no parallel edges. Time
/// and memory of a masked product W W. Throws matrix_error for weights that are negative or not finite. Waits.
template <executor Executor, class T>
buffer<double> clustering_coefficients(Executor const& exec, csr_view<T> a, clustering_options const& options = {});

namespace analytics {

template <class T>
struct largest_weight {
    T const* values;
    /// Infinity for a weight that is negative or not finite.
    COPPICE_HD double operator()(std::int64_t k) const {
        double const x = double(values[k]);
        return x >= 0 && x - x == 0 ? x : std::numeric_limits<double>::infinity();
    }
};

/// Number of entries of a row that are not on the diagonal.
struct degree_without_loops {
    std::int32_t const* offsets;
    vertex_id const* neighbors;
    COPPICE_HD std::int64_t operator()(std::int64_t u) const {
        std::int64_t count = 0;
        for (auto k = offsets[u]; k < offsets[u + 1]; ++k) count += neighbors[k] != u;
        return count;
    }
};

struct coefficient_of_paths {
    csr_view<double> b;     ///< symmetric
    csr_view<double> paths; ///< entries of B B where B has one
    degree_without_loops leaving, entering, neighbors;
    bool undirected;
    double* coefficients;
    COPPICE_HD void operator()(std::int64_t u) const {
        double sum = 0; // (B^3)_uu
        auto k = b.row_begin(u);
        for (auto p = paths.row_begin(u); p < paths.row_end(u); ++p) {
            while (k < b.row_end(u) && b.indices[k] < paths.indices[p]) ++k;
            if (k < b.row_end(u) && b.indices[k] == paths.indices[p]) sum += paths.coefficients[p] * b.coefficients[k];
        }
        double d = double(leaving(u)), pairs = d * (d - 1);
        if (!undirected) {
            d += double(entering(u));
            pairs = 2 * (d * (d - 1) - 2 * (d - double(neighbors(u))));
        }
        coefficients[u] = pairs > 0 ? sum / pairs : 0.0;
    }
};
/// Cube roots of the weights relative to the largest one; 1 if that is 0, and 0 for loops.
template <class T>
struct store_roots {
    csr_view<T> a;
    double largest;
    double* roots;
    COPPICE_HD void operator()(std::int64_t u) const {
        for (auto k = a.row_begin(u); k < a.row_end(u); ++k)
            roots[k] = a.indices[k] == u ? 0.0 : largest > 0 ? std::cbrt(double(a.coefficients[k]) / largest) : 1.0;
    }
};

} // namespace analytics

template <executor Executor, class T>
buffer<double> clustering_coefficients(Executor const& exec, csr_view<T> a, clustering_options const& options) {
    using namespace analytics;
    std::int64_t const n = a.rows();
    require_square(a, "a graph");
    buffer<double> found(exec, n), roots(exec, a.nonzeros());
    double largest = 0;
    if (options.weighted) largest = reduce(exec, a.nonzeros(), 0.0, largest_weight<T>{a.coefficients}, maximum{});
    if (!(largest < std::numeric_limits<double>::infinity()))
        throw matrix_error("clustering_coefficients: a weight is negative or not finite");
    if (options.weighted && largest == 0) {
        fill(exec, found.view(), 0.0);
        return found;
    }
    for_each(exec, n, store_roots<T>{a, largest, roots.data()});
    csr_view<double> const w{a.rows(), a.columns(), a.nonzeros(), a.offsets, a.indices, roots.data()};
    csr<double> transposed, sum;
    if (!options.undirected) {
        transposed = transpose(exec, w);
        sum = ewise_add(exec, op::plus<double>{}, w, transposed.view());
    }
    auto const b = options.undirected ? w : sum.view(), entering = options.undirected ? w : transposed.view();
    auto const paths = masked_mxm(exec, plus_times<double>{}, b, b, b, {.structure = true});
    for_each(exec, n,
             coefficient_of_paths{b,
                                  paths.view(),
                                  {a.offsets, a.indices},
                                  {entering.offsets, entering.indices},
                                  {b.offsets, b.indices},
                                  options.undirected,
                                  found.data()});
    exec.synchronize(); // the matrices are destroyed here
    return found;
}

#define COPPICE_CLUSTERING_COEFFICIENTS(EXTERN, EXECUTOR, T)                                                           \
    EXTERN template buffer<double> clustering_coefficients(EXECUTOR const&, csr_view<T>, clustering_options const&)
COPPICE_CLUSTERING_COEFFICIENTS(extern, host_executor, float);
COPPICE_CLUSTERING_COEFFICIENTS(extern, host_executor, double);
COPPICE_CLUSTERING_COEFFICIENTS(extern, cuda_executor, float);
COPPICE_CLUSTERING_COEFFICIENTS(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
