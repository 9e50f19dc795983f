// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The direct multiplicative operator splitting MOS-d (thesis sections 5.1.9 and 5.2.2).
#pragma once

#include <coppice/solvers/precondition/splitting/splitting_forests.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// Computes base^exponent by repeated products; the result is the same on all executors.
template <class T>
COPPICE_HD T power(T base, int exponent) {
    T result(1);
    for (int k = 0; k < exponent; ++k) result = result * base;
    return result;
}

/// Entries of M_l of m factors (Eqs. 57 to 60): J_i on the diagonal, T_i^-1 J_i^-(m-1-l) a_ij J_j^-l off the diagonal,
/// with J = I + (T^-1 diag(A) - I) / m, whose entries are between 1 - 1/m and 1. The last factor is multiplied by T
/// from the left, so T M_{m-1} ... M_0 is a product of tridiagonal factors.
template <class T>
struct direct_factor {
    T const* diagonal; ///< of A
    T const* inverse;  ///< T^-1
    int m, l;

    COPPICE_HD T on_diagonal(std::int64_t i) const { return l == m - 1 ? jacobi_term(i) / inverse[i] : jacobi_term(i); }
    COPPICE_HD T off_diagonal(std::int64_t i, std::int64_t j, T entry) const {
        if (entry == T(0)) return entry; // J may be 0 if m = 1
        T const row = (l == m - 1 ? T(1) : inverse[i]) / power(jacobi_term(i), m - 1 - l);
        return row * entry / power(jacobi_term(j), l);
    }

private:
    COPPICE_HD T jacobi_term(std::int64_t i) const { return T(1) + (diagonal[i] * inverse[i] - T(1)) / T(m); }
};

/// Replaces row p of a system along a forest, with the entries a_ij, by the row of M_l.
template <class T, class I>
struct scale_direct_row {
    direct_factor<T> factor;
    I const* permutation; ///< null: the arrays of the factor are in the order of the system
    std::int64_t n;
    T *lower, *middle, *upper;

    COPPICE_HD void operator()(std::int64_t p) const {
        std::int64_t const v = vertex(p);
        if (p > 0) lower[p] = factor.off_diagonal(v, vertex(p - 1), lower[p]);
        if (p + 1 < n) upper[p] = factor.off_diagonal(v, vertex(p + 1), upper[p]);
        middle[p] = factor.on_diagonal(v);
    }

private:
    COPPICE_HD std::int64_t vertex(std::int64_t p) const { return permutation ? std::int64_t(permutation[p]) : p; }
};

} // namespace detail

/// Computes z = M_0^-1 ... M_{m-1}^-1 T^-1 r (Eq. 79) with T = diagp_1(A) and tridiagonal factors along m linear
/// forests without common edges. If the forests contain all off-diagonal entries of A, the product of the factors is A
/// up to terms of second order (Eq. 63). Cost: m tridiagonal solves, no product with A. If A is multiplied from the
/// left by a diagonal matrix, so is M. Singular factors are regularised. M is not symmetric even if A is.
template <executor Executor, class T, class I = std::int32_t>
class direct_splitting {
public:
    /// Throws the same exceptions as inner_alternation.
    direct_splitting(Executor const& exec, csr_view<T, I> a, splitting_options const& options = {.omega = 0})
        : diagonal_(exec, a.rows()),
          forests_(exec, a, options.tridiagonal, detail::find_heavy_forests<Executor>{exec, options},
                   [&](auto& forests) { read(exec, a, forests); }) {
        forests_.systems().prepare_successive(exec);
    }

    /// Reads new values as inner_alternation::refresh(); same errors.
    void refresh(Executor const& exec, csr_view<T, I> a) {
        forests_.require_same(exec, a);
        forests_.scales().read(exec, a);
        read(exec, a, forests_);
    }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        forests_.systems().solve_successively(exec, r, z);
    }
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        forests_.systems().solve_successively_transposed(exec, r, z);
    }
    bool replayable() const { return true; }
    int factors() const { return forests_.systems().count(); }
    linear_forest<I> const& forest(int l = 0) const { return forests_.systems().forest(l); }
    std::vector<finding> findings() const { return forests_.findings(); }

private:
    void read(Executor const& exec, csr_view<T, I> a, detail::splitting_forests<Executor, T, I>& forests) {
        for_each(exec, a.rows(), detail::diagonal_entry<T, I, I>{a, diagonal_.data()});
        auto& systems = forests.systems();
        auto const& scales = forests.scales();
        int const m = systems.count();
        for (int l = 0; l < m; ++l) {
            auto& system = systems.system(l);
            auto const& forest = systems.forest(l);
            extract_forest_system(exec, scales.plan, a, forest, system);
            for_each(exec, system.size(),
                     detail::scale_direct_row<T, I>{{diagonal_.data(), scales.inverse.data(), m, l},
                                                    forest.permutation.data(),
                                                    system.size(),
                                                    system.lower.data(),
                                                    system.diagonal.data(),
                                                    system.upper.data()});
            systems.regularise(exec, l, m == 1 && forest.weight_coverage == 1);
        }
    }

    buffer<T> diagonal_;
    detail::splitting_forests<Executor, T, I> forests_;
};

struct direct_splitting_entry {
    static constexpr option_row options[] = {detail::factors_row,  detail::omega_row("0"), detail::enough_coverage_row,
                                             detail::min_gain_row, detail::ties_row,       detail::rounds_row,
                                             detail::seed_row,     detail::pivoting_row,   detail::threshold_row};
    static constexpr preconditioner_row row{.name = "mos-d",
                                            .matrix = "product of m tridiagonal factors along forests",
                                            .setup = "m times that of forest",
                                            .suits = "as alt-i, without products with A; not for cg",
                                            .compared = false,
                                            .keeps_symmetry = false,
                                            .options = options};
    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        return direct_splitting<Executor, T, I>(exec, a, detail::read_splitting_options(o));
    }
};

} // namespace coppice::inline v0_1
