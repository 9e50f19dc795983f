// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The attempts of solve_bands after the first one, written once over the launchers: those of an executor, which queue
/// each piece of work under a device predicate, or those of a running kernel, which executes them one after the other
/// (attempts_cuda.cuh).
#pragma once

#include <cstdint>

#include <coppice/solvers/direct/error/band_error.hpp>
#include <coppice/solvers/direct/solve/band_attempts.hpp>
#include <coppice/solvers/direct/solve/by_chain.hpp>

namespace coppice::inline v0_1::chain {

// Solves without a report: finds the right-hand sides for which the solution by RPTS is not finite or wrong, and
// replaces these solutions by those of the chain solver. error_memory::inaccurate flags these right-hand sides of each
// system. Solutions that are finite and wrong are found by check_system.

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
/// One of the later attempts.
struct later_attempt {
    bool follows = false; ///< whether the call includes it
    attempt_scope scope;
    accuracy_rule about;
};

/// Data of all later attempts; may be the parameter of a kernel.
template <class T>
struct later_attempts {
    residual_rows<T> rows; ///< A, x and d
    T* correction;         ///< [column][scalar row]: result of an attempt
    elimination<real_lane_t<T>> how;
    chain_memory space;
    error_memory memory;
    solve_report* report;
    later_attempt chain, refined;
    T const* rhs = nullptr; ///< copy of d if x is d
    std::int64_t rhs_leading = 0;
    bool checks = false; ///< without a report: whether RPTS may report systems as uncertain

    /// The predicate of the first later attempt; if it is false, no later attempt is needed.
    int const* predicate() const { return chain.follows ? chain.scope.predicate : refined.scope.predicate; }
    bool any() const { return chain.follows || refined.follows; }

    COPPICE_NO_EXEC_CHECK
    template <class Executor>
    COPPICE_HD void run(Executor const& exec) const {
        if constexpr (!is_complex_lane<T>) { // the first attempt for complex systems is the chain solver
            if (chain.follows && report) solve_again(exec);
            if (chain.follows && !report) replace(exec);
        }
        if (refined.follows) refine(exec);
    }
    /// correction = A^-1 (d - A x).
    COPPICE_NO_EXEC_CHECK
    template <class Executor>
    COPPICE_HD void correct(Executor const& exec, attempt_scope const& scope) const {
        for_all_rows(exec, residual_to<T>{rows, correction, scope});
        by_chain(exec, correction, rows.a.scalar_rows, nullptr, scope.predicate);
    }
    COPPICE_HD add_correction<T> adding() const {
        return {const_cast<T*>(rows.x), correction, rows.a.scalar_rows, rows.x_leading};
    }
    std::int64_t items() const { return rows.a.scalar_rows * memory.columns; }

    /// Without a report: what RPTS sets if an element of x is not finite or a system is uncertain, and what it sets for
    /// uncertain systems (system_view); then x is checked.
    int* not_finite() const { return memory.requested + chain.scope.number; } // not covered: devices only
    int* uncertain() const { return checks ? memory.next : nullptr; }         // not covered: devices only

private:
    /// Without a report: flags the columns whose x is not finite or wrong and solves them by the chain solver; x is
    /// unchanged if its answer is not accepted.
    COPPICE_NO_EXEC_CHECK
    template <class Executor>
    COPPICE_HD void replace(Executor const& exec) const {
        if (is_skipped(exec, chain.scope.predicate)) return;
        attempt_scope flagged = chain.scope;
        if (checks) {
            // Most uncertain solutions are accurate. A second predicate saves the chain solver for them.
            flagged = memory.waiting_for(chain.scope.number + 1);
            check_accuracy(exec, residual_rows<T>{rows.a, rows.x, rhs, rows.x_leading, rhs_leading}, memory, nullptr,
                           {.number = chain.scope.number, .predicate = chain.scope.predicate},
                           {.bound = accepted_error<T>, .if_inaccurate = flagged.number});
            if (is_skipped(exec, flagged.predicate)) return;
        } else {
            for_all_rows(exec, flag_not_finite<T>{rows.a, rows.x, rows.x_leading, memory, flagged});
        }
        by_chain(exec, rhs, rhs_leading, memory.singular, flagged.predicate);
        for_all_rows(exec, refuse_not_finite<T>{rows.a, correction, memory, flagged});
        for_all_rows(exec, taking(flagged, true));
    }
    COPPICE_HD take_answer<T> taking(attempt_scope const& scope, bool needs_pivots) const {
        return {rows.a, adding().x, correction, rows.x_leading, memory, scope, needs_pivots};
    }
    /// Solves the flagged columns by the chain solver; the others keep their bits.
    COPPICE_NO_EXEC_CHECK
    template <class Executor>
    COPPICE_HD void solve_again(Executor const& exec) const {
        if (is_skipped(exec, chain.scope.predicate)) return;
        by_chain(exec, rows.d, rows.d_leading, memory.singular, chain.scope.predicate);
        for_all_rows(exec, taking(chain.scope, false));
        check_accuracy(exec, rows, memory, report, chain.scope, chain.about);
    }
    /// x += A^-1 (d - A x) for the flagged columns. It compensates element growth in a segment, which is large if roots
    /// of the recurrence coincide on the unit circle (matrix 17 of Table 6).
    COPPICE_NO_EXEC_CHECK
    template <class Executor>
    COPPICE_HD void refine(Executor const& exec) const {
        if (is_skipped(exec, refined.scope.predicate)) return;
        correct(exec, refined.scope);
        for_all_rows(exec, correct_inaccurate<T>{rows.a, adding(), memory, refined.scope});
        check_accuracy(exec, rows, memory, report, refined.scope, refined.about);
    }
    /// correction = A^-1 d.
    COPPICE_NO_EXEC_CHECK
    template <class Executor>
    COPPICE_HD void by_chain(Executor const& exec, T const* d, std::int64_t d_leading, std::int64_t* singular,
                             int const* predicate_of_attempt) const {
        matrix_block_rows<T> const block_rows{rows.a, d, correction, d_leading, rows.a.scalar_rows, 0, singular};
        solve_by_chain(exec, block_rows, memory.columns, how, space, predicate_of_attempt);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Executor, class Work>
    COPPICE_HD void for_all_rows(Executor const& exec, Work const& work) const {
        std::int64_t const all = rows.a.scalar_rows * memory.columns, workers = workers_for(all);
        for_each(exec, workers, strided_work<Work>{work, all, workers});
    }
};

/// Queues the later attempts; a backend may overload it with a single kernel.
template <class T, class Executor>
void queue_attempts(Executor const& exec, later_attempts<T> const& attempts) {
    attempts.run(exec);
}

} // namespace coppice::inline v0_1::chain

#if defined(__CUDACC__)
#include <coppice/solvers/direct/solve/attempts_cuda.cuh>
#endif
