// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/complex_form.hpp>

#include <string>
#include <utility>

#include <coppice/solvers/distributed/graphs/distributed_bfs.hpp>
#include <coppice/solvers/distributed/graphs/elements_at.hpp>
#include <coppice/solvers/distributed/rows/distributed_rows.hpp>
#include <coppice/solvers/multilevel/complex_multilevel.hpp>

namespace coppice::inline v0_1::distributed {
namespace {

template <class R>
auto sum_phases(host_executor const& host, rank_communicator const& comm, complex_rows<R> const& a) {
    using sum = multilevel_detail::sum_of_phases<R>;
    multilevel_detail::phases_of_row<R, std::int32_t> const of_row{a.view()};
    return comm.all_reduce(reduce(host, std::int64_t(a.view().rows()), sum{}, of_row, sum{}), sum{});
}

/// The real forms of t and i t for the vector t of follow_phases(), along the search tree of all ranks.
template <class R>
buffer<R> follow_phases(host_executor const& host, rank_communicator const& comm, complex_rows<R> const& a) {
    std::vector<vertex_id> columns = a.columns;
    for (vertex_id& column : columns) column = a.global_column(column);
    distributed_rows const graph(host, comm, a.offsets, columns);
    auto const tree = bfs_distributed(host, comm, graph, a.begins.back() / 2);

    std::int64_t const n = graph.size();
    buffer<vertex_id> parents(host, n);
    for (std::int64_t v = 0; v < n; ++v)
        parents[v] = tree.parents[v] < 0 ? vertex_id(-1) : a.local_column(tree.parents[v]);
    buffer<complex_pair<double>> t(host, n);
    for_each(host, n, multilevel_detail::store_quotient<R, std::int32_t>{a.view(), parents.data(), t.data()});
    for (vertex_id& parent : parents) parent = a.global_column(parent);

    // Doubles the lengths of the paths to the root: t_v / t_q for the parent q of the parent p.
    for (std::int64_t length = 1; length < std::int64_t(tree.depth); length *= 2) {
        auto const above = fetch_values_at(host, comm, a.begins, t.data(), parents.view());
        auto next = fetch_values_at(host, comm, a.begins, parents.data(), parents.view());
        for (std::int64_t v = 0; v < n; ++v)
            if (parents[v] != a.first + v) t[v] = t[v] * above[v];
        std::swap(parents, next);
    }
    return multilevel_detail::real_vectors<R>(host, n, t.view());
}

} // namespace

template <class R>
complex_pair<R> factor_of_phases(host_executor const& host, rank_communicator const& comm, complex_rows<R> const& a,
                                 complex_pair<R> standard) {
    auto const sum = sum_phases(host, comm, a);
    if (!coppice::detail::is_finite(sum.diagonal)) return standard;
    return complex_pair<R>(conjugate_of(multilevel_detail::direction(sum.diagonal)));
}

template <class R>
row_block<R> real_rows(host_executor const& host, complex_rows<R> const& a, complex_pair<R> factor) {
    auto const all = 2 * a.begins.back();
    static_cast<void>(checked_cast<std::int32_t>(all, "rows of the real form of a complex matrix"));
    auto const own = multilevel_detail::real_form(host, a.view(), factor);
    row_block<R> rows{.first = 2 * a.first, .all_rows = all, .all_columns = all};
    rows.offsets = to_vector(host, own.row_offsets());
    rows.columns = to_vector(host, own.column_indices());
    rows.values = to_vector(host, own.values());
    for (std::int32_t& column : rows.columns) column = 2 * a.global_column(column / 2) + column % 2;
    return rows;
}

template <class R>
real_vectors_of_rank<R> near_vectors_of(host_executor const& host, rank_communicator const& comm,
                                        complex_rows<R> const& a, int block) {
    constexpr double min_aligned = multilevel_detail::min_aligned_phases;
    auto const sum = sum_phases(host, comm, a);
    if (block == 1 && sum.couplings.re < min_aligned * sum.magnitudes) return {2, follow_phases(host, comm, a)};
    return {2 * block,
            multilevel_detail::constants_of_components<R>(host, 2 * block, 2 * std::int64_t(a.view().rows()))};
}

template <class R>
real_vectors_of_rank<R> near_vectors_of(host_executor const& host, array_view<complex_pair<R> const> vectors,
                                        int count) {
    multilevel_detail::require_finite_vectors(host, near_null_space<complex_pair<R>>{1, count, vectors});
    return {2 * count, multilevel_detail::real_vectors<R>(host, vectors.size() / count, vectors)};
}

#define COPPICE_COMPLEX_FORM(R)                                                                                        \
    template complex_pair<R> factor_of_phases(host_executor const&, rank_communicator const&, complex_rows<R> const&,  \
                                              complex_pair<R>);                                                        \
    template row_block<R> real_rows(host_executor const&, complex_rows<R> const&, complex_pair<R>);                    \
    template real_vectors_of_rank<R> near_vectors_of(host_executor const&, rank_communicator const&,                   \
                                                     complex_rows<R> const&, int);                                     \
    template real_vectors_of_rank<R> near_vectors_of(host_executor const&, array_view<complex_pair<R> const>, int);
COPPICE_COMPLEX_FORM(float)
COPPICE_COMPLEX_FORM(double)

} // namespace coppice::inline v0_1::distributed
