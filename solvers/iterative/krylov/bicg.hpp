// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The biconjugate gradient method, and the quasi-minimal residual method.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <coppice/core/element_copy.hpp>
#include <coppice/solvers/iterative/krylov/krylov_iteration.hpp>
#include <coppice/solvers/iterative/krylov/residual_smoothing.hpp>

namespace coppice::inline v0_1 {

/// Names of the methods with products with A^T, where a matrix is given. They are not in krylov_names, which take any
/// operator.
inline constexpr std::array<std::string_view, 2> transposing_names{"bicg", "qmr"};
/// Whether a method is one of transposing_names.
inline bool is_transposing(std::string_view method) {
    return std::find(transposing_names.begin(), transposing_names.end(), method) != transposing_names.end();
}

/// An operator or preconditioner that is applied as its transpose too: y = A^T x, without conjugation.
template <class A, class Executor, class T>
concept transposable_operator = linear_operator<A, Executor, T> &&
    requires(A const& a, Executor const& exec, array_view<T const> x, array_view<T> y) {
    a.apply_transpose(exec, x, y);
};

/// Solves A x = b for general A (Fletcher 1976; Barrett et al., Templates for the Solution of Linear Systems, figure
/// 2.7). For a symmetric positive definite A with such a preconditioner the iterates are those of CG. bicgstab needs no
/// transposed products and converges more smoothly; this method is for comparison, and for codes that have A^T.
///
/// One iteration takes a product with A and one with A^H, and an application of M and of M^H, that is, A and M have
/// apply_transpose(). The constructor allocates 8 vectors. If (r~, z) or (p~, A p) vanishes up to rounding errors, the
/// method restarts from the true residual.
///
/// With `Smoothed` the method is qmr: quasi-minimal residual smoothing of these iterates gives those of QMR without
/// look-ahead (Freund and Nachtigal 1991), whose residuals decrease nearly monotonically. Two more vectors.
template <executor Executor, class T, bool Smoothed = false>
class bicg {
public:
    bicg(Executor const& exec, std::int64_t n, krylov_options options = {})
        : exec_(exec), options_(std::move(options)), dots_(exec, n), passes_(exec, n),
          vectors_(exec, (Smoothed ? 10 : 8) * n), conjugated_(exec, is_complex_number<T> ? n : 0), best_(exec, n) {}

    /// x[n] holds the initial guess on entry and the best iterate on return; b[n] must not overlap it.
    template <class A, class M>
    requires transposable_operator<A, Executor, T> && transposable_operator<M, Executor, T>
        krylov_result solve(A const& a, M const& m, array_view<T const> b, array_view<T> x);

private:
    using element = element_t<T>;
    array_view<element> vector(int k) { return detail::as_elements(vectors_.view()).slice(k * dots_.size, dots_.size); }
    /// y = B^H x
    template <class B>
    void apply_adjoint(B const& b, array_view<element> x, array_view<element> y);

    Executor exec_;
    krylov_options options_;
    dot_scratch dots_;
    detail::pass_scratch<Executor> passes_;
    buffer<T> vectors_;
    buffer<T> conjugated_; ///< of complex vectors
    detail::best_solution<Executor, T> best_;
    detail::one_user user_{};
};

/// The quasi-minimal residual method.
template <executor Executor, class T>
using qmr = bicg<Executor, T, true>;

namespace detail {

/// The scalars of BiCG. V: double or complex double; (x, y) = x^H y.
template <class V>
struct bicg_state {
    krylov_control control{};
    double rr = 0;    ///< (r, r)
    V rho{};          ///< (r~, z)
    V pq{};           ///< (p~, A p)
    double noise = 0; ///< dot_noise
    double bound = 0; ///< noise |r~| |z|: a smaller rho consists of rounding errors only
    double next_bound = 0;
    V alpha{}, beta{};
    residual_smoothing smoothing{};
    double weight = 0; ///< of the smoothing of this step
    V rho_next{};

    COPPICE_HD V step_length() const { return rho / pq; }

    COPPICE_HD void take(V product) {
        rho = product;
        bound = next_bound;
    }
    /// Called after r = r - alpha A p: checks the scalars and ends the round, or accepts the step.
    COPPICE_HD void decide(V next_rho, double rr_next) {
        if (control.is_over()) return control.rest();
        if (!control.finite(length_of(rho), length_of(pq))) return;
        if (length_of(rho) <= bound || length_of(pq) == 0) return control.refuse(round_end::restart);
        if (!control.finite(length_of(next_rho), rr_next)) return;
        alpha = step_length();
        beta = next_rho / rho;
        control.step(rr, rr_next);
        take(next_rho);
        rr = rr_next;
    }
};

template <class T>
struct conjugate_element {
    T const* x;
    T* y;
    COPPICE_HD void operator()(std::int64_t i) const { y[i] = conjugate_of(x[i]); }
};

/// (r~, r~), (z, z)
template <class T>
struct bicg_norms {
    static constexpr int dots = 2;
    bicg_state<dot_value<T>>* s;
    array_view<T> shadow, z;

    COPPICE_HD no_update begin() const { return {}; }
    COPPICE_HD dot_pair<T> pair(int p) const { return p == 0 ? dot_pair<T>{shadow, shadow} : dot_pair<T>{z, z}; }
    COPPICE_HD auto* state() const { return s; }
    COPPICE_HD void finish(bicg_state<dot_value<T>>& now, dot_value<T> const* sums) const {
        now.next_bound = now.noise * std::sqrt(real_part(sums[0])) * std::sqrt(real_part(sums[1]));
    }
};

/// p = z, p~ = z~, (r~, z)
template <class T>
struct bicg_begin {
    static constexpr int dots = 1;
    bicg_state<dot_value<T>>* s;
    array_view<T> shadow, z, z_shadow, p, p_shadow;

    struct update {
        T const *z, *z_shadow;
        T *p, *p_shadow;
        COPPICE_HD void operator()(std::int64_t i) const {
            p[i] = z[i];
            p_shadow[i] = z_shadow[i];
        }
    };
    COPPICE_HD update begin() const { return {z.data(), z_shadow.data(), p.data(), p_shadow.data()}; }
    COPPICE_HD dot_pair<T> pair(int) const { return {shadow, z}; }
    COPPICE_HD auto* state() const { return s; }
    COPPICE_HD void finish(bicg_state<dot_value<T>>& now, dot_value<T> const* sums) const {
        now.take(sums[0]);
        now.control.finite(length_of(now.rho));
    }
};

/// r = r - alpha q, r~ = r~ - conj(alpha) q~
template <class T>
struct bicg_residuals {
    static constexpr int dots = 0;
    bicg_state<dot_value<T>> const* s;
    array_view<T> q, q_shadow, r, shadow;

    struct update {
        struct operands {
            T q, q_shadow, r, shadow;
        };
        bool over;
        T alpha, conjugate;
        T const *q, *q_shadow;
        T *r, *shadow;
        COPPICE_HD bool idle() const { return over; }
        COPPICE_HD operands load(std::int64_t i) const { return {q[i], q_shadow[i], r[i], shadow[i]}; }
        COPPICE_HD void store(std::int64_t i, operands const& v) const {
            r[i] = v.r + alpha * v.q;
            shadow[i] = v.shadow + conjugate * v.q_shadow;
        }
    };
    COPPICE_HD update begin() const {
        T const alpha = T(-s->step_length());
        return {s->control.is_over(), alpha, conjugate_of(alpha), q.data(), q_shadow.data(), r.data(), shadow.data()};
    }
};

/// (r~, z), (r, r); then decide().
template <class T>
struct bicg_decision {
    static constexpr int dots = 2;
    bicg_state<dot_value<T>>* s;
    array_view<T> r, shadow, z;

    COPPICE_HD no_update begin() const { return {}; }
    COPPICE_HD dot_pair<T> pair(int p) const { return p == 0 ? dot_pair<T>{shadow, z} : dot_pair<T>{r, r}; }
    COPPICE_HD auto* state() const { return s; }
    COPPICE_HD void finish(bicg_state<dot_value<T>>& now, dot_value<T> const* sums) const {
        now.decide(sums[0], real_part(sums[1]));
    }
};

/// (r~, z), (r, r) and the weight of the smoothing.
template <class T>
struct qmr_weight {
    static constexpr int dots = 2;
    bicg_state<dot_value<T>>* s;
    array_view<T> r, shadow, z;

    COPPICE_HD no_update begin() const { return {}; }
    COPPICE_HD dot_pair<T> pair(int p) const { return p == 0 ? dot_pair<T>{shadow, z} : dot_pair<T>{r, r}; }
    COPPICE_HD auto* state() const { return s; }
    COPPICE_HD void finish(bicg_state<dot_value<T>>& now, dot_value<T> const* sums) const {
        now.rho_next = sums[0];
        now.weight = now.smoothing.weight(real_part(sums[1]));
    }
};
/// s = s + lambda (r - s) for the smoothed residual s, (s, s); then decide().
template <class T>
struct qmr_decision {
    static constexpr int dots = 1;
    bicg_state<dot_value<T>>* s;
    array_view<T> r, smooth;

    struct update {
        T weight;
        T const* r;
        T* smooth;
        COPPICE_HD void operator()(std::int64_t i) const { smooth[i] = smooth[i] + weight * (r[i] - smooth[i]); }
    };
    COPPICE_HD update begin() const { return {T(s->weight), r.data(), smooth.data()}; }
    COPPICE_HD dot_pair<T> pair(int) const { return {smooth, smooth}; }
    COPPICE_HD auto* state() const { return s; }
    COPPICE_HD void finish(bicg_state<dot_value<T>>& now, dot_value<T> const* sums) const {
        now.decide(now.rho_next, real_part(sums[0]));
    }
};

/// x = x + alpha p, p = z + beta p, p~ = z~ + conj(beta) p~; with smoothing y = y + alpha p, x = x + lambda (y - x)
template <class T>
struct bicg_step {
    static constexpr int dots = 0;
    bicg_state<dot_value<T>> const* s;
    array_view<T> z, z_shadow, p, p_shadow, x, y; ///< y is empty without smoothing
    T* best;

    struct update {
        struct operands {
            T z, z_shadow, p, p_shadow, x, y;
        };
        bool moves, keeps;
        T alpha, beta, conjugate, weight;
        T const *z, *z_shadow;
        T *p, *p_shadow, *x, *y, *best;
        COPPICE_HD bool idle() const { return !moves; }
        COPPICE_HD operands load(std::int64_t i) const {
            T const here = x[i];
            return {z[i], z_shadow[i], p[i], p_shadow[i], here, y ? y[i] : here};
        }
        COPPICE_HD void store(std::int64_t i, operands const& v) const {
            if (keeps) best[i] = v.x;
            T const next = v.y + alpha * v.p;
            if (y) y[i] = next;
            x[i] = y ? v.x + weight * (next - v.x) : next;
            p[i] = v.z + beta * v.p;
            p_shadow[i] = v.z_shadow + conjugate * v.p_shadow;
        }
    };
    COPPICE_HD update begin() const {
        T const beta = T(s->beta);
        return {s->control.moves != 0,
                s->control.keeps != 0,
                T(s->alpha),
                beta,
                conjugate_of(beta),
                T(s->weight),
                z.data(),
                z_shadow.data(),
                p.data(),
                p_shadow.data(),
                x.data(),
                y.data(),
                best};
    }
};

/// Declares that the steps of an iteration are not captured: transposed products may wait and allocate.
struct not_replayable {
    bool replayable() const { return false; } // not covered: devices only
};

} // namespace detail

template <executor Executor, class T, bool Smoothed>
template <class B>
void bicg<Executor, T, Smoothed>::apply_adjoint(B const& b, array_view<element> x, array_view<element> y) {
    if constexpr (!is_complex_number<T>) {
        b.apply_transpose(exec_, detail::as_numbers<T const>(x), detail::as_numbers<T>(y));
    } else {
        auto const conjugated = detail::as_elements(conjugated_.view());
        for_each(exec_, x.size(), detail::conjugate_element<element>{x.data(), conjugated.data()});
        b.apply_transpose(exec_, detail::as_numbers<T const>(conjugated), detail::as_numbers<T>(y));
        for_each(exec_, y.size(), detail::conjugate_element<element>{y.data(), y.data()});
    }
}

template <executor Executor, class T, bool Smoothed>
template <class A, class M>
requires transposable_operator<A, Executor, T> && transposable_operator<M, Executor, T>
    krylov_result bicg<Executor, T, Smoothed>::solve(A const& a, M const& m, array_view<T const> right_hand_side,
                                                     array_view<T> solution) {
    using E = element;
    krylov_monitor monitor(options_);
    auto const use = user_.enter("this bicg solver");
    detail::scaled_solve<Executor, T> scaled(exec_, dots_, right_hand_side, solution, monitor);
    if (!scaled.start(best_.temporary())) return monitor.take();
    auto const b = detail::as_elements(right_hand_side);
    auto const x = detail::as_elements(solution);
    detail::krylov_iteration<Executor, T, detail::bicg_state<dot_value<T>>> iteration(exec_, monitor, passes_, a,
                                                                                      detail::not_replayable{});
    auto* const s = iteration.state();
    auto const r = vector(0), shadow = vector(1), z = vector(2), z_shadow = vector(3), p = vector(4),
               p_shadow = vector(5), q = vector(6), q_shadow = vector(7);
    auto const y = Smoothed ? vector(8) : array_view<E>{}, smooth = Smoothed ? vector(9) : array_view<E>{};

    auto const precondition = [&] { // z = M^-1 r, z~ = M^-H r~
        m.apply(exec_, detail::as_numbers<T const>(r), detail::as_numbers<T>(z));
        apply_adjoint(m, shadow, z_shadow);
        iteration.pass(detail::bicg_norms<E>{s, shadow, z});
    };
    auto const begin = [&] {
        exec_.copy_elements(r.data(), shadow.data(), r.size());
        if (Smoothed) {
            exec_.copy_elements(x.data(), y.data(), x.size());
            exec_.copy_elements(r.data(), smooth.data(), r.size());
        }
        precondition();
        iteration.pass(detail::bicg_begin<E>{s, shadow, z, z_shadow, p, p_shadow});
    };
    auto const iterate = [&] {
        iteration.template multiply<1>(a, p, q, p_shadow, &s->pq); // q = A p
        apply_adjoint(a, p_shadow, q_shadow);                      // q~ = A^H p~
        iteration.pass(detail::bicg_residuals<E>{s, q, q_shadow, r, shadow});
        precondition();
        if constexpr (Smoothed) {
            iteration.pass(detail::qmr_weight<E>{s, r, shadow, z});
            iteration.pass(detail::qmr_decision<E>{s, r, smooth});
        } else {
            iteration.pass(detail::bicg_decision<E>{s, r, shadow, z});
        }
        iteration.pass(detail::bicg_step<E>{s, z, z_shadow, p, p_shadow, x, y, best_.data()});
    };
    best_.begin();
    for (double rr; monitor.open(rr = best_.open(exec_, dots_, a, b, x, r, monitor));)
        iteration.round({.rr = rr, .noise = detail::dot_noise<T>, .smoothing = {rr}}, best_, begin, iterate);
    return scaled.finish(a, best_.temporary(), r);
}

} // namespace coppice::inline v0_1
