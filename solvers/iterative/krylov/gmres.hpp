// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The restarted generalised minimal residual method.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <coppice/solvers/iterative/krylov/krylov_iteration.hpp>
#include <coppice/solvers/iterative/vectors/basis_passes.hpp>

namespace coppice::inline v0_1 {

namespace detail {

/// Least squares problem min |beta e1 - H y| over the columns of the Hessenberg matrix H so far, by Givens rotations
/// [c, s; -s, conj(c)] with real s. Borrows its memory. V: double or complex double.
template <class V>
struct hessenberg_factor {
    int m;
    V* memory;

    static constexpr std::int64_t size(std::int64_t m) { return (m + 1) * m + 2 * m + 3 * (m + 1); }
    /// Column j of R, j + 1 entries.
    COPPICE_HD V* column(int j) const { return memory + std::int64_t(j) * (m + 1); }
    COPPICE_HD V* cosine() const { return memory + std::int64_t(m) * (m + 1); }
    COPPICE_HD V* sine() const { return cosine() + m; }
    COPPICE_HD V* right() const { return sine() + m; }
    /// The next column of H without its last entry, followed by the corrections of a second Gram-Schmidt pass.
    COPPICE_HD V* projected() const { return right() + m + 1; }
    COPPICE_HD V* projected_again() const { return projected() + m + 1; }

    /// Rotates column j, whose last entry is `last`; returns the norm of the residual after this column. A diagonal
    /// entry of at most `noise` in a column without last entry is a rounding error: H is singular.
    COPPICE_HD double add_column(int j, bool again, double last, double noise) const {
        V const* COPPICE_RESTRICT const h = projected();
        V const* COPPICE_RESTRICT const more = projected_again();
        V const* COPPICE_RESTRICT const c = cosine();
        V const* COPPICE_RESTRICT const s = sine();
        V* COPPICE_RESTRICT const rotated = column(j);
        V upper = again ? h[0] + more[0] : h[0];
        COPPICE_UNROLL_FOUR
        for (int i = 0; i < j; ++i) {
            V const lower = again ? h[i + 1] + more[i + 1] : h[i + 1];
            rotated[i] = c[i] * upper + real_part(s[i]) * lower;
            upper = conjugate_of(c[i]) * lower - real_part(s[i]) * upper;
        }
        double const entry = std::hypot(length_of(upper), last);
        double const length = last == 0 && entry <= noise ? 0 : entry;
        // A column of zeros cannot reduce the residual: a rotation by 90 degrees passes the residual to the next row.
        V const turn_c = length > 0 ? conjugate_of(upper) / length : V(0);
        double const turn_s = length > 0 ? last / length : 1.0;
        rotated[j] = V(length);
        cosine()[j] = turn_c;
        sine()[j] = V(turn_s);
        V const g = right()[j];
        right()[j] = turn_c * g;
        right()[j + 1] = -turn_s * g;
        return turn_s * length_of(g);
    }
    /// Computes the minimiser over the first `count` columns in the memory of the right-hand side. An unknown with a
    /// zero diagonal entry (diagonal entries are real) becomes zero.
    V const* solve(int count) const {
        V* const y = right();
        for (int i = count - 1; i >= 0; --i) {
            double const diagonal = real_part(column(i)[i]);
            y[i] = diagonal != 0 ? y[i] / diagonal : V(0);
            for (int k = 0; k < i; ++k) y[k] -= column(i)[k] * y[i];
        }
        return y;
    }
};

} // namespace detail

/// Solves A x = b for general A (Saad and Schultz 1986). The preconditioner is applied from the right, so the method
/// minimises
/// b - A x|.
///
/// The constructor allocates restart + 6 vectors; solve() allocates only the history and a few scalars. One iteration
/// takes one product with A and one application of the preconditioner; the host decides once per cycle. New basis
/// vectors are made orthogonal by classical Gram-Schmidt, with a second pass after cancellation ("twice is enough",
/// Daniel, Gragg, Kaufman and Stewart 1976). This is as accurate as the modified form and needs a few passes over the
/// basis instead of one per basis vector. A cycle that does not reduce the residual ends the solve with reason
/// `stagnated`.
///
/// Flexible (FGMRES, Saad 1993): the preconditioner may change between iterations; it may be an inner iteration, for
/// instance. The preconditioned vectors are stored, which takes `restart` vectors more.
template <executor Executor, class T, bool Flexible = false>
class gmres {
public:
    gmres(Executor const& exec, std::int64_t n, krylov_options options = {})
        : exec_(exec), options_(std::move(options)), dots_(exec, n), passes_(exec, n),
          basis_(exec, basis_size(n, options_)), projections_(exec, n, options_.restart + 1, detail::dot_components<T>),
          work_(exec, 3 * n), saved_(exec, Flexible ? n * options_.restart : 0), best_(exec, n),
          least_squares_(exec, detail::hessenberg_factor<value>::size(options_.restart)) {
        // The host copies the whole array, also elements that no iteration has written.
        fill(exec, least_squares_.view(), value(0));
    }

    /// x[n] holds the initial guess on entry and the best iterate on return; b[n] must not overlap it.
    template <class A, class M>
    requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T>
        krylov_result solve(A const& a, M const& m, array_view<T const> b, array_view<T> x);

private:
    using value = dot_value<T>;

    static std::int64_t basis_size(std::int64_t n, krylov_options const& options) {
        krylov_monitor const checks_options(options);
        return n * (options.restart + 1);
    }
    array_view<element_t<T>> vector(int k) {
        return detail::as_elements(work_.view()).slice(k * dots_.size, dots_.size);
    }
    void combine(element_t<T> const* columns, int count, array_view<element_t<T>> sum);

    Executor exec_;
    krylov_options options_;
    dot_scratch dots_;
    detail::pass_scratch<Executor> passes_;
    buffer<T> basis_;
    detail::basis_scratch<Executor> projections_;
    buffer<T> work_;
    buffer<T> saved_;
    detail::best_solution<Executor, T> best_;
    detail::one_user user_{};
    buffer<value> least_squares_;
};

namespace detail {

template <class V>
struct gmres_state {
    krylov_control control{};
    int done = 0;            ///< number of complete columns
    int again = 0;           ///< 1: the vector needs a second Gram-Schmidt pass
    double beta = 0;         ///< norm of the residual at the beginning
    V before[2] = {};        ///< (v, w), (w, w) of w = A M^-1 v
    double left = 0;         ///< |w|^2 after the subtraction
    double after = 0;        ///< |w| after the subtraction, or 0 if it consists of rounding errors only
    double min_fraction = 0; ///< |w| below this fraction of its initial norm is rounding error

    COPPICE_HD double length_before() const { return real_part(before[1]); } ///< its square

    COPPICE_HD void check(double ww) {
        left = ww;
        again = left < 0.5 * length_before(); // after cancellation, w may not be orthogonal to the basis
    }
    /// Completes a column of the Hessenberg matrix and decides whether the cycle ends. `ww`: |w|^2 after the last
    /// Gram-Schmidt pass.
    COPPICE_HD void decide(hessenberg_factor<V> const& factor, double ww) {
        if (again) left = ww;
        if (!control.finite(left, length_before())) return;
        after = std::sqrt(left);
        double const noise = min_fraction * std::sqrt(length_before());
        if (after <= noise) after = 0;
        if (done == 0) factor.right()[0] = V(beta);
        double const residual = factor.add_column(done, again != 0, after, noise);
        ++done;
        control.count(residual * residual);
        // The Krylov space is complete and does not contain the solution: A M^-1 is singular.
        if (after == 0) control.end_with(round_end::breakdown);
        if (done == factor.m) control.end_with(round_end::cycle);
    }
};

/// v = first column = r / |r|
template <class T>
struct gmres_begin {
    static constexpr int dots = 0;
    gmres_state<dot_value<T>> const* s;
    array_view<T> r, v;
    T* column;

    struct update {
        T scale;
        T const* w;
        T* v;
        T* column;
        COPPICE_HD void operator()(std::int64_t i) const { v[i] = column[i] = scale * w[i]; }
    };
    COPPICE_HD update begin() const { return {T(1 / s->beta), r.data(), v.data(), column}; }
};

/// w = w - V h, (w, w). The first pass decides whether a second one is needed; the last pass completes the column.
template <class T>
struct gmres_subtract {
    static constexpr int dots = 1;
    gmres_state<dot_value<T>>* s;
    hessenberg_factor<dot_value<T>> factor;
    basis_columns<T> v;
    array_view<T> w;

    COPPICE_HD bool second() const { return v.enabled != nullptr; }
    COPPICE_HD subtract_columns<T> begin() const {
        return {v, v.columns(), second() ? factor.projected_again() : factor.projected(), w.data()};
    }
    COPPICE_HD dot_pair<T> pair(int) const { return {w, w}; }
    COPPICE_HD auto* state() const { return s; }
    COPPICE_HD void finish(gmres_state<dot_value<T>>& now, dot_value<T> const* sums) const {
        if (second())
            now.decide(factor, real_part(sums[0]));
        else
            now.check(real_part(sums[0]));
    }
};

/// v = next column = w / |w|
template <class T>
struct gmres_next {
    static constexpr int dots = 0;
    gmres_state<dot_value<T>> const* s;
    array_view<T> w, v;
    T* basis;

    COPPICE_HD typename gmres_begin<T>::update begin() const {
        return {T(s->after > 0 ? 1 / s->after : 0.0), w.data(), v.data(), basis + s->done * w.size()};
    }
};

/// Stores a column of Z = M^-1 V.
template <class T>
struct gmres_keep {
    static constexpr int dots = 0;
    gmres_state<dot_value<T>> const* s;
    array_view<T> z;
    T* saved;

    COPPICE_HD copy_vector<T> begin() const { return {z.data(), saved + s->done * z.size()}; }
};

} // namespace detail

/// GMRES for a preconditioner that changes between iterations.
template <executor Executor, class T>
using fgmres = gmres<Executor, T, true>;

/// sum = the first `count` columns times y, the solution of the least squares problem, which the host computes.
template <executor Executor, class T, bool Flexible>
void gmres<Executor, T, Flexible>::combine(element_t<T> const* columns, int count, array_view<element_t<T>> sum) {
    using E = element_t<T>;
    auto memory = to_vector(exec_, least_squares_);
    value const* const y = detail::hessenberg_factor<value>{options_.restart, memory.data()}.solve(count);
    std::int64_t const n = dots_.size;
    fill(exec_, sum, E(0));
    for (int j = 0; j < count; j += add_columns<E>::max_terms) {
        add_columns<E> update{columns + j * n, n, std::min(count - j, add_columns<E>::max_terms), {}, sum.data()};
        for (int k = 0; k < update.count; ++k) update.coefficient[k] = E(y[j + k]);
        for_each(exec_, n, update);
    }
}

template <executor Executor, class T, bool Flexible>
template <class A, class M>
requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T>
    krylov_result gmres<Executor, T, Flexible>::solve(A const& a, M const& m, array_view<T const> right_hand_side,
                                                      array_view<T> solution) {
    using E = element_t<T>;
    krylov_monitor monitor(options_);
    auto const use = user_.enter("this gmres solver");
    detail::scaled_solve<Executor, T> scaled(exec_, dots_, right_hand_side, solution, monitor);
    if (!scaled.start(best_.temporary())) return monitor.take();
    auto const b = detail::as_elements(right_hand_side);
    auto const x = detail::as_elements(solution);
    [[maybe_unused]] auto const solve_scope = detail::begin_solve_of(m);
    detail::krylov_iteration<Executor, T, detail::gmres_state<value>> iteration(exec_, monitor, passes_, a, m);
    auto* const s = iteration.state();
    bool const plain = detail::is_identity(m), keeps = Flexible && !plain;
    auto const v = vector(0), w = vector(1), z = plain ? v : vector(2), r = w;
    detail::hessenberg_factor<value> const factor{options_.restart, least_squares_.data()};
    E *const basis = detail::as_elements(basis_.view()).data(), *const saved =
                                                                    detail::as_elements(saved_.view()).data();
    detail::basis_columns<E> const columns{basis, dots_.size, &s->done, nullptr};
    detail::basis_columns<E> const once_more{basis, dots_.size, &s->done, &s->again};

    auto const begin = [&] { iteration.pass(detail::gmres_begin<E>{s, r, v, basis}); };
    auto const iterate = [&] {
        if (!plain) m.apply(exec_, detail::as_numbers<T const>(v), detail::as_numbers<T>(z));
        if (keeps) iteration.pass(detail::gmres_keep<E>{s, z, saved});
        iteration.template multiply<2>(a, z, w, v, s->before);               // w = A M^-1 v
        project(exec_, projections_, columns, w.data(), factor.projected()); // h = V^T w, w = w - V h
        iteration.pass(detail::gmres_subtract<E>{s, factor, columns, w});
        project(exec_, projections_, once_more, w.data(), factor.projected_again());
        iteration.pass(detail::gmres_subtract<E>{s, factor, once_more, w});
        iteration.pass(detail::gmres_next<E>{s, w, v, basis}); // v = w / |w|
    };
    constexpr double min_fraction = detail::dot_noise<T>;
    best_.begin();
    for (double rr; monitor.open(rr = best_.open(exec_, dots_, a, b, x, r, monitor));) {
        auto const end = iteration.round({.beta = std::sqrt(rr), .min_fraction = min_fraction}, best_, begin, iterate);
        if (end.done == 0) continue;
        // x = x + M^-1 V y, or x = x + Z y with the stored preconditioned vectors
        combine(keeps ? saved : basis, end.done, w);
        bool const apply = !plain && !keeps;
        if (apply) m.apply(exec_, detail::as_numbers<T const>(w), detail::as_numbers<T>(z));
        for_each(exec_, dots_.size, axpy<E>{E(1), apply ? z.data() : w.data(), x.data()});
    }
    return scaled.finish(a, best_.temporary(), r);
}

} // namespace coppice::inline v0_1
