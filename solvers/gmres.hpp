// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The restarted generalised minimal residual method.
#pragma once

#include <cmath>
#include <vector>

#include <coppice/solvers/krylov_rounds.hpp>

namespace coppice {

/// Solves A x = b for general A (Saad and Schultz 1986), preconditioned from the right, so that the norm it minimises
/// is that of b - A x.
///
/// The constructor allocates restart + 3 vectors; solve() allocates nothing but the history. An iteration takes one
/// product with A and one preconditioner. New basis vectors are made orthogonal by classical Gram-Schmidt, repeated
/// where cancellation asks for it ("twice is enough", Daniel, Gragg, Kaufman and Stewart 1976): as orthogonal as the
/// modified form, with a few waits instead of one per basis vector. A cycle without progress ends the solve with reason
/// `stagnated`.
template <executor Executor, class T>
class gmres {
public:
    gmres(Executor const& exec, std::int64_t n, krylov_options options = {})
        : exec_(exec), options_(std::move(options)), scratch_(exec, n), basis_(exec, basis_size(n, options_)),
          work_(exec, 2 * n), least_squares_(options_.restart) {}

    /// x[n] holds the starting guess on entry and the last iterate on return; b[n] must not overlap it.
    template <class A, class M>
    requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T>
        krylov_result solve(A const& a, M const& m, array_view<T const> b, array_view<T> x);

private:
    static std::int64_t basis_size(std::int64_t n, krylov_options const& options) {
        krylov_monitor const checks_options(options);
        return n * (options.restart + 1);
    }
    array_view<T> column(int j) { return basis_.view().slice(j * scratch_.size, scratch_.size); }
    double orthogonalise(int j);
    void add_columns_to(array_view<T> w, int count, double const* coefficient, double sign);

    /// min |beta e1 - H y| over the columns of the Hessenberg matrix H so far, by Givens rotations; on the host.
    class hessenberg_least_squares {
    public:
        explicit hessenberg_least_squares(int m)
            : m_(m), r_(std::size_t(m + 1) * std::size_t(m)), cosine_(std::size_t(m)), sine_(std::size_t(m)),
              g_(std::size_t(m) + 1), y_(std::size_t(m)), again_(std::size_t(m) + detail::max_dots) {}

        void begin(double beta) { g_[0] = beta; }
        /// Column j of H, j + 2 entries, to be filled before add_column(j).
        double* column(int j) { return r_.data() + std::size_t(j) * std::size_t(m_ + 1); }
        /// Room for the second Gram-Schmidt pass.
        double* again() { return again_.data(); }
        /// Rotates column j; returns the norm of the residual with it.
        double add_column(int j);
        /// The minimiser over the first `count` columns; a zero on the diagonal leaves its unknown zero.
        double const* solve(int count);

    private:
        int m_;
        std::vector<double> r_, cosine_, sine_, g_, y_, again_;
    };

    Executor exec_;
    krylov_options options_;
    dot_scratch scratch_;
    buffer<T> basis_;
    buffer<T> work_;
    hessenberg_least_squares least_squares_;
};

template <executor Executor, class T>
double gmres<Executor, T>::hessenberg_least_squares::add_column(int j) {
    double* const h = column(j);
    for (int i = 0; i < j; ++i) {
        double const upper = cosine_[i] * h[i] + sine_[i] * h[i + 1];
        h[i + 1] = -sine_[i] * h[i] + cosine_[i] * h[i + 1];
        h[i] = upper;
    }
    double const length = std::hypot(h[j], h[j + 1]);
    // A column of zeros cannot reduce the residual: a quarter turn hands it on.
    cosine_[j] = length > 0 ? h[j] / length : 0.0;
    sine_[j] = length > 0 ? h[j + 1] / length : 1.0;
    h[j] = length;
    g_[j + 1] = -sine_[j] * g_[j];
    g_[j] *= cosine_[j];
    return std::abs(g_[j + 1]);
}

template <executor Executor, class T>
double const* gmres<Executor, T>::hessenberg_least_squares::solve(int count) {
    for (int i = count - 1; i >= 0; --i) {
        double sum = g_[i];
        for (int k = i + 1; k < count; ++k) sum -= column(k)[i] * y_[k];
        y_[i] = column(i)[i] != 0 ? sum / column(i)[i] : 0.0;
    }
    return y_.data();
}

/// w = w + sign * sum of coefficient[j] v_j
template <executor Executor, class T>
void gmres<Executor, T>::add_columns_to(array_view<T> w, int count, double const* coefficient, double sign) {
    std::int64_t const n = scratch_.size;
    for (int j = 0; j < count; j += add_columns<T>::most) {
        add_columns<T> update{column(j).data(), n, std::min(count - j, add_columns<T>::most), {}, w.data()};
        for (int k = 0; k < update.count; ++k) update.coefficient[k] = T(sign * coefficient[j + k]);
        for_each(exec_, n, update);
    }
}

/// Makes column j + 1 orthogonal to the columns before it and of norm one, and fills column j of H. Returns the norm
/// that was left, 0 when nothing was (the Krylov space is complete), or NaN.
template <executor Executor, class T>
double gmres<Executor, T>::orthogonalise(int j) {
    std::int64_t const n = scratch_.size;
    auto const w = column(j + 1);
    double* const h = least_squares_.column(j);
    // h = V^T w, w = w - V h, with the norm of w before it; column j + 1 is w, so that the last sum is (w, w)
    project(exec_, scratch_, basis_.data(), n, j + 2, column(j + 1).data(), h);
    double const before = std::sqrt(h[j + 1]);
    add_columns_to(w, j + 1, h, -1);
    auto [ww] = dots(exec_, scratch_, dot_pair(w, w));
    double after = std::sqrt(ww);
    if (after < 0.7071 * before) { // cancellation: what is left may not be orthogonal
        double* const again = least_squares_.again();
        project(exec_, scratch_, basis_.data(), n, j + 1, w.data(), again);
        add_columns_to(w, j + 1, again, -1);
        for (int i = 0; i <= j; ++i) h[i] += again[i];
        auto const [left] = dots(exec_, scratch_, dot_pair(w, w));
        after = std::sqrt(left);
    }
    if (after <= double(std::numeric_limits<T>::epsilon()) * before) after = 0; // nothing but rounding
    h[j + 1] = after;
    if (after > 0) for_each(exec_, n, scaled_copy<T>{T(1 / after), w.data(), w.data()});
    return after;
}

template <executor Executor, class T>
template <class A, class M>
requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T>
    krylov_result gmres<Executor, T>::solve(A const& a, M const& m, array_view<T const> b, array_view<T> x) {
    krylov_monitor monitor(options_);
    if (!detail::start_solve(exec_, scratch_, b, x, monitor)) return monitor.take();
    std::int64_t const n = scratch_.size;
    auto const r = work_.view().slice(0, n), z = work_.view().slice(n, n);

    for (double rr; monitor.open(rr = detail::true_residual(exec_, scratch_, a, b, x, r));) {
        double const beta = std::sqrt(rr);
        least_squares_.begin(beta);
        for_each(exec_, n, scaled_copy<T>{T(1 / beta), r.data(), column(0).data()}); // v_0 = r / |r|
        int j = 0;
        for (bool go = true; go && j < options_.restart;) {
            // w = A M^-1 v_j
            m.apply(exec_, array_view<T const>(column(j)), z);
            a.apply(exec_, array_view<T const>(z), column(j + 1));
            double const left = orthogonalise(j);
            if (!monitor.finite(left)) break;
            double const residual = least_squares_.add_column(j++);
            go = monitor.step(residual * residual);
            if (go && left == 0) { // a complete Krylov space that does not hold the solution: A M^-1 is singular
                monitor.breakdown();
                go = false;
            } else if (go && j == options_.restart) {
                monitor.cycle_end();
            }
        }
        if (j == 0) continue;
        // x = x + M^-1 V y
        fill(exec_, r, T(0));
        add_columns_to(r, j, least_squares_.solve(j), 1);
        m.apply(exec_, array_view<T const>(r), z);
        for_each(exec_, n, axpy<T>{T(1), z.data(), x.data()});
    }
    return monitor.take();
}

} // namespace coppice
