// SPDX-License-Identifier: BSD-3-Clause
// coppice solve MATRIX: preconditioned Krylov solve.
#include "apps/commands/solve.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>

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

template <class T>
solved_matrix about(host_executor const& host, csr<T> const& a) {
    return {a.rows(), a.columns(), a.nonzeros(), [&] { return traits_of(host, a.view()).symmetric; }};
}

/// Distributed solve on ranks of this process, with all unknowns of a point on one rank.
template <class Executor, class T>
solve_run<T> run_distributed(solve_options const& o, Executor const& exec, host_executor const& host, csr<T> const& a,
                             right_hand_side<T> const& rhs, buffer<T> const& start, progress& status) {
    solve_run<T> run;
    auto const traits = o.solver != automatic_name ? matrix_traits{} : traits_of(host, a.view());
    run.preconditioner = preconditioner_over_ranks<T>(o);
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

/// Each process is a rank, with its own part of the cores or its own device.
outcome run_over_processes(solve_options& o, process_ranks& ranks) {
    adapt_to_rank(o.common, o.system.output, ranks);
    o.ranks = ranks.ranks();
    auto const chosen = executor_of_process(o.common, ranks);
    output_files files({{"MATRIX", o.matrix}, {"--rhs", o.system.rhs}, {"--x0", o.start}});
    files.expect("-o", o.system.output, ".npy");
    files.expect("--json", o.common.json);
    progress status(o.common);
    input_of_processes input(rank_communicator(ranks), o.matrix, o.system.rhs, status);
    auto const solve = [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return solve_over_processes<Executor, T>(o, chosen, exec, ranks, input, files, status);
    };
    return input.is_complex() ? with_complex_backend(o.common, chosen, solve) : with_backend(o.common, chosen, solve);
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
        o.tolerance =
            relative_tolerance(o.tolerance, o.absolute_tolerance,
                               norm_of_rhs(components<T>(rhs.b.view()), scale, std::identity{}, std::identity{}));
    if (o.ranks > 1) {
        interruptible const until_interrupted;
        auto const r = run_distributed<Executor, T>(o, exec, host, a, rhs, start, status);
        return finish(o, chosen, host, about(host, a), r, files, status);
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

outcome run(solve_options& o) {
    check_solve_options(o);
    if (process_ranks* const ranks = current_processes()) return run_over_processes(o, *ranks);
    auto const chosen = make_executor(o.common);
    output_files files({{"MATRIX", o.matrix},
                        {"--rhs", o.system.rhs},
                        {"--x0", o.start},
                        {"--coordinates", o.coordinates},
                        {"--near-null-space", o.near_null_space},
                        {"--null-space", o.null_space}});
    files.expect("-o", o.system.output, ".npy");
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
    return {cli, [o, cli] {
                o->restart_given = cli->count("--restart") > 0;
                o->shadow_space_given = cli->count("--shadow-space") > 0;
                return run(*o);
            }};
}

} // namespace coppice::app
