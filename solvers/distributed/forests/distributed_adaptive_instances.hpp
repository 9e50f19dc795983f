// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions of distributed_adaptive.hpp. Included by the two sources that instantiate them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/core/stopwatch.hpp>
#include <coppice/solvers/distributed/forests/distributed_adaptive.hpp>
#include <coppice/solvers/distributed/forests/path_system.hpp>
#include <coppice/solvers/distributed/forests/rank_diagonal.hpp>
#include <coppice/solvers/distributed/forests/rank_pattern.hpp>
#include <coppice/solvers/distributed/forests/rank_windows.hpp>

namespace coppice::inline v0_1::distributed {

/// D^-1 A, entry by entry: entry k is own[source[k]], or of another rank, counted after the own ones.
template <class T>
struct scale_merged_entry {
    std::int32_t const *source, *row_of;
    T const *own, *others;
    std::int32_t own_count;
    T const* inverse;
    T* values;
    COPPICE_HD void operator()(std::int64_t k) const {
        std::int32_t const from = source[k];
        values[k] = inverse[row_of[k]] * (from < own_count ? own[from] : others[from - own_count]);
    }
};
/// d_v t_v, as in scale_system_row.
template <class T>
struct last_scale {
    T const *inverse_d, *inverse_t;
    T* to;
    COPPICE_HD void operator()(std::int64_t v) const { to[v] = T(1) / inverse_d[v] / inverse_t[v]; }
};
/// Magnitudes on the diagonal, and all.
template <class T>
struct weigh_diagonal {
    detail::diagonal_sums<T> const* sums;
    COPPICE_HD graph_detail::covered_weight operator()(std::int64_t i) const {
        double const here = double(detail::magnitude(sums[i].diagonal));
        return {here + double(sums[i].off_diagonal), here};
    }
};

template <executor Executor, class T>
struct distributed_adaptive<Executor, T>::state final : rank_state<Executor, T> {
    using list = std::vector<std::int32_t>;
    /// Rows of this rank, global columns, on the host.
    struct row_pattern {
        list offsets{0}, columns{};
    };
    struct level {
        std::unique_ptr<distributed_csr<Executor, T>> b; ///< B_l
        rank_diagonal<Executor, T> diagonal{};
        double held = 0; ///< diagonal coverage of B_l
        // except for B_m:
        buffer<std::int32_t> links{};
        double weight_coverage = 1;
        std::int64_t weak_rows = 0;
        std::unique_ptr<path_system<Executor, T>> system{};
        std::unique_ptr<rank_windows<Executor, T>> windows{};
        buffer<std::int32_t> next_offsets{}, next_numbers{}; ///< pattern of B_{l+1}, columns: numbers in the windows
        srcsr_plan<std::int32_t> next_plan{};
    };

    using rank_state<Executor, T>::comm;
    using rank_state<Executor, T>::rows;
    adaptive_options options;
    rank_pattern pattern;
    rank_diagonal<Executor, T> first_diagonal{};  ///< of A
    buffer<std::int32_t> source{}, row_of{};      ///< of the entries of B_0
    buffer<std::int32_t> capacity_offsets{};      ///< used during the set-up only
    std::vector<std::unique_ptr<level>> levels{}; ///< B_0, ..., B_m
    double forests_seconds = 0, inverses_seconds = 0;

    state(Executor const& exec, rank_communicator const& ranks, distributed_csr<Executor, T> const& a,
          adaptive_options const& with)
        : rank_state<Executor, T>(ranks, a), options(with), pattern(exec, a) {
        std::int64_t const begin = a.begins()[std::size_t(comm.rank())];
        detail::require_finite(exec, a.own_block().view(), begin);
        require_finite_couplings(a.couplings(), begin);
        row_pattern now = merged(exec, a);
        buffer<T> values = scaled(exec, a);
        capacity_offsets = exec.copy(capacities(now, begin));
        auto const& o = options.splitting;
        double before = 0;
        for (int l = 0;; ++l) {
            add_level(exec, now, values);
            double const held = levels.back()->held;
            bool const ends = l > 0 && (held > o.enough_coverage || (o.min_gain > 0 && held - before < o.min_gain));
            if (l == o.factors || ends) break;
            detail::stopwatch watch(exec);
            auto forest = find_forest(exec);
            forests_seconds += watch.lap();
            if (l > 0 && forest.edges == 0) break;
            begin_factor(exec, now, std::move(forest));
            read_system(exec, values);
            now = find_next(exec);
            values = next_values(exec, *levels.back());
            inverses_seconds += watch.lap();
            before = held;
        }
        capacity_offsets = {};
        finish(exec);
    }

    int count() const override { return int(levels.size()) - 1; }
    path_system<Executor, T>& system(int l) const { return *levels[std::size_t(l)]->system; }

    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) override {
        int const last = count() - 1;
        system(last).solve(exec, r, z);
        for (int l = last; l-- > 0;) system(l).solve(exec, z, z);
    }
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) override {
        system(0).solve_transposed(exec, r, z);
        for (int l = 1; l < count(); ++l) system(l).solve_transposed(exec, z, z);
    }
    void refresh(Executor const& exec, distributed_csr<Executor, T> const& a) override {
        pattern.require_same(exec, comm, a);
        buffer<T> values = scaled(exec, a);
        for (int l = 0; l <= count(); ++l) {
            current = std::size_t(l);
            level& now = *levels[current];
            now.b->set_values(exec, values.view());
            read_sums(exec, now);
            if (l == count()) break;
            read_system(exec, values);
            values = next_values(exec, now);
        }
        finish(exec);
    }
    bool replayable() const override {
        bool all = true;
        for (int l = 0; l < count(); ++l) all = all && system(l).replayable();
        return all;
    }
    std::vector<finding> findings() const override {
        std::vector<finding> all{{"factors", finding_unit::count, double(count())}};
        std::int64_t regularised = 0;
        for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
            auto const& now = *levels[l];
            all.push_back({detail::coverage_keys[l], finding_unit::fraction, now.weight_coverage});
            regularised += now.weak_rows + now.system->regularised_rows();
        }
        all.push_back({"mended_rows", finding_unit::count, double(regularised)});
        for (std::size_t l = 1; l < levels.size(); ++l)
            all.push_back({detail::diagonal_keys[l - 1], finding_unit::fraction, levels[l]->held});
        all.push_back({"forests_seconds", finding_unit::seconds, forests_seconds});
        all.push_back({"inverses_seconds", finding_unit::seconds, inverses_seconds});
        return all;
    }

private:
    std::size_t current = 0; ///< the level that is made or refreshed

    /// The rows of A with ascending columns, and where their entries are.
    row_pattern merged(Executor const& exec, distributed_csr<Executor, T> const& a) {
        auto const own = a.own_block().view();
        auto const offsets = to_vector(exec, own.row_offsets()), columns = to_vector(exec, own.column_indices());
        auto const first = std::int32_t(a.begins()[std::size_t(comm.rank())]);
        auto const& others = a.couplings();
        row_pattern all;
        list sources, owners;
        std::vector<std::pair<std::int32_t, std::int32_t>> row; // column, source
        std::size_t r = 0;
        for (std::int32_t i = 0; i < own.rows(); ++i) {
            row.clear();
            for (auto k = offsets[std::size_t(i)]; k < offsets[std::size_t(i) + 1]; ++k)
                row.emplace_back(first + columns[std::size_t(k)], k);
            if (r < others.rows.size() && others.rows[r] == i) {
                for (auto k = others.offsets[r]; k < others.offsets[r + 1]; ++k)
                    row.emplace_back(others.columns[std::size_t(k)], own.nonzeros() + k);
                ++r;
            }
            std::sort(row.begin(), row.end());
            for (auto const& [column, from] : row) {
                all.columns.push_back(column);
                sources.push_back(from);
                owners.push_back(i);
            }
            all.offsets.push_back(std::int32_t(all.columns.size()));
        }
        source = exec.copy(sources);
        row_of = exec.copy(owners);
        return all;
    }
    /// Maximum numbers of entries in the rows of B_l, as offsets.
    static list capacities(row_pattern const& a, std::int64_t first) {
        list offsets{0};
        for (std::size_t i = 0; i + 1 < a.offsets.size(); ++i) {
            std::int32_t number = 1;
            for (auto k = std::size_t(a.offsets[i]); k < std::size_t(a.offsets[i + 1]); ++k)
                number += std::int64_t(a.columns[k]) != first + std::int64_t(i) ? 1 : 0;
            offsets.push_back(offsets.back() + number);
        }
        return offsets;
    }
    /// The values of B_0 = D^-1 A.
    buffer<T> scaled(Executor const& exec, distributed_csr<Executor, T> const& a) {
        placed_couplings<Executor, T> const couplings(exec, a);
        first_diagonal.read(exec, a, couplings);
        auto const& own = a.own_block();
        buffer<T> values(exec, source.size());
        for_each(exec, values.size(),
                 scale_merged_entry<T>{source.data(), row_of.data(), own.values().data(), couplings.values.data(),
                                       own.nonzeros(), first_diagonal.inverse.data(), values.data()});
        return values;
    }

    void read_sums(Executor const& exec, level& now) {
        now.diagonal.read(exec, *now.b, placed_couplings(exec, *now.b));
        auto const own = reduce(exec, rows, graph_detail::covered_weight{0, 0},
                                weigh_diagonal<T>{now.diagonal.sums.data()}, graph_detail::add_covered_weight{});
        auto const sum = comm.all_reduce(own, graph_detail::add_covered_weight{});
        now.held = sum.all != 0 ? sum.covered / sum.all : 1;
    }
    void add_level(Executor const& exec, row_pattern const& of, buffer<T> const& values) {
        auto next = std::make_unique<level>();
        next->b =
            std::make_unique<distributed_csr<Executor, T>>(exec, comm, of.offsets, of.columns, to_vector(exec, values));
        read_sums(exec, *next);
        current = levels.size();
        levels.push_back(std::move(next));
    }
    linear_forest<std::int32_t> find_forest(Executor const& exec) {
        level const& now = *levels.back();
        normalised_rows<Executor, T> const weights(exec, *now.b, now.diagonal);
        auto const graph = make_weighted_graph(exec, comm, now.b->begins(), weights.view(*now.b), weights.couplings);
        factor_options factor = options.splitting.factor;
        factor.degree = 2; // paths
        return extract_forest(exec, graph, parallel_factor(exec, graph, factor));
    }
    void begin_factor(Executor const& exec, row_pattern const& of, linear_forest<std::int32_t> forest) {
        level& now = *levels.back();
        auto const& begins = now.b->begins();
        now.system =
            std::make_unique<path_system<Executor, T>>(exec, comm, begins, forest, options.splitting.tridiagonal);
        now.windows = std::make_unique<rank_windows<Executor, T>>(exec, comm, begins, now.system->begins_of_paths(),
                                                                  forest, of.offsets, of.columns, options.window);
        now.weight_coverage = forest.weight_coverage;
        now.links = std::move(forest.links);
    }
    /// Reads M_l from B_l, and the windows of its inverse.
    void read_system(Executor const& exec, buffer<T> const& values) {
        level& now = *levels[current];
        now.windows->read_rows(exec, values);
        auto of_vertices = forest_rows(exec, comm, *now.b, placed_couplings(exec, *now.b), now.links);
        now.weak_rows = strengthen_weak_rows(exec, comm, now.diagonal, of_vertices);
        std::int64_t const first = now.system->begins_of_paths()[std::size_t(comm.rank())];
        now.system->set(exec, of_vertices, false, keep_bands{},
                        [&](auto const&, tridiagonal<T> const& m) { now.windows->read_inverse(exec, m, first); });
    }

    /// Selects the entries of B_{l+1}.
    row_pattern find_next(Executor const& exec) {
        level& now = *levels[current];
        std::int64_t const capacity = rows > 0 ? std::int64_t(exec.load(capacity_offsets.data() + rows)) : 0;
        buffer<std::int32_t> columns(exec, capacity), counts(exec, rows);
        search_rows(exec, now, capacity, columns.data(), counts.data());
        auto const found = to_vector(exec, columns), numbers = to_vector(exec, counts),
                   from = to_vector(exec, capacity_offsets);
        row_pattern next;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            auto const begin = found.begin() + from[i];
            next.columns.insert(next.columns.end(), begin, begin + numbers[i]);
            next.offsets.push_back(std::int32_t(next.columns.size()));
        }
        now.next_offsets = exec.copy(next.offsets);
        now.next_numbers = exec.copy(now.windows->numbers_of_vertices(exec, next.columns));
        now.next_plan = make_srcsr_plan(exec, array_view<std::int32_t const>(now.next_offsets.view()),
                                        now.next_numbers.size(), {.nonzero_bytes = int(sizeof(std::int32_t))});
        return next;
    }
    /// As adaptive_splitting::search_rows().
    void search_rows(Executor const& exec, level const& now, std::int64_t capacity, std::int32_t* columns,
                     std::int32_t* counts) {
        constexpr bool on_host = std::is_same_v<Executor, host_executor>;
        constexpr std::int64_t budget = on_host ? 1 << 22 : 1 << 26, min_rows = on_host ? 64 : 1;
        if (rows == 0) return;
        buffer<T> sizes(exec, capacity);
        std::int64_t const longest = degrees(exec, now.windows->matrix()).largest;
        std::int64_t const memory =
            std::max<std::int64_t>(1, longest * detail::row_walk<T, std::int32_t>::each(options.window));
        std::int64_t const max_lanes = std::max<std::int64_t>(1, budget / memory);
        std::int64_t const each = std::max(min_rows, (rows + max_lanes - 1) / max_lanes),
                           lanes = (rows + each - 1) / each;
        buffer<T> scratch(exec, lanes * memory);
        for_each(exec, lanes,
                 detail::find_largest<T, std::int32_t>{now.windows->rows(), capacity_offsets.data(), options.accuracy,
                                                       columns, sizes.data(), counts, scratch.data(), memory, lanes,
                                                       each, !on_host});
    }
    /// The values of B_{l+1}.
    buffer<T> next_values(Executor const& exec, level const& now) {
        buffer<T> values(exec, now.next_numbers.size());
        reduce_rows(exec, now.next_plan,
                    detail::fill_entries<T, std::int32_t>{now.windows->rows(), now.next_offsets.data(),
                                                          now.next_numbers.data(), nullptr, nullptr, values.data()},
                    graph_detail::ignore_products{}, graph_detail::ignore_rows{});
        return values;
    }
    /// Replaces the last factor M_{m-1} by T M_{m-1}, T = D diagp_1(B_m).
    void finish(Executor const& exec) {
        buffer<T> factors(exec, rows);
        for_each(exec, rows,
                 last_scale<T>{first_diagonal.inverse.data(), levels.back()->diagonal.inverse.data(), factors.data()});
        system(count() - 1).scale_rows(exec, factors);
    }
};

template <executor Executor, class T>
distributed_adaptive<Executor, T>::distributed_adaptive(Executor const& exec, rank_communicator const& comm,
                                                        distributed_csr<Executor, T> const& a,
                                                        adaptive_options const& options) {
    detail::check_adaptive_options(options);
    require_solves_over_ranks<Executor, T>(exec, options.splitting.tridiagonal, "mos-a");
    this->state_ = std::make_unique<state>(exec, comm, a, options);
}

} // namespace coppice::inline v0_1::distributed
