// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factorisations for the classes of solve_bands, written once over run_job of the launchers.
#pragma once

#include <coppice/solvers/direct/factored/band_factor.hpp>
#include <coppice/solvers/direct/solve/band_solve.hpp>

namespace coppice::inline v0_1 {
namespace chain {

/// Layout of a factorisation: saved pivot rows, condensed matrices and their sizes for every level, and the final Schur
/// complement.
struct factor_plan : workspace_layout {
    std::int64_t saved[max_levels], matrix[max_levels], sizes[max_levels];
    std::int64_t final_complement, launch;
};

/// Bytes of the condensed segments of a solve of `rhs_count` right-hand sides, which come first in its workspace.
template <class T>
std::int64_t condensed_bytes(levels const& l, int n, int rhs_count) {
    return align_workspace(for_each_level(l, n, rhs_count, [](auto...) {}) * std::int64_t(sizeof(T)));
}
template <class T, class Executor>
std::int64_t factor_launch_bytes(Executor const& exec, levels const& l, int n, int rhs_count) {
    using level = factored_level<T, matrix_block_rows<T>>;
    return launch_bytes<T>(
        exec, std::max(level::elements(rows_shape(l, n, rhs_count)), level::elements(condensed_shape(n, rhs_count))));
}

template <class T, class Executor>
factor_plan plan_factor(Executor const& exec, matrix_rows<T> const& a) {
    levels const l = levels_of(a.batch);
    std::int64_t const element_bytes = sizeof(T);
    factor_plan plan;
    for_each_level(l, a.n, 0, [&](int depth, std::int64_t condensed, std::int64_t, std::int64_t) {
        auto const shape = depth == 1 ? rows_shape(l, a.n, 0) : condensed_shape(a.n, 0);
        plan.saved[depth - 1] =
            plan.take(factored_level<T, matrix_block_rows<T>>::saved_total(shape, condensed) * element_bytes);
        plan.matrix[depth - 1] = plan.take(condensed * 8 * a.n * a.n * element_bytes);
        plan.sizes[depth - 1] = plan.take(condensed * element_bytes);
    });
    plan.final_complement =
        plan.take(a.batch.systems * factored_final_complement<T>::saved_each(2 * a.n) * element_bytes);
    plan.launch = plan.take(factor_launch_bytes<T>(exec, l, a.n, 0));
    return plan;
}

/// The levels of a factorisation or of a solve with it. The memory is laid out by plan_factor; `rhs` holds the
/// right-hand sides of condensed rows.
template <class T>
struct factored_levels {
    factor_plan plan;
    std::byte* factor;
    chain_levels<T> all;
    std::array<std::uint8_t const*, max_levels> active{}; ///< of each depth, see factored_level

    factored_levels(matrix_block_rows<T> const& block_rows, elimination<real_lane_t<T>> const& how,
                    factor_plan const& layout, std::byte* memory, T* rhs)
        : plan(layout), factor(memory),
          all(block_rows, levels_of(block_rows.a.batch), how, nullptr,
              [&](int k, std::int64_t, std::int64_t span, std::int64_t offset) {
                  return condensed_in(block_rows, at(plan.matrix[k - 1]), rhs + offset, at(plan.sizes[k - 1]), k, span);
              }) {}
    template <class Executor>
    void up(Executor const& exec, factor_step step, std::byte* memory) const {
        all.upwards([&](int k, auto const& level) { run_level(exec, k, level, step, memory); });
        run_job(exec, factored_final_complement<T>{all.last, at(plan.final_complement), step}, memory);
    }
    template <class Executor>
    void down(Executor const& exec, std::byte* memory) const {
        all.downwards([&](int k, auto const& level) { run_level(exec, k, level, factor_step::backward, memory); });
    }

private:
    T* at(std::int64_t offset) const { return reinterpret_cast<T*>(factor + offset); }
    template <class Executor, class BlockRows>
    void run_level(Executor const& exec, int k, chain_level<T, BlockRows> const& level, factor_step step,
                   std::byte* memory) const {
        run_job(exec, factored_level<T, BlockRows>{level, at(plan.saved[k]), step, active[std::size_t(k)]}, memory);
    }
};

struct show_singular {
    std::int64_t* rows;
    COPPICE_HD void operator()(std::int64_t s) const { rows[s] = rows[s] == no_row ? -1 : row_met(rows[s]); }
};

template <class T>
void check_factor(band_matrix<T> const& a, band_options const& o, array_view<std::byte const> memory,
                  std::int64_t needed, char const* name) {
    if (o.method == band_method::rpts) refuse("method rpts has no factorisation");
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
    fill(exec, singular_rows, chain::no_row);
    if (a.size > 0) {
        chain::check_bands(a);
        auto const rows = chain::rows_of(a, options);
        auto const plan = chain::plan_factor(exec, rows);
        chain::matrix_block_rows<lane> const block_rows{rows, nullptr, nullptr, 0, 0, 0, singular_rows.data()};
        chain::elimination<real> const how{real(options.threshold), options.threshold > 0, false};
        chain::factored_levels<lane> factored(block_rows, how, plan, factor.data(), static_cast<lane*>(nullptr));
        factored.up(exec, chain::factor_step::factorise, factor.data() + plan.launch);
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
    int const rhs_count = int(std::min<std::int64_t>(columns, chain::max_rhs));
    return chain::condensed_bytes<T>(l, rows.n, rhs_count) +
           chain::factor_launch_bytes<chain::lane_of_t<T>>(exec, l, rows.n, rhs_count);
}

template <class T, executor Executor>
void solve_factored_bands(Executor const& exec, band_matrix<T> const& a, array_view<std::byte const> factor,
                          columns_view<std::type_identity_t<T> const> d, columns_view<std::type_identity_t<T>> x,
                          array_view<std::byte> workspace, band_options const& options) {
    using lane = chain::lane_of_t<T>;
    using real = real_lane_t<lane>;
    chain::check_matrix(exec, a, options);
    band_matrix<T> shape = a; // its values are not read
    shape.lower = shape.diagonal = shape.upper = d.pointer;
    chain::check_vectors(shape, d, x);
    std::int64_t const needed = factored_workspace(exec, a, x.columns, options);
    chain::check_factor(a, options, factor, bands_factor_bytes(exec, a, options), "factorisation");
    chain::check_factor(a, options, workspace, needed, "workspace");
    if (a.size == 0 || x.columns == 0) return;
    chain::check_rhs_separate(d, x);
    memory_range const factor_range{"the factorisation", factor.data(), factor.size()};
    memory_range const solution = chain::range_of("the solution", x);
    require_no_overlap(solution, factor_range, "solve_factored_bands: ");
    for (memory_range const& other : {solution, factor_range, chain::range_of("the right-hand side", d)})
        require_no_overlap({"the workspace", workspace.data(), needed}, other, "solve_factored_bands: ");
    auto const rows = chain::rows_of(a, options);
    auto const plan = chain::plan_factor(exec, rows);
    int const max_columns = int(std::min<std::int64_t>(x.columns, chain::max_rhs));
    chain::levels const l = chain::levels_of(rows.batch);
    std::int64_t const launch = chain::condensed_bytes<T>(l, rows.n, max_columns);
    for (std::int64_t c = 0; c < x.columns; c += max_columns) {
        int const rhs_count = int(std::min<std::int64_t>(max_columns, x.columns - c));
        chain::matrix_block_rows<lane> const block_rows{rows,
                                                        reinterpret_cast<lane const*>(d.pointer) + c * d.leading,
                                                        reinterpret_cast<lane*>(x.pointer) + c * x.leading,
                                                        d.leading,
                                                        x.leading,
                                                        rhs_count,
                                                        nullptr};
        chain::elimination<real> const how{real(0), false, false};
        chain::factored_levels<lane> factored(block_rows, how, plan, const_cast<std::byte*>(factor.data()),
                                              reinterpret_cast<lane*>(workspace.data()));
        factored.up(exec, chain::factor_step::forward, workspace.data() + launch);
        factored.down(exec, workspace.data() + launch);
    }
}

// The instantiations in the sources of the library.
#define COPPICE_BAND_FACTOR(T, prefix, Executor)                                                                       \
    prefix std::int64_t bands_factor_bytes(Executor const&, band_matrix<T> const&, band_options const&);               \
    prefix void factorise_bands(Executor const&, band_matrix<T> const&, array_view<std::byte>, band_options const&,    \
                                array_view<std::int64_t>);                                                             \
    prefix std::int64_t factored_workspace(Executor const&, band_matrix<T> const&, std::int64_t, band_options const&); \
    prefix void solve_factored_bands(Executor const&, band_matrix<T> const&, array_view<std::byte const>,              \
                                     columns_view<T const>, columns_view<T>, array_view<std::byte>,                    \
                                     band_options const&);
COPPICE_EXTERN_TEMPLATES(COPPICE_ALL_TYPES, COPPICE_BAND_FACTOR)

} // namespace coppice::inline v0_1
