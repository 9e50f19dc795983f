// SPDX-License-Identifier: BSD-3-Clause
// The coppice command: parses the command line, runs one command, and reports a failure as one line and an exit code.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include <fcntl.h>

#include "apps/app.hpp"
#include "apps/cores.hpp"
#include "apps/interrupt.hpp"
#include "apps/names.hpp"
#include "apps/output.hpp"
#include "apps/processes.hpp"
#include "apps/version.hpp"

namespace {

using namespace coppice::app;

// If a standard stream is closed, the next opened file would get its descriptor and receive its messages.
void keep_standard_streams() {
    for (int stream = 0; stream <= 2; ++stream)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) < 0)
            std::_Exit(exit_input);
}

// Returns the file of --json even if the command line is invalid otherwise; empty if there is none.
std::string json_argument(std::vector<std::string> const& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].rfind("--json=", 0) == 0) return arguments[i].substr(7);
        if (arguments[i] == "--json" && i + 1 < arguments.size()) return arguments[i + 1];
    }
    return {};
}

// Whether a file is named only once: an error must not overwrite a file that is also an input or another output.
bool named_once(std::vector<std::string> const& arguments, std::string const& file) {
    auto const names_it = [&](std::string const& argument) {
        if (same_file(argument, file) || same_file(argument.substr(argument.find('=') + 1), file)) return true;
        bool const is_short = argument.size() > 2 && argument[0] == '-' && argument[1] != '-'; // -ofile, -qofile
        for (std::size_t i = 2; is_short && i < argument.size(); ++i)
            if (same_file(argument.substr(i), file)) return true;
        return false;
    };
    return std::count_if(arguments.begin(), arguments.end(), names_it) == 1;
}

// Writes the JSON object of a failed run. If that fails, the line on standard error is the only report.
void write_json_failure(std::vector<std::string> const& arguments, outcome const& end) {
    auto const file = json_argument(arguments);
    if (file.empty() || (file != "-" && !named_once(arguments, file))) return;
    try {
        nlohmann::ordered_json json;
        if (!arguments.empty()) json["command"] = arguments[0];
        json["version"] = version;
        add_failure(json, end);
        std::string const standard_input = "-"; // which a command may have read, or not
        output_files files({{"standard input", standard_input}});
        files.expect("--json", file);
        files.write_text(file, json_text(json));
        files.publish();
    } catch (std::exception const&) {
    }
}

outcome dispatch(std::vector<std::string>& arguments) {
    CLI::App program(
        "Graphs and sparse algebra, based on a generic semiring sparse matrix-vector product (SpMV).\n\n"
        "MATRIX is a file, plain or .gz: Matrix Market, Harwell-Boeing or Rutherford-Boeing, an edge list "
        "(SNAP), a graph of METIS (.graph), GAP (.sg, .wsg) or NetworkX (JSON of node_link_data), a matrix of SciPy "
        "(.npz of save_npz), or a .tar of the SuiteSparse collection that contains one of them; - for standard input; "
        "or generate:KIND,nx=... for a "
        "generated matrix.\n"
        "If a FILE is written, - is standard output.",
        "coppice");
    program.set_version_flag("--version", "coppice " + std::string(version));
    program.allow_extras();
    program.require_subcommand(0, 1); // arguments after the command are not commands: generate tridiagonal
    program.footer("coppice help COMMAND prints the options of a command.\n\nExit codes: 0 done, 2 wrong usage, 3 bad "
                   "input, 4 numerical failure, 5 backend not available.");

    std::vector<command> commands = {add_generate(program), add_info(program),   add_spmv(program),
                                     add_multiply(program), add_factor(program), add_forest(program)};
    for (auto& c : add_graph_algorithms(program)) commands.push_back(std::move(c));
    for (auto* const add : {add_tridiagonal, add_tune, add_solve, add_queue, add_bench, add_help})
        commands.push_back(add(program));
    arguments = without_end_of_options(program, std::move(arguments));
    try {
        program.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (CLI::CallForHelp const&) {
        print_to_stdout(requested_help(program, arguments));
        return {};
    } catch (CLI::Success const& help) { // --version
        std::ostringstream text;
        program.exit(help, text, text);
        print_to_stdout(text.str());
        return {};
    } catch (CLI::ParseError const& e) {
        throw usage_error(message_of(e, program, arguments));
    }
    auto const rest = program.remaining();
    for (auto const& c : commands)
        if (c.cli->parsed()) {
            check_arguments(*c.cli);
            if (!rest.empty())
                throw usage_error("unexpected argument '" + rest[0] + "'; see coppice " + c.cli->get_name() +
                                  " --help");
            return c.run();
        }
    std::vector<std::string_view> names;
    std::vector<std::string> storage;
    for (auto const& c : commands) storage.push_back(c.cli->get_name());
    for (auto const& name : storage) names.push_back(name);
    if (!rest.empty() && rest[0][0] != '-') throw_unknown_name("command", rest[0], names);
    if (!rest.empty()) throw usage_error("unknown option '" + rest[0] + "' before the command; see coppice --help");
    throw usage_error("no command given; valid: " + list_of(names) + "; see coppice --help");
}

} // namespace

int main(int argc, char** argv) {
    keep_standard_streams();
    // A closed pipe and the file size limit become errors of write(), so that no file remains incomplete.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    use_all_allowed_cores();
    handle_interrupts();
    std::vector<std::string> arguments(argv + 1, argv + argc);
    auto const report = [&](outcome const& end, bool failed) {
        if (failed) write_json_failure(arguments, end);
        if (!end.reason.empty()) print_to_stderr("coppice: error: " + printable(end.reason) + "\n");
    };
    outcome result;
    try {
        started_processes processes(arguments);
        auto const work = [&] {
            outcome const end = dispatch(arguments);
            print_to_stdout(""); // all earlier output was written, or the run has failed
            return end;
        };
        result = processes.run(work, report);
    } catch (...) { // the processes cannot work together
        result = outcome_of_current_exception();
        report(result, true);
    }
    return result.code;
}
