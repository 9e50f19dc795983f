// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What every command shares: the common options, the outcome of a run and its exit code.
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
    exit_internal = 1, ///< a fault of the program itself
    exit_usage = 2,
    exit_input = 3,
    exit_numerical = 4,
    exit_backend = 5
};

/// Wrong usage: an unknown option or name, or a value outside its range (exit code 2).
struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Input that can be read but not worked on: a zero diagonal, a NaN, a singular matrix where none may be (exit code 3).
struct input_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// How a run ended; `reason` is empty when it went well.
struct outcome {
    int code = exit_done;
    std::string reason{};
};

/// The outcome that stands for the exception being handled; its reason is one line.
outcome outcome_of_current_exception();

/// Options that every command takes.
struct common_options {
    std::string backend = "auto";
    int threads = 0; ///< 0: all cores
    std::string precision = "double";
    std::string json{}; ///< empty: none; "-": standard output
    bool quiet = false;
    double max_expansion = 64;  ///< read_limits::max_expansion
    std::int64_t max_input = 0; ///< read_limits::max_bytes
};

/// A command of the program: its options stand in `cli`, `run` does it.
struct command {
    CLI::App* cli = nullptr;
    std::function<outcome()> run{};
};

/// A whole number in plain digits and nothing else, within the range of its type.
template <class Integer>
Integer read_integer(std::string const& option, std::string const& text) {
    Integer value{};
    char const* const end = text.data() + text.size();
    if (auto const [stop, status] = std::from_chars(text.data(), end, value); stop == end && status == std::errc{})
        return value;
    throw usage_error(option + " is '" + text + "', expected a whole number from " +
                      std::to_string(std::numeric_limits<Integer>::min()) + " to " +
                      std::to_string(std::numeric_limits<Integer>::max()));
}

/// Adds an option that takes such a number; `value` is an integer or an optional one.
template <class Value>
CLI::Option* add_integer(CLI::App& cli, std::string const& names, Value& value, std::string const& description) {
    using integer = std::remove_cvref_t<decltype(*std::optional(value))>;
    auto const read = [&value, option = names.substr(names.rfind(',') + 1)](std::string const& text) {
        value = read_integer<integer>(option, text);
    };
    return cli.add_option_function<std::string>(names, read, description);
}

/// Adds the common options to a command and makes unknown options reach check_extras().
void add_common_options(CLI::App& cli, common_options& options);

/// Adds the positional argument MATRIX.
void add_matrix_argument(CLI::App& cli, std::string& matrix);
/// --picture FILE.svg, of graphs that are small enough (report/graph_picture.hpp).
void add_picture_option(CLI::App& cli, std::string& picture);

/// Throws usage_error where a common option holds a bad value.
void check_common_options(common_options const& options);

/// The arguments without the first "--" that is not the value of an option, after which POSIX knows operands only:
/// those that begin with - stand behind ./ here, which for a file is the same name.
std::vector<std::string> without_end_of_options(CLI::App const& program, std::vector<std::string> arguments);

/// Throws usage_error for arguments that the command does not know, naming the nearest option and all of them, and for
/// options whose value is the empty text.
void check_arguments(CLI::App const& cli);

// Each is defined in the file of its name.
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
/// One for each row of the catalogue; in analytics.cpp.
std::vector<command> add_graph_algorithms(CLI::App& program);

} // namespace coppice::app
