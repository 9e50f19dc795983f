// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bodies of solve_least_squares(), for the sources of the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/names.hpp>
#include <coppice/core/number_text.hpp>
#include <coppice/semiring/matrix_operations/elementwise.hpp>
#include <coppice/semiring/matrix_operations/mxm.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/iterative/vectors/largest_part.hpp>
#include <coppice/solvers/iterative/vectors/power_scaling.hpp>
#include <coppice/solvers/iterative/vectors/vector_operations.hpp>
#include <coppice/solvers/least_squares/least_squares.hpp>

namespace coppice::inline v0_1 {
namespace least_squares_detail {

template <class T>
struct scaled_by {
    T factor;
    T* x;
    COPPICE_HD void operator()(std::int64_t i) const { x[i] *= factor; }
};
/// squares[i] = |row i|^2 + extra
template <class T>
struct row_square {
    csr_view<T> a;
    T extra;
    T* squares;
    COPPICE_HD void operator()(std::int64_t i) const {
        double sum = double(extra);
        for (auto k = a.row_begin(i); k < a.row_end(i); ++k)
            sum += double(a.coefficients[k]) * double(a.coefficients[k]);
        squares[i] = T(sum);
    }
};
template <class T>
struct element_of {
    T const* x;
    COPPICE_HD double operator()(std::int64_t i) const { return double(x[i]); }
};
struct maximum_of {
    COPPICE_HD double operator()(double a, double b) const { return a < b ? b : a; }
};

/// The matrix [A; damping I], its transpose, and the norms of their vectors.
template <executor Executor, class T>
class extended_matrix {
public:
    extended_matrix(Executor const& exec, csr_view<T> a, double damping)
        : exec_(exec), a_(a), transposed_(transpose(exec, a)), plan_(make_srcsr_plan(exec, a)),
          transposed_plan_(make_srcsr_plan(exec, transposed_.view())), damping_(T(damping)), rows_of_a_(a.rows()),
          row_dots_(exec, rows()), column_dots_(exec, columns()), squares_(exec, columns()) {
        for_each(exec, columns(), row_square<T>{transposed_.view(), damping_ * damping_, squares_.data()});
    }
    std::int64_t rows() const { return rows_of_a_ + (damping_ != T(0) ? columns() : 0); }
    std::int64_t columns() const { return a_.columns(); }
    csr_view<T> transposed() const { return transposed_.view(); }
    array_view<T const> column_squares() const { return squares_.view(); }
    T damping() const { return damping_; }

    /// u = A v - alpha u
    void multiply(array_view<T const> v, T alpha, array_view<T> u) const {
        spmv(exec_, plan_, a_, v, u.slice(0, rows_of_a_), T(1), T(-alpha));
        if (damping_ == T(0)) return;
        auto const below = u.slice(rows_of_a_, columns());
        for_each(exec_, columns(), scaled_by<T>{T(-alpha), below.data()});
        for_each(exec_, columns(), axpy<T>{damping_, v.data(), below.data()});
    }
    /// p = A^T u - beta p
    void multiply_transposed(array_view<T const> u, T beta, array_view<T> p) const {
        spmv(exec_, transposed_plan_, transposed_.view(), u.slice(0, rows_of_a_), p, T(1), T(-beta));
        if (damping_ != T(0)) for_each(exec_, columns(), axpy<T>{damping_, u.data() + rows_of_a_, p.data()});
    }
    double row_norm(array_view<T const> u) { return std::sqrt(dots(exec_, row_dots_, dot_pair<T>{u, u})[0]); }
    double column_dot(array_view<T const> v, array_view<T const> w) {
        return dots(exec_, column_dots_, dot_pair<T>{v, w})[0];
    }

private:
    Executor const& exec_;
    csr_view<T> a_;
    csr<T> transposed_;
    srcsr_plan<std::int32_t> plan_, transposed_plan_;
    T damping_;
    std::int64_t rows_of_a_;
    dot_scratch row_dots_, column_dots_;
    buffer<T> squares_;
};

/// z_i = r_i / d_i, or r_i if d_i is not positive
template <class T>
struct divide_by_positive {
    array_view<T const> d, r;
    array_view<T> z;
    COPPICE_HD void operator()(std::int64_t i) const { z[i] = d[i] > T(0) ? r[i] / d[i] : r[i]; }
};
template <class I>
struct store_index {
    I* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = I(i); }
};
/// A^T A + damping^2 I
template <executor Executor, class T>
csr<T> normal_matrix(Executor const& exec, csr_view<T> transposed, csr_view<T> a, T damping) {
    auto normal = mxm(exec, plus_times<T>{}, transposed, a);
    if (damping == T(0)) return normal;
    std::int32_t const n = a.columns();
    buffer<std::int32_t> offsets(exec, std::int64_t(n) + 1), columns(exec, n);
    buffer<T> squares(exec, n);
    for_each(exec, offsets.size(), store_index<std::int32_t>{offsets.data()});
    for_each(exec, columns.size(), store_index<std::int32_t>{columns.data()});
    fill(exec, squares.view(), damping * damping);
    csr<T> const shift{n, n, std::move(offsets), std::move(columns), std::move(squares)};
    auto sum = ewise_add(exec, op::plus<T>{}, normal.view(), shift.view());
    exec.synchronize(); // before the terms are freed
    return sum;
}

/// z = M^-1 r with M an approximation of A^T A + damping^2 I.
template <executor Executor, class T>
class normal_preconditioner {
public:
    normal_preconditioner(Executor const& exec, extended_matrix<Executor, T> const& a, csr_view<T> plain,
                          least_squares_options const& o) {
        if (o.preconditioner == "none" || o.preconditioner == "jacobi") // throws, since these have no options
            chosen_options("preconditioner \"" + o.preconditioner + "\"", {}, o.preconditioner_options);
        if (o.preconditioner == "none") return;
        if (o.preconditioner == "jacobi") {
            diagonal_ = a.column_squares();
            return;
        }
        auto const& row = preconditioner_row_of(parse_choice(o.preconditioner).name);
        if (!row.keeps_symmetry || row.varies)
            throw argument_error("preconditioner \"" + std::string(row.name) +
                                 "\" is not symmetric, as solve_least_squares requires");
        auto const normal = normal_matrix(exec, a.transposed(), plain, a.damping());
        made_.emplace(make_preconditioner(exec, o.preconditioner, normal.view(), o.preconditioner_options));
        exec.synchronize(); // before the product is freed
    }
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        if (made_) return made_->apply(exec, r, z);
        if (diagonal_.size() == 0) return exec.copy_elements(r.data(), z.data(), r.size());
        for_each(exec, r.size(), divide_by_positive<T>{diagonal_, r, z});
    }

private:
    std::optional<any_preconditioner<Executor, T>> made_;
    array_view<T const> diagonal_{};
};

/// Golub-Kahan bidiagonalisation of A M^-1/2 without M^1/2 (Arridge, Betcke and Harhanen, Inverse Problems 30, 2014):
/// u_1 = b / beta_1, beta u = A v - alpha u, alpha p = A^T u - beta p, v = M^-1 p with (v, p) = 1.
template <executor Executor, class T>
class bidiagonalisation {
public:
    double alpha = 0, beta = 0;
    buffer<T> u, v, p;

    bidiagonalisation(Executor const& exec, extended_matrix<Executor, T>& a,
                      normal_preconditioner<Executor, T> const& m)
        : u(exec, a.rows()), v(exec, a.columns()), p(exec, a.columns()), exec_(exec), a_(a), m_(m) {}

    /// Begins with u = the right-hand side.
    void begin() {
        beta = a_.row_norm(u.view());
        scale(u, beta);
        fill(exec_, p.view(), T(0));
        next_column();
    }
    void step() {
        a_.multiply(v.view(), T(alpha), u.view());
        beta = a_.row_norm(u.view());
        scale(u, beta);
        next_column();
    }

private:
    void scale(buffer<T>& x, double norm) {
        if (norm > 0) for_each(exec_, x.size(), scaled_by<T>{T(1 / norm), x.data()});
    }
    void next_column() {
        a_.multiply_transposed(u.view(), T(beta), p.view());
        m_.apply(exec_, p.view(), v.view());
        double const square = a_.column_dot(v.view(), p.view());
        // Negative if M is not positive definite: the round ends.
        alpha = square > 0 ? std::sqrt(square) : square <= 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
        scale(p, alpha);
        scale(v, alpha);
    }

    Executor const& exec_;
    extended_matrix<Executor, T>& a_;
    normal_preconditioner<Executor, T> const& m_;
};

/// A plane rotation with c = a / r, s = b / r.
struct rotation {
    double c, s, r;
    rotation(double a, double b) : c(1), s(0), r(std::hypot(a, b)) {
        if (r > 0) c = a / r, s = b / r;
    }
};

/// LSQR: the QR factorisation of the bidiagonal matrix (Paige and Saunders, ACM TOMS 8, 1982).
template <executor Executor, class T>
class lsqr_steps {
public:
    double residual = 0; ///< |b - A x|
    double normal = 0;   ///< |A^T (b - A x)| in the norm of M^-1

    lsqr_steps(Executor const& exec, bidiagonalisation<Executor, T> const& g)
        : exec_(exec), w_(exec, g.v.size()), rho_bar_(g.alpha) {
        residual = g.beta;
        normal = g.alpha * g.beta;
        exec.copy_elements(g.v.data(), w_.data(), g.v.size());
    }
    void advance(bidiagonalisation<Executor, T> const& g, array_view<T> x) {
        rotation const q(rho_bar_, g.beta);
        double const theta = q.s * g.alpha, phi = q.c * residual;
        rho_bar_ = -q.c * g.alpha;
        residual = q.s * residual;
        normal = residual * g.alpha * std::abs(q.c);
        if (q.r == 0) return;
        for_each(exec_, x.size(), axpy<T>{T(phi / q.r), w_.data(), x.data()});      // x = x + (phi / rho) w
        for_each(exec_, x.size(), xpby<T>{g.v.data(), T(-theta / q.r), w_.data()}); // w = v - (theta / rho) w
    }

private:
    Executor const& exec_;
    buffer<T> w_;
    double rho_bar_;
};

/// LSMR: MINRES for the normal equations (Fong and Saunders, SIAM J. Sci. Comput. 33, 2011, section 2.8).
template <executor Executor, class T>
class lsmr_steps {
public:
    double residual = 0, normal = 0; ///< as above

    lsmr_steps(Executor const& exec, bidiagonalisation<Executor, T> const& g)
        : exec_(exec), h_(exec, g.v.size()), h_bar_(exec, g.v.size()), alpha_bar_(g.alpha), beta_dd_(g.beta) {
        residual = g.beta;
        normal = zeta_bar_ = g.alpha * g.beta;
        exec.copy_elements(g.v.data(), h_.data(), g.v.size());
        fill(exec, h_bar_.view(), T(0));
    }
    void advance(bidiagonalisation<Executor, T> const& g, array_view<T> x) {
        double const rho_before = rho_, rho_bar_before = rho_bar_, zeta_before = zeta_;
        rotation const p(alpha_bar_, g.beta); // P_k
        rho_ = p.r;
        double const theta_new = p.s * g.alpha;
        alpha_bar_ = p.c * g.alpha;
        double const theta_bar = s_bar_ * rho_;
        rotation const q(c_bar_ * rho_, theta_new); // the second rotation
        c_bar_ = q.c, s_bar_ = q.s, rho_bar_ = q.r;
        zeta_ = c_bar_ * zeta_bar_;
        zeta_bar_ = -s_bar_ * zeta_bar_;
        normal = std::abs(zeta_bar_);
        estimate_residual(p, theta_bar, zeta_before);
        if (rho_ == 0 || rho_bar_ == 0) return;
        T const back = T(-theta_bar * rho_ / (rho_before * rho_bar_before));
        for_each(exec_, x.size(), xpby<T>{h_.data(), back, h_bar_.data()});                        // h_bar
        for_each(exec_, x.size(), axpy<T>{T(zeta_ / (rho_ * rho_bar_)), h_bar_.data(), x.data()}); // x
        for_each(exec_, x.size(), xpby<T>{g.v.data(), T(-theta_new / rho_), h_.data()});           // h
    }

private:
    /// |b - A x| (section 2.6 there, without damping).
    void estimate_residual(rotation const& p, double theta_bar, double zeta_before) {
        double const beta_hat = p.c * beta_dd_;
        beta_dd_ = -p.s * beta_dd_;
        rotation const tilde(rho_d_, theta_bar);
        double const theta_tilde_before = theta_tilde_;
        theta_tilde_ = tilde.s * rho_bar_;
        rho_d_ = tilde.c * rho_bar_;
        beta_d_ = -tilde.s * beta_d_ + tilde.c * beta_hat;
        tau_tilde_ = tilde.r > 0 ? (zeta_before - theta_tilde_before * tau_tilde_) / tilde.r : 0;
        double const tau_d = rho_d_ != 0 ? (zeta_ - theta_tilde_ * tau_tilde_) / rho_d_ : 0;
        residual = std::hypot(beta_d_ - tau_d, beta_dd_);
    }

    Executor const& exec_;
    buffer<T> h_, h_bar_;
    double alpha_bar_, beta_dd_;
    double rho_ = 1, rho_bar_ = 1, c_bar_ = 1, s_bar_ = 0, zeta_ = 0, zeta_bar_ = 0;
    double beta_d_ = 0, rho_d_ = 1, tau_tilde_ = 0, theta_tilde_ = 0;
};

/// One solve: rounds of iterations from the true residual, until the criterion holds for it.
template <executor Executor, class T>
class least_squares_solve {
public:
    least_squares_solve(Executor const& exec, csr_view<T> a, array_view<T const> b, array_view<T> x,
                        least_squares_options const& options)
        : exec_(exec), plain_(a), b_(b), x_(x), options_(options), a_(exec, a, options.damping),
          m_(exec, a_, a, options), g_(exec, a_, m_), best_(exec, x.size()), normal_(exec, x.size()) {
        column_norm_ =
            std::sqrt(reduce(exec, a_.columns(), 0.0, element_of<T>{a_.column_squares().data()}, maximum_of{}));
    }

    least_squares_result run() {
        result_.b_norm = norm_of_b();
        if (result_.b_norm == 0) fill(exec_, x_, T(0));
        double best = std::numeric_limits<double>::infinity(), safety = 1;
        for (int idle = 0;;) {
            measure();
            if (!std::isfinite(result_.residual_norm) || !std::isfinite(result_.normal_norm)) {
                if (result_.iterations > 0) restore();
                return end(least_squares_reason::not_finite);
            }
            if (result_.residual_history.empty()) record(result_.residual_norm);
            if (result_.residual_norm <= options_.tolerance * result_.b_norm)
                return end(least_squares_reason::residual);
            if (result_.normal_norm <= goal()) return end(least_squares_reason::normal);
            idle = result_.normal_norm < 0.5 * best ? 0 : idle + 1;
            if (result_.normal_norm < best)
                exec_.copy_elements(x_.data(), best_.data(), x_.size());
            else
                restore();
            best = std::min(best, result_.normal_norm);
            if (ended_ || idle > 2) return end(ended_.value_or(least_squares_reason::stagnated));
            if (result_.iterations > 0) ++result_.restarts;
            if (options_.method == "lsqr")
                round<lsqr_steps<Executor, T>>(safety);
            else
                round<lsmr_steps<Executor, T>>(safety);
            safety *= 0.1; // the norms of the recurrence were too small
        }
    }

private:
    double goal() const { return options_.tolerance * column_norm_ * result_.residual_norm; }
    double norm_of_b() {
        auto const u = g_.u.view();
        fill(exec_, u, T(0));
        exec_.copy_elements(b_.data(), u.data(), b_.size());
        return a_.row_norm(u);
    }
    /// u = [b; 0] - [A; damping I] x, and the norms of it and of its product with the transposed matrix.
    void measure() {
        auto const u = g_.u.view();
        fill(exec_, u, T(0));
        exec_.copy_elements(b_.data(), u.data(), b_.size());
        a_.multiply(x_, T(1), u); // A x - b
        for_each(exec_, u.size(), scaled_by<T>{T(-1), u.data()});
        result_.residual_norm = a_.row_norm(u);
        fill(exec_, normal_.view(), T(0));
        a_.multiply_transposed(u, T(0), normal_.view());
        result_.normal_norm = std::sqrt(a_.column_dot(normal_.view(), normal_.view()));
    }
    void restore() {
        exec_.copy_elements(best_.data(), x_.data(), x_.size());
        measure();
    }
    void record(double residual) {
        result_.residual_history.push_back(result_.b_norm > 0 ? residual / result_.b_norm : 0);
    }
    least_squares_result end(least_squares_reason reason) {
        result_.reason = reason;
        result_.converged = reason == least_squares_reason::residual || reason == least_squares_reason::normal;
        return std::move(result_);
    }

    template <class Steps>
    void round(double safety) {
        double const began_with = result_.normal_norm;
        g_.begin();
        Steps steps(exec_, g_);
        double const recurrence_began_with = steps.normal;
        for (;;) {
            if (result_.iterations >= options_.max_iterations) {
                ended_ = least_squares_reason::max_iterations;
                return;
            }
            g_.step();
            steps.advance(g_, x_);
            ++result_.iterations;
            record(steps.residual);
            if (!std::isfinite(steps.residual) || !std::isfinite(steps.normal)) return; // measure() sees x
            if (options_.progress && !options_.progress(result_.iterations, result_.residual_history.back())) {
                ended_ = least_squares_reason::cancelled;
                return;
            }
            double const normal = steps.normal / recurrence_began_with * began_with;
            if (steps.residual <= safety * options_.tolerance * result_.b_norm ||
                normal <= safety * options_.tolerance * column_norm_ * steps.residual || g_.alpha == 0 || g_.beta == 0)
                return;
        }
    }

    Executor const& exec_;
    csr_view<T> plain_;
    array_view<T const> b_;
    array_view<T> x_;
    least_squares_options const& options_;
    extended_matrix<Executor, T> a_;
    normal_preconditioner<Executor, T> m_;
    bidiagonalisation<Executor, T> g_;
    buffer<T> best_, normal_;
    double column_norm_ = 0;
    std::optional<least_squares_reason> ended_{};
    least_squares_result result_{};
};

inline void check(least_squares_options const& o) {
    if (o.method != "lsmr" && o.method != "lsqr")
        throw argument_error("method is \"" + o.method + "\", expected \"lsmr\" or \"lsqr\"");
    if (!(o.damping >= 0) || !std::isfinite(o.damping))
        throw argument_error("damping is " + coppice::detail::number_text(o.damping) +
                             ", expected a finite number of at least 0");
    if (!(o.tolerance >= 0))
        throw argument_error("tolerance is " + coppice::detail::number_text(o.tolerance) + ", expected >= 0");
    if (o.max_iterations < 0)
        throw argument_error("max_iterations is " + std::to_string(o.max_iterations) + ", expected >= 0");
}

/// Size of elements whose squares stay in the range of T.
template <class T>
inline constexpr double squares_limit = sizeof(T) == 4 ? 1e10 : 1e100;

/// The result without columns or entries: x = 0.
template <executor Executor, class T>
least_squares_result solution_zero(Executor const& exec, array_view<T const> b, array_view<T> x) {
    fill(exec, x, T(0));
    double norm = 0;
    if (b.size() > 0) {
        int const f = detail::even_exponent(detail::largest_part(exec, b), squares_limit<T>);
        detail::scaled_array<Executor, T> const scaled(exec, b, f);
        dot_scratch scratch(exec, b.size());
        norm = std::ldexp(std::sqrt(dots(exec, scratch, dot_pair<T>{scaled.view(), scaled.view()})[0]), f);
    }
    auto const reason = !std::isfinite(norm) ? least_squares_reason::not_finite
                        : norm > 0           ? least_squares_reason::normal
                                             : least_squares_reason::residual;
    return {.converged = std::isfinite(norm),
            .reason = reason,
            .residual_norm = norm,
            .b_norm = norm,
            .residual_history = {norm > 0 ? 1.0 : 0.0}};
}

/// After a solve whose x has left the range when it was scaled back: x is the guess, unless the rounded x is better.
/// `run` computes the norms of x without an iteration, and changes x.
template <executor Executor, class T, class Run>
void return_better(Executor const& exec, array_view<T> x, buffer<T> const& guess, bool overflows, Run const& run,
                   least_squares_result& result) {
    buffer<T> const rounded = copy_of(exec, array_view<T const>(x));
    auto const norms_of = [&](buffer<T> const& vector) {
        exec.copy_elements(vector.data(), x.data(), x.size());
        auto const norms = run();
        return std::pair(norms.normal_norm, norms.residual_norm);
    };
    auto const of_guess = norms_of(guess), of_rounded = overflows ? of_guess : norms_of(rounded);
    bool const keeps = of_rounded.first < of_guess.first;
    exec.copy_elements((keeps ? rounded : guess).data(), x.data(), x.size());
    std::tie(result.normal_norm, result.residual_norm) = keeps ? of_rounded : of_guess;
}

} // namespace least_squares_detail

template <executor Executor, class T>
least_squares_result solve_least_squares(Executor const& exec, csr_view<T> a, array_view<T const> b, array_view<T> x,
                                         least_squares_options const& options) {
    least_squares_detail::check(options);
    require_size("right-hand side b", b, a.rows());
    require_size("solution x", x, a.columns());
    if (a.rows() == 0 || a.columns() == 0 || !a.offsets) return least_squares_detail::solution_zero(exec, b, x);
    detail::require_finite(exec, a);
    // Squares of elements would overflow or underflow: with A = 2^e A', b = 2^f b' and x = 2^(f - e) x', the problem of
    // A' and b' has the residual 2^-f (b - A x).
    constexpr double limit = least_squares_detail::squares_limit<T>;
    double const largest = std::max(detail::largest_part(exec, a.values()), options.damping);
    int const e = detail::even_exponent(largest, limit);
    int f = detail::even_exponent(detail::largest_part(exec, b), limit);
    if (double const guess = detail::largest_part(exec, array_view<T const>(x));
        guess > 0 && std::isfinite(guess) && largest > 0) {
        int const of_product = std::ilogb(guess) + std::ilogb(largest); // A x may be much larger than b
        if (of_product - f > std::ilogb(limit)) f = of_product & ~1;
    }
    detail::scaled_array<Executor, T> const values(exec, a.values(), e), right(exec, b, f);
    csr_view<T> scaled = a;
    scaled.coefficients = values.view().data();
    auto scaled_options = options;
    scaled_options.damping = std::ldexp(options.damping, -e);
    buffer<T> guess;
    if (e != f) guess = copy_of(exec, array_view<T const>(x));
    auto const run = [&] {
        detail::scale_by_power(exec, x.data(), x.size(), e - f);
        return least_squares_detail::least_squares_solve<Executor, T>(exec, scaled, right.view(), x, scaled_options)
            .run();
    };
    auto result = run();
    double const size = detail::largest_part(exec, array_view<T const>(x)), of_x = std::ldexp(size, f - e);
    detail::scale_by_power(exec, x.data(), x.size(), f - e);
    if (e != f && size > 0 && !(of_x >= std::numeric_limits<T>::min() && of_x <= std::numeric_limits<T>::max())) {
        result.converged = false; // x is no number of the type
        result.reason = least_squares_reason::not_finite;
        scaled_options.max_iterations = 0;
        least_squares_detail::return_better(exec, x, guess, of_x > std::numeric_limits<T>::max(), run, result);
    }
    result.residual_norm = std::ldexp(result.residual_norm, f);
    result.normal_norm = std::ldexp(result.normal_norm, e + f);
    result.b_norm = std::ldexp(result.b_norm, f);
    return result;
}

} // namespace coppice::inline v0_1
