// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The preconditioned minimal residual method.
#pragma once

#include <cmath>

#include <coppice/solvers/iterative/krylov/krylov_iteration.hpp>

namespace coppice::inline v0_1 {

/// Solves A x = b for symmetric, possibly indefinite A with a symmetric positive definite preconditioner (Paige and
/// Saunders 1975; Elman, Silvester and Wathen, Finite Elements and Fast Iterative Solvers, Algorithm 6.1).
///
/// The method minimises the residual in the norm of the preconditioner, so |b - A x| may increase between two
/// iterations. The residual follows the recurrence r = s^2 r - c eta / alpha_1 v with the rotation (c, s) of the
/// iteration. The constructor allocates 10 vectors; solve() allocates only the history and a few scalars. One iteration
/// takes one product with A and one application of the preconditioner, without a decision on the host. If r·z < 0, the
/// preconditioner is not positive definite; the solve ends with reason `breakdown`, also if the Krylov space is
/// complete and does not contain the solution.
template <executor Executor, class T>
class minres {
public:
    minres(Executor const& exec, std::int64_t n, krylov_options options = {})
        : exec_(exec), options_(std::move(options)), dots_(exec, n), passes_(exec, n), vectors_(exec, 8 * n),
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

/// Scalars of two successive iterations; `_next` becomes current when its Lanczos vector is known.
template <class V>
struct minres_state {
    krylov_control control{};
    double rr = 0;                                      ///< (r, r)
    V zq{};                                             ///< (z, A z), real for Hermitian A
    double gamma_before = 1, gamma = 1, gamma_next = 0; ///< norms of the Lanczos vectors, each sqrt((v, z))
    double eta = 0, eta_next = 0;                       ///< signed residual in the norm of the preconditioner
    double c_before = 1, c = 1, c_next = 1;             ///< rotations
    double s_before = 0, s = 0, s_next = 0;
    double alpha1 = 0, alpha2 = 0, alpha3 = 0; ///< a column of the triangular factor

    COPPICE_HD void begin(double vz) {
        if (!control.finite(vz)) return;
        if (vz <= 0) return control.refuse(round_end::breakdown);
        eta_next = gamma_next = std::sqrt(vz);
    }
    /// Given the square `vz` of the next Lanczos vector, computes the rotation that eliminates its entry.
    COPPICE_HD void rotate(double vz) {
        gamma_before = gamma, gamma = gamma_next;
        c_before = c, c = c_next;
        s_before = s, s = s_next;
        eta = eta_next;
        gamma_next = vz > 0 ? std::sqrt(vz) : vz; // negative or NaN: decide() detects it
        double const delta = real_part(zq) / (gamma * gamma);
        double const alpha0 = c * delta - c_before * s * gamma;
        alpha1 = std::sqrt(alpha0 * alpha0 + gamma_next * gamma_next);
        alpha2 = s * delta + c_before * c * gamma;
        alpha3 = s_before * gamma;
        c_next = alpha1 > 0 ? alpha0 / alpha1 : 0.0;
        s_next = alpha1 > 0 ? gamma_next / alpha1 : 0.0;
        eta_next = -s_next * eta;
    }
    COPPICE_HD double move() const { return c_next * eta; }
    /// Called after r = s^2 r - c eta / alpha_1 v: checks the scalars and ends the round, or accepts the step.
    COPPICE_HD void decide(double rr_next) {
        if (!control.finite(real_part(zq), gamma_next)) return;
        if (gamma_next < 0 || alpha1 == 0) return control.refuse(round_end::breakdown);
        if (!control.finite(rr_next)) return;
        control.step(rr, rr_next);
        if (gamma_next == 0) control.end_with(round_end::breakdown);
        rr = rr_next;
    }
};

/// v = r, earlier vectors = 0
template <class T>
struct minres_begin {
    static constexpr int dots = 0;
    array_view<T> r, v, v_before, w, w_before;

    struct update {
        T const* r;
        T *v, *v_before, *w, *w_before;
        COPPICE_HD void operator()(std::int64_t i) const {
            v[i] = r[i];
            v_before[i] = w[i] = w_before[i] = T(0);
        }
    };
    COPPICE_HD update begin() const { return {r.data(), v.data(), v_before.data(), w.data(), w_before.data()}; }
};

/// (v, z) of the first Lanczos vector, or of a later one.
template <class T>
struct minres_norm {
    static constexpr int dots = 1;
    minres_state<dot_value<T>>* now;
    array_view<T> v, z;
    bool first;

    COPPICE_HD no_update begin() const { return {}; }
    COPPICE_HD dot_pair<T> pair(int) const { return {v, z}; }
    COPPICE_HD auto* state() const { return now; }
    COPPICE_HD void finish(minres_state<dot_value<T>>& next, dot_value<T> const* sums) const {
        first ? next.begin(real_part(sums[0])) : next.rotate(real_part(sums[0]));
    }
};

/// v = q / gamma - delta / gamma v - gamma / gamma_before v_before, v_before = v; without a preconditioner (z is v)
/// also (v, v)
template <class T, bool Same>
struct minres_lanczos {
    static constexpr int dots = Same ? 1 : 0;
    minres_state<dot_value<T>>* now;
    array_view<T> q, v, v_before;

    struct update {
        T of_q, of_v, of_before;
        T const* q;
        T *v, *v_before;
        COPPICE_HD void operator()(std::int64_t i) const {
            T const here = v[i];
            v[i] = of_q * q[i] - of_v * here - of_before * v_before[i];
            v_before[i] = here;
        }
    };
    COPPICE_HD update begin() const {
        double const gamma = now->gamma_next; // rotate() has not made gamma_next current yet
        return {
            T(1 / gamma),   T(real_part(now->zq) / (gamma * gamma * gamma)), T(gamma / now->gamma), q.data(), v.data(),
            v_before.data()};
    }
    COPPICE_HD dot_pair<T> pair(int) const { return {v, v}; }
    COPPICE_HD auto* state() const { return now; }
    COPPICE_HD void finish(minres_state<dot_value<T>>& next, dot_value<T> const* sums) const {
        next.rotate(real_part(sums[0]));
    }
};

/// r = s^2 r - c eta / alpha_1 v, (r, r); then decide().
template <class T>
struct minres_residual {
    static constexpr int dots = 1;
    minres_state<dot_value<T>>* now;
    array_view<T> v, r;

    struct update {
        T of_r, of_v;
        T const* v;
        T* r;
        COPPICE_HD void operator()(std::int64_t i) const { r[i] = of_r * r[i] - of_v * v[i]; }
    };
    COPPICE_HD update begin() const {
        return {T(now->s_next * now->s_next), T(now->move() / now->alpha1), v.data(), r.data()};
    }
    COPPICE_HD dot_pair<T> pair(int) const { return {r, r}; }
    COPPICE_HD auto* state() const { return now; }
    COPPICE_HD void finish(minres_state<dot_value<T>>& next, dot_value<T> const* sums) const {
        next.decide(real_part(sums[0]));
    }
};

/// w = (z / gamma - alpha_3 w_before - alpha_2 w) / alpha_1, w_before = w, x = x + c eta w, z = z_next
template <class T>
struct minres_step {
    static constexpr int dots = 0;
    minres_state<dot_value<T>> const* state;
    array_view<T> z, z_next, w, w_before, x;
    T* best;

    struct update {
        bool moves, keeps;
        T of_z, of_before, of_w, move;
        T* z;
        T const* z_next; ///< null if z is stored elsewhere
        T *w, *w_before, *x, *best;
        COPPICE_HD bool idle() const { return !moves; }
        COPPICE_HD void operator()(std::int64_t i) const {
            T const here = w[i];
            T const next = of_z * z[i] - of_before * w_before[i] - of_w * here;
            if (keeps) best[i] = x[i];
            x[i] += move * next;
            w[i] = next;
            w_before[i] = here;
            if (z_next) z[i] = z_next[i];
        }
    };
    COPPICE_HD update begin() const {
        auto const& s = *state;
        return {s.control.moves != 0,
                s.control.keeps != 0,
                T(1 / (s.gamma * s.alpha1)),
                T(s.alpha3 / s.alpha1),
                T(s.alpha2 / s.alpha1),
                T(s.move()),
                z.data(),
                z_next.data(),
                w.data(),
                w_before.data(),
                x.data(),
                best};
    }
};

} // namespace detail

template <executor Executor, class T>
template <class A, class M>
requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T> krylov_result
minres<Executor, T>::solve(A const& a, M const& m, array_view<T const> right_hand_side, array_view<T> solution) {
    using E = element_t<T>;
    krylov_monitor monitor(options_);
    auto const use = user_.enter("this minres solver");
    detail::scaled_solve<Executor, T> scaled(exec_, dots_, right_hand_side, solution, monitor);
    if (!scaled.start(best_.temporary())) return monitor.take();
    auto const b = detail::as_elements(right_hand_side);
    auto const x = detail::as_elements(solution);
    detail::krylov_iteration<Executor, T, detail::minres_state<dot_value<T>>> iteration(exec_, monitor, passes_, a, m);
    auto* const s = iteration.state();
    bool const plain = detail::is_identity(m);
    auto const r = vector(0), v = vector(1), v_before = vector(2), w = vector(3), w_before = vector(4), q = vector(5);
    auto const z = plain ? v : vector(6), z_next = plain ? array_view<E>{} : vector(7);

    auto const begin = [&] {
        iteration.pass(detail::minres_begin<E>{r, v, v_before, w, w_before});
        if (!plain) m.apply(exec_, detail::as_numbers<T const>(v), detail::as_numbers<T>(z));
        iteration.pass(detail::minres_norm<E>{s, v, z, true});
    };
    auto const iterate = [&] {
        iteration.template multiply<1>(a, z, q, z, &s->zq); // q = A z, delta = (z, A z) / gamma^2
        if (plain) {
            iteration.pass(detail::minres_lanczos<E, true>{s, q, v, v_before});
        } else {
            iteration.pass(detail::minres_lanczos<E, false>{s, q, v, v_before});
            m.apply(exec_, detail::as_numbers<T const>(v), detail::as_numbers<T>(z_next));
            iteration.pass(detail::minres_norm<E>{s, v, z_next, false});
        }
        iteration.pass(detail::minres_residual<E>{s, v, r});
        // x = x + c eta w; without a preconditioner, the z of this iteration is v_before now
        iteration.pass(detail::minres_step<E>{s, plain ? v_before : z, z_next, w, w_before, x, best_.data()});
    };
    best_.begin();
    for (double rr; monitor.open(rr = best_.open(exec_, dots_, a, b, x, r, monitor));)
        iteration.round({.rr = rr}, best_, begin, iterate);
    return scaled.finish(a, best_.temporary(), r);
}

} // namespace coppice::inline v0_1
