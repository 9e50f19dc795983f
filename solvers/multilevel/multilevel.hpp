// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The multilevel forest method: algebraic multigrid (AMG) whose aggregates are runs of linear forests.
#pragma once

#include <memory>
#include <type_traits>
#include <variant>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/float16.hpp>
#include <coppice/core/one_user.hpp>
#include <coppice/solvers/multilevel/multilevel_options.hpp>
#include <coppice/solvers/multilevel/near_null_space.hpp>
#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>
#include <coppice/solvers/precondition/one_level/convergence_factor.hpp>

namespace coppice::inline v0_1 {

namespace multilevel_detail {
template <executor Executor, class T, class S, class I>
class multilevel_hierarchy; // <coppice/solvers/multilevel/multilevel_cycle.hpp>
} // namespace multilevel_detail

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
/// orthonormal. refresh() reuses them. Without vectors, the constants of each component: P_0 and P have the entries of
/// one component; the number of components is detected by default.
///
/// apply() allocates nothing, may be captured into a CUDA graph, and uses memory of the object: it throws
/// argument_error if another thread is in apply(). Throws dimension_error if A is not square, matrix_error if a value
/// of A or an element of `near` is not finite, or if a row has duplicate columns.
///
/// Compiled for float and double, 32-bit indices, the host and CUDA; for other types include
/// <coppice/preconditioner_classes.hpp>.
template <executor Executor, class T, class I = std::int32_t>
class multilevel_preconditioner {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                  "multilevel_preconditioner: the values of the matrix must be float or double");

public:
    multilevel_preconditioner(Executor const& exec, csr_view<T, I> a, multilevel_options const& options = {},
                              near_null_space<T> const& near = {});
    multilevel_preconditioner(multilevel_preconditioner&&) noexcept;
    multilevel_preconditioner& operator=(multilevel_preconditioner&&) noexcept;
    ~multilevel_preconditioner();

    /// Recomputes all values for new values on the same pattern. Aggregates and structures are reused; the result has
    /// the same bits as a new preconditioner with these aggregates.
    void refresh(Executor const& exec, csr_view<T, I> a);
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    /// z = M^-T r: the cycle of A^T. The first call after a set-up or refresh transposes the levels.
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const;
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

#define COPPICE_MULTILEVEL(EXTERN, EXECUTOR, T)                                                                        \
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
