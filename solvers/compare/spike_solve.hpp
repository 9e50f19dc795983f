// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SPIKE for all executors; included by the sources that instantiate it.
#pragma once

#include <string>
#include <vector>

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/compare/spike.hpp>
#include <coppice/solvers/compare/spike_partitions.hpp>
#include <coppice/solvers/compare/teams.hpp>
#include <coppice/solvers/direct/interface/instances.hpp>

namespace coppice::inline v0_1 {
namespace spike {

/// One level of the tree over partitions: groups of leaves. A team merges each group to one leaf of the next level.
template <class T>
struct span_level {
    static constexpr int group = 1024, nodes = classical::pair_nodes(group), threads = 512;

    span<T>* spans;
    surroundings<T>* around;
    std::int64_t leaves;

    COPPICE_HD std::int64_t groups() const { return (leaves + group - 1) / group; }
    COPPICE_HD int leaves_in(std::int64_t g) const {
        return leaves - g * group < group ? int(leaves - g * group) : group;
    }
    COPPICE_HD static std::int64_t offset(std::int64_t leaf) { return leaf / group * nodes + leaf % group; }
    COPPICE_HD std::int64_t root(std::int64_t g) const { return g * nodes + classical::pair_nodes(leaves_in(g)) - 1; }
    static std::int64_t elements(std::int64_t leaves) {
        std::int64_t const whole = leaves / group;
        int const rest = int(leaves % group);
        return whole * nodes + (rest > 0 ? classical::pair_nodes(rest) : 0);
    }
};

template <class T>
struct merge_level {
    span_level<T> here, above; ///< above.leaves is 0 at the root
    template <class Team>
    COPPICE_HD void operator()(Team const& team, std::int64_t g, T*) const {
        classical::merge_spans(team, here.spans + g * here.nodes, here.leaves_in(g));
        if (above.leaves > 0 && team.rank() == 0) above.spans[above.offset(g)] = here.spans[here.root(g)];
    }
};
template <class T>
struct descend_level {
    span_level<T> here, above;
    surroundings<T> of_all; ///< used at the root only
    template <class Team>
    COPPICE_HD void operator()(Team const& team, std::int64_t g, T*) const {
        classical::descend_spans(team, here.spans + g * here.nodes, here.around + g * here.nodes, here.leaves_in(g),
                                 above.leaves > 0 ? above.around[above.offset(g)] : of_all);
    }
};

template <class T, class Pivots>
struct reduce_tile {
    staged_tiles<T> tiles;
    span_level<T> level;
    template <class Team>
    COPPICE_HD void operator()(Team const& team, std::int64_t t, T* memory) const {
        classical::equations<T> const e = tiles.load(team, t, memory);
        for (int q = team.rank(); q < tiles.partitions_in(t); q += team.size())
            level.spans[level.offset(t * tiles.partitions_of_tile + q)] =
                classical::span_of<T, Pivots>(tiles.partition_of(e, t, q));
        team.sync();
    }
};
template <class T, class Pivots>
struct solve_tile {
    staged_tiles<T> tiles;
    span_level<T> level;
    T* x;
    template <class Team>
    COPPICE_HD void operator()(Team const& team, std::int64_t t, T* memory) const {
        classical::equations<T> const e = tiles.load(team, t, memory);
        for (int q = team.rank(); q < tiles.partitions_in(t);
             q += team.size()) // x overwrites the diagonal, which is no longer needed
            classical::solve_partition<T, Pivots>(tiles.partition_of(e, t, q),
                                                  level.around[level.offset(t * tiles.partitions_of_tile + q)], e.b);
        team.sync();
        std::int64_t const first = t * tiles.partitions_of_tile * tiles.of.length;
        for (int k = team.rank(); k < e.n; k += team.size()) x[first + k] = e.b[k];
        team.sync();
    }
};

/// Passes over partitions in global memory, one item for each.
template <class T, class Pivots>
struct reduce_placed {
    placed_system<T> s;
    span_level<T> level;
    COPPICE_HD void operator()(std::int64_t p) const { level.spans[level.offset(p)] = placed_span<T, Pivots>(s, p); }
};
template <class T, class Pivots>
struct solve_placed {
    placed_system<T> s;
    span_level<T> level;
    COPPICE_HD void operator()(std::int64_t p) const { placed_solve<T, Pivots>(s, p, level.around[level.offset(p)]); }
};
template <class T, class Pivots>
struct factor_placed {
    placed_system<T> s;
    COPPICE_HD void operator()(std::int64_t p) const { placed_factors<T, Pivots>(s, p); }
};
template <class T>
struct forward_placed {
    placed_system<T> s;
    span_level<T> level;
    COPPICE_HD void operator()(std::int64_t p) const { placed_forward(s, p, level.around[level.offset(p)]); }
};
template <class T>
struct backward_placed {
    placed_system<T> s;
    COPPICE_HD void operator()(std::int64_t p) const { placed_backward(s, p); }
};

/// Copies element i to a marshalled array, or back.
template <class T>
struct marshal {
    T const* from;
    T* to;
    std::int64_t n;
    int length;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const tile = i / (32 * length), k = i % (32 * length) / 32,
                           row = (tile * 32 + i % 32) * length + k;
        if (row < n) to[i] = from[row];
    }
};
template <class T>
struct unmarshal {
    T const* from;
    T* to;
    int length;
    COPPICE_HD void operator()(std::int64_t row) const {
        to[row] = from[offsets_of(row / length, length, true)(int(row % length))];
    }
};

} // namespace spike

template <class T, class Executor>
struct spike_segment<T, Executor>::state {
    Executor exec;
    spike::system<T> rows;
    spike_options options;
    std::vector<spike::span_level<T>> levels{};
    buffer<T> spans{}, around{}, work{};
    T const *lower = nullptr, *diagonal = nullptr,
            *upper = nullptr; ///< marshalled copies, if options.layout is marshalled
    std::int64_t padded = 0;

    state(Executor const& executor, tridiagonal_view<T> a, bool first, bool last, spike_options o)
        : exec(executor), rows{a.lower, a.diagonal, a.upper, nullptr, a.size(), o.partition, first, last}, options(o) {
        std::int64_t nodes = 0;
        for (std::int64_t leaves = rows.partitions();; leaves = levels.back().groups()) {
            levels.push_back({nullptr, nullptr, leaves});
            nodes += spike::span_level<T>::elements(leaves);
            if (levels.back().groups() <= 1) break;
        }
        spans = buffer<T>(exec, 6 * nodes);
        around = buffer<T>(exec, 2 * nodes);
        std::int64_t at = 0;
        for (auto& level : levels) {
            level.spans = reinterpret_cast<classical::span<T>*>(spans.data()) + at;
            level.around = reinterpret_cast<classical::surroundings<T>*>(around.data()) + at;
            at += spike::span_level<T>::elements(level.leaves);
        }
        padded = options.layout == spike_layout::marshalled ? (rows.partitions() + 31) / 32 * 32 * rows.length : rows.n;
        if (options.layout == spike_layout::staged) return;
        int const arrays = (options.layout == spike_layout::marshalled ? 7 : 2) + (options.fused ? 0 : 1);
        work = buffer<T>(exec, arrays * padded);
        if (options.layout != spike_layout::marshalled) return;
        T* to = work.data() + (arrays - 5) * padded;
        T const* const bands[] = {a.lower, a.diagonal, a.upper};
        for (T const* const band : bands) {
            for_each(exec, padded, spike::marshal<T>{band, to, rows.n, rows.length});
            to += padded;
        }
        upper = to - padded, diagonal = upper - padded, lower = diagonal - padded;
    }

    spike::staged_tiles<T> tiles(T const* d) const {
        auto with_rhs = rows;
        with_rhs.rhs = d;
        return {with_rhs, 512 / int(sizeof(T))}; // 62 KiB in partitions of 31 rows
    }
    /// The system with the right-hand side d. The solution is written to x, or to a marshalled array that is copied to
    /// x.
    spike::placed_system<T> placed(T const* d, T* x) {
        spike::placed_system<T> s{rows,
                                  work.data(),
                                  work.data() + padded,
                                  options.fused ? nullptr : work.data() + 2 * padded,
                                  x,
                                  options.layout == spike_layout::marshalled,
                                  options.watermark};
        s.of.rhs = d;
        if (!s.marshalled) return s;
        T* const rhs = const_cast<T*>(upper) + padded;
        for_each(exec, padded, spike::marshal<T>{d, rhs, rows.n, rows.length});
        s.of.lower = lower, s.of.diagonal = diagonal, s.of.upper = upper, s.of.rhs = rhs;
        s.x = rhs + padded;
        return s;
    }

    template <class Work>
    void over_teams(std::int64_t teams, int threads, std::int64_t elements, Work const& what) {
        classical::run_teams<T>(exec, teams, threads, elements, what);
    }
    template <class Pivots>
    void reduce(T const* d) {
        if (options.layout == spike_layout::staged) {
            auto const t = tiles(d);
            over_teams(t.tiles(), t.partitions_of_tile, t.elements(), spike::reduce_tile<T, Pivots>{t, levels[0]});
        } else {
            for_each(exec, rows.partitions(), spike::reduce_placed<T, Pivots>{placed(d, nullptr), levels[0]});
        }
        for (std::size_t l = 0; l < levels.size(); ++l)
            over_teams(levels[l].groups(), levels[l].threads, 0, spike::merge_level<T>{levels[l], above(l)});
    }
    template <class Pivots>
    void solve(classical::surroundings<T> of_all, T const* d, T* x) {
        for (std::size_t l = levels.size(); l-- > 0;)
            over_teams(levels[l].groups(), levels[l].threads, 0, spike::descend_level<T>{levels[l], above(l), of_all});
        if (options.layout == spike_layout::staged) {
            auto const t = tiles(d);
            over_teams(t.tiles(), t.partitions_of_tile, t.elements(), spike::solve_tile<T, Pivots>{t, levels[0], x});
            return;
        }
        auto const s = placed(d, x);
        if (options.fused) {
            for_each(exec, rows.partitions(), spike::solve_placed<T, Pivots>{s, levels[0]});
        } else {
            for_each(exec, rows.partitions(), spike::factor_placed<T, Pivots>{s});
            for_each(exec, rows.partitions(), spike::forward_placed<T>{s, levels[0]});
            for_each(exec, rows.partitions(), spike::backward_placed<T>{s});
        }
        if (s.marshalled) for_each(exec, rows.n, spike::unmarshal<T>{s.x, x, rows.length});
    }
    spike::span_level<T> above(std::size_t l) const {
        return l + 1 < levels.size() ? levels[l + 1] : spike::span_level<T>{nullptr, nullptr, 0};
    }
};

namespace spike {

template <class T>
void check(char const* what, tridiagonal_view<T> a, spike_options const& o) {
    auto const refuse = [&](std::string const& why) { throw argument_error(std::string(what) + ": " + why); };
    if (a.size() < 0) refuse(std::to_string(a.size()) + " rows");
    if (a.size() > 0 && (!a.lower || !a.diagonal || !a.upper))
        refuse("null pointer to " + std::to_string(a.size()) + " rows");
    if (o.partition < 1 || o.partition > 64)
        refuse("partitions of " + std::to_string(o.partition) + " rows, expected 1 to 64");
    if (o.watermark < 0) refuse("a watermark of " + std::to_string(o.watermark) + " rows");
    if (int(o.layout) < 0 || int(o.layout) > int(spike_layout::as_stored))
        refuse("unknown layout " + std::to_string(int(o.layout)));
}

} // namespace spike

template <class T, class Executor>
spike_segment<T, Executor>::spike_segment(Executor const& exec, tridiagonal_view<T> a, bool first, bool last,
                                          spike_options options) {
    spike::check("spike_segment", a, options);
    if (a.size() == 0) throw argument_error("spike_segment: no rows");
    state_ = std::make_unique<state>(exec, a, first, last, options);
}
template <class T, class Executor>
spike_segment<T, Executor>::~spike_segment() = default;
template <class T, class Executor>
spike_segment<T, Executor>::spike_segment(spike_segment&&) noexcept = default;
template <class T, class Executor>
spike_segment<T, Executor>& spike_segment<T, Executor>::operator=(spike_segment&&) noexcept = default;

template <class T, class Executor>
void spike_segment<T, Executor>::reduce(array_view<T const> d) {
    require_size("right-hand side of spike_segment", d, state_->rows.n);
    if (state_->options.pivots)
        state_->template reduce<classical::diagonal_pivots>(d.data());
    else
        state_->template reduce<classical::single_pivots>(d.data());
}
template <class T, class Executor>
classical::span<T> spike_segment<T, Executor>::ends() const {
    auto const& top = state_->levels.back();
    return state_->exec.load(top.spans + top.root(0));
}
template <class T, class Executor>
void spike_segment<T, Executor>::solve(classical::surroundings<T> around, array_view<T const> d, array_view<T> x) {
    require_size("right-hand side of spike_segment", d, state_->rows.n);
    require_size("solution of spike_segment", x, state_->rows.n);
    if (state_->options.pivots)
        state_->template solve<classical::diagonal_pivots>(around, d.data(), x.data());
    else
        state_->template solve<classical::single_pivots>(around, d.data(), x.data());
}

template <class T, class Executor>
void solve_spike(Executor const& exec, tridiagonal_view<T> a, columns_view<std::type_identity_t<T> const> d,
                 columns_view<std::type_identity_t<T>> x, spike_options options) {
    spike::check("solve_spike", a, options);
    require_size("right-hand side of solve_spike", d.rows, a.size());
    require_size("solution of solve_spike", x.rows, a.size());
    require_size("columns of the solution of solve_spike", x.columns, d.columns);
    std::int64_t const leading_dimensions[] = {d.leading, x.leading};
    for (std::int64_t const leading : leading_dimensions)
        if (leading < a.size())
            throw argument_error("solve_spike: columns " + std::to_string(leading) + " elements apart for " +
                                 std::to_string(a.size()) + " rows");
    if (a.size() == 0 || d.columns == 0) return;
    if (!d.data() || !x.data())
        throw argument_error("solve_spike: null pointer to " + std::to_string(a.size()) + " rows");
    spike_segment<T, Executor> all(exec, a, true, true, options);
    for (std::int64_t j = 0; j < d.columns; ++j) {
        array_view<T const> const rhs(d.data() + j * d.leading, a.size());
        all.reduce(rhs);
        all.solve({T(0), T(0)}, rhs, array_view<T>(x.data() + j * x.leading, a.size()));
    }
}

// Explicit instantiations in the sources of the library.
#define COPPICE_SPIKE(T, prefix, Executor)                                                                             \
    prefix class spike_segment<T, Executor>;                                                                           \
    prefix void solve_spike(Executor const&, tridiagonal_view<T>, columns_view<T const>, columns_view<T>,              \
                            spike_options);

} // namespace coppice::inline v0_1
