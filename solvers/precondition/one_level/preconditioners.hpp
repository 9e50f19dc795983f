// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Preconditioners that read the matrix in its given order: none, Jacobi, tridiagonal; each with its description in the
/// registry.
#pragma once

#include <limits>
#include <string>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/one_user.hpp>
#include <coppice/solvers/direct/regularise/regularise_tridiagonal.hpp>
#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_needs.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>
#include <coppice/solvers/precondition/interface/transposed.hpp>
#include <coppice/solvers/precondition/interface/tridiagonal_rows.hpp>
#include <coppice/solvers/precondition/one_level/diagonal.hpp>
#include <coppice/solvers/precondition/one_level/identity.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// Sums of |a_ij| over the sub- and superdiagonal, and over all off-diagonal entries.
struct couplings {
    double off_diagonal, all;
};
struct add_couplings {
    COPPICE_HD couplings operator()(couplings const& a, couplings const& b) const {
        return {a.off_diagonal + b.off_diagonal, a.all + b.all};
    }
};

template <class T>
struct invert_element {
    T* x;
    COPPICE_HD void operator()(std::int64_t i) const { x[i] = T(1) / x[i]; }
};
/// Writes row i of the system and returns its sums of magnitudes.
template <class T, class I>
struct read_tridiagonal_row {
    csr_view<T, I> a;
    T *lower, *diagonal, *upper;
    COPPICE_HD couplings operator()(std::int64_t i) const {
        T band[3] = {};
        couplings row{0, 0};
        for (I k = a.row_begin(i); k < a.row_end(i); ++k) {
            std::int64_t const distance = std::int64_t(a.indices[k]) - i;
            T const value = a.coefficients[k];
            bool const near = distance >= -1 && distance <= 1;
            if (near) band[distance + 1] = band[distance + 1] + value;
            if (distance != 0) row.all += double(magnitude(value));
            if (distance != 0 && near) row.off_diagonal += double(magnitude(value));
        }
        lower[i] = band[0];
        diagonal[i] = band[1];
        upper[i] = band[2];
        return row;
    }
};

} // namespace detail

/// Computes z_i = r_i / a_ii. Throws matrix_error, with the first such row, if a diagonal entry is zero or not stored.
template <executor Executor, class T, class I = std::int32_t>
class jacobi_preconditioner {
public:
    static constexpr bool shareable = true;

    jacobi_preconditioner(Executor const& exec, csr_view<T, I> a);
    /// Recomputes the inverses for a matrix with the pattern of the first one and new values.
    void refresh(Executor const& exec, csr_view<T, I> a);
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const { apply(exec, r, z); }
    bool replayable() const { return true; }

private:
    detail::pattern_fingerprint pattern_;
    buffer<T> inverse_, next_; ///< refresh() fills next_ and then swaps it with inverse_
};

/// Computes z = tridiag(A)^-1 r with the sub- and superdiagonal in the given order of the matrix ("TriScalPrecond" of
/// thesis section 4.6). Pivoting handles zeros on the diagonal; a singular or nearly singular tridiagonal matrix is
/// regularised (tridiagonal_regulariser). apply() uses workspace of the object: it throws argument_error if another
/// thread executes it.
template <executor Executor, class T, class I = std::int32_t>
class tridiagonal_preconditioner {
public:
    tridiagonal_preconditioner(Executor const& exec, csr_view<T, I> a, tridiagonal_options options = {});
    /// Reads a matrix with the pattern of the first one and new values.
    void refresh(Executor const& exec, csr_view<T, I> a);
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    std::vector<finding> findings() const {
        return {{"weight_coverage", finding_unit::fraction, coverage_},
                {"mended_rows", finding_unit::count, double(regularised_rows_)}};
    }
    bool replayable() const { return true; }

private:
    detail::pattern_fingerprint pattern_;
    tridiagonal_options options_;
    double coverage_ = 0; ///< fraction of the off-diagonal weight on the sub- and superdiagonal
    tridiagonal<T> system_;
    tridiagonal_regulariser<Executor, T> regulariser_{};
    std::int64_t regularised_rows_ = 0;
    mutable buffer<std::byte> workspace_;
    detail::one_user user_{};
};

template <executor Executor, class T, class I>
jacobi_preconditioner<Executor, T, I>::jacobi_preconditioner(Executor const& exec, csr_view<T, I> a)
    : pattern_(exec, a) {
    require_square(a, "a preconditioner");
    inverse_ = buffer<T>(exec, a.rows());
    next_ = buffer<T>(exec, a.rows());
    refresh(exec, a);
}

template <executor Executor, class T, class I>
void jacobi_preconditioner<Executor, T, I>::refresh(Executor const& exec, csr_view<T, I> a) {
    pattern_.require_same_pattern(exec, a);
    for_each(exec, a.rows(), detail::diagonal_entry<T, I, I>{a, next_.data()});
    if (auto const row = detail::first_zero(exec, array_view<T const>(next_.view())))
        throw matrix_error("row " + std::to_string(*row) +
                           " has a zero diagonal entry, or none; the Jacobi preconditioner needs every one");
    for_each(exec, next_.size(), detail::invert_element<T>{next_.data()});
    inverse_.swap(next_);
}

template <executor Executor, class T, class I>
void jacobi_preconditioner<Executor, T, I>::apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
    require_size("r of a preconditioner", r, inverse_.size());
    require_size("z of a preconditioner", z, inverse_.size());
    for_each(exec, inverse_.size(), detail::scale_elements<T>{inverse_.data(), r.data(), z.data()});
}

template <executor Executor, class T, class I>
tridiagonal_preconditioner<Executor, T, I>::tridiagonal_preconditioner(Executor const& exec, csr_view<T, I> a,
                                                                       tridiagonal_options options)
    : pattern_(exec, a), options_(options) {
    require_square(a, "a preconditioner");
    system_ = tridiagonal<T>(exec, a.rows());
    refresh(exec, a);
    workspace_ = buffer<std::byte>(exec, tridiagonal_workspace<T>(a.rows()));
}

template <executor Executor, class T, class I>
void tridiagonal_preconditioner<Executor, T, I>::refresh(Executor const& exec, csr_view<T, I> a) {
    pattern_.require_same_pattern(exec, a);
    detail::read_tridiagonal_row<T, I> const read_row{a, system_.lower.data(), system_.diagonal.data(),
                                                      system_.upper.data()};
    auto const sum = reduce(exec, a.rows(), detail::couplings{0, 0}, read_row, detail::add_couplings{});
    coverage_ = sum.all != 0 ? sum.off_diagonal / sum.all : 1; // a NaN remains NaN
    regularised_rows_ = regulariser_.regularise(exec, system_, options_, coverage_ == 1);
}

template <executor Executor, class T, class I>
void tridiagonal_preconditioner<Executor, T, I>::apply(Executor const& exec, array_view<T const> r,
                                                       array_view<T> z) const {
    require_size("r of a preconditioner", r, system_.size());
    require_size("z of a preconditioner", z, system_.size());
    auto const use = user_.enter("this tridiagonal_preconditioner");
    solve_tridiagonal_by_rpts(exec, system_.view(), r, z, workspace_.view(), options_);
}

template <executor Executor, class T, class I>
void tridiagonal_preconditioner<Executor, T, I>::apply_transpose(Executor const& exec, array_view<T const> r,
                                                                 array_view<T> z) const {
    require_size("r of a preconditioner", r, system_.size());
    require_size("z of a preconditioner", z, system_.size());
    detail::solve_transposed(exec, band_matrix<T>(system_.view()), static_cast<I const*>(nullptr), r, z,
                             {.pivot = options_.pivot, .threshold = options_.threshold});
}

struct identity_entry {
    static constexpr preconditioner_row row{.name = "none", .matrix = "I", .setup = "nothing", .suits = "comparison"};

    template <executor Executor, class T, class I>
    static auto make(Executor const&, csr_view<T, I>, chosen_options const&) {
        return identity_preconditioner{};
    }
};

struct jacobi_entry {
    static constexpr preconditioner_row row{.name = "jacobi",
                                            .matrix = "diag(A)",
                                            .setup = "one pass",
                                            .suits = "diagonals of different size",
                                            .needs = {.diagonal = true}};

    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const&) {
        return jacobi_preconditioner<Executor, T, I>(exec, a);
    }
};

struct tridiagonal_entry {
    static constexpr auto& options = detail::tridiagonal_option_rows;
    static constexpr preconditioner_row row{.name = "tridiagonal",
                                            .matrix = "tridiag(A) in the given numbering",
                                            .setup = "one pass",
                                            .suits = "strong couplings along the given numbering",
                                            .options = options};

    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        return tridiagonal_preconditioner<Executor, T, I>(exec, a, detail::read_tridiagonal_options(o));
    }
};

#define COPPICE_PRECONDITIONERS(EXTERN, EXECUTOR, T)                                                                   \
    EXTERN template class jacobi_preconditioner<EXECUTOR, T>;                                                          \
    EXTERN template class tridiagonal_preconditioner<EXECUTOR, T>;
COPPICE_PRECONDITIONERS(extern, host_executor, float)
COPPICE_PRECONDITIONERS(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_PRECONDITIONERS(extern, cuda_executor, float)
COPPICE_PRECONDITIONERS(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1
