// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The lower levels of a V cycle as one kernel: on a level of few rows the launch of a kernel takes longer than its
/// work, so one kernel runs all steps of the lower levels.
#pragma once

#include <cstdint>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/semiring/operators/stored_value.hpp>

namespace coppice::inline v0_1::multilevel_detail {

/// A level above the last one, with a diagonal smoother D before and after the correction: A = scale a; P maps from the
/// next level, R to it; b_below and x_below are vectors of the next level.
template <class T, class S, class I>
struct lower_level {
    csr_view<S, I> a{}, p{}, r{};
    T scale = 1;
    T const *diagonal = nullptr, *b = nullptr;
    T *x = nullptr, *smoothed = nullptr, *b_below = nullptr, *x_below = nullptr;
};

/// Entries of a row that a worker loads together, so that the loads overlap; the worker has every `stride`-th entry.
template <class T, class I>
struct row_slice {
    static constexpr int batch = 4;
    I columns[batch];
    T values[batch];
    int count = 0, stride = 1;
    I next = 0, end = 0; ///< remaining nonzeros

    /// Sum of the values times scale[j] x[j], or times x[j] if `scale` is null.
    COPPICE_HD T times(T const* scale, T const* x) const {
        T factors[batch];
        COPPICE_UNROLL
        for (int q = 0; q < batch; ++q)
            factors[q] = q >= count ? T(0) : scale ? scale[columns[q]] * x[columns[q]] : x[columns[q]];
        T sum(0);
        COPPICE_UNROLL
        for (int q = 0; q < batch; ++q) sum += q < count ? values[q] * factors[q] : T(0);
        return sum;
    }
};

/// One V cycle with initial guess zero over levels[0, count) and the last level below them, which inverse[rows, rows]
/// solves. It is a sequence of steps: each step reads what previous steps have written. The rows of a step are
/// independent; each is a sum of partial sums followed by finish().
template <class T, class S, class I>
struct lower_cycle {
    static constexpr int max_levels = 12; ///< number of levels; they are a kernel parameter

    lower_level<T, S, I> levels[max_levels]{};
    int count = 0;
    T const* inverse = nullptr;
    I last_rows = 0;

    COPPICE_HD int steps() const { return count > 0 ? 4 * count + 1 : 0; }
    COPPICE_HD I rows(int step) const {
        task const at = task_of(step);
        return at.what == work::solution ? last_rows : matrix(at).rows();
    }
    COPPICE_HD I nonzeros(int step) const {
        task const at = task_of(step);
        return at.what == work::solution ? last_rows * last_rows : matrix(at).nonzeros();
    }
    /// Partial sum number `rank` of `size` of a row.
    COPPICE_HD T partial_sum(int step, I row, int rank, int size) const {
        task const at = task_of(step);
        csr_view<S, I> const& m = matrix(at);
        bool const dense = at.what == work::solution;
        T const* const x = vector(at);
        T const* const scale = at.what == work::residual ? levels[at.level].diagonal : nullptr;
        row_slice<T, I> s;
        s.stride = size;
        s.next = (dense ? row * last_rows : m.row_begin(row)) + I(rank);
        s.end = dense ? (row + 1) * last_rows : m.row_end(row);
        T sum(0);
        while (s.next < s.end) {
            take(at, row, s);
            sum += s.times(scale, x);
        }
        return sum;
    }
    COPPICE_HD void finish(int step, I row, T sum) const {
        task const at = task_of(step);
        lower_level<T, S, I> const& l = levels[at.level];
        switch (at.what) {
        case work::residual: // stored in x, which is still unused
            l.smoothed[row] = l.diagonal[row] * l.b[row];
            l.x[row] = l.b[row] - l.scale * sum;
            break;
        case work::restriction:
            l.b_below[row] = sum;
            break;
        case work::solution:
            l.x_below[row] = sum;
            break;
        case work::correction:
            l.smoothed[row] += sum;
            break;
        case work::smoothing:
            l.x[row] = l.smoothed[row] + l.diagonal[row] * (l.b[row] - l.scale * sum);
            break;
        }
    }

private:
    enum class work { residual, restriction, solution, correction, smoothing };
    struct task {
        work what;
        int level; ///< level of the solution: the one above
    };
    COPPICE_HD task task_of(int step) const {
        if (step < 2 * count) return {step % 2 == 0 ? work::residual : work::restriction, step / 2};
        if (step == 2 * count) return {work::solution, count - 1};
        int const up = step - 2 * count - 1;
        return {up % 2 == 0 ? work::correction : work::smoothing, count - 1 - up / 2};
    }
    COPPICE_HD csr_view<S, I> const& matrix(task at) const {
        lower_level<T, S, I> const& l = levels[at.level];
        return at.what == work::restriction ? l.r : at.what == work::correction ? l.p : l.a;
    }
    COPPICE_HD void take(task at, I row, row_slice<T, I>& s) const {
        csr_view<S, I> const& m = matrix(at);
        bool const dense = at.what == work::solution;
        s.count = 0;
        COPPICE_UNROLL
        for (int q = 0; q < row_slice<T, I>::batch; ++q) {
            if (s.next >= s.end) break;
            s.columns[q] = dense ? s.next - row * last_rows : m.indices[s.next];
            s.values[q] = dense ? inverse[s.next] : T(detail::stored_value<S>::load(m.coefficients[s.next]));
            s.next += I(s.stride);
            s.count = q + 1;
        }
    }
    COPPICE_HD T const* vector(task at) const {
        lower_level<T, S, I> const& l = levels[at.level];
        switch (at.what) {
        case work::residual:
            return l.b; // the diagonal is multiplied later
        case work::restriction:
            return l.x;
        case work::correction:
            return l.x_below;
        case work::smoothing:
            return l.smoothed;
        case work::solution:
            break;
        }
        return l.b_below;
    }
};

/// The maximum number of entries of a row of A, P or R.
template <class I>
struct longest_of_rows {
    I const *a, *p, *r; ///< offsets
    I rows, rows_below;
    COPPICE_HD I operator()(std::int64_t i) const {
        maximum const larger;
        I longest = 0;
        if (i < rows) longest = larger(a[i + 1] - a[i], p[i + 1] - p[i]);
        return i < rows_below ? larger(longest, r[i + 1] - r[i]) : longest;
    }
};

template <class T, class S, class I>
struct run_lower_row {
    lower_cycle<T, S, I> const* cycle;
    int step;
    void operator()(std::int64_t i) const {
        auto const row = static_cast<I>(i);
        cycle->finish(step, row, cycle->partial_sum(step, row, 0, 1));
    }
};
template <class T, class S, class I>
void run_lower_levels(host_executor const& exec, lower_cycle<T, S, I> const& cycle) {
    for (int step = 0; step < cycle.steps(); ++step)
        for_each(exec, cycle.rows(step), run_lower_row<T, S, I>{&cycle, step});
}
template <class T, class S, class I>
void run_lower_levels(cuda_executor const& exec, lower_cycle<T, S, I> const& cycle);

} // namespace coppice::inline v0_1::multilevel_detail

#if defined(__CUDACC__)
#include <coppice/solvers/multilevel/lower_levels_cuda.cuh>
#endif
