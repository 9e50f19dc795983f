// SPDX-License-Identifier: BSD-3-Clause
// The results of coppice solve: what it prints, its JSON object, and its outcome.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/commands/solve.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>

namespace coppice::app {
namespace {

std::string show_finding(finding const& f) {
    std::string name(f.key);
    if (name == "mended_rows") name = "regularised rows"; // the key is stable
    std::replace(name.begin(), name.end(), '_', ' ');
    if (f.unit == finding_unit::fraction) return name + " " + show_fraction(f.value);
    if (f.unit == finding_unit::number) return name + " " + show_scientific(f.value);
    if (f.unit == finding_unit::flag) return name + (f.value != 0 ? " yes" : " no");
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
        else if (f.unit == finding_unit::flag)
            json[std::string(f.key)] = f.value != 0;
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
#define COPPICE_FINISH(T)                                                                                              \
    template outcome finish(solve_options const&, any_executor const&, host_executor const&, solved_matrix const&,     \
                            solve_run<T> const&, output_files&, progress&);
COPPICE_FINISH(float)
COPPICE_FINISH(double)
COPPICE_FINISH(std::complex<float>)
COPPICE_FINISH(std::complex<double>)

} // namespace coppice::app
