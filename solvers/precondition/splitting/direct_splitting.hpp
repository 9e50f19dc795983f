// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The direct multiplicative operator splitting MOS-d (thesis sections 5.1.9 and 5.2.2).
#pragma once

#include <coppice/solvers/precondition/splitting/splitting_forests.hpp>

namespace coppice {
namespace detail {

/// base^exponent by repeated products, the same bits everywhere.
template <class T>
COPPICE_HD T power(T base, int exponent) {
    T result(1);
    for (int k = 0; k < exponent; ++k) result = result * base;
    return result;
}

/// Row p of system l, which holds a_ij along the forest, becomes that of M_l (Eqs. 57 to 60): J_i on the diagonal,
/// T_i^-1 J_i^-(m-1-l) a_ij J_j^-l beside it, with J = I + (T^-1 diag(A) - I) / m, whose entries lie between 1 - 1/m
/// and 1. The last factor takes T from the left, so that T M_{m-1} ... M_0 is a product of tridiagonal matrices alone.
template <class T, class I>
struct scale_direct_row {
    T const* diagonal; ///< of A
    T const* inverse;  ///< T^-1
    I const* permutation;
    std::int64_t n;
    int m, l;
    T *lower, *middle, *upper;

    COPPICE_HD T joint(std::int64_t p) const {
        I const v = permutation[p];
        return T(1) + (diagonal[v] * inverse[v] - T(1)) / T(m);
    }
    COPPICE_HD void operator()(std::int64_t p) const {
        T const here = joint(p), scale = inverse[permutation[p]];
        bool const last = l == m - 1;
        T const row = (last ? T(1) : scale) / power(here, m - 1 - l);
        if (p > 0) lower[p] = row * lower[p] / power(joint_beside(lower[p], p - 1), l);
        if (p + 1 < n) upper[p] = row * upper[p] / power(joint_beside(upper[p], p + 1), l);
        middle[p] = last ? here / scale : here;
    }

private:
    /// 1 where nothing is coupled: with m = 1 J may be 0.
    COPPICE_HD T joint_beside(T value, std::int64_t p) const { return value == T(0) ? T(1) : joint(p); }
};

} // namespace detail

/// z = M_0^-1 ... M_{m-1}^-1 T^-1 r (Eq. 79) with T = diagp_1(A) and tridiagonal factors along m linear forests without
/// common edges, whose product is A where the forests hold all of it, but for terms of second order (Eq. 63). m
/// tridiagonal solves, no product with A. Multiplying A from the left by a diagonal matrix multiplies M by it.
/// Singular factors are mended. Not symmetric where A is.
template <executor Executor, class T, class I = std::int32_t>
class direct_splitting {
public:
    /// Throws as inner_alternation.
    direct_splitting(Executor const& exec, csr_view<T, I> a, splitting_options const& options = {.omega = 0})
        : forests_(exec, a, options, [&](auto& forests) {
              diagonal_ = buffer<T>(exec, a.rows());
              read(exec, a, forests);
          }) {}

    /// As that of inner_alternation.
    void refresh(Executor const& exec, csr_view<T, I> a) {
        forests_.require_same(exec, a);
        forests_.scales().read(exec, a);
        read(exec, a, forests_);
    }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        forests_.systems().solve_in_turn(exec, r, z);
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
                     detail::scale_direct_row<T, I>{diagonal_.data(), scales.inverse.data(), forest.permutation.data(),
                                                    system.size(), m, l, system.lower.data(), system.diagonal.data(),
                                                    system.upper.data()});
            systems.mend(exec, l, m == 1 && forest.weight_coverage == 1);
        }
    }

    buffer<T> diagonal_{};
    detail::splitting_forests<Executor, T, I> forests_;
};

struct direct_splitting_entry {
    static constexpr option_row options[] = {
        detail::factors_row,    detail::omega_row("0"), detail::enough_coverage_row,
        detail::least_gain_row, detail::ties_row,       detail::rounds_row,
        detail::seed_row,       detail::pivoting_row,   detail::threshold_row};
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

} // namespace coppice
