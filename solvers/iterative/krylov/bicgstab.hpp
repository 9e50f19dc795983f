// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The biconjugate gradient stabilised method.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include <coppice/algebra/random.hpp>
#include <coppice/core/element_copy.hpp>
#include <coppice/solvers/iterative/krylov/krylov_iteration.hpp>

namespace coppice::inline v0_1 {

/// Solves A x = b for general A (van der Vorst 1992). The preconditioner is applied from the right, so the residual of
/// the recurrence is b - A x.
///
/// The constructor allocates 10 vectors; solve() allocates only the history and a few scalars. One iteration takes two
/// products with A and two applications of the preconditioner, without a decision on the host; compare twice
/// its iteration count with that of GMRES or CG. If the recurrence breaks down (a divisor is a dot product that
/// consists of rounding errors only), the method restarts from the true residual. The solve ends with reason
/// `breakdown` after a breakdown before the first step of a round, or after three successive rounds that end in a
/// breakdown after less than ten steps without reducing the residual. Breakdowns after more steps depend on rounding
/// errors; they never end the solve.
///
/// The shadow residual of a round is its first residual, the usual choice. If the previous round began with the same
/// residual, its elements get random signs. Other choices were measured, as mean iteration counts to 1e-6 over seven
/// perturbations of b by 1e-13, with the forest preconditioner on ANISO1, 2, 3 of 1200^2 points and the 5-point matrix
/// of 1000^2: r gives 237, 186, 414, 245; M^-1 r gives 213, 188, 420, 265; A M^-1 r gives 277, 168, 388, 281. Counts of
/// BiCGStab depend on rounding: single runs differ from the mean by 5 to 10 %, least for r.
template <executor Executor, class T>
class bicgstab {
public:
    bicgstab(Executor const& exec, std::int64_t n, krylov_options options = {})
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

/// The scalars of BiCGStab. V: double or complex double; (x, y) = x^H y.
template <class V>
struct bicgstab_state {
    krylov_control control{};
    double rr = 0;          ///< (r, r)
    V rho{};                ///< (shadow, r)
    double shadow_norm = 0; ///< |shadow|
    double noise = 0;       ///< dot_noise
    V sv[2] = {};           ///< (shadow, v), (v, v)
    V st[2] = {};           ///< (s, t), (t, t)
    V alpha{}, beta{};

    /// Returns whether this dot product of vectors of these norms consists of rounding errors only.
    COPPICE_HD bool vanishes(V const& product, double norm, double other_norm) const {
        return length_of(product) <= noise * norm * other_norm;
    }
    /// (t, s) / (t, t). t = 0 only if s = 0, that is, if the half step gave the exact solution; then 0.
    COPPICE_HD V omega() const { return real_part(st[1]) > 0 ? conjugate_of(st[0]) / real_part(st[1]) : V(0); }

    /// Called after r = s - omega t: checks the scalars and ends the round, or accepts the step.
    COPPICE_HD void decide(V rho_next, double rr_next) {
        if (control.is_over()) return control.rest();
        if (!control.finite(length_of(rho), length_of(sv[0]))) return;
        if (vanishes(rho, shadow_norm, std::sqrt(rr)) || vanishes(sv[0], shadow_norm, std::sqrt(real_part(sv[1]))))
            return control.refuse(round_end::restart);
        if (!control.finite(length_of(st[0]), real_part(st[1])) || !control.finite(length_of(rho_next), rr_next))
            return;
        alpha = rho / sv[0];
        // s|^2 = |r|^2 + |omega t|^2, because r is orthogonal to t
        double const t_norm = std::sqrt(real_part(st[1])),
                     s_norm = std::hypot(std::sqrt(rr_next), length_of(omega()) * t_norm);
        bool const halts = vanishes(st[0], s_norm, t_norm);
        beta = halts ? V(0) : rho_next / rho * alpha / omega();
        control.step(rr, rr_next);
        if (halts) control.end_with(round_end::restart);
        rho = rho_next;
        rr = rr_next;
    }
};

/// p = r and shadow = r. If the previous round began with the same r, the elements of the shadow get random signs,
/// because the same shadow would lead to the same breakdown.
template <class T>
struct bicgstab_begin {
    static constexpr int dots = 0;
    array_view<T> r, p, shadow;
    std::uint64_t repeats; ///< number of successive previous rounds that began with the same r
    std::int64_t first;    ///< position of the first element in the whole vector

    struct update {
        T const* r;
        T* p;
        T* shadow;
        std::uint64_t repeats;
        std::int64_t first;
        COPPICE_HD void operator()(std::int64_t i) const {
            p[i] = r[i];
            bool const same = repeats == 0 || random_stream(5, repeats).uniform(std::uint64_t(first + i), -1, 1) < 0;
            shadow[i] = same ? r[i] : T(-1) * r[i];
        }
    };
    COPPICE_HD update begin() const { return {r.data(), p.data(), shadow.data(), repeats, first}; }
};

/// s = r - alpha v, alpha = rho / (shadow, v)
template <class T>
struct bicgstab_half_step {
    static constexpr int dots = 0;
    bicgstab_state<dot_value<T>> const* state;
    array_view<T> r, v, s;

    struct update {
        struct operands {
            T r, v;
        };
        T alpha;
        T const *r, *v;
        T* s;
        COPPICE_HD operands load(std::int64_t i) const { return {r[i], v[i]}; }
        COPPICE_HD void store(std::int64_t i, operands const& all) const { s[i] = all.r + alpha * all.v; }
    };
    COPPICE_HD update begin() const { return {T(-(state->rho / state->sv[0])), r.data(), v.data(), s.data()}; }
};

/// r = s - omega t, omega = (t, s) / (t, t); (shadow, r), (r, r); then decide().
template <class T>
struct bicgstab_residual {
    static constexpr int dots = 2;
    bicgstab_state<dot_value<T>>* now;
    array_view<T> s, t, shadow, r;

    struct update {
        struct operands {
            T s, t, shadow; ///< s is r after the update
        };
        bool over;
        T omega;
        T const *s, *t, *shadow;
        T* r;
        COPPICE_HD bool idle() const { return over; }
        COPPICE_HD operands load(std::int64_t i) const { return {s[i], t[i], shadow[i]}; }
        COPPICE_HD void store(std::int64_t i, operands& all) const { r[i] = all.s += omega * all.t; }
    };
    COPPICE_HD update begin() const {
        return {now->control.is_over(), T(-now->omega()), s.data(), t.data(), shadow.data(), r.data()};
    }
    COPPICE_HD dot_value<T> term(int p, typename update::operands const& all) const {
        return dot_term(p == 0 ? all.shadow : all.s, all.s);
    }
    COPPICE_HD dot_pair<T> pair(int p) const { return {p == 0 ? shadow : r, r}; }
    COPPICE_HD auto* state() const { return now; }
    COPPICE_HD void finish(bicgstab_state<dot_value<T>>& next, dot_value<T> const* sums) const {
        next.decide(sums[0], real_part(sums[1]));
    }
};

/// x = x + alpha p̂ + omega ŝ, p = r + beta (p - omega v)
template <class T>
struct bicgstab_step {
    static constexpr int dots = 0;
    bicgstab_state<dot_value<T>> const* state;
    array_view<T> p_hat, s_hat, r, v, p, x;
    T* best;

    struct update {
        struct operands {
            T p_hat, s_hat, r, v, p, x; ///< p̂ may be p
        };
        bool moves, keeps;
        T alpha, omega, beta;
        T const* p_hat;
        T const* s_hat;
        T const* r;
        T const* v;
        T* p;
        T* x;
        T* best;
        COPPICE_HD bool idle() const { return !moves; }
        COPPICE_HD operands load(std::int64_t i) const {
            return {p_hat[i], s_hat[i], r[i], v[i], p[i], load_once(x + i)};
        }
        COPPICE_HD void store(std::int64_t i, operands const& all) const {
            if (keeps) best[i] = all.x;
            store_once(x + i, all.x + (alpha * all.p_hat + omega * all.s_hat));
            p[i] = all.r + beta * (all.p - omega * all.v);
        }
    };
    COPPICE_HD update begin() const {
        return {state->control.moves != 0,
                state->control.keeps != 0,
                T(state->alpha),
                T(state->omega()),
                T(state->beta),
                p_hat.data(),
                s_hat.data(),
                r.data(),
                v.data(),
                p.data(),
                x.data(),
                best};
    }
};

} // namespace detail

template <executor Executor, class T>
template <class A, class M>
requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T> krylov_result
bicgstab<Executor, T>::solve(A const& a, M const& m, array_view<T const> right_hand_side, array_view<T> solution) {
    using E = element_t<T>;
    krylov_monitor monitor(options_);
    auto const use = user_.enter("this bicgstab solver");
    detail::scaled_solve<Executor, T> scaled(exec_, dots_, right_hand_side, solution, monitor);
    if (!scaled.start(best_.temporary())) return monitor.take();
    auto const b = detail::as_elements(right_hand_side);
    auto const x = detail::as_elements(solution);
    detail::krylov_iteration<Executor, T, detail::bicgstab_state<dot_value<T>>> iteration(exec_, monitor, passes_, a,
                                                                                          m);
    iteration.rests_at_the_end();
    auto* const state = iteration.state();
    bool const plain = detail::is_identity(m);
    auto const r = vector(0), shadow = vector(1), p = vector(2), v = vector(3), s = vector(4), t = vector(5);
    auto const p_hat = plain ? p : vector(6), s_hat = plain ? s : vector(7);

    auto const first = detail::position_in_whole(exec_, dots_.size).first;
    std::uint64_t repeats = 0;
    auto const begin = [&] {
        iteration.pass(detail::bicgstab_begin<E>{r, p, shadow, repeats, first});
        if (repeats > 0) iteration.pass(detail::dots_of_product<E, 1>{shadow.data(), r.data(), &state->rho});
    };
    auto const iterate = [&] {
        if (!plain) m.apply(exec_, detail::as_numbers<T const>(p), detail::as_numbers<T>(p_hat));
        iteration.template multiply<2>(a, p_hat, v, shadow, state->sv); // v = A M^-1 p
        iteration.pass(detail::bicgstab_half_step<E>{state, r, v, s});  // s = r - alpha v
        if (!plain) m.apply(exec_, detail::as_numbers<T const>(s), detail::as_numbers<T>(s_hat));
        iteration.template multiply<2>(a, s_hat, t, s, state->st);            // t = A M^-1 s
        iteration.pass(detail::bicgstab_residual<E>{state, s, t, shadow, r}); // r = s - omega t
        iteration.pass(detail::bicgstab_step<E>{state, p_hat, s_hat, r, v, p, x, best_.data()});
    };
    constexpr double noise = detail::dot_noise<T>;
    best_.begin();
    double last = -1;
    for (double rr; monitor.open(rr = best_.open(exec_, dots_, a, b, x, r, monitor)); last = rr) {
        repeats = rr == last ? repeats + 1 : 0;
        iteration.round({.rr = rr, .rho = dot_value<T>(rr), .shadow_norm = std::sqrt(rr), .noise = noise}, best_, begin,
                        iterate);
    }
    return scaled.finish(a, best_.temporary(), r);
}

} // namespace coppice::inline v0_1
