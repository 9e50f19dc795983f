// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Smoothers of the levels of a multilevel method. If A is symmetric positive definite, each of them has B = B^T and 2
/// B^-1 - A is positive definite, so that the whole cycle is positive definite: A is bounded by the diagonal matrix of
/// its row sums of magnitudes (Gershgorin). For the forest smoother see strengthen_row.
#pragma once

#include <type_traits>

#include <coppice/graph/forest/linear_forest.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solvers/direct/regularise/regularise_tridiagonal.hpp>
#include <coppice/solvers/multilevel/coupling_sums.hpp>
#include <coppice/solvers/multilevel/coupling_weights.hpp>
#include <coppice/solvers/multilevel/multilevel_options.hpp>
#include <coppice/solvers/multilevel/sweep_growth.hpp>
#include <coppice/solvers/precondition/interface/transposed.hpp>

namespace coppice::inline v0_1::multilevel_detail {

/// Base-2 logarithm of the number of rows that one worker sweeps by Gauss-Seidel, for n rows in total. Couplings
/// between these ranges are only damped, so long ranges smooth better; but small levels need several ranges too.
COPPICE_HD constexpr int sweep_bits(std::int64_t n) { return n < 32768 ? 12 : 13; }
COPPICE_HD constexpr std::int64_t sweep_rows(std::int64_t n) { return std::int64_t{1} << sweep_bits(n); }

constexpr std::int64_t sweep_ranges(std::int64_t n) { return (n + sweep_rows(n) - 1) / sweep_rows(n); }

template <class T>
struct add_outside {
    COPPICE_HD row_summary<T> identity() const { return {T(0), T(0), T(0), T(0)}; }
    COPPICE_HD row_summary<T> operator()(row_summary<T> const& a, row_summary<T> const& b) const {
        return {a.diagonal + b.diagonal, a.off_diagonal + b.off_diagonal, T(0), a.highest + b.highest};
    }
};
/// Rows [first, last) of a range.
struct swept_rows {
    std::int64_t first, last;
    COPPICE_HD swept_rows(std::int64_t range, std::int64_t n)
        : first(range * sweep_rows(n)), last(first + sweep_rows(n) < n ? first + sweep_rows(n) : n) {}
    COPPICE_HD std::int64_t size() const { return last - first; }
};
/// x = (L + M)^-1 b within each range.
template <class T, class S, class I>
struct sweep_forwards {
    csr_view<S, I> a;
    T scale;
    T const *inverse, *b;
    T* x;
    COPPICE_HD void step(swept_rows const& rows, std::int64_t done) const {
        std::int64_t const i = rows.first + done;
        T sum = T(0);
        for (I k = a.row_begin(i), end = a.row_end(i); k < end && a.indices[k] < i; ++k)
            if (a.indices[k] >= rows.first) sum += T(stored_value<S>::load(a.coefficients[k])) * x[a.indices[k]];
        x[i] = inverse[i] * (b[i] - scale * sum);
    }
};
/// to = x + (M + U)^-1 (b - A x) within each range; with L instead of U if Forwards.
template <class T, class S, class I, bool Forwards>
struct sweep_onwards {
    csr_view<S, I> a;
    T scale;
    T const *inverse, *b, *x;
    T* to;
    COPPICE_HD void step(swept_rows const& rows, std::int64_t done) const {
        std::int64_t const i = Forwards ? rows.first + done : rows.last - 1 - done;
        T sum = T(0);
        for (I k = a.row_begin(i), end = a.row_end(i); k < end; ++k) {
            std::int64_t const j = a.indices[k];
            bool const is_new = Forwards ? j < i && j >= rows.first : j > i && j < rows.last;
            sum += T(stored_value<S>::load(a.coefficients[k])) * (is_new ? to : x)[j];
        }
        to[i] = x[i] + inverse[i] * (b[i] - scale * sum);
    }
};

/// All steps of a range, in order.
template <class Sweep>
struct sweep_range {
    Sweep sweep;
    std::int64_t n;
    COPPICE_HD void operator()(std::int64_t range) const {
        swept_rows const rows(range, n);
        for (std::int64_t k = 0; k < rows.size(); ++k) sweep.step(rows, k);
    }
};
/// Sweeps two ranges alternately, one step each: a step depends only on the previous step of the same range, so two
/// steps overlap.
template <class Sweep>
void sweep_two(Sweep const& sweep, std::int64_t range, std::int64_t n) {
    swept_rows const one(range, n), other(range + 1, n);
    for (std::int64_t k = 0; k < other.size(); ++k) {
        sweep.step(one, k);
        sweep.step(other, k);
    }
    for (std::int64_t k = other.size(); k < one.size(); ++k) sweep.step(one, k);
}

/// Sweeps all ranges of n rows. A task has two ranges, or one if there are few.
template <class Sweep>
void sweep_all(host_executor const& exec, std::int64_t n, Sweep const& sweep) {
    std::int64_t const ranges = sweep_ranges(n), tasks = ranges / 2;
    if (tasks < exec.threads())
        return for_each_block(exec, ranges, 1, [&](std::int64_t range, std::int64_t, std::int64_t) {
            sweep_range<Sweep>{sweep, n}(range);
        });
    for_each_block(exec, tasks + ranges % 2, 1, [&](std::int64_t task, std::int64_t, std::int64_t) {
        task < tasks ? sweep_two(sweep, 2 * task, n) : sweep_range<Sweep>{sweep, n}(2 * task);
    });
}
template <class Sweep>
void sweep_all(cuda_executor const& exec, std::int64_t n, Sweep const& sweep) {
    for_each(exec, sweep_ranges(n), sweep_range<Sweep>{sweep, n});
}

/// Modifies the tridiagonal matrix T along the forest so that B^-1 = T + D is a smoother. Let A = T + N. Required: 2
/// B^-1 - A = T - N + 2 D is positive definite. Row i of T has the diagonal a_i and off-diagonal magnitudes t_i, row i
/// of N magnitudes n_i. D_i = n_i / 2 + 3/4 max(0, t_i - a_i) makes every row diagonally dominant, strictly if t_i >
/// a_i. If T is diagonally dominant (M-matrices), n_i / 2 suffices; T of other matrices may be indefinite.
template <class T, class I>
struct strengthen_row {
    I const *inverse, *links;
    tridiagonal_view<T> system;
    coupling_sums<T> others;
    T* diagonal;
    COPPICE_HD void operator()(std::int64_t row, row_summary<T> const& sum) const {
        std::int64_t const p = inverse[row];
        T const along = (links[2 * row] < 0 ? T(0) : magnitude(system.lower[p])) +
                        (links[2 * row + 1] < 0 ? T(0) : magnitude(system.upper[p]));
        T const off = sum.off_diagonal + others.magnitude(row) - along, lacking = along - magnitude(sum.diagonal);
        T const more = (off > T(0) ? off / T(2) : T(0)) + (lacking > T(0) ? T(0.75) * lacking : T(0));
        diagonal[p] = diagonal[p] + (sum.diagonal < T(0) ? -more : more);
    }
};

/// The matrix of a level in a cycle: scaled values stored in S, vectors in T.
template <class T, class S, class I>
struct level_matrix {
    csr_view<S, I> a{};
    srcsr_plan<I> const* plan = nullptr;
    T scale = 1;             ///< A = scale a
    bool transposed = false; ///< of the matrix that the smoother was made for

    template <executor Executor, class Store>
    void multiply(Executor const& exec, T const* x, Store const& store) const {
        reduce_rows(exec, *plan, along_nonzeros{multiply_stored<S, I, T>{x}, a.coefficients, a.indices}, add_plus<T>{},
                    store);
    }
};

/// r = b - A x
template <class T>
struct store_residual {
    T scale;
    T const* b;
    T* r;
    COPPICE_HD T fetch(std::int64_t row) const { return b[row]; }
    COPPICE_HD void operator()(std::int64_t row, T const& sum, T const& right) const { r[row] = right - scale * sum; }
    COPPICE_HD void operator()(std::int64_t row, T const& sum) const { (*this)(row, sum, fetch(row)); }
};
/// to = x + D (b - A x)
template <class T>
struct store_diagonal_step {
    T scale;
    T const *inverse, *b, *x;
    T* to;
    COPPICE_HD void operator()(std::int64_t row, T const& sum) const {
        to[row] = x[row] + inverse[row] * (b[row] - scale * sum);
    }
};
template <class T>
struct scale_by {
    T factor;
    T const *inverse, *b;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = factor * (inverse[i] * b[i]); }
};
template <class T>
struct add_vectors {
    T const *x, *y;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = x[i] + y[i]; }
};

/// Chebyshev polynomial of degree 2 for eigenvalues of D A in [low, 1]: z = c0 (D b) + c1 D (b - c0 A D b).
struct chebyshev_of_two {
    static constexpr double low = 0.2;
    static constexpr double theta = (1 + low) / 2, delta = (1 - low) / 2, sigma = theta / delta;
    static constexpr double rho = 1 / sigma, next = 1 / (2 * sigma - rho);
    static constexpr double first = 1 / theta, momentum = next * rho, second = 2 * next / delta;
};
/// Replaces r -= K x_outer if there are no other ranks.
struct no_couplings {
    template <executor Executor, class T>
    void operator()(Executor const&, T const*, T*) const {}
};
/// to = x + (z + momentum z + second D r); x = 0 if x is null.
template <class T>
struct chebyshev_step {
    T const *inverse, *z, *x;
    T* to;
    COPPICE_HD void take(std::int64_t i, T r) const {
        T const step = z[i] + (T(chebyshev_of_two::momentum) * z[i] + T(chebyshev_of_two::second) * (inverse[i] * r));
        to[i] = x ? x[i] + step : step;
    }
    /// Computes element i from r[i], which is stored in to[i].
    COPPICE_HD void operator()(std::int64_t i) const { take(i, to[i]); }
};
/// Applies chebyshev_step with r = b - A z to each row as soon as its product is computed. The output `to` may be b.
template <class T>
struct store_chebyshev {
    T scale;
    T const* b;
    chebyshev_step<T> step;
    COPPICE_HD void operator()(std::int64_t row, T const& sum) const { step.take(row, b[row] - scale * sum); }
};

/// For sweeps over ranges of 2^bits rows: as summarise_entry, but the last member sums only the off-diagonal entries
/// outside of the range of the row; the largest entry is not used.
template <class T, class I>
struct summarise_outside {
    int bits;
    COPPICE_HD row_summary<T> operator()(T const& value, I const& column, std::int64_t row) const {
        if (std::int64_t(column) == row) return {value, T(0), T(0), T(0)};
        T const size = magnitude(value);
        return {T(0), size, T(0), column >> bits == row >> bits ? T(0) : size};
    }
};
/// Inverses for sweeps over ranges of rows.
template <class T>
struct store_sweep_inverse {
    coupling_sums<T> others;
    T* inverse;
    COPPICE_HD void operator()(std::int64_t row, row_summary<T> const& sum) const {
        T const min_fraction = T(0.2); // with a much smaller diagonal a sweep would amplify the error
        T const here = magnitude(sum.diagonal), beyond = others.magnitude(row);
        T const one =
            T(1) / larger(here + (sum.highest + beyond) / T(2), min_fraction * (here + sum.off_diagonal + beyond));
        inverse[row] = !is_finite(one) ? T(1) : sum.diagonal < T(0) ? -one : one;
    }
};
/// 1 / m with m = sign(a_ii) max(|a_ii|, fraction * row sum of magnitudes); 1 in a row of zeros.
template <class T>
struct store_row_inverse {
    coupling_sums<T> others;
    T fraction;
    T* inverse;
    COPPICE_HD void operator()(std::int64_t row, row_summary<T> const& sum) const {
        T const here = magnitude(sum.diagonal);
        T const m = larger(here, fraction * (here + sum.off_diagonal + others.magnitude(row)));
        T const one = T(1) / m;
        inverse[row] = !is_finite(one) ? T(1) : sum.diagonal < T(0) ? -one : one;
    }
};

template <executor Executor, class T, class I>
class level_smoother {
public:
    level_smoother() = default;
    /// Copies the forest of the level if the smoother uses it.
    level_smoother(Executor const& exec, multilevel_smoother kind, std::int64_t n, linear_forest<I> const* forest)
        : kind_(kind_for(kind, forest != nullptr)) {
        if (kind_ == multilevel_smoother::forest || kind_ == multilevel_smoother::chebyshev)
            spare_ = buffer<T>(exec, n);
        if (kind_ != multilevel_smoother::forest) {
            inverse_ = buffer<T>(exec, n);
            return;
        }
        forest_ = copy_of(exec, *forest);
        system_ = tridiagonal<T>(exec, n);
        workspace_ = buffer<std::byte>(exec, tridiagonal_workspace<T>(n));
    }

    /// `others`: sums of the couplings of the rows with other ranks.
    void fill(Executor const& exec, csr_view<T, I> a, srcsr_plan<I> const& plan, coupling_sums<T> const& others) {
        along_nonzeros const summary{summarise_entry<T, I>{}, a.coefficients, a.indices};
        if (kind_ == multilevel_smoother::gauss_seidel) {
            summarise_outside<T, I> const outside{sweep_bits(a.rows())};
            reduce_rows(exec, plan, along_nonzeros{outside, a.coefficients, a.indices}, add_outside<T>{},
                        store_sweep_inverse<T>{others, inverse_.data()});
            buffer<T> x(exec, a.rows());
            for_each(exec, sweep_ranges(a.rows()),
                     limit_growth<T, I, swept_rows>{a, others, inverse_.data(), x.data()});
            return;
        }
        if (kind_ != multilevel_smoother::forest) {
            T const fraction = kind_ == multilevel_smoother::jacobi ? T(0.75) : T(1);
            reduce_rows(exec, plan, summary, add_row_summaries<T>{},
                        store_row_inverse<T>{others, fraction, inverse_.data()});
            return;
        }
        extract_forest_system(exec, plan, a, forest_, system_);
        reduce_rows(exec, plan, summary, add_row_summaries<T>{},
                    strengthen_row<T, I>{forest_.inverse.data(), forest_.links.data(), system_.view(), others,
                                         system_.diagonal.data()});
        regulariser_.regularise(exec, system_, options_, false);
    }

    /// x = B b. `others` is used by chebyshev only: others(exec, x, r) subtracts K x_outer from r.
    template <class S, class Others = no_couplings>
    void begin(Executor const& exec, level_matrix<T, S, I> const& m, T const* b, T* x,
               Others const& others = {}) const {
        std::int64_t const n = m.a.rows();
        if (kind_ == multilevel_smoother::forest) return solve(exec, m.transposed, b, x, n);
        if (kind_ == multilevel_smoother::gauss_seidel)
            return sweep_all(exec, n, sweep_forwards<T, S, I>{m.a, m.scale, inverse_.data(), b, x});
        if (kind_ != multilevel_smoother::chebyshev) return for_each(exec, n, scale_by<T>{T(1), inverse_.data(), b, x});
        for_each(exec, n, scale_by<T>{T(chebyshev_of_two::first), inverse_.data(), b, spare_.data()});
        step_chebyshev(exec, m, b, nullptr, x, others);
    }
    /// to = x + B (b - A x); overwrites x. A backward sweep makes a cycle symmetric that starts with begin(). `others`:
    /// as in begin(); for the smoothers other than chebyshev, b already excludes these terms.
    template <class S, class Others = no_couplings>
    void improve(Executor const& exec, level_matrix<T, S, I> const& m, T const* b, T* x, T* to, bool forwards = false,
                 Others const& others = {}) const {
        std::int64_t const n = m.a.rows();
        if (kind_ == multilevel_smoother::gauss_seidel) {
            auto const sweep = [&]<bool Forwards>(std::bool_constant<Forwards>) {
                sweep_all(exec, n, sweep_onwards<T, S, I, Forwards>{m.a, m.scale, inverse_.data(), b, x, to});
            };
            return forwards ? sweep(std::true_type{}) : sweep(std::false_type{});
        }
        if (kind_ == multilevel_smoother::jacobi || kind_ == multilevel_smoother::l1)
            return m.multiply(exec, x, store_diagonal_step<T>{m.scale, inverse_.data(), b, x, to});
        if (kind_ == multilevel_smoother::forest) {
            m.multiply(exec, x, store_residual<T>{m.scale, b, to});
            solve(exec, m.transposed, to, spare_.data(), n);
            return for_each(exec, n, add_vectors<T>{x, spare_.data(), to});
        }
        // x += p(A) (b - A x) with the polynomial p of two steps of the Chebyshev recurrence that starts from zero.
        m.multiply(exec, x, store_residual<T>{m.scale, b, to});
        others(exec, x, to);
        for_each(exec, n, scale_by<T>{T(chebyshev_of_two::first), inverse_.data(), to, spare_.data()});
        step_chebyshev(exec, m, to, x, to, others);
    }

    /// Whether begin() and improve() call `others`: the Chebyshev polynomial is one of the matrix of all ranks.
    bool needs_couplings() const { return kind_ == multilevel_smoother::chebyshev; }
    /// Returns D if improve() is a step with a diagonal matrix, else null.
    T const* diagonal() const {
        return kind_ == multilevel_smoother::jacobi || kind_ == multilevel_smoother::l1 ? inverse_.data() : nullptr;
    }

private:
    static multilevel_smoother kind_for(multilevel_smoother kind, bool has_forest) {
        if (kind == multilevel_smoother::automatic)
            return std::is_same_v<Executor, host_executor> ? multilevel_smoother::gauss_seidel
                                                           : multilevel_smoother::jacobi;
        return kind == multilevel_smoother::forest && !has_forest ? multilevel_smoother::jacobi : kind;
    }

    /// Applies chebyshev_step with z = spare_ and r = b - A z; `to` may be b. Without couplings to other ranks this is
    /// one pass over A; otherwise r is stored in `to` first.
    template <class S, class Others>
    void step_chebyshev(Executor const& exec, level_matrix<T, S, I> const& m, T const* b, T const* x, T* to,
                        Others const& others) const {
        chebyshev_step<T> const step{inverse_.data(), spare_.data(), x, to};
        if constexpr (std::is_same_v<Others, no_couplings>) {
            m.multiply(exec, spare_.data(), store_chebyshev<T>{m.scale, b, step});
        } else {
            m.multiply(exec, spare_.data(), store_residual<T>{m.scale, b, to});
            others(exec, spare_.data(), to);
            for_each(exec, m.a.rows(), step);
        }
    }
    void solve(Executor const& exec, bool transposed, T const* r, T* z, std::int64_t n) const {
        I const* const order = forest_.permutation.data();
        if (transposed)
            return detail::solve_transposed(exec, band_matrix<T>(system_.view()), order, array_view<T const>(r, n),
                                            array_view<T>(z, n),
                                            {.pivot = options_.pivot, .threshold = options_.threshold});
        solve_tridiagonal_in_order(exec, system_.view(), {order, order}, array_view<T const>(r, n), array_view<T>(z, n),
                                   workspace_.view(), options_);
    }

    multilevel_smoother kind_ = multilevel_smoother::jacobi;
    buffer<T> inverse_{};
    mutable buffer<T> spare_{};
    linear_forest<I> forest_{};
    tridiagonal<T> system_{};
    tridiagonal_options options_{};
    tridiagonal_regulariser<Executor, T> regulariser_{};
    mutable buffer<std::byte> workspace_{};
};

} // namespace coppice::inline v0_1::multilevel_detail
