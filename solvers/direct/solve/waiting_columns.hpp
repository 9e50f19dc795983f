// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Columns that RPTS has left without a finite solution and nobody has asked a report of: which they are, and the
/// answer of the chain solver for them. verdict_memory::inaccurate says of each column of a system whether it waits.
#pragma once

#include <cstdint>

#include <coppice/solvers/direct/error/band_error.hpp>

namespace coppice::chain {

/// No column waits, every column of the matrix has had a pivot: item i of items().
struct clear_waiting {
    verdict_memory memory;

    std::int64_t items() const {
        std::int64_t const columns = memory.systems * memory.columns;
        return columns > try_flags ? columns : try_flags;
    }
    COPPICE_HD void operator()(std::int64_t i) const {
        if (i < memory.systems * memory.columns) memory.inaccurate[i] = false;
        if (i < memory.systems) {
            memory.singular[i] = no_row;
            memory.next[i] = 0;
        }
        if (i < try_flags) memory.wanted[i] = 0;
    }
};

/// One element of a vector in the order of the matrix and in that of an answer.
template <class T>
struct column_element {
    std::int64_t system, column, row;
    COPPICE_HD column_element(matrix_rows<T> const& a, std::int64_t at) {
        row_place<T> const here(a, at);
        system = here.system.system;
        column = here.side;
        row = (here.system.base + here.j * here.system.stride) * a.n + here.r;
    }
};
template <class T>
COPPICE_HD bool is_finite_value(T const& value) {
    return magnitude(widened(value)) <= 1.7976931348623157e308;
}

/// Has the columns wait for try `number` that are not finite.
template <class T>
struct wait_if_not_finite {
    matrix_rows<T> a;
    T const* x;
    std::int64_t x_leading;
    verdict_memory memory;
    int number;
    try_scope scope; ///< open
    COPPICE_HD void operator()(std::int64_t at) const {
        column_element<T> const e(a, at);
        if (is_finite_value(x[e.row + e.column * x_leading])) return;
        raise_flag(memory.inaccurate + e.system * memory.columns + e.column);
        set(memory.next + e.system);
        raise_flag(memory.wanted + number);
    }

private:
    COPPICE_HD void set(int* to) const { // by any number of workers
#if defined(__CUDA_ARCH__)
        if (*to != number) *to = number;
#else
        __atomic_store_n(to, number, __ATOMIC_RELAXED);
#endif
    }
};
/// Columns whose answer is not finite do not wait any more.
template <class T>
struct refuse_not_finite {
    matrix_rows<T> a;
    T const* answer;
    verdict_memory memory;
    try_scope scope;
    COPPICE_HD void operator()(std::int64_t at) const {
        column_element<T> const e(a, at);
        if (!scope.covers(e.system) || is_finite_value(answer[e.row + e.column * a.scalar_rows])) return;
        memory.inaccurate[e.system * memory.columns + e.column] = false; // whoever comes, the same value
    }
};
/// x = the answer, for the columns that wait, of systems in which every column of the matrix had a pivot.
template <class T>
struct take_if_waiting {
    matrix_rows<T> a;
    T *x, *answer;
    std::int64_t x_leading;
    verdict_memory memory;
    try_scope scope;
    COPPICE_HD void operator()(std::int64_t at) const {
        column_element<T> const e(a, at);
        if (!scope.covers(e.system) || memory.singular[e.system] != no_row) return;
        if (!memory.inaccurate[e.system * memory.columns + e.column]) return;
        x[e.row + e.column * x_leading] = answer[e.row + e.column * a.scalar_rows];
    }
};

} // namespace coppice::chain
