// SPDX-License-Identifier: BSD-3-Clause
// The coppice command: reads the command line, runs one command, turns failures into one line and an exit code.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include <fcntl.h>

#include "apps/app.hpp"
#include "apps/interrupt.hpp"
#include "apps/names.hpp"
#include "apps/output.hpp"
#include "apps/version.hpp"

namespace {

using namespace coppice::app;

// A closed standard stream would hand its number to the next file that is opened, and messages would go there.
void keep_standard_streams() {
    for (int stream = 0; stream <= 2; ++stream)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) < 0)
            std::_Exit(exit_input);
}

// The file that --json names, whatever else is wrong with the command line; empty where there is none.
std::string json_argument(std::vector<std::string> const& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].rfind("--json=", 0) == 0) return arguments[i].substr(7);
        if (arguments[i] == "--json" && i + 1 < arguments.size()) return arguments[i + 1];
    }
    return {};
}

// Whether a file is named only once: an error must not be written over what is a matrix or a result elsewhere.
bool named_once(std::vector<std::string> const& arguments, std::string const& file) {
    auto const names_it = [&](std::string const& argument) {
        auto const value = argument.rfind("-o", 0) == 0 ? argument.substr(2) : argument;
        return same_file(value, file) || same_file(value.substr(value.find('=') + 1), file);
    };
    return std::count_if(arguments.begin(), arguments.end(), names_it) == 1;
}

// A failed run has its JSON object too. Where that cannot be written, the line on standard error says all there is.
void tell_in_json(std::vector<std::string> const& arguments, outcome const& end) {
    auto const file = json_argument(arguments);
    if (file.empty() || (file != "-" && !named_once(arguments, file))) return;
    try {
        nlohmann::ordered_json json;
        if (!arguments.empty()) json["command"] = arguments[0];
        json["version"] = version;
        add_failure(json, end);
        output_files files;
        files.expect("--json", file);
        files.write_text(file, json_text(json));
        files.publish();
    } catch (std::exception const&) {
    }
}

outcome dispatch(int argc, char** argv) {
    CLI::App program(
        "Graphs and sparse algebra over one generic semiring SpMV.\n\n"
        "MATRIX is a file, plain or .gz: Matrix Market, Harwell-Boeing or Rutherford-Boeing, an edge list\n"
        "(SNAP), a graph of METIS (.graph), GAP (.sg, .wsg) or NetworkX (JSON of node_link_data), or a .tar of\n"
        "the SuiteSparse collection that holds one of them; - for standard input; or generate:KIND,nx=... for a "
        "problem made on the spot.\n"
        "Where a FILE is written, - is standard output.",
        "coppice");
    program.set_version_flag("--version", "coppice " + std::string(version));
    program.allow_extras();
    program.require_subcommand(0, 1); // after one command its name is a word like any other: generate tridiagonal
    program.get_formatter()->column_width(34);
    program.footer("Exit codes: 0 done, 2 wrong usage, 3 bad input, 4 numerical failure, 5 backend not available.");

    std::vector<command> commands = {add_generate(program), add_info(program),   add_spmv(program),
                                     add_multiply(program), add_factor(program), add_forest(program)};
    for (auto& c : add_graph_algorithms(program)) commands.push_back(std::move(c));
    for (auto* const add : {add_tridiagonal, add_tune, add_solve, add_queue, add_bench})
        commands.push_back(add(program));
    try {
        program.parse(argc, argv);
    } catch (CLI::Success const& help) { // --help and --version
        std::ostringstream text;
        program.exit(help, text, text);
        print_to_stdout(text.str());
        return {};
    } catch (CLI::ParseError const& e) {
        throw usage_error(e.what());
    }
    for (auto const& c : commands)
        if (c.cli->parsed()) {
            check_arguments(*c.cli);
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
    keep_standard_streams();
    handle_interrupts();
    std::signal(SIGPIPE, SIG_IGN); // a closed pipe is an error like any other, so that no file is left half written
    outcome result;
    try {
        result = dispatch(argc, argv);
        print_to_stdout(""); // what was printed during the run is out, or the run has failed
    } catch (...) {
        result = outcome_of_current_exception();
        tell_in_json({argv + 1, argv + argc}, result);
    }
    if (!result.reason.empty()) print_to_stderr("coppice: error: " + result.reason + "\n");
    return result.code;
}
