// SPDX-License-Identifier: BSD-3-Clause
// The options of coppice solve: their names, and which of them are valid together.
#include "apps/commands/solve_options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "apps/help/pages.hpp"
#include "apps/processes.hpp"
#include "apps/ranks.hpp"

namespace coppice::app {
namespace {

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

option_list null_space_option(solve_options const& o) { return {{!o.null_space.empty(), "--null-space"}}; }
/// Options of a solve with one right-hand side by one method.
option_list single_solve_options(solve_options const& o) {
    return {null_space_option(o).front(), {o.solver == "bicg", "--solver bicg"}, {o.solver == "qmr", "--solver qmr"}};
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

/// Throws if --parts, or several processes, are combined with incompatible options.
void check_ranks_of_solve(solve_options const& o) {
    check_ranks(o.ranks);
    if (source_of_ranks(o.ranks).empty()) return;
    forbid_together(several_ranks(o), combined(other_solves(o), reports(o)));
    if (current_processes()) forbid_together(several_ranks(o), near_null_space_options(o));
}

/// Throws if an option of some methods is given for one that does not read it.
void check_method_options(solve_options const& o) {
    auto const require_one_of = [&](std::string_view option, std::span<std::string_view const> methods) {
        if (o.compare || std::find(methods.begin(), methods.end(), o.solver) != methods.end()) return;
        throw usage_error(
            fmt::format("--solver {} does not read {}, an option of {}", o.solver, option, list_of(methods)));
    };
    static constexpr std::string_view restarted[] = {"gmres", "fgmres", direct_name, automatic_name};
    static constexpr std::string_view shadowed[] = {"idrs"};
    if (o.restart_given && !o.mixed) require_one_of("--restart", restarted);
    if (o.shadow_space_given) require_one_of("--shadow-space", shadowed);
}

// Splits NAME,key=value and checks all options against the registry; for an automatic choice against the options of all
// preconditioners.
void read_preconditioner(solve_options& o) {
    auto const choice = parse_choice(o.preconditioner);
    require_name("preconditioner", choice.name, with_automatic(preconditioner_names));
    for (auto const& [name, value] : choice.options.entries()) {
        if (o.preconditioner_options.find(name))
            throw usage_error(fmt::format("option {} is given by --{} and in --preconditioner {}, expected once", name,
                                          name, o.preconditioner));
        o.preconditioner_options.set(name, value);
    }
    // Other commands choose their method by --method.
    auto const* const method = o.preconditioner_options.find("method");
    if (auto const solvers = solver_names(); method && method->text != automatic_name &&
                                             std::find(solvers.begin(), solvers.end(), method->text) != solvers.end())
        throw usage_error(fmt::format(
            "--method is an option of the preconditioner direct; --solver {} chooses a solver", method->text));
    o.preconditioner = choice.name;
    bool const chooses = choice.name == automatic_name && o.solver != direct_name;
    auto const name = choice.name == automatic_name ? direct_name : std::string_view(choice.name);
    for (preconditioner_row const& row : preconditioner_catalogue)
        if (chooses || name == row.name)
            chosen_options("preconditioner \"" + std::string(row.name) + "\"", row.options,
                           chooses ? o.options_of(row.name) : o.preconditioner_options);
}

std::string kind_of(option_row const& row) {
    if (row.kind != option_kind::choice) return row.kind == option_kind::integer ? "N" : "X";
    std::string text;
    for (std::string_view const choice : row.choices)
        if (!choice.empty()) text.append(text.empty() ? "" : "|").append(choice);
    return text;
}

} // namespace

std::vector<std::string_view> with_automatic(std::span<std::string_view const> names) {
    std::vector<std::string_view> all{automatic_name};
    all.insert(all.end(), names.begin(), names.end());
    return all;
}

std::vector<std::string_view> solver_names() {
    auto all = with_automatic(krylov_names);
    all.insert(all.end(), transposing_names.begin(), transposing_names.end());
    all.push_back(direct_name);
    return all;
}

void check_rhs_columns(solve_options const& o, std::int64_t columns) {
    if (columns <= 1) return;
    auto const one_process = option_list{{o.ranks > 1, "--parts"}};
    auto const option = first_given(combined(combined(one_process, near_null_space_options(o)),
                                             combined(single_solve_options(o), combined(other_solves(o), reports(o)))));
    if (!option.empty())
        throw usage_error(
            fmt::format("{} requires a single right-hand side; --rhs {} has {}", option, o.system.rhs, columns));
}

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

void check_solve_options(solve_options& o) {
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
    check_method_options(o);
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
    forbid_together(single_solve_options(o), other_solves(o));
    forbid_together(null_space_option(o), several_ranks(o));
    check_system_arguments(o.system);
}

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

} // namespace coppice::app
