// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factors and linear forests of a weighted graph whose vertices lie in parts: the same as of one device.
#pragma once

#include <cstdint>
#include <memory>

#include <coppice/core/multi_executor.hpp>
#include <coppice/graph/factor/factor_result.hpp>
#include <coppice/graph/forest/linear_forest.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>

namespace coppice {

/// The vertices of one part with their edges, of float or double weights: those of a csr_part that is square and meant
/// to be symmetric, as parallel_factor() takes it. All parts construct it, and call what takes it, at the same time and
/// in the same order, with the executor that it was made with. A copy of the matrix, in the memory of that executor.
template <executor Executor, class T>
class graph_part {
public:
    graph_part(Executor const& exec, part_messages const& others, csr_part<Executor, T> const& weights);
    graph_part(graph_part&&) noexcept;
    graph_part& operator=(graph_part&&) noexcept;
    ~graph_part();

    std::int64_t size() const;  ///< vertices of this part
    std::int64_t first() const; ///< number of the first one in the whole
    std::int64_t outer() const; ///< vertices of other parts that these have edges to

    struct state;
    state const& parts() const { return *state_; }

private:
    std::unique_ptr<state> state_;
};

/// parallel_factor() over parts: the same factor in the same rounds, whatever their number. Of the result `vertices`
/// and `neighbors` are this part's, neighbours numbered as in the whole; the rest is of the whole and the same on all
/// parts. The sums of weights are added in the order of the parts, so that they may differ in the last digits from
/// those of another number of parts.
///
/// In a round 4 n bytes and then one byte cross for each outer vertex, and where the host looks at the round, some
/// numbers from each part. Waits where parallel_factor() does, and in each round where the halo does (halo.hpp).
/// Throws what parallel_factor() does, on all parts.
template <executor Executor, class T>
graph_factor<std::int32_t> parallel_factor(Executor const& exec, graph_part<Executor, T> const& weights,
                                           factor_options const& options = {});

/// extract_forest() over parts: the same forest, cycles across cuts opened and paths numbered through them. Of the
/// result path_ids, positions, inverse and links are of the vertices of this part and name others as in the whole, as
/// `vertices` counts them. `permutation` has the vertices at the positions [first(), first() + size()) of the new
/// order. path_offsets has the places of the paths that begin in this part, and their end. The rest is of the whole.
///
/// What crosses are the ends of paths' pieces at cuts, from every part to every other, and the vertices whose position
/// is another part's. Throws what extract_forest() does, also for a factor that is not mutual across a cut; a factor of
/// another size on this part, the others throw where they meet it.
template <executor Executor, class T>
linear_forest<std::int32_t> extract_forest(Executor const& exec, graph_part<Executor, T> const& weights,
                                           graph_factor<std::int32_t> const& f);

#define COPPICE_GRAPH_PARTS(EXTERN, EXECUTOR, T)                                                                       \
    EXTERN template class graph_part<EXECUTOR, T>;                                                                     \
    EXTERN template graph_factor<std::int32_t> parallel_factor(EXECUTOR const&, graph_part<EXECUTOR, T> const&,        \
                                                               factor_options const&);                                 \
    EXTERN template linear_forest<std::int32_t> extract_forest(EXECUTOR const&, graph_part<EXECUTOR, T> const&,        \
                                                               graph_factor<std::int32_t> const&);
COPPICE_GRAPH_PARTS(extern, host_executor, float)
COPPICE_GRAPH_PARTS(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_GRAPH_PARTS(extern, cuda_executor, float)
COPPICE_GRAPH_PARTS(extern, cuda_executor, double)
#endif

} // namespace coppice
