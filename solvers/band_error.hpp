// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Backward errors of a solution and what follows from them: written once over for_each, so that nothing waits.
#pragma once

#include <cstdint>

#include <coppice/solvers/band_solver.hpp>
#include <coppice/solvers/chain_stage.hpp>
#include <coppice/solvers/lane_atomics.hpp>

namespace coppice::chain {

COPPICE_HD inline double widened(float a) { return a; }
COPPICE_HD inline double widened(double a) { return a; }
template <class R>
COPPICE_HD inline complex_lane<double> widened(complex_lane<R> const& a) {
    return {double(a.re), double(a.im)};
}

/// Largest values over the rows of one column of one system; |.| of a complex number is |re| + |im|.
struct error_parts {
    double residual, matrix, solution, side, componentwise;

    COPPICE_HD void add(double r, double row, double x, double d, double share) {
        larger_of(residual, r);
        larger_of(matrix, row);
        larger_of(solution, x);
        larger_of(side, d);
        larger_of(componentwise, share);
    }
    COPPICE_HD void raise(error_parts* to) const {
        raise_to(&to->residual, residual);
        raise_to(&to->matrix, matrix);
        raise_to(&to->solution, solution);
        raise_to(&to->side, side);
        raise_to(&to->componentwise, componentwise);
    }
    /// |A x - d| / (|A| |x| + |d|), where no product overflows.
    COPPICE_HD double normwise() const {
        if (residual == 0) return 0;
        double const share = 1 / (matrix / residual * solution + side / residual);
        return share == share ? share : residual;
    }
    COPPICE_HD static void larger_of(double& to, double value) { to = value > to || value != value ? value : to; }
};

/// A x and d, row by row.
template <class T>
struct residual_rows {
    matrix_rows<T> a;
    T const *x, *d;
    std::int64_t x_leading, d_leading;

    /// d - A x of scalar row r of block row j, in double; `row` and `product` become the row sums of |A| and |A| |x|.
    COPPICE_HD auto residual(system_place const& s, std::int64_t j, int r, std::int64_t side, double& row,
                             double& product) const {
        auto sum = widened(d[place(s, j, r) + side * d_leading]);
        row = product = 0;
        for (int part = 0; part < 3; ++part) {
            std::int64_t block = j - 1 + part; // round the corner where the matrix is cyclic
            block += block < 0 ? s.rows : block >= s.rows ? -s.rows : 0;
            for (int q = 0; q < a.n; ++q) {
                auto const entry = widened(a.entry(s, j, r, part * a.n + q));
                double const weight = magnitude(entry);
                if (weight == 0) continue;
                auto const value = widened(x[place(s, block, q) + side * x_leading]);
                sum = sum - entry * value;
                row += weight;
                product += weight * magnitude(value);
            }
        }
        return sum;
    }
    COPPICE_HD std::int64_t place(system_place const& s, std::int64_t j, int r) const {
        return (s.base + j * s.stride) * a.n + r;
    }
};

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

    COPPICE_HD bool open() const { return !gate || *gate != 0; }
    COPPICE_HD bool covers(std::int64_t system) const { return !next || next[system] == number; }
};

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
inline std::int64_t workers_for(std::int64_t items) {
    constexpr std::int64_t most = 1 << 18; // threads that fill a device
    std::int64_t const workers = (items + 15) / 16;
    return workers < most ? workers : most;
}

/// Measures rows t, t + workers, ... of all columns.
template <class T>
struct measure_rows {
    residual_rows<T> rows;
    error_parts* parts; ///< [system][column]
    std::int64_t columns, workers;
    try_scope scope;

    COPPICE_HD void operator()(std::int64_t t) const {
        if (!scope.open()) return;
        auto const& a = rows.a;
        std::int64_t last = -1;
        error_parts most{};
        for (std::int64_t at = t; at < a.scalar_rows * columns; at += workers) {
            row_place<T> const here(a, at);
            if (!scope.covers(here.system.system)) continue;
            std::int64_t const part = here.system.system * columns + here.side;
            if (part != last) {
                if (last >= 0) most.raise(parts + last);
                most = error_parts{};
                last = part;
            }
            double sum, product;
            double const residual = magnitude(rows.residual(here.system, here.j, here.r, here.side, sum, product));
            std::int64_t const place = rows.place(here.system, here.j, here.r);
            double const solved = magnitude(widened(rows.x[place + here.side * rows.x_leading]));
            double const rhs = magnitude(widened(rows.d[place + here.side * rows.d_leading]));
            most.add(residual, sum, solved, rhs, residual == 0 ? 0 : residual / (product + rhs));
        }
        if (last >= 0) most.raise(parts + last);
    }
};

/// What tries tell of the systems.
struct verdict_memory {
    error_parts* parts;     ///< [system][column]: of the try that is measured; zero between tries
    bool* inaccurate;       ///< [system][column]: whether the backward error of the last try was beyond the bound
    std::int64_t* singular; ///< [system]: first row without a pivot, or no_row
    int* next;              ///< [system]: the try that it waits for, 0 for none
    int* wanted;            ///< [k]: does any system wait for try k? 0 or not
    std::int64_t systems, columns;

    try_scope waiting_for(int number) const { return {number, wanted + number, next}; }
};
inline constexpr int most_tries = 4; ///< rpts, a step of refinement by it, the chain solver, a step by that

/// Nothing measured, no system waits for anything, every column has had a pivot: item i of items().
struct clear_verdicts {
    verdict_memory memory;

    std::int64_t items() const {
        std::int64_t const parts = memory.systems * memory.columns;
        return parts > most_tries ? parts : most_tries + 1;
    }
    COPPICE_HD void operator()(std::int64_t i) const {
        if (i < memory.systems * memory.columns) memory.parts[i] = error_parts{};
        if (i < memory.systems) memory.singular[i] = no_row;
        if (i <= most_tries) memory.wanted[i] = 0;
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
    bool numbered = true;   ///< false: the reports keep the number of the try
    bool eliminated = true; ///< the try said which columns have no pivot
};

/// Turns the parts of a system into its report, and says whether it should be tried again.
struct judge_system {
    verdict_memory memory;
    solve_report* report;
    try_scope scope;
    judgement about;

    COPPICE_HD void operator()(std::int64_t s) const {
        if (!scope.open()) return;
        if (!scope.covers(s)) {
            if (about.eliminated) memory.singular[s] = no_row; // of an elimination whose result is not taken
            return;
        }
        solve_report r{0, 0, -1, solve_status::ok, about.numbered ? scope.number : report[s].tries, 0};
        bool doubtful = false, finite = true; // the matrix: an infinite pivot takes its row away from the others
        for (std::int64_t c = 0; c < memory.columns; ++c) {
            std::int64_t const at = s * memory.columns + c;
            error_parts const p = memory.parts[at];
            memory.parts[at] = error_parts{};
            memory.inaccurate[at] = !(p.normwise() <= about.bound);
            error_parts::larger_of(r.backward_error, p.normwise());
            error_parts::larger_of(r.componentwise_error, p.componentwise);
            if (about.growth > 0 && !(p.matrix * p.solution / about.growth < p.side)) doubtful = true;
            if (!(p.solution <= 1.7976931348623157e308)) r.status = solve_status::not_finite;
            if (!(p.matrix <= 1.7976931348623157e308)) finite = false;
        }
        double const infinity = 1e308 * 10;
        if (!(r.backward_error < infinity)) r.status = solve_status::not_finite;
        if (r.status == solve_status::ok && !(r.backward_error <= about.bound)) r.status = solve_status::inaccurate;
        if (memory.singular[s] != no_row && finite) {
            r.status = solve_status::singular;
            r.row = memory.singular[s];
        }
        report[s] = r;
        int next = 0;
        if (doubtful || r.status == solve_status::not_finite)
            next = about.if_doubtful;
        else if (r.status == solve_status::inaccurate)
            next = about.if_inaccurate;
        memory.next[s] = next;
        if (next > 0) raise_flag(memory.wanted + next);
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
        double sum, product;
        auto const value = rows.residual(here.system, here.j, here.r, here.side, sum, product);
        r[rows.place(here.system, here.j, here.r) + here.side * rows.a.scalar_rows] = narrowed(value, T());
    }
    template <class R>
    COPPICE_HD static R narrowed(double v, R) {
        return R(v);
    }
    template <class R>
    COPPICE_HD static complex_lane<R> narrowed(complex_lane<double> const& v, complex_lane<R>) {
        return {R(v.re), R(v.im)};
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
