// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Incomplete factors without fill, on every executor: computed exactly or by sweeps, applied exactly or by sweeps.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/algebra/asymmetry.hpp>
#include <coppice/algebra/transform.hpp>
#include <coppice/core/one_user.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>
#include <coppice/solvers/iterative/vectors/vector_operations.hpp>
#include <coppice/solvers/precondition/incomplete/ilu_lane.hpp>
#include <coppice/solvers/precondition/incomplete/ilu_pattern.hpp>
#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>
#include <coppice/solvers/precondition/one_level/diagonal.hpp>

namespace coppice::inline v0_1 {

/// How rows that depend on each other are computed: exactly (on the host one after the other, on CUDA level by level),
/// or by sweeps over all rows simultaneously. `automatic`: exact on the host, sweeps on CUDA.
enum class ilu_scheme { automatic, exact, sweeps };

struct ilu_options {
    ilu_scheme factor = ilu_scheme::automatic;
    ilu_scheme solve = ilu_scheme::automatic;
    int factor_sweeps = 5; ///< fixed-point sweeps from the entries of A
    int solve_sweeps = 4;  ///< Jacobi sweeps of each triangular solve, after the initial guess
    /// Relative diagonal shift: fraction of the off-diagonal row sum that is added to the magnitude of the diagonal.
    double shift = 0;
    bool symmetric = false; ///< A is symmetric (complex: Hermitian): U = D L^H with positive D (incomplete Cholesky)
};

namespace detail {

/// Rows in an order in which each row comes after the rows that it depends on.
template <executor Executor>
struct row_schedule {
    bool forwards = true;
    std::int32_t count = 0;
    buffer<std::int32_t> rows{};         ///< sorted by level; empty on the host
    std::vector<std::int32_t> offsets{}; ///< first row of each level

    static constexpr bool by_levels = !std::is_same_v<Executor, host_executor>;

    void make(Executor const& exec, array_view<std::int32_t const> row_offsets, array_view<std::int32_t const> columns,
              bool lower) {
        forwards = lower;
        count = std::int32_t(row_offsets.size()) - 1;
        if constexpr (by_levels) {
            auto levels = levels_of({to_vector(exec, row_offsets), to_vector(exec, columns)}, lower);
            rows = exec.copy(levels.rows);
            offsets = std::move(levels.offsets);
        }
    }
    template <class Row>
    void run(Executor const& exec, Row row) const {
        if constexpr (by_levels) {
            for (std::size_t l = 0; l + 1 < offsets.size(); ++l)
                for_each(exec, offsets[l + 1] - offsets[l], row_in_level<Row>{row, rows.data() + offsets[l]});
        } else {
            for (std::int32_t k = 0; k < count; ++k) row(forwards ? k : count - 1 - k);
        }
    }
};

template <class T>
struct invert_factor {
    T const* factors;
    std::int32_t const* positions;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = T(1) / factors[positions[i]]; }
};

/// A strict triangle of the factors, stored as a separate matrix.
template <executor Executor, class T>
struct triangle {
    csr<T> matrix{};
    buffer<std::int32_t> positions{}; ///< positions of its entries in the array of both factors
    srcsr_plan<std::int32_t> plan{};
    row_schedule<Executor> schedule{};
    mutable buffer<std::byte> workspace{}; ///< of the products

    void make(Executor const& exec, ilu_pattern const& pattern, bool lower, bool exact) {
        auto p = strict_triangle(exec, pattern, lower);
        if (exact) schedule.make(exec, p.offsets.view(), p.columns.view(), lower);
        positions = std::move(p.positions);
        std::int64_t const nonzeros = p.columns.size();
        matrix = {pattern.rows(), pattern.rows(), std::move(p.offsets), std::move(p.columns),
                  buffer<T>(exec, nonzeros)};
        plan = make_srcsr_plan(exec, matrix.view());
        workspace = buffer<std::byte>(exec, plan.template workspace<T>());
    }
    /// T^T of a triangle, which it does not refer to; `lower`: of the result.
    void make_transposed(Executor const& exec, triangle const& of, bool lower, bool exact) {
        matrix = transpose(exec, of.matrix.view());
        if (exact) schedule.make(exec, matrix.row_offsets(), matrix.column_indices(), lower);
        plan = make_srcsr_plan(exec, matrix.view());
        workspace = buffer<std::byte>(exec, plan.template workspace<T>());
    }
    void take(Executor const& exec, T const* factors) {
        for_each(exec, positions.size(), gather_at<T, std::int32_t>{factors, positions.data(), matrix.values().data()});
    }
    /// x = (I + T)^-1 b, or x = (D + T)^-1 b if `inverse` holds D^-1; x may be b.
    void solve(Executor const& exec, T const* inverse, T const* b, T* x) const {
        schedule.run(exec, solve_row<T>{matrix.view(), inverse, b, x});
    }
    /// Executes `sweeps` Jacobi sweeps from x = D^-1 b; overwrites `work`. x, b and work do not overlap.
    void sweep(Executor const& exec, int sweeps, T const* inverse, T const* b, T* x, T* work) const {
        T* now = sweeps % 2 == 0 ? x : work;
        T* next = sweeps % 2 == 0 ? work : x;
        if (inverse)
            for_each(exec, matrix.rows(), scale_elements<T>{inverse, b, now});
        else
            for_each(exec, matrix.rows(), copy_vector<T>{b, now});
        auto const view = matrix.view();
        for (int k = 0; k < sweeps; ++k, std::swap(now, next))
            reduce_rows(exec, plan,
                        along_nonzeros{multiply_stored<T, std::int32_t, T>{now}, view.coefficients, view.indices},
                        add_plus<T>{}, store_sweep<T>{inverse, b, next}, workspace.view());
    }
};

/// Magnitude of an element of a trial solution; NaN if the pivot of the row is not usable.
template <class T>
struct trial_magnitude {
    T const *inverse, *solution;
    bool positive;
    COPPICE_HD double operator()(std::int64_t i) const {
        bool const sound = is_finite(inverse[i]) && inverse[i] != T(0) && (!positive || real_part(inverse[i]) > 0);
        return sound ? double(magnitude(solution[i])) : std::numeric_limits<double>::quiet_NaN();
    }
};
template <class T>
struct matches_mirror {
    csr_view<T> f;
    std::int32_t const* row_of;
    T const* sums; ///< of the magnitudes of each row
    COPPICE_HD bool operator()(std::int64_t k) const {
        std::int32_t const row = row_of[k], column = f.indices[k];
        std::int32_t const mirror = position_in_row(f, column, row);
        if (mirror < 0) return false;
        auto const difference = magnitude(f.coefficients[mirror] - conjugate_of(f.coefficients[k]));
        double const here = double(magnitude(sums[row])), there = double(magnitude(sums[column]));
        return double(difference) <= symmetry_tolerance<real_of_t<T>> * (here < there ? here : there);
    }
};
/// Replaces two elements that differ from their mirror images by rounding errors by their mean.
template <class T>
struct average_mirrors {
    csr_view<T> f;
    std::int32_t const* row_of;
    T* values; ///< of f
    COPPICE_HD void operator()(std::int64_t k) const {
        if (f.indices[k] <= row_of[k]) return;
        std::int32_t const mirror = position_in_row(f, f.indices[k], row_of[k]);
        T const here = values[k], there = conjugate_of(values[mirror]);
        if (here == there) return;
        real_of_t<T> const half(0.5);
        values[k] = here * half + there * half;
        values[mirror] = conjugate_of(values[k]);
    }
};

} // namespace detail

/// Factors L and U without fill: (L U)_ij = a_ij on the pattern of A; diagonal entries that A lacks are stored as
/// zeros. If a pivot is zero, is not positive for a symmetric A, or the factors amplify vectors beyond the working
/// precision, the diagonal is shifted by increasing fractions of the off-diagonal row sum until the factors are usable
/// (Manteuffel 1980). Solves use workspace of the object: one at a time.
///
/// On CUDA, the levels of the exact scheme are computed on the host. Throws matrix_error for values that are not
/// finite, for duplicate columns in a row, and for a matrix that is not symmetric up to rounding if options.symmetric
/// is set; factorises (A + A^H) / 2 then.
template <executor Executor, class T>
class ilu_factors {
public:
    ilu_factors(Executor const& exec, csr_view<T> a, ilu_options const& options);

    /// Recomputes the factors for a matrix with the pattern of the first one and new values; allocates nothing.
    void refresh(Executor const& exec, csr_view<T> a);
    /// z = U^-1 L^-1 r
    void solve(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    /// z = L^-T U^-T r, the transpose of solve(). The first call after a set-up or refresh transposes the factors.
    void solve_transposed(Executor const& exec, array_view<T const> r, array_view<T> z) const;

    std::int64_t size() const { return inverse_.size(); }
    csr_view<T> lower() const { return lower_.matrix.view(); }
    csr_view<T> upper() const { return upper_.matrix.view(); } ///< strict upper triangle of U
    T const* inverse_pivots() const { return inverse_.data(); }
    double shift() const { return shift_; }
    std::int32_t added() const { return added_; } ///< number of diagonal entries that A lacks

private:
    static bool is_exact(ilu_scheme scheme) {
        if (scheme == ilu_scheme::automatic) return std::is_same_v<Executor, host_executor>;
        return scheme == ilu_scheme::exact;
    }
    detail::ilu_view<T> view(T* values) {
        return {whole_.row_offsets().data(), whole_.column_indices().data(), diagonal_.data(), values};
    }
    void load(Executor const& exec, csr_view<T> a, double shift);
    T const* factorise(Executor const& exec);
    bool is_sound(Executor const& exec);

    detail::pattern_fingerprint pattern_;
    ilu_options options_;
    csr<T> whole_{}; ///< both factors; during the factorisation A
    buffer<std::int32_t> diagonal_{}, sources_{}, row_of_{};
    std::array<buffer<T>, 2> swept_{};
    detail::triangle<Executor, T> lower_{}, upper_{};
    mutable detail::triangle<Executor, T> transposed_lower_{}, transposed_upper_{}; ///< L^T, U^T
    mutable bool has_transposed_ = false;
    detail::row_schedule<Executor> factor_order_{};
    buffer<T> inverse_{};
    buffer<T> trial_{}; ///< [2 n] a trial right-hand side and its solution
    mutable buffer<T> work_{};
    detail::one_user user_{};
    double shift_ = 0;
    std::int32_t added_ = 0;
};

template <executor Executor, class T>
ilu_factors<Executor, T>::ilu_factors(Executor const& exec, csr_view<T> a, ilu_options const& options)
    : pattern_(exec, a), options_(options) {
    require_square(a, "a preconditioner");
    auto pattern = detail::make_ilu_pattern(exec, a);
    std::int32_t const n = pattern.rows();
    added_ = pattern.missing;
    bool const exact_factor = is_exact(options_.factor), exact_solve = is_exact(options_.solve);
    lower_.make(exec, pattern, true, exact_solve);
    upper_.make(exec, pattern, false, exact_solve);
    if (exact_factor) {
        auto const strict = detail::strict_triangle(exec, pattern, true);
        factor_order_.make(exec, strict.offsets.view(), strict.columns.view(), true);
    }
    diagonal_ = std::move(pattern.diagonal);
    sources_ = std::move(pattern.sources);
    row_of_ = std::move(pattern.row_of);
    std::int64_t const nonzeros = pattern.columns.size();
    whole_ = {n, n, std::move(pattern.offsets), std::move(pattern.columns), buffer<T>(exec, nonzeros)};
    if (!exact_factor)
        for (auto& values : swept_) values = buffer<T>(exec, nonzeros);
    trial_ = buffer<T>(exec, 2 * std::int64_t(n));
    inverse_ = buffer<T>(exec, n);
    work_ = buffer<T>(exec, 2 * std::int64_t(n));
    refresh(exec, a);
}

template <executor Executor, class T>
void ilu_factors<Executor, T>::refresh(Executor const& exec, csr_view<T> a) {
    pattern_.require_same(exec, a);
    has_transposed_ = false;
    double next = 1e-3;
    for (shift_ = options_.shift;; shift_ = next, next *= 10) {
        load(exec, a, shift_);
        T const* const factors = factorise(exec);
        lower_.take(exec, factors);
        upper_.take(exec, factors);
        for_each(exec, size(), detail::invert_factor<T>{factors, diagonal_.data(), inverse_.data()});
        if (is_sound(exec)) return;
        while (next <= shift_) next *= 10;
        if (next > 1e9)
            throw matrix_error(
                "no usable incomplete factorisation was found: the values of the matrix are too large or "
                "too small; scale the matrix");
    }
}

template <executor Executor, class T>
void ilu_factors<Executor, T>::load(Executor const& exec, csr_view<T> a, double shift) {
    for_each(exec, size(),
             detail::load_factor_row<T>{view(whole_.values().data()), sources_.data(), a.coefficients,
                                        detail::real_of_t<T>(shift), options_.symmetric, trial_.data()});
    if (!options_.symmetric) return;
    std::int64_t const nonzeros = whole_.nonzeros();
    if (!reduce(exec, nonzeros, true, detail::matches_mirror<T>{whole_.view(), row_of_.data(), trial_.data()},
                detail::both{}))
        throw matrix_error(std::string("an incomplete Cholesky factorisation needs a ") +
                           (is_complex_number<T> ? "Hermitian" : "symmetric") + " matrix, this one is not");
    for_each(exec, nonzeros, detail::average_mirrors<T>{whole_.view(), row_of_.data(), whole_.values().data()});
}

template <executor Executor, class T>
T const* ilu_factors<Executor, T>::factorise(Executor const& exec) {
    auto const f = view(whole_.values().data());
    if (is_exact(options_.factor)) {
        factor_order_.run(exec, detail::factor_row<T>{f});
        return f.values;
    }
    std::int64_t const nonzeros = whole_.nonzeros();
    T *before = swept_[0].data(), *after = swept_[1].data();
    for_each(exec, nonzeros, detail::guess_entry<T>{f, before, row_of_.data()});
    for (int k = 0; k < options_.factor_sweeps; ++k, std::swap(before, after))
        for_each(exec, nonzeros, detail::sweep_entry<T>{f, row_of_.data(), before, after});
    if (options_.symmetric)
        for_each(exec, nonzeros, detail::mirror_entry<T>{whole_.view(), row_of_.data(), diagonal_.data(), before});
    return before;
}

/// Solves with r_i = sum over j of |a_ij|: if the factors are accurate and well-conditioned, the solution is about 1.
/// Returns whether it is moderate.
template <executor Executor, class T>
bool ilu_factors<Executor, T>::is_sound(Executor const& exec) {
    std::int64_t const n = size();
    auto const rhs = trial_.view().slice(0, n), solution = trial_.view().slice(n, n);
    solve(exec, array_view<T const>(rhs), solution);
    double const largest = reduce(
        exec, n, 0.0, detail::trial_magnitude<T>{inverse_.data(), solution.data(), options_.symmetric}, maximum{});
    return largest <= 1e3 / detail::epsilon_of<T>;
}

template <executor Executor, class T>
void ilu_factors<Executor, T>::solve(Executor const& exec, array_view<T const> r, array_view<T> z) const {
    std::int64_t const n = size();
    require_size("r of a preconditioner", r, n);
    require_size("z of a preconditioner", z, n);
    auto const use = user_.enter("these factors");
    T *const middle = work_.data(), *const other = middle + n;
    if (is_exact(options_.solve)) {
        lower_.solve(exec, nullptr, r.data(), middle);
        upper_.solve(exec, inverse_.data(), middle, z.data());
    } else {
        lower_.sweep(exec, options_.solve_sweeps, nullptr, r.data(), middle, other);
        upper_.sweep(exec, options_.solve_sweeps, inverse_.data(), middle, z.data(), other);
    }
}

template <executor Executor, class T>
void ilu_factors<Executor, T>::solve_transposed(Executor const& exec, array_view<T const> r, array_view<T> z) const {
    std::int64_t const n = size();
    require_size("r of a preconditioner", r, n);
    require_size("z of a preconditioner", z, n);
    auto const use = user_.enter("these factors");
    bool const exact = is_exact(options_.solve);
    if (!has_transposed_) {
        transposed_upper_.make_transposed(exec, upper_, true, exact);
        transposed_lower_.make_transposed(exec, lower_, false, exact);
        has_transposed_ = true;
    }
    T *const middle = work_.data(), *const other = middle + n;
    if (exact) {
        transposed_upper_.solve(exec, inverse_.data(), r.data(), middle);
        transposed_lower_.solve(exec, nullptr, middle, z.data());
    } else {
        transposed_upper_.sweep(exec, options_.solve_sweeps, inverse_.data(), r.data(), middle, other);
        transposed_lower_.sweep(exec, options_.solve_sweeps, nullptr, middle, z.data(), other);
    }
}

} // namespace coppice::inline v0_1
