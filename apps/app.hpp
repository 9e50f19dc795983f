// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Common parts of all commands: shared options, outcome of a run, exit code.
#pragma once

#include <charconv>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>

namespace coppice::app {

enum exit_code : int {
    exit_done = 0,
    exit_internal = 1, ///< an internal error of the program
    exit_usage = 2,
    exit_input = 3,
    exit_numerical = 4,
    exit_backend = 5
};

/// Wrong usage: an unknown option or name, or a value out of range (exit code 2).
struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Input that can be read but not processed: a zero diagonal, NaN, or a singular matrix where none is allowed (exit
/// code 3).
struct input_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Outcome of a run; `reason` is empty on success.
struct outcome {
    int code = exit_done;
    std::string reason{};
};

/// Returns the outcome for the exception that is being handled; its reason is one line.
outcome outcome_of_current_exception();

/// Options of every command.
struct common_options {
    std::string backend = "auto";
    int threads = 0; ///< 0: all cores
    std::string precision = "double";
    std::string json{}; ///< empty: none; "-": standard output
    bool quiet = false;
    double max_expansion = 64;  ///< read_limits::max_expansion
    std::int64_t max_input = 0; ///< read_limits::max_bytes
};

/// A command of the program: `cli` holds its options, `run` executes it.
struct command {
    CLI::App* cli = nullptr;
    std::function<outcome()> run{};
};

/// Parses an integer in plain digits, within the range of its type; other text is a usage_error, which names the range
/// only if the text is beyond it.
template <class Integer>
Integer read_integer(std::string const& option, std::string const& text) {
    Integer value{};
    char const* const end = text.data() + text.size();
    auto const [stop, status] = std::from_chars(text.data(), end, value);
    if (stop == end && status == std::errc{}) return value;
    using limits = std::numeric_limits<Integer>;
    std::string const range = status == std::errc::result_out_of_range || std::is_unsigned_v<Integer>
                                  ? " from " + std::to_string(limits::min()) + " to " + std::to_string(limits::max())
                                  : "";
    throw usage_error(option + " is '" + text + "', expected a whole number" + range);
}

/// Adds an option with such a value; `value` is an integer or an optional integer.
template <class Value>
CLI::Option* add_integer(CLI::App& cli, std::string const& names, Value& value, std::string const& description) {
    using integer = std::remove_cvref_t<decltype(*std::optional(value))>;
    auto const read = [&value, option = names.substr(names.rfind(',') + 1)](std::string const& text) {
        value = read_integer<integer>(option, text);
    };
    return cli.add_option_function<std::string>(names, read, description);
}

/// Adds the common options to a command and passes unknown options to check_arguments().
void add_common_options(CLI::App& cli, common_options& options);

/// Adds the positional argument MATRIX.
void add_matrix_argument(CLI::App& cli, std::string& matrix);
/// Adds --picture FILE.svg (report/graph_picture.hpp).
void add_picture_option(CLI::App& cli, std::string& picture);

/// Throws usage_error if a common option has an invalid value.
void check_common_options(common_options const& options);

/// Returns the arguments without the first "--" that is not the value of an option. According to POSIX, all later
/// arguments are operands; those that begin with - get the prefix ./, which denotes the same file.
std::vector<std::string> without_end_of_options(CLI::App const& program, std::vector<std::string> arguments);

/// Throws usage_error for unknown arguments, with the most similar option and a list of all options, for options
/// with an empty value, and for flags that are given twice.
void check_arguments(CLI::App const& cli);

/// Restates an error of CLI11's parser in the words of the other messages.
std::string message_of(CLI::ParseError const& error, CLI::App const& program,
                       std::vector<std::string> const& arguments);

/// Returns the text for --help among `arguments`: of the program or of the command that was parsed, or of the topic
/// that follows it.
std::string requested_help(CLI::App const& program, std::vector<std::string> const& arguments);

// Each command is defined in the source file of the same name.
command add_generate(CLI::App& program);
command add_info(CLI::App& program);
command add_spmv(CLI::App& program);
command add_multiply(CLI::App& program);
command add_tune(CLI::App& program);
command add_factor(CLI::App& program);
command add_forest(CLI::App& program);
command add_tridiagonal(CLI::App& program);
command add_solve(CLI::App& program);
command add_queue(CLI::App& program);
command add_bench(CLI::App& program);
/// Describes all other commands, so it is added after them. Defined in help.cpp.
command add_help(CLI::App& program);
/// One command for each row of the registry of graph algorithms. Defined in analytics.cpp.
std::vector<command> add_graph_algorithms(CLI::App& program);

} // namespace coppice::app
