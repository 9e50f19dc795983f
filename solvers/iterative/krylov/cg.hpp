// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The preconditioned conjugate gradient method.
#pragma once

#include <coppice/core/element_copy.hpp>
#include <coppice/solvers/iterative/krylov/krylov_iteration.hpp>

namespace coppice::inline v0_1 {

/// Solves A x = b for symmetric (complex: Hermitian) positive definite A with a preconditioner of the same kind
/// (Hestenes and Stiefel 1952; Saad, Iterative Methods for Sparse Linear Systems, Algorithm 9.1).
///
/// The constructor allocates 6 vectors; solve() allocates only the history and a few scalars. One iteration takes one
/// product with A and one application of the preconditioner, without a decision on the host. If p·Ap <= 0 or r·z <= 0,
/// then A or the preconditioner is not positive definite and the solve ends with reason `breakdown`.
template <executor Executor, class T>
class cg {
public:
    cg(Executor const& exec, std::int64_t n, krylov_options options = {})
        : exec_(exec), options_(std::move(options)), dots_(exec, n), passes_(exec, n), vectors_(exec, 4 * n),
          best_(exec, n) {}

    /// x[n] holds the initial guess on entry and the best iterate on return; b[n] must not overlap it.
    template <class A, class M>
    requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T>
        krylov_result solve(A const& a, M const& m, array_view<T const> b, array_view<T> x);

private:
    array_view<element_t<T>> vector(int k) {
        return detail::as_elements(vectors_.view()).slice(k * dots_.size, dots_.size);
    }

    Executor exec_;
    krylov_options options_;
    dot_scratch dots_;
    detail::pass_scratch<Executor> passes_;
    buffer<T> vectors_;
    detail::best_solution<Executor, T> best_;
    detail::one_user user_{};
};

namespace detail {

/// The scalars of CG. V: double or complex double. The imaginary part of a dot product is ignored if a Hermitian A and
/// preconditioner make the product real.
template <class V>
struct cg_state {
    krylov_control control{};
    double rr = 0; ///< (r, r)
    double rz = 0; ///< (r, z)
    V pq{};        ///< (p, A p)
    double alpha = 0, beta = 0;

    COPPICE_HD double step_length() const { return rz / real_part(pq); }

    /// Called after r = r - alpha A p with alpha = (r, z) / (p, A p): checks the scalars and ends the round, or accepts
    /// the step.
    COPPICE_HD void decide(double rz_next, double rr_next) {
        if (control.is_over()) return control.rest();
        if (!control.finite(rz, real_part(pq))) return;
        if (real_part(pq) <= 0 || rz <= 0) return control.refuse(round_end::breakdown);
        if (!control.finite(rr_next)) return;
        alpha = step_length();
        beta = rz_next / rz;
        control.step(rr, rr_next);
        rz = rz_next;
        rr = rr_next;
    }
};

/// p = z, (r, z)
template <class T>
struct cg_begin {
    static constexpr int dots = 1;
    cg_state<dot_value<T>>* s;
    array_view<T> r, z, p;

    COPPICE_HD copy_vector<T> begin() const { return {z.data(), p.data()}; }
    COPPICE_HD dot_pair<T> pair(int) const { return {r, z}; }
    COPPICE_HD auto* state() const { return s; }
    COPPICE_HD void finish(cg_state<dot_value<T>>& now, dot_value<T> const* sums) const {
        now.rz = real_part(sums[0]);
        now.control.finite(now.rz);
    }
};

/// r = r - alpha q; without a preconditioner (z is r) also (r, r) and decide().
template <class T, bool Same>
struct cg_residual {
    static constexpr int dots = Same ? 1 : 0;
    static constexpr bool backwards = true;
    cg_state<dot_value<T>>* s;
    array_view<T> q, r;

    struct update {
        struct operands {
            T q, r;
        };
        bool over;
        T alpha;
        T const* q;
        T* r;
        COPPICE_HD bool idle() const { return over; }
        COPPICE_HD operands load(std::int64_t i) const { return {q[i], r[i]}; }
        COPPICE_HD void store(std::int64_t i, operands& v) const { r[i] = v.r += alpha * v.q; }
    };
    COPPICE_HD update begin() const { return {s->control.is_over(), T(-s->step_length()), q.data(), r.data()}; }
    COPPICE_HD dot_value<T> term(int, typename update::operands const& v) const { return dot_term(v.r, v.r); }
    COPPICE_HD dot_pair<T> pair(int) const { return {r, r}; }
    COPPICE_HD auto* state() const { return s; }
    COPPICE_HD void finish(cg_state<dot_value<T>>& now, dot_value<T> const* sums) const {
        now.decide(real_part(sums[0]), real_part(sums[0]));
    }
};

/// (r, z), (r, r); then decide().
template <class T>
struct cg_decision {
    static constexpr int dots = 2;
    cg_state<dot_value<T>>* s;
    array_view<T> r, z;

    COPPICE_HD no_update begin() const { return {}; }
    COPPICE_HD dot_pair<T> pair(int p) const { return {r, p == 0 ? z : r}; }
    COPPICE_HD auto* state() const { return s; }
    COPPICE_HD void finish(cg_state<dot_value<T>>& now, dot_value<T> const* sums) const {
        now.decide(real_part(sums[0]), real_part(sums[1]));
    }
};

/// x = x + alpha p, p = z + beta p
template <class T>
struct cg_step {
    static constexpr int dots = 0;
    cg_state<dot_value<T>> const* s;
    array_view<T> z, p, x;
    T* best;

    struct update {
        struct operands {
            T p, z, x;
        };
        bool moves, keeps;
        T alpha, beta;
        T const* z;
        T* p;
        T* x;
        T* best;
        COPPICE_HD bool idle() const { return !moves; }
        // x is not read again before the next step, so it should not displace the other vectors in the cache.
        COPPICE_HD operands load(std::int64_t i) const { return {p[i], z[i], load_once(x + i)}; }
        COPPICE_HD void store(std::int64_t i, operands const& v) const {
            if (keeps) best[i] = v.x;
            store_once(x + i, v.x + alpha * v.p);
            p[i] = v.z + beta * v.p;
        }
    };
    COPPICE_HD update begin() const {
        return {
            s->control.moves != 0, s->control.keeps != 0, T(s->alpha), T(s->beta), z.data(), p.data(), x.data(), best};
    }
};

} // namespace detail

template <executor Executor, class T>
template <class A, class M>
requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T> krylov_result
cg<Executor, T>::solve(A const& a, M const& m, array_view<T const> right_hand_side, array_view<T> solution) {
    using E = element_t<T>;
    krylov_monitor monitor(options_);
    auto const use = user_.enter("this cg solver");
    detail::scaled_solve<Executor, T> scaled(exec_, dots_, right_hand_side, solution, monitor);
    if (!scaled.start(best_.temporary())) return monitor.take();
    auto const b = detail::as_elements(right_hand_side);
    auto const x = detail::as_elements(solution);
    detail::krylov_iteration<Executor, T, detail::cg_state<dot_value<T>>> iteration(exec_, monitor, passes_, a, m);
    iteration.rests_at_the_end();
    auto* const s = iteration.state();
    bool const plain = detail::is_identity(m);
    auto const r = vector(0), p = vector(1), q = vector(2), z = plain ? r : vector(3);

    auto const begin = [&] {
        if (!plain) m.apply(exec_, detail::as_numbers<T const>(r), detail::as_numbers<T>(z));
        iteration.pass(detail::cg_begin<E>{s, r, z, p});
    };
    auto const iterate = [&] {
        iteration.template multiply<1>(a, p, q, p, &s->pq); // q = A p
        if (plain) {                                        // r = r - alpha q, z = M^-1 r
            iteration.pass(detail::cg_residual<E, true>{s, q, r});
        } else {
            iteration.pass(detail::cg_residual<E, false>{s, q, r});
            m.apply(exec_, detail::as_numbers<T const>(r), detail::as_numbers<T>(z));
            iteration.pass(detail::cg_decision<E>{s, r, z});
        }
        iteration.pass(detail::cg_step<E>{s, z, p, x, best_.data()}); // x = x + alpha p, p = z + beta p
    };
    best_.begin();
    for (double rr; monitor.open(rr = best_.open(exec_, dots_, a, b, x, r, monitor));)
        iteration.round({.rr = rr}, best_, begin, iterate);
    return scaled.finish(a, best_.temporary(), r);
}

} // namespace coppice::inline v0_1
