// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions of distributed_forest.hpp. Included by the two sources that instantiate them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <coppice/core/stopwatch.hpp>
#include <coppice/solvers/distributed/forests/distributed_forest.hpp>
#include <coppice/solvers/distributed/forests/forest_weights.hpp>
#include <coppice/solvers/distributed/forests/path_system.hpp>
#include <coppice/solvers/distributed/forests/rank_pattern.hpp>

namespace coppice::inline v0_1::distributed {

template <executor Executor, class T>
struct distributed_forest<Executor, T>::state {
    /// What the report needs of the forest.
    struct summary {
        std::int64_t paths = 0, longest_path = 0, cycles_broken = 0;
        double weight_coverage = 1;
        int rounds = 0;
        double weights_seconds = 0, factor_seconds = 0, forest_seconds = 0, system_seconds = 0;
    };

    rank_communicator comm;
    std::int64_t rows; ///< of this rank
    rank_pattern pattern;
    summary found{};
    buffer<std::int32_t> links{}; ///< of the forest, global
    std::optional<path_system<Executor, T>> system{};

    state(Executor const& exec, rank_communicator const& ranks, distributed_csr<Executor, T> const& a,
          forest_options const& with)
        : comm(ranks), rows(a.size()), pattern(exec, a) {
        auto forest = make_forest(exec, a, with.factor);
        detail::stopwatch watch(exec);
        system.emplace(exec, comm, a.begins(), forest, with.tridiagonal);
        links = std::move(forest.links);
        read(exec, a);
        found.system_seconds = watch.lap();
    }
    void read(Executor const& exec, distributed_csr<Executor, T> const& a) {
        // Both sums of weights have the same terms in the same order: with all edges the coverage is exactly 1.
        bool const whole = found.weight_coverage == 1;
        system->set(exec, forest_rows(exec, comm, a, placed_couplings(exec, a), links), whole);
    }

private:
    linear_forest<std::int32_t> make_forest(Executor const& exec, distributed_csr<Executor, T> const& a,
                                            factor_options factor) {
        factor.degree = 2; // paths
        detail::stopwatch watch(exec);
        auto const graph = make_weighted_graph(exec, comm, a);
        found.weights_seconds = watch.lap();
        auto const edges = parallel_factor(exec, graph, factor);
        found.factor_seconds = watch.lap();
        auto forest = extract_forest(exec, graph, edges);
        found.forest_seconds = watch.lap();
        found.paths = forest.paths;
        found.longest_path = forest.longest_path;
        found.cycles_broken = forest.cycles_broken;
        found.weight_coverage = forest.weight_coverage;
        found.rounds = edges.rounds;
        return forest;
    }
};

template <executor Executor, class T>
distributed_forest<Executor, T>::distributed_forest(Executor const& exec, rank_communicator const& comm,
                                                    distributed_csr<Executor, T> const& a,
                                                    forest_options const& options) {
    require_solves_over_ranks<Executor, T>(exec, options.tridiagonal, "forest");
    state_ = std::make_unique<state>(exec, comm, a, options);
}
template <executor Executor, class T>
distributed_forest<Executor, T>::distributed_forest(distributed_forest&&) noexcept = default;
template <executor Executor, class T>
distributed_forest<Executor, T>& distributed_forest<Executor, T>::operator=(distributed_forest&&) noexcept = default;
template <executor Executor, class T>
distributed_forest<Executor, T>::~distributed_forest() = default;

template <executor Executor, class T>
void distributed_forest<Executor, T>::apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
    require_size("r of a preconditioner", r, state_->rows);
    require_size("z of a preconditioner", z, state_->rows);
    state_->system->solve(exec, r, z);
}
template <executor Executor, class T>
void distributed_forest<Executor, T>::apply_transpose(Executor const& exec, array_view<T const> r,
                                                      array_view<T> z) const {
    require_size("r of a preconditioner", r, state_->rows);
    require_size("z of a preconditioner", z, state_->rows);
    state_->system->solve_transposed(exec, r, z);
}
template <executor Executor, class T>
void distributed_forest<Executor, T>::refresh(Executor const& exec, distributed_csr<Executor, T> const& a) {
    state_->pattern.require_same(exec, state_->comm, a);
    state_->read(exec, a);
}
template <executor Executor, class T>
void distributed_forest<Executor, T>::refresh(Executor const&, csr_view<T>) {
    refuse_own_block();
}
template <executor Executor, class T>
bool distributed_forest<Executor, T>::replayable() const {
    return state_->system->replayable();
}
template <executor Executor, class T>
bool distributed_forest<Executor, T>::divides_paths() const {
    return state_->system->divided();
}
template <executor Executor, class T>
std::vector<finding> distributed_forest<Executor, T>::findings() const {
    auto const& f = state_->found;
    return {{"paths", finding_unit::count, double(f.paths)},
            {"longest_path", finding_unit::count, double(f.longest_path)},
            {"weight_coverage", finding_unit::fraction, f.weight_coverage},
            {"cycles_broken", finding_unit::count, double(f.cycles_broken)},
            {"rounds", finding_unit::count, double(f.rounds)},
            {"mended_rows", finding_unit::count, double(state_->system->regularised_rows())},
            {"weights_seconds", finding_unit::seconds, f.weights_seconds},
            {"factor_seconds", finding_unit::seconds, f.factor_seconds},
            {"forest_seconds", finding_unit::seconds, f.forest_seconds},
            {"system_seconds", finding_unit::seconds, f.system_seconds}};
}

} // namespace coppice::inline v0_1::distributed
