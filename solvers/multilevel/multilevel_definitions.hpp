// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions of the multilevel forest method, and its registration.
#pragma once

#include <coppice/core/number_text.hpp>
#include <coppice/solvers/multilevel/multilevel.hpp>
#include <coppice/solvers/multilevel/multilevel_cycle.hpp>

namespace coppice::inline v0_1 {

template <executor Executor, class T, class I>
multilevel_preconditioner<Executor, T, I>::multilevel_preconditioner(Executor const& exec, csr_view<T, I> a,
                                                                     multilevel_options const& options,
                                                                     near_null_space<T> const& near)
    : pattern_(exec, require_square(a, "a preconditioner")), levels_(make(exec, a, options, near)) {}

template <executor Executor, class T, class I>
multilevel_preconditioner<Executor, T, I>::multilevel_preconditioner(multilevel_preconditioner&&) noexcept = default;
template <executor Executor, class T, class I>
multilevel_preconditioner<Executor, T, I>&
multilevel_preconditioner<Executor, T, I>::operator=(multilevel_preconditioner&&) noexcept = default;
template <executor Executor, class T, class I>
multilevel_preconditioner<Executor, T, I>::~multilevel_preconditioner() = default;

template <executor Executor, class T, class I>
auto multilevel_preconditioner<Executor, T, I>::make(Executor const& exec, csr_view<T, I> a,
                                                     multilevel_options const& options, near_null_space<T> const& near)
    -> any_hierarchy {
    auto const require = [](char const* name, auto value, int min_value) {
        if (!(value >= min_value))
            throw argument_error("multilevel option " + std::string(name) + " is " +
                                 coppice::detail::number_text(double(value)) + ", expected at least " +
                                 std::to_string(min_value));
    };
    require("first_run", options.first_run, 1);
    require("second_run", options.second_run, 1);
    require("max_levels", options.max_levels, 1);
    require("coarsest", options.coarsest, 0);
    require("products", options.products, 0);
    if (a.rows() == 0) return {};
    using namespace multilevel_detail;
    if (options.storage == multilevel_storage::full)
        return std::make_unique<multilevel_hierarchy<Executor, T, T, I>>(exec, a, options, near);
    if (options.storage == multilevel_storage::half)
        return std::make_unique<multilevel_hierarchy<Executor, T, float16, I>>(exec, a, options, near);
    return std::make_unique<multilevel_hierarchy<Executor, T, float, I>>(exec, a, options, near);
}

template <executor Executor, class T, class I>
void multilevel_preconditioner<Executor, T, I>::refresh(Executor const& exec, csr_view<T, I> a) {
    pattern_.require_same(exec, a);
    if (a.rows() == 0) return;
    std::visit([&](auto& levels) { levels->refresh(exec, a); }, levels_);
}

template <executor Executor, class T, class I>
void multilevel_preconditioner<Executor, T, I>::apply(Executor const& exec, array_view<T const> r,
                                                      array_view<T> z) const {
    require_size("r of a preconditioner", r, pattern_.size().rows);
    require_size("z of a preconditioner", z, pattern_.size().rows);
    if (z.size() == 0) return;
    auto const use = user_.enter("this multilevel_preconditioner");
    std::visit([&](auto& levels) { levels->apply(exec, r.data(), z.data()); }, levels_);
}

template <executor Executor, class T, class I>
void multilevel_preconditioner<Executor, T, I>::apply_transpose(Executor const& exec, array_view<T const> r,
                                                                array_view<T> z) const {
    require_size("r of a preconditioner", r, pattern_.size().rows);
    require_size("z of a preconditioner", z, pattern_.size().rows);
    if (z.size() == 0) return;
    auto const use = user_.enter("this multilevel_preconditioner");
    std::visit([&](auto& levels) { levels->apply_transpose(exec, r.data(), z.data()); }, levels_);
}

template <executor Executor, class T, class I>
multilevel_report multilevel_preconditioner<Executor, T, I>::report() const {
    return std::visit([](auto& levels) { return levels ? levels->report() : multilevel_report{.levels = {{}}}; },
                      levels_);
}

template <executor Executor, class T, class I>
std::vector<finding> multilevel_preconditioner<Executor, T, I>::findings() const {
    multilevel_report const r = report();
    return {{"levels", finding_unit::count, double(r.levels.size())},
            {"operator_complexity", finding_unit::number, r.operator_complexity},
            {"grid_complexity", finding_unit::number, r.grid_complexity},
            {"coarsest_rows", finding_unit::count, double(r.levels.back().rows)},
            {"solved_directly", finding_unit::flag, r.direct ? 1.0 : 0.0},
            {"stalled", finding_unit::flag, r.end == coarsening_end::stalled ? 1.0 : 0.0},
            {"unknowns_per_point", finding_unit::count, double(r.block)},
            {"weight_coverage", finding_unit::fraction, r.levels.front().coverage},
            {"coupling_seconds", finding_unit::seconds, r.coupling_seconds},
            {"aggregate_seconds", finding_unit::seconds, r.aggregate_seconds},
            {"prolongator_seconds", finding_unit::seconds, r.prolongator_seconds},
            {"galerkin_seconds", finding_unit::seconds, r.galerkin_seconds},
            {"smoother_seconds", finding_unit::seconds, r.smoother_seconds}};
}

struct multilevel_entry {
    static constexpr option_row options[] = {
        {.name = "smoother",
         .kind = option_kind::choice,
         .standard = "auto",
         .meaning = "smoother before and after the coarse-grid correction of each level",
         .choices = {"auto", "jacobi", "l1", "forest", "chebyshev", "gauss-seidel"}},
        {.name = "cycle",
         .kind = option_kind::choice,
         .standard = "v",
         .meaning = "V or W cycle",
         .choices = {"v", "w"}},
        {.name = "storage",
         .kind = option_kind::choice,
         .standard = "single",
         .meaning = "precision of the matrices of the levels; the vectors keep theirs",
         .choices = {"single", "full", "half"}},
        {.name = "first-run",
         .standard = "3",
         .meaning = "minimum number of unknowns of a run of the first forest",
         .min = 1,
         .max = 1000},
        {.name = "second-run",
         .standard = "2",
         .meaning = "minimum number of runs that the second forest merges",
         .min = 1,
         .max = 1000},
        {.name = "drop",
         .kind = option_kind::real,
         .standard = "0.12",
         .meaning =
             "entries below this fraction of the diagonals are dropped from the prolongator; halved with each level",
         .max = 1},
        {.name = "products",
         .kind = option_kind::real,
         .standard = "15",
         .meaning =
             "maximum of products in P^T A P of a level over nonzeros of A; beyond it P is smoothed less or not at all",
         .max = 1e9},
        {.name = "coarsest",
         .standard = "0",
         .meaning = "maximum rows of the level that is solved directly; 0: 128, on a GPU up to 1024",
         .max = 2000},
        {.name = "block",
         .standard = "0",
         .meaning =
             "unknowns per point, numbered consecutively; coarse levels represent the constants of each; 0: 1 with "
             "vectors, otherwise detected",
         .max = 32},
        {.name = "levels", .standard = "30", .meaning = "maximum number of levels", .min = 1, .max = 100}};
    static constexpr preconditioner_row row{.name = "multilevel",
                                            .matrix = "algebraic multigrid (AMG) with aggregates from forests",
                                            .setup = "about 100 products with A",
                                            .suits = "diffusion problems; iterations do not grow with the size",
                                            .refresh_allocates = true,
                                            .options = options};

    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        return multilevel_preconditioner<Executor, T, I>(exec, a, read(o),
                                                         near_null_space<T>{.block = int(o.integer("block"))});
    }
    /// The unknowns per point from the option and from given vectors; 0: detected. They may differ only if one of them
    /// is 0 or 1.
    static int block_of(chosen_options const& o, int of_vectors, int vectors) {
        int const block = int(o.integer("block"));
        if (of_vectors > 1 && block > 1 && of_vectors != block)
            throw argument_error("the option block is " + std::to_string(block) + ", but the vectors have " +
                                 std::to_string(of_vectors) + " unknowns per point");
        if (of_vectors > 1) return of_vectors;
        return vectors > 0 || of_vectors == 1 ? std::max(block, 1) : block;
    }
    static multilevel_options read(chosen_options const& o) {
        return {.smoother = multilevel_smoother(o.choice("smoother")),
                .cycle = multilevel_cycle(o.choice("cycle")),
                .storage = multilevel_storage(o.choice("storage")),
                .first_run = int(o.integer("first-run")),
                .second_run = int(o.integer("second-run")),
                .drop = o.real("drop"),
                .products = o.real("products"),
                .coarsest = int(o.integer("coarsest")),
                .max_levels = int(o.integer("levels"))};
    }
};

// The hierarchy is also instantiated for the distributed multilevel method.
#define COPPICE_MULTILEVEL_HIERARCHY(EXTERN, EXECUTOR, T)                                                              \
    EXTERN template class multilevel_detail::multilevel_hierarchy<EXECUTOR, T, float, std::int32_t>;
COPPICE_MULTILEVEL_HIERARCHY(extern, host_executor, float)
COPPICE_MULTILEVEL_HIERARCHY(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_MULTILEVEL_HIERARCHY(extern, cuda_executor, float)
COPPICE_MULTILEVEL_HIERARCHY(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1
