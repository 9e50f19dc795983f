// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions of distributed_forest.hpp. Included by the two sources that instantiate them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <coppice/core/stopwatch.hpp>
#include <coppice/solvers/direct/regularise/regularise_tridiagonal.hpp>
#include <coppice/solvers/distributed/bands/reduced_ranks.hpp>
#include <coppice/solvers/distributed/forests/distributed_forest.hpp>
#include <coppice/solvers/distributed/forests/forest_rows.hpp>
#include <coppice/solvers/distributed/forests/forest_weights.hpp>

namespace coppice::inline v0_1::distributed {

struct store_index {
    std::int32_t first;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = first + std::int32_t(i); }
};

template <executor Executor, class T>
struct distributed_forest<Executor, T>::state {
    using plan_type = order_plan<Executor>;
    using vectors = elements_in_order<Executor, T>;

    /// What the report needs of the forest.
    struct summary {
        std::int64_t paths = 0, longest_path = 0, cycles_broken = 0;
        double weight_coverage = 1;
        int rounds = 0;
        double weights_seconds = 0, factor_seconds = 0, forest_seconds = 0, system_seconds = 0;
    };

    rank_communicator comm;
    tridiagonal_options options;
    rank_offsets begins; ///< first row of each rank
    summary found{};
    bool divided = false; ///< whether a path may have rows of several ranks
    std::int64_t regularised_rows = 0;
    tridiagonal<T> system{};
    std::optional<plan_type> to_order{}, from_order{}; ///< of the elements of r, and of those of z
    std::optional<vectors> rhs_elements{}, x_elements{};
    std::optional<distributed_rpts<T, Executor>> over_ranks{}; ///< if `divided`
    buffer<T> rhs{}, x{};
    buffer<std::byte> workspace{}; ///< unless `divided`

    state(Executor const& exec, rank_communicator const& ranks, distributed_csr<Executor, T> const& a,
          forest_options const& with)
        : comm(ranks), options(with.tridiagonal), begins(a.begins()) {
        auto const forest = make_forest(exec, a, with.factor);
        detail::stopwatch watch(exec);
        make_system(exec, a, forest);
        std::int64_t const n = system.size();
        rhs = buffer<T>(exec, n);
        x = buffer<T>(exec, n);
        rhs_elements.emplace(exec, comm, *to_order);
        x_elements.emplace(exec, comm, *from_order);
        if (divided)
            over_ranks.emplace(exec, comm, system.view(), options_of_bands());
        else
            workspace = buffer<std::byte>(exec, tridiagonal_workspace<T>(n));
        found.system_seconds = watch.lap();
    }

    std::int64_t rows() const { return begins[self() + 1] - begins[self()]; }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) {
        rhs_elements->fetch(exec, r.data(), rhs.data());
        array_view<T const> const d = rhs.view();
        if (divided)
            over_ranks->solve_on_executor(d, x.view());
        else if (system.size() > 0)
            solve_tridiagonal_by_rpts(exec, system.view(), d, x.view(), workspace.view(), options);
        x_elements->fetch(exec, x.data(), z.data());
    }

private:
    std::size_t self() const { return std::size_t(comm.rank()); }
    band_options options_of_bands() const { return {.pivot = options.pivot, .threshold = options.threshold}; }

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

    /// The positions [of[rank], of[rank + 1]) of a vector that is distributed by `from`.
    plan_type positions(Executor const& exec, rank_offsets const& from, rank_offsets const& of) const {
        buffer<std::int32_t> list(exec, of[self() + 1] - of[self()]);
        for_each(exec, list.size(), store_index{std::int32_t(of[self()]), list.data()});
        return {exec, comm, from, list.view()};
    }
    rank_offsets offsets_of_whole_paths(Executor const& exec, buffer<std::int32_t> const& path_offsets) const {
        auto const targets = exec.copy(begins);
        buffer<path_starts> known(exec, targets.size());
        std::int64_t const count = path_offsets.size() - 1; // the last element is the end
        for_each(exec, known.size(), find_path_starts{path_offsets.data(), count, targets.data(), known.data()});
        return nearest_path_starts(begins, comm.gather(to_vector(exec, known)));
    }

    void make_system(Executor const& exec, distributed_csr<Executor, T> const& a,
                     linear_forest<std::int32_t> const& forest) {
        auto const whole = offsets_of_whole_paths(exec, forest.path_offsets);
        divided = 4 * max_block_rows(whole) > 5 * max_block_rows(begins);
        plan_type const shifted = positions(exec, begins, whole);
        buffer<std::int32_t> order(exec, shifted.source.size());
        elements_in_order<Executor, std::int32_t>(exec, comm, shifted)
            .fetch(exec, forest.permutation.data(), order.data());
        to_order.emplace(exec, comm, begins, order.view());
        system = bands_in_order(exec, comm, *to_order, forest_rows(exec, comm, a, forest.links));
        regularise(exec);
        if (divided) {
            buffer<graph_detail::forest_row<T>> rows(exec, system.size());
            for_each(exec, rows.size(), merge_bands<T>{system.view(), rows.data()});
            system = bands_in_order(exec, comm, positions(exec, whole, begins), rows);
            to_order.emplace(exec, comm, begins, forest.permutation.view());
        }
        from_order.emplace(exec, comm, divided ? begins : whole, forest.inverse.view());
    }

    /// Regularises the system, in which every path is on one rank.
    void regularise(Executor const& exec) {
        using detail::system_diagnostics, detail::worse_diagnostics;
        auto const diagnostics = comm.all_reduce(reduce(exec, system.size(), system_diagnostics{0, 1},
                                                        detail::row_diagnostics<T>{system.view()}, worse_diagnostics{}),
                                                 worse_diagnostics{});
        // Both sums of weights have the same terms in the same order: with all edges the coverage is exactly 1.
        bool const whole_matrix = found.weight_coverage == 1;
        tridiagonal_regulariser<Executor, T> regulariser;
        std::int64_t const rows =
            system.size() == 0 ? 0 : regulariser.regularise(exec, system, options, whole_matrix, diagnostics);
        regularised_rows = comm.all_reduce(rows, plus{});
        exec.synchronize();
    }
};

template <executor Executor, class T>
distributed_forest<Executor, T>::distributed_forest(Executor const& exec, rank_communicator const& comm,
                                                    distributed_csr<Executor, T> const& a,
                                                    forest_options const& options) {
    tridiagonal_options const& solves = options.tridiagonal;
    if (!distributed_rpts<T, Executor>::takes(exec, {.pivot = solves.pivot, .threshold = solves.threshold}))
        throw argument_error(solves.threshold != 0
                                 ? "forest on several ranks: threshold must be 0"
                                 : "forest on several ranks on CUDA: pivoting must be partial or scaled");
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
    require_size("r of a preconditioner", r, state_->rows());
    require_size("z of a preconditioner", z, state_->rows());
    state_->apply(exec, r, z);
}
template <executor Executor, class T>
void distributed_forest<Executor, T>::refresh(Executor const&, csr_view<T>) {
    throw argument_error("forest on several ranks cannot be refreshed; make a new preconditioner");
}
template <executor Executor, class T>
bool distributed_forest<Executor, T>::replayable() const {
    return (!state_->divided || state_->over_ranks->replayable()) && state_->rhs_elements->replayable() &&
           state_->x_elements->replayable();
}
template <executor Executor, class T>
bool distributed_forest<Executor, T>::divides_paths() const {
    return state_->divided;
}
template <executor Executor, class T>
std::vector<finding> distributed_forest<Executor, T>::findings() const {
    auto const& f = state_->found;
    return {{"paths", finding_unit::count, double(f.paths)},
            {"longest_path", finding_unit::count, double(f.longest_path)},
            {"weight_coverage", finding_unit::fraction, f.weight_coverage},
            {"cycles_broken", finding_unit::count, double(f.cycles_broken)},
            {"rounds", finding_unit::count, double(f.rounds)},
            {"mended_rows", finding_unit::count, double(state_->regularised_rows)},
            {"weights_seconds", finding_unit::seconds, f.weights_seconds},
            {"factor_seconds", finding_unit::seconds, f.factor_seconds},
            {"forest_seconds", finding_unit::seconds, f.forest_seconds},
            {"system_seconds", finding_unit::seconds, f.system_seconds}};
}

} // namespace coppice::inline v0_1::distributed
