// SPDX-License-Identifier: BSD-3-Clause
#include "apps/input.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "apps/names.hpp"
#include <coppice/algebra/generators.hpp>
#include <coppice/algebra/matrix_market.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::app {
namespace {

constexpr std::int64_t none_found = std::numeric_limits<std::int64_t>::max();

struct smaller {
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return std::min(a, b); }
};

// Position of the first value that the rule refuses.
template <class T>
std::int64_t first_refused(host_executor const& host, array_view<T const> values, finite_rule rule) {
    auto const position = [=](std::int64_t k) {
        bool const good = rule == finite_rule::finite ? std::isfinite(values[k]) : !std::isnan(values[k]);
        return good ? none_found : k;
    };
    return reduce(host, values.size(), none_found, position, smaller{});
}

template <class T>
std::string refusal(T value) {
    return std::isnan(value)
               ? "is NaN"
               : fmt::format("is infinite{}", sizeof(T) == 4 ? " (or too large for single precision)" : "");
}

template <class T>
void check_values(host_executor const& host, std::string const& name, csr<T> const& a, finite_rule rule) {
    auto const k = first_refused(host, a.values().view(), rule);
    if (k == none_found) return;
    auto const* const offsets = a.row_offsets().begin();
    auto const row = std::upper_bound(offsets, a.row_offsets().end(), k) - offsets - 1;
    throw input_error(fmt::format("{}: the entry in row {}, column {} {}", name, row + 1, a.column_indices()[k] + 1,
                                  refusal(a.values()[k])));
}

} // namespace

void check_matrix_argument(std::string const& argument, std::string const& command) {
    if (argument.empty()) throw usage_error(command + " needs a MATRIX: a Matrix Market file or generate:KIND,nx=...");
    if (names_generator(argument)) parse_generator(argument);
}

template <class T>
csr<T> load_matrix(host_executor const& host, std::string const& argument, finite_rule rule) {
    if (names_generator(argument)) {
        auto const request = parse_generator(argument);
        return generate<T>(host, request.kind, request.options);
    }
    auto a = read_matrix_market<T>(host, argument);
    check_values(host, argument, a, rule);
    return a;
}

template <class T>
buffer<T> load_vector(host_executor const& host, std::string const& path, std::int64_t length,
                      std::string const& option, finite_rule rule) {
    auto const values = read_vector<T>(host, path);
    auto const got = static_cast<std::int64_t>(values.size());
    if (got != length)
        throw dimension_error(
            fmt::format("{} {}: the vector has {} elements, the matrix asks for {}", option, path, got, length));
    auto x = host.copy(values);
    if (auto const i = first_refused<T>(host, x.view(), rule); i != none_found)
        throw input_error(fmt::format("{} {}: element {} {}", option, path, i + 1, refusal(x[i])));
    return x;
}

void require_not_empty(std::string const& matrix, std::int64_t rows, std::int64_t columns) {
    if (rows == 0 || columns == 0)
        throw input_error(fmt::format("{}: the matrix is empty ({} x {})", matrix, rows, columns));
}

void require_square(std::string const& command, std::string const& matrix, std::int64_t rows, std::int64_t columns) {
    if (rows != columns)
        throw dimension_error(fmt::format("{} needs a square matrix, {} is {} x {}", command, matrix, rows, columns));
    require_not_empty(matrix, rows, columns);
}

void check_solution_name(std::string const& name) {
    static constexpr std::string_view names[] = {"sine", "ones"};
    require_name("solution", name, names);
}

template <class T>
buffer<T> make_solution(host_executor const& host, std::string const& name, std::int64_t n) {
    buffer<T> x(host, n);
    bool const sine = name == "sine";
    for_each(host, n, [&](std::int64_t i) {
        x[i] = sine ? static_cast<T>(std::sin(16 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n)))
                    : T(1);
    });
    return x;
}

#define COPPICE_APP_INPUT(T)                                                                                           \
    template csr<T> load_matrix(host_executor const&, std::string const&, finite_rule);                                \
    template buffer<T> load_vector(host_executor const&, std::string const&, std::int64_t, std::string const&,         \
                                   finite_rule);                                                                       \
    template buffer<T> make_solution(host_executor const&, std::string const&, std::int64_t);
COPPICE_APP_INPUT(float)
COPPICE_APP_INPUT(double)

} // namespace coppice::app
