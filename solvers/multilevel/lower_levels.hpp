// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The lower levels of a V cycle as one piece of work: where a level has few rows, a device needs longer to start a
/// step of the cycle than to run it, so that one kernel takes them all, step by step.
#pragma once

#include <cstdint>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/semiring/operators/stored_value.hpp>

namespace coppice::multilevel_detail {

/// A level that is not the last one, smoothed by a diagonal matrix D before and behind the correction: A = unit a, P to
/// it from the next level and R to that, whose vectors are b_below and x_below.
template <class T, class S, class I>
struct lower_level {
    csr_view<S, I> a{}, p{}, r{};
    T unit = 1;
    T const *diagonal = nullptr, *b = nullptr;
    T *x = nullptr, *smoothed = nullptr, *b_below = nullptr, *x_below = nullptr;
};

/// Entries of a row that a worker takes at once, so that their loads do not wait for each other, of all those that are
/// `stride` apart.
template <class T, class I>
struct row_share {
    static constexpr int at_once = 4;
    I columns[at_once];
    T values[at_once];
    int count = 0, stride = 1;
    I next = 0, end = 0; ///< nonzeros that are left

    /// With scale[j] x[j], or x[j] where `scale` is null.
    COPPICE_HD T times(T const* scale, T const* x) const {
        T factors[at_once];
        COPPICE_UNROLL
        for (int q = 0; q < at_once; ++q)
            factors[q] = q >= count ? T(0) : scale ? scale[columns[q]] * x[columns[q]] : x[columns[q]];
        T sum(0);
        COPPICE_UNROLL
        for (int q = 0; q < at_once; ++q) sum += q < count ? values[q] * factors[q] : T(0);
        return sum;
    }
};

/// One V cycle from zero over levels[0, count) and the last one below them, which inverse[rows, rows] solves, in steps:
/// each reads what those before it wrote. A step has rows, in any order; a row is the sum of shares, and what is done
/// with it.
template <class T, class S, class I>
struct lower_cycle {
    static constexpr int most = 12; ///< levels: they are a parameter of a kernel

    lower_level<T, S, I> levels[most]{};
    int count = 0;
    T const* inverse = nullptr;
    I last_rows = 0;

    COPPICE_HD int steps() const { return count > 0 ? 4 * count + 1 : 0; }
    COPPICE_HD I rows(int step) const {
        place const at = where(step);
        return at.what == work::solution ? last_rows : matrix(at).rows();
    }
    COPPICE_HD I nonzeros(int step) const {
        place const at = where(step);
        return at.what == work::solution ? last_rows * last_rows : matrix(at).nonzeros();
    }
    /// Share `rank` of `size` of the sum of a row.
    COPPICE_HD T share(int step, I row, int rank, int size) const {
        place const at = where(step);
        csr_view<S, I> const& m = matrix(at);
        bool const dense = at.what == work::solution;
        T const* const x = vector(at);
        T const* const scale = at.what == work::residual ? levels[at.level].diagonal : nullptr;
        row_share<T, I> s;
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
        place const at = where(step);
        lower_level<T, S, I> const& l = levels[at.level];
        switch (at.what) {
        case work::residual: // in x, which nobody needs yet
            l.smoothed[row] = l.diagonal[row] * l.b[row];
            l.x[row] = l.b[row] - l.unit * sum;
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
            l.x[row] = l.smoothed[row] + l.diagonal[row] * (l.b[row] - l.unit * sum);
            break;
        }
    }

private:
    enum class work { residual, restriction, solution, correction, smoothing };
    struct place {
        work what;
        int level; ///< of the solution: the one above
    };
    COPPICE_HD place where(int step) const {
        if (step < 2 * count) return {step % 2 == 0 ? work::residual : work::restriction, step / 2};
        if (step == 2 * count) return {work::solution, count - 1};
        int const up = step - 2 * count - 1;
        return {up % 2 == 0 ? work::correction : work::smoothing, count - 1 - up / 2};
    }
    COPPICE_HD csr_view<S, I> const& matrix(place at) const {
        lower_level<T, S, I> const& l = levels[at.level];
        return at.what == work::restriction ? l.r : at.what == work::correction ? l.p : l.a;
    }
    COPPICE_HD void take(place at, I row, row_share<T, I>& s) const {
        csr_view<S, I> const& m = matrix(at);
        bool const dense = at.what == work::solution;
        s.count = 0;
        COPPICE_UNROLL
        for (int q = 0; q < row_share<T, I>::at_once; ++q) {
            if (s.next >= s.end) break;
            s.columns[q] = dense ? s.next - row * last_rows : m.indices[s.next];
            s.values[q] = dense ? inverse[s.next] : T(detail::stored_value<S>::load(m.coefficients[s.next]));
            s.next += I(s.stride);
            s.count = q + 1;
        }
    }
    COPPICE_HD T const* vector(place at) const {
        lower_level<T, S, I> const& l = levels[at.level];
        switch (at.what) {
        case work::residual:
            return l.b; // times the diagonal
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

/// The most entries that a row of A, P or R has.
template <class I>
struct longest_of_rows {
    I const *a, *p, *r; ///< offsets
    I rows, rows_below;
    COPPICE_HD I operator()(std::int64_t i) const {
        maximum const larger;
        I most = 0;
        if (i < rows) most = larger(a[i + 1] - a[i], p[i + 1] - p[i]);
        return i < rows_below ? larger(most, r[i + 1] - r[i]) : most;
    }
};

template <class T, class S, class I>
struct run_lower_row {
    lower_cycle<T, S, I> const* cycle;
    int step;
    void operator()(std::int64_t i) const {
        auto const row = static_cast<I>(i);
        cycle->finish(step, row, cycle->share(step, row, 0, 1));
    }
};
template <class T, class S, class I>
void run_lower_levels(host_executor const& exec, lower_cycle<T, S, I> const& cycle) {
    for (int step = 0; step < cycle.steps(); ++step)
        for_each(exec, cycle.rows(step), run_lower_row<T, S, I>{&cycle, step});
}
template <class T, class S, class I>
void run_lower_levels(cuda_executor const& exec, lower_cycle<T, S, I> const& cycle);

} // namespace coppice::multilevel_detail

#if defined(__CUDACC__)
#include <coppice/solvers/multilevel/lower_levels_cuda.cuh>
#endif
