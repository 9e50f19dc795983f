// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Backward errors of a solution and the decision on further attempts, written once over for_each. Does not wait.
#pragma once

#include <cmath>
#include <cstdint>

#include <coppice/core/device_predicate.hpp>
#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_observers.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_rows.hpp>
#include <coppice/solvers/direct/error/error_rows.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>

namespace coppice::inline v0_1::chain {

/// fraction * 2^exponent with a separate exponent, so that products, sums and ratios neither overflow nor underflow;
/// rounded as plain numbers are.
struct far_number {
    double fraction; ///< between 1/4 and 1, or 0, infinity, NaN
    int exponent;

    COPPICE_HD static far_number of(double value) {
        int exponent = 0;
        double const fraction = frexp(value, &exponent);
        return {fraction, value - value == 0 ? exponent : 0};
    }
    friend COPPICE_HD far_number operator*(far_number const& a, far_number const& b) {
        return {a.fraction * b.fraction, a.exponent + b.exponent};
    }
    friend COPPICE_HD far_number operator+(far_number const& a, far_number const& b) {
        if (a.fraction == 0 || b.fraction == 0) return a.fraction == 0 ? b : a;
        int const top = a.exponent > b.exponent ? a.exponent : b.exponent;
        return {ldexp(a.fraction, a.exponent - top) + ldexp(b.fraction, b.exponent - top), top};
    }
    COPPICE_HD double over(far_number const& b) const { return ldexp(fraction / b.fraction, exponent - b.exponent); }
};

/// Raises `to` to the maxima `by` of other rows.
COPPICE_LANE void raise(row_extremes<double>& to, row_extremes<double> const& by) {
    raise_to(&to.residual, by.residual);
    raise_to(&to.matrix, by.matrix);
    raise_to(&to.solution, by.solution);
    raise_to(&to.rhs, by.rhs);
    raise_to(&to.componentwise, by.componentwise);
    if (by.zero_unknown != 0) raise_to(&to.zero_unknown, by.zero_unknown);
}

/// Maxima over the rows of one column of one system.
struct column_error : row_extremes<double> {
    /// |A x - d| / (|A| |x| + |d|).
    COPPICE_HD double normwise() const {
        if (residual == 0 || !(residual <= 1.7976931348623157e308)) return residual;
        if (plain() && middling(residual)) return residual / (matrix * solution * magnitude_unit + rhs);
        double const quotient = far_number::of(residual).over(product() + far_number::of(rhs));
        return quotient == quotient ? quotient : residual;
    }
    /// |A| |x| / |d|; 0 if x = 0.
    COPPICE_HD double growth() const {
        if (solution == 0) return 0;
        if (plain()) return matrix * solution * magnitude_unit / rhs;
        return product().over(far_number::of(rhs));
    }
    COPPICE_HD static void larger_of(double& to, double value) { to = larger_or_nan(to, value); }

private:
    /// Whether the plain formula neither overflows nor underflows: gives the same bits in less time.
    COPPICE_HD bool plain() const { return middling(matrix) && middling(solution) && middling(rhs); }
    COPPICE_HD static bool middling(double value) { return value >= 1e-70 && value <= 1e70; }
    COPPICE_HD far_number product() const {
        far_number p = far_number::of(matrix) * far_number::of(solution);
        p.exponent += 6; // `matrix` is in units of 64
        return p;
    }
};
static_assert(magnitude_unit == 1 << 6);

/// Location of a scalar row of one right-hand side, from its number `at` among all.
template <class T>
struct row_location {
    std::int64_t rhs_index, row;
    system_location system;
    std::int64_t j;
    int r;
    std::int64_t offset; ///< of the row in the storage of a column

    // Divides only if needed: a 64-bit division takes about a hundred instructions on a GPU.
    COPPICE_HD row_location(matrix_rows<T> const& a, std::int64_t at)
        : rhs_index(at < a.scalar_rows ? 0 : at / a.scalar_rows) {
        row = at - rhs_index * a.scalar_rows;
        std::int64_t const i = a.n == 1 ? row : row / a.n;
        system = a.batch.system(a.batch.system_of(i));
        j = i - a.batch.first_row(system.system);
        r = int(row - i * a.n);
        offset = (system.base + j * system.stride) * a.n + r;
    }
};

/// The systems of an attempt: all of them, or the flagged ones. If `predicate` points to 0, no system is flagged and
/// the attempt is skipped.
struct attempt_scope {
    int number = 1; ///< number of the attempt, from 1
    int const* predicate = nullptr;
    int const* next = nullptr; ///< [system]: number of the next attempt for it; null: the attempt is for all systems

    COPPICE_HD bool open() const { return is_enabled(predicate); }
    COPPICE_LANE bool covers(std::int64_t system) const { return !next || next[system] == number; }
    /// Whether the elimination of a system only tests whether it is singular; its solution is not changed.
    COPPICE_HD bool examines(std::int64_t system) const { return next && next[system] == -number; }
};
/// Whether the host already knows that an attempt is skipped: never for a device, whose predicates the host does not
/// wait for.
template <class Executor>
bool is_skipped(Executor const&, int const*) {
    return false;
}
inline bool is_skipped(host_executor const&, int const* predicate) { return !is_enabled(predicate); }

/// Calls work(i) for i = t, t + workers, ...: with one thread for each row a false predicate would cost more.
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
    constexpr std::int64_t max_workers = 1 << 18; // enough threads to fill a device
    std::int64_t const workers = (items + 15) / 16;
    return workers < max_workers ? workers : max_workers;
}

/// Computes the errors of all rows of all columns.
template <class T>
struct measure_job {
    residual_rows<T> rows;
    column_error* errors; ///< [system][column], zero before
    std::int64_t columns;
    attempt_scope scope;
    zero_sums<T> sums;

    /// Whether each task processes whole systems, which are interleaved in memory.
    COPPICE_ALWAYS_INLINE bool by_systems() const { return rows.a.batch.interleaved && rows.a.batch.systems > 1; }
    /// Stores the maxima of a column of a system, over all of its rows or some.
    COPPICE_ALWAYS_INLINE void keep(system_location const& s, std::int64_t column, row_extremes<double> const& maxima,
                                    bool all) const {
        row_extremes<double>& to = errors[s.system * columns + column];
        if (all)
            to = maxima;
        else
            raise(to, maxima);
    }
};

inline constexpr int max_attempts = 3; ///< rpts, the chain solver, one step of refinement by the chain solver
inline constexpr int attempt_flags = max_attempts + 2;

/// Errors and flags of the systems of a call.
struct error_memory {
    column_error* errors; ///< [system][column]: of the attempt that is being measured; zero between attempts
    /// [system][column]: whether the column needs the next attempt; the other columns of its system keep their bits
    bool* inaccurate;
    std::int64_t* singular; ///< [system]: met_at() of the first row without a pivot, or no_row
    /// [system]: the attempt that it needs next, 0 for none; -k: attempt k only tests it for singularity. Without a
    /// report RPTS, which is attempt 1, sets it to 1 if its solution is uncertain
    int* next;
    int* uneven;    ///< of zero_sums
    int* requested; ///< [k]: whether any system needs attempt k; followed by the element arrived()
    std::int64_t systems, columns;

    /// Counts the blocks of a kernel that have finished; zero between kernels.
    COPPICE_HD int* arrived() const { return requested + max_attempts + 1; }
    COPPICE_HD attempt_scope waiting_for(int number) const { return {number, requested + number, next}; }
};

/// Item i of items(): clears errors and flags. Without a report no sums are tested, and errors are cleared only if they
/// are measured.
template <class T>
struct clear_errors {
    error_memory memory;
    zero_sums<T> sums;
    bool reported = true, measured = true;

    std::int64_t items() const {
        std::int64_t const entries = memory.systems * memory.columns;
        return entries > attempt_flags ? entries : attempt_flags;
    }
    COPPICE_HD void operator()(std::int64_t i) const {
        if (i < memory.systems * memory.columns) {
            if (measured) memory.errors[i] = column_error{};
            if (!reported) memory.inaccurate[i] = false;
        }
        if (i < memory.systems) {
            memory.singular[i] = no_row;
            if (reported) sums.begin(i);
            if (!reported) memory.next[i] = 0;
            if (!reported && measured) memory.uneven[2 * i] = memory.uneven[2 * i + 1] = 1;
        }
        if (i < attempt_flags) memory.requested[i] = 0;
    }
};
struct report_empty {
    solve_report* report;
    double condition;
    COPPICE_HD void operator()(std::int64_t i) const { report[i] = {0, 0, -1, solve_status::ok, 0, condition}; }
};

/// Bounds for the check of an attempt, and the attempts that follow.
struct accuracy_rule {
    double bound; ///< bound of the backward error
    /// Bound of |A| |x| / |d|; larger solutions are not trusted. 0 if the attempt reports missing pivots.
    double growth = 0;
    int if_inaccurate = 0; ///< next attempt if only the backward error exceeds its bound
    int if_doubtful = 0;   ///< next attempt if x is not finite or not trusted; 0: none
    /// Attempt that tests for columns without a pivot if every right-hand side has an unknown that is zero. RPTS gives
    /// zero for an unknown without a pivot, so other systems need no test
    int if_zero_unknown = 0;
    bool numbered = true;   ///< false: reports keep the number of the attempt
    bool eliminated = true; ///< whether the attempt reports columns without a pivot
};

/// Writes the report of a system from its errors, and flags it if it needs another attempt.
struct check_system {
    error_memory memory;
    solve_report* report; ///< null: only flags what needs another attempt
    attempt_scope scope;
    accuracy_rule about;
    batch_shape batch;
    std::int64_t block, scalar_rows; ///< rows of a block and of all systems

    COPPICE_HD void operator()(std::int64_t s) const {
        if (!scope.open()) return;
        if (!report) return flag_wrong(s);
        if (!scope.covers(s)) {
            if (!about.eliminated) return;
            if (scope.examines(s) && memory.singular[s] != no_row)
                call_singular(report[s], row_met(memory.singular[s]));
            memory.singular[s] = no_row; // from an elimination whose result is not used
            return;
        }
        solve_report r{0, 0, -1, solve_status::ok, about.numbered ? scope.number : report[s].tries, 0};
        // `finite` refers to the matrix: an infinite pivot removes its row from the other equations
        bool doubtful = false, inaccurate = false, finite = true;
        bool zero_in_all = true;
        bool const vanishing_sums = !memory.uneven[2 * s] || !memory.uneven[2 * s + 1]; // of the rows or the columns
        for (std::int64_t c = 0; c < memory.columns; ++c) {
            std::int64_t const at = s * memory.columns + c;
            column_error const p = memory.errors[at];
            memory.errors[at] = column_error{};
            double const error = p.normwise();
            bool const finite_column = p.solution <= 1.7976931348623157e308 && error <= 1.7976931348623157e308;
            bool const untrusted = about.growth > 0 && !(p.growth() < about.growth);
            bool const too_large = finite_column && !(error <= about.bound);
            // each column alone: its bits must not depend on the others
            memory.inaccurate[at] = untrusted || (!vanishing_sums && (too_large || !finite_column));
            column_error::larger_of(r.backward_error, error);
            column_error::larger_of(r.componentwise_error, p.componentwise);
            if (untrusted) doubtful = true;
            if (too_large) inaccurate = true;
            if (!finite_column) r.status = solve_status::not_finite;
            if (!(p.matrix <= 1.7976931348623157e308)) finite = false;
            if (p.zero_unknown == 0) zero_in_all = false;
        }
        if (r.status == solve_status::ok && inaccurate) r.status = solve_status::inaccurate;
        if (finite && memory.singular[s] != no_row)
            call_singular(r, row_met(memory.singular[s]));
        else if (vanishing_sums)
            call_singular(r, last_row(s));
        report[s] = r;
        int next = 0;
        if (doubtful || r.status == solve_status::not_finite) next = about.if_doubtful;
        if (next == 0 && inaccurate && r.status != solve_status::singular) next = about.if_inaccurate;
        if (next == 0 && !doubtful && r.status != solve_status::not_finite && zero_in_all)
            next = -about.if_zero_unknown;
        memory.next[s] = next;
        if (next != 0) raise_flag(memory.requested + (next > 0 ? next : -next));
    }
    /// Without a report: flags the columns of a system that are not finite and, if its solution is uncertain (`next` is
    /// not 0), those whose backward error exceeds the bound.
    COPPICE_HD void flag_wrong(std::int64_t s) const {
        bool const uncertain = memory.next[s] != 0;
        int next = 0;
        for (std::int64_t c = 0; c < memory.columns; ++c) {
            std::int64_t const at = s * memory.columns + c;
            column_error const p = memory.errors[at];
            memory.errors[at] = column_error{};
            bool const wrong = !(p.solution <= 1.7976931348623157e308) || (uncertain && !(p.normwise() <= about.bound));
            memory.inaccurate[at] = wrong;
            if (wrong) next = about.if_inaccurate;
        }
        memory.next[s] = next;
        if (next != 0) raise_flag(memory.requested + next);
    }
    COPPICE_HD static void call_singular(solve_report& r, std::int64_t row) {
        r.status = solve_status::singular;
        r.row = row;
    }
    /// The last row: the one without a pivot in an elimination in the order of the rows.
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
    attempt_scope scope;
    COPPICE_HD void operator()(std::int64_t at) const {
        row_location<T> const here(rows.a, at);
        auto const value = rows.sums(here.system, here.j, here.r, here.rhs_index).rest;
        r[here.offset + here.rhs_index * rows.a.scalar_rows] = narrowed(value, T());
    }
};
/// x += correction, if the correction is finite.
template <class T>
struct add_correction {
    T *x, *correction;
    std::int64_t rows, x_leading;
    COPPICE_HD void operator()(std::int64_t at) const {
        std::int64_t const rhs_index = at / rows;
        add(x[at - rhs_index * rows + rhs_index * x_leading], correction[at]);
    }
    COPPICE_HD static void add(T& value, T const& step) {
        if (magnitude(widened(step)) <= 1.7976931348623157e308) value = value + step;
    }
};
/// x += correction in flagged columns; the other columns do not change in any bit.
template <class T>
struct correct_inaccurate {
    matrix_rows<T> a;
    add_correction<T> correct;
    error_memory memory;
    attempt_scope scope;
    COPPICE_HD void operator()(std::int64_t at) const {
        row_location<T> const here(a, at);
        std::int64_t const s = here.system.system;
        if (scope.covers(s) && memory.inaccurate[s * memory.columns + here.rhs_index])
            correct(here.rhs_index * a.scalar_rows + here.offset);
    }
};
/// x = the answer of another solver, for the flagged columns of the flagged systems; if `needs_pivots`, of those in
/// which it found a pivot for every column of the matrix.
template <class T>
struct take_answer {
    matrix_rows<T> a;
    T *x, *answer;
    std::int64_t x_leading;
    error_memory memory;
    attempt_scope scope;
    bool needs_pivots;
    COPPICE_HD void operator()(std::int64_t at) const {
        row_location<T> const here(a, at);
        std::int64_t const s = here.system.system;
        if (needs_pivots && memory.singular[s] != no_row) return;
        if (scope.covers(s) && memory.inaccurate[s * memory.columns + here.rhs_index])
            x[here.offset + here.rhs_index * x_leading] = answer[here.offset + here.rhs_index * a.scalar_rows];
    }
};

} // namespace coppice::inline v0_1::chain
