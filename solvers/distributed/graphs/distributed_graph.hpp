// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factors and linear forests of a distributed weighted graph: the same results as on a single rank.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/graph/factor/factor_result.hpp>
#include <coppice/graph/forest/forest_decomposition.hpp>
#include <coppice/graph/forest/linear_forest.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>

namespace coppice::inline v0_1 {

/// The vertices of one rank with their edges. Weights are float or double and come from a square distributed_csr that
/// represents a symmetric matrix, as parallel_factor() requires. All ranks construct the graph, and call the functions
/// that take it, in the same order and with the executor of the constructor. Owns a copy of the matrix in the memory of
/// that executor.
template <executor Executor, class T>
class distributed_graph {
public:
    distributed_graph(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& weights);
    /// As above, of the submatrix of the rows and columns of this rank, in memory of the executor, and the entries in
    /// columns of other ranks. Rank p has the vertices [begins[p], begins[p + 1]).
    distributed_graph(Executor const& exec, rank_communicator const& comm, std::vector<std::int64_t> const& begins,
                      csr_view<T> own, typename distributed_csr<Executor, T>::entries_of_others const& couplings);
    distributed_graph(distributed_graph&&) noexcept;
    distributed_graph& operator=(distributed_graph&&) noexcept;
    ~distributed_graph();

    std::int64_t size() const;  ///< vertices of this rank
    std::int64_t first() const; ///< global index of the first vertex of this rank
    std::int64_t outer() const; ///< vertices of other ranks that are adjacent to vertices of this rank

    struct state;
    state const& ranks() const { return *state_; }
    state& ranks() { return *state_; }

private:
    std::unique_ptr<state> state_;
};

/// parallel_factor() of a distributed graph: the same factor in the same rounds for any number of ranks. In the result,
/// `vertices` and `neighbors` belong to this rank, with global neighbour indices; all other members describe the whole
/// graph and are equal on all ranks. Sums of weights are added in rank order, so their last digits may depend on the
/// number of ranks.
///
/// Communication per round: 4 n bytes (n: degree of the factor) and then one byte per outer vertex, and a few numbers
/// per rank in rounds that the host checks. Synchronises when parallel_factor() does, and in each round in which the
/// halo exchange does (halo.hpp). Throws the errors of parallel_factor(), on all ranks.
template <executor Executor, class T>
graph_factor<std::int32_t> parallel_factor(Executor const& exec, distributed_graph<Executor, T> const& weights,
                                           factor_options const& options = {});

/// extract_forest() of a distributed graph: the same forest; cycles across rank boundaries are broken, and paths across
/// them are numbered. In the result, path_ids, positions, inverse and links belong to the vertices of this rank and
/// hold global indices; `vertices` is the number of vertices of this rank. `permutation` holds the vertices at
/// positions [first(), first() + size()) of the new order. path_offsets holds the offsets of the paths that begin on
/// this rank, and their end. All other members describe the whole graph.
///
/// Communication: the ends of path pieces at rank boundaries (all to all), and the vertices whose new position belongs
/// to another rank. Throws the errors of extract_forest(), also for a factor that is not mutual across a rank boundary.
/// If the factor has the wrong size on this rank, the other ranks throw at their next communication.
template <executor Executor, class T>
linear_forest<std::int32_t> extract_forest(Executor const& exec, distributed_graph<Executor, T> const& weights,
                                           graph_factor<std::int32_t> const& f);

/// decompose_into_forests() of a distributed graph: the same forests, as extract_forest() returns them for the rank.
/// Coverages may differ in the last digits, as for parallel_factor(). Communication and errors: those of both functions
/// for each forest, and a sum over all ranks.
template <executor Executor, class T>
forest_decomposition<std::int32_t> decompose_into_forests(Executor const& exec,
                                                          distributed_graph<Executor, T> const& weights,
                                                          decomposition_options const& options = {});

#define COPPICE_DISTRIBUTED_GRAPH(EXTERN, EXECUTOR, T)                                                                 \
    EXTERN template class distributed_graph<EXECUTOR, T>;                                                              \
    EXTERN template graph_factor<std::int32_t> parallel_factor(EXECUTOR const&, distributed_graph<EXECUTOR, T> const&, \
                                                               factor_options const&);                                 \
    EXTERN template linear_forest<std::int32_t> extract_forest(EXECUTOR const&, distributed_graph<EXECUTOR, T> const&, \
                                                               graph_factor<std::int32_t> const&);                     \
    EXTERN template forest_decomposition<std::int32_t> decompose_into_forests(                                         \
        EXECUTOR const&, distributed_graph<EXECUTOR, T> const&, decomposition_options const&);
COPPICE_DISTRIBUTED_GRAPH(extern, host_executor, float)
COPPICE_DISTRIBUTED_GRAPH(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_DISTRIBUTED_GRAPH(extern, cuda_executor, float)
COPPICE_DISTRIBUTED_GRAPH(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1
