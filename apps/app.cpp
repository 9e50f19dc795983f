// SPDX-License-Identifier: BSD-3-Clause
#include "apps/app.hpp"

#include <algorithm>
#include <filesystem>
#include <new>
#include <regex>
#include <system_error>

#include "apps/help/pages.hpp"
#include "apps/names.hpp"
#include <coppice/core/error.hpp>
#include <coppice/core/files/partial_file.hpp>
#include <coppice/core/host/host_executor.hpp>
#include <coppice/core/number_text.hpp>

namespace coppice::app {
namespace {

int code_of(error_code code) {
    switch (code) {
    case error_code::invalid_argument:
        return exit_usage;
    case error_code::device:
    case error_code::backend_unavailable:
        return exit_backend;
    default:
        return exit_input;
    }
}

// Returns the text of a message without its final line end. Control characters are escaped when it is printed.
std::string one_line(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    return text;
}

// Whether the option `typed` takes the next argument as its value.
bool takes_next(CLI::App const& cli, std::string const& typed) {
    auto const has_value = [&](std::string const& name) {
        auto const* const option = cli.get_option_no_throw(name);
        return option && option->get_items_expected_min() > 0;
    };
    if (typed.rfind("--", 0) == 0) return typed.find('=') == std::string::npos && has_value(typed);
    for (std::size_t i = 1; i < typed.size(); ++i) // -qo is -q -o
        if (has_value(std::string("-") + typed[i])) return i + 1 == typed.size();
    return false;
}

std::vector<std::string_view> option_names(CLI::App const& cli) {
    std::vector<std::string_view> names;
    for (auto const* option : cli.get_options())
        for (auto const& name : option->get_lnames()) names.push_back(name);
    return names;
}

/// "; did you mean '--NAME'?" for the options that begin with `typed`, or the nearest one; ";" if none is near.
std::string meant(std::span<std::string_view const> names, std::string const& typed) {
    std::string found;
    auto const add = [&](std::string_view name) {
        found.append(found.empty() ? "; did you mean '--" : " or '--").append(name).append("'");
    };
    if (!typed.empty())
        for (auto const name : names)
            if (name.starts_with(typed)) add(name);
    if (found.empty())
        if (auto const name = nearest(typed, names); !name.empty()) add(name);
    return found.empty() ? ";" : found + "?";
}

std::string name_in(std::string const& argument) { return argument.substr(0, argument.find('=')); }

/// The first option that is given again; CLI11's messages do not name the options that its help omits.
std::string repeated_option(std::vector<std::string> const& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i)
        for (std::size_t j = 0; j < i && arguments[i].starts_with("--"); ++j)
            if (name_in(arguments[i]) == name_in(arguments[j])) return name_in(arguments[i]);
    return "an option";
}

/// Whether a parsed command has an option of this name that takes no value.
bool is_flag(CLI::App const& program, std::string const& name) {
    for (auto const* cli : program.get_subcommands())
        if (auto const* const option = cli->get_option_no_throw(name)) return option->get_items_expected_max() == 0;
    return false;
}

} // namespace

std::string message_of(CLI::ParseError const& error, CLI::App const& program,
                       std::vector<std::string> const& arguments) {
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::smatch found;
    if (std::regex_match(text, found, std::regex(".*: [0-9]+ required (.*) missing"))) // only the last one can lack it
        return name_in(arguments.back()) + " has no value, expected " + found[1].str();
    if (std::regex_match(text, found, std::regex("(.*): At Most 1 required but received ([0-9]+)")))
        return (found[1].length() ? found[1].str() : repeated_option(arguments)) + " is given " + found[2].str() +
               " times, expected once";
    if (std::regex_match(text, found, std::regex("Could not convert: (.*?) = (.*)")))
        return found[1].str() + (is_flag(program, found[1]) ? " takes no value, but is given '" + found[2].str() + "'"
                                                            : " is '" + found[2].str() + "', expected a number");
    return text;
}

outcome outcome_of_current_exception() {
    try {
        throw;
    } catch (usage_error const& e) {
        return {exit_usage, one_line(e.what())};
    } catch (input_error const& e) {
        return {exit_input, one_line(e.what())};
    } catch (error const& e) {
        return {code_of(e.code()), one_line(e.what())};
    } catch (std::bad_alloc const&) {
        return {exit_input, "not enough memory for an input of this size"};
    } catch (std::system_error const& e) { // a stream or a file that the system rejects
        return {exit_input, one_line(e.what())};
    } catch (std::exception const& e) {
        return {exit_internal, one_line(std::string("internal: ") + e.what())};
    }
}

void add_common_options(CLI::App& cli, common_options& options) {
    cli.allow_extras();
    cli.add_option("--backend", options.backend,
                   "where the work runs; auto, the default, uses CUDA if there is a device")
        ->type_name("auto|host|cuda");
    add_integer(cli, "--threads", options.threads, "threads of the host backend; all cores by default")->type_name("N");
    cli.add_option("--precision", options.precision, "floating-point precision; double by default")
        ->type_name("single|double");
    cli.add_option("--json", options.json,
                   "write the results as JSON; - is standard output, on which nothing else is printed then")
        ->type_name("FILE");
    cli.add_option(
           "--max-expansion", options.max_expansion,
           "maximum memory of a file as a multiple of its size, for decompressed text and for rows without entries "
           "(applies above 64 MiB); 64 by default, 0: unlimited")
        ->type_name("RATIO");
    add_integer(cli, "--max-input", options.max_input,
                "maximum size of the text of an input in bytes; half of the memory by default")
        ->type_name("BYTES");
    cli.add_flag("-q,--quiet", options.quiet, "print neither results nor progress; files are still written");
    cli.add_flag_callback(
        "--no-sync", [] { sync_outputs(false); },
        "do not wait until outputs are on the disk; faster for huge ones, which a loss of power may leave empty");
    group_options(cli, every_command_group,
                  {"--backend", "--threads", "--precision", "--json", "--max-expansion", "--max-input", "--no-sync",
                   "--quiet", "--help"});
}

void add_matrix_argument(CLI::App& cli, std::string& matrix) {
    cli.add_option("MATRIX", matrix, "matrix file, or - for standard input, or generate:KIND,nx=...")->type_name("");
}
void add_picture_option(CLI::App& cli, std::string& picture) {
    cli.add_option("--picture", picture, "draw the graph, of at most 200000 vertices")->type_name("FILE.svg");
}

void check_common_options(common_options const& options) {
    static constexpr std::string_view backends[] = {"auto", "host", "cuda"};
    static constexpr std::string_view precisions[] = {"single", "double"};
    require_name("backend", options.backend, backends);
    require_name("precision", options.precision, precisions);
    if (!(options.max_expansion >= 0))
        throw usage_error("--max-expansion is " + coppice::detail::number_text(options.max_expansion) +
                          ", expected a number of at least 0");
    if (options.max_input < 0)
        throw usage_error("--max-input is " + std::to_string(options.max_input) + ", expected a number of at least 0");
    if (options.threads < 0 || options.threads > host_executor::max_threads)
        throw usage_error("--threads is " + std::to_string(options.threads) + ", expected 1 to " +
                          std::to_string(host_executor::max_threads) + ", or 0 for all cores");
}

std::vector<std::string> without_end_of_options(CLI::App const& program, std::vector<std::string> arguments) {
    auto const* cli = &program;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        auto const& argument = arguments[i];
        if (argument == "--") {
            arguments.erase(arguments.begin() + std::ptrdiff_t(i));
            for (; i < arguments.size(); ++i)
                if (arguments[i].size() > 1 && arguments[i][0] == '-') arguments[i].insert(0, "./");
        } else if (argument.size() > 1 && argument[0] == '-') {
            i += takes_next(*cli, argument) ? 1 : 0;
        } else if (cli == &program) {
            auto const found = program.get_subcommands([&](CLI::App const* c) { return c->get_name() == argument; });
            if (!found.empty()) cli = found[0];
        }
    }
    return arguments;
}

void check_arguments(CLI::App const& cli) {
    for (auto const* option : cli.get_options()) {
        if (option->nonpositional() && option->count() > 1) // a flag; the parser reports options with values
            throw usage_error("--" + option->get_lnames().front() + " is given " + std::to_string(option->count()) +
                              " times, expected once");
        for (auto const& value : option->results())
            if (value.empty() && option->nonpositional())
                throw usage_error("--" + option->get_lnames().front() + " is empty; see coppice " + cli.get_name() +
                                  " --help");
    }
    for (auto const& argument : cli.remaining()) {
        if (argument.starts_with("./-")) // see without_end_of_options()
            throw usage_error("unexpected argument '" + argument.substr(2) +
                              "'; after --, arguments are no options; see coppice " + cli.get_name() + " --help");
        if (argument.size() < 2 || argument[0] != '-')
            throw usage_error("unexpected argument '" + argument + "'; see coppice " + cli.get_name() + " --help");
        if (std::error_code ignored; std::filesystem::exists(argument, ignored))
            throw usage_error("unknown option '" + argument + "'; for the file of this name write ./" + argument);
        auto const typed = argument.substr(argument.find_first_not_of('-'));
        throw usage_error("unknown option '" + argument + "'" + meant(option_names(cli), name_in(typed)) +
                          " see coppice " + cli.get_name() + " --help");
    }
}

} // namespace coppice::app
