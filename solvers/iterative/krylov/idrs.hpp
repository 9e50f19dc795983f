// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Induced dimension reduction.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <coppice/algebra/random.hpp>
#include <coppice/solvers/iterative/krylov/krylov_iteration.hpp>
#include <coppice/solvers/iterative/vectors/basis_passes.hpp>

namespace coppice::inline v0_1 {

/// Solves A x = b for general A by IDR(s) with bi-orthogonal directions (van Gijzen and Sonneveld, ACM TOMS 38, 2011,
/// Algorithm 2), s = options.shadow_space. The preconditioner is applied from the right, so the residual of the
/// recurrence is b - A x.
///
/// The constructor allocates 3 s + 5 vectors and two for the best x; solve() allocates only the history and a few
/// scalars. One iteration takes one product with A, one application of the preconditioner and reads or writes about 2 s
/// + 8 vectors, without a decision on the host. In exact arithmetic at most n + n / s iterations are needed. IDR(1) is
/// related to BiCGStab; s = 4, the usual choice, often needs nearly as few products as GMRES without restart, with
/// constant memory. If A r is nearly orthogonal to the residual r, the step length omega is increased (Sleijpen and van
/// der Vorst 1995, kappa = 0.7). If a divisor vanishes, the method restarts from the true residual; if this happens
/// before the first step of a round, the solve ends with reason `breakdown`.
template <executor Executor, class T>
class idrs {
public:
    idrs(Executor const& exec, std::int64_t n, krylov_options options = {});

    /// x[n] holds the initial guess on entry and the best iterate on return; b[n] must not overlap it.
    template <class A, class M>
    requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T>
        krylov_result solve(A const& a, M const& m, array_view<T const> b, array_view<T> x);

private:
    static int checked_space(krylov_options const& options) {
        krylov_monitor const checks_options(options);
        return options.shadow_space;
    }
    array_view<element_t<T>> vector(int k) {
        return detail::as_elements(vectors_.view()).slice(k * dots_.size, dots_.size);
    }
    void make_shadows();

    Executor exec_;
    krylov_options options_;
    dot_scratch dots_;
    int s_;
    detail::pass_scratch<Executor> passes_;
    detail::basis_scratch<Executor> projections_;
    buffer<T> shadows_;    ///< P[n, s], orthonormal
    buffer<T> directions_; ///< G[n, s], then U[n, s], G = A U
    buffer<T> vectors_;
    detail::best_solution<Executor, T> best_;
    detail::one_user user_{};
};

namespace detail {

inline constexpr int idrs_max = krylov_options::max_shadow_space;

/// Scalars of IDR(s). V: double or complex double; (x, y) = x^H y. An iteration is step k of a cycle: steps k < s
/// compute direction k, step k = s reduces the dimension.
template <class V>
struct idrs_state {
    static constexpr int max_space = idrs_max;

    krylov_control control{};
    int s = 0;
    int k = 0;
    int last = 0;                ///< s - 1: last column of the shadow space
    int inner = 0;               ///< k < s
    int reduced = 1;             ///< 1: f must be recomputed
    double rr = 0;               ///< (r, r)
    V omega = V(1);              ///< of the last reduction
    V beta{};                    ///< length of the step
    double uu = 0;               ///< (u, u), to detect elements that are not finite but are not read by A
    V rg[2] = {};                ///< (r, g), (g, g) of g = A u
    V f[max_space] = {};         ///< P^H r
    V h[max_space] = {};         ///< P^H g
    V c[max_space] = {};         ///< from column k on: M(k:s, k:s) c = f(k:s)
    V m[max_space][max_space]{}; ///< m[i][j] = (p_i, g_j), lower triangular

    /// Advances to step k + 1, or to the first step of the next cycle.
    COPPICE_HD void next_step() {
        k = reduced ? 0 : k + 1;
        inner = k < s;
        reduced = !inner;
        for (int i = k; i < s; ++i) {
            V sum = f[i];
            for (int j = k; j < i; ++j) sum -= m[i][j] * c[j];
            c[i] = sum / m[i][i];
        }
    }
    /// Computes the coefficients alpha that make g - sum over j < k of alpha_j g_j orthogonal to the shadow vectors
    /// before p_k.
    COPPICE_HD void orthogonalise(V* alpha) const {
        for (int i = 0; i < k; ++i) {
            V sum = h[i];
            for (int j = 0; j < i; ++j) sum -= m[i][j] * alpha[j];
            alpha[i] = sum / m[i][i];
        }
    }
    /// (p_i, g) after g has been made orthogonal.
    COPPICE_HD V product(int i, V const* alpha) const {
        V sum = h[i];
        for (int j = 0; j < k; ++j) sum -= m[i][j] * alpha[j];
        return sum;
    }
    /// omega: the minimiser of |r - omega g|, increased if r and g are nearly orthogonal.
    COPPICE_HD V reduction() const {
        constexpr double kappa = 0.7;
        double const gg = real_part(rg[1]);
        if (!(gg > 0)) return V(0);
        double const cosine = length_of(rg[0]) / std::sqrt(gg * rr);
        V const minimiser = conjugate_of(rg[0]) / gg;
        return cosine > 0 && cosine < kappa ? minimiser * (kappa / cosine) : minimiser;
    }
    COPPICE_HD V step_length(V const* alpha) const { return inner ? f[k] / product(k, alpha) : reduction(); }

    /// Called after r = r - beta g: checks the scalars and ends the round, or accepts the step.
    COPPICE_HD void decide(double rr_next) {
        V alpha[max_space] = {};
        if (!control.finite(length_of(rg[0]), real_part(rg[1])) || !control.finite(uu)) return;
        if (inner) {
            orthogonalise(alpha);
            V const pivot = product(k, alpha);
            if (is_zero(pivot)) return control.refuse(round_end::breakdown);
            beta = f[k] / pivot;
            for (int i = k; i < s; ++i) m[i][k] = product(i, alpha);
            for (int i = 0; i < s; ++i) f[i] = i <= k ? V(0) : f[i] - beta * m[i][k];
        } else {
            omega = beta = reduction();
        }
        if (!control.finite(length_of(beta), rr_next)) return;
        control.step(rr, rr_next);
        if (!inner && is_zero(omega)) control.end_with(round_end::breakdown);
        rr = rr_next;
    }
};

/// Computes the scalars of the next step; reads and writes no vector.
template <class V>
struct idrs_prepare {
    static constexpr int dots = 1;
    idrs_state<V>* state;

    struct nothing {
        COPPICE_HD bool idle() const { return true; }
        COPPICE_HD void operator()(std::int64_t) const {}
    };
    COPPICE_HD nothing begin() const { return {}; }
    COPPICE_HD dot_pair<double> pair(int) const { return {}; }
    COPPICE_HD void finish(double const*) const { state->next_step(); }
};

/// z = factor y + sum over j of c_j column_j of a basis
template <class T>
struct add_to_columns {
    T factor;
    T const* y;
    T const* first;
    std::int64_t n;
    int count;
    T c[idrs_max];
    T* z;

    COPPICE_HD void operator()(std::int64_t i) const {
        T sum = factor * y[i];
        for (int j = 0; j < count; ++j) sum += c[j] * first[j * n + i];
        z[i] = sum;
    }
    /// Updates the elements [begin, end) on one CPU core: column by column, with the range in its cache.
    void range(std::int64_t begin, std::int64_t end) const {
        for (std::int64_t i = begin; i < end; ++i) z[i] = factor * y[i];
        for (int j = 0; j < count; ++j) {
            T const a = c[j];
            T const* const column = first + j * n;
            for (std::int64_t i = begin; i < end; ++i) z[i] += a * column[i];
        }
    }
};

/// v = r - sum over j >= k of c_j g_j and u = omega M^-1 v + sum over j >= k of c_j u_j. In a reduction step v = r and
/// u = M^-1 v.
template <class T>
struct idrs_combine {
    static constexpr int dots = 1;
    idrs_state<dot_value<T>>* state;
    array_view<T> from, to;
    T const* columns;
    bool direction; ///< true: computes u; false: computes v

    COPPICE_HD add_to_columns<T> begin() const {
        int const k = state->k;
        std::int64_t const n = from.size();
        auto const factor = direction && state->inner ? state->omega : dot_value<T>(1);
        add_to_columns<T> all{T(factor), from.data(), columns + (state->inner ? k * n : 0), n, 0, {}, to.data()};
        if (state->inner) all.count = state->s - k;
        for (int j = 0; j < all.count; ++j) all.c[j] = T(direction ? state->c[k + j] : -state->c[k + j]);
        return all;
    }
    COPPICE_HD dot_pair<T> pair(int) const { return {to, to}; }
    COPPICE_HD void finish(dot_value<T> const* sums) const {
        if (direction) state->uu = real_part(sums[0]);
    }
};

/// Column k of G and U, made orthogonal to the shadow vectors before p_k; r = r - beta g; (r, r); then decide().
template <class T>
struct idrs_residual {
    static constexpr int dots = 1;
    idrs_state<dot_value<T>>* state;
    array_view<T> g, u, r;
    T *all_g, *all_u;

    struct update {
        std::int64_t n;
        int k;
        bool inner;
        T alpha[idrs_max];
        T beta;
        T *g, *u, *r, *all_g, *all_u;
        COPPICE_HD void operator()(std::int64_t i) const {
            T new_g = g[i], new_u = u[i];
            if (inner) {
                for (int j = 0; j < k; ++j) {
                    new_g -= alpha[j] * all_g[j * n + i];
                    new_u -= alpha[j] * all_u[j * n + i];
                }
                all_g[k * n + i] = new_g;
                all_u[k * n + i] = u[i] = new_u;
            }
            r[i] -= beta * new_g;
        }
        /// Updates the elements [begin, end) on one CPU core: column by column, with the range in its cache.
        void range(std::int64_t begin, std::int64_t end) const {
            for (int j = 0; j < (inner ? k : 0); ++j) {
                T const a = alpha[j];
                T const *const column_g = all_g + j * n, *const column_u = all_u + j * n;
                for (std::int64_t i = begin; i < end; ++i) g[i] -= a * column_g[i], u[i] -= a * column_u[i];
            }
            if (inner) {
                std::copy(g + begin, g + end, all_g + k * n + begin);
                std::copy(u + begin, u + end, all_u + k * n + begin);
            }
            for (std::int64_t i = begin; i < end; ++i) r[i] -= beta * g[i];
        }
    };
    COPPICE_HD update begin() const {
        update all{r.size(), state->k, state->inner != 0, {}, T(0), g.data(), u.data(), r.data(), all_g, all_u};
        dot_value<T> alpha[idrs_max] = {};
        if (all.inner) state->orthogonalise(alpha);
        all.beta = T(state->step_length(alpha));
        for (int j = 0; j < all.k && all.inner; ++j) all.alpha[j] = T(alpha[j]);
        return all;
    }
    COPPICE_HD dot_pair<T> pair(int) const { return {r, r}; }
    COPPICE_HD void finish(dot_value<T> const* sums) const { state->decide(real_part(sums[0])); }
};

/// x = x + beta u
template <class T>
struct idrs_step {
    static constexpr int dots = 0;
    idrs_state<dot_value<T>> const* state;
    array_view<T> u, x;
    T* best;

    struct update {
        bool moves, keeps;
        T beta;
        T const* u;
        T* x;
        T* best;
        COPPICE_HD bool idle() const { return !moves; }
        COPPICE_HD void operator()(std::int64_t i) const {
            if (keeps) best[i] = x[i];
            x[i] += beta * u[i];
        }
    };
    COPPICE_HD update begin() const {
        return {state->control.moves != 0, state->control.keeps != 0, T(state->beta), u.data(), x.data(), best};
    }
};

/// Random elements of column j of the shadow space, before orthogonalisation.
template <class T>
struct draw_shadow {
    random_stream random;
    std::int64_t first; ///< position of the first element in the whole vector
    T* column;
    COPPICE_HD void operator()(std::int64_t k) const {
        std::int64_t const i = first + k;
        if constexpr (dot_components<T> == 1)
            column[k] = T(random.uniform(std::uint64_t(i), -1, 1));
        else
            column[k] = T(complex_pair<double>(random.uniform(std::uint64_t(2 * i), -1, 1),
                                               random.uniform(std::uint64_t(2 * i + 1), -1, 1)));
    }
};

} // namespace detail

template <executor Executor, class T>
idrs<Executor, T>::idrs(Executor const& exec, std::int64_t n, krylov_options options)
    : exec_(exec), options_(std::move(options)), dots_(exec, n), s_(checked_space(options_)), passes_(exec, n),
      projections_(exec, n, s_, detail::dot_components<T>), shadows_(exec, s_ * n), directions_(exec, 2 * s_ * n),
      vectors_(exec, 5 * n), best_(exec, n) {
    make_shadows();
}

/// Random columns, orthonormalised one after the other; the same on every run. If the space has fewer than s
/// dimensions, the remaining columns stay random; the method ends before it uses them.
template <executor Executor, class T>
void idrs<Executor, T>::make_shadows() {
    using E = element_t<T>;
    std::int64_t const n = dots_.size;
    auto const all = detail::as_elements(shadows_.view());
    auto const [first, size] = detail::position_in_whole(exec_, n);
    for (int j = 0; j < s_ && size > 0; ++j) {
        auto const column = all.slice(j * n, n);
        for_each(exec_, n, detail::draw_shadow<E>{random_stream(4, std::uint64_t(j)), first, column.data()});
        for (int i = 0; i < j && j < size; ++i) {
            auto const before = all.slice(i * n, n);
            auto const [projection] =
                coppice::dots(exec_, dots_, dot_pair(array_view<E const>(before), array_view<E const>(column)));
            for_each(exec_, n, axpy<E>{E(-projection), before.data(), column.data()});
        }
        double const square = detail::real_part(
            coppice::dots(exec_, dots_, dot_pair(array_view<E const>(column), array_view<E const>(column)))[0]);
        if (square > 0) for_each(exec_, n, scaled_copy<E>{E(1 / std::sqrt(square)), column.data(), column.data()});
    }
}

template <executor Executor, class T>
template <class A, class M>
requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T> krylov_result
idrs<Executor, T>::solve(A const& a, M const& m, array_view<T const> right_hand_side, array_view<T> solution) {
    using E = element_t<T>;
    krylov_monitor monitor(options_);
    auto const use = user_.enter("this idrs solver");
    detail::scaled_solve<Executor, T> scaled(exec_, dots_, right_hand_side, solution, monitor);
    if (!scaled.start(best_.temporary())) return monitor.take();
    auto const b = detail::as_elements(right_hand_side);
    auto const x = detail::as_elements(solution);
    using value = dot_value<T>;
    detail::krylov_iteration<Executor, T, detail::idrs_state<value>> iteration(exec_, monitor, passes_, a, m);
    auto* const state = iteration.state();
    std::int64_t const n = dots_.size;
    bool const plain = detail::is_identity(m);
    auto const r = vector(0), v = vector(1), u = vector(2), g = vector(3), v_hat = plain ? v : vector(4);
    E *const all_g = detail::as_elements(directions_.view()).data(), *const all_u = all_g + s_ * n;
    E const* const shadows = detail::as_elements(shadows_.view()).data();
    detail::basis_columns<E> const for_g{shadows, n, &state->last, &state->inner};
    detail::basis_columns<E> const for_r{shadows, n, &state->last, &state->reduced};

    auto const begin = [&] {
        fill(exec_, detail::as_elements(directions_.view()), E(0));
        project(exec_, projections_, for_r, r.data(), state->f); // f = P^H r
        iteration.pass(detail::idrs_prepare<value>{state});
    };
    auto const iterate = [&] {
        iteration.pass(detail::idrs_combine<E>{state, r, v, all_g, false}); // v = r - G c
        if (!plain) m.apply(exec_, detail::as_numbers<T const>(v), detail::as_numbers<T>(v_hat));
        iteration.pass(detail::idrs_combine<E>{state, v_hat, u, all_u, true});  // u = omega M^-1 v + U c
        iteration.template multiply<2>(a, u, g, r, state->rg);                  // g = A u
        project(exec_, projections_, for_g, g.data(), state->h);                // h = P^H g
        iteration.pass(detail::idrs_residual<E>{state, g, u, r, all_g, all_u}); // r = r - beta g
        iteration.pass(detail::idrs_step<E>{state, u, x, best_.data()});        // x = x + beta u
        project(exec_, projections_, for_r, r.data(), state->f);
        iteration.pass(detail::idrs_prepare<value>{state});
    };
    best_.begin();
    for (double rr; monitor.open(rr = best_.open(exec_, dots_, a, b, x, r, monitor));) {
        detail::idrs_state<value> first{.s = s_, .last = s_ - 1, .rr = rr};
        for (int i = 0; i < s_; ++i) first.m[i][i] = value(1);
        iteration.round(first, best_, begin, iterate);
    }
    return scaled.finish(a, best_.temporary(), r);
}

} // namespace coppice::inline v0_1
