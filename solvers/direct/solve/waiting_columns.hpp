// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// For solves without a report: finds the right-hand sides for which the solution by RPTS is not finite, and replaces
/// these solutions by those of the chain solver. error_memory::inaccurate flags these right-hand sides of each system.
#pragma once

#include <cstdint>

#include <coppice/solvers/direct/error/band_error.hpp>

namespace coppice::inline v0_1::chain {

/// Item i of items(): clears the flags of columns and the rows without a pivot.
struct clear_waiting {
    error_memory memory;

    std::int64_t items() const { // not covered: devices only
        std::int64_t const columns = memory.systems * memory.columns;
        return columns > attempt_flags ? columns : attempt_flags;
    }
    COPPICE_HD void operator()(std::int64_t i) const { // not covered: devices only
        if (i < memory.systems * memory.columns) memory.inaccurate[i] = false;
        if (i < memory.systems) {
            memory.singular[i] = no_row;
            memory.next[i] = 0;
        }
        if (i < attempt_flags) memory.requested[i] = 0;
    }
};

/// One element of a vector, located in the order of the matrix and in that of an answer.
template <class T>
struct column_element {
    std::int64_t system, column, row;
    COPPICE_HD column_element(matrix_rows<T> const& a, std::int64_t at) { // not covered: devices only
        row_location<T> const here(a, at);
        system = here.system.system;
        column = here.rhs_index;
        row = (here.system.base + here.j * here.system.stride) * a.n + here.r;
    }
};
template <class T>
COPPICE_HD bool is_finite_value(T const& value) {
    return magnitude(widened(value)) <= 1.7976931348623157e308;
}

/// Flags the columns that are not finite for attempt `number`: worker t of workers(). For scalar rows (a.n = 1), as
/// RPTS solves. Elements are read in the order of the storage, eight at a time, so that the check is bound by memory;
/// only for an element that is not finite is its system computed, which takes a 64-bit division.
template <class T>
struct flag_not_finite {
    matrix_rows<T> a;
    T const* x;
    std::int64_t x_leading;
    error_memory memory;
    int number;
    int const* predicate = nullptr;
    std::int64_t of_column = workers_of_column(a.scalar_rows); ///< workers that share a column

    static constexpr int at_once = 8;
    COPPICE_HD static std::int64_t workers_of_column(std::int64_t rows) {
        std::int64_t const target = (rows + at_once - 1) / at_once;
        return target < 1 ? 1 : target < max_workers ? target : max_workers;
    }
    COPPICE_HD std::int64_t workers() const {
        std::int64_t const together = max_workers / of_column;
        return of_column * (together < memory.columns ? together : memory.columns);
    }
    COPPICE_HD void operator()(std::int64_t t) const {
        if (!is_enabled(predicate)) return;
        std::int64_t const together = max_workers / of_column; // columns that are read at the same time, if there are
        for (std::int64_t c = t / of_column; c < memory.columns; c += together)
            for (std::int64_t first = t % of_column; first < a.scalar_rows; first += at_once * of_column)
                check(x + c * x_leading, first, c);
    }

private:
    static constexpr std::int64_t max_workers = 1 << 18; // enough threads to fill a device

    /// Checks elements first, first + of_column, ... of a column.
    COPPICE_HD COPPICE_ALWAYS_INLINE void check(T const* column, std::int64_t first, std::int64_t c) const {
        T values[at_once];
        COPPICE_UNROLL
        for (int k = 0; k < at_once; ++k) {
            std::int64_t const i = first + k * of_column;
            values[k] = i < a.scalar_rows ? column[i] : T(0);
        }
        COPPICE_UNROLL
        for (int k = 0; k < at_once; ++k)
            if (!is_finite_value(values[k])) flag(first + k * of_column, c);
    }
    COPPICE_HD void flag(std::int64_t i, std::int64_t c) const {
        std::int64_t const system = a.batch.interleaved ? i % a.batch.systems : a.batch.system_of(i);
        raise_flag(memory.inaccurate + system * memory.columns + c);
        set(memory.next + system);
        raise_flag(memory.requested + number);
    }
    COPPICE_HD void set(int* to) const { // several workers may write the same value
#if defined(__CUDA_ARCH__)
        if (*to != number) *to = number;
#else
        __atomic_store_n(to, number, __ATOMIC_RELAXED);
#endif
    }
};
/// Clears the flags of columns whose answer is not finite.
template <class T>
struct refuse_not_finite {
    matrix_rows<T> a;
    T const* answer;
    error_memory memory;
    attempt_scope scope;
    COPPICE_HD void operator()(std::int64_t at) const { // not covered: devices only
        column_element<T> const e(a, at);
        if (!scope.covers(e.system) || is_finite_value(answer[e.row + e.column * a.scalar_rows])) return;
        memory.inaccurate[e.system * memory.columns + e.column] = false; // all workers write the same value
    }
};
/// x = the answer, for the flagged columns of systems in which every column of the matrix had a pivot.
template <class T>
struct take_if_waiting {
    matrix_rows<T> a;
    T *x, *answer;
    std::int64_t x_leading;
    error_memory memory;
    attempt_scope scope;
    COPPICE_HD void operator()(std::int64_t at) const { // not covered: devices only
        column_element<T> const e(a, at);
        if (!scope.covers(e.system) || memory.singular[e.system] != no_row) return;
        if (!memory.inaccurate[e.system * memory.columns + e.column]) return;
        x[e.row + e.column * x_leading] = answer[e.row + e.column * a.scalar_rows];
    }
};

} // namespace coppice::inline v0_1::chain
