// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What solve_bands does after its first try, written once over the launchers: of an executor, which queues each piece
/// of work behind a gate, or of a kernel that runs and does them one after the other (tries_cuda.cuh).
#pragma once

#include <cstdint>

#include <coppice/solvers/direct/solve/band_attempts.hpp>
#include <coppice/solvers/direct/solve/by_chain.hpp>
#include <coppice/solvers/direct/solve/waiting_columns.hpp>

namespace coppice::chain {

/// One of the later tries.
struct later_try {
    bool follows = false; ///< whether the call has it
    try_scope scope;
    judgement about;
};

/// All that they need; may be the parameter of a kernel.
template <class T>
struct later_tries {
    residual_rows<T> rows; ///< A, x and d
    T* correction;         ///< [column][scalar row]: room for what a try gives
    elimination<real_lane_t<T>> how;
    chain_memory space;
    verdict_memory memory;
    solve_report* report;
    later_try chain, refined;
    T const* side = nullptr; ///< d as it was, where x is d
    std::int64_t side_leading = 0;

    /// No try takes place where this one is closed.
    int const* gate() const { return chain.follows ? chain.scope.gate : refined.scope.gate; }
    bool any() const { return chain.follows || refined.follows; }

    COPPICE_NO_EXEC_CHECK
    template <class Executor>
    COPPICE_HD void run(Executor const& exec) const {
        if constexpr (!is_complex_lane<T>) { // complex systems begin with the chain
            if (chain.follows && report) solve_again(exec);
            if (chain.follows && !report) replace(exec);
        }
        if (refined.follows) refine(exec);
    }
    /// correction = A^-1 (d - A x).
    COPPICE_NO_EXEC_CHECK
    template <class Executor>
    COPPICE_HD void correct(Executor const& exec, try_scope const& scope) const {
        for_all_rows(exec, residual_to<T>{rows, correction, scope});
        by_chain(exec, correction, rows.a.scalar_rows, nullptr, scope.gate);
    }
    COPPICE_HD add_correction<T> adding() const {
        return {const_cast<T*>(rows.x), correction, rows.a.scalar_rows, rows.x_leading};
    }
    std::int64_t items() const { return rows.a.scalar_rows * memory.columns; }

    /// Without a report: columns whose x is not finite wait for the chain.
    template <class Executor>
    void look(Executor const& exec) const {
        for_all_rows(exec, wait_if_not_finite<T>{rows.a, rows.x, rows.x_leading, memory, chain.scope.number, {}});
    }

private:
    /// Without a report: those columns are solved by the chain, and keep x where that has no answer.
    COPPICE_NO_EXEC_CHECK
    template <class Executor>
    COPPICE_HD void replace(Executor const& exec) const {
        if (stays_closed(exec, chain.scope.gate)) return;
        by_chain(exec, side, side_leading, memory.singular, chain.scope.gate);
        for_all_rows(exec, refuse_not_finite<T>{rows.a, correction, memory, chain.scope});
        for_all_rows(exec, take_if_waiting<T>{rows.a, adding().x, correction, rows.x_leading, memory, chain.scope});
    }
    /// The systems that wait for it are solved by the chain; the others keep their bits.
    COPPICE_NO_EXEC_CHECK
    template <class Executor>
    COPPICE_HD void solve_again(Executor const& exec) const {
        if (stays_closed(exec, chain.scope.gate)) return;
        by_chain(exec, rows.d, rows.d_leading, memory.singular, chain.scope.gate);
        for_all_rows(exec, take_answer<T>{rows.a, adding().x, correction, rows.x_leading, chain.scope});
        judge(exec, rows, memory, report, chain.scope, chain.about);
    }
    /// x += A^-1 (d - A x) for the columns that wait for it: against the growth of entries in a stretch, which reaches
    /// far where roots of its recurrence meet on the unit circle (matrix 17 of Table 6).
    COPPICE_NO_EXEC_CHECK
    template <class Executor>
    COPPICE_HD void refine(Executor const& exec) const {
        if (stays_closed(exec, refined.scope.gate)) return;
        correct(exec, refined.scope);
        for_all_rows(exec, correct_inaccurate<T>{rows.a, adding(), memory, refined.scope});
        judge(exec, rows, memory, report, refined.scope, refined.about);
    }
    /// correction = A^-1 d.
    COPPICE_NO_EXEC_CHECK
    template <class Executor>
    COPPICE_HD void by_chain(Executor const& exec, T const* d, std::int64_t d_leading, std::int64_t* singular,
                             int const* gate_of_try) const {
        row_units<T> const units{rows.a, d, correction, d_leading, rows.a.scalar_rows, 0, singular};
        solve_by_chain(exec, units, memory.columns, how, space, gate_of_try);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Executor, class Work>
    COPPICE_HD void for_all_rows(Executor const& exec, Work const& work) const {
        std::int64_t const all = rows.a.scalar_rows * memory.columns, workers = workers_for(all);
        for_each(exec, workers, strided_work<Work>{work, all, workers});
    }
};

/// Queues the later tries; a launcher may do that in one piece of its own.
template <class T, class Executor>
void queue_tries(Executor const& exec, later_tries<T> const& tries) {
    tries.run(exec);
}

} // namespace coppice::chain

#if defined(__CUDACC__)
#include <coppice/solvers/direct/solve/attempts_cuda.cuh>
#endif
