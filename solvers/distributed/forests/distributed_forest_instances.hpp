// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions of distributed_forest.hpp. Included by the two sources that instantiate them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <coppice/core/stopwatch.hpp>
#include <coppice/solvers/distributed/forests/distributed_forest.hpp>
#include <coppice/solvers/distributed/forests/forest_weights.hpp>
#include <coppice/solvers/distributed/forests/path_system.hpp>
#include <coppice/solvers/distributed/forests/rank_pattern.hpp>

namespace coppice::inline v0_1::distributed {

template <executor Executor, class T>
struct distributed_forest<Executor, T>::state final : rank_state<Executor, T> {
    /// What the report needs of the forest.
    struct summary {
        std::int64_t paths = 0, longest_path = 0, cycles_broken = 0;
        double weight_coverage = 1;
        int rounds = 0;
        double weights_seconds = 0, factor_seconds = 0, forest_seconds = 0, system_seconds = 0;
    };

    using rank_state<Executor, T>::comm;
    using rank_state<Executor, T>::rows;
    rank_pattern pattern;
    summary found{};
    buffer<std::int32_t> links{}; ///< of the forest, global
    std::optional<path_system<Executor, T>> system{};

    state(Executor const& exec, rank_communicator const& ranks, distributed_csr<Executor, T> const& a,
          forest_options const& with)
        : rank_state<Executor, T>(ranks, a), pattern(exec, a) {
        auto forest = make_forest(exec, a, with.factor);
        detail::stopwatch watch(exec);
        system.emplace(exec, comm, a.begins(), forest, with.tridiagonal);
        links = std::move(forest.links);
        read(exec, a);
        found.system_seconds = watch.lap();
    }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) override { system->solve(exec, r, z); }
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) override {
        system->solve_transposed(exec, r, z);
    }
    void refresh(Executor const& exec, distributed_csr<Executor, T> const& a) override {
        pattern.require_same(exec, comm, a);
        read(exec, a);
    }
    bool replayable() const override { return system->replayable(); }
    std::vector<finding> findings() const override {
        return {{"paths", finding_unit::count, double(found.paths)},
                {"longest_path", finding_unit::count, double(found.longest_path)},
                {"weight_coverage", finding_unit::fraction, found.weight_coverage},
                {"cycles_broken", finding_unit::count, double(found.cycles_broken)},
                {"rounds", finding_unit::count, double(found.rounds)},
                {"mended_rows", finding_unit::count, double(system->regularised_rows())},
                {"weights_seconds", finding_unit::seconds, found.weights_seconds},
                {"factor_seconds", finding_unit::seconds, found.factor_seconds},
                {"forest_seconds", finding_unit::seconds, found.forest_seconds},
                {"system_seconds", finding_unit::seconds, found.system_seconds}};
    }

private:
    void read(Executor const& exec, distributed_csr<Executor, T> const& a) {
        // Both sums of weights have the same terms in the same order: with all edges the coverage is exactly 1.
        bool const whole = found.weight_coverage == 1;
        system->set(exec, forest_rows(exec, comm, a, placed_couplings(exec, a), links), whole);
    }
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
    this->state_ = std::make_unique<state>(exec, comm, a, options);
}
template <executor Executor, class T>
bool distributed_forest<Executor, T>::divides_paths() const {
    return static_cast<state const&>(*this->state_).system->divided();
}

} // namespace coppice::inline v0_1::distributed
