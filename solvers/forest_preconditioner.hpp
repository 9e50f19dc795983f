// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The algebraic tridiagonal preconditioner: the tridiagonal part of the matrix along its own strong couplings.
#pragma once

#include <chrono>

#include <coppice/algebra/operations.hpp>
#include <coppice/graph/factor.hpp>
#include <coppice/graph/linear_forest.hpp>
#include <coppice/solvers/any_preconditioner.hpp>
#include <coppice/solvers/preconditioners.hpp>

namespace coppice {

struct forest_options {
    /// Degree is 2; rounds, charges, seed. Ties go to the nearer vertex: where weights decide (ANISO1, 2, 3) hash gives
    /// the same, on the 5-point grid of 1000^2 near leaves 281 paths instead of 86,675 and CG takes 547 iterations
    /// instead of 649, BiCGStab 245 instead of 277 (means over seven perturbations of b).
    factor_options factor{.ties = tie_rule::near};
    tridiagonal_options tridiagonal{}; ///< pivoting of the solves
};

/// z = P^T T^-1 P r ("AlgTriScalPrecond", thesis section 4.6): P numbers the vertices along the paths of a linear
/// forest of heavy edges, T is the tridiagonal part of P A P^T that the forest covers.
///
/// Setup: edge weights |A| + |A^T| (|A| where A is symmetric), [0, 2]-factor (algorithm 8), linear forest,
/// coefficients. The order of the rows does not matter but for ties. apply() gathers, solves by RPTS and scatters in
/// workspace of the object: one solve at a time. The result is that of the direct solve in exact arithmetic when the
/// graph of A is a path. Where A is symmetric, so is T; for an M-matrix or a diagonally dominant A it is positive
/// definite when A is.
template <executor Executor, class T, class I = std::int32_t>
class forest_preconditioner {
public:
    /// Throws dimension_error where A is not square, matrix_error where its values are not finite, argument_error for
    /// options out of range.
    forest_preconditioner(Executor const& exec, csr_view<T, I> a, forest_options const& options = {});

    /// New values on the pattern of the matrix that it was made of: the forest stays, its coefficients are read again.
    void refresh(Executor const& exec, csr_view<T, I> a);
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const;

    linear_forest<I> const& forest() const { return forest_; }
    tridiagonal_view<T> system() const { return system_.view(); }
    /// Coverage, paths, cycles, and the times of the setup.
    preconditioner_report const& report() const { return report_; }

private:
    void make_forest(Executor const& exec, csr_view<T, I> a, factor_options factor);

    detail::pattern_size pattern_;
    tridiagonal_options options_;
    linear_forest<I> forest_;
    tridiagonal<T> system_;
    mutable buffer<T> right_; ///< right-hand side, in the order of the forest
    mutable buffer<T> solution_;
    mutable buffer<std::byte> workspace_;
    preconditioner_report report_;
};

namespace detail {

/// Seconds since the last lap, with the work of `exec` done.
template <executor Executor>
class stopwatch {
public:
    explicit stopwatch(Executor const& exec) : exec_(exec) { lap(); }
    double lap() {
        exec_.synchronize();
        auto const now = std::chrono::steady_clock::now();
        return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
    }

private:
    Executor const& exec_;
    std::chrono::steady_clock::time_point last_{};
};

/// to[p] = from[order[p]]
template <class T, class I>
struct gather_element {
    I const* order;
    T const* from;
    T* to;
    COPPICE_HD void operator()(std::int64_t p) const { to[p] = from[order[p]]; }
};
/// to[order[p]] = from[p]
template <class T, class I>
struct scatter_element {
    I const* order;
    T const* from;
    T* to;
    COPPICE_HD void operator()(std::int64_t p) const { to[order[p]] = from[p]; }
};

} // namespace detail

template <executor Executor, class T, class I>
forest_preconditioner<Executor, T, I>::forest_preconditioner(Executor const& exec, csr_view<T, I> a,
                                                             forest_options const& options)
    : pattern_(a), options_(options.tridiagonal) {
    detail::require_preconditioner_matrix(a);
    report_.name = "forest";
    detail::stopwatch whole(exec);
    make_forest(exec, a, options.factor);
    detail::stopwatch part(exec);
    system_ = extract_forest_system(exec, a, forest_);
    report_.system_seconds = part.lap();
    right_ = buffer<T>(exec, a.rows());
    solution_ = buffer<T>(exec, a.rows());
    workspace_ = buffer<std::byte>(exec, tridiagonal_workspace<T>(a.rows()));
    report_.setup_seconds = whole.lap();
}

template <executor Executor, class T, class I>
void forest_preconditioner<Executor, T, I>::make_forest(Executor const& exec, csr_view<T, I> a, factor_options factor) {
    factor.degree = 2; // paths
    detail::stopwatch part(exec);
    auto const weights = symmetrised_weights(exec, a);
    report_.weights_seconds = part.lap();
    auto const edges = parallel_factor(exec, weights.view(), factor);
    report_.factor_seconds = part.lap();
    forest_ = extract_forest(exec, weights.view(), edges);
    report_.forest_seconds = part.lap();
    report_.rounds = edges.rounds;
    report_.weight_coverage = forest_.weight_coverage;
    report_.paths = forest_.paths;
    report_.longest_path = forest_.longest_path;
    report_.cycles_broken = forest_.cycles_broken;
}

template <executor Executor, class T, class I>
void forest_preconditioner<Executor, T, I>::refresh(Executor const& exec, csr_view<T, I> a) {
    pattern_.require_same(a);
    extract_forest_system(exec, make_srcsr_plan(exec, a), a, forest_, system_);
}

template <executor Executor, class T, class I>
void forest_preconditioner<Executor, T, I>::apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
    std::int64_t const n = system_.size();
    require_size("r of a preconditioner", r.size(), n);
    require_size("z of a preconditioner", z.size(), n);
    I const* const order = forest_.permutation.data();
    for_each(exec, n, detail::gather_element<T, I>{order, r.data(), right_.data()});
    solve_tridiagonal(exec, system_.view(), right_.view(), solution_.view(), workspace_.view(), options_);
    for_each(exec, n, detail::scatter_element<T, I>{order, solution_.data(), z.data()});
}

#define COPPICE_FOREST_PRECONDITIONER(EXTERN, EXECUTOR, T) EXTERN template class forest_preconditioner<EXECUTOR, T>;
COPPICE_FOREST_PRECONDITIONER(extern, host_executor, float)
COPPICE_FOREST_PRECONDITIONER(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_FOREST_PRECONDITIONER(extern, cuda_executor, float)
COPPICE_FOREST_PRECONDITIONER(extern, cuda_executor, double)
#endif

} // namespace coppice
