// SPDX-License-Identifier: BSD-3-Clause
// Handles of coppice.h: the ranges of options that coppice_describe() lists are those that are accepted.
#include <limits>
#include <set>

#include "solvers/c/handle_calls.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

std::string description(char const* what) {
    char const* text = nullptr;
    succeed(coppice_describe(what, &text));
    return text;
}
std::vector<std::string> lines(std::string const& text) {
    std::vector<std::string> all;
    for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
        all.push_back(text.substr(at, end - at));
    return all;
}

/// An option and values within and outside its range, read from its line "NAME=default: meaning (expected)".
struct described_option {
    std::string name;
    std::vector<std::string> accepted, refused;
};
/// The number after `words` in `text`; infinity with the sign of `none` if they do not occur.
double number_after(std::string const& text, char const* words, double none) {
    auto const at = text.find(words);
    return at == std::string::npos ? none : std::stod(text.substr(at + std::strlen(words)));
}
std::string shortest(double value, bool integer) {
    char digits[40];
    if (integer)
        std::snprintf(digits, sizeof digits, "%.0f", value);
    else
        std::snprintf(digits, sizeof digits, "%.17g", value);
    return digits;
}
void add_range(described_option& option, std::string const& expected) {
    constexpr double none = std::numeric_limits<double>::infinity();
    bool const integer = expected.find("an integer") == 0;
    auto const next = [&](double x, double to) { return integer ? x + (to > x ? 1 : -1) : std::nextafter(x, to); };
    double const low = number_after(expected, "from ", number_after(expected, "at least ", -none));
    double const above = number_after(expected, "above ", -none), below = number_after(expected, "below ", none);
    double const high = number_after(expected, " to ", number_after(expected, "at most ", none));
    auto const add = [&](std::vector<std::string>& to, double value) { to.push_back(shortest(value, integer)); };
    REQUIRE_MESSAGE((low > -none || above > -none), expected);
    if (low > -none) add(option.accepted, low), add(option.refused, next(low, -none));
    if (above > -none) add(option.accepted, next(above, none)), add(option.refused, above);
    if (high < none) add(option.accepted, high), add(option.refused, next(high, none));
    if (below < none) add(option.accepted, next(below, -none)), add(option.refused, below);
    for (double const value : {1e-300, 1e300})
        if (!integer && value >= low && value > above && value <= high && value < below) add(option.accepted, value);
    option.refused.insert(option.refused.end(), {"nan", "inf", "x", "1x"});
    if (integer) option.refused.push_back("1.5");
}
void add_choices(described_option& option, std::string list) {
    for (std::size_t end; (end = list.find(", ")) != std::string::npos; list.erase(0, end + 2))
        option.accepted.push_back(list.substr(0, end));
    option.accepted.push_back(list);
    option.refused = {"x", "1"};
}
std::vector<described_option> options_of(std::string const& name) {
    std::vector<described_option> all;
    for (auto const& line : lines(description(name.c_str()))) {
        if (line == "no options") continue;
        auto const equals = line.find('='), begin = line.rfind(" (");
        described_option option{line.substr(0, equals), {line.substr(equals + 1, line.find(": ") - equals - 1)}, {}};
        auto const expected = line.substr(begin + 2, line.size() - begin - 3);
        constexpr std::string_view choices = "one of: ";
        if (expected.find(choices) == 0)
            add_choices(option, expected.substr(choices.size()));
        else
            add_range(option, expected);
        all.push_back(option);
    }
    return all;
}

/// Calls `call` with each value of each option of `name`. Values within the range of the options `dependent` may be
/// refused for other reasons.
template <class Call>
void check_ranges(std::string const& name, std::set<std::string> const& dependent, Call const& call) {
    for (auto const& option : options_of(name)) {
        auto const with = [&](std::string const& value) { return name + "," + option.name + "=" + value; };
        for (auto const& value : option.accepted)
            if (!dependent.count(option.name)) {
                CAPTURE(with(value));
                CHECK_MESSAGE(call(with(value).c_str()) != COPPICE_STATUS_INVALID_VALUE, coppice_last_error());
            }
        for (auto const& value : option.refused) {
            CAPTURE(with(value));
            CHECK(call(with(value).c_str()) == COPPICE_STATUS_INVALID_VALUE);
            CHECK_MESSAGE(std::strstr(coppice_last_error(), "expected"), coppice_last_error());
        }
    }
}
std::vector<std::string> names_of(char const* what) {
    std::vector<std::string> names;
    for (auto const& line : lines(description(what))) names.push_back(line.substr(0, line.find(':')));
    return names;
}

TEST_CASE("c handles: described ranges of options of graph algorithms are the accepted ones") {
    executor_handle e;
    succeed(coppice_executor_create("host,threads=1", nullptr, &e));
    auto const m = cycle(7).handle(e);
    for (auto const& name : names_of("graph algorithms"))
        check_ranges(name, {"source", "sink", "length"}, [&](char const* algorithm) { // limited by vertices and memory
            result_handle r;
            return coppice_graph(m, algorithm, &r);
        });
}

TEST_CASE("c handles: described ranges of options of preconditioners are the accepted ones") {
    executor_handle e;
    succeed(coppice_executor_create("host,threads=1", nullptr, &e));
    auto const m = laplacian<double>(4).handle(e);
    // Sizes depend on the number of rows, the offset on charge-period, the method on the libraries of the build.
    std::set<std::string> const dependent{"nx", "ny", "nz", "block", "charge-offset", "method"};
    for (auto const& name : names_of("preconditioners"))
        check_ranges(name, dependent, [&](char const* choice) {
            preconditioner_handle p;
            return coppice_preconditioner_create(m, choice, nullptr, 0, &p);
        });
}

TEST_CASE("c handles: described ranges of options of Krylov methods are the accepted ones") {
    executor_handle e;
    succeed(coppice_executor_create("host,threads=1", nullptr, &e));
    auto const a = laplacian<double>(4);
    auto const m = a.handle(e);
    std::vector<double> const b(32, 1.0);
    auto names = names_of("methods");
    names.erase(std::find(names.begin(), names.end(), "direct")); // describes the preconditioner of that name
    for (auto const& name : names)
        check_ranges(name, {}, [&](char const* method) {
            std::vector<double> x(b.size());
            result_handle r;
            return coppice_solve(m, nullptr, method, b.data(), x.data(), std::int64_t(number(m, "rows")), 1, &r);
        });
}

} // namespace
