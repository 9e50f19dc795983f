// SPDX-License-Identifier: BSD-3-Clause
// coppice tridiagonal MATRIX: direct solve of a (cyclic, block) tridiagonal or banded system.
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "apps/backend.hpp"
#include "apps/band_class.hpp"
#include "apps/names.hpp"
#include "apps/output.hpp"
#include "apps/pivoting_names.hpp"
#include "apps/ranks.hpp"
#include "apps/system.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/operations.hpp>
#include <coppice/solvers/compare/classical.hpp>
#include <coppice/solvers/compare/classical_catalogue.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>
#include <coppice/solvers/distributed/bands/distributed_tridiagonal.hpp>

namespace coppice::app {
namespace {

struct tridiagonal_request {
    common_options common{};
    std::string matrix{};
    std::string method = "auto";
    std::string pivoting{}; ///< empty until run() sets the default
    double threshold = 0;
    int block = 0;
    int refinements = 0;
    bool condition = false;
    int ranks = 1;
    system_arguments system{};
};

/// A method of the library or a classical algorithm.
struct solution_method {
    band_method bands = band_method::automatic;
    classical::method_row const* classical = nullptr;
};
/// Names of the methods of the library and of the classical algorithms in the registry.
struct method_names {
    named<solution_method> rows[3 + std::size(classical::catalogue)] = {
        {"auto", {}}, {"rpts", {band_method::rpts}}, {"chain", {band_method::chain}}};
    constexpr method_names() {
        for (std::size_t i = 0; i < std::size(classical::catalogue); ++i)
            rows[3 + i] = {classical::catalogue[i].name, {{}, &classical::catalogue[i]}};
    }
};
constexpr method_names all_methods{};
constexpr auto const& methods = all_methods.rows;

struct answer {
    double seconds = 0;
    solve_report report{};
    double forward_error = 0;
    std::string method{};
    std::string pivoting{};
};

/// Computes the bandwidths; columns are sorted.
template <class T>
bandwidth reach_of(csr<T> const& a) {
    bandwidth reach;
    for (std::int64_t i = 0; i < a.rows(); ++i) {
        auto const first = a.row_offsets()[i], last = a.row_offsets()[i + 1];
        if (first == last) continue;
        reach.lower = std::max<std::int64_t>(reach.lower, i - a.column_indices()[first]);
        reach.upper = std::max<std::int64_t>(reach.upper, a.column_indices()[last - 1] - i);
    }
    return reach;
}

template <class T>
band_class require_class(tridiagonal_request const& o, csr<T> const& a) {
    require_square("tridiagonal", o.matrix, a.rows(), a.columns());
    auto const reach = reach_of(a);
    band_class const c = classify(a, reach.lower, reach.upper, o.block);
    if (c.kind != band_class::none) return c;
    if (o.block > 0)
        throw input_error(
            fmt::format("{} is not block tridiagonal with blocks of {} rows, cyclic or not", o.matrix, o.block));
    throw input_error(
        fmt::format("{} has lower bandwidth {} and upper bandwidth {}; a direct solve takes at most {} and "
                    "{}, or blocks of at most {} rows that are coupled to adjacent blocks only; coppice "
                    "solve takes any square matrix",
                    o.matrix, reach.lower, reach.upper, largest_block, largest_block, largest_block));
}

char const* status_name(solve_status s) {
    switch (s) {
    case solve_status::ok:
        return "ok";
    case solve_status::singular:
        return "singular";
    case solve_status::not_finite:
        return "not finite";
    default:
        return "inaccurate";
    }
}

void show_results(sheet& result, tridiagonal_request const& o, band_class const& c, std::int64_t rows,
                  answer const& r) {
    std::string const shape = c.kind == band_class::banded
                                  ? fmt::format("{} with {} and {} bands", c.name(), c.lower, c.upper)
                              : c.block > 1 ? fmt::format("{}, blocks of {}", c.name(), c.block)
                                            : c.name();
    result.line("class", shape);
    result.line("method", fmt::format("{}, {} pivoting", r.method, r.pivoting == "none" ? "no" : r.pivoting));
    result.line("status", status_name(r.report.status));
    auto const componentwise = std::isnan(r.report.componentwise_error) && o.ranks > 1
                                   ? std::string()
                                   : fmt::format(" (componentwise {})", show_scientific(r.report.componentwise_error));
    result.line("backward error", show_scientific(r.report.backward_error) + componentwise);
    if (o.condition)
        result.line("condition", fmt::format("{} (estimate, 1-norm)", show_scientific(r.report.condition)));
    if (!std::isnan(r.forward_error)) result.line("forward error", show_scientific(r.forward_error));
    result.line("time",
                fmt::format("{}, {:.3g} million rows/s", show_seconds(r.seconds), double(rows) / r.seconds * 1e-6));
    if (!o.system.output.empty()) result.line("written to", o.system.output);
    auto& json = result.json();
    json["class"] = c.name();
    json["method"] = r.method;
    json["parts"] = o.ranks;
    json["pivoting"] = r.pivoting;
    json["block"] = c.block;
    json["cyclic"] = c.cyclic;
    json["rhs"] = o.system.rhs.empty() ? o.system.solution : o.system.rhs;
    json["status"] = status_name(r.report.status);
    json["tries"] = r.report.tries;
    json["backward_error"] = r.report.backward_error;
    json["componentwise_error"] = r.report.componentwise_error;
    if (o.condition) json["condition"] = r.report.condition;
    json["forward_relative_error"] = r.forward_error;
    json["singular"] = r.report.status == solve_status::singular;
    json["seconds"] = r.seconds;
}

outcome outcome_of(answer const& r, tridiagonal_request const& o, double rounding) {
    auto const advice = r.pivoting == "none" ? "; the matrix may need pivoting" : "";
    switch (r.report.status) {
    case solve_status::singular:
        if (r.report.row < 0) return {exit_numerical, o.matrix + " is singular"};
        return {exit_numerical, fmt::format("{} is singular: there is no pivot in row {}", o.matrix, r.report.row + 1)};
    case solve_status::not_finite:
        return {exit_numerical, fmt::format("the solution of {} overflows{}", o.matrix, advice)};
    default:
        // A stable solve has a backward error of a few units of rounding.
        if (!(r.report.backward_error < std::sqrt(rounding)))
            return {exit_numerical, fmt::format("the backward error of {} is {}{}", o.matrix,
                                                show_scientific(r.report.backward_error), advice)};
        return {};
    }
}

template <class Executor, class T>
double condition_of(Executor const& exec, band_matrix<T> const& matrix, band_options const& how) {
    buffer<double> condition(exec, 1);
    estimate_condition(exec, matrix, condition.view(), how);
    return to_vector(exec, condition)[0];
}

/// Solves and sets all results except the forward error.
template <class Executor, class T>
answer solve_in_class(Executor const& exec, tridiagonal_request const& o, band_class const& c,
                      band_matrix<T> const& matrix, buffer<T> const& d, buffer<T>& x) {
    band_options const how{.pivot = choose("pivoting", o.pivoting, pivotings),
                           .threshold = o.threshold,
                           .cyclic = c.cyclic,
                           .method = choose("method", o.method, methods).bands,
                           .refinements = o.refinements};
    buffer<solve_report> report(exec, 1);
    buffer<std::byte> workspace(exec, bands_workspace(exec, matrix, 1, how, true));
    exec.synchronize();
    answer r;
    stopwatch clock;
    solve_bands(exec, matrix, columns_view<T const>(d.view()), columns_view<T>(x.view()), workspace.view(), how,
                report.view());
    exec.synchronize();
    r.seconds = clock.lap();
    r.report = to_vector(exec, report)[0];
    if (o.condition) r.report.condition = condition_of(exec, matrix, how); // not part of the time
    bool const by_rpts = r.report.tries <= 1 && how.method != band_method::chain && c.block == 1 && !c.cyclic;
    r.method = by_rpts ? "rpts" : "chain";
    r.pivoting = o.pivoting;
    return r;
}

/// The same by a classical algorithm.
template <class Executor, class T>
answer solve_classically(Executor const& exec, tridiagonal_request const& o, classical::method_row const& how,
                         band_matrix<T> const& matrix, buffer<T> const& d, buffer<T>& x) {
    tridiagonal_view<T> const rows{matrix.size, matrix.lower, matrix.diagonal, matrix.upper};
    exec.synchronize();
    answer r;
    stopwatch clock;
    solve_classical(exec, rows, 1, d.view(), x.view(), {.algorithm = how.which});
    exec.synchronize();
    r.seconds = clock.lap();
    r.report = bands_report(exec, matrix, columns_view<T const>(x.view()), columns_view<T const>(d.view()));
    if (o.condition) r.report.condition = condition_of(exec, matrix, {});
    r.method = o.method;
    r.pivoting = how.pivoting;
    return r;
}

/// Returns b and x in host memory; x is written to the output.
template <class Executor, class T>
answer solve_on_one(Executor const& exec, host_executor const& host, tridiagonal_request const& o, csr<T> const& a,
                    band_class const& c, buffer<T> const& b, buffer<T>& solved) {
    auto const* const classical = choose("method", o.method, methods).classical;
    auto const d = exec.copy(b);
    buffer<T> x(exec, a.rows());
    answer r;
    if (c.kind == band_class::banded) {
        auto const bands = exec.copy(to_bands(host, a, c));
        r = solve_in_class<Executor, T>(exec, o, c, band_matrix<T>(bands), d, x);
    } else {
        auto const blocks = exec.copy(to_blocks(host, a, c));
        band_matrix<T> const matrix(blocks);
        if constexpr (std::is_same_v<T, real_of<T>>)
            if (classical) r = solve_classically<Executor, T>(exec, o, *classical, matrix, d, x);
        if (!classical) r = solve_in_class<Executor, T>(exec, o, c, matrix, d, x);
    }
    solved = host.copy(x);
    return r;
}

/// Distributed solve from rows in host memory.
template <class Executor, class T>
answer solve_over_ranks(Executor const& exec, tridiagonal_request const& o, tridiagonal_view<T> a, buffer<T> const& d,
                        buffer<T>& x) {
    band_options const how{.pivot = choose("pivoting", o.pivoting, pivotings),
                           .threshold = o.threshold,
                           .method = choose("method", o.method, methods).bands,
                           .refinements = o.refinements};
    answer r;
    auto const all = executors_of_ranks(exec, o.ranks);
    all.run([&](Executor const& rank_exec, rank_communicator const& others) {
        rows_of_rank const rows(a.size(), others);
        auto const own = [&](T const* from) {
            return rank_exec.copy(array_view<T const>(from + rows.first, rows.size()));
        };
        auto const lower = own(a.lower), diagonal = own(a.diagonal), upper = own(a.upper), rhs = own(d.data());
        buffer<T> solution(rank_exec, rows.size());
        rank_exec.synchronize();
        others.gather(0); // all ranks have their rows
        stopwatch clock;
        solve_report const report = solve_tridiagonal_distributed(
            rank_exec, others, tridiagonal_view<T>{rows.size(), lower.data(), diagonal.data(), upper.data()},
            rhs.view(), solution.view(), how);
        rank_exec.synchronize();
        others.gather(0);
        if (others.rank() == 0) {
            r.seconds = clock.lap();
            r.report = report;
        }
        rank_exec.copy_elements(solution.data(), x.data() + rows.first, rows.size());
    });
    bool const by_rpts = r.report.tries <= 2 && how.method != band_method::chain && how.threshold == 0;
    r.method = fmt::format("{} on {} ranks", by_rpts ? "rpts" : "chain", o.ranks);
    r.pivoting = o.pivoting;
    return r;
}

template <class Executor, class T>
outcome solve_system(tridiagonal_request const& o, any_executor const& chosen, Executor const& exec,
                     matrix_input& input, output_files& files, progress& status) {
    auto const host = make_host(o.common);
    auto a = std::move(input).template load<T>(host);
    band_class const c = require_class(o, a);
    int const scale = scale_into_range(host, a);
    auto const* const classical = choose("method", o.method, methods).classical;
    if ((o.method == "rpts" || classical) && (c.kind != band_class::blocks || c.block != 1 || c.cyclic))
        throw usage_error(
            fmt::format("--method {} solves tridiagonal matrices; {} is {}", o.method, o.matrix, c.name()));
    bool const plain = c.kind == band_class::blocks && c.block == 1 && !c.cyclic && std::is_same_v<T, real_of<T>>;
    if (o.ranks > 1 && (!plain || classical || o.condition))
        throw usage_error(
            fmt::format("--parts requires a real tridiagonal matrix that is not cyclic, without --condition and "
                        "classical methods; {} is {}{}",
                        o.matrix, std::is_same_v<T, real_of<T>> ? "" : "complex, ", c.name()));
    auto const system = make_right_hand_side<T>(host, o.system, a, scale, status);

    status.show("solving");
    answer r;
    buffer<T> solved(host, a.rows());
    if (o.ranks > 1) {
        if constexpr (std::is_same_v<T, real_of<T>>) {
            auto const blocks = to_blocks(host, a, c);
            band_matrix<T> const rows(blocks);
            r = solve_over_ranks<Executor, T>(
                exec, o, tridiagonal_view<T>{a.rows(), rows.lower, rows.diagonal, rows.upper}, system.b, solved);
        }
    } else {
        r = solve_on_one<Executor, T>(exec, host, o, a, c, system.b, solved);
    }
    r.forward_error = forward_relative_error<T>(host, solved.view(), system.solution);
    files.write(o.system.output, [&](std::string const& path) {
        write_vector<T>(host, path, solved.view(), {}, status.of_file(o.system.output));
    });
    status.clear();

    sheet result("tridiagonal", o.common);
    result.input(o.matrix, a.rows(), a.columns(), a.nonzeros());
    result.backend(chosen);
    show_results(result, o, c, a.rows(), r);
    result.json()["field"] = std::is_same_v<T, real_of<T>> ? "real" : "complex";
    auto const end = outcome_of(r, o, std::numeric_limits<real_of<T>>::epsilon());
    result.publish(files, end);
    return end;
}

outcome run(tridiagonal_request& o) {
    check_common_options(o.common);
    check_matrix_argument(o.matrix, "tridiagonal");
    bool const classical = choose("method", o.method, methods).classical != nullptr;
    if (classical && (!o.pivoting.empty() || o.threshold > 0 || o.refinements > 0))
        throw usage_error(fmt::format("--method {} takes no --pivoting, --threshold and --refinements", o.method));
    if (o.pivoting.empty()) o.pivoting = "partial";
    choose("pivoting", o.pivoting, pivotings);
    if (!(o.threshold >= 0 && std::isfinite(o.threshold)))
        throw usage_error(fmt::format("--threshold is {}, expected a finite number of at least 0", o.threshold));
    if (o.block < 0 || o.block > largest_block)
        throw usage_error(
            fmt::format("--block is {}, expected 1 to {}, or 0 to find the size", o.block, largest_block));
    if (o.refinements < 0 || o.refinements > 100)
        throw usage_error(fmt::format("--refinements is {}, expected 0 to 100", o.refinements));
    check_ranks(o.ranks);
    check_system_arguments(o.system);
    auto const chosen = make_executor(o.common);
    output_files files({{"MATRIX", o.matrix}, {"--rhs", o.system.rhs}});
    files.expect("-o", o.system.output, ".npy");
    files.expect("--json", o.common.json);
    progress status(o.common);
    matrix_input input(o.matrix, status);
    auto const solve = [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return solve_system<Executor, T>(o, chosen, exec, input, files, status);
    };
    if (!input.is_complex() && !is_complex_vector(o.system.rhs)) return with_backend(o.common, chosen, solve);
    if (classical) throw usage_error(fmt::format("--method {} solves real systems; this one is complex", o.method));
    return with_complex_backend(o.common, chosen, solve);
}

} // namespace

command add_tridiagonal(CLI::App& program) {
    auto const o = std::make_shared<tridiagonal_request>();
    auto* const cli =
        program.add_subcommand("tridiagonal", "Solve a (cyclic, block) tridiagonal or banded system directly");
    add_matrix_argument(*cli, o->matrix);
    cli->add_option("--method", o->method,
                    "auto, the default; rpts; chain; or a classical algorithm, most of which do not pivot")
        ->type_name(alternatives(methods));
    cli->add_option("--pivoting", o->pivoting,
                    "choice of pivot rows: none, partial (the largest magnitude; the default), or scaled (the same "
                    "after each row "
                    "is scaled by a power of two)")
        ->type_name(alternatives(pivotings));
    cli->add_option("--threshold", o->threshold,
                    "entries of at most this magnitude are treated as zero in the elimination; 0 by default")
        ->type_name("X");
    add_integer(*cli, "--block", o->block, "block size; 0, the default: the smallest that fits")->type_name("N");
    add_integer(*cli, "--refinements", o->refinements, "number of steps of iterative refinement; 0 by default")
        ->type_name("N");
    cli->add_flag("--condition", o->condition, "estimate the condition number; needs a few additional solves");
    add_ranks_option(*cli, o->ranks);
    add_system_options(*cli, o->system);
    add_common_options(*cli, o->common);
    return {cli, [o] { return run(*o); }};
}

} // namespace coppice::app
