// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factorisations of solve_bands' classes, written once over run_step of the launchers.
#pragma once

#include <coppice/solvers/direct/factored/band_factor.hpp>
#include <coppice/solvers/direct/solve/band_solve.hpp>

namespace coppice {
namespace chain {

/// Where a factorisation keeps what: kept groups, link matrices and their sizes of every stage, the closing.
struct factor_plan : workspace_layout {
    std::int64_t kept[most_stages], matrix[most_stages], sizes[most_stages];
    std::int64_t closing, launch;
};

template <class T, class Executor>
factor_plan plan_factor(Executor const& exec, matrix_rows<T> const& a) {
    levels const l = levels_of(a.batch);
    std::int64_t const unit = sizeof(T);
    factor_plan plan;
    for_each_stage(l, a.n, 0, [&](int depth, std::int64_t links, std::int64_t, std::int64_t) {
        auto const shape = depth == 1 ? rows_shape(l, a.n, 0) : links_shape(a.n, 0);
        plan.kept[depth - 1] = plan.take(factored_stage<T, row_units<T>>::kept_total(shape, links) * unit);
        plan.matrix[depth - 1] = plan.take(links * 8 * a.n * a.n * unit);
        plan.sizes[depth - 1] = plan.take(links * unit);
    });
    plan.closing = plan.take(a.batch.systems * factored_closing<T>::kept_each(2 * a.n) * unit);
    plan.launch = plan.take(factor_launch_bytes<T>(exec, rows_shape(l, a.n, 0), links_shape(a.n, 0)));
    return plan;
}

/// The stages of a factorisation or of a solve with it, in memory that plan_factor and, for right-hand sides of links,
/// `rhs` lay out.
template <class T>
struct factored_stages {
    factored_stage<T, row_units<T>> rows;
    std::array<factored_stage<T, link_units<T>>, most_stages> links;
    factored_closing<T> last;
    int depth = 0; ///< stages of links

    factored_stages(row_units<T> const& units, elimination<real_lane_t<T>> const& how, factor_plan const& plan,
                    std::byte* factor, T* rhs) {
        int const n = units.a.n, sides = units.sides;
        levels const l = levels_of(units.a.batch);
        link_units<T> below{};
        for_each_stage(l, n, sides, [&](int k, std::int64_t count, std::int64_t span, std::int64_t offset) {
            auto* const matrix = reinterpret_cast<T*>(factor + plan.matrix[k - 1]);
            auto* const sizes = reinterpret_cast<real_lane_t<T>*>(factor + plan.sizes[k - 1]);
            link_units<T> const to{matrix, rhs + offset, sizes, k, 2 * n, sides, units.a, span, units.singular};
            if (k == 1) {
                rows = {{units, to, l, rows_shape(l, n, sides), how, count, nullptr},
                        kept_of(plan, factor, k),
                        factor_step::factorise};
            } else {
                links[std::size_t(k - 2)] = {{below, to, l, links_shape(n, sides), how, count, nullptr},
                                             kept_of(plan, factor, k),
                                             factor_step::factorise};
                depth = k - 1;
            }
            below = to;
        });
        last = {{below, l, how, nullptr}, reinterpret_cast<T*>(factor + plan.closing), factor_step::factorise};
    }
    static T* kept_of(factor_plan const& plan, std::byte* factor, int depth) {
        return reinterpret_cast<T*>(factor + plan.kept[depth - 1]);
    }
    template <class Executor>
    void up(Executor const& exec, factor_step step, std::byte* memory) {
        rows.step = last.step = step;
        run_step(exec, rows, memory);
        for (int k = 0; k < depth; ++k) {
            links[std::size_t(k)].step = step;
            run_step(exec, links[std::size_t(k)], memory);
        }
        run_step(exec, last, memory);
    }
    template <class Executor>
    void down(Executor const& exec, std::byte* memory) {
        for (int k = depth - 1; k >= 0; --k) {
            links[std::size_t(k)].step = factor_step::backward;
            run_step(exec, links[std::size_t(k)], memory);
        }
        rows.step = factor_step::backward;
        run_step(exec, rows, memory);
    }
};

struct show_singular {
    std::int64_t* rows;
    COPPICE_HD void operator()(std::int64_t s) const { rows[s] = rows[s] == no_row ? -1 : row_met(rows[s]); }
};
struct hide_singular {
    std::int64_t* rows;
    COPPICE_HD void operator()(std::int64_t s) const { rows[s] = no_row; }
};

template <class T>
void check_factor(band_matrix<T> const& a, band_options const& o, array_view<std::byte const> memory,
                  std::int64_t needed, char const* name) {
    if (o.method == band_method::rpts) refuse("rpts keeps no factorisation");
    if (a.size == 0) return;
    check_space(name, memory, needed);
}

} // namespace chain

template <class T, executor Executor>
std::int64_t bands_factor_bytes(Executor const& exec, band_matrix<T> const& a, band_options const& options) {
    chain::check_matrix(exec, a, options);
    return a.size == 0 ? 0 : chain::plan_factor(exec, chain::rows_of(a, options)).bytes;
}

template <class T, executor Executor>
void factorise_bands(Executor const& exec, band_matrix<T> const& a, array_view<std::byte> factor,
                     band_options const& options, array_view<std::int64_t> singular_rows) {
    using lane = chain::lane_of_t<T>;
    using real = real_lane_t<lane>;
    std::int64_t const needed = bands_factor_bytes(exec, a, options);
    chain::check_factor(a, options, factor, needed, "factorisation");
    if (!singular_rows.empty()) require_size("singular rows of factorise_bands", singular_rows, a.systems);
    for_each(exec, singular_rows.size(), chain::hide_singular{singular_rows.data()});
    if (a.size > 0) {
        chain::check_bands(a);
        auto const rows = chain::rows_of(a, options);
        auto const plan = chain::plan_factor(exec, rows);
        chain::row_units<lane> const units{rows, nullptr, nullptr, 0, 0, 0, singular_rows.data()};
        chain::elimination<real> const how{real(options.threshold), options.threshold > 0, false};
        chain::factored_stages<lane> stages(units, how, plan, factor.data(), static_cast<lane*>(nullptr));
        stages.up(exec, chain::factor_step::factorise, factor.data() + plan.launch);
    }
    for_each(exec, singular_rows.size(), chain::show_singular{singular_rows.data()});
}

template <class T, executor Executor>
std::int64_t factored_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                                band_options const& options) {
    chain::check_matrix(exec, a, options);
    if (columns < 0) chain::refuse(std::to_string(columns) + " right-hand sides");
    if (a.size == 0 || columns == 0) return 0;
    auto const rows = chain::rows_of(a, options);
    chain::levels const l = chain::levels_of(rows.batch);
    int const sides = int(std::min<std::int64_t>(columns, chain::most_sides));
    std::int64_t const links = chain::for_each_stage(l, rows.n, sides, [](auto...) {}) * std::int64_t(sizeof(T));
    return in_workspace_units(links) +
           chain::factor_launch_bytes<chain::lane_of_t<T>>(exec, chain::rows_shape(l, rows.n, sides),
                                                           chain::links_shape(rows.n, sides));
}

template <class T, executor Executor>
void solve_factored_bands(Executor const& exec, band_matrix<T> const& a, array_view<std::byte const> factor,
                          columns_view<std::type_identity_t<T> const> d, columns_view<std::type_identity_t<T>> x,
                          array_view<std::byte> workspace, band_options const& options) {
    using lane = chain::lane_of_t<T>;
    using real = real_lane_t<lane>;
    chain::check_matrix(exec, a, options);
    band_matrix<T> shape = a; // its values are not looked at
    shape.lower = shape.diagonal = shape.upper = d.pointer;
    chain::check_vectors(shape, d, x);
    std::int64_t const needed = factored_workspace(exec, a, x.columns, options);
    chain::check_factor(a, options, factor, bands_factor_bytes(exec, a, options), "factorisation");
    chain::check_factor(a, options, workspace, needed, "workspace");
    if (a.size == 0 || x.columns == 0) return;
    chain::check_sides_apart(d, x);
    memory_range const kept{"the factorisation", factor.data(), factor.size()};
    memory_range const solution = chain::range_of("the solution", x);
    require_apart(solution, kept, "solve_factored_bands: ");
    for (memory_range const& other : {solution, kept, chain::range_of("the right-hand side", d)})
        require_apart({"the workspace", workspace.data(), needed}, other, "solve_factored_bands: ");
    auto const rows = chain::rows_of(a, options);
    auto const plan = chain::plan_factor(exec, rows);
    int const most = int(std::min<std::int64_t>(x.columns, chain::most_sides));
    chain::levels const l = chain::levels_of(rows.batch);
    std::int64_t const launch =
        in_workspace_units(chain::for_each_stage(l, rows.n, most, [](auto...) {}) * std::int64_t(sizeof(T)));
    for (std::int64_t c = 0; c < x.columns; c += most) {
        int const sides = int(std::min<std::int64_t>(most, x.columns - c));
        chain::row_units<lane> const units{rows,
                                           reinterpret_cast<lane const*>(d.pointer) + c * d.leading,
                                           reinterpret_cast<lane*>(x.pointer) + c * x.leading,
                                           d.leading,
                                           x.leading,
                                           sides,
                                           nullptr};
        chain::elimination<real> const how{real(0), false, false};
        chain::factored_stages<lane> stages(units, how, plan, const_cast<std::byte*>(factor.data()),
                                            reinterpret_cast<lane*>(workspace.data()));
        stages.up(exec, chain::factor_step::forward, workspace.data() + launch);
        stages.down(exec, workspace.data() + launch);
    }
}

// What the sources of the library instantiate, and no other.
#define COPPICE_BAND_FACTOR_DECLARE(prefix, T, Executor)                                                               \
    prefix std::int64_t bands_factor_bytes(Executor const&, band_matrix<T> const&, band_options const&);               \
    prefix void factorise_bands(Executor const&, band_matrix<T> const&, array_view<std::byte>, band_options const&,    \
                                array_view<std::int64_t>);                                                             \
    prefix std::int64_t factored_workspace(Executor const&, band_matrix<T> const&, std::int64_t, band_options const&); \
    prefix void solve_factored_bands(Executor const&, band_matrix<T> const&, array_view<std::byte const>,              \
                                     columns_view<T const>, columns_view<T>, array_view<std::byte>,                    \
                                     band_options const&);
#define COPPICE_BAND_FACTOR_DECLARE_ALL(prefix, Executor)                                                              \
    COPPICE_BAND_FACTOR_DECLARE(prefix, float, Executor)                                                               \
    COPPICE_BAND_FACTOR_DECLARE(prefix, double, Executor)                                                              \
    COPPICE_BAND_FACTOR_DECLARE(prefix, std::complex<float>, Executor)                                                 \
    COPPICE_BAND_FACTOR_DECLARE(prefix, std::complex<double>, Executor)

COPPICE_BAND_FACTOR_DECLARE_ALL(extern template, host_executor)
#if defined(COPPICE_HAS_CUDA)
COPPICE_BAND_FACTOR_DECLARE_ALL(extern template, cuda_executor)
#endif

} // namespace coppice
