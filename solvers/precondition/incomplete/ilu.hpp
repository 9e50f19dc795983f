// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// ILU(0) and IC(0).
#pragma once

#include <coppice/solvers/precondition/incomplete/ilu_factors.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>

namespace coppice::inline v0_1 {

/// Computes z = (L U)^-1 r with incomplete factors without fill; with options.symmetric U = D L^T (incomplete
/// Cholesky).
template <executor Executor, class T>
class ilu_preconditioner {
public:
    ilu_preconditioner(Executor const& exec, csr_view<T> a, ilu_options const& options = {})
        : factors_(exec, a, options) {}

    /// Recomputes the factors for a matrix with the pattern of the first one and new values.
    void refresh(Executor const& exec, csr_view<T> a) { factors_.refresh(exec, a); }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const { factors_.solve(exec, r, z); }
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        factors_.solve_transposed(exec, r, z);
    }
    bool replayable() const { return true; }
    std::vector<finding> findings() const { return findings_of(factors_); }
    ilu_factors<Executor, T> const& factors() const { return factors_; }

    static std::vector<finding> findings_of(ilu_factors<Executor, T> const& f) {
        return {{"shift", finding_unit::number, f.shift()},
                {"added_diagonal_entries", finding_unit::count, double(f.added())}};
    }

private:
    ilu_factors<Executor, T> factors_;
};

namespace detail {

inline constexpr option_row ilu_factor_row{.name = "factor-scheme",
                                           .kind = option_kind::choice,
                                           .standard = "auto",
                                           .meaning = "factors made exactly or by fixed-point sweeps; auto: exact on "
                                                      "the host, sweeps on CUDA",
                                           .choices = {"auto", "exact", "sweeps"}};
inline constexpr option_row ilu_factor_sweeps_row{
    .name = "factor-sweeps", .standard = "5", .meaning = "fixed-point sweeps of the factors", .min = 0, .max = 1000};
inline constexpr option_row ilu_solve_row{.name = "solve-scheme",
                                          .kind = option_kind::choice,
                                          .standard = "auto",
                                          .meaning = "triangular solves done exactly or by Jacobi sweeps; auto: exact "
                                                     "on the host, sweeps on CUDA",
                                          .choices = {"auto", "exact", "sweeps"}};
inline constexpr option_row ilu_solve_sweeps_row{.name = "solve-sweeps",
                                                 .standard = "4",
                                                 .meaning = "Jacobi sweeps of each triangular solve",
                                                 .min = 0,
                                                 .max = 1000};
inline constexpr option_row ilu_shift_row{.name = "shift",
                                          .kind = option_kind::real,
                                          .standard = "0",
                                          .meaning =
                                              "minimum relative diagonal shift (fraction of the off-diagonal row sum)",
                                          .max = 1e6};
inline constexpr option_row ilu_option_rows[] = {ilu_factor_row, ilu_factor_sweeps_row, ilu_solve_row,
                                                 ilu_solve_sweeps_row, ilu_shift_row};

inline ilu_options read_ilu_options(chosen_options const& o, bool symmetric) {
    return {.factor = ilu_scheme(o.choice("factor-scheme")),
            .solve = ilu_scheme(o.choice("solve-scheme")),
            .factor_sweeps = int(o.integer("factor-sweeps")),
            .solve_sweeps = int(o.integer("solve-sweeps")),
            .shift = o.real("shift"),
            .symmetric = symmetric};
}

} // namespace detail

struct ilu0_entry {
    static constexpr preconditioner_row row{.name = "ilu0",
                                            .matrix = "L U on the pattern of A",
                                            .setup = "some 40 products with A on the host",
                                            .suits = "general matrices, on the host",
                                            .keeps_symmetry = false,
                                            .options = detail::ilu_option_rows};
    template <executor Executor, class T>
    static auto make(Executor const& exec, csr_view<T> a, chosen_options const& o) {
        return ilu_preconditioner<Executor, T>(exec, a, detail::read_ilu_options(o, false));
    }
};

struct ic0_entry {
    static constexpr preconditioner_row row{.name = "ic0",
                                            .matrix = "L D L^T on the pattern of A",
                                            .setup = "some 40 products with A on the host",
                                            .suits = "symmetric positive definite matrices, on the host",
                                            .needs = {.symmetric = true},
                                            .options = detail::ilu_option_rows};
    template <executor Executor, class T>
    static auto make(Executor const& exec, csr_view<T> a, chosen_options const& o) {
        return ilu_preconditioner<Executor, T>(exec, a, detail::read_ilu_options(o, true));
    }
};

} // namespace coppice::inline v0_1
