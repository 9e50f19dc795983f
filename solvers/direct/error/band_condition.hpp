// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Estimates of the condition number |A|_1 |A^-1|_1 of every system of a batch, from below: Hager's climb (SIAM
/// J. Sci. Stat. Comput. 5, 1984) with the second start of Higham (ACM Trans. Math. Softw. 14, 1988, Algorithm 4.1).
///
///     v = A^-1 x,   s = v / |v|,   z = A^-H s,   next x = the unit vector at the largest |z_j|
///
/// The norm that LAPACK estimates by |v|_1 is also bounded from below by |z|_inf, as |s|_inf = 1, and for |x|_1 = 1
/// that is the better bound: |v|_1 = s^H v = z^H x. So maxima are all that is needed, over any layout of systems and in
/// any order. A climb ends where z has not become larger; when all have ended, a flag closes the rounds that are left.
#pragma once

#include <cstdint>

#include <coppice/core/device_predicate.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>

namespace coppice::chain {

inline constexpr int condition_starts = 2; ///< climbs of a system, side by side
inline constexpr int condition_rounds = 5; ///< as many as LAPACK's lacn2 allows; two or three are the rule

COPPICE_HD inline double modulus(double a) { return magnitude(a); }
COPPICE_HD inline double modulus(complex_lane<double> const& a) {
    double const re = magnitude(a.re), im = magnitude(a.im);
    double const large = re < im ? im : re, ratio = (re < im ? re : im) / large;
    if (!(large > 0 && large <= 1.7976931348623157e308)) return re + im;
    return large * __builtin_sqrt(1 + ratio * ratio);
}

/// A climb of one system from one start.
struct climb_state {
    double reached;  ///< largest |z_j| of all rounds
    double peak;     ///< of this round,
    std::int64_t at; ///< and where: an index of the column; no_row for none
};

/// Memory of an estimate. Every array but the vectors has an element for each system; climbs are [system][start].
template <class T>
struct condition_memory {
    T* vectors; ///< [start][scalar row]
    climb_state* climbs;
    double *norm, *condition;
    std::int64_t* singular;
    int* climbing;
};

/// The power of two below a norm: |A|_1 = 1 to within a factor 2 when divided by it, so that nothing overflows unless
/// the condition number does.
template <class Real>
COPPICE_HD Real scale_of(double norm) {
    double const most = double(std::numeric_limits<Real>::max()) / 8, least = double(std::numeric_limits<Real>::min());
    if (!(norm > least)) return norm > 0 ? Real(least) : Real(1);
    return norm <= most ? Real(1 / scale_to_one(norm)) : norm <= 1.7976931348623157e308 ? Real(most) : Real(1);
}

/// |A|_1 from rows of A^H: `workers` of them go through all rows.
template <class T>
struct measure_norm {
    matrix_rows<T> adjoint;
    condition_memory<T> memory;
    std::int64_t workers;

    COPPICE_HD void operator()(std::int64_t t) const {
        for (std::int64_t at = t; at < adjoint.scalar_rows; at += workers) {
            row_place<T> const here(adjoint, at);
            raise_to(memory.norm + here.system.system, row_sum(here));
        }
    }
    COPPICE_HD double row_sum(row_place<T> const& here) const {
        int const all = 3 * adjoint.n;
        // Round the corner of one or two block rows, columns meet.
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

/// What the steps of a round share: they go through the elements of all vectors.
template <class T>
struct climb_step {
    matrix_rows<T> a;
    condition_memory<T> memory;
    int const* gate; ///< null, or: do nothing where it points to 0

    using real = typename lane_traits<real_lane_t<T>>::value_type;

    COPPICE_HD bool open() const { return is_open(gate); }
    COPPICE_HD climb_state& climb(row_place<T> const& here) const {
        return memory.climbs[here.system.system * condition_starts + here.side];
    }
    /// Its place within its column.
    COPPICE_HD std::int64_t place(row_place<T> const& here) const {
        return (here.system.base + here.j * here.system.stride) * a.n + here.r;
    }
    COPPICE_HD T& element(row_place<T> const& here) const {
        return memory.vectors[here.side * a.scalar_rows + place(here)];
    }
    COPPICE_HD real scale(row_place<T> const& here) const { return scale_of<real>(memory.norm[here.system.system]); }
};

/// x of the first round: ones, and the rising numbers of alternating signs that Higham adds against matrices whose
/// inverse cancels ones.
template <class T>
struct start_climbs : climb_step<T> {
    COPPICE_HD void operator()(std::int64_t at) const {
        row_place<T> const here(this->a, at);
        auto const scale = this->scale(here);
        std::int64_t const i = here.j * this->a.n + here.r, last = here.system.rows * this->a.n - 1;
        auto const rising = scale + scale * (typename climb_step<T>::real(i) / typename climb_step<T>::real(last + 1));
        this->element(here) = T(here.side == 0 ? scale : i % 2 == 0 ? rising : -rising);
    }
};

/// x of later rounds: the unit vector at the last peak.
template <class T>
struct point_at_peaks : climb_step<T> {
    COPPICE_HD void operator()(std::int64_t at) const {
        if (!this->open()) return;
        row_place<T> const here(this->a, at);
        bool const peak = this->climb(here).at == this->place(here);
        this->element(here) = peak ? T(this->scale(here)) : T(0);
    }
};

/// v -> v / |v|; 1 for zero and where that is not finite.
template <class T>
struct take_signs : climb_step<T> {
    COPPICE_HD void operator()(std::int64_t at) const {
        if (!this->open()) return;
        row_place<T> const here(this->a, at);
        T& element = this->element(here);
        auto const scale = this->scale(here);
        double const size = modulus(widened(element));
        bool const usable = size > 0 && size <= 1.7976931348623157e308;
        element = usable ? sign(widened(element), size, scale) : T(scale);
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

/// The largest |z_j| of every climb; a worker sees elements t, t + workers, ...
template <class T>
struct find_heights : climb_step<T> {
    std::int64_t workers;
    COPPICE_HD void operator()(std::int64_t t) const {
        if (!this->open()) return;
        climb_state* mine = nullptr;
        double most = 0;
        for (std::int64_t at = t; at < this->a.scalar_rows * condition_starts; at += workers) {
            row_place<T> const here(this->a, at);
            if (climb_state* const of = &this->climb(here); of != mine) {
                if (mine) raise_to(&mine->peak, most);
                mine = of;
                most = 0;
            }
            error_parts::larger_of(most, modulus(widened(this->element(here))));
        }
        if (mine) raise_to(&mine->peak, most);
    }
};

/// Where it stands; the first of equals.
template <class T>
struct find_peaks : climb_step<T> {
    COPPICE_HD void operator()(std::int64_t at) const {
        if (!this->open()) return;
        row_place<T> const here(this->a, at);
        climb_state& climb = this->climb(here);
        if (climb.peak > climb.reached && modulus(widened(this->element(here))) == climb.peak)
            lower_to(&climb.at, this->place(here));
    }
};

/// Before a round: nothing found yet. A climb that ended keeps no place, so that it solves for zeros.
struct forget_peaks {
    climb_state* climbs;
    int const* gate;
    COPPICE_HD void operator()(std::int64_t i) const {
        if (!is_open(gate)) return;
        climbs[i].peak = 0;
        climbs[i].at = no_row;
    }
};
struct end_round {
    int* climbing;
    COPPICE_HD void operator()(std::int64_t) const { *climbing = 0; }
};
/// Behind a round: which climbs go on.
struct advance_climbs {
    climb_state* climbs;
    int* climbing;
    COPPICE_HD void operator()(std::int64_t i) const {
        climb_state& climb = climbs[i];
        if (climb.peak != climb.peak) climb.peak = 1e308 * 10; // NaN after an overflow
        if (!(climb.peak > climb.reached)) return;
        climb.reached = climb.peak;
        if (climb.at != no_row) raise_flag(climbing);
    }
};

template <class T>
struct begin_estimate {
    condition_memory<T> memory;
    COPPICE_HD void operator()(std::int64_t s) const {
        memory.norm[s] = 0;
        memory.singular[s] = no_row;
        for (int c = 0; c < condition_starts; ++c) memory.climbs[s * condition_starts + c] = {0, 0, no_row};
        if (s == 0) *memory.climbing = 1;
    }
};
/// |A|_1 |A^-1|_1 of a system.
template <class T>
struct end_estimate {
    matrix_rows<T> a;
    condition_memory<T> memory;

    COPPICE_HD void operator()(std::int64_t s) const {
        double const infinity = 1e308 * 10;
        using real = typename climb_step<T>::real;
        double const norm = memory.norm[s];
        double inverse = 0; // norm, times the scale of the system
        for (int c = 0; c < condition_starts; ++c)
            error_parts::larger_of(inverse, memory.climbs[s * condition_starts + c].reached);
        double condition = norm / double(scale_of<real>(norm)) * inverse;
        if (memory.singular[s] != no_row) condition = infinity;
        if (!(norm < infinity)) condition = norm - norm; // NaN
        if (a.batch.system(s).rows == 0) condition = 1;
        memory.condition[s] = condition;
    }
};

struct copy_condition {
    double const* from;
    double* to;
    COPPICE_HD void operator()(std::int64_t s) const { to[s] = from[s]; }
};
struct report_condition {
    double const* condition;
    solve_report* report;
    COPPICE_HD void operator()(std::int64_t s) const {
        report[s].condition = report[s].status == solve_status::singular ? 1e308 * 10 : condition[s];
    }
};

/// Fills memory.condition. `solve(rows, vectors, singular, gate)` overwrites vectors[scalar row][start] with the
/// solution of the systems of `rows`, gives the rows without a pivot where `singular` is not null, and does nothing
/// where `gate` points to 0. Nothing here waits.
template <class T, class Executor, class Solve>
void climb_condition(Executor const& exec, matrix_rows<T> a, condition_memory<T> const& memory, Solve const& solve) {
    constexpr bool real_values = std::is_floating_point_v<T>;
    auto const turned = real_values ? matrix_operation::transposed : matrix_operation::conjugate_transposed;
    // A^T and A^H have the same condition number.
    bool const plain = a.op == matrix_operation::none;
    matrix_rows<T> adjoint = a;
    (plain ? adjoint : a).op = turned;
    (plain ? a : adjoint).op = matrix_operation::none;

    std::int64_t const systems = a.batch.systems, climbs = systems * condition_starts;
    std::int64_t const elements = a.scalar_rows * condition_starts, workers = (elements + 15) / 16;
    int* const gate = memory.climbing;
    for_each(exec, systems, begin_estimate<T>{memory});
    std::int64_t const row_workers = (a.scalar_rows + 15) / 16;
    for_each(exec, row_workers, measure_norm<T>{adjoint, memory, row_workers});
    for_each(exec, elements, start_climbs<T>{{a, memory, nullptr}});
    for (int round = 0; round < condition_rounds; ++round) {
        if (round > 0) for_each(exec, elements, point_at_peaks<T>{{a, memory, gate}});
        for_each(exec, climbs, forget_peaks{memory.climbs, gate});
        solve(a, memory.vectors, round == 0 ? memory.singular : nullptr, gate);
        for_each(exec, elements, take_signs<T>{{a, memory, gate}});
        solve(adjoint, memory.vectors, nullptr, gate);
        for_each(exec, workers, find_heights<T>{{a, memory, gate}, workers});
        for_each(exec, elements, find_peaks<T>{{a, memory, gate}});
        for_each(exec, 1, end_round{memory.climbing});
        for_each(exec, climbs, advance_climbs{memory.climbs, memory.climbing});
    }
    for_each(exec, systems, end_estimate<T>{a, memory});
}

} // namespace coppice::chain
