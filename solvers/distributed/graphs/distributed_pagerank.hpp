// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// PageRank over ranks.
#pragma once

#include <type_traits>
#include <utility>

#include <coppice/graph/structure/pagerank.hpp>
#include <coppice/solvers/distributed/rows/distributed_rows.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

template <class T>
struct contribution {
    COPPICE_HD T operator()(std::int64_t, T const& x) const { return x; }
};
template <class T>
struct contribution_by_weight {
    T const* weights;
    COPPICE_HD T operator()(std::int64_t k, T const& x) const { return weights[k] * x; }
};
/// Sum of the weights of a row, or its length.
template <class T, class O>
struct out_sum {
    O const* offsets;
    T const* weights; ///< null: all are 1
    T* sums;
    COPPICE_HD void operator()(std::int64_t v) const {
        double sum = double(offsets[v + 1] - offsets[v]);
        if (weights) {
            sum = 0;
            for (O k = offsets[v]; k < offsets[v + 1]; ++k) sum += weights[k];
        }
        sums[v] = static_cast<T>(sum);
    }
};

} // namespace distributed

/// pagerank() of a graph whose edges are distributed by the vertices that they leave (`rows`), with the rows of the
/// transposed graph in the same blocks (`incoming`; `rows` itself if the graph is undirected; transpose_rows()).
/// `weights`: weights of the edges of `rows` and of `incoming`; empty: all are 1. `ranks` belong to the vertices of
/// this rank; all other members describe the whole graph and are equal on all ranks.
///
/// Every iteration is one reduce_rows() with a halo of one value per outer vertex, and one gather. The bits are equal
/// for threads and processes and on every run. The number of ranks of the communicator affects the last digits, because
/// two sums over all vertices (of the changes, and of the PageRank of vertices without outgoing edges) are added in the
/// order of these ranks. The number of iterations then differs only if a residual equals the tolerance up to these
/// digits.
///
/// Host and CUDA (G of 32, O of 32 or 64 bits); the result and the weights are in memory of the executor. Collective.
/// Throws the errors of pagerank(), on all ranks for options, otherwise on this rank.
template <class T, executor Executor, class G, class O>
pagerank_result<T> pagerank_distributed(Executor const& exec, rank_communicator const& comm,
                                        distributed_rows<Executor, G, O> const& rows,
                                        distributed_rows<Executor, G, O> const& incoming,
                                        pagerank_options const& options = {}, directed_weights<T> const& weights = {}) {
    using namespace analytics;
    std::int64_t const n = rows.size(), all = rows.all_rows();
    require_size("vertices of the incoming edges of pagerank", incoming.size(), n);
    check_pagerank({}, {}, options, 0);
    bool const weighted = !weights.outgoing.empty() || !weights.incoming.empty();
    check_weights<is_no_weight<T>>(exec, "weights of pagerank", weights.outgoing, weighted ? rows.nonzeros() : 0,
                                   "finite weights of at least 0");
    check_weights<is_no_weight<T>>(exec, "weights of pagerank", weights.incoming, weighted ? incoming.nonzeros() : 0,
                                   "finite weights of at least 0");
    pagerank_result<T> result{buffer<T>(exec, n)};
    if (all == 0) return {std::move(result.ranks), 0, 0, true};
    buffer<T> next_ranks(exec, n), contributions(exec, n), next_contributions(exec, n), sums(exec, n);
    for_each(exec, n, distributed::out_sum<T, O>{rows.offsets().data(), weights.outgoing.data(), sums.data()});
    out_weight<T> const out{{}, sums.data()};
    store_rank<T> store{out, result.ranks.data(), contributions.data(), nullptr, T(options.damping), T(0)};
    double const scale = 1.0 / double(all);
    for_each(exec, n, first_rank<T>{store, T(scale)});
    auto const over_ranks = [&](buffer<T> const& before, buffer<T> const& ranks) {
        rank_sums_of<T> const sums_of{before.data(), ranks.data(), out};
        return comm.all_reduce(reduce(exec, n, rank_sums{0, 0}, sums_of, add_rank_sums{}), add_rank_sums{});
    };
    auto halo = incoming.template halo_of<T>(exec, comm);
    double dangling = over_ranks(result.ranks, result.ranks).dangling;
    while (result.iterations < options.max_iterations && !result.converged) {
        store.ranks = next_ranks.data();
        store.contributions = next_contributions.data();
        store.everywhere = T((options.damping * dangling + (1 - options.damping)) * scale);
        auto const pass = [&](auto const& multiply) {
            reduce_rows(exec, incoming, halo, array_view<T const>(contributions.data(), n), multiply, add_in_double{},
                        store);
        };
        if (weighted)
            pass(distributed::contribution_by_weight<T>{weights.incoming.data()});
        else
            pass(distributed::contribution<T>{});
        contributions.swap(next_contributions);
        result.ranks.swap(next_ranks);
        auto const changed = over_ranks(next_ranks, result.ranks);
        ++result.iterations;
        result.residual = changed.change;
        dangling = changed.dangling;
        result.converged = changed.change < options.tolerance;
    }
    return result;
}

#define COPPICE_PAGERANK_DISTRIBUTED(EXTERN, EXECUTOR, T, O)                                                           \
    EXTERN template pagerank_result<T> pagerank_distributed<T>(                                                        \
        EXECUTOR const&, rank_communicator const&, distributed_rows<EXECUTOR, vertex_id, O> const&,                    \
        distributed_rows<EXECUTOR, vertex_id, O> const&, pagerank_options const&, directed_weights<T> const&)
COPPICE_PAGERANK_DISTRIBUTED(extern, cuda_executor, float, std::int32_t);
COPPICE_PAGERANK_DISTRIBUTED(extern, cuda_executor, float, std::int64_t);
COPPICE_PAGERANK_DISTRIBUTED(extern, cuda_executor, double, std::int32_t);
COPPICE_PAGERANK_DISTRIBUTED(extern, cuda_executor, double, std::int64_t);

} // namespace coppice::inline v0_1
