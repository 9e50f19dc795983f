// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A CSR matrix as the operator of a Krylov method.
#pragma once

#include <string>

#include <coppice/semiring/spmv.hpp>

namespace coppice {

/// y = A x with a plan made once. Borrows the matrix, which must outlive it; new values in the same arrays are seen.
template <executor Executor, class T, class I = std::int32_t>
class csr_operator {
public:
    /// Throws dimension_error for a matrix that is not square.
    csr_operator(Executor const& exec, csr_view<T, I> a) : a_(require_square(a)), plan_(make_srcsr_plan(exec, a)) {}

    std::int64_t size() const { return a_.rows(); }
    csr_view<T, I> const& matrix() const { return a_; }

    void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const { spmv(exec, plan_, a_, x, y); }

private:
    static csr_view<T, I> require_square(csr_view<T, I> a) {
        if (a.rows() != a.columns())
            throw dimension_error("a linear system needs a square matrix, got " + std::to_string(a.rows()) + " x " +
                                  std::to_string(a.columns()));
        return a;
    }

    csr_view<T, I> a_;
    srcsr_plan<I> plan_;
};

} // namespace coppice
