// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// solve_bands, written once over the launchers of the chain solver:
///
///     launch_bytes<T>(exec, rows, links)   memory that a launch needs beside the links
///     sides_at_once(exec, rows)            right-hand sides that a launch takes, at most most_sides
///     reduce(exec, stage, memory)          units -> links
///     close(exec, closing, memory)         the last link -> its unknowns
///     substitute(exec, stage, memory)      unknowns of the links -> unknowns of the units
///
/// and, where joins_links(exec, rows) says that all links are solved at once, by
///
///     tree_elements(exec, levels, rows)    elements of memory for that, the links included
///     solve_links(exec, tree_job)          the links of the finest stage -> their unknowns
///
/// and, where from_both_ends(exec, rows) says that there are no links at all, by
///
///     ends_bytes(rows, sides), solve_from_ends(exec, units, how, memory, gate)
///
/// Included by the sources that instantiate it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include <coppice/core/memory_range.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/chain/chain_host.hpp>
#include <coppice/solvers/chain/chain_tree.hpp>
#include <coppice/solvers/direct/band_solver.hpp>
#include <coppice/solvers/direct/workspace_layout.hpp>
#include <coppice/solvers/judge/band_condition.hpp>
#include <coppice/solvers/judge/band_error.hpp>
#include <coppice/solvers/judge/error_host.hpp>
#include <coppice/solvers/rpts/rpts.hpp>
#if defined(__CUDACC__)
#include <coppice/solvers/chain/chain_cuda.cuh>
#include <coppice/solvers/judge/error_cuda.cuh>
#endif

namespace coppice {
namespace chain {

/// The lane type of a value type; both have the same layout.
template <class T>
struct lane_of {
    using type = T;
};
template <class R>
struct lane_of<std::complex<R>> {
    using type = complex_lane<R>;
};
template <class T>
using lane_of_t = typename lane_of<T>::type;

template <class T>
matrix_rows<lane_of_t<T>> rows_of(band_matrix<T> const& a, band_options const& o) {
    using lane = lane_of_t<T>;
    matrix_rows<lane> rows;
    std::int64_t const count = (a.size + a.block - 1) / a.block;
    rows.batch = {a.systems, a.offsets ? (a.largest > 0 ? a.largest : count) : count / a.systems, a.offsets,
                  a.interleaved, count};
    rows.scalar_rows = a.size;
    rows.n = a.block;
    rows.lower_bands = a.lower_bands;
    rows.upper_bands = a.upper_bands;
    rows.lower = reinterpret_cast<lane const*>(a.lower);
    rows.diagonal = reinterpret_cast<lane const*>(a.diagonal);
    rows.upper = reinterpret_cast<lane const*>(a.upper);
    rows.cyclic = o.cyclic;
    rows.op = static_cast<transposition>(o.operation);
    return rows;
}

/// Where everything lies in the workspace; one function for sizing and carving.
struct workspace_plan : workspace_layout {
    std::int64_t links, links_bytes; ///< also the workspace of rpts, which comes first
    std::int64_t launch, launch_bytes;
    std::int64_t parts, inaccurate, singular, next, flags;
    std::int64_t residual, residual_bytes;
    std::int64_t vectors, climbs, norms, conditions, singular_of_condition, climbing; ///< of the condition estimate
};

inline unit_shape<any_size> rows_shape(levels const& l, int n, int sides) { return {{n, 2 * n}, l.length(), sides}; }
inline unit_shape<any_size> links_shape(int n, int sides) { return {{2 * n, 2 * n}, stretch_links, sides}; }

/// Short systems get short stretches.
inline levels levels_of(batch_shape const& batch, int log_most = log_stretch_rows) {
    int log_length = 2;
    while (log_length < log_most && (std::int64_t(1) << log_length) < batch.rows) ++log_length;
    return {batch, log_length};
}
/// And so do few rows altogether where links cost little: a stretch is a chain of dependent steps. Not those that are
/// rarely solved by the chain: it would only take more memory.
template <class T, class Executor>
levels levels_of(Executor const& exec, matrix_rows<T> const& a) {
    constexpr std::int64_t few = 1 << 19; // block rows; measured on an H200
    bool const shorter = joins_links(exec, a) && (a.n > 1 || a.cyclic) && a.batch.total <= few;
    return levels_of(a.batch, shorter ? log_stretch_rows - 1 : log_stretch_rows);
}

/// Calls visit(depth of the links, their number, block rows of a link, offset in elements) for every stage; returns the
/// elements of all links together.
template <class Visit>
std::int64_t for_each_stage(levels const& l, int n, int sides, Visit visit) {
    std::int64_t offset = 0, span = l.length();
    for (int depth = 1;; ++depth, span *= stretch_links) {
        std::int64_t const links = l.total(depth);
        visit(depth, links, span, offset);
        offset += (links * (2 * n * (4 * n + sides) + 1) + 15) / 16 * 16; // a multiple of 64 bytes
        if (l.count(l.batch.rows, depth) <= 1) return offset;
    }
}

/// Elements of all links, solved at once or in stages.
template <class T, class Executor>
std::int64_t link_elements(Executor const& exec, matrix_rows<T> const& a, int sides) {
    if (joins_links(exec, a)) return tree_elements(exec, levels_of(exec, a), a);
    return for_each_stage(levels_of(a.batch), a.n, sides, [](auto...) {});
}

template <class T>
std::int64_t largest_of(band_matrix<T> const& a) {
    return a.largest > 0 ? a.largest : a.size;
}
template <class T>
bool interleaves(band_matrix<T> const& a) {
    return a.interleaved && a.systems > 1;
}
/// Rows of a system where all have as many. A small system notices a division.
template <class T>
std::int64_t rows_of_each(band_matrix<T> const& a) {
    return a.systems == 1 ? a.size : a.size / a.systems;
}
template <class T, class Executor>
bool rpts_applies(Executor const& exec, band_matrix<T> const& a, band_options const& o) {
    if constexpr (std::is_floating_point_v<T>)
        return a.block == 1 && a.lower_bands < 0 && !o.cyclic && o.operation == matrix_operation::none &&
               (!a.offsets || takes_varied_batch<T>(exec, a.size, a.systems, largest_of(a))) &&
               (!interleaves(a) || takes_interleaved_batch<T>(exec, rows_of_each(a)));
    else
        return false;
}
template <class T, class Executor>
std::int64_t rpts_bytes(Executor const& exec, band_matrix<T> const& a, std::int64_t columns) {
    std::int64_t const each = rows_of_each(a);
    if (a.offsets) return varied_batch_workspace<T>(exec, a.size, a.systems, columns, largest_of(a));
    if (interleaves(a)) return interleaved_batch_workspace<T>(exec, each, a.systems);
    return tridiagonal_batch_workspace<T>(each, a.systems, columns);
}
template <class T, class Executor>
bool starts_with_rpts(Executor const& exec, band_matrix<T> const& a, band_options const& o) {
    return o.method != band_method::chain && rpts_applies(exec, a, o);
}

/// Whether nothing is done but a solve by rpts.
template <class T, class Executor>
bool only_rpts(Executor const& exec, band_matrix<T> const& a, band_options const& o, bool reported) {
    return !reported && o.refinements == 0 && starts_with_rpts(exec, a, o);
}

template <class T, class Executor>
workspace_plan plan_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                              band_options const& o, bool reported) {
    if constexpr (std::is_floating_point_v<T>)
        if (only_rpts(exec, a, o, reported)) {
            workspace_plan plan{};
            plan.links_bytes = rpts_bytes(exec, a, columns);
            plan.links = plan.take(plan.links_bytes);
            return plan;
        }
    bool const estimated = reported && o.condition;
    std::int64_t const least = estimated ? condition_starts : 1;
    int const n = a.block, sides = int(std::clamp<std::int64_t>(columns, least, most_sides));
    auto const rows = rows_of(a, o);
    levels const l = levels_of(rows.batch);
    workspace_plan plan;
    bool const ends = from_both_ends(exec, rows);
    std::int64_t bytes = ends ? 0 : link_elements(exec, rows, sides) * std::int64_t(sizeof(T));
    if constexpr (std::is_floating_point_v<T>)
        if (starts_with_rpts(exec, a, o)) bytes = std::max(bytes, rpts_bytes(exec, a, columns));
    plan.links_bytes = bytes;
    plan.links = plan.take(bytes);
    plan.launch_bytes = ends ? ends_bytes(rows, sides)
                             : launch_bytes<lane_of_t<T>>(exec, rows_shape(l, n, sides), links_shape(n, sides));
    plan.launch = plan.take(plan.launch_bytes);
    plan.parts = plan.take(reported ? a.systems * columns * std::int64_t(sizeof(error_parts)) : 0);
    plan.inaccurate = plan.take(reported ? a.systems * columns : 0);
    plan.singular = plan.take(reported ? a.systems * 8 : 0);
    plan.next = plan.take(reported ? a.systems * std::int64_t(sizeof(int)) : 0);
    plan.flags = plan.take(reported ? try_flags * std::int64_t(sizeof(int)) : 0);
    bool const refined = o.refinements > 0 || (reported && o.method == band_method::automatic);
    plan.residual_bytes = refined ? a.size * columns * std::int64_t(sizeof(T)) : 0;
    plan.residual = plan.take(plan.residual_bytes);
    std::int64_t const systems = estimated ? a.systems : 0;
    plan.vectors = plan.take(estimated ? a.size * condition_starts * std::int64_t(sizeof(T)) : 0);
    plan.climbs = plan.take(systems * condition_starts * std::int64_t(sizeof(climb_state)));
    plan.norms = plan.take(systems * 8);
    plan.conditions = plan.take(systems * 8);
    plan.singular_of_condition = plan.take(systems * 8);
    plan.climbing = plan.take(estimated ? 8 : 0);
    return plan;
}

inline void refuse(std::string const& what) { throw argument_error("solve_bands: " + what); }
inline void check_space(char const* name, void const* memory, std::int64_t bytes, std::int64_t needed) {
    if (auto const fault = fault_of_space(name, memory, bytes, needed); !fault.empty()) refuse(fault);
}

template <class T, class Executor>
void check_matrix(Executor const& exec, band_matrix<T> const& a, band_options const& o) {
    if (a.size < 0) refuse("the matrix has " + std::to_string(a.size) + " rows");
    if (a.block < 1 || a.block > largest_block)
        refuse("blocks of " + std::to_string(a.block) + " rows (or as many bands), expected 1 to " +
               std::to_string(largest_block));
    bool const bands = a.lower_bands >= 0 || a.upper_bands >= 0;
    if (bands && (a.lower_bands < 0 || a.upper_bands < 0)) refuse("a negative number of bands");
    if (bands && o.cyclic) refuse("a banded matrix cannot be cyclic; use blocks");
    if (bands && a.systems != 1) refuse("a batch of banded matrices; use blocks");
    if (a.systems < 1) refuse("a batch of " + std::to_string(a.systems) + " systems");
    if (a.offsets && a.interleaved) refuse("systems of different sizes cannot be interleaved");
    if (a.offsets && a.largest < 0) refuse("a largest system of " + std::to_string(a.largest) + " rows");
    std::int64_t const unit = a.systems * a.block;
    if (!bands && !a.offsets && unit > 1 && a.size % unit != 0)
        refuse(std::to_string(a.size) + " rows do not make " + std::to_string(a.systems) + " systems of blocks of " +
               std::to_string(a.block));
    if (int(o.pivot) < 0 || int(o.pivot) > int(pivoting::scaled_partial))
        refuse("unknown pivoting " + std::to_string(int(o.pivot)));
    if (int(o.operation) < 0 || int(o.operation) > int(matrix_operation::conjugate_transposed))
        refuse("unknown operation " + std::to_string(int(o.operation)));
    if (int(o.method) < 0 || int(o.method) > int(band_method::chain))
        refuse("unknown method " + std::to_string(int(o.method)));
    if (o.method == band_method::rpts && !rpts_applies(exec, a, o))
        refuse(
            "rpts solves real tridiagonal systems, neither cyclic nor transposed; on CUDA interleaved ones and such of "
            "different sizes only where each fits into a block; on the host interleaved ones of at most 4096 rows");
    if (!(o.threshold >= 0 && std::isfinite(o.threshold)))
        refuse("threshold is " + std::to_string(o.threshold) + ", expected a finite number >= 0");
    if (!(o.error_bound >= 0 && std::isfinite(o.error_bound)))
        refuse("error bound is " + std::to_string(o.error_bound) + ", expected a finite number >= 0");
    if (o.refinements < 0) refuse(std::to_string(o.refinements) + " refinements");
}

template <class T>
void check_bands(band_matrix<T> const& a) {
    bool const bands = a.lower_bands >= 0;
    if (a.size > 0 && (!a.diagonal || (!bands && (!a.lower || !a.upper))))
        refuse("null pointer to " + std::to_string(a.size) + " rows");
}

template <class T>
void check_vectors(band_matrix<T> const& a, columns_view<T const> d, columns_view<T> x) {
    require_size("right-hand side rows of solve_bands", d.rows, a.size);
    require_size("solution rows of solve_bands", x.rows, a.size);
    require_size("solution columns of solve_bands", x.columns, d.columns);
    if (x.columns < 0) refuse(std::to_string(x.columns) + " right-hand sides");
    if (d.leading < a.size || x.leading < a.size)
        refuse("leading dimensions are " + std::to_string(d.leading) + " and " + std::to_string(x.leading) +
               ", expected at least " + std::to_string(a.size));
    constexpr std::int64_t most_elements = (std::int64_t(1) << 56) / std::int64_t(sizeof(T));
    if (x.columns > 0 && std::max(d.leading, x.leading) > (x.columns == 1 ? most_elements : most_elements / x.columns))
        refuse("leading dimensions of " + std::to_string(d.leading) + " and " + std::to_string(x.leading) +
               " lead beyond any memory");
    if (a.size == 0 || x.columns == 0) return;
    check_bands(a);
    if (!d.pointer || !x.pointer) refuse("null pointer to " + std::to_string(a.size) + " rows");
}

template <class T>
memory_range range_of(char const* name, columns_view<T> x) {
    return {name, x.pointer, ((x.columns - 1) * x.leading + x.rows) * std::int64_t(sizeof(T))};
}
/// Small systems notice a call for each pair.
COPPICE_ALWAYS_INLINE void check_apart(memory_range const& a, memory_range const& b) {
    if (overlap(a, b)) require_apart(a, b, "solve_bands: ");
}
/// The solution may replace the right-hand side; otherwise they are apart.
template <class T>
void check_sides_apart(columns_view<T const> d, columns_view<T> x) {
    if (static_cast<void const*>(x.pointer) != d.pointer || x.leading != d.leading)
        check_apart(range_of("the solution", x), range_of("the right-hand side", d));
}

template <class T>
void check_overlaps(band_matrix<T> const& a, columns_view<T const> d, columns_view<T> x,
                    array_view<std::byte> workspace, array_view<solve_report> report, bool keep_sides) {
    std::int64_t const unit = sizeof(T), part = a.size * (a.lower_bands >= 0 ? 1 : a.block) * unit;
    memory_range const solution = range_of("the solution", x), sides = range_of("the right-hand side", d);
    memory_range const space{"the workspace", workspace.data(), workspace.size()};
    memory_range const told{"the report", report.data(), report.size() * std::int64_t(sizeof(solve_report))};
    std::array<memory_range, 4> const matrix{
        {{"the lower band", a.lower, a.lower ? part : 0},
         {"the diagonal", a.diagonal, a.lower_bands >= 0 ? part * (a.lower_bands + a.upper_bands + 1) : part},
         {"the upper band", a.upper, a.upper ? part : 0},
         {"the offsets", a.offsets, a.offsets ? (a.systems + 1) * 8 : 0}}};
    for (memory_range const& written : {solution, space, told})
        for (memory_range const& read : matrix) check_apart(written, read);
    for (memory_range const& other : {solution, sides}) {
        check_apart(space, other);
        check_apart(told, other);
    }
    check_apart(told, space);
    check_sides_apart(d, x);
    if (keep_sides && static_cast<void const*>(x.pointer) == d.pointer)
        refuse("a report or refinement needs the right-hand side: the solution cannot replace it");
}

/// All links of the chain in stages, from those of the finest on.
template <class T, class Executor, class LinksAt>
void solve_stages(Executor const& exec, link_units<T> const& finest, levels const& l,
                  elimination<real_lane_t<T>> const& how, LinksAt const& links_at, std::byte* memory, int const* gate) {
    using coarse = stage<T, link_units<T>>;
    std::array<coarse, most_stages> stages;
    int depth = 0;
    for_each_stage(l, finest.a.n, finest.sides, [&](int k, std::int64_t count, std::int64_t span, std::int64_t offset) {
        if (k == 1) return;
        link_units<T> const& from = depth == 0 ? finest : stages[std::size_t(depth - 1)].links;
        stages[std::size_t(depth++)] = {
            from, links_at(k, count, span, offset), l, links_shape(finest.a.n, finest.sides), how, count, gate};
    });
    for (int k = 0; k < depth; ++k) reduce(exec, stages[std::size_t(k)], memory);
    close(exec, closing<T>{depth == 0 ? finest : stages[std::size_t(depth - 1)].links, l, how, gate}, memory);
    for (int k = depth - 1; k >= 0; --k) substitute(exec, stages[std::size_t(k)], memory);
}

/// One chain solve of up to most_sides columns.
template <class T, class Executor>
void solve_columns(Executor const& exec, row_units<T> const& units, elimination<real_lane_t<T>> const& how,
                   std::byte* links, std::byte* memory, int const* gate) {
    if (from_both_ends(exec, units.a)) return solve_from_ends(exec, units, how, memory, gate);
    int const n = units.a.n, w = 2 * n, sides = units.sides;
    levels const l = levels_of(exec, units.a);
    auto* const base = reinterpret_cast<T*>(links);
    auto const links_at = [&](int depth, std::int64_t count, std::int64_t span, std::int64_t offset) {
        T *const at = base + offset, *const rhs = at + count * 2 * w * w, *const behind = rhs + count * w * sides;
        return link_units<T>{at,   rhs,           reinterpret_cast<real_lane_t<T>*>(behind), depth, w, sides, units.a,
                             span, units.singular};
    };
    std::int64_t const count = l.total(1);
    stage<T, row_units<T>> const finest{
        units, links_at(1, count, l.length(), 0), l, rows_shape(l, n, sides), how, count, gate};
    reduce(exec, finest, memory);
    if (joins_links(exec, units.a))
        solve_links(exec, tree_job<T>(finest.links, l, how, gate));
    else
        solve_stages(exec, finest.links, l, how, links_at, memory, gate);
    substitute(exec, finest, memory);
}

/// A chain solve of all columns, as many at a time as the launcher takes.
template <class T, class Executor>
void solve_by_chain(Executor const& exec, matrix_rows<T> const& a, columns_view<T const> d, columns_view<T> x,
                    band_options const& o, std::byte* space, workspace_plan const& plan, std::int64_t* singular,
                    int const* gate) {
    using real = real_lane_t<T>;
    elimination<real> const how{real(o.threshold), o.threshold > 0, o.pivot == pivoting::scaled_partial};
    int const most = sides_at_once(exec, a);
    for (std::int64_t c = 0; c < x.columns; c += most) {
        int const sides = int(std::min<std::int64_t>(most, x.columns - c));
        row_units<T> const units{
            a, d.pointer + c * d.leading, x.pointer + c * x.leading, d.leading, x.leading, sides, singular};
        solve_columns(exec, units, how, space + plan.links, space + plan.launch, gate);
    }
}

template <class T, class Executor>
void solve_by_rpts(Executor const& exec, band_matrix<T> const& a, columns_view<T const> d, columns_view<T> x,
                   band_options const& o, array_view<std::byte> workspace, int const* gate) {
    solve_tridiagonal_batch(exec,
                            tridiagonal_batch<T>{{a.size, a.lower, a.diagonal, a.upper},
                                                 a.systems,
                                                 x.columns,
                                                 d.pointer,
                                                 x.pointer,
                                                 d.leading,
                                                 x.leading,
                                                 gate,
                                                 a.offsets,
                                                 largest_of(a),
                                                 interleaves(a)},
                            workspace, {o.pivot, o.threshold});
}

template <class T>
double error_bound(band_options const& o) {
    using real = real_lane_t<lane_of_t<T>>;
    return o.error_bound > 0 ? o.error_bound : 50 * double(std::numeric_limits<real>::epsilon());
}

/// A finished try: measured, judged, written to the report.
template <class T, class Executor>
void judge(Executor const& exec, residual_rows<T> const& rows, verdict_memory const& memory, solve_report* report,
           try_scope const& scope, judgement const& about) {
    measure_job<T> const job{rows, memory.parts, memory.columns, scope};
    judge_system const judging{memory, report, scope, about};
    if (!measure(exec, job, judging)) for_each(exec, memory.systems, judging);
}

/// Estimates the condition numbers of all systems in the workspace; returns where they stand.
template <class T, class Executor>
double const* condition_of(Executor const& exec, matrix_rows<T> const& a, band_options const& o, std::byte* space,
                           workspace_plan const& plan) {
    condition_memory<T> const memory{reinterpret_cast<T*>(space + plan.vectors),
                                     reinterpret_cast<climb_state*>(space + plan.climbs),
                                     reinterpret_cast<double*>(space + plan.norms),
                                     reinterpret_cast<double*>(space + plan.conditions),
                                     reinterpret_cast<std::int64_t*>(space + plan.singular_of_condition),
                                     reinterpret_cast<int*>(space + plan.climbing)};
    climb_condition(exec, a, memory,
                    [&](matrix_rows<T> const& rows, T* vectors, std::int64_t* singular, int const* gate) {
                        columns_view<T> const x(vectors, a.scalar_rows, condition_starts);
                        solve_by_chain(exec, rows, columns_view<T const>(x), x, o, space, plan, singular, gate);
                    });
    return memory.condition;
}

/// One call of solve_bands: solves, looks at the result, tries again where it is bad, refines, and reports. Which tries
/// follow is known to the device alone, so each has a gate that an earlier one opens. Nothing here waits.
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
    columns_view<lane const> sides{reinterpret_cast<lane const*>(d.pointer), d.rows, d.columns, d.leading};
    columns_view<lane> solution{reinterpret_cast<lane*>(x.pointer), x.rows, x.columns, x.leading};
    columns_view<lane> correction{reinterpret_cast<lane*>(space + plan.residual), a.scalar_rows, x.columns};
    add_correction<lane> correct{solution.pointer, correction.pointer, a.scalar_rows, x.leading};
    residual_rows<lane> rows{a, solution.pointer, sides.pointer, x.leading, d.leading};
    verdict_memory memory{reinterpret_cast<error_parts*>(space + plan.parts),
                          reinterpret_cast<bool*>(space + plan.inaccurate),
                          reinterpret_cast<std::int64_t*>(space + plan.singular),
                          reinterpret_cast<int*>(space + plan.next),
                          reinterpret_cast<int*>(space + plan.flags),
                          matrix.systems,
                          x.columns};
    double bound = error_bound<T>(o);
    std::int64_t items = a.scalar_rows * x.columns;

    bool reported() const { return !report.empty(); }

    void run() const {
        bool const by_rpts = starts_with_rpts(exec, matrix, o), more = reported() && o.method == band_method::automatic;
        if (reported()) {
            clear_verdicts const clear{memory};
            for_each(exec, clear.items(), clear);
        }
        int const last = o.refinements > 0 ? 0 : 1; // tries that may follow the chain solver
        if constexpr (std::is_floating_point_v<T>)
            if (by_rpts) {
                // Rpts says nothing of pivots; a solution this large may stand for one that vanished: the matrix is
                // singular to working precision.
                constexpr double growth = 1 / std::numeric_limits<T>::epsilon();
                solve_by_rpts(exec, matrix, d, x, o, rpts_space(), nullptr);
                if (reported())
                    judge(exec, rows, memory, report.data(), {.number = 1},
                          {.bound = bound,
                           .growth = growth,
                           .if_inaccurate = more ? 2 : 0,
                           .if_doubtful = more ? 3 : 0,
                           .if_hollow = more ? 3 : 0,
                           .eliminated = false});
                if (more) {
                    refine(memory.waiting_for(2),
                           {.bound = bound,
                            .growth = growth,
                            .if_inaccurate = 3,
                            .if_doubtful = 3,
                            .if_hollow = 3,
                            .eliminated = false},
                           [&](int const* gate) {
                               columns_view<T> const c(reinterpret_cast<T*>(correction.pointer), a.scalar_rows,
                                                       x.columns);
                               solve_by_rpts(exec, matrix, columns_view<T const>(c), c, o, rpts_space(), gate);
                           });
                    retry_by_chain(memory.waiting_for(3), {.bound = bound, .if_inaccurate = last * 4});
                    if (last > 0) refine_by_chain(memory.waiting_for(4));
                }
            }
        if (!by_rpts) {
            solve_by_chain(exec, a, sides, solution, o, space, plan, reported() ? memory.singular : nullptr, nullptr);
            if (reported())
                judge(exec, rows, memory, report.data(), {.number = 1},
                      {.bound = bound, .if_inaccurate = more ? last * 2 : 0});
            if (more && last > 0) refine_by_chain(memory.waiting_for(2));
        }
        for (int k = 0; k < o.refinements; ++k) {
            for_all_rows(residual_to<lane>{rows, correction.pointer, {}});
            correct_by_chain(nullptr);
            for_each(exec, items, correct);
        }
        if (reported() && o.refinements > 0)
            judge(exec, rows, memory, report.data(), {}, {.bound = bound, .numbered = false, .eliminated = false});
        if (reported() && o.condition)
            for_each(exec, matrix.systems, report_condition{condition_of(exec, a, o, space, plan), report.data()});
    }

private:
    template <class Work>
    void for_all_rows(Work const& work) const {
        std::int64_t const workers = workers_for(items);
        for_each(exec, workers, strided_work<Work>{work, items, workers});
    }
    array_view<std::byte> rpts_space() const { return {space + plan.links, plan.links_bytes}; }

    /// The systems that wait for it are solved again, for the first time by the chain; the others keep their bits.
    void retry_by_chain(try_scope const& scope, judgement const& about) const {
        if (stays_closed(exec, scope.gate)) return;
        solve_by_chain(exec, a, sides, correction, o, space, plan, memory.singular, scope.gate);
        for_all_rows(take_answer<lane>{a, solution.pointer, correction.pointer, x.leading, scope});
        judge(exec, rows, memory, report.data(), scope, about);
    }
    void correct_by_chain(int const* gate) const {
        solve_by_chain(exec, a, columns_view<lane const>(correction), correction, o, space, plan, nullptr, gate);
    }
    /// Against the growth of entries in a stretch, which reaches far where roots of its recurrence meet on the unit
    /// circle (matrix 17 of Table 6).
    void refine_by_chain(try_scope const& scope) const {
        refine(scope, {.bound = bound, .eliminated = false}, [&](int const* gate) { correct_by_chain(gate); });
    }
    template <class Solve>
    void refine(try_scope const& scope, judgement const& about, Solve const& solve_correction) const {
        if (stays_closed(exec, scope.gate)) return;
        for_all_rows(residual_to<lane>{rows, correction.pointer, scope});
        solve_correction(scope.gate);
        for_all_rows(correct_inaccurate<lane>{a, correct, memory, scope});
        judge(exec, rows, memory, report.data(), scope, about);
    }
};

} // namespace chain

template <class T, executor Executor>
std::int64_t bands_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                             band_options const& options, bool reported) {
    chain::check_matrix(exec, a, options);
    if (columns < 0) chain::refuse(std::to_string(columns) + " right-hand sides");
    if (a.size == 0 || columns == 0) return 0;
    return chain::plan_workspace(exec, a, columns, options, reported).bytes;
}

template <class T, executor Executor>
void solve_bands(Executor const& exec, band_matrix<T> const& a, columns_view<std::type_identity_t<T> const> d,
                 columns_view<std::type_identity_t<T>> x, array_view<std::byte> workspace, band_options const& options,
                 array_view<solve_report> report) {
    chain::check_matrix(exec, a, options);
    chain::check_vectors(a, d, x);
    if (!report.empty()) require_size("reports of solve_bands", report.size(), a.systems);
    if (a.size == 0 || x.columns == 0) {
        for_each(exec, report.size(),
                 chain::report_nothing{report.data(), options.condition && a.size == 0 ? 1.0 : 0.0});
        return;
    }
    if constexpr (std::is_floating_point_v<T>)
        if (chain::only_rpts(exec, a, options, !report.empty())) { // a small system notices what the others plan
            std::int64_t const bytes = chain::rpts_bytes(exec, a, x.columns);
            chain::check_space("workspace", workspace.data(), workspace.size(), bytes);
            chain::check_overlaps(a, d, x, workspace.slice(0, bytes), report, false);
            return chain::solve_by_rpts(exec, a, d, x, options, workspace, nullptr);
        }
    auto const plan = chain::plan_workspace(exec, a, x.columns, options, !report.empty());
    chain::check_space("workspace", workspace.data(), workspace.size(), plan.bytes);
    chain::check_overlaps(a, d, x, workspace.slice(0, plan.bytes), report, !report.empty() || options.refinements > 0);
    chain::solve_run<T, Executor>{exec, a, d, x, options, workspace.data(), plan, report}.run();
}

template <class T, executor Executor>
void estimate_condition(Executor const& exec, band_matrix<T> const& a, array_view<double> condition,
                        band_options const& options) {
    chain::check_matrix(exec, a, options);
    chain::check_bands(a);
    require_size("conditions of estimate_condition", condition.size(), a.systems);
    if (a.size == 0) return fill(exec, condition, 1.0);
    band_options estimating = options;
    estimating.condition = true;
    auto const plan = chain::plan_workspace(exec, a, chain::condition_starts, estimating, true);
    buffer<std::byte> workspace(exec, plan.bytes);
    auto const* const found = chain::condition_of(exec, chain::rows_of(a, options), options, workspace.data(), plan);
    for_each(exec, a.systems, chain::copy_condition{found, condition.data()});
}

template <class T, executor Executor>
solve_report bands_report(Executor const& exec, band_matrix<T> const& a, columns_view<std::type_identity_t<T> const> x,
                          columns_view<std::type_identity_t<T> const> d, band_options const& options) {
    using lane = chain::lane_of_t<T>;
    chain::check_matrix(exec, a, options);
    chain::check_vectors(a, d, columns_view<T>(const_cast<T*>(x.pointer), x.rows, x.columns, x.leading));
    if (a.size == 0 || x.columns == 0) return {0, 0, -1, solve_status::ok, 0, 0};
    // Judged as one system: what is worst anywhere.
    buffer<chain::error_parts> parts(exec, a.systems * x.columns);
    buffer<bool> inaccurate(exec, a.systems * x.columns);
    buffer<std::int64_t> singular(exec, a.systems);
    buffer<int> next(exec, a.systems), flags(exec, chain::try_flags);
    buffer<solve_report> reports(exec, a.systems);
    chain::verdict_memory const memory{parts.data(), inaccurate.data(), singular.data(), next.data(),
                                       flags.data(), a.systems,         x.columns};
    chain::clear_verdicts const clear{memory};
    for_each(exec, clear.items(), clear);
    chain::residual_rows<lane> const rows{chain::rows_of(a, options), reinterpret_cast<lane const*>(x.pointer),
                                          reinterpret_cast<lane const*>(d.pointer), x.leading, d.leading};
    chain::judge(exec, rows, memory, reports.data(), {}, {.bound = chain::error_bound<T>(options)});
    solve_report worst{0, 0, -1, solve_status::ok, 0, 0};
    for (solve_report const& r : to_vector(exec, reports)) {
        chain::error_parts::larger_of(worst.backward_error, r.backward_error);
        chain::error_parts::larger_of(worst.componentwise_error, r.componentwise_error);
        if (worst.status == solve_status::ok || r.status == solve_status::not_finite) worst.status = r.status;
    }
    return worst;
}

// What the sources of the library instantiate, and no other.
#define COPPICE_BANDS_DECLARE(prefix, T, Executor)                                                                     \
    prefix std::int64_t bands_workspace(Executor const&, band_matrix<T> const&, std::int64_t, band_options const&,     \
                                        bool);                                                                         \
    prefix void solve_bands(Executor const&, band_matrix<T> const&, columns_view<T const>, columns_view<T>,            \
                            array_view<std::byte>, band_options const&, array_view<solve_report>);                     \
    prefix void estimate_condition(Executor const&, band_matrix<T> const&, array_view<double>, band_options const&);   \
    prefix solve_report bands_report(Executor const&, band_matrix<T> const&, columns_view<T const>,                    \
                                     columns_view<T const>, band_options const&);
#define COPPICE_BANDS_DECLARE_ALL(prefix, Executor)                                                                    \
    COPPICE_BANDS_DECLARE(prefix, float, Executor)                                                                     \
    COPPICE_BANDS_DECLARE(prefix, double, Executor)                                                                    \
    COPPICE_BANDS_DECLARE(prefix, std::complex<float>, Executor)                                                       \
    COPPICE_BANDS_DECLARE(prefix, std::complex<double>, Executor)

COPPICE_BANDS_DECLARE_ALL(extern template, host_executor)
#if defined(COPPICE_HAS_CUDA)
COPPICE_BANDS_DECLARE_ALL(extern template, cuda_executor)
#endif

} // namespace coppice
