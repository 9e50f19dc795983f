// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// For solves without a report: finds the right-hand sides for which the solution by RPTS is not finite or wrong, and
/// replaces these solutions by those of the chain solver. error_memory::inaccurate flags these right-hand sides of each
/// system. Solutions that are finite and wrong are found by check_system.
#pragma once

#include <cstdint>

#include <coppice/solvers/direct/error/band_error.hpp>

namespace coppice::inline v0_1::chain {

/// Item i of items(): clears the flags of columns and the rows without a pivot; if `measured`, also the errors.
struct clear_waiting {
    error_memory memory;
    bool measured = false;

    std::int64_t items() const { // not covered: devices only
        std::int64_t const columns = memory.systems * memory.columns;
        return columns > attempt_flags ? columns : attempt_flags;
    }
    COPPICE_HD void operator()(std::int64_t i) const { // not covered: devices only
        if (i < memory.systems * memory.columns) {
            memory.inaccurate[i] = false;
            if (measured) memory.errors[i] = column_error{};
        }
        if (i < memory.systems) {
            memory.singular[i] = no_row;
            memory.next[i] = 0;
            if (measured) memory.uneven[2 * i] = memory.uneven[2 * i + 1] = 1; // sums are needed for reports only
        }
        if (i < attempt_flags) memory.requested[i] = 0;
    }
};

template <class T>
COPPICE_HD bool is_finite_value(T const& value) {
    return magnitude(widened(value)) <= 1.7976931348623157e308;
}

/// Flags the columns that are not finite for an attempt.
template <class T>
struct flag_not_finite {
    matrix_rows<T> a;
    T const* x;
    std::int64_t x_leading;
    error_memory memory;
    attempt_scope scope;
    COPPICE_HD void operator()(std::int64_t at) const {
        row_location<T> const here(a, at);
        if (is_finite_value(x[here.offset + here.rhs_index * x_leading])) return;
        std::int64_t const s = here.system.system;
        raise_flag(memory.inaccurate + s * memory.columns + here.rhs_index);
        raise_flag(memory.requested + scope.number);
#if defined(__CUDA_ARCH__) // several workers may write the same value
        memory.next[s] = scope.number;
#else
        __atomic_store_n(memory.next + s, scope.number, __ATOMIC_RELAXED);
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
        row_location<T> const here(a, at);
        std::int64_t const s = here.system.system;
        if (!scope.covers(s) || is_finite_value(answer[here.offset + here.rhs_index * a.scalar_rows])) return;
        memory.inaccurate[s * memory.columns + here.rhs_index] = false; // all workers write the same value
    }
};
/// x = the answer, for the flagged columns of systems in which every column of the matrix had a pivot.
template <class T>
struct take_if_waiting : take_answer<T> {
    COPPICE_HD void operator()(std::int64_t at) const { // not covered: devices only
        row_location<T> const here(this->a, at);
        if (this->memory.singular[here.system.system] == no_row) take_answer<T>::operator()(at);
    }
};

} // namespace coppice::inline v0_1::chain
