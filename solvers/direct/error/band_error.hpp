// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Backward errors of a solution and what follows from them: written once over for_each, so that nothing waits.
#pragma once

#include <cmath>
#include <cstdint>

#include <coppice/core/device_predicate.hpp>
#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>
#include <coppice/solvers/direct/error/error_rows.hpp>
#include <coppice/solvers/direct/error/zero_sums.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>

namespace coppice::chain {

/// part 2^exponent, so that products, sums and ratios of such neither overflow nor underflow on the way, and are
/// rounded as those of plain numbers are.
struct far_number {
    double part; ///< between 1/4 and 1, or 0, infinity, NaN
    int exponent;

    COPPICE_HD static far_number of(double value) {
        int exponent = 0;
        double const part = frexp(value, &exponent);
        return {part, value - value == 0 ? exponent : 0};
    }
    friend COPPICE_HD far_number operator*(far_number const& a, far_number const& b) {
        return {a.part * b.part, a.exponent + b.exponent};
    }
    friend COPPICE_HD far_number operator+(far_number const& a, far_number const& b) {
        if (a.part == 0 || b.part == 0) return a.part == 0 ? b : a;
        int const top = a.exponent > b.exponent ? a.exponent : b.exponent;
        return {ldexp(a.part, a.exponent - top) + ldexp(b.part, b.exponent - top), top};
    }
    COPPICE_HD double over(far_number const& b) const { return ldexp(part / b.part, exponent - b.exponent); }
};

/// Raises `to` by what other rows have.
COPPICE_HD COPPICE_ALWAYS_INLINE void raise(row_extremes<double>& to, row_extremes<double> const& by) {
    raise_to(&to.residual, by.residual);
    raise_to(&to.matrix, by.matrix);
    raise_to(&to.solution, by.solution);
    raise_to(&to.side, by.side);
    raise_to(&to.componentwise, by.componentwise);
    if (by.hollow != 0) raise_to(&to.hollow, by.hollow);
}

/// Largest values over the rows of one column of one system.
struct error_parts : row_extremes<double> {
    /// |A x - d| / (|A| |x| + |d|).
    COPPICE_HD double normwise() const {
        if (residual == 0 || !(residual <= 1.7976931348623157e308)) return residual;
        if (plain() && middling(residual)) return residual / (matrix * solution * error_unit + side);
        double const share = far_number::of(residual).over(product() + far_number::of(side));
        return share == share ? share : residual;
    }
    /// |A| |x| / |d|.
    COPPICE_HD double growth() const {
        if (plain()) return matrix * solution * error_unit / side;
        return product().over(far_number::of(side));
    }
    COPPICE_HD static void larger_of(double& to, double value) { to = larger_or_nan(to, value); }

private:
    /// Whether nothing overflows or underflows as it stands: the same bits, sooner.
    COPPICE_HD bool plain() const { return middling(matrix) && middling(solution) && middling(side); }
    COPPICE_HD static bool middling(double value) { return value >= 1e-70 && value <= 1e70; }
    COPPICE_HD far_number product() const {
        far_number p = far_number::of(matrix) * far_number::of(solution);
        p.exponent += 6; // matrix is a 64th
        return p;
    }
};
static_assert(error_unit == 1 << 6);

/// A scalar row of one column, from its number among all.
template <class T>
struct row_place {
    std::int64_t side, row;
    system_place system;
    std::int64_t j;
    int r;

    // Divided only where it must be: 64 bits take a GPU a hundred instructions.
    COPPICE_HD row_place(matrix_rows<T> const& a, std::int64_t at) : side(at < a.scalar_rows ? 0 : at / a.scalar_rows) {
        row = at - side * a.scalar_rows;
        std::int64_t const i = a.n == 1 ? row : row / a.n;
        system = a.batch.system(a.batch.system_of(i));
        j = i - a.batch.first_row(system.system);
        r = int(row - i * a.n);
    }
};

/// Which systems a try is about: all of them, or those that wait for it. Where a gate points to 0 nothing waits, and
/// the try does not take place.
struct try_scope {
    int number = 1; ///< of the try, from 1
    int const* gate = nullptr;
    int const* next = nullptr; ///< [system]: number of the try that it waits for; null: all wait for this one

    COPPICE_HD bool open() const { return is_open(gate); }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool covers(std::int64_t system) const { return !next || next[system] == number; }
    /// Whether a system keeps its solution and is eliminated only to see whether it is singular.
    COPPICE_HD bool examines(std::int64_t system) const { return next && next[system] == -number; }
};
/// Whether it is known by now that a try does not take place: never on a device, whose gates the host does not wait
/// for.
template <class Executor>
bool stays_closed(Executor const&, int const*) {
    return false;
}
inline bool stays_closed(host_executor const&, int const* gate) { return !is_open(gate); }

/// Does work(i) for i = t, t + workers, ...: a closed gate stops few threads where one for each row would be many.
template <class Work>
struct strided_work {
    Work work;
    std::int64_t items, workers;
    COPPICE_HD void operator()(std::int64_t t) const {
        if (!work.scope.open()) return;
        for (std::int64_t i = t; i < items; i += workers) work(i);
    }
};
COPPICE_HD inline std::int64_t workers_for(std::int64_t items) {
    constexpr std::int64_t most = 1 << 18; // threads that fill a device
    std::int64_t const workers = (items + 15) / 16;
    return workers < most ? workers : most;
}

/// The measuring of all rows of all columns.
template <class T>
struct measure_job {
    residual_rows<T> rows;
    error_parts* parts; ///< [system][column], zero at first
    std::int64_t columns;
    try_scope scope;
    zero_sums<T> sums;

    /// Whether work is dealt out by systems, side by side in memory.
    COPPICE_ALWAYS_INLINE bool by_systems() const { return rows.a.batch.interleaved && rows.a.batch.systems > 1; }
    /// Takes what rows of a column of a system tell, all of them or some.
    COPPICE_ALWAYS_INLINE void keep(system_place const& s, std::int64_t column, row_extremes<double> const& most,
                                    bool all) const {
        row_extremes<double>& to = parts[s.system * columns + column];
        if (all)
            to = most;
        else
            raise(to, most);
    }
};

inline constexpr int most_tries = 3; ///< rpts, the chain solver, a step of refinement by that
inline constexpr int try_flags = most_tries + 2;

/// What tries tell of the systems.
struct verdict_memory {
    error_parts* parts;     ///< [system][column]: of the try that is measured; zero between tries
    bool* inaccurate;       ///< [system][column]: whether the backward error of the last try was beyond the bound
    std::int64_t* singular; ///< [system]: met_at() of the first row without a pivot, or no_row
    int* next;              ///< [system]: the try that it waits for, 0 for none; -k: only examined by try k
    int* uneven;            ///< of zero_sums
    int* wanted;            ///< [k]: does any system wait for try k? 0 or not; and behind them `arrived`
    std::int64_t systems, columns;

    /// Counts the blocks of a kernel that are done; zero between kernels.
    COPPICE_HD int* arrived() const { return wanted + most_tries + 1; }
    try_scope waiting_for(int number) const { return {number, wanted + number, next}; }
};

/// Nothing measured, no system waits for anything, every column has had a pivot: item i of items().
template <class T>
struct clear_verdicts {
    verdict_memory memory;
    zero_sums<T> sums;

    std::int64_t items() const {
        std::int64_t const parts = memory.systems * memory.columns;
        return parts > try_flags ? parts : try_flags;
    }
    COPPICE_HD void operator()(std::int64_t i) const {
        if (i < memory.systems * memory.columns) memory.parts[i] = error_parts{};
        if (i < memory.systems) {
            memory.singular[i] = no_row;
            sums.begin(i);
        }
        if (i < try_flags) memory.wanted[i] = 0;
    }
};
struct report_nothing {
    solve_report* report;
    double condition;
    COPPICE_HD void operator()(std::int64_t i) const { report[i] = {0, 0, -1, solve_status::ok, 0, condition}; }
};

/// How a try is judged, and what follows.
struct judgement {
    double bound;           ///< of the backward error
    double growth = 0;      ///< |A| |x| / |d| from which on a solution is not trusted; 0 where pivots were told of
    int if_inaccurate = 0;  ///< the try that a system waits for where only its backward error is beyond the bound, and
    int if_doubtful = 0;    ///< where it is not finite or not trusted; 0: none
    int if_hollow = 0;      ///< the try that is to look for columns without a pivot where every right-hand side has an
                            ///< unknown that is zero, as an unknown without a pivot is: all others stand out
    bool numbered = true;   ///< false: the reports keep the number of the try
    bool eliminated = true; ///< the try said which columns have no pivot
};

/// Turns the parts of a system into its report, and says whether it should be tried again.
struct judge_system {
    verdict_memory memory;
    solve_report* report;
    try_scope scope;
    judgement about;
    batch_shape batch;
    std::int64_t block, scalar_rows; ///< rows of a block and of all systems

    COPPICE_HD void operator()(std::int64_t s) const {
        if (!scope.open()) return;
        if (!scope.covers(s)) {
            if (!about.eliminated) return;
            if (scope.examines(s) && memory.singular[s] != no_row)
                call_singular(report[s], row_met(memory.singular[s]));
            memory.singular[s] = no_row; // of an elimination whose result is not taken
            return;
        }
        solve_report r{0, 0, -1, solve_status::ok, about.numbered ? scope.number : report[s].tries, 0};
        bool doubtful = false, finite = true; // the matrix: an infinite pivot takes its row away from the others
        bool hollow = true;
        for (std::int64_t c = 0; c < memory.columns; ++c) {
            std::int64_t const at = s * memory.columns + c;
            error_parts const p = memory.parts[at];
            memory.parts[at] = error_parts{};
            double const error = p.normwise();
            memory.inaccurate[at] = !(error <= about.bound);
            error_parts::larger_of(r.backward_error, error);
            error_parts::larger_of(r.componentwise_error, p.componentwise);
            if (about.growth > 0 && !(p.growth() < about.growth)) doubtful = true;
            if (!(p.solution <= 1.7976931348623157e308)) r.status = solve_status::not_finite;
            if (!(p.matrix <= 1.7976931348623157e308)) finite = false;
            if (p.hollow == 0) hollow = false;
        }
        double const infinity = 1e308 * 10;
        if (!(r.backward_error < infinity)) r.status = solve_status::not_finite;
        if (r.status == solve_status::ok && !(r.backward_error <= about.bound)) r.status = solve_status::inaccurate;
        if (finite && memory.singular[s] != no_row)
            call_singular(r, row_met(memory.singular[s]));
        else if (!memory.uneven[2 * s] || !memory.uneven[2 * s + 1])
            call_singular(r, last_row(s));
        report[s] = r;
        int next = 0;
        if (doubtful || r.status == solve_status::not_finite)
            next = about.if_doubtful;
        else if (r.status == solve_status::inaccurate)
            next = about.if_inaccurate;
        else if (hollow)
            next = -about.if_hollow;
        memory.next[s] = next;
        if (next != 0) raise_flag(memory.wanted + (next > 0 ? next : -next));
    }
    COPPICE_HD static void call_singular(solve_report& r, std::int64_t row) {
        r.status = solve_status::singular;
        r.row = row;
    }
    /// Where an elimination in the order of the rows would be left without a pivot.
    COPPICE_HD std::int64_t last_row(std::int64_t s) const {
        std::int64_t const rows = batch.system(s).rows * block;
        return (rows < scalar_rows ? rows : scalar_rows) - 1;
    }
};

/// r = d - A x for iterative refinement.
template <class T>
struct residual_to {
    residual_rows<T> rows;
    T* r;
    try_scope scope;
    COPPICE_HD void operator()(std::int64_t at) const {
        row_place<T> const here(rows.a, at);
        auto const value = rows.sums(here.system, here.j, here.r, here.side).rest;
        r[rows.place(here.system, here.j, here.r) + here.side * rows.a.scalar_rows] = narrowed(value, T());
    }
};
/// x += correction, where that is finite.
template <class T>
struct add_correction {
    T *x, *correction;
    std::int64_t rows, x_leading;
    COPPICE_HD void operator()(std::int64_t at) const {
        std::int64_t const side = at / rows;
        add(x[at - side * rows + side * x_leading], correction[at]);
    }
    COPPICE_HD static void add(T& value, T const& step) {
        if (magnitude(widened(step)) <= 1.7976931348623157e308) value = value + step;
    }
};
/// The same for columns whose backward error is beyond the bound, so that no other changes by as much as a bit.
template <class T>
struct correct_inaccurate {
    matrix_rows<T> a;
    add_correction<T> correct;
    verdict_memory memory;
    try_scope scope;
    COPPICE_HD void operator()(std::int64_t at) const {
        row_place<T> const here(a, at);
        std::int64_t const s = here.system.system, place = (here.system.base + here.j * here.system.stride) * a.n;
        if (scope.covers(s) && memory.inaccurate[s * memory.columns + here.side])
            correct(here.side * a.scalar_rows + place + here.r);
    }
};
/// x = the answer of another solver, for the systems that wait for it.
template <class T>
struct take_answer {
    matrix_rows<T> a;
    T *x, *answer;
    std::int64_t x_leading;
    try_scope scope;
    COPPICE_HD void operator()(std::int64_t at) const {
        row_place<T> const here(a, at);
        if (!scope.covers(here.system.system)) return;
        std::int64_t const place = (here.system.base + here.j * here.system.stride) * a.n + here.r;
        x[place + here.side * x_leading] = answer[place + here.side * a.scalar_rows];
    }
};

} // namespace coppice::chain
