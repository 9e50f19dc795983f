// SPDX-License-Identifier: BSD-3-Clause
// The coppice command: reads the command line, runs one command, turns failures into one line and an exit code.
#include <csignal>
#include <cstdio>

#include <fmt/core.h>

#include "apps/app.hpp"
#include "apps/names.hpp"
#include "apps/version.hpp"

namespace {

using namespace coppice::app;

outcome dispatch(int argc, char** argv) {
    CLI::App program("Graphs and sparse algebra over one generic semiring SpMV.\n"
                     "MATRIX is a Matrix Market file, plain or .gz, or generate:KIND,nx=... for a problem made on the "
                     "spot.",
                     "coppice");
    program.set_version_flag("--version", "coppice " + std::string(version));
    program.allow_extras();
    program.require_subcommand(0, 1); // after one command its name is a word like any other: generate tridiagonal
    program.get_formatter()->column_width(34);
    program.footer("Exit codes: 0 done, 2 wrong usage, 3 bad input, 4 numerical failure, 5 backend not available.");

    command const commands[] = {add_generate(program), add_info(program),   add_spmv(program),
                                add_factor(program),   add_forest(program), add_tridiagonal(program),
                                add_tune(program),     add_solve(program),  add_bench(program)};
    try {
        program.parse(argc, argv);
    } catch (CLI::Success const& help) { // --help and --version
        program.exit(help);
        return std::fflush(stdout) == 0 ? outcome{} : outcome{exit_input, "standard output cannot be written"};
    } catch (CLI::ParseError const& e) {
        throw usage_error(e.what());
    }
    for (auto const& c : commands)
        if (c.cli->parsed()) {
            check_extras(*c.cli);
            return c.run();
        }
    std::vector<std::string_view> names;
    std::vector<std::string> storage;
    for (auto const& c : commands) storage.push_back(c.cli->get_name());
    for (auto const& name : storage) names.push_back(name);
    auto const rest = program.remaining();
    if (!rest.empty() && rest[0][0] != '-') throw_unknown_name("command", rest[0], names);
    if (!rest.empty()) throw usage_error("unknown option '" + rest[0] + "' before the command; see coppice --help");
    throw usage_error("no command given; valid: " + listed(names) + "; see coppice --help");
}

} // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN); // a closed pipe is an error like any other, so that no file is left half written
    outcome result;
    try {
        result = dispatch(argc, argv);
    } catch (...) {
        result = outcome_of_current_exception();
    }
    if (!result.reason.empty()) fmt::print(stderr, "coppice: error: {}\n", result.reason);
    return result.code;
}
