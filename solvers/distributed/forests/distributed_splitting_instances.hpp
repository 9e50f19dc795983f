// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions of distributed_splitting.hpp. Included by the two sources that instantiate them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <coppice/core/stopwatch.hpp>
#include <coppice/solvers/distributed/forests/direct_scale.hpp>
#include <coppice/solvers/distributed/forests/distributed_splitting.hpp>
#include <coppice/solvers/distributed/forests/path_system.hpp>
#include <coppice/solvers/distributed/forests/rank_diagonal.hpp>
#include <coppice/solvers/distributed/forests/rank_lines.hpp>
#include <coppice/solvers/distributed/forests/rank_pattern.hpp>
#include <coppice/solvers/precondition/splitting/alternating.hpp>
#include <coppice/solvers/precondition/splitting/direct_splitting.hpp>

namespace coppice::inline v0_1::distributed {

template <executor Executor, class T>
struct distributed_splitting<Executor, T>::state final : rank_state<Executor, T> {
    using plan_type = order_plan<Executor>;
    using vectors = elements_in_order<Executor, T>;
    using row = graph_detail::forest_row<T>;

    struct factor {
        buffer<std::int32_t> links; ///< of the forest, global
        double weight_coverage;
        std::unique_ptr<path_system<Executor, T>> system;
        std::int64_t weak_rows = 0;
        /// "direct", except for the last factor: the right-hand side in the solution of the next factor.
        std::unique_ptr<plan_type> from_next{};
        std::unique_ptr<vectors> next_elements{};
    };

    using rank_state<Executor, T>::comm;
    using rank_state<Executor, T>::rows;
    splitting_kind kind;
    rank_pattern pattern;
    rank_diagonal<Executor, T> diagonal{};
    std::vector<factor> factors{};
    std::optional<distributed_csr<Executor, T>> matrix{}; ///< "inner" with several factors: a copy of A
    buffer<T> left{};                                     ///< r - A z
    int next = 0;                                         ///< factor of the next call of "outer"
    double covered = 1;
    double weights_seconds = 0, forests_seconds = 0, systems_seconds = 0;

    /// find(a, |D^-1 A|, weights_seconds) returns a forest_decomposition.
    template <class Find>
    state(Executor const& exec, rank_communicator const& ranks, distributed_csr<Executor, T> const& a,
          splitting_kind of, tridiagonal_options const& solves, Find const& find)
        : rank_state<Executor, T>(ranks, a), kind(of), pattern(exec, a) {
        detail::stopwatch watch(exec);
        diagonal.read(exec, a, placed_couplings(exec, a));
        forest_decomposition<std::int32_t> found =
            find(a, normalised_rows<Executor, T>(exec, a, diagonal), [&] { weights_seconds = watch.lap(); });
        covered = found.covered.back();
        forests_seconds = watch.lap();
        for (auto& forest : found.forests) add(exec, a.begins(), std::move(forest), solves);
        if (kind == splitting_kind::inner && count() > 1) {
            matrix.emplace(a.copy(exec));
            left = buffer<T>(exec, rows);
        }
        read(exec, a);
        systems_seconds = watch.lap();
    }

    int count() const override { return int(factors.size()); }
    path_system<Executor, T>& system(int l) const { return *factors[std::size_t(l)].system; }

    void refresh(Executor const& exec, distributed_csr<Executor, T> const& a) override {
        pattern.require_same(exec, comm, a);
        diagonal.read(exec, a, placed_couplings(exec, a));
        if (matrix) matrix->copy_values(exec, a);
        read(exec, a);
    }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) override {
        if (kind == splitting_kind::direct) return solve_successively(exec, r, z);
        if (kind == splitting_kind::outer) {
            system(next).solve(exec, r, z);
            next = (next + 1) % count();
            return;
        }
        detail::alternate(
            exec, count(), [&](int l, array_view<T const> from, array_view<T> to) { system(l).solve(exec, from, to); },
            [&] { subtract(exec, r, z, false); }, r, left.view(), z);
    }
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) override {
        int const last = count() - 1;
        if (kind == splitting_kind::outer) return system(0).solve_transposed(exec, r, z);
        if (kind == splitting_kind::direct) {
            system(0).solve_transposed(exec, r, z);
            for (int l = 1; l <= last; ++l) system(l).solve_transposed(exec, z, z);
            return;
        }
        detail::alternate(
            exec, count(),
            [&](int k, array_view<T const> from, array_view<T> to) {
                system(last - k).solve_transposed(exec, from, to);
            },
            [&] { subtract(exec, r, z, true); }, r, left.view(), z);
    }
    bool replayable() const override {
        bool all = !matrix || matrix->replayable();
        for (factor const& f : factors)
            all = all && f.system->replayable() && (!f.next_elements || f.next_elements->replayable());
        return all;
    }
    bool varies() const override { return kind == splitting_kind::outer && count() > 1; }
    void begin_solve() override { next = 0; }
    std::vector<finding> findings() const override {
        std::vector<finding> all{{"factors", finding_unit::count, double(count())}};
        std::int64_t regularised = 0;
        for (std::size_t l = 0; l < factors.size(); ++l) {
            auto const& f = factors[l];
            all.push_back({detail::coverage_keys[l], finding_unit::fraction, f.weight_coverage});
            regularised += f.weak_rows + f.system->regularised_rows();
        }
        all.push_back({"mended_rows", finding_unit::count, double(regularised)});
        all.push_back({"weight_coverage", finding_unit::fraction, covered});
        all.push_back({"weights_seconds", finding_unit::seconds, weights_seconds});
        all.push_back({"forests_seconds", finding_unit::seconds, forests_seconds});
        all.push_back({"systems_seconds", finding_unit::seconds, systems_seconds});
        return all;
    }

private:
    /// left = r - A z, or r - A^T z.
    void subtract(Executor const& exec, array_view<T const> r, array_view<T> z, bool transposed) {
        if (transposed)
            matrix->apply_transpose(exec, z, left.view());
        else
            matrix->apply(exec, z, left.view());
        for_each(exec, rows, detail::subtract_from<T>{r.data(), left.data()});
    }
    /// z = M_0^-1 ... M_{m-1}^-1 r (Eq. 79).
    void solve_successively(Executor const& exec, array_view<T const> r, array_view<T> z) {
        int const last = count() - 1;
        system(last).fetch_rhs(exec, r);
        system(last).solve_in_order(exec);
        for (int l = last; l-- > 0;) {
            factors[std::size_t(l)].next_elements->fetch(exec, system(l + 1).x(), system(l).rhs());
            system(l).solve_in_order(exec);
        }
        system(0).fetch_x(exec, z);
    }

    void add(Executor const& exec, rank_offsets const& begins, linear_forest<std::int32_t> forest,
             tridiagonal_options const& solves) {
        auto added = std::make_unique<path_system<Executor, T>>(exec, comm, begins, forest, solves);
        if (kind == splitting_kind::direct && count() > 0) {
            factor& before = factors.back();
            // the positions in the new forest of the vertices in the order of the forest before
            plan_type const& order = before.system->to_order();
            buffer<std::int32_t> list(exec, order.source.size());
            elements_in_order<Executor, std::int32_t>(exec, comm, order)
                .fetch(exec, forest.inverse.data(), list.data());
            before.from_next = std::make_unique<plan_type>(exec, comm, added->begins_of_positions(), list.view());
            before.next_elements = std::make_unique<vectors>(exec, comm, *before.from_next);
        }
        factors.push_back({std::move(forest.links), forest.weight_coverage, std::move(added)});
    }

    /// Reads the systems; the sums of the rows are known.
    void read(Executor const& exec, distributed_csr<Executor, T> const& a) {
        placed_couplings<Executor, T> const couplings(exec, a);
        bool const is_direct = kind == splitting_kind::direct;
        direct_scales<Executor, T> const scales(exec, comm, diagonal);
        for (int l = 0; l < count(); ++l) {
            factor& f = factors[std::size_t(l)];
            buffer<row> of_vertices = forest_rows(exec, comm, a, couplings, f.links);
            bool const whole = f.weight_coverage == 1 && (!is_direct || count() == 1);
            if (is_direct) {
                f.system->set(exec, of_vertices, whole, [&](plan_type const& plan, tridiagonal<T>& system) {
                    scale_direct(exec, scales, l, plan, system);
                });
            } else {
                f.weak_rows = strengthen_weak_rows(exec, comm, diagonal, of_vertices);
                f.system->set(exec, of_vertices, whole);
            }
        }
    }
    /// Replaces the entries of A by those of M_l; every path is on one rank.
    void scale_direct(Executor const& exec, direct_scales<Executor, T> const& scales, int l, plan_type const& plan,
                      tridiagonal<T>& system) const {
        auto const in_order = scales.fetch(exec, plan);
        for_each(exec, system.size(),
                 detail::scale_direct_row<T, std::int32_t>{in_order.factor(count(), l), nullptr, system.size(),
                                                           system.lower.data(), system.diagonal.data(),
                                                           system.upper.data()});
    }
};

template <executor Executor, class T>
distributed_splitting<Executor, T>::distributed_splitting(Executor const& exec, rank_communicator const& comm,
                                                          distributed_csr<Executor, T> const& a, splitting_kind kind,
                                                          splitting_options const& options) {
    detail::check_splitting_options(options);
    require_solves_over_ranks<Executor, T>(exec, options.tridiagonal, "a splitting");
    auto const find = [&](auto const& of, auto const& weights, auto const& lap) {
        auto const graph = make_weighted_graph(exec, comm, of.begins(), weights.view(of), weights.couplings);
        lap();
        return decompose_into_forests(exec, graph, detail::decomposition_of(options));
    };
    this->state_ = std::make_unique<state>(exec, comm, a, kind, options.tridiagonal, find);
}
template <executor Executor, class T>
distributed_splitting<Executor, T>::distributed_splitting(Executor const& exec, rank_communicator const& comm,
                                                          distributed_csr<Executor, T> const& a, grid_sizes const& grid,
                                                          tridiagonal_options const& options) {
    require_solves_over_ranks<Executor, T>(exec, options, "a splitting");
    require_size("points of the grid of a preconditioner", grid.points(), a.begins().back());
    auto const find = [&](auto const& of, auto const& weights, auto const& lap) {
        make_weighted_graph(exec, comm, of.begins(), weights.view(of), weights.couplings); // checks the entries
        lap();
        return rank_grid_lines(exec, comm, of, weights, grid);
    };
    this->state_ = std::make_unique<state>(exec, comm, a, splitting_kind::inner, options, find);
}

} // namespace coppice::inline v0_1::distributed
