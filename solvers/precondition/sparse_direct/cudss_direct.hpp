// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Direct solution of sparse systems in the memory of a device, by cuDSS.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>
#include <coppice/solvers/precondition/interface/wide_copy.hpp>
#include <coppice/solvers/precondition/sparse_direct/cudss_factors.hpp>
#include <coppice/solvers/precondition/sparse_direct/matrix_properties.hpp>
#include <coppice/solvers/precondition/sparse_direct/scaling_powers.hpp>
#include <coppice/solvers/precondition/sparse_direct/sparse_factors.hpp>
#include <coppice/solvers/precondition/sparse_direct/vanishing_sums.hpp>

namespace coppice::inline v0_1::detail {

COPPICE_HD inline double times_power(double x, int power) { return std::ldexp(x, power); }
COPPICE_HD inline complex_pair<double> times_power(complex_pair<double> x, int power) {
    return {std::ldexp(x.re, power), std::ldexp(x.im, power)};
}
COPPICE_HD inline double conjugate_if(bool, double x) { return x; }
COPPICE_HD inline complex_pair<double> conjugate_if(bool conjugates, complex_pair<double> x) {
    return {x.re, conjugates ? -x.im : x.im};
}

/// to_i = from_i 2^-power_i, converted, and conjugated if requested.
template <class From, class To>
struct scale_element {
    From const* from;
    To* to;
    std::int32_t const* power;
    bool conjugates;
    COPPICE_HD void operator()(std::int64_t i) const {
        using wide = element_t<wide_number<To>>;
        to[i] = To(conjugate_if(conjugates, times_power(wide(from[i]), -power[i])));
    }
};

/// Thrown if factors are estimated to be larger than sparse_direct_options::max_gigabytes.
class factor_size_error : public matrix_error {
public:
    using matrix_error::matrix_error;
};

/// A = 2^R B 2^C, where B has elements of magnitude about 1 and is factorised by cuDSS in double precision: the forms
/// L L^H, L D L^H and L U that suit A are tried in this order, until one is accurate. cuDSS replaces small pivots
/// instead of exchanging rows of different blocks, so that factors may be those of another matrix. Therefore each
/// factorisation solves a system with a given right-hand side, with one step of refinement, and its residual decides.
/// The matrix is scaled and checked on the host; vectors remain in the memory of the executor, which is a host_executor
/// in tests only. T is the element type of vectors, complex_pair if it is complex.
template <executor Executor, class T>
class cudss_direct {
    using scalar = wide_number<T>;
    using wide = element_t<scalar>;

public:
    /// Factorises a copy of A in host memory, with sorted rows without duplicates. `max_bytes` limits the estimate of
    /// the memory, `max_operations` that of the operations unless it is 0.
    ///
    /// Throws factor_size_error and operations_error if an estimate exceeds its limit, matrix_error for values that are
    /// not finite and if no form is accurate, and the errors of cudss_factors.
    cudss_direct(Executor const& exec, cudss::library const& library, csr_view<scalar> a, double max_bytes,
                 double max_operations, std::shared_ptr<known_orders> orders)
        : exec_(exec), library_(&library), max_bytes_(max_bytes), max_operations_(max_operations),
          orders_(std::move(orders)), rows_(a.rows()) {
        factorise_anew(exec, a, properties_of(a));
    }

    cudss_direct(cudss_direct const&) = delete;
    cudss_direct& operator=(cudss_direct const&) = delete;
    ~cudss_direct() {
        try {
            if (factors_) factors_->use(enter_device(exec_)); // the stream of the last solve may not exist any more
        } catch (error const&) {                              // a device that fails; nothing is left to do
        }
    }

    /// Factorises new values on the same pattern; reuses the order if it remains accurate. If it throws, the object
    /// cannot solve until a later call succeeds.
    void refactor(Executor const& exec, csr_view<scalar> a) {
        try {
            refactor_or_throw(exec, a);
        } catch (...) {
            factors_.reset();
            throw;
        }
    }

    /// z = A^-1 r or A^-T r. Queues its work.
    void solve(Executor const& exec, array_view<T const> r, array_view<T> z, bool transposed) const {
        if (rows_ == 0) return;
        if (!factors_) throw matrix_error("sparse direct solver: the last factorisation failed");
        CUstream_st* const stream = enter_device(exec);
        // A^T = conj(A) for the forms of Hermitian matrices.
        bool const conjugates = transposed && kind_ != factor_kind::general && is_complex_number<scalar>;
        auto const& before = transposed ? column_power_ : row_power_;
        auto const& after = transposed ? row_power_ : column_power_;
        for_each(exec, rows_,
                 scale_element<T, wide>{r.data(), as_elements(rhs_.view()).data(), before.data(), conjugates});
        factors_->solve(stream, transposed && kind_ == factor_kind::general);
        for_each(exec, rows_,
                 scale_element<wide, T>{as_elements(solution_.view()).data(), z.data(), after.data(), conjugates});
    }

    factor_kind kind() const { return kind_; }
    std::int64_t replaced_pivots() const { return factors_ ? factors_->replaced_pivots() : 0; }
    cudss_estimate const& estimate() const { return estimate_; }

private:
    void refactor_or_throw(Executor const& exec, csr_view<scalar> a) {
        auto const properties = properties_of(a);
        refuse_vanishing_sums(a);
        bool const keeps_form = factors_ && fits(kind_, properties) && properties.symmetric == symmetric_;
        if (!keeps_form) return factorise_anew(exec, a, properties);
        set_powers(exec, a);
        put_values(exec, a);
        if (!factorise_values(exec, a)) factorise_anew(exec, a, properties);
    }
    static bool fits(factor_kind kind, matrix_properties const& of) {
        if (kind == factor_kind::general) return true;
        return kind == factor_kind::definite ? of.may_be_definite() : of.symmetric;
    }

    void factorise_anew(Executor const& exec, csr_view<scalar> a, matrix_properties const& properties) {
        factors_.reset();
        if (rows_ == 0) return;
        symmetric_ = properties.symmetric;
        set_powers(exec, a);
        rhs_ = buffer<scalar>(exec, rows_);
        solution_ = buffer<scalar>(exec, rows_);
        std::string reason = "sparse direct solver: the matrix is singular to working precision, or needs exchanges of "
                             "rows that cuDSS does not make; use method=auto or method=lu";
        for (auto const kind : {factor_kind::definite, factor_kind::symmetric, factor_kind::general}) {
            if (!fits(kind, properties)) continue;
            try {
                analyse(exec, a, kind);
                if (factorise_values(exec, a)) return;
            } catch (factor_size_error const&) {
                throw;
            } catch (operations_error const&) {
                throw;
            } catch (matrix_error const& error) {
                factors_.reset();
                reason = error.what();
            }
        }
        throw matrix_error(reason);
    }

    void set_powers(Executor const& exec, csr_view<scalar> a) {
        powers_ = scaling_powers(a, symmetric_);
        row_power_ = exec.copy(std::vector<std::int32_t>(powers_.row.begin(), powers_.row.end()));
        column_power_ = exec.copy(std::vector<std::int32_t>(powers_.column.begin(), powers_.column.end()));
    }

    /// Calls use(i, k) for the elements that cuDSS gets: all of row i, or those up to the diagonal.
    template <class Use>
    void each_element(csr_view<scalar> a, Use use) const {
        for (std::int32_t i = 0; i < a.rows(); ++i)
            for (auto k = a.row_begin(i); k < a.row_end(i); ++k)
                if (kind_ == factor_kind::general || a.indices[k] <= i) use(i, k);
    }
    void put_values(Executor const& exec, csr_view<scalar> a) {
        std::vector<scalar> values;
        values.reserve(std::size_t(values_.size()));
        each_element(a, [&](std::int32_t i, std::int32_t k) {
            values.push_back(powers_.apply(a.coefficients[k], i, a.indices[k]));
        });
        exec.copy_elements(values.data(), values_.data(), std::int64_t(values.size()));
        exec.synchronize(); // before `values` is freed
    }

    void analyse(Executor const& exec, csr_view<scalar> a, factor_kind kind) {
        factors_.reset(); // before others take memory
        kind_ = kind;
        // All bounds are below 2^31: they are those of `a`.
        std::vector<std::int32_t> offsets(std::size_t(rows_) + 1, 0), indices;
        each_element(a, [&](std::int32_t i, std::int32_t k) {
            ++offsets[std::size_t(i) + 1];
            indices.push_back(a.indices[k]);
        });
        for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
        offsets_ = exec.copy(offsets);
        indices_ = exec.copy(indices);
        values_ = buffer<scalar>(exec, std::int64_t(indices.size()));
        put_values(exec, a);
        device_system const system{.rows = rows_,
                                   .nonzeros = values_.size(),
                                   .offsets = offsets_.data(),
                                   .indices = indices_.data(),
                                   .values = values_.data(),
                                   .rhs = rhs_.data(),
                                   .solution = solution_.data(),
                                   .is_complex = is_complex_number<scalar>,
                                   .kind = kind};
        // An earlier attempt with a smaller limit has estimated the operations already.
        if (orders_) accept_operations(operations_of_cudss(*orders_));
        factors_ = std::make_unique<cudss_factors>(*library_, enter_device(exec), system);
        estimate_ = factors_->estimate();
        if (orders_) operations_of_cudss(*orders_) = estimate_.operations;
        accept_operations(estimate_.operations);
        if (estimate_.bytes > max_bytes_)
            refuse<factor_size_error>("GB of device memory", max_bytes_ * 1e-9, "max-gigabytes");
    }
    void accept_operations(double operations) {
        if (max_operations_ > 0 && operations > max_operations_)
            refuse<operations_error>("operations", max_operations_, "max-operations");
    }
    template <class Error>
    [[noreturn]] void refuse(char const* what, double limit, char const* option) {
        factors_.reset();
        std::ostringstream text;
        text.precision(3);
        text << "sparse direct solver: by an estimate of cuDSS, the factors of this matrix need more than " << limit
             << ' ' << what << "; use an iterative preconditioner, or raise " << option;
        throw Error(text.str());
    }

    /// Returns whether the factors are accurate; there are none otherwise, nor after an exception.
    bool factorise_values(Executor const& exec, csr_view<scalar> a) {
        bool accurate = false;
        try {
            accurate = factors_->factorise(enter_device(exec)) && is_accurate(exec, a);
        } catch (...) {
            factors_.reset();
            throw;
        }
        if (!accurate) factors_.reset();
        return accurate;
    }

    /// Solves B x = b for values of b between 1/2 and 3/2 in magnitude, with one step of refinement. Accepts a small
    /// residual in comparison with b; for ill-conditioned matrices, whose pivots were all kept, in comparison with
    /// |B| |x| + |b|.
    bool is_accurate(Executor const& exec, csr_view<scalar> a) const {
        constexpr double small_residual = 1e-6, small_error = 1e-10;
        std::vector<scalar> b(static_cast<std::size_t>(rows_)), x(b.size(), scalar(0)), r;
        for (std::size_t i = 0; i < b.size(); ++i) {
            double const size = 0.5 + double((std::uint32_t(i) * 0x9e3779b9u) >> 8) / double(1 << 24);
            b[i] = i % 3 == 0 ? -size : size;
        }
        r = b;
        double residual = 0, error = 0;
        for (int pass = 0; pass < 2; ++pass) {
            exec.copy_elements(r.data(), rhs_.data(), rows_);
            factors_->solve(enter_device(exec), false);
            auto const step = to_vector(exec, solution_);
            residual = error = 0;
            for (std::size_t i = 0; i < x.size(); ++i) x[i] += step[i];
            for (std::int32_t i = 0; i < a.rows(); ++i) {
                scalar sum = b[std::size_t(i)];
                double size = std::abs(sum);
                for (auto k = a.row_begin(i); k < a.row_end(i); ++k) {
                    scalar const term =
                        powers_.apply(a.coefficients[k], i, a.indices[k]) * x[std::size_t(a.indices[k])];
                    sum -= term;
                    size += std::abs(term);
                }
                r[std::size_t(i)] = sum;
                residual = maximum{}(residual, std::abs(sum)); // NaN if any is
                error = maximum{}(error, std::abs(sum) / size);
            }
        }
        return residual <= small_residual || (factors_->replaced_pivots() == 0 && error <= small_error);
    }

    Executor exec_; ///< of the construction: its device and stream exist as long as the factors
    cudss::library const* library_;
    double max_bytes_, max_operations_;
    std::shared_ptr<known_orders> orders_;
    std::int64_t rows_;
    bool symmetric_ = false;
    factor_kind kind_ = factor_kind::general;
    scaling_powers powers_{};
    cudss_estimate estimate_{};
    buffer<std::int32_t> offsets_{}, indices_{}, row_power_{}, column_power_{};
    mutable buffer<scalar> values_{}, rhs_{}, solution_{};
    std::unique_ptr<cudss_factors> factors_{}; ///< destroyed before the arrays that they read
};

} // namespace coppice::inline v0_1::detail
