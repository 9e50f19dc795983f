// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Incomplete sparse approximate inverses of incomplete factors (Anzt, Huckle, Bräckle and Dongarra 2018).
#pragma once

#include <cmath>
#include <utility>

#include <coppice/algebra/float16.hpp>
#include <coppice/core/one_user.hpp>
#include <coppice/solvers/precondition/incomplete/ilu.hpp>
#include <coppice/solvers/precondition/interface/transposed.hpp>

namespace coppice::inline v0_1 {
namespace detail {

template <class T>
struct store_scaled_value {
    T const* scale;
    T* to;
    COPPICE_HD void operator()(std::int64_t i, T const& value) const { to[i] = scale[i] * value; }
};

/// Stores row i with two bytes per value: m_ij = row[i] half_ij column[j] with |half_ij| <= 1. Scales are powers of
/// two; column scales are the magnitudes of the inverse pivots, so the result does not depend on the scale of rows and
/// columns of A.
template <class T>
struct halve_row {
    csr_view<T> a;
    T const* inverse_pivots;
    float16* half;
    T *row, *column;

    COPPICE_HD void operator()(std::int64_t i) const {
        column[i] = power_of_two(inverse_pivots[i]);
        T largest = T(0);
        for (std::int32_t k = a.row_begin(i); k < a.row_end(i); ++k)
            largest = magnitude(scaled(k)) > largest ? magnitude(scaled(k)) : largest;
        row[i] = power_of_two(largest);
        for (std::int32_t k = a.row_begin(i); k < a.row_end(i); ++k) half[k] = float16(float(scaled(k) / row[i]));
    }

private:
    /// The smallest power of two above the magnitude; 1 if the value is zero or not finite.
    COPPICE_HD static T power_of_two(T value) {
        bool const sized = value != T(0) && is_finite(value);
        return sized ? std::ldexp(T(1), std::ilogb(value) + 1) : T(1);
    }
    COPPICE_HD T scaled(std::int32_t k) const { return a.coefficients[k] / power_of_two(inverse_pivots[a.indices[k]]); }
};
template <class T>
struct multiply_halved {
    T const* x;
    T const* column;
    COPPICE_HD T operator()(float16 const& value, std::int32_t const& j) const {
        return T(float(value)) * (x[j] * column[j]);
    }
};

/// The values that halve_row() stores.
template <class T>
struct restore_halved_row {
    csr_view<T> a;
    float16 const* half;
    T const *row, *column;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        for (std::int32_t k = a.row_begin(i); k < a.row_end(i); ++k)
            to[k] = row[i] * T(float(half[k])) * column[a.indices[k]];
    }
};

/// M with M T = I on the pattern of |T|^power, for a triangle T of the factors.
template <executor Executor, class T, bool Lower>
struct inverse_triangle {
    csr<T> matrix{};
    srcsr_plan<std::int32_t> plan{};
    mutable buffer<std::byte> workspace{}; ///< of the products
    buffer<float16> half{};                ///< the values with two bytes each, if `in_half` is set
    buffer<T> row{}, column{};
    mutable transposed_matrix<Executor, T, std::int32_t> transposed{};

    void make(Executor const& exec, csr_view<T> t, int power, bool in_half = false) {
        auto p = triangle_power(exec, t.row_offsets(), t.column_indices(), Lower, power);
        std::int64_t const nonzeros = p.columns.size();
        matrix = {t.rows(), t.rows(), std::move(p.offsets), std::move(p.columns), buffer<T>(exec, nonzeros)};
        plan = make_srcsr_plan(exec, matrix.view());
        workspace = buffer<std::byte>(exec, plan.template workspace<T>());
        if (!in_half) return;
        half = buffer<float16>(exec, matrix.nonzeros());
        row = buffer<T>(exec, matrix.rows());
        column = buffer<T>(exec, matrix.rows());
    }
    /// `inverse`: inverse of the diagonal of the triangle, null if the diagonal is one. `inverse_pivots`: column scales
    /// for values of two bytes.
    void fill(Executor const& exec, csr_view<T> t, T const* inverse, T const* inverse_pivots = nullptr) {
        transposed.clear();
        for_each(exec, matrix.rows(),
                 invert_row<T, Lower>{t, inverse, matrix.row_offsets().data(), matrix.column_indices().data(),
                                      matrix.values().data()});
        if constexpr (!is_complex_number<T>)
            if (!row.empty())
                for_each(exec, matrix.rows(),
                         halve_row<T>{matrix.view(), inverse_pivots, half.data(), row.data(), column.data()});
    }
    void multiply(Executor const& exec, T const* x, T* y) const {
        auto const view = matrix.view();
        if constexpr (!is_complex_number<T>)
            if (!row.empty())
                return reduce_rows(
                    exec, plan,
                    along_nonzeros{multiply_halved<T>{x, column.data()}, std::as_const(half).data(), view.indices},
                    add_plus<T>{}, store_scaled_value<T>{row.data(), y}, workspace.view());
        reduce_rows(exec, plan, along_nonzeros{multiply_stored<T, std::int32_t, T>{x}, view.coefficients, view.indices},
                    add_plus<T>{}, store_value<T>{y}, workspace.view());
    }
    /// y = M^T x
    void multiply_transposed(Executor const& exec, T const* x, T* y) const {
        csr_view<T> view = matrix.view();
        buffer<T> restored;
        if constexpr (!is_complex_number<T>)
            if (!row.empty()) {
                restored = buffer<T>(exec, matrix.nonzeros());
                for_each(exec, matrix.rows(),
                         restore_halved_row<T>{view, half.data(), row.data(), column.data(), restored.data()});
                view.coefficients = restored.data();
            }
        transposed.multiply(exec, view, x, store_value<T>{y});
    }
};

} // namespace detail

/// Computes z = M_U M_L r with approximate inverses of the factors of ILU(0): M_L L = I on the pattern of |L|^power,
/// M_U U = I on that of |U|^power. Takes two products and no triangular solve. Not symmetric even if A is. Uses
/// workspace of the object.
template <executor Executor, class T>
class isai_preconditioner {
public:
    /// `in_half`: the values of the inverses are stored with two bytes each and one scale per row. Throws
    /// argument_error for complex values, for which this storage does not exist.
    isai_preconditioner(Executor const& exec, csr_view<T> a, int power, ilu_options const& options = {},
                        bool in_half = false)
        : factors_(exec, a, options), middle_(exec, a.rows()) {
        if (in_half && is_complex_number<T>)
            throw argument_error("preconditioner \"isai\": storage=half is for real matrices, this one is complex");
        lower_.make(exec, factors_.lower(), power, in_half);
        upper_.make(exec, factors_.upper(), power, in_half);
        invert(exec);
    }

    /// Recomputes the inverses for a matrix with the pattern of the first one and new values.
    void refresh(Executor const& exec, csr_view<T> a) {
        factors_.refresh(exec, a);
        invert(exec);
    }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_size("r of a preconditioner", r, factors_.size());
        require_size("z of a preconditioner", z, factors_.size());
        auto const use = user_.enter("this isai_preconditioner");
        lower_.multiply(exec, r.data(), middle_.data());
        upper_.multiply(exec, middle_.data(), z.data());
    }
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        require_size("r of a preconditioner", r, factors_.size());
        require_size("z of a preconditioner", z, factors_.size());
        auto const use = user_.enter("this isai_preconditioner");
        upper_.multiply_transposed(exec, r.data(), middle_.data());
        lower_.multiply_transposed(exec, middle_.data(), z.data());
    }
    bool replayable() const { return true; }
    std::vector<finding> findings() const {
        auto all = ilu_preconditioner<Executor, T>::findings_of(factors_);
        all.push_back({"nonzeros", finding_unit::count, double(lower_.matrix.nonzeros() + upper_.matrix.nonzeros())});
        return all;
    }

private:
    void invert(Executor const& exec) {
        lower_.fill(exec, factors_.lower(), nullptr, factors_.inverse_pivots());
        upper_.fill(exec, factors_.upper(), factors_.inverse_pivots(), factors_.inverse_pivots());
    }

    ilu_factors<Executor, T> factors_;
    detail::inverse_triangle<Executor, T, true> lower_{};
    detail::inverse_triangle<Executor, T, false> upper_{};
    mutable buffer<T> middle_;
    detail::one_user user_{};
};

struct isai_entry {
    static constexpr option_row options[] = {
        {.name = "power",
         .standard = "1",
         .meaning = "m: the inverses have the pattern of the m-th power of the factors",
         .min = 1,
         .max = 8},
        {.name = "storage",
         .kind = option_kind::choice,
         .standard = "full",
         .meaning = "storage of the inverses: as the matrix, or two bytes per value",
         .choices = {"full", "half"}},
        detail::ilu_factor_row,
        detail::ilu_factor_sweeps_row,
        detail::ilu_shift_row};
    static constexpr preconditioner_row row{.name = "isai",
                                            .matrix = "sparse approximate inverses of the factors of ilu0",
                                            .setup = "1.5 times that of ilu0",
                                            .suits = "general matrices, on CUDA; not symmetric, so not for cg",
                                            .compared = false,
                                            .keeps_symmetry = false,
                                            .options = options};
    template <executor Executor, class T>
    static auto make(Executor const& exec, csr_view<T> a, chosen_options const& o) {
        ilu_options const ilu{.factor = ilu_scheme(o.choice("factor-scheme")),
                              .factor_sweeps = int(o.integer("factor-sweeps")),
                              .shift = o.real("shift")};
        return isai_preconditioner<Executor, T>(exec, a, int(o.integer("power")), ilu, o.choice("storage") == 1);
    }
};

} // namespace coppice::inline v0_1
