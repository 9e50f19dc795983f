// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One call of solve_bands, from the first attempt to the report.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/error/band_condition.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>
#include <coppice/solvers/direct/error/error_host.hpp>
#include <coppice/solvers/direct/solve/band_attempts.hpp>
#include <coppice/solvers/direct/solve/by_chain.hpp>
#include <coppice/solvers/direct/solve/by_rpts.hpp>
#include <coppice/solvers/direct/solve/fallback_attempts.hpp>

namespace coppice::inline v0_1::chain {

// RPTS without a report: a solution that is not finite or not accurate is replaced by that of the chain solver.
//
// RPTS reduces each partition separately and may divide by a pivot near zero although the matrix is well-conditioned.
// If x is not finite, or the reduction found such partitions and x has a large backward error, the chain solver, which
// can choose any row of an unknown as its pivot row, solves this column of the system again. Its answer is accepted if
// it found a pivot in every column and is finite. Otherwise x remains as RPTS computed it, so that a singular matrix
// still gives infinity or NaN. For the host, whose kernels check x while they compute it; on a device the
// later attempts of solve_run do the same (later_attempts::replace()).

/// Rows of one system of a batch: row j is row first + j stride of the batch.
struct system_rows {
    std::int64_t first, count, stride;
};
/// Whether every element of these rows is finite.
template <class T>
bool is_all_finite(T const* x, system_rows const& rows) {
    for (std::int64_t j = 0; j < rows.count; ++j)
        if (!std::isfinite(x[rows.first + j * rows.stride])) return false;
    return true;
}
template <class T>
system_rows rows_of_system(band_matrix<T> const& a, std::int64_t s) {
    if (a.offsets) return {a.offsets[s], a.offsets[s + 1] - a.offsets[s], 1};
    std::int64_t const each = rows_of_each(a);
    return interleaves(a) ? system_rows{s, each, a.systems} : system_rows{s * each, each, 1};
}
template <class T>
void gather(T const* all, system_rows const& rows, T* to) {
    for (std::int64_t j = 0; j < rows.count; ++j) to[j] = all[rows.first + j * rows.stride];
}

/// The errors of x as for a report, [system][column].
template <class T>
std::vector<column_error> errors_of(host_executor const& exec, band_matrix<T> const& a, columns_view<T const> d,
                                    columns_view<T> x, band_options const& o) {
    matrix_rows<T> const rows = rows_of(a, o);
    std::vector<column_error> errors(std::size_t(a.systems * x.columns));
    std::vector<int> uneven(std::size_t(a.systems * zero_sums<T>::directions), 1); // no sums are tested
    measure_job<T> const job{
        {rows, x.pointer, d.pointer, x.leading, d.leading}, errors.data(), x.columns, {}, {rows, uneven.data()}};
    measure(exec, job, check_system{});
    return errors;
}
/// Whether a solution is finite and its backward error at most accepted_error. Does not change if the system is scaled
/// by powers of two.
template <class T>
bool is_accurate(column_error const& e) {
    return e.solution <= std::numeric_limits<double>::max() && e.normwise() <= accepted_error<T>;
}

/// Solves one system of a batch for the column `d` by the chain solver; writes `x` if the answer is accepted.
template <class T>
void solve_system_by_chain(host_executor const& exec, band_matrix<T> const& a, system_rows const& rows, T const* d,
                           T* x, band_options const& o) {
    tridiagonal<T> matrix(exec, rows.count);
    buffer<T> rhs(exec, rows.count);
    gather(a.lower, rows, matrix.lower.data());
    gather(a.diagonal, rows, matrix.diagonal.data());
    gather(a.upper, rows, matrix.upper.data());
    gather(d, rows, rhs.data());
    band_matrix<T> const one(matrix);
    band_options how = o;
    how.method = band_method::chain;
    auto const plan = plan_workspace(exec, one, 1, how, false);
    buffer<std::byte> space(exec, plan.bytes);
    std::int64_t singular = no_row;
    matrix_block_rows<T> const block_rows{rows_of(one, how), rhs.data(), rhs.data(), rows.count,
                                          rows.count,        0,          &singular};
    solve_by_chain(exec, block_rows, 1, elimination_of<T>(how), plan.chain_in(space.data()), nullptr);
    if (singular != no_row || !is_all_finite(rhs.data(), {0, rows.count, 1})) return;
    for (std::int64_t j = 0; j < rows.count; ++j) x[rows.first + j * rows.stride] = rhs.data()[j];
}

/// After solve_by_rpts: solves the systems again whose column is not finite or, if the system is uncertain, not
/// accurate. `d` is the original right-hand side; `uncertain` has a flag for each system, or is null if none is.
template <class T>
void replace_wrong(host_executor const& exec, band_matrix<T> const& a, columns_view<T const> d, columns_view<T> x,
                   band_options const& o, int const* uncertain) {
    std::vector<column_error> errors;
    if (uncertain) errors = errors_of(exec, a, d, x, o);
    for (std::int64_t c = 0; c < x.columns; ++c) {
        T* const column = x.pointer + c * x.leading;
        for (std::int64_t s = 0; s < a.systems; ++s) {
            system_rows const rows = rows_of_system(a, s);
            // each system by its own flag: its bits must not depend on the others of the batch
            if (uncertain && uncertain[s] != 0 ? is_accurate<T>(errors[std::size_t(s * x.columns + c)])
                                               : is_all_finite(column, rows))
                continue;
            solve_system_by_chain(exec, a, rows, d.pointer + c * d.leading, column, o);
        }
    }
}

/// The original right-hand sides of a solve in place: save() copies them if they are needed.
template <class T>
class original_rhs {
public:
    original_rhs(host_executor const& exec, columns_view<T const> d) : exec_(exec), d_(d) {}
    void save() {
        std::int64_t const all = d_.rows * d_.columns;
        if (all > few) far_ = buffer<T>(exec_, all);
        T* const to = all > few ? far_.data() : near_;
        for (std::int64_t c = 0; c < d_.columns; ++c)
            exec_.copy_elements(d_.pointer + c * d_.leading, to + c * d_.rows, d_.rows);
        d_ = columns_view<T const>(to, d_.rows, d_.columns);
        saved_ = true;
    }
    bool is_saved() const { return saved_; }
    columns_view<T const> columns() const { return d_; }

private:
    static constexpr std::int64_t few = 512; ///< avoids an allocation, to save time for small systems
    host_executor const& exec_;
    columns_view<T const> d_;
    buffer<T> far_{};
    bool saved_ = false;
    T near_[few];
};

/// Solves a matrix that rpts_applies() accepts, and replaces a solution that is not finite or not accurate if the
/// method is automatic. On the host. Takes memory from the pool for such a solution, and for a copy of d if x is d and
/// either such a solution is possible or there are several systems or columns.
template <class T>
void solve_by_rpts_checked(host_executor const& exec, band_matrix<T> const& a, columns_view<T const> d,
                           columns_view<T> x, band_options const& o, array_view<std::byte> workspace) {
    if constexpr (std::is_floating_point_v<T>) {
        if (o.method != band_method::automatic) return solve_by_rpts(exec, a, d, x, o, workspace);
        bool const in_place = x.pointer == d.pointer;
        original_rhs<T> rhs(exec, d);
        auto const save = [&] { rhs.save(); };
        std::function<void()> const none, saves = std::ref(save);
        int of_one = 0;
        int* uncertain = a.systems == 1 ? &of_one : nullptr;
        if (uncertain_bytes(exec, a, o.cyclic) > 0) {
            uncertain = reinterpret_cast<int*>(workspace.data() + batch_bytes(exec, a, x.columns, o.cyclic));
            std::fill_n(uncertain, a.systems, 0);
        }
        auto const systems = systems_of(a, d, x, o.cyclic, nullptr, uncertain);
        auto const outcome =
            solve_tridiagonal_batch(exec, systems, workspace, {o.pivot, o.threshold}, in_place ? saves : none);
        if (!(outcome.finite && outcome.certain) && (!in_place || rhs.is_saved()))
            replace_wrong(exec, a, rhs.columns(), x, o, outcome.certain ? nullptr : uncertain);
    }
}

/// Estimates the condition numbers of all systems; returns their array in the workspace.
template <class T, class Executor>
double const* condition_of(Executor const& exec, matrix_rows<T> const& a, band_options const& o, std::byte* space,
                           workspace_plan const& plan) {
    auto const memory = plan.condition_in<T>(space);
    compute_condition(
        exec, a, memory, [&](matrix_rows<T> const& rows, T* vectors, std::int64_t* singular, int const* predicate) {
            matrix_block_rows<T> const block_rows{rows, vectors, vectors, a.scalar_rows, a.scalar_rows, 0, singular};
            solve_by_chain(exec, block_rows, condition_starts, elimination_of<T>(o), plan.chain_in(space), predicate);
        });
    return memory.condition;
}

/// One call of solve_bands: solves, checks the result, starts further attempts for inaccurate systems, refines, and
/// reports. Which attempts are needed is known on the device only, so each has a device predicate that an earlier
/// attempt sets. Does not wait.
template <class T, class Executor>
struct solve_run {
    using lane = lane_of_t<T>;

    Executor const& exec;
    band_matrix<T> const& matrix;
    columns_view<T const> d;
    columns_view<T> x;
    band_options const& o;
    std::byte* space;
    workspace_plan const& plan;
    array_view<solve_report> report;

    matrix_rows<lane> a = rows_of(matrix, o);
    columns_view<lane const> rhs{reinterpret_cast<lane const*>(d.pointer), d.rows, d.columns, d.leading};
    columns_view<lane> solution{reinterpret_cast<lane*>(x.pointer), x.rows, x.columns, x.leading};
    residual_rows<lane> rows{a, solution.pointer, rhs.pointer, x.leading, d.leading};
    error_memory memory = plan.errors_in(space, matrix.systems, x.columns);
    double bound = error_bound<T>(o);
    bool watched = watches_rpts(exec, matrix, o, reported());
    attempt_plan attempts = plan_attempts(starts_with_rpts(exec, matrix, o, reported()), reported(), watched, o);
    later_attempts<lane> later{rows,
                               reinterpret_cast<lane*>(space + plan.residual),
                               elimination_of<lane>(o),
                               plan.chain_in(space),
                               memory,
                               report.data(),
                               later_attempt_of(attempt::chain),
                               later_attempt_of(attempt::refined_by_chain),
                               in_place() ? saved_rhs() : rows.d,
                               in_place() ? x.rows : d.leading,
                               may_be_uncertain(exec, matrix, o.cyclic) && watched};

    bool reported() const { return !report.empty(); }
    bool in_place() const { return x.pointer == d.pointer; }

    void run() const {
        if (reported() || watched) {
            clear_errors<lane> const clear{memory, {a, memory.uneven}, reported(), reported() || later.checks};
            for_each(exec, clear.items(), clear);
        }
        if (watched)
            for (std::int64_t c = 0; in_place() && c < x.columns; ++c) // not covered: devices only
                exec.copy_elements(d.pointer + c * d.leading, reinterpret_cast<T*>(saved_rhs()) + c * x.rows, x.rows);
        first_attempt();
        if (later.any()) queue_attempts(exec, later);
        refine_as_asked();
        if (reported() && o.condition)
            for_each(exec, matrix.systems, report_condition{condition_of(exec, a, o, space, plan), report.data()});
    }

private:
    void solve_rpts(array_view<std::byte> workspace) const {
        if constexpr (std::is_same_v<Executor, host_executor>)
            if (!reported()) return solve_by_rpts_checked(exec, matrix, d, x, o, workspace);
        solve_by_rpts(exec, matrix, d, x, o, workspace, watched ? later.not_finite() : nullptr, later.uncertain());
    }
    /// Memory for a copy of d if x is d; the chain solver then works in place.
    lane* saved_rhs() const { return reinterpret_cast<lane*>(space + plan.residual); }
    /// Solves all systems into x.
    void first_attempt() const {
        if (attempts.first == attempt::rpts)
            solve_rpts({space + plan.condensed, plan.condensed_bytes});
        else
            solve_by_chain(exec,
                           matrix_block_rows<lane>{a, rows.d, solution.pointer, d.leading, x.leading, 0,
                                                   reported() ? memory.singular : nullptr},
                           x.columns, later.how, later.space, nullptr);
        if (reported())
            check_accuracy(exec, rows, memory, report.data(), {.number = 1},
                           accuracy_rule_of<T>(attempts.first, attempts, bound));
    }
    /// Applies o.refinements steps of refinement to all systems.
    void refine_as_asked() const {
        for (int k = 0; k < o.refinements; ++k) {
            later.correct(exec, {});
            for_each(exec, later.items(), later.adding());
        }
        if (reported() && o.refinements > 0)
            check_accuracy(exec, rows, memory, report.data(), {},
                           {.bound = bound, .numbered = false, .eliminated = false});
    }

    later_attempt later_attempt_of(attempt kind) const {
        return {attempts.follows(kind), memory.waiting_for(attempts.number(kind)),
                accuracy_rule_of<T>(kind, attempts, bound)};
    }
};

} // namespace coppice::inline v0_1::chain
