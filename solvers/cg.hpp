// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The preconditioned conjugate gradient method.
#pragma once

#include <coppice/solvers/krylov_rounds.hpp>

namespace coppice {

/// Solves A x = b for symmetric positive definite A with a symmetric positive definite preconditioner (Hestenes and
/// Stiefel 1952; Saad, Iterative Methods for Sparse Linear Systems, Algorithm 9.1).
///
/// The constructor allocates 4 vectors; solve() allocates nothing but the history, and takes one product with A, one
/// preconditioner and two waits per iteration. p·Ap <= 0 or r·z <= 0 shows that A or the preconditioner is not positive
/// definite: reason `breakdown`.
template <executor Executor, class T>
class cg {
public:
    cg(Executor const& exec, std::int64_t n, krylov_options options = {})
        : exec_(exec), options_(std::move(options)), scratch_(exec, n), vectors_(exec, 4 * n) {}

    /// x[n] holds the starting guess on entry and the last iterate on return; b[n] must not overlap it.
    template <class A, class M>
    requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T>
        krylov_result solve(A const& a, M const& m, array_view<T const> b, array_view<T> x);

private:
    array_view<T> vector(int k) { return vectors_.view().slice(k * scratch_.size, scratch_.size); }

    Executor exec_;
    krylov_options options_;
    dot_scratch scratch_;
    buffer<T> vectors_;
};

/// x = x + alpha p, r = r - alpha q
template <class T>
struct cg_update {
    T alpha;
    T const* p;
    T const* q;
    T* x;
    T* r;
    COPPICE_HD void operator()(std::int64_t i) const {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
    }
};

template <executor Executor, class T>
template <class A, class M>
requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T>
    krylov_result cg<Executor, T>::solve(A const& a, M const& m, array_view<T const> b, array_view<T> x) {
    krylov_monitor monitor(options_);
    if (!detail::start_solve(exec_, scratch_, b, x, monitor)) return monitor.take();
    std::int64_t const n = scratch_.size;
    auto const r = vector(0), z = vector(1), p = vector(2), q = vector(3);

    while (monitor.open(detail::true_residual(exec_, scratch_, a, b, x, r))) {
        m.apply(exec_, array_view<T const>(r), z);
        auto [rz] = update_and_dot(exec_, scratch_, copy_vector<T>{z.data(), p.data()}, dot_pair(r, z));
        while (monitor.finite(rz)) {
            // alpha = (r, z) / (p, A p)
            a.apply(exec_, array_view<T const>(p), q);
            auto const [pq] = dots(exec_, scratch_, dot_pair(p, q));
            if (!monitor.finite(pq)) break;
            if (pq <= 0 || rz <= 0) {
                monitor.breakdown();
                break;
            }
            double const alpha = rz / pq;
            // x = x + alpha p, r = r - alpha A p, z = M^-1 r
            for_each(exec_, n, cg_update<T>{T(alpha), p.data(), q.data(), x.data(), r.data()});
            m.apply(exec_, array_view<T const>(r), z);
            auto const [rz_next, rr] = dots(exec_, scratch_, dot_pair(r, z), dot_pair(r, r));
            if (!monitor.step(rr)) break;
            // p = z + beta p
            double const beta = rz_next / rz;
            for_each(exec_, n, xpby<T>{z.data(), T(beta), p.data()});
            rz = rz_next;
        }
    }
    return monitor.take();
}

} // namespace coppice
