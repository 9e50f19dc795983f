// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factors and linear forests of a weighted graph whose vertices lie in ranks: the same as of one device.
#pragma once

#include <cstdint>
#include <memory>

#include <coppice/core/multi_executor.hpp>
#include <coppice/graph/factor/factor_result.hpp>
#include <coppice/graph/forest/linear_forest.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>

namespace coppice {

/// The vertices of one rank with their edges, of float or double weights: those of a distributed_csr that is square and meant
/// to be symmetric, as parallel_factor() takes it. All ranks construct it, and call what takes it, at the same time and
/// in the same order, with the executor that it was made with. A copy of the matrix, in the memory of that executor.
template <executor Executor, class T>
class distributed_graph {
public:
    distributed_graph(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& weights);
    distributed_graph(distributed_graph&&) noexcept;
    distributed_graph& operator=(distributed_graph&&) noexcept;
    ~distributed_graph();

    std::int64_t size() const;  ///< vertices of this rank
    std::int64_t first() const; ///< number of the first one in the whole
    std::int64_t outer() const; ///< vertices of other ranks that these have edges to

    struct state;
    state const& ranks() const { return *state_; }

private:
    std::unique_ptr<state> state_;
};

/// parallel_factor() over ranks: the same factor in the same rounds, whatever their number. Of the result `vertices`
/// and `neighbors` are this rank's, neighbours numbered as in the whole; the rest is of the whole and the same on all
/// ranks. The sums of weights are added in the order of the ranks, so that they may differ in the last digits from
/// those of another number of ranks.
///
/// In a round 4 n bytes and then one byte cross for each outer vertex, and where the host looks at the round, some
/// numbers from each rank. Waits where parallel_factor() does, and in each round where the halo does (halo.hpp).
/// Throws what parallel_factor() does, on all ranks.
template <executor Executor, class T>
graph_factor<std::int32_t> parallel_factor(Executor const& exec, distributed_graph<Executor, T> const& weights,
                                           factor_options const& options = {});

/// extract_forest() over ranks: the same forest, cycles across cuts opened and paths numbered through them. Of the
/// result path_ids, positions, inverse and links are of the vertices of this rank and name others as in the whole, as
/// `vertices` counts them. `permutation` has the vertices at the positions [first(), first() + size()) of the new
/// order. path_offsets has the places of the paths that begin in this rank, and their end. The rest is of the whole.
///
/// What crosses are the ends of paths' pieces at cuts, from every rank to every other, and the vertices whose position
/// is another rank's. Throws what extract_forest() does, also for a factor that is not mutual across a cut; a factor of
/// another size on this rank, the others throw where they meet it.
template <executor Executor, class T>
linear_forest<std::int32_t> extract_forest(Executor const& exec, distributed_graph<Executor, T> const& weights,
                                           graph_factor<std::int32_t> const& f);

#define COPPICE_DISTRIBUTED_GRAPH(EXTERN, EXECUTOR, T)                                                                       \
    EXTERN template class distributed_graph<EXECUTOR, T>;                                                                     \
    EXTERN template graph_factor<std::int32_t> parallel_factor(EXECUTOR const&, distributed_graph<EXECUTOR, T> const&,        \
                                                               factor_options const&);                                 \
    EXTERN template linear_forest<std::int32_t> extract_forest(EXECUTOR const&, distributed_graph<EXECUTOR, T> const&,        \
                                                               graph_factor<std::int32_t> const&);
COPPICE_DISTRIBUTED_GRAPH(extern, host_executor, float)
COPPICE_DISTRIBUTED_GRAPH(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_DISTRIBUTED_GRAPH(extern, cuda_executor, float)
COPPICE_DISTRIBUTED_GRAPH(extern, cuda_executor, double)
#endif

} // namespace coppice
