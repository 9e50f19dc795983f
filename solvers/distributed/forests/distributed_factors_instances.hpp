// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions of distributed_factors.hpp. Included by the two sources that instantiate them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <coppice/core/stopwatch.hpp>
#include <coppice/solvers/distributed/forests/direct_scale.hpp>
#include <coppice/solvers/distributed/forests/distributed_factors.hpp>
#include <coppice/solvers/distributed/forests/factor_entries_of_rank.hpp>
#include <coppice/solvers/distributed/forests/path_system.hpp>
#include <coppice/solvers/distributed/forests/rank_diagonal.hpp>
#include <coppice/solvers/distributed/forests/rank_pattern.hpp>

namespace coppice::inline v0_1::distributed {

/// Values of M_l (Eq. 60) at the positions of a rank.
template <class T>
struct direct_values_in_order {
    detail::direct_factor<T> factor;
    COPPICE_HD T on_diagonal(std::int64_t p, T) const { return factor.on_diagonal(p); }
    COPPICE_HD T off_diagonal(std::int64_t p, std::int64_t q, T entry) const {
        return factor.off_diagonal(p, q, entry);
    }
};

template <executor Executor, class T>
struct distributed_factors<Executor, T>::state final : rank_state<Executor, T> {
    using factor = rank_factor<Executor, T>;
    using forest_type = linear_forest<std::int32_t>;

    using rank_state<Executor, T>::comm;
    using rank_state<Executor, T>::rows;
    bool is_mixed; ///< "mos"; otherwise "block-forest"
    rank_pattern pattern;
    rank_diagonal<Executor, T> diagonal{};
    buffer<std::uint8_t> owner{}, owner_of_couplings{}; ///< "mos", if no entry is in two factors
    std::vector<std::unique_ptr<factor>> factors{};
    std::vector<double> coverages{};
    double covered = 1;
    std::int64_t paths = 0, longest_path = 0, ghosts = 0; ///< of block-forest
    double factors_seconds = 0, systems_seconds = 0;

    state(Executor const& exec, rank_communicator const& ranks, distributed_csr<Executor, T> const& a,
          mixed_options const& options)
        : rank_state<Executor, T>(ranks, a), is_mixed(true), pattern(exec, a) {
        detail::stopwatch watch(exec);
        placed_couplings<Executor, T> const couplings(exec, a);
        diagonal.read(exec, a, couplings);
        if (options.omega == 0) {
            owner = buffer<std::uint8_t>(exec, a.own_block().nonzeros());
            owner_of_couplings = buffer<std::uint8_t>(exec, couplings.values.size());
            fill(exec, owner.view(), std::uint8_t(0));
            fill(exec, owner_of_couplings.view(), std::uint8_t(0));
        }
        find_factors(exec, a, couplings, options);
        factors_seconds = watch.lap();
        read(exec, a);
        systems_seconds = watch.lap();
    }
    state(Executor const& exec, rank_communicator const& ranks, distributed_csr<Executor, T> const& a,
          forest_options const& options)
        : rank_state<Executor, T>(ranks, a), is_mixed(false), pattern(exec, a) {
        detail::stopwatch watch(exec);
        auto const graph = make_weighted_graph(exec, comm, a);
        factors.push_back(make_pairs(exec, a.begins(), graph, options.factor, options.tridiagonal));
        csr_view<T> const weights = graph.ranks().weights.view();
        auto const own =
            reduce(exec, rows, graph_detail::covered_weight{0, 0},
                   weights_in_factor<T>{weights, graph.ranks().graph.ids(), factors.front()->columns().data()},
                   graph_detail::add_covered_weight{});
        auto const sum = comm.all_reduce(own, graph_detail::add_covered_weight{});
        covered = sum.all > 0 ? sum.covered / sum.all : 1;
        factors_seconds = watch.lap();
        read(exec, a);
        systems_seconds = watch.lap();
    }

    int count() const override { return int(factors.size()); }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) override {
        factors.back()->solve(exec, r, z);
        for (std::size_t l = factors.size() - 1; l-- > 0;) factors[l]->solve(exec, z, z);
    }
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) override {
        factors.front()->solve_transposed(exec, r, z);
        for (std::size_t l = 1; l < factors.size(); ++l) factors[l]->solve_transposed(exec, z, z);
    }
    void refresh(Executor const& exec, distributed_csr<Executor, T> const& a) override {
        pattern.require_same(exec, comm, a);
        if (is_mixed) diagonal.read(exec, a, placed_couplings(exec, a));
        read(exec, a);
    }
    bool replayable() const override {
        return std::all_of(factors.begin(), factors.end(), [](auto const& f) { return f->replayable(); });
    }
    std::vector<finding> findings() const override {
        if (!is_mixed)
            return {{"paths", finding_unit::count, double(paths)},
                    {"longest_path", finding_unit::count, double(longest_path)},
                    {"weight_coverage", finding_unit::fraction, covered},
                    {"ghosts", finding_unit::count, double(ghosts)},
                    {"mended_rows", finding_unit::count, double(regularised_rows())},
                    {"forest_seconds", finding_unit::seconds, factors_seconds},
                    {"system_seconds", finding_unit::seconds, systems_seconds}};
        std::vector<finding> all{{"factors", finding_unit::count, double(count())}};
        for (std::size_t l = 0; l < factors.size(); ++l)
            all.push_back({detail::coverage_keys[l], finding_unit::fraction, coverages[l]});
        all.push_back({"mended_rows", finding_unit::count, double(regularised_rows())});
        all.push_back({"weight_coverage", finding_unit::fraction, covered});
        all.push_back({"parts_seconds", finding_unit::seconds, factors_seconds});
        all.push_back({"systems_seconds", finding_unit::seconds, systems_seconds});
        return all;
    }

private:
    std::int64_t regularised_rows() const {
        std::int64_t sum = 0;
        for (auto const& f : factors) sum += f->regularised_rows();
        return sum;
    }
    std::unique_ptr<factor> make_pairs(Executor const& exec, rank_offsets const& begins,
                                       distributed_graph<Executor, T> const& graph, factor_options options,
                                       tridiagonal_options const& solves) {
        options.degree = 1;
        auto const matching = parallel_factor(exec, graph, options);
        auto const pairs = pairs_of(exec, comm, begins, matching.neighbors);
        auto const coarse = graph_of_pairs(exec, comm, begins, graph, pairs);
        options.degree = 2;
        auto const forest = extract_forest(exec, coarse, parallel_factor(exec, coarse, options));
        paths = forest.paths;
        longest_path = forest.longest_path;
        ghosts = 2 * pairs.begins.back() - begins.back();
        return std::make_unique<factor>(exec, comm, begins, pairs, forest, solves);
    }
    std::unique_ptr<factor> make_factor(Executor const& exec, rank_offsets const& begins,
                                        distributed_graph<Executor, T> const& graph, factor_kind kind,
                                        mixed_options const& o) {
        if (kind == factor_kind::blocks) return make_pairs(exec, begins, graph, o.factor, o.solve);
        factor_options of_paths = o.factor;
        of_paths.degree = 2; // paths
        auto const forest = extract_forest(exec, graph, parallel_factor(exec, graph, of_paths));
        return std::make_unique<factor>(exec, comm, begins, forest, o.solve);
    }
    /// As mixed_splitting::find_factors().
    void find_factors(Executor const& exec, distributed_csr<Executor, T> const& a,
                      placed_couplings<Executor, T> const& couplings, mixed_options const& o) {
        normalised_rows<Executor, T> const weights(exec, a, diagonal);
        auto graph = make_weighted_graph(exec, comm, a.begins(), weights.view(a), weights.couplings);
        csr<T>& now = graph.ranks().weights; // C_l
        rank_ids const ids = graph.ranks().graph.ids();
        buffer<T> const given = copy_of(exec, now.values());
        csr_view<T> first = now.view();
        first.coefficients = given.data();
        double const total = comm.all_reduce(detail::off_diagonal_weight(exec, first), plus{});
        for (factor_kind const kind : o.kinds) {
            auto next = make_factor(exec, a.begins(), graph, kind, o);
            auto const own =
                reduce(exec, rows, graph_detail::held_weight{0, 0},
                       take_weights_of_rank<T>{first, ids, next->columns().data(), T(o.omega), now.values().data()},
                       graph_detail::add_held_weight{});
            auto const held = comm.all_reduce(own, graph_detail::add_held_weight{});
            if (held.newest == 0 && !factors.empty()) continue; // no weight remains for this factor
            factors.push_back(std::move(next));
            coverages.push_back(total > 0 ? held.newest / total : 1);
            covered = total > 0 ? held.all / total : 1;
            if (o.omega == 0) claim(exec, a, couplings);
        }
    }
    entry_owners owners(buffer<std::uint8_t>& of, int l) const {
        return {of.size() > 0 ? of.data() : nullptr, std::uint8_t(l + 1)};
    }
    /// Assigns the entries of the last factor to it.
    void claim(Executor const& exec, distributed_csr<Executor, T> const& a,
               placed_couplings<Executor, T> const& couplings) {
        factor_columns const* const columns = factors.back()->columns().data();
        auto const first = std::int32_t(a.begins()[std::size_t(comm.rank())]);
        for_each(exec, rows, claim_own_entries<T>{a.own_block().view(), first, columns, owners(owner, count() - 1)});
        for_each(exec, couplings.rows(),
                 claim_couplings<T>{couplings.view(), columns, owners(owner_of_couplings, count() - 1)});
    }

    /// Reads the factors; the sums of the rows are known.
    void read(Executor const& exec, distributed_csr<Executor, T> const& a) {
        placed_couplings<Executor, T> const couplings(exec, a);
        auto const first = std::int32_t(a.begins()[std::size_t(comm.rank())]);
        buffer<factor_row<T>> of_vertices(exec, rows);
        direct_scales<Executor, T> const scales(exec, comm, diagonal);
        for (int l = 0; l < count(); ++l) {
            factor& f = *factors[std::size_t(l)];
            factor_columns const* const columns = f.columns().data();
            for_each(exec, rows,
                     read_own_entries<T>{a.own_block().view(), first, columns, owners(owner, l), of_vertices.data()});
            for_each(
                exec, couplings.rows(),
                add_coupling_entries<T>{couplings.view(), columns, owners(owner_of_couplings, l), of_vertices.data()});
            bool const whole = covered == 1 && count() == 1;
            if (!is_mixed) {
                f.set(exec, of_vertices, whole, unscaled_values<T>{});
                continue;
            }
            auto const in_order = scales.fetch(exec, f.to_order());
            f.set(exec, of_vertices, whole, direct_values_in_order<T>{in_order.factor(count(), l)});
        }
    }
};

template <executor Executor, class T>
distributed_factors<Executor, T>::distributed_factors(Executor const& exec, rank_communicator const& comm,
                                                      distributed_csr<Executor, T> const& a,
                                                      mixed_options const& options) {
    detail::check_splitting_options({.factors = int(options.kinds.size()), .omega = options.omega});
    if (std::count(options.kinds.begin(), options.kinds.end(), factor_kind::bands) > 0)
        throw argument_error("a splitting on several ranks has no factor of bands in the given order");
    require_solves_over_ranks<Executor, T>(exec, options.solve, "mos");
    this->state_ = std::make_unique<state>(exec, comm, a, options);
}
template <executor Executor, class T>
distributed_factors<Executor, T>::distributed_factors(Executor const& exec, rank_communicator const& comm,
                                                      distributed_csr<Executor, T> const& a,
                                                      forest_options const& options) {
    require_solves_over_ranks<Executor, T>(exec, options.tridiagonal, "block-forest");
    this->state_ = std::make_unique<state>(exec, comm, a, options);
}

} // namespace coppice::inline v0_1::distributed
