// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The transpose-free quasi-minimal residual method.
#pragma once

#include <cmath>
#include <cstdint>

#include <coppice/algebra/random.hpp>
#include <coppice/solvers/iterative/krylov/krylov_iteration.hpp>
#include <coppice/solvers/iterative/krylov/residual_smoothing.hpp>

namespace coppice::inline v0_1 {

/// Solves A x = b for general A (Freund 1993; Saad, Iterative Methods for Sparse Linear Systems, algorithm 7.8). The
/// preconditioner is applied from the right. The iterates are those of CGS and of its half steps, with quasi-minimal
/// residual smoothing: their residuals decrease nearly monotonically. The residual of an iterate is computed by a
/// recurrence, not estimated by a bound.
///
/// The constructor allocates 13 vectors; solve() allocates only the history and a few scalars. One iteration consists
/// of two half steps, that is, two products with A and two applications of the preconditioner, as many as one of
/// bicgstab. If the recurrence breaks down (a divisor is a dot product that consists of rounding errors only), the
/// method restarts from the true residual; if that equals the one of the previous round, the elements of the shadow
/// residual get random signs.
template <executor Executor, class T>
class tfqmr {
public:
    tfqmr(Executor const& exec, std::int64_t n, krylov_options options = {})
        : exec_(exec), options_(std::move(options)), dots_(exec, n), passes_(exec, n), vectors_(exec, 11 * n),
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

/// The scalars of TFQMR. V: double or complex double; (x, y) = x^H y.
template <class V>
struct tfqmr_state {
    krylov_control control{};
    double rr = 0;                  ///< (r, r) of the smoothed residual
    double ww = 0;                  ///< (w, w) of the residual of CGS
    residual_smoothing smoothing{}; ///< after the last half step
    V rho{};                        ///< (shadow, w)
    V sv[2] = {};                   ///< (shadow, v), (v, v)
    double shadow_norm = 0;         ///< |shadow|
    double noise = 0;               ///< dot_noise
    double first = 0, second = 0;   ///< weights of the smoothing of the half steps
    V rho_next{};
    double ww_next = 0;
    V alpha{}, beta{};

    COPPICE_HD V step_length() const { return rho / sv[0]; }
    /// Returns whether this dot product of vectors of these norms consists of rounding errors only.
    COPPICE_HD bool vanishes(V const& product, double norm, double other_norm) const {
        return length_of(product) <= noise * norm * other_norm;
    }
    /// Called after the second half step with (shadow, w) and (w, w).
    COPPICE_HD void take(V product, double square) {
        rho_next = product;
        ww_next = square;
        second = smoothing.weight(square);
    }
    /// Called with (r, r) of the smoothed residual: checks the scalars, then ends the round or accepts the step.
    COPPICE_HD void decide(double rr_next) {
        if (control.is_over()) return control.rest();
        if (!control.finite(length_of(rho), length_of(sv[0]))) return;
        if (vanishes(rho, shadow_norm, std::sqrt(ww)) || vanishes(sv[0], shadow_norm, std::sqrt(real_part(sv[1]))))
            return control.refuse(round_end::restart);
        if (!control.finite(length_of(rho_next), rr_next)) return;
        alpha = step_length();
        beta = rho_next / rho;
        control.step(rr, rr_next);
        rho = rho_next;
        rr = rr_next;
        ww = ww_next;
    }
};

/// u = w = r, shadow = r, q = v = 0, y = x. If the previous round began with the same r, the elements of the shadow get
/// random signs, because the same shadow would lead to the same breakdown.
template <class T>
struct tfqmr_begin {
    static constexpr int dots = 0;
    array_view<T> r, x, u, w, shadow, q, v, y;
    std::uint64_t repeats; ///< number of successive previous rounds that began with the same r
    std::int64_t first;    ///< position of the first element in the whole vector

    struct update {
        T const *r, *x;
        T *u, *w, *shadow, *q, *v, *y;
        std::uint64_t repeats;
        std::int64_t first;
        COPPICE_HD void operator()(std::int64_t i) const {
            bool const same = repeats == 0 || random_stream(5, repeats).uniform(std::uint64_t(first + i), -1, 1) < 0;
            shadow[i] = same ? r[i] : T(-1) * r[i];
            u[i] = w[i] = r[i];
            q[i] = v[i] = T(0);
            y[i] = x[i];
        }
    };
    COPPICE_HD update begin() const {
        return {r.data(), x.data(), u.data(), w.data(), shadow.data(), q.data(), v.data(), y.data(), repeats, first};
    }
};

/// v = p + beta (q + beta v) with p = A M^-1 u and the q of the previous iteration; then (shadow, v) and (v, v).
template <class T>
struct tfqmr_direction {
    static constexpr int dots = 2;
    tfqmr_state<dot_value<T>>* s;
    array_view<T> p, q, v, shadow;

    struct update {
        T beta;
        T const *p, *q;
        T* v;
        COPPICE_HD void operator()(std::int64_t i) const { v[i] = p[i] + beta * (q[i] + beta * v[i]); }
    };
    COPPICE_HD update begin() const { return {T(s->beta), p.data(), q.data(), v.data()}; }
    COPPICE_HD dot_pair<T> pair(int k) const { return k == 0 ? dot_pair<T>{shadow, v} : dot_pair<T>{v, v}; }
    COPPICE_HD auto* state() const { return s; }
    COPPICE_HD void finish(tfqmr_state<dot_value<T>>& now, dot_value<T> const* sums) const {
        now.sv[0] = sums[0];
        now.sv[1] = sums[1];
    }
};

/// First half step: w = w - alpha p, u_next = u - alpha v with alpha = rho / (shadow, v), then (w, w).
template <class T>
struct tfqmr_half_step {
    static constexpr int dots = 1;
    tfqmr_state<dot_value<T>>* s;
    array_view<T> p, v, u, w, u_next;

    struct update {
        T alpha;
        T const *p, *v, *u;
        T *w, *u_next;
        COPPICE_HD void operator()(std::int64_t i) const {
            w[i] = w[i] + alpha * p[i];
            u_next[i] = u[i] + alpha * v[i];
        }
    };
    COPPICE_HD update begin() const {
        return {T(-s->step_length()), p.data(), v.data(), u.data(), w.data(), u_next.data()};
    }
    COPPICE_HD dot_pair<T> pair(int) const { return {w, w}; }
    COPPICE_HD auto* state() const { return s; }
    COPPICE_HD void finish(tfqmr_state<dot_value<T>>& now, dot_value<T> const* sums) const {
        now.first = now.smoothing.weight(real_part(sums[0]));
    }
};

/// Smoothing of the first half step, r = r + lambda (w - r); then the second half step, w = w - alpha q, (shadow, w)
/// and (w, w).
template <class T>
struct tfqmr_second_step {
    static constexpr int dots = 2;
    tfqmr_state<dot_value<T>>* s;
    array_view<T> q, shadow, w, r;

    struct update {
        T alpha, weight;
        T const* q;
        T *w, *r;
        COPPICE_HD void operator()(std::int64_t i) const {
            r[i] = r[i] + weight * (w[i] - r[i]);
            w[i] = w[i] + alpha * q[i];
        }
    };
    COPPICE_HD update begin() const { return {T(-s->step_length()), T(s->first), q.data(), w.data(), r.data()}; }
    COPPICE_HD dot_pair<T> pair(int k) const { return k == 0 ? dot_pair<T>{shadow, w} : dot_pair<T>{w, w}; }
    COPPICE_HD auto* state() const { return s; }
    COPPICE_HD void finish(tfqmr_state<dot_value<T>>& now, dot_value<T> const* sums) const {
        now.take(sums[0], real_part(sums[1]));
    }
};

/// Smoothing of the second half step, r = r + lambda (w - r), then (r, r) and decide().
template <class T>
struct tfqmr_residual {
    static constexpr int dots = 1;
    tfqmr_state<dot_value<T>>* s;
    array_view<T> w, r;

    struct update {
        T weight;
        T const* w;
        T* r;
        COPPICE_HD void operator()(std::int64_t i) const { r[i] = r[i] + weight * (w[i] - r[i]); }
    };
    COPPICE_HD update begin() const { return {T(s->second), w.data(), r.data()}; }
    COPPICE_HD dot_pair<T> pair(int) const { return {r, r}; }
    COPPICE_HD auto* state() const { return s; }
    COPPICE_HD void finish(tfqmr_state<dot_value<T>>& now, dot_value<T> const* sums) const {
        now.decide(real_part(sums[0]));
    }
};

/// For both half steps y = y + alpha M^-1 u, x = x + lambda (y - x); then u = w + beta u_next.
template <class T>
struct tfqmr_step {
    static constexpr int dots = 0;
    tfqmr_state<dot_value<T>> const* s;
    array_view<T> u_hat, u_next_hat, w, u_next, u, y, x; ///< u_hat may be u, u_next_hat u_next
    T* best;

    struct update {
        bool moves, keeps;
        T alpha, first, second, beta;
        T const *u_hat, *u_next_hat, *w, *u_next;
        T *u, *y, *x, *best;
        COPPICE_HD bool idle() const { return !moves; }
        COPPICE_HD void operator()(std::int64_t i) const {
            if (keeps) best[i] = x[i];
            T const half = y[i] + alpha * u_hat[i], whole = half + alpha * u_next_hat[i];
            T const smooth = x[i] + first * (half - x[i]);
            x[i] = smooth + second * (whole - smooth);
            y[i] = whole;
            u[i] = w[i] + beta * u_next[i];
        }
    };
    COPPICE_HD update begin() const {
        return {s->control.moves != 0,
                s->control.keeps != 0,
                T(s->alpha),
                T(s->first),
                T(s->second),
                T(s->beta),
                u_hat.data(),
                u_next_hat.data(),
                w.data(),
                u_next.data(),
                u.data(),
                y.data(),
                x.data(),
                best};
    }
};

} // namespace detail

template <executor Executor, class T>
template <class A, class M>
requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T> krylov_result
tfqmr<Executor, T>::solve(A const& a, M const& m, array_view<T const> right_hand_side, array_view<T> solution) {
    using E = element_t<T>;
    krylov_monitor monitor(options_);
    auto const use = user_.enter("this tfqmr solver");
    detail::scaled_solve<Executor, T> scaled(exec_, dots_, right_hand_side, solution, monitor);
    if (!scaled.start(best_.temporary())) return monitor.take();
    auto const b = detail::as_elements(right_hand_side);
    auto const x = detail::as_elements(solution);
    detail::krylov_iteration<Executor, T, detail::tfqmr_state<dot_value<T>>> iteration(exec_, monitor, passes_, a, m);
    auto* const s = iteration.state();
    bool const plain = detail::is_identity(m);
    auto const r = vector(0), shadow = vector(1), u = vector(2), u_next = vector(3), w = vector(4), v = vector(5),
               p = vector(6), q = vector(7), y = vector(8);
    auto const u_hat = plain ? u : vector(9), u_next_hat = plain ? u_next : vector(10);

    auto const first = detail::position_in_whole(exec_, dots_.size).first;
    std::uint64_t repeats = 0;
    auto const begin = [&] {
        iteration.pass(detail::tfqmr_begin<E>{r, x, u, w, shadow, q, v, y, repeats, first});
        if (repeats > 0) iteration.pass(detail::dots_of_product<E, 1>{shadow.data(), r.data(), &s->rho});
    };
    auto const multiply = [&](array_view<E> from, array_view<E> hat, array_view<E> to) { // to = A M^-1 from
        if (!plain) m.apply(exec_, detail::as_numbers<T const>(from), detail::as_numbers<T>(hat));
        a.apply(exec_, detail::as_numbers<T const>(hat), detail::as_numbers<T>(to));
    };
    auto const iterate = [&] {
        multiply(u, u_hat, p);
        iteration.pass(detail::tfqmr_direction<E>{s, p, q, v, shadow});
        iteration.pass(detail::tfqmr_half_step<E>{s, p, v, u, w, u_next});
        multiply(u_next, u_next_hat, q);
        iteration.pass(detail::tfqmr_second_step<E>{s, q, shadow, w, r});
        iteration.pass(detail::tfqmr_residual<E>{s, w, r});
        iteration.pass(detail::tfqmr_step<E>{s, u_hat, u_next_hat, w, u_next, u, y, x, best_.data()});
    };
    best_.begin();
    double last = -1;
    for (double rr; monitor.open(rr = best_.open(exec_, dots_, a, b, x, r, monitor)); last = rr) {
        repeats = rr == last ? repeats + 1 : 0;
        iteration.round({.rr = rr,
                         .ww = rr,
                         .smoothing = {rr},
                         .rho = dot_value<T>(rr),
                         .shadow_norm = std::sqrt(rr),
                         .noise = detail::dot_noise<T>},
                        best_, begin, iterate);
    }
    return scaled.finish(a, best_.temporary(), r);
}

} // namespace coppice::inline v0_1
