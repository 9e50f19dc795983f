// SPDX-License-Identifier: BSD-3-Clause
// coppice solve MATRIX: preconditioned Krylov solve.
#include "apps/commands/solve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "apps/commands/solve_ranks.hpp"
#include "apps/help/pages.hpp"
#include "apps/processes.hpp"
#include "apps/ranks.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/operations.hpp>
#include <coppice/solvers/multilevel/near_null_space.hpp>
#include <coppice/solvers/solve/matrix_traits.hpp>

namespace coppice::app {
namespace {

/// Names of an option, with the automatic choice first.
std::vector<std::string_view> with_automatic(std::span<std::string_view const> names) {
    std::vector<std::string_view> all{automatic_name};
    all.insert(all.end(), names.begin(), names.end());
    return all;
}

/// Names of --solver: automatic choice, Krylov methods, and gmres with the preconditioner "direct".
std::vector<std::string_view> solver_names() {
    auto all = with_automatic(krylov_names);
    all.insert(all.end(), transposing_names.begin(), transposing_names.end());
    all.push_back(direct_name);
    return all;
}

std::string show_finding(finding const& f) {
    std::string name(f.key);
    if (name == "mended_rows") name = "regularised rows"; // the key is stable
    std::replace(name.begin(), name.end(), '_', ' ');
    if (f.unit == finding_unit::fraction) return name + " " + show_fraction(f.value);
    if (f.unit == finding_unit::number) return name + " " + show_scientific(f.value);
    return name + " " + show_count(std::int64_t(f.value));
}

// Formats what the set-up reports, without its times, which are in the JSON object.
std::string show_findings(preconditioner_report const& report) {
    std::string text;
    for (finding const& f : report.findings)
        if (f.unit != finding_unit::seconds) text += (text.empty() ? "" : ", ") + show_finding(f);
    return text;
}

nlohmann::ordered_json findings_json(preconditioner_report const& report) {
    auto json = nlohmann::ordered_json::object();
    for (finding const& f : report.findings)
        if (f.unit == finding_unit::count)
            json[std::string(f.key)] = std::int64_t(f.value);
        else
            json[std::string(f.key)] = f.value;
    return json;
}

nlohmann::ordered_json options_json(option_values const& options) {
    auto json = nlohmann::ordered_json::object();
    for (auto const& [name, value] : options.entries()) json[name] = value.text;
    return json;
}

/// Describes the result of an attempt.
std::string show_ending(solver_attempt const& attempt) {
    if (!attempt.refusal.empty()) return "not run: " + attempt.refusal;
    krylov_result const& r = attempt.result;
    return fmt::format("{}, {}, residual {}", r.converged ? "converged" : in_words(r.reason),
                       counted(r.iterations, "iteration"), show_scientific(r.relative_residual));
}

nlohmann::ordered_json attempts_json(std::vector<solver_attempt> const& attempts) {
    auto all = nlohmann::ordered_json::array();
    for (solver_attempt const& attempt : attempts) {
        nlohmann::ordered_json one = {{"solver", attempt.choice.solver},
                                      {"preconditioner", attempt.choice.preconditioner}};
        if (attempt.refusal.empty()) {
            one["reason"] = to_string(attempt.result.reason);
            one["iterations"] = attempt.result.iterations;
            one["relative_residual"] = attempt.result.relative_residual;
            one["setup_seconds"] = attempt.setup_seconds;
            one["solve_seconds"] = attempt.solve_seconds;
        } else {
            one["not_run"] = attempt.refusal;
        }
        all.push_back(std::move(one));
    }
    return all;
}

template <class T>
void show_results(sheet& result, solve_options const& o, solve_run<T> const& r) {
    result.line("solver", fmt::format("{}, preconditioner {}{}{}, tolerance {:g}", r.solver, r.preconditioner,
                                      o.ranks > 1 ? fmt::format(" on {} ranks", o.ranks) : "",
                                      o.is_automatic() ? " (chosen)" : "", o.tolerance));
    if (r.asymmetry > 0)
        result.line("symmetric", fmt::format("up to rounding ({:.1e}); preconditioners for symmetric matrices use the "
                                             "lower half or (A + A^T)/2",
                                             r.asymmetry));
    if (r.attempts.size() > 1)
        for (solver_attempt const& attempt : r.attempts)
            result.line("tried",
                        attempt.choice.solver + ", " + attempt.choice.preconditioner + ": " + show_ending(attempt));
    if (auto const found = show_findings(r.setup); !found.empty()) result.line(r.setup.name, found);
    result.line(r.result.converged ? "converged" : "not converged",
                counted(r.result.iterations, "iteration") +
                    (r.result.reason == krylov_reason::converged ? "" : ", " + in_words(r.result.reason)));
    result.line("relative residual", show_scientific(r.result.relative_residual));
    if (!std::isnan(r.forward_error)) result.line("forward error", show_scientific(r.forward_error));
    result.line("time",
                fmt::format("{} to set up, {} to solve", show_seconds(r.setup_seconds), show_seconds(r.solve_seconds)));
    if (!o.system.output.empty()) result.line("solution", o.system.output);
    if (!o.report.empty()) result.line("report", o.report);
}

template <class T>
void tell_json(nlohmann::ordered_json& json, solve_options const& o, solve_run<T> const& r) {
    json["solver"] = r.solver;
    json["preconditioner"] = r.preconditioner;
    json["parts"] = o.ranks;
    if (o.is_automatic()) json["attempts"] = attempts_json(r.attempts);
    if (r.asymmetry > 0) json["asymmetry"] = r.asymmetry;
    json["preconditioner_options"] = options_json(r.setup.options);
    json["factors"] = r.setup.has("factors") ? std::int64_t(r.setup.number("factors")) : 1;
    json["rhs"] = o.system.rhs.empty() ? o.system.solution : o.system.rhs;
    json["tolerance"] = o.tolerance;
    if (o.absolute_tolerance > 0) json["absolute_tolerance"] = o.absolute_tolerance;
    json["max_iterations"] = o.max_iterations;
    if (o.mixed) json["refinements"] = r.result.restarts;
    if (r.solver == "gmres" || r.solver == "fgmres") json["restart"] = o.restart;
    if (r.solver == "idrs") json["shadow_space"] = o.shadow_space;
    json["iterations"] = r.result.iterations;
    json["converged"] = r.result.converged;
    json["reason"] = to_string(r.result.reason);
    json["relative_residual"] = r.result.relative_residual;
    json["forward_relative_error"] = r.forward_error;
    json["mended_rows"] = r.setup.has("mended_rows") ? std::int64_t(r.setup.number("mended_rows")) : 0;
    json["setup_seconds"] = r.setup_seconds;
    json["solve_seconds"] = r.solve_seconds;
    if (!r.setup.findings.empty()) json[r.setup.name] = findings_json(r.setup);
    json["residual_history"] = r.result.residual_history;
}

template <class T>
outcome outcome_of(solve_options const& o, solved_matrix const& a, solve_run<T> const& r) {
    if (r.result.converged) return {};
    auto reason = fmt::format("{} did not converge on {}: {} after {}, relative residual {}, tolerance {:g}", r.solver,
                              o.matrix, in_words(r.result.reason), counted(r.result.iterations, "iteration"),
                              show_scientific(r.result.relative_residual), o.tolerance);
    if (r.attempts.size() > 1) reason += fmt::format("; {} combinations were tried", r.attempts.size());
    if (r.result.reason == krylov_reason::cancelled) return {exit_numerical, reason};
    if (needs_symmetry(r.solver) && !a.is_symmetric())
        reason += fmt::format("; {} requires a {} matrix", r.solver, is_complex_number<T> ? "Hermitian" : "symmetric");
    if (r.result.reason == krylov_reason::not_finite && r.preconditioner != "none")
        reason += "; the " + r.preconditioner + " preconditioner may be singular";
    return {exit_numerical, reason};
}

/// Returns |b| 2^-scale. `scale`: the power of two in b.
template <class T>
double norm_of_rhs(host_executor const& host, buffer<T> const& b, int scale) {
    auto const magnitude = [&](std::int64_t i) {
        return double(std::max(std::abs(std::real(b[i])), std::abs(std::imag(b[i]))));
    };
    int const shift = shift_before_squares(reduce(host, b.size(), 0.0, magnitude, maximum{}));
    auto const square = [&](std::int64_t i) {
        std::complex<double> const value = b[i];
        return std::norm(std::complex<double>(std::ldexp(value.real(), shift), std::ldexp(value.imag(), shift)));
    };
    return std::ldexp(std::sqrt(reduce(host, b.size(), 0.0, square, plus{})), -shift - scale);
}

/// Throws if an option is not available for complex systems.
void check_complex(solve_options const& o) {
    if (o.compare || o.mixed || !o.report.empty())
        throw usage_error(std::string(o.compare ? "--compare"
                                      : o.mixed ? "--mixed"
                                                : "--report") +
                          " is for real systems; this one is complex");
    if (o.preconditioner == automatic_name) return;
    auto const& known = complex_preconditioner_names;
    if (std::find(known.begin(), known.end(), o.preconditioner) == known.end())
        throw usage_error(fmt::format("--preconditioner {} is for real matrices, this system is complex; valid: {}",
                                      o.preconditioner, list_of(with_automatic(known))));
}

/// Returns the starting guesses, one for each right-hand side; empty for zeros.
template <class T>
buffer<T> load_start(solve_options const& o, host_executor const& host, std::int64_t rows, std::int64_t columns,
                     progress& status) {
    if (o.start.empty()) return {};
    auto start = load_vectors<T>(host, o.start, rows, "--x0", status);
    if (start.columns != columns)
        throw dimension_error(fmt::format("--x0 {}: {} for {}", o.start, counted(start.columns, "vector"),
                                          counted(columns, "right-hand side")));
    return std::move(start.values);
}

/// The vectors of --near-null-space, for a matrix of `rows` rows; of a real matrix real.
template <class T>
void load_near_vectors(solve_options& o, host_executor const& host, std::int64_t rows, progress& status) {
    std::string const& path = o.near_null_space;
    if (path.empty()) return;
    using number = std::conditional_t<is_complex_number<T>, std::complex<double>, double>;
    constexpr std::int64_t max_columns = is_complex_number<T> ? 16 : 32;
    auto read = read_vectors<number>(host, path, {.progress = status.of_file(path), .limits = status.limits()});
    if (read.rows != rows || read.columns < 1 || read.columns > max_columns)
        throw dimension_error(fmt::format("--near-null-space {} is {} x {}, expected {} rows and 1 to {} columns", path,
                                          read.rows, read.columns, rows, max_columns));
    if constexpr (is_complex_number<T>)
        for (number const& value : read.values) {
            o.near_vectors.push_back(value.real());
            o.near_imaginary.push_back(value.imag());
        }
    else
        o.near_vectors = std::move(read.values);
}

/// The rigid body modes of --coordinates, for a matrix of `rows` rows.
void load_rigid_body_modes(solve_options& o, host_executor const& host, std::int64_t rows, progress& status) {
    std::string const& path = o.coordinates;
    if (path.empty()) return;
    auto read = read_vectors<double>(host, path, {.progress = status.of_file(path), .limits = status.limits()});
    if ((read.columns != 2 && read.columns != 3) || read.rows * read.columns != rows) {
        std::string sizes;
        for (std::int64_t const columns : {2, 3})
            if (rows % columns == 0)
                sizes += fmt::format("{}{} x {}", sizes.empty() ? "" : " or ", rows / columns, columns);
        throw dimension_error(fmt::format("--coordinates {} is {} x {}, expected 2 or 3 columns, and a row for each "
                                          "point: {} for a matrix of {} rows",
                                          path, read.rows, read.columns, sizes.empty() ? "none fits" : sizes, rows));
    }
    std::vector<double> by_point(read.values.size());
    for (std::int64_t p = 0; p < read.rows; ++p)
        for (std::int64_t c = 0; c < read.columns; ++c)
            by_point[std::size_t(p * read.columns + c)] = read.values[std::size_t(c * read.rows + p)];
    o.near_vectors = rigid_body_modes(int(read.columns), array_view<double const>(by_point.data(), rows));
    o.unknowns_per_point = int(read.columns);
}

/// The vectors of --null-space, for a matrix of `rows` rows.
void load_null_space(solve_options& o, host_executor const& host, std::int64_t rows, progress& status) {
    std::string const& path = o.null_space;
    if (path.empty()) return;
    auto read = read_vectors<double>(host, path, {.progress = status.of_file(path), .limits = status.limits()});
    if (read.rows != rows || read.columns < 1 || read.columns > rows)
        throw dimension_error(fmt::format("--null-space {} is {} x {}, expected {} rows and a column for each vector",
                                          path, read.rows, read.columns, rows));
    o.null_vectors = std::move(read.values);
}

/// An option as the user gave it, and whether it is given.
struct given_option {
    bool given;
    std::string_view name;
};
using option_list = std::vector<given_option>;

/// Name of the first option of the list that is given; empty if none is.
std::string_view first_given(option_list const& options) {
    auto const first = std::find_if(options.begin(), options.end(), [](auto const& option) { return option.given; });
    return first == options.end() ? std::string_view() : first->name;
}

/// Throws if an option of each list is given.
void forbid_together(option_list const& options, option_list const& others) {
    auto const one = first_given(options), other = first_given(others);
    if (!one.empty() && !other.empty()) throw usage_error(fmt::format("{} cannot be combined with {}", one, other));
}

/// Options of a solve with one right-hand side by one method in this process.
option_list single_solve_options(solve_options const& o) {
    return {{!o.null_space.empty(), "--null-space"},
            {o.solver == "bicg", "--solver bicg"},
            {o.solver == "qmr", "--solver qmr"}};
}
option_list near_null_space_options(solve_options const& o) {
    return {{!o.coordinates.empty(), "--coordinates"}, {!o.near_null_space.empty(), "--near-null-space"}};
}
/// Options that replace the solve by others.
option_list other_solves(solve_options const& o) { return {{o.compare, "--compare"}, {o.mixed, "--mixed"}}; }
option_list reports(solve_options const& o) { return {{!o.report.empty(), "--report"}}; }
option_list several_ranks(solve_options const& o) {
    return {{current_processes() != nullptr, "several processes (--mpi)"}, {o.ranks > 1, "--parts"}};
}

option_list combined(option_list first, option_list const& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

/// Throws if there are several right-hand sides and an option that takes one.
void check_rhs_columns(solve_options const& o, std::int64_t columns) {
    if (columns <= 1) return;
    auto const one_process = option_list{{o.ranks > 1, "--parts"}};
    auto const option = first_given(combined(combined(one_process, near_null_space_options(o)),
                                             combined(single_solve_options(o), combined(other_solves(o), reports(o)))));
    if (!option.empty())
        throw usage_error(
            fmt::format("{} requires a single right-hand side; --rhs {} has {}", option, o.system.rhs, columns));
}

/// Throws if near-null-space vectors are combined with something that does not use them.
void check_near_null_space(solve_options const& o) {
    if (o.coordinates.empty() && o.near_null_space.empty()) return;
    std::string const option = o.coordinates.empty() ? "--near-null-space" : "--coordinates";
    if (!o.coordinates.empty() && !o.near_null_space.empty())
        throw usage_error("--coordinates and --near-null-space both give near-null-space vectors; use one of the two");
    if (o.preconditioner != automatic_name && o.preconditioner != "multilevel")
        throw usage_error(fmt::format("{} is for the preconditioner multilevel, not {}", option, o.preconditioner));
    forbid_together(near_null_space_options(o), other_solves(o));
}

template <class T>
solved_matrix about(host_executor const& host, csr<T> const& a) {
    return {a.rows(), a.columns(), a.nonzeros(), [&] { return traits_of(host, a.view()).symmetric; }};
}

} // namespace

template <class T>
outcome finish(solve_options const& o, any_executor const& chosen, host_executor const& host, solved_matrix const& a,
               solve_run<T> const& r, output_files& files, progress& status) {
    files.write(o.system.output, [&](std::string const& path) {
        write_vector<T>(host, path, r.x.view(), {}, status.of_file(o.system.output));
    });
    status.clear();

    sheet result("solve", o.common);
    result.input(o.matrix, a.rows, a.columns, a.nonzeros);
    result.backend(chosen);
    show_results(result, o, r);
    tell_json(result.json(), o, r);
    auto const end = outcome_of(o, a, r);
    result.publish(files, end);
    return end;
}
template outcome finish(solve_options const&, any_executor const&, host_executor const&, solved_matrix const&,
                        solve_run<float> const&, output_files&, progress&);
template outcome finish(solve_options const&, any_executor const&, host_executor const&, solved_matrix const&,
                        solve_run<double> const&, output_files&, progress&);

namespace {

/// The near-null-space vectors of rows [first, last) of a matrix of `n` rows.
template <class T>
near_vectors_of_rank<T> near_vectors_of(solve_options const& o, std::int64_t n, std::int64_t first, std::int64_t last) {
    near_vectors_of_rank<T> near;
    if (o.near_vectors.empty()) return near;
    near.block = o.unknowns_per_point;
    near.count = int(std::int64_t(o.near_vectors.size()) / n);
    for (std::int64_t c = 0; c < near.count; ++c)
        for (std::int64_t i = first; i < last; ++i) near.elements.push_back(T(o.near_vectors[std::size_t(c * n + i)]));
    return near;
}

/// Distributed solve on ranks of this process, with all unknowns of a point on one rank. Default preconditioner:
/// forest, or multilevel with near-null-space vectors.
template <class Executor, class T>
solve_run<T> run_distributed(solve_options const& o, Executor const& exec, host_executor const& host, csr<T> const& a,
                             right_hand_side<T> const& rhs, buffer<T> const& start, progress& status) {
    solve_run<T> run;
    auto const traits = o.solver != automatic_name ? matrix_traits{} : traits_of(host, a.view());
    run.preconditioner = o.preconditioner != automatic_name ? o.preconditioner
                         : o.near_vectors.empty()           ? "forest"
                                                            : "multilevel";
    run.x = buffer<T>(host, a.rows());
    std::int64_t const unknowns = std::gcd(a.rows(), unknowns_of_points(o, run.preconditioner));
    std::int64_t const step = std::max<std::int64_t>(unknowns, 1); // the matrix may have no rows
    executors_of_ranks(exec, o.ranks).run([&](Executor const& rank_exec, rank_communicator const& comm) {
        rows_of_rank rows(a.rows() / step, comm);
        rows.first *= step;
        rows.last *= step;
        auto const block = [&](buffer<T> const& of) {
            return of.empty() ? std::vector<T>() : std::vector<T>(of.data() + rows.first, of.data() + rows.last);
        };
        auto answer =
            solve_on_rank(o, run.preconditioner, traits, rank_exec, comm, slice_rows(a, rows.first, rows.last),
                          block(rhs.b), block(start), status, near_vectors_of<T>(o, a.rows(), rows.first, rows.last));
        std::copy(answer.x.begin(), answer.x.end(), run.x.data() + rows.first);
        comm.barrier(); // all have read `run`
        if (comm.rank() == 0) take_answer(run, answer);
    });
    run.forward_error = forward_relative_error<T>(host, run.x.view(), rhs.solution);
    return run;
}

/// Throws if --parts, or several processes, are combined with incompatible options.
void check_ranks_of_solve(solve_options const& o) {
    check_ranks(o.ranks);
    if (source_of_ranks(o.ranks).empty()) return;
    forbid_together(several_ranks(o), combined(other_solves(o), reports(o)));
    if (current_processes()) forbid_together(several_ranks(o), near_null_space_options(o));
}

/// Each process is a rank, with its own part of the cores or its own device.
outcome run_over_processes(solve_options& o, process_ranks& ranks) {
    adapt_to_rank(o.common, o.system.output, ranks);
    o.ranks = ranks.ranks();
    auto const chosen = executor_of_process(o.common, ranks);
    output_files files({{"MATRIX", o.matrix}, {"--rhs", o.system.rhs}, {"--x0", o.start}});
    files.expect("-o", o.system.output);
    files.expect("--json", o.common.json);
    progress status(o.common);
    return with_backend(o.common, chosen, [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return solve_over_processes<Executor, T>(o, chosen, exec, ranks, files, status);
    });
}

template <class Executor, class T>
outcome solve_system(solve_options o, any_executor const& chosen, Executor const& exec, matrix_input& input,
                     output_files& files, progress& status) {
    auto const host = make_host(o.common);
    auto a = std::move(input).template load<T>(host);
    require_square("solve", o.matrix, a.rows(), a.columns());
    if constexpr (is_complex_number<T>)
        check_complex(o);
    else if (o.preconditioner != automatic_name && !o.compare)
        if (auto const reason = reason_against(host, o.preconditioner, a.view()))
            throw input_error(o.matrix + ": " + *reason);
    load_near_vectors<T>(o, host, a.rows(), status);
    load_rigid_body_modes(o, host, a.rows(), status);
    load_null_space(o, host, a.rows(), status);
    int const scale = scale_into_range(host, a);
    auto const rhs = make_right_hand_side<T>(host, o.system, a, scale, status, true);
    buffer<T> const start = load_start<T>(o, host, a.rows(), rhs.columns, status);
    check_rhs_columns(o, rhs.columns);
    if (rhs.columns > 1) {
        linear_system<Executor, T> const several(exec, a, rhs, start);
        interruptible const until_interrupted;
        return solve_several(o, chosen, exec, several, rhs.columns, scale, files, status);
    }
    if (o.absolute_tolerance > 0)
        o.tolerance = relative_tolerance(o.tolerance, o.absolute_tolerance, norm_of_rhs(host, rhs.b, scale));
    if (o.ranks > 1) {
        if constexpr (is_complex_number<T>) {
            throw usage_error("--parts requires a real system; this one is complex");
        } else {
            interruptible const until_interrupted;
            auto const r = run_distributed<Executor, T>(o, exec, host, a, rhs, start, status);
            return finish(o, chosen, host, about(host, a), r, files, status);
        }
    }
    linear_system<Executor, T> const system(exec, a, rhs, start);
    interruptible const until_interrupted;

    if constexpr (!is_complex_number<T>)
        if (o.compare) return compare_solvers(o, chosen, exec, system, files, status);
    auto const r = run_solver(o, exec, system, o.preconditioner, o.max_iterations, status);
    if constexpr (!is_complex_number<T>)
        if (!o.report.empty()) {
            solve_options as_chosen = o;
            as_chosen.solver = r.solver;
            as_chosen.preconditioner = r.preconditioner;
            write_report(as_chosen, chosen, exec, system, r, files, status);
        }
    return finish(o, chosen, host, about(host, a), r, files, status);
}

// Splits NAME,key=value and checks all options against the registry; for an automatic choice against the options of all
// preconditioners.
void read_preconditioner(solve_options& o) {
    auto const choice = parse_choice(o.preconditioner);
    require_name("preconditioner", choice.name, with_automatic(preconditioner_names));
    o.preconditioner = choice.name;
    for (auto const& [name, value] : choice.options.entries()) o.preconditioner_options.set(name, value);
    for (preconditioner_row const& row : preconditioner_catalogue)
        if (choice.name == row.name || choice.name == automatic_name)
            chosen_options("preconditioner \"" + std::string(row.name) + "\"", row.options,
                           choice.name == row.name ? o.preconditioner_options : o.options_of(row.name));
}

void check(solve_options& o) {
    check_common_options(o.common);
    check_matrix_argument(o.matrix, "solve");
    require_name("solver", o.solver, solver_names());
    if (o.solver == direct_name) {
        try {
            auto const choice = solver_choices({}, 0, true, o.solver, o.preconditioner).front();
            o.solver = choice.solver;
            o.preconditioner = choice.preconditioner;
        } catch (argument_error const& error) {
            throw usage_error(error.what());
        }
    }
    read_preconditioner(o);
    bool const others = o.solver != automatic_name && o.solver != "fgmres";
    if (o.preconditioner != automatic_name && preconditioner_row_of(o.preconditioner).varies && others)
        throw usage_error(fmt::format("--preconditioner {} changes in every iteration and requires --solver fgmres, "
                                      "not {}",
                                      o.preconditioner, o.solver));
    if (!(o.tolerance >= 0 && std::isfinite(o.tolerance)))
        throw usage_error(fmt::format("--tolerance is {}, expected a finite number of at least 0", o.tolerance));
    if (!(o.absolute_tolerance >= 0 && std::isfinite(o.absolute_tolerance)))
        throw usage_error(
            fmt::format("--absolute-tolerance is {}, expected a finite number of at least 0", o.absolute_tolerance));
    if (o.max_iterations < 0)
        throw usage_error(fmt::format("--max-iterations is {}, expected at least 0", o.max_iterations));
    if (o.restart < 1 || o.restart > 1000)
        throw usage_error(fmt::format("--restart is {}, expected 1 to 1000", o.restart));
    if (o.shadow_space < 1 || o.shadow_space > krylov_options::max_shadow_space)
        throw usage_error(
            fmt::format("--shadow-space is {}, expected 1 to {}", o.shadow_space, krylov_options::max_shadow_space));
    if (o.mixed && (o.compare || !o.report.empty()))
        throw usage_error("--mixed cannot be combined with --compare or --report");
    if (o.mixed && o.common.precision == "single")
        throw usage_error("--mixed refines in double precision and cannot be combined with --precision single");
    if (o.compare && !o.report.empty())
        throw usage_error("--compare prints a table of all solvers, --report draws one of them next to others; use one "
                          "of the two options");
    require_name("--mpi", o.mpi, std::array<std::string_view, 3>{"auto", "on", "off"});
    check_ranks_of_solve(o);
    check_near_null_space(o);
    forbid_together(single_solve_options(o), combined(other_solves(o), several_ranks(o)));
    check_system_arguments(o.system);
}

std::string kind_of(option_row const& row) {
    if (row.kind != option_kind::choice) return row.kind == option_kind::integer ? "N" : "X";
    std::string text;
    for (std::string_view const choice : row.choices)
        if (!choice.empty()) text.append(text.empty() ? "" : "|").append(choice);
    return text;
}

// An option of several preconditioners is listed once, with all its meanings.
void add_preconditioner_options(CLI::App& cli, option_values& values) {
    struct entry {
        std::string kind;
        std::map<std::string, std::string> meanings; // and whose
    };
    std::map<std::string, entry> options;
    for (preconditioner_row const& row : preconditioner_catalogue)
        for (option_row const& option : row.options) {
            entry& e = options[std::string(option.name)];
            e.kind = kind_of(option);
            std::string& whose = e.meanings[fmt::format("{}; {} by default", option.meaning, option.standard)];
            whose.append(whose.empty() ? "" : ", ").append(row.name);
        }
    for (auto const& [name, e] : options) {
        std::string help;
        for (auto const& [meaning, whose] : e.meanings)
            help += fmt::format("{}{}: {}", help.empty() ? "" : ". ", whose, meaning);
        cli.add_option_function<std::string>(
               "--" + name, [&values, option = name](std::string const& value) { values.set(option, value); }, help)
            ->type_name(e.kind)
            ->group(preconditioner_group);
    }
}

outcome run(solve_options& o) {
    check(o);
    if (process_ranks* const ranks = current_processes()) return run_over_processes(o, *ranks);
    auto const chosen = make_executor(o.common);
    output_files files({{"MATRIX", o.matrix},
                        {"--rhs", o.system.rhs},
                        {"--x0", o.start},
                        {"--coordinates", o.coordinates},
                        {"--near-null-space", o.near_null_space},
                        {"--null-space", o.null_space}});
    files.expect("-o", o.system.output);
    files.expect("--report", o.report);
    files.expect("--json", o.common.json);
    progress status(o.common);
    matrix_input input(o.matrix, status);
    auto const solve = [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return solve_system<Executor, T>(o, chosen, exec, input, files, status);
    };
    if (input.is_complex() || is_complex_vector(o.system.rhs)) return with_complex_backend(o.common, chosen, solve);
    return with_backend(o.common, chosen, solve);
}

} // namespace

command add_solve(CLI::App& program) {
    auto const o = std::make_shared<solve_options>();
    auto* const cli = program.add_subcommand("solve", "Solve a linear system with a preconditioned Krylov method");
    add_matrix_argument(*cli, o->matrix);
    cli->add_option(
           "--solver", o->solver,
           "one of " + list_of(solver_names()) +
               "; auto, the default, chooses according to the matrix, and tries another one if a solver fails; "
               "direct is gmres with the preconditioner direct")
        ->type_name(type_with_choices("NAME", solver_names()));
    cli->add_option("--preconditioner", o->preconditioner,
                    "one of " + list_of(with_automatic(preconditioner_names)) +
                        "; auto by default. Its options follow by name, or after its name: forest,rounds=7")
        ->type_name(type_with_choices("NAME", with_automatic(preconditioner_names)));
    add_preconditioner_options(*cli, o->preconditioner_options);
    cli->add_option("--tolerance", o->tolerance, "tolerance of the relative residual |b - Ax| / |b|; 1e-6 by default")
        ->type_name("X");
    cli->add_option("--absolute-tolerance", o->absolute_tolerance,
                    "tolerance of |b - Ax|; a solve ends if it meets this tolerance or the relative one")
        ->type_name("X");
    cli->add_option("--x0", o->start, "starting guess, a Matrix Market array; zeros by default")->type_name("FILE");
    cli->add_option("--coordinates", o->coordinates,
                    "multilevel: coordinates of the points, a row for each point and 2 or 3 columns; the unknowns of a "
                    "point follow each other. Coarse levels then represent the rigid body modes of elasticity")
        ->type_name("FILE");
    cli->add_option("--near-null-space", o->near_null_space,
                    "multilevel: vectors that coarse levels represent, a column for each; with --block for several "
                    "unknowns per point")
        ->type_name("FILE");
    cli->add_option(
           "--null-space", o->null_space,
           "of a singular matrix: vectors that span its null space, a column for each; the solution has no components "
           "along them. The right-hand side must be in the range of the matrix")
        ->type_name("FILE");
    add_integer(*cli, "--max-iterations", o->max_iterations, "maximum number of iterations; 10000 by default")
        ->type_name("N");
    add_integer(*cli, "--shadow-space", o->shadow_space, "idrs: dimension of the shadow space, 1 to 8; 4 by default")
        ->type_name("S");
    add_integer(*cli, "--restart", o->restart, "gmres, fgmres: dimension of the Krylov space; 30 by default")
        ->type_name("N");
    add_ranks_option(*cli, o->ranks);
    add_processes_option(*cli, o->mpi);
    add_system_options(*cli, o->system);
    cli->add_flag("--mixed", o->mixed,
                  "solve in single precision and refine the solution in double precision; by default with gmres and "
                  "forest, in cycles of --restart");
    cli->add_flag(
        "--compare", o->compare,
        "run all solvers with all preconditioners that suit the matrix; prints a table sorted by time, set-up "
        "included; -o writes the solution of the fastest one");
    cli->add_option(
           "--report", o->report,
           "write a self-contained HTML page with pictures; also runs the other preconditioners for comparison")
        ->type_name("FILE.html");
    add_common_options(*cli, o->common);
    group_options(*cli, common_group,
                  {"--solver", "--preconditioner", "--tolerance", "--max-iterations", "--rhs", "--output", "--compare",
                   "--report", "--backend", "--json"});
    return {cli, [o] { return run(*o); }};
}

} // namespace coppice::app
