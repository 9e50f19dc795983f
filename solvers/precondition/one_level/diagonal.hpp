// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Diagonal preconditioners with repeated application: diagp_0, diagp_1, diagp_2 and l1 (thesis section 5.1.6).
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/one_user.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>
#include <coppice/solvers/precondition/interface/transposed.hpp>

namespace coppice::inline v0_1 {

enum class diagonal_kind {
    diagp_0, ///< a_ii (Eq. 39)
    diagp_1, ///< unit(a_ii) max(|a_ii|, sum of the other |a_ij|) (Eq. 40)
    diagp_2, ///< unit(a_ii) sum of |a_ij| (Eq. 41)
    l1       ///< a_ii + sum of the other |a_ij| (Eq. 42)
};

namespace detail {

template <class T>
struct diagonal_sums {
    T diagonal, off_diagonal;
};
template <class T, class I>
struct diagonal_sums_of {
    COPPICE_HD diagonal_sums<T> operator()(T const& value, I const& column, std::int64_t row) const {
        bool const here = std::int64_t(column) == row;
        return {here ? value : T(0), here ? T(0) : magnitude(value)};
    }
};
template <class T>
struct add_diagonal_sums {
    COPPICE_HD diagonal_sums<T> identity() const { return {T(0), T(0)}; }
    COPPICE_HD diagonal_sums<T> operator()(diagonal_sums<T> const& a, diagonal_sums<T> const& b) const {
        return {a.diagonal + b.diagonal, a.off_diagonal + b.off_diagonal};
    }
};

/// Stores inverse[i] = 1 / d_i. If this is not finite, d_i is that of diagp_1, and 1 in a row without entries.
/// growth[i], if not null, is the sum of the magnitudes in row i of I - D^-1 A.
template <class T>
struct store_inverse {
    diagonal_kind kind;
    bool positive; ///< use |d_i|
    T* inverse;
    std::uint8_t* regularised;
    T* growth;

    COPPICE_HD void operator()(std::int64_t row, diagonal_sums<T> const& sum) const {
        T const one =
            is_finite(T(1) / diagonal(kind, sum)) ? diagonal(kind, sum) : diagonal(diagonal_kind::diagp_1, sum);
        bool const finite = is_finite(T(1) / one);
        regularised[row] = !finite || one != diagonal(kind, sum);
        inverse[row] = finite ? T(1) / (positive ? magnitude(one) : one) : T(1);
        if (growth)
            growth[row] = magnitude(T(1) - sum.diagonal * inverse[row]) + sum.off_diagonal * magnitude(inverse[row]);
    }

private:
    COPPICE_HD static T diagonal(diagonal_kind kind, diagonal_sums<T> const& sum) {
        T const here = magnitude(sum.diagonal);
        T const sign = sum.diagonal < T(0) ? T(-1) : T(1);
        if (kind == diagonal_kind::diagp_0) return sum.diagonal;
        if (kind == diagonal_kind::diagp_1) return sign * (here < sum.off_diagonal ? sum.off_diagonal : here);
        if (kind == diagonal_kind::diagp_2) return sign * (here + sum.off_diagonal);
        return sum.diagonal + sum.off_diagonal;
    }
};
template <class T>
struct growth_of_row {
    T const* growth;
    COPPICE_HD double operator()(std::int64_t i) const { return growth[i]; }
};

/// Returns the largest number of steps, at most `steps`, for which growth^(steps - 1) <= 1e12.
inline int fitting_steps(double growth, int steps) {
    if (growth <= 1) return steps;
    double const limit = 1 + std::floor(std::log(1e12) / std::log(growth));
    return limit < steps ? int(limit) : steps;
}

template <class T>
struct scale_elements {
    T const* factor;
    T const* x;
    T* y;
    COPPICE_HD void operator()(std::int64_t i) const { y[i] = factor[i] * x[i]; }
};
/// Computes next = x + D^-1 (r - A x), row by row.
template <class T>
struct store_correction {
    T const *inverse, *r, *x;
    T* next;
    COPPICE_HD void operator()(std::int64_t row, T const& product) const {
        next[row] = x[row] + inverse[row] * (r[row] - product);
    }
};

} // namespace detail

/// Computes z by `steps` steps z = z + D^-1 (r - A z) from z = 0 (Eq. 34); one step is z = D^-1 r. D is one of the
/// diagonals above, signed or in absolute value. An entry without a finite inverse is replaced by that of diagp_1, or
/// by 1 in a row without entries; both count as regularised. If the steps diverge, fewer steps are executed, so that
/// finite vectors stay finite; the report contains their number. For more than one step the object stores a copy of A
/// and uses workspace: one solve at a time. Throws matrix_error for values that are not finite.
template <executor Executor, class T, class I = std::int32_t>
class diagonal_preconditioner {
public:
    diagonal_preconditioner(Executor const& exec, csr_view<T, I> a, diagonal_kind kind, int steps,
                            bool positive = false)
        : pattern_(exec, a), kind_(kind), positive_(positive), steps_(steps), plan_(make_srcsr_plan(exec, a)),
          inverse_(exec, a.rows()), regularised_(exec, a.rows()) {
        require_square(a, "a preconditioner");
        if (steps_ > 1) {
            matrix_ = {a.rows(), a.columns(), copy_of(exec, a.row_offsets()), copy_of(exec, a.column_indices()),
                       copy_of(exec, a.values())};
            matrix_plan_ = make_srcsr_plan(exec, matrix_.view());
            work_ = buffer<T>(exec, a.rows());
        }
        refresh(exec, a);
    }

    /// Recomputes the diagonal for a matrix with the pattern of the first one and new values.
    void refresh(Executor const& exec, csr_view<T, I> a) {
        pattern_.require_same_pattern(exec, a);
        detail::require_finite(exec, a);
        plan_.offsets = a.row_offsets();
        reduce_rows(exec, plan_, along_nonzeros{detail::diagonal_sums_of<T, I>{}, a.coefficients, a.indices},
                    detail::add_diagonal_sums<T>{},
                    detail::store_inverse<T>{kind_, positive_, inverse_.data(), regularised_.data(), work_.data()});
        regularised_rows_ =
            reduce(exec, inverse_.size(), std::int64_t(0), detail::flag_at{regularised_.data()}, plus{});
        if (steps_ == 1) return;
        taken_ = detail::fitting_steps(
            reduce(exec, inverse_.size(), 0.0, detail::growth_of_row<T>{work_.data()}, maximum{}), steps_);
        exec.copy_elements(a.coefficients, matrix_.values().data(), a.nonzeros());
        transposed_.clear();
    }

    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        auto const use = user_.enter("this diagonal_preconditioner");
        take_steps(exec, matrix_plan_, matrix_.view(), r, z);
    }
    /// The steps with A^T: the powers of D^-1 A^T D^-1 are the transposed ones of D^-1 A D^-1.
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        auto const use = user_.enter("this diagonal_preconditioner");
        if (taken_ == 1) return take_steps(exec, matrix_plan_, matrix_.view(), r, z);
        auto const a = transposed_.of(exec, matrix_.view());
        take_steps(exec, transposed_.plan(), a, r, z);
    }
    bool replayable() const { return true; }
    std::vector<finding> findings() const {
        return {{"mended_rows", finding_unit::count, double(regularised_rows_)},
                {"steps_taken", finding_unit::count, double(taken_)}};
    }

private:
    void take_steps(Executor const& exec, srcsr_plan<I> const& plan, csr_view<T, I> a, array_view<T const> r,
                    array_view<T> z) const {
        std::int64_t const n = inverse_.size();
        require_size("r of a preconditioner", r, n);
        require_size("z of a preconditioner", z, n);
        // The buffers alternate; the last step writes z.
        T* now = taken_ % 2 == 1 ? z.data() : work_.data();
        T* next = taken_ % 2 == 1 ? work_.data() : z.data();
        for_each(exec, n, detail::scale_elements<T>{inverse_.data(), r.data(), now});
        for (int step = 1; step < taken_; ++step, std::swap(now, next))
            reduce_rows(exec, plan, along_nonzeros{detail::multiply_stored<T, I, T>{now}, a.coefficients, a.indices},
                        add_plus<T>{}, detail::store_correction<T>{inverse_.data(), r.data(), now, next});
    }

    detail::pattern_fingerprint pattern_;
    diagonal_kind kind_;
    bool positive_;
    int steps_;
    int taken_ = 1;
    srcsr_plan<I> plan_, matrix_plan_{};
    buffer<T> inverse_;
    buffer<std::uint8_t> regularised_;
    std::int64_t regularised_rows_ = 0;
    csr<T, I> matrix_{};
    mutable detail::transposed_matrix<Executor, T, I> transposed_{};
    mutable buffer<T> work_{};
    detail::one_user user_{};
};

namespace detail {

inline constexpr option_row diagonal_option_rows[] = {
    {.name = "steps",
     .standard = "1",
     .meaning = "number of steps z = z + D^-1 (r - A z) from z = 0",
     .min = 1,
     .max = 1000},
    {.name = "sign",
     .kind = option_kind::choice,
     .standard = "diagonal",
     .meaning = "sign of D: that of the diagonal, or positive (required by minres)",
     .choices = {"diagonal", "positive"}}};

template <diagonal_kind Kind>
struct diagonal_entry_of {
    template <executor Executor, class T, class I>
    static auto make(Executor const& exec, csr_view<T, I> a, chosen_options const& o) {
        return diagonal_preconditioner<Executor, T, I>(exec, a, Kind, int(o.integer("steps")), o.choice("sign") == 1);
    }
};

} // namespace detail

struct diagp_0_entry : detail::diagonal_entry_of<diagonal_kind::diagp_0> {
    static constexpr preconditioner_row row{.name = "diagp_0",
                                            .matrix = "diag(A), several steps",
                                            .setup = "one product",
                                            .suits = "as jacobi; a zero on the diagonal is regularised",
                                            .compared = false,
                                            .options = detail::diagonal_option_rows};
};
struct diagp_1_entry : detail::diagonal_entry_of<diagonal_kind::diagp_1> {
    static constexpr preconditioner_row row{.name = "diagp_1",
                                            .matrix = "the larger of the diagonal entry and the off-diagonal row sum",
                                            .setup = "one product",
                                            .suits = "small or missing diagonal entries; never singular",
                                            .options = detail::diagonal_option_rows};
};
struct diagp_2_entry : detail::diagonal_entry_of<diagonal_kind::diagp_2> {
    static constexpr preconditioner_row row{.name = "diagp_2",
                                            .matrix = "row sums of magnitudes, with the sign of the diagonal",
                                            .setup = "one product",
                                            .suits = "as diagp_1; the steps converge for M-matrices",
                                            .compared = false,
                                            .options = detail::diagonal_option_rows};
};
struct l1_entry : detail::diagonal_entry_of<diagonal_kind::l1> {
    static constexpr preconditioner_row row{.name = "l1",
                                            .matrix = "diag(A) + off-diagonal row sums of magnitudes",
                                            .setup = "one product",
                                            .suits = "positive definite matrices: every step reduces the error",
                                            .compared = false,
                                            .options = detail::diagonal_option_rows};
};

} // namespace coppice::inline v0_1
