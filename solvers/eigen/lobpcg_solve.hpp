// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Body of lobpcg(), for the sources of the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/number_text.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solvers/eigen/lobpcg.hpp>
#include <coppice/solvers/eigen/small_dense.hpp>
#include <coppice/solvers/iterative/vectors/first_not_finite.hpp>
#include <coppice/solvers/iterative/vectors/largest_part.hpp>
#include <coppice/solvers/iterative/vectors/power_scaling.hpp>
#include <coppice/solvers/iterative/vectors/vector_operations.hpp>

namespace coppice::inline v0_1 {
namespace eigen_detail {

/// Dot products of four columns with four others.
struct dot_tile {
    static constexpr int width = 4;
    double sums[width * width] = {};
    COPPICE_HD dot_tile operator()(dot_tile const& a, dot_tile const& b) const {
        dot_tile c;
        for (int k = 0; k < width * width; ++k) c.sums[k] = a.sums[k] + b.sums[k];
        return c;
    }
};
template <class T>
struct tile_of_row {
    T const *x, *y; ///< the first columns
    std::int64_t n;
    int columns_of_x, columns_of_y;
    COPPICE_HD dot_tile operator()(std::int64_t i) const {
        dot_tile t;
        for (int c = 0; c < columns_of_x; ++c)
            for (int d = 0; d < columns_of_y; ++d)
                t.sums[c * dot_tile::width + d] = double(x[c * n + i]) * double(y[d * n + i]);
        return t;
    }
};
/// to_j = sum over k of from_k c_kj; with `subtracts`, to_j = to_j - this sum.
template <class T>
struct combine_columns {
    T const* from;
    T const* coefficients; ///< [columns, results], column-major
    std::int64_t n;
    int columns, results;
    T* to;
    bool subtracts = false;
    COPPICE_HD void operator()(std::int64_t i) const {
        for (int j = 0; j < results; ++j) {
            T sum(0);
            for (int k = 0; k < columns; ++k) sum += from[k * n + i] * coefficients[j * columns + k];
            to[j * n + i] = subtracts ? to[j * n + i] - sum : sum;
        }
    }
};
/// r_j = ax_j - lambda_j bx_j
template <class T>
struct block_residual {
    T const *ax, *bx, *lambda;
    std::int64_t n;
    T* r;
    COPPICE_HD void operator()(std::int64_t k) const { r[k] = ax[k] - lambda[k / n] * bx[k]; }
};

/// A matrix times 2^-exponent, which is even and 0 unless products of entries, or squares of eigenvalues of A and B,
/// may leave the range. NaN and infinity are the caller's concern.
template <executor Executor, class T>
struct scaled_matrix {
    int exponent;
    detail::scaled_array<Executor, T> values;
    csr_view<T> view;

    scaled_matrix(Executor const& exec, csr_view<T> a)
        : exponent(a.offsets ? detail::even_exponent(detail::largest_part(exec, a.values()), 1e50) : 0),
          values(exec, a.offsets ? a.values() : array_view<T const>(), exponent), view(a) {
        if (exponent != 0) view.coefficients = values.view().data();
    }
};

/// Columns of vectors with their products with A and B. Without B, `b` is `x`.
template <class T>
struct column_block {
    buffer<T> x, a, b;
};

template <executor Executor, class T>
class lobpcg_solve {
public:
    lobpcg_solve(Executor const& exec, csr_view<T> a, any_preconditioner<Executor, T> const& m, int count,
                 eigen_options const& options, csr_view<T> b, array_view<T const> constraints)
        : exec_(exec), scaled_a_(exec, a), scaled_b_(exec, b), a_(scaled_a_.view), b_(scaled_b_.view), m_(m),
          options_(options), n_(a.rows()), count_(count), plan_a_(make_srcsr_plan(exec, a)),
          plan_b_(make_srcsr_plan(exec, b.offsets ? b : a)), basis_(allocate(3 * count)), next_(allocate(2 * count)),
          coefficients_(exec, 6 * count * count), lambda_(exec, count), best_(exec, n_ * count),
          constraints_(exec, constraints.size()), b_constraints_(exec, constraints.size()) {
        if (constraints.size() > 0) orthonormalise_constraints(constraints);
    }

    eigen_result run(array_view<T> x) {
        exec_.copy_elements(x.data(), basis_.x.data(), x.size());
        scale_into_range(basis_.x.data(), count_);
        int used = count_; // columns of the basis: X, then X and W, then X, W and P
        if (!restart()) return end(eigen_reason::not_finite, x);
        constexpr double infinity = std::numeric_limits<double>::infinity();
        std::vector<double> lowest(std::size_t(count_), infinity);
        double best = infinity;  // smallest residual since the eigenvalues moved; its vectors are in best_
        double fresh = infinity; // smallest residual since the eigenvalues moved or the directions were discarded
        bool restored = false;   // whether a restart has begun with the vectors in best_
        for (std::int64_t idle = 0;;) {
            double worst = measure();
            if (worst <= options_.tolerance) { // by combinations of earlier products: repeat it with products
                if (!restart()) return end(eigen_reason::not_finite, x);
                used = count_;
                worst = measure();
            }
            if (!std::isfinite(worst)) return end(eigen_reason::not_finite, x);
            if (worst <= options_.tolerance) return end(eigen_reason::converged, x);
            if (result_.iterations > 0 && options_.progress && !options_.progress(result_.iterations, worst))
                return end(eigen_reason::cancelled, x);
            if (result_.iterations >= options_.max_iterations) return end(eigen_reason::max_iterations, x);
            // Residuals are relative to the eigenvalues: they grow, up to 1, while an eigenvalue decreases faster than
            // its residual. They are compared only between iterates that have the same eigenvalues.
            bool const moves = lowers(lowest);
            if (moves) best = fresh = infinity;
            idle = moves || worst < 0.9 * best ? 0 : idle + 1;
            if (worst < best) {
                exec_.copy_elements(basis_.x.data(), best_.data(), best_.size());
                best = worst;
                restored = false;
            }
            if (idle > max_idle) {
                exec_.copy_elements(best_.data(), basis_.x.data(), best_.size());
                if (restart()) measure();
                return end(eigen_reason::stagnated, x);
            }
            // Rounding errors of the directions have accumulated, or the vectors converge to smaller eigenvalues. The
            // second restart from the same vectors would repeat the iterations after the first.
            if (worst > growth * fresh) {
                if (!std::exchange(restored, true)) exec_.copy_elements(best_.data(), basis_.x.data(), best_.size());
                if (!restart()) return end(eigen_reason::not_finite, x);
                fresh = measure();
                used = count_;
            }
            fresh = std::min(fresh, worst);
            bool const directions = used > count_;
            precondition(directions); // W into the second block
            ++result_.iterations;
            if (!rotate(directions ? 3 * count_ : 2 * count_, count_)) return end(eigen_reason::not_finite, x);
            used = 3 * count_;
        }
    }

private:
    static constexpr std::int64_t max_idle = 40; ///< iterations without a smaller residual
    static constexpr double growth = 10;         ///< of the residuals over the smallest ones: restart
    static constexpr double dependent = 1e-10;   ///< of the eigenvalues of the scaled Gram matrix of the basis

    /// Products of X, and the Rayleigh-Ritz method on its columns; forgets the directions.
    bool restart() {
        project(columns(basis_.x, 0));
        multiply(basis_, 0, count_);
        return rotate(count_, 0);
    }

    /// Whether an eigenvalue is smaller (with options.largest, larger) than all its earlier approximations. `lowest`:
    /// the smallest ones so far, with options.largest of the negated eigenvalues; they are updated.
    bool lowers(std::vector<double>& lowest) const {
        bool any = false;
        for (std::size_t j = 0; j < lowest.size(); ++j) {
            double const value = options_.largest ? -result_.values[j] : result_.values[j];
            any = any || !(value >= lowest[j] - 1e-8 * std::abs(lowest[j]));
            lowest[j] = std::min(lowest[j], value);
        }
        return any;
    }

    column_block<T> allocate(int columns) const {
        return {buffer<T>(exec_, n_ * columns), buffer<T>(exec_, n_ * columns),
                b_.offsets ? buffer<T>(exec_, n_ * columns) : buffer<T>()};
    }
    T* columns(buffer<T>& of, int first) const { return of.data() + first * n_; }
    buffer<T>& with_b(column_block<T>& block) const { return b_.offsets ? block.b : block.x; }

    void multiply(column_block<T>& block, int first, int number) {
        for (int j = first; j < first + number; ++j) {
            array_view<T const> const from(columns(block.x, j), n_);
            spmv(exec_, plan_a_, a_, from, array_view<T>(columns(block.a, j), n_));
            if (b_.offsets) spmv(exec_, plan_b_, b_, from, array_view<T>(columns(block.b, j), n_));
        }
    }

    /// X^T Y for `p` and `q` columns.
    small_matrix gram(T const* x, int p, T const* y, int q) const {
        small_matrix g(p, q);
        for (int i = 0; i < p; i += dot_tile::width)
            for (int j = 0; j < q; j += dot_tile::width) fill_tile(g, i, j, x, y);
        return g;
    }
    /// X^T Y for a symmetric product, from its upper triangle.
    small_matrix symmetric_gram(T const* x, T const* y, int p) const {
        small_matrix g(p, p);
        for (int i = 0; i < p; i += dot_tile::width)
            for (int j = i; j < p; j += dot_tile::width) fill_tile(g, i, j, x, y);
        for (int j = 0; j < p; ++j)
            for (int i = 0; i < j; ++i) g(j, i) = g(i, j);
        return g;
    }
    /// Elements of X^T Y from row i and column j.
    void fill_tile(small_matrix& g, int i, int j, T const* x, T const* y) const {
        constexpr int width = dot_tile::width;
        int const rows = std::min(width, g.rows - i), columns = std::min(width, g.columns - j);
        auto const tile =
            reduce(exec_, n_, dot_tile{}, tile_of_row<T>{x + i * n_, y + j * n_, n_, rows, columns}, dot_tile{});
        for (int c = 0; c < rows; ++c)
            for (int d = 0; d < columns; ++d) g(i + c, j + d) = tile.sums[c * width + d];
    }

    void orthonormalise_constraints(array_view<T const> given) {
        int const k = int(given.size() / n_);
        column_block<T> y{copy_of(exec_, given), buffer<T>(exec_, given.size()), buffer<T>()};
        if (b_.offsets) y.b = buffer<T>(exec_, given.size());
        scale_into_range(y.x.data(), k);
        multiply(y, 0, k);
        auto const g = gram(y.x.data(), k, with_b(y).data(), k);
        auto const pairs = projected_eigenpairs(g, g, dependent); // its vectors are orthonormal in the product of B
        constrained_ = pairs.vectors.columns;
        load(pairs.vectors, pairs.vectors.columns);
        combine(y.x, k, constrained_, constraints_);
        combine(with_b(y), k, constrained_, b_constraints_);
    }
    /// x = x - Y (B Y)^T x for `count` columns
    void project(T* x) {
        if (constrained_ > 0) subtract_projection(constraints_.data(), b_constraints_.data(), constrained_, x);
    }

    void load(small_matrix const& c, int number) {
        std::vector<T> const values(c.elements.begin(), c.elements.begin() + c.rows * number);
        if (std::int64_t(values.size()) > coefficients_.size())
            coefficients_ = buffer<T>(exec_, std::int64_t(values.size()));
        exec_.copy_elements(values.data(), coefficients_.data(), std::int64_t(values.size()));
        exec_.synchronize(); // before `values` is freed
    }
    void combine(buffer<T> const& from, int used, int number, buffer<T>& to) const {
        for_each(exec_, n_, combine_columns<T>{from.data(), coefficients_.data(), n_, used, number, to.data()});
    }

    /// Rayleigh-Ritz method on the first `used` columns of the basis: the new X, and the directions P, which are the
    /// new X without the part in the old X, for `skipped` columns of the old X. Returns false for numbers that are not
    /// finite or a basis with fewer than `count` independent columns.
    bool rotate(int used, int skipped) {
        auto const g = symmetric_gram(basis_.x.data(), with_b(basis_).data(), used);
        auto const h = symmetric_gram(basis_.x.data(), basis_.a.data(), used);
        for (double const v : g.elements)
            if (!std::isfinite(v)) return false;
        for (double const v : h.elements)
            if (!std::isfinite(v)) return false;
        auto const pairs = projected_eigenpairs(h, g, dependent);
        int const found = pairs.vectors.columns;
        if (found < count_) return false;
        small_matrix x(used, count_);
        result_.values.assign(std::size_t(count_), 0.0);
        for (int j = 0; j < count_; ++j) {
            int const from = options_.largest ? found - 1 - j : j;
            result_.values[std::size_t(j)] = pairs.values[std::size_t(from)];
            for (int i = 0; i < used; ++i) x(i, j) = pairs.vectors(i, from);
        }
        auto const p = directions_of(x, g, skipped);
        small_matrix c = x;
        c.columns = 2 * count_;
        c.elements.insert(c.elements.end(), p.elements.begin(), p.elements.end());
        c.elements.resize(std::size_t(used) * std::size_t(2 * count_), 0.0);
        load(c, 2 * count_);
        replace(basis_.x, next_.x, used);
        replace(basis_.a, next_.a, used);
        if (b_.offsets) replace(basis_.b, next_.b, used);
        return true;
    }
    /// Coefficients of the directions P, the columns of `x` without the first `skipped` rows: G-orthonormal, and
    /// G-orthogonal to `x`. Combinations with orthonormal coefficients do not amplify the errors of the products A P.
    small_matrix directions_of(small_matrix const& x, small_matrix const& g, int skipped) const {
        small_matrix p = x;
        for (int j = 0; j < p.columns; ++j) {
            double largest = 0; // directions become as small as the residuals, so that their squares would underflow
            for (int i = 0; i < p.rows; ++i) largest = std::max(largest, i < skipped ? 0 : std::abs(x(i, j)));
            for (int i = 0; i < p.rows; ++i)
                p(i, j) = i < skipped || largest == 0 ? 0 : x(i, j) * power_of_two(largest);
        }
        for (int pass = 0; pass < 2; ++pass) {
            auto const along = product(x, transposed_product(x, product(g, p)));
            for (std::size_t k = 0; k < p.elements.size(); ++k) p.elements[k] -= along.elements[k];
            auto const inner = transposed_product(p, product(g, p));
            p = product(p, projected_eigenpairs(inner, inner, dependent).vectors);
        }
        return p;
    }
    /// X into the first block, P into the third.
    void replace(buffer<T>& block, buffer<T>& next, int used) {
        combine(block, used, 2 * count_, next);
        exec_.copy_elements(next.data(), block.data(), n_ * count_);
        exec_.copy_elements(next.data() + count_ * n_, columns(block, 2 * count_), n_ * count_);
    }

    /// R = A X - B X Lambda into the second block; returns the largest relative residual.
    double measure() {
        std::vector<T> const values(result_.values.begin(), result_.values.end());
        exec_.copy_elements(values.data(), lambda_.data(), count_);
        exec_.synchronize();
        T const* const bx = with_b(basis_).data();
        T* const r = columns(basis_.x, count_);
        for_each(exec_, n_ * count_, block_residual<T>{basis_.a.data(), bx, lambda_.data(), n_, r});
        result_.residuals = norms(r, count_);
        auto const of_ax = norms(basis_.a.data(), count_), of_bx = norms(bx, count_);
        double worst = 0;
        for (std::size_t j = 0; j < of_ax.size(); ++j) {
            double const size = of_ax[j] + std::abs(result_.values[j]) * of_bx[j];
            double& relative = result_.residuals[j];
            if (size > 0) relative /= size;
            worst = relative <= worst ? worst : relative;
        }
        return worst;
    }
    std::vector<double> norms(T const* x, int number) const {
        constexpr int width = dot_tile::width;
        std::vector<double> result;
        for (int j = 0; j < number; j += width) {
            auto const g = gram(x + j * n_, std::min(width, number - j), x + j * n_, std::min(width, number - j));
            for (int k = 0; k < g.rows; ++k) result.push_back(std::sqrt(g(k, k)));
        }
        return result;
    }

    /// Computes W = M^-1 R, orthonormal, B-orthogonal to the constraints, X and, with `directions`, P; and its products
    /// with A and B.
    void precondition(bool directions) {
        T* const w = columns(basis_.x, count_);
        int const p = 2 * count_; // the first column of P
        for (int j = 0; j < count_; ++j) {
            if (result_.residuals[std::size_t(j)] <= options_.tolerance) { // has converged: no direction
                fill(exec_, array_view<T>(w + j * n_, n_), T(0));
                continue;
            }
            // M belongs to the given matrix. Halfway between the scales, neither R nor M^-1 R leaves the range.
            if (scaled_a_.exponent != 0) normalise(w + j * n_, scaled_a_.exponent / 2);
            m_.apply(exec_, array_view<T const>(w + j * n_, n_), array_view<T>(next_.x.data(), n_));
            exec_.copy_elements(next_.x.data(), w + j * n_, n_);
            if (scaled_a_.exponent != 0) normalise(w + j * n_, 0);
        }
        // Twice is enough (Parlett, The Symmetric Eigenvalue Problem, section 6.9): a column that the second pass
        // shortens again consists of rounding errors of vectors in the space of the constraints, X and P.
        scale_columns(w, 0);
        for (bool const second : {false, true}) {
            project(w);
            subtract_projection(basis_.x.data(), with_b(basis_).data(), count_, w);
            if (directions) subtract_projection(columns(basis_.x, p), columns(with_b(basis_), p), count_, w);
            scale_columns(w, second ? 0.5 : 0);
            orthonormalise(w);
        }
        multiply(basis_, count_, count_);
    }
    /// Scales columns by powers of two to norms in [1, 2), and columns with norms below `shortest` by 0.
    void scale_columns(T* w, double shortest) {
        auto const sizes = norms(w, count_);
        for (int j = 0; j < count_; ++j) {
            double const size = sizes[std::size_t(j)];
            double const factor = size == 0 || size < shortest ? 0 : power_of_two(size);
            if (factor != 1) for_each(exec_, n_, detail::scale_column<T>{T(factor), w + j * n_});
        }
    }
    /// x = 2^exponent x for a column
    void scale(T* x, int exponent) const { detail::scale_by_power(exec_, x, n_, exponent); }
    /// Scales columns whose squares would overflow or underflow by powers of two.
    void scale_into_range(T* x, int number) const {
        for (int j = 0; j < number; ++j) {
            double const largest = detail::largest_part(exec_, array_view<T const>(x + j * n_, n_));
            if (int const e = detail::even_exponent(largest, 1e100); e != 0) scale(x + j * n_, -e);
        }
    }
    /// Scales a column by a power of two, so that its largest element has this exponent.
    void normalise(T* x, int exponent) const {
        double const largest = detail::largest_part(exec_, array_view<T const>(x, n_));
        if (largest > 0 && std::isfinite(largest)) scale(x, exponent - std::ilogb(largest));
    }
    /// The power of two that scales a positive normal number to [1, 2); NaN and infinity are returned.
    static double power_of_two(double x) {
        return std::isfinite(x) ? std::ldexp(1.0, std::min(-std::ilogb(x), 1000)) : x;
    }
    /// W = W - Q (B Q)^T W for B-orthonormal columns Q
    void subtract_projection(T const* q, T const* bq, int number, T* w) {
        auto const g = gram(bq, number, w, count_);
        load(g, count_);
        for_each(exec_, n_, combine_columns<T>{q, coefficients_.data(), n_, number, count_, w, true});
    }
    /// Makes the columns orthonormal; those that depend on the others become 0 (SVQB: Stathopoulos and Wu, SIAM J. Sci.
    /// Comput. 23, 2002).
    void orthonormalise(T* w) {
        auto const g = symmetric_gram(w, w, count_);
        for (double const v : g.elements)
            if (!std::isfinite(v)) return; // rotate() reports it
        auto c = projected_eigenpairs(g, g, dependent).vectors;
        c.elements.resize(std::size_t(count_) * std::size_t(count_), 0.0);
        load(c, count_);
        for_each(exec_, n_, combine_columns<T>{w, coefficients_.data(), n_, count_, count_, next_.x.data()});
        exec_.copy_elements(next_.x.data(), w, n_ * count_);
    }

    eigen_result end(eigen_reason reason, array_view<T> x) {
        if (reason != eigen_reason::not_finite) exec_.copy_elements(basis_.x.data(), x.data(), x.size());
        result_.reason = reason;
        result_.converged = reason == eigen_reason::converged;
        for (auto* numbers : {&result_.values, &result_.residuals}) // of start vectors that are not finite or dependent
            if (numbers->empty()) numbers->assign(std::size_t(count_), std::numeric_limits<double>::quiet_NaN());
        if (result_.converged) { // products with the returned vectors instead of combinations of earlier ones
            multiply(basis_, 0, count_);
            result_.converged = measure() <= 2 * options_.tolerance;
            if (!result_.converged) result_.reason = eigen_reason::stagnated;
        }
        for (double& value : result_.values) {
            double const scaled = std::exchange(value, std::ldexp(value, scaled_a_.exponent - scaled_b_.exponent));
            bool const in_range = std::isfinite(value) && (value != 0 || scaled == 0);
            if (in_range || !result_.converged) continue;
            result_.converged = false;
            result_.reason = eigen_reason::not_finite;
        }
        if (reason != eigen_reason::not_finite)
            for (int j = 0; j < count_; ++j) scale(x.data() + j * n_, -scaled_b_.exponent / 2); // x^T B x = 1
        return std::move(result_);
    }

    Executor const& exec_;
    scaled_matrix<Executor, T> scaled_a_, scaled_b_;
    csr_view<T> a_, b_;
    any_preconditioner<Executor, T> const& m_;
    eigen_options const& options_;
    std::int64_t n_;
    int count_;
    int constrained_ = 0;
    srcsr_plan<std::int32_t> plan_a_, plan_b_;
    column_block<T> basis_, next_; ///< X, W, P; and the new X and P
    buffer<T> coefficients_, lambda_, best_, constraints_, b_constraints_;
    eigen_result result_{};
};

} // namespace eigen_detail

template <executor Executor, class T>
eigen_result lobpcg(Executor const& exec, csr_view<T> a, any_preconditioner<Executor, T> const& m, array_view<T> x,
                    int count, eigen_options const& options, csr_view<T> b, array_view<T const> constraints) {
    require_square(a, "lobpcg");
    std::int64_t const n = a.rows();
    if (count < 1 || count > 32)
        throw argument_error("count of eigenpairs is " + std::to_string(count) + ", expected 1 to 32");
    if (3 * std::int64_t(count) > n)
        throw argument_error("lobpcg computes at most a third of the eigenpairs: " + std::to_string(count) + " of " +
                             std::to_string(n) + " requested; use LAPACK's syev for small matrices");
    if (!(options.tolerance >= 0))
        throw argument_error("tolerance is " + coppice::detail::number_text(options.tolerance) + ", expected >= 0");
    if (options.max_iterations < 0)
        throw argument_error("max_iterations is " + std::to_string(options.max_iterations) + ", expected >= 0");
    if (m.varies()) throw argument_error("lobpcg requires a preconditioner that is the same at every call");
    require_size("start vectors x", x, n * count);
    if (b.offsets) {
        require_square(b, "lobpcg");
        require_size("rows of B", b.rows(), n);
        detail::require_finite(exec, b);
    }
    if (constraints.size() % n != 0)
        throw dimension_error("constraints with " + std::to_string(constraints.size()) + " elements for vectors of " +
                              std::to_string(n));
    if (auto const fault = detail::first_not_finite(exec, constraints, "the constraints of lobpcg"); !fault.empty())
        throw matrix_error(fault);
    detail::require_finite(exec, a);
    return eigen_detail::lobpcg_solve<Executor, T>(exec, a, m, count, options, b, constraints).run(x);
}

} // namespace coppice::inline v0_1
