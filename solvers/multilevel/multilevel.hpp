// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The multilevel forest method: algebraic multigrid (AMG) whose aggregates are runs of linear forests.
#pragma once

#include <memory>
#include <variant>

#include <coppice/algebra/float16.hpp>
#include <coppice/core/one_user.hpp>
#include <coppice/solvers/multilevel/multilevel_cycle.hpp>
#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>
#include <coppice/solvers/precondition/one_level/convergence_factor.hpp>

namespace coppice::inline v0_1 {

/// Preconditioner z = one cycle of algebraic multigrid for A z = r.
///
/// Coarsening: on each level a [0, 2]-factor of the strong couplings (entries with the sign opposite to the diagonal,
/// relative to the diagonals) gives paths, which are split into runs of at least three unknowns; along a second forest
/// between the runs, at least two runs are merged into an aggregate. The tentative prolongator P_0, constant on
/// aggregates, is smoothed once with a filtered matrix. The matrix of the next level is P^T A P; the coarsest level, of
/// some hundred rows, is solved directly. If A is symmetric positive definite, so is M.
///
/// `near`: optional near-null-space vectors that the coarse levels represent, for systems with several unknowns per
/// point, e.g. the rigid body modes of elasticity. Aggregates then consist of points, and their columns of P_0 are
/// orthonormal. refresh() reuses them.
///
/// apply() allocates nothing, may be captured into a CUDA graph, and uses memory of the object: it throws
/// argument_error if another thread is in apply(). Throws dimension_error if A is not square, matrix_error if a value
/// is not finite or a row has duplicate columns.
template <executor Executor, class T, class I = std::int32_t>
class multilevel_preconditioner {
public:
    multilevel_preconditioner(Executor const& exec, csr_view<T, I> a, multilevel_options const& options = {},
                              near_null_space<T> const& near = {});

    /// Recomputes all values for new values on the same pattern. Aggregates and structures are reused; the result has
    /// the same bits as a new preconditioner with these aggregates.
    void refresh(Executor const& exec, csr_view<T, I> a);
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    bool replayable() const { return true; }

    multilevel_report report() const;
    std::vector<finding> findings() const;

private:
    template <class S>
    using hierarchy = std::unique_ptr<multilevel_detail::multilevel_hierarchy<Executor, T, S, I>>;
    using any_hierarchy =
        std::conditional_t<std::is_same_v<T, float>, std::variant<hierarchy<float>, hierarchy<float16>>,
                           std::variant<hierarchy<float>, hierarchy<T>, hierarchy<float16>>>;
    static any_hierarchy make(Executor const& exec, csr_view<T, I> a, multilevel_options const& options,
                              near_null_space<T> const& near);

    detail::pattern_fingerprint pattern_;
    any_hierarchy levels_;
    detail::one_user user_{};
};

template <executor Executor, class T, class I>
multilevel_preconditioner<Executor, T, I>::multilevel_preconditioner(Executor const& exec, csr_view<T, I> a,
                                                                     multilevel_options const& options,
                                                                     near_null_space<T> const& near)
    : pattern_(exec, require_square(a, "a preconditioner")), levels_(make(exec, a, options, near)) {}

template <executor Executor, class T, class I>
auto multilevel_preconditioner<Executor, T, I>::make(Executor const& exec, csr_view<T, I> a,
                                                     multilevel_options const& options, near_null_space<T> const& near)
    -> any_hierarchy {
    if (options.first_run < 1 || options.second_run < 1 || options.max_levels < 1)
        throw argument_error("runs and number of levels are 1 at least");
    if (options.coarsest < 0) throw argument_error("rows of the coarsest level are not negative");
    if (!(options.products >= 0)) throw argument_error("products of a level are 0 at least");
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
            {"solved_directly", finding_unit::count, r.direct ? 1.0 : 0.0},
            {"stalled", finding_unit::count, r.end == coarsening_end::stalled ? 1.0 : 0.0},
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
         .standard = "1",
         .meaning = "unknowns per point, numbered consecutively; coarse levels represent the constants of each",
         .min = 1,
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
#define COPPICE_MULTILEVEL(EXTERN, EXECUTOR, T)                                                                        \
    EXTERN template class multilevel_detail::multilevel_hierarchy<EXECUTOR, T, float, std::int32_t>;                   \
    EXTERN template class multilevel_preconditioner<EXECUTOR, T>;                                                      \
    EXTERN template double convergence_factor(EXECUTOR const&, csr_view<T>,                                            \
                                              multilevel_preconditioner<EXECUTOR, T> const&, int, std::uint64_t);
COPPICE_MULTILEVEL(extern, host_executor, float)
COPPICE_MULTILEVEL(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_MULTILEVEL(extern, cuda_executor, float)
COPPICE_MULTILEVEL(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1
