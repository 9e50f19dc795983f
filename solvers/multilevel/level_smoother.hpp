// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Smoothers of the levels of a multilevel method. For a symmetric positive definite A each of them is B = B^T with
/// 2 B^-1 - A positive definite, so that the whole cycle is, too: A is at most the diagonal matrix of its row sums of
/// magnitudes (Gershgorin), and at most its part along a forest with the other magnitudes added to the diagonal.
#pragma once

#include <coppice/graph/linear_forest.hpp>
#include <coppice/semiring/spmv.hpp>
#include <coppice/solvers/multilevel/coupling_weights.hpp>
#include <coppice/solvers/multilevel/multilevel_options.hpp>
#include <coppice/solvers/precondition/mend_tridiagonal.hpp>

namespace coppice::multilevel_detail {

/// 1 / m: m is the diagonal with the sign that it has, as large as the share of the row's magnitudes at least; 1 in a
/// row of zeros.
template <class T>
struct store_level_diagonal {
    T share;
    T* inverse;
    COPPICE_HD void operator()(std::int64_t row, row_look<T> const& sum) const {
        T const here = magnitude(sum.diagonal);
        T const m = larger(here, share * (here + sum.beside));
        T const one = T(1) / m;
        inverse[row] = !is_finite(one) ? T(1) : sum.diagonal < T(0) ? -one : one;
    }
};
/// Adds half of the magnitudes off the forest to the diagonal of the system along it.
template <class T, class I>
struct strengthen_row {
    I const *inverse, *links;
    tridiagonal_view<T> system;
    T* diagonal;
    COPPICE_HD void operator()(std::int64_t row, row_look<T> const& sum) const {
        std::int64_t const p = inverse[row];
        T const along = (links[2 * row] < 0 ? T(0) : magnitude(system.lower[p])) +
                        (links[2 * row + 1] < 0 ? T(0) : magnitude(system.upper[p]));
        T const off = sum.beside - along;
        T const half = off > T(0) ? off / T(2) : T(0);
        diagonal[p] = diagonal[p] + (sum.diagonal < T(0) ? -half : half);
    }
};

/// A matrix of a level as the cycle reads it: values in S and in units, vectors in T.
template <class T, class S, class I>
struct level_matrix {
    csr_view<S, I> a{};
    srcsr_plan<I> const* plan = nullptr;
    T unit = 1; ///< A = unit a

    template <executor Executor, class Store>
    void multiply(Executor const& exec, T const* x, Store const& store) const {
        reduce_rows(exec, *plan, along_nonzeros{multiply_stored<S, I, T>{x}, a.coefficients, a.indices}, add_plus<T>{},
                    store);
    }
};

/// r = b - A x
template <class T>
struct store_residual {
    T unit;
    T const* b;
    T* r;
    COPPICE_HD T fetch(std::int64_t row) const { return b[row]; }
    COPPICE_HD void operator()(std::int64_t row, T const& sum, T const& right) const { r[row] = right - unit * sum; }
    COPPICE_HD void operator()(std::int64_t row, T const& sum) const { (*this)(row, sum, fetch(row)); }
};
/// to = x + D (b - A x)
template <class T>
struct store_diagonal_step {
    T unit;
    T const *inverse, *b, *x;
    T* to;
    COPPICE_HD void operator()(std::int64_t row, T const& sum) const {
        to[row] = x[row] + inverse[row] * (b[row] - unit * sum);
    }
};
template <class T>
struct scale_by {
    T factor;
    T const *inverse, *b;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = factor * (inverse[i] * b[i]); }
};
template <class T>
struct add_vectors {
    T const *x, *y;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = x[i] + y[i]; }
};

/// Chebyshev's polynomial of degree 2 for eigenvalues in [low, 1] of D A: z = c0 (D b) + c1 D (b - c0 A D b).
struct chebyshev_of_two {
    static constexpr double low = 0.2;
    static constexpr double theta = (1 + low) / 2, delta = (1 - low) / 2, sigma = theta / delta;
    static constexpr double rho = 1 / sigma, next = 1 / (2 * sigma - rho);
    static constexpr double first = 1 / theta, momentum = next * rho, second = 2 * next / delta;
};
/// to = z + momentum z + second D (b - A z)
template <class T>
struct store_chebyshev_step {
    T unit;
    T const *inverse, *b, *z;
    T* to;
    COPPICE_HD void operator()(std::int64_t row, T const& sum) const {
        to[row] = z[row] + (T(chebyshev_of_two::momentum) * z[row] +
                            T(chebyshev_of_two::second) * (inverse[row] * (b[row] - unit * sum)));
    }
};

template <executor Executor, class T, class I>
class level_smoother {
public:
    level_smoother() = default;
    /// The forest of the level is copied where the smoother goes along it.
    level_smoother(Executor const& exec, multilevel_smoother kind, std::int64_t n, linear_forest<I> const* forest)
        : kind_(forest == nullptr && kind == multilevel_smoother::forest ? multilevel_smoother::jacobi : kind) {
        if (kind_ != multilevel_smoother::jacobi && kind_ != multilevel_smoother::l1) spare_ = buffer<T>(exec, n);
        if (kind_ != multilevel_smoother::forest) {
            inverse_ = buffer<T>(exec, n);
            return;
        }
        forest_ = copy_of(exec, *forest);
        system_ = tridiagonal<T>(exec, n);
        workspace_ = buffer<std::byte>(exec, tridiagonal_workspace<T>(n));
    }

    void fill(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan) {
        along_nonzeros const look{look_at_entry<T, I>{}, a.coefficients, a.indices};
        if (kind_ != multilevel_smoother::forest) {
            T const share = kind_ == multilevel_smoother::jacobi ? T(0.75) : T(1);
            reduce_rows(exec, plan, look, add_row_looks<T>{}, store_level_diagonal<T>{share, inverse_.data()});
            return;
        }
        extract_forest_system(exec, plan, a, forest_, system_);
        reduce_rows(exec, plan, look, add_row_looks<T>{},
                    strengthen_row<T, I>{forest_.inverse.data(), forest_.links.data(), system_.view(),
                                         system_.diagonal.data()});
        mender_.mend(exec, system_, options_, false);
    }

    /// x = B b
    template <class S>
    void begin(Executor const& exec, level_matrix<T, S, I> const& m, T const* b, T* x) const {
        std::int64_t const n = m.a.rows();
        if (kind_ == multilevel_smoother::forest) return solve(exec, b, x, n);
        if (kind_ != multilevel_smoother::chebyshev) return for_each(exec, n, scale_by<T>{T(1), inverse_.data(), b, x});
        for_each(exec, n, scale_by<T>{T(chebyshev_of_two::first), inverse_.data(), b, spare_.data()});
        m.multiply(exec, spare_.data(), store_chebyshev_step<T>{m.unit, inverse_.data(), b, spare_.data(), x});
    }
    /// to = x + B (b - A x); x is used up.
    template <class S>
    void improve(Executor const& exec, level_matrix<T, S, I> const& m, T const* b, T* x, T* to) const {
        std::int64_t const n = m.a.rows();
        if (kind_ == multilevel_smoother::jacobi || kind_ == multilevel_smoother::l1)
            return m.multiply(exec, x, store_diagonal_step<T>{m.unit, inverse_.data(), b, x, to});
        if (kind_ == multilevel_smoother::forest) {
            m.multiply(exec, x, store_residual<T>{m.unit, b, to});
            solve(exec, to, spare_.data(), n);
            return for_each(exec, n, add_vectors<T>{x, spare_.data(), to});
        }
        // B is the polynomial: two steps of the recurrence for b - A x, from zero, written for x itself.
        m.multiply(exec, x, store_residual<T>{m.unit, b, to});
        for_each(exec, n, scale_by<T>{T(chebyshev_of_two::first), inverse_.data(), to, spare_.data()});
        m.multiply(exec, spare_.data(),
                   store_chebyshev_sum<T>{{m.unit, inverse_.data(), to, spare_.data(), nullptr}, x, to});
    }

private:
    /// to = x + the step; `to` may be b.
    template <class U>
    struct store_chebyshev_sum {
        store_chebyshev_step<U> step;
        U const* x;
        U* to;
        COPPICE_HD void operator()(std::int64_t row, U const& sum) const {
            U const z = step.z[row], r = step.b[row] - step.unit * sum;
            to[row] = x[row] +
                      (z + (U(chebyshev_of_two::momentum) * z + U(chebyshev_of_two::second) * (step.inverse[row] * r)));
        }
    };
    void solve(Executor const& exec, T const* r, T* z, std::int64_t n) const {
        solve_tridiagonal_in_order(exec, system_.view(), forest_.permutation.data(), array_view<T const>(r, n),
                                   array_view<T>(z, n), workspace_.view(), options_);
    }

    multilevel_smoother kind_ = multilevel_smoother::jacobi;
    buffer<T> inverse_{};
    mutable buffer<T> spare_{};
    linear_forest<I> forest_{};
    tridiagonal<T> system_{};
    tridiagonal_options options_{};
    tridiagonal_mender<Executor, T> mender_{};
    mutable buffer<std::byte> workspace_{};
};

} // namespace coppice::multilevel_detail
