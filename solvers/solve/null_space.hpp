// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The null space of a singular matrix, and solutions without components in it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <coppice/core/error.hpp>
#include <coppice/solvers/iterative/vectors/largest_part.hpp>
#include <coppice/solvers/iterative/vectors/power_scaling.hpp>
#include <coppice/solvers/iterative/vectors/vector_operations.hpp>
#include <coppice/solvers/precondition/interface/any_preconditioner.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// Replaces vectors of n elements, one after the other, by an orthonormal basis of their span (Gram-Schmidt, twice).
/// Throws argument_error for values that are not finite and for vectors that depend linearly on those before them.
void orthonormalise(std::vector<double>& vectors, std::int64_t n);

template <class T>
struct largest_entry {
    T const* values;
    COPPICE_HD double operator()(std::int64_t k) const { return double(magnitude(values[k])); }
};

} // namespace detail

/// An orthonormal basis N of the null space of a matrix, real, and the projection Q = I - N N^T. One thread at a time.
template <executor Executor, class T>
class null_space {
public:
    /// `vectors`: n elements each, one after the other, in host memory. Throws argument_error if they are not linearly
    /// independent, or if A v is not 0 up to rounding.
    template <class A>
    null_space(Executor const& exec, A const& a, std::vector<double> vectors)
        : size_(a.size()), count_(std::int64_t(vectors.size()) / size_), dots_(exec, size_) {
        detail::orthonormalise(vectors, size_);
        basis_ = exec.copy(std::vector<T>(vectors.begin(), vectors.end()));
        require_null(exec, a);
    }

    /// x = Q x. Waits.
    void project(Executor const& exec, array_view<T> x) const {
        for (std::int64_t k = 0; k < count_; ++k) {
            auto const v = vector(k);
            T const along = T(dots(exec, dots_, dot_pair<T>{v, x})[0]);
            for_each(exec, size_, axpy<T>{-along, v.data(), x.data()});
        }
    }
    std::int64_t size() const { return size_; }

private:
    array_view<T> vector(std::int64_t k) const { return basis_.view().slice(k * size_, size_); }

    template <class A>
    void require_null(Executor const& exec, A const& a) const {
        auto const values = a.matrix().values();
        double const largest = reduce(exec, values.size(), 0.0, detail::largest_entry<T>{values.data()}, maximum{});
        double const allowed = 1e3 * double(std::numeric_limits<T>::epsilon()) * std::sqrt(double(size_)) * largest;
        buffer<T> y(exec, size_);
        for (std::int64_t k = 0; k < count_; ++k) {
            a.apply(exec, array_view<T const>(vector(k)), y.view());
            int const exponent = detail::even_exponent(detail::largest_part(exec, array_view<T const>(y.view())),
                                                       sizeof(T) == 4 ? 1e10 : 1e100);
            detail::scale_by_power(exec, y.data(), size_, -exponent);
            double const norm = std::ldexp(std::sqrt(dots(exec, dots_, dot_pair<T>{y.view(), y.view()})[0]), exponent);
            if (!(norm <= allowed))
                throw argument_error("null_space: A v has the norm " + std::to_string(norm) +
                                     " for a unit vector v of the given space (basis vector " + std::to_string(k) +
                                     "), expected 0 up to rounding; give vectors of the null space of A");
        }
    }

    std::int64_t size_, count_;
    mutable dot_scratch dots_;
    mutable buffer<T> basis_{};
};

/// Q M^-1, or Q M^-1 Q if `symmetric`, so that the iterates of a Krylov method have no components in the null space.
/// The symmetric form keeps M symmetric, as cg and minres require; for unsymmetric A the residual may have components
/// along the null space.
template <executor Executor, class T>
class projected_preconditioner {
public:
    projected_preconditioner(Executor const& exec, any_preconditioner<Executor, T> m,
                             null_space<Executor, T> const& space, bool symmetric)
        : m_(std::move(m)), space_(&space), projected_(exec, symmetric ? space.size() : 0) {}

    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        if (projected_.size() > 0) {
            exec.copy_elements(r.data(), projected_.data(), r.size());
            space_->project(exec, projected_.view());
            r = array_view<T const>(projected_.view());
        }
        m_.apply(exec, r, z);
        space_->project(exec, z);
    }
    bool varies() const { return m_.varies(); }
    auto begin_solve() const { return m_.begin_solve(); }

private:
    any_preconditioner<Executor, T> m_;
    null_space<Executor, T> const* space_;
    mutable buffer<T> projected_;
};

} // namespace coppice::inline v0_1
