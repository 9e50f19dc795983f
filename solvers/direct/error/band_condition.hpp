// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Estimates the condition number |A|_1 |A^-1|_1 of every system of a batch, from below, by Hager's iteration (SIAM J.
/// Sci. Stat. Comput. 5, 1984) with the second start of Higham (ACM Trans. Math. Softw. 14, 1988, Algorithm 4.1).
///
///     v = A^-1 x,   s = v / |v|,   z = A^-H s,   next x = the unit vector at the largest |z_j|
///
/// LAPACK estimates the norm by |v|_1. Another lower bound is |z|_inf, since |s|_inf = 1. It is the better one for
/// |x|_1 = 1: |v|_1 = s^H v = z^H x. So only maxima are needed, for any layout of the systems and in any order. The
/// iteration of an estimate ends if |z|_inf has not increased. After all have ended, a flag disables the remaining
/// rounds.
#pragma once

#include <cstdint>

#include <coppice/core/device_predicate.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>

namespace coppice::inline v0_1::chain {

inline constexpr int condition_starts = 2; ///< starts of each system, iterated simultaneously
inline constexpr int condition_rounds = 5; ///< as many as LAPACK's lacn2 allows; usually two or three are needed

COPPICE_HD inline double modulus(double a) { return magnitude(a); }
COPPICE_HD inline double modulus(complex_lane<double> const& a) {
    double const re = magnitude(a.re), im = magnitude(a.im);
    double const large = re < im ? im : re, ratio = (re < im ? re : im) / large;
    if (!(large > 0 && large <= 1.7976931348623157e308)) return re + im;
    return large * __builtin_sqrt(1 + ratio * ratio);
}

/// State of the estimate of one system from one start.
struct estimate_state {
    double reached;  ///< largest |z_j| of all rounds
    double peak;     ///< largest |z_j| of this round,
    std::int64_t at; ///< and its index in the column; no_row if there is none
};

/// Memory of an estimate. Every array except `vectors` has an element for each system; `estimates` is [system][start].
template <class T>
struct condition_memory {
    T* vectors; ///< [start][scalar row]
    estimate_state* estimates;
    double *norm, *condition;
    std::int64_t* singular; ///< not no_row: the condition number is infinite
    int* unfinished;
};

/// Size of x: 1, or near |A|_1 (within a factor 2) if that is smaller. Then neither v nor A v overflows unless the
/// condition number does.
template <class Real>
COPPICE_HD Real scale_of(double norm) {
    double const smallest = double(std::numeric_limits<Real>::min());
    if (!(norm > smallest)) return norm > 0 ? Real(smallest) : Real(1);
    return norm < 1 ? Real(1 / scale_to_one(norm)) : Real(1);
}

/// |A|_1 from the rows of A^H, which `workers` threads process with stride `workers`.
template <class T>
struct measure_norm {
    matrix_rows<T> adjoint;
    condition_memory<T> memory;
    std::int64_t workers;

    COPPICE_HD void operator()(std::int64_t t) const {
        for (std::int64_t at = t; at < adjoint.scalar_rows; at += workers) {
            row_location<T> const here(adjoint, at);
            raise_to(memory.norm + here.system.system, row_sum(here));
        }
    }
    COPPICE_HD double row_sum(row_location<T> const& here) const {
        int const all = 3 * adjoint.n;
        // In a cyclic matrix of one or two block rows, several entries have the same column.
        int const period = adjoint.cyclic && here.system.rows < 3 ? int(here.system.rows) * adjoint.n : all;
        double sum = 0;
        for (int c = 0; c < period; ++c) {
            auto entry = widened(adjoint.entry(here.system, here.j, here.r, c));
            for (int k = c + period; k < all; k += period)
                entry = entry + widened(adjoint.entry(here.system, here.j, here.r, k));
            sum += modulus(entry);
        }
        return sum;
    }
};

/// Common data of the steps of a round; a step is called for the elements of all vectors.
template <class T>
struct estimate_step {
    matrix_rows<T> a;
    condition_memory<T> memory;
    int const* predicate; ///< null, or: do nothing if it points to 0

    using real = typename lane_traits<real_lane_t<T>>::value_type;

    COPPICE_HD bool open() const { return is_enabled(predicate); }
    COPPICE_HD estimate_state& estimate(row_location<T> const& here) const {
        return memory.estimates[here.system.system * condition_starts + here.rhs_index];
    }
    COPPICE_HD T& element(row_location<T> const& here) const {
        return memory.vectors[here.rhs_index * a.scalar_rows + here.offset];
    }
    COPPICE_HD real scale(row_location<T> const& here) const { return scale_of<real>(memory.norm[here.system.system]); }
};

/// x of the first round: for the first start ones, for the second Higham's increasing numbers of alternating signs, for
/// matrices whose inverse cancels ones.
template <class T>
struct start_estimates : estimate_step<T> {
    COPPICE_HD void operator()(std::int64_t at) const {
        row_location<T> const here(this->a, at);
        auto const scale = this->scale(here);
        std::int64_t const i = here.j * this->a.n + here.r, last = here.system.rows * this->a.n - 1;
        auto const rising =
            scale + scale * (typename estimate_step<T>::real(i) / typename estimate_step<T>::real(last + 1));
        this->element(here) = T(here.rhs_index == 0 ? scale : i % 2 == 0 ? rising : -rising);
    }
};

/// x of later rounds: the unit vector at the index of the largest |z_j|.
template <class T>
struct unit_vectors : estimate_step<T> {
    COPPICE_HD void operator()(std::int64_t at) const {
        if (!this->open()) return;
        row_location<T> const here(this->a, at);
        bool const peak = this->estimate(here).at == here.offset;
        this->element(here) = peak ? T(this->scale(here)) : T(0);
    }
};

/// v -> v / |v|; 1 if v is zero or not finite. If v overflows, the condition number is infinite.
template <class T>
struct take_signs : estimate_step<T> {
    COPPICE_HD void operator()(std::int64_t at) const {
        if (!this->open()) return;
        row_location<T> const here(this->a, at);
        T& element = this->element(here);
        auto const scale = this->scale(here);
        double const size = modulus(widened(element));
        bool const is_finite = size <= double(std::numeric_limits<typename estimate_step<T>::real>::max());
        if (!is_finite) lower_to(this->memory.singular + here.system.system, here.j);
        element = size > 0 && is_finite ? sign(widened(element), size, scale) : T(scale);
    }
    template <class Real>
    COPPICE_HD static Real sign(double v, double, Real scale) {
        return v < 0 ? -scale : scale;
    }
    template <class Real>
    COPPICE_HD static complex_lane<Real> sign(complex_lane<double> const& v, double size, Real scale) {
        return {Real(v.re / size) * scale, Real(v.im / size) * scale};
    }
};

/// The largest |z_j| of every estimate; worker t processes elements t, t + workers, ...
template <class T>
struct find_maxima : estimate_step<T> {
    std::int64_t workers;
    COPPICE_HD void operator()(std::int64_t t) const {
        if (!this->open()) return;
        estimate_state* mine = nullptr;
        double largest = 0;
        for (std::int64_t at = t; at < this->a.scalar_rows * condition_starts; at += workers) {
            row_location<T> const here(this->a, at);
            if (estimate_state* const of = &this->estimate(here); of != mine) {
                if (mine) raise_to(&mine->peak, largest);
                mine = of;
                largest = 0;
            }
            column_error::larger_of(largest, modulus(widened(this->element(here))));
        }
        if (mine) raise_to(&mine->peak, largest);
    }
};

/// The index of the largest |z_j|; the smallest one if several are equal.
template <class T>
struct find_positions : estimate_step<T> {
    COPPICE_HD void operator()(std::int64_t at) const {
        if (!this->open()) return;
        row_location<T> const here(this->a, at);
        estimate_state& estimate = this->estimate(here);
        if (estimate.peak > estimate.reached && modulus(widened(this->element(here))) == estimate.peak)
            lower_to(&estimate.at, here.offset);
    }
};

/// Before a round: resets maxima and indices. An estimate that has ended has no index, so that its x is zero.
struct reset_maxima {
    estimate_state* estimates;
    int const* predicate;
    COPPICE_HD void operator()(std::int64_t i) const {
        if (!is_enabled(predicate)) return;
        estimates[i].peak = 0;
        estimates[i].at = no_row;
    }
};
/// After a round: updates the estimates and flags whether any continues.
struct advance_estimates {
    estimate_state* estimates;
    int* unfinished;
    COPPICE_HD void operator()(std::int64_t i) const {
        estimate_state& estimate = estimates[i];
        if (estimate.peak != estimate.peak) estimate.peak = 1e308 * 10; // NaN, after an overflow
        if (!(estimate.peak > estimate.reached)) return;
        estimate.reached = estimate.peak;
        if (estimate.at != no_row) raise_flag(unfinished);
    }
};

template <class T>
struct begin_estimate {
    condition_memory<T> memory;
    COPPICE_HD void operator()(std::int64_t s) const {
        memory.norm[s] = 0;
        memory.singular[s] = no_row;
        for (int c = 0; c < condition_starts; ++c) memory.estimates[s * condition_starts + c] = {0, 0, no_row};
        if (s == 0) *memory.unfinished = 1;
    }
};
/// |A|_1 |A^-1|_1 of a system.
template <class T>
struct end_estimate {
    matrix_rows<T> a;
    condition_memory<T> memory;

    COPPICE_HD void operator()(std::int64_t s) const {
        double const infinity = 1e308 * 10;
        using real = typename estimate_step<T>::real;
        double const norm = memory.norm[s];
        double inverse = 0; // |A^-1|_1 divided by the scale of the system
        for (int c = 0; c < condition_starts; ++c)
            column_error::larger_of(inverse, memory.estimates[s * condition_starts + c].reached);
        double condition = norm / double(scale_of<real>(norm)) * inverse;
        if (memory.singular[s] != no_row) condition = infinity;
        if (!(norm < infinity)) condition = norm - norm; // gives NaN
        if (a.batch.system(s).rows == 0) condition = 1;
        memory.condition[s] = condition;
    }
};

struct report_condition {
    double const* condition;
    solve_report* report;
    COPPICE_HD void operator()(std::int64_t s) const {
        report[s].condition = report[s].status == solve_status::singular ? 1e308 * 10 : condition[s];
    }
};

/// Fills memory.condition. `solve(rows, vectors, singular, predicate)` overwrites vectors[start][scalar row] with the
/// solution of the systems of `rows`, lowers `singular`, unless null, to the first rows without a pivot, and does
/// nothing if `predicate` points to 0. Does not wait.
template <class T, class Executor, class Solve>
void compute_condition(Executor const& exec, matrix_rows<T> a, condition_memory<T> const& memory, Solve const& solve) {
    constexpr bool real_values = std::is_floating_point_v<T>;
    auto const transposed = real_values ? matrix_operation::transposed : matrix_operation::conjugate_transposed;
    // A^T and A^H have the same condition number.
    bool const plain = a.op == matrix_operation::none;
    matrix_rows<T> adjoint = a;
    (plain ? adjoint : a).op = transposed;
    (plain ? a : adjoint).op = matrix_operation::none;

    std::int64_t const systems = a.batch.systems, estimates = systems * condition_starts;
    std::int64_t const elements = a.scalar_rows * condition_starts, workers = (elements + 15) / 16;
    int* const predicate = memory.unfinished;
    for_each(exec, systems, begin_estimate<T>{memory});
    std::int64_t const row_workers = (a.scalar_rows + 15) / 16;
    for_each(exec, row_workers, measure_norm<T>{adjoint, memory, row_workers});
    for_each(exec, elements, start_estimates<T>{{a, memory, nullptr}});
    for (int round = 0; round < condition_rounds; ++round) {
        if (round > 0) for_each(exec, elements, unit_vectors<T>{{a, memory, predicate}});
        for_each(exec, estimates, reset_maxima{memory.estimates, predicate});
        // One of the two may round a zero pivot to a nonzero one. Without the zero pivot of the other, z would be
        // small.
        std::int64_t* const singular = round == 0 ? memory.singular : nullptr;
        solve(a, memory.vectors, singular, predicate);
        for_each(exec, elements, take_signs<T>{{a, memory, predicate}});
        solve(adjoint, memory.vectors, singular, predicate);
        for_each(exec, workers, find_maxima<T>{{a, memory, predicate}, workers});
        for_each(exec, elements, find_positions<T>{{a, memory, predicate}});
        fill(exec, array_view<int>(memory.unfinished, 1), 0);
        for_each(exec, estimates, advance_estimates{memory.estimates, memory.unfinished});
    }
    for_each(exec, systems, end_estimate<T>{a, memory});
}

} // namespace coppice::inline v0_1::chain
