// SPDX-License-Identifier: BSD-3-Clause
#include "apps/input.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "apps/names.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/semiring/operators/semirings.hpp>

namespace coppice::app {
namespace {

constexpr std::int64_t none_found = std::numeric_limits<std::int64_t>::max();

struct smaller {
    std::int64_t operator()(std::int64_t a, std::int64_t b) const { return std::min(a, b); }
};

template <class T>
bool is_finite(T value) {
    return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
}

// Returns the position of the first value that the rule rejects.
template <class T>
std::int64_t first_refused(host_executor const& host, array_view<T const> values, finite_rule rule) {
    auto const position = [=](std::int64_t k) {
        bool const good = rule == finite_rule::finite ? is_finite(values[k]) : !is_nan(values[k]);
        return good ? none_found : k;
    };
    return reduce(host, values.size(), none_found, position, smaller{});
}

template <class T>
void check_values(host_executor const& host, std::string const& name, numbered_matrix<T> const& numbered,
                  finite_rule rule) {
    auto const& a = numbered.matrix;
    auto const k = first_refused(host, a.values().view(), rule);
    if (k == none_found) return;
    auto const* const offsets = a.row_offsets().begin();
    auto const row = std::upper_bound(offsets, a.row_offsets().end(), k) - offsets - 1;
    throw input_error(fmt::format("{}: the entry in row {}, column {} {}", name, numbered.vertices.name(row),
                                  numbered.vertices.name(a.column_indices()[k]), why_refused(a.values()[k])));
}

} // namespace

finite_rule rule_of(std::string_view semiring) {
    return semiring == "plus-times" ? finite_rule::finite : finite_rule::infinity_allowed;
}

bool writes_indices(std::string_view semiring) {
    return std::any_of(semiring_descriptions.begin(), semiring_descriptions.end(),
                       [&](auto const& known) { return known.name == semiring && known.writes_columns; });
}

void require_index_room(std::string_view semiring, std::string const& matrix, std::int64_t count,
                        std::size_t value_bytes) {
    constexpr std::int64_t whole_floats = 1 << 24; // all integers up to this value are exact in float
    if (writes_indices(semiring) && value_bytes == sizeof(float) && count > whole_floats)
        throw usage_error(fmt::format("{} writes column numbers, which for {} do not fit single precision; use "
                                      "--precision double",
                                      semiring, matrix));
}

std::string comment_on(vertex_numbering const& vertices) {
    if (!vertices.names.empty())
        return "row i is the i-th vertex in the order of their first occurrence in the graph file";
    if (vertices.base == 1) return {};
    return fmt::format("row i is vertex i {} {} of the graph file", vertices.base < 1 ? '-' : '+',
                       std::abs(vertices.base - 1));
}

void check_matrix_argument(std::string const& argument, std::string const& command, std::string const& missing) {
    if (argument.empty())
        throw usage_error(command + " needs " + missing + ": a matrix file, - or generate:KIND,nx=...");
    if (names_generator(argument)) parse_generator(argument);
}

namespace {

template <class T>
csr<T> generated(host_executor const& host, std::string const& argument) {
    auto const request = parse_generator(argument);
    if constexpr (std::is_same_v<T, real_of<T>>) {
        return generate<T>(host, request.kind, request.options);
    } else { // generators make real matrices
        auto real = generate<real_of<T>>(host, request.kind, request.options);
        buffer<T> values(host, real.nonzeros());
        std::copy(real.values().begin(), real.values().end(), values.begin());
        auto const rows = real.rows(), columns = real.columns();
        auto arrays = std::move(real).release();
        return {rows, columns, std::move(arrays.offsets), std::move(arrays.indices), std::move(values)};
    }
}

} // namespace

matrix_input::matrix_input(std::string const& argument, progress& status, matrix_read_options options)
    : argument_(argument) {
    status.show("reading " + argument);
    options.limits = status.limits();
    options.progress = status.of_file(argument);
    if (!names_generator(argument)) file_.emplace(argument, std::move(options));
}

template <class T>
numbered_matrix<T> matrix_input::load_numbered(host_executor const& host, finite_rule rule) && {
    if (!file_) return {generated<T>(host, argument_), {}};
    auto const name = file_->name();
    auto a = std::move(*file_).template read_numbered<T>(host);
    check_values(host, name, a, rule);
    return a;
}

namespace {

matrix_input open_real(std::string const& argument, progress& status, matrix_read_options options) {
    matrix_input input(argument, status, std::move(options));
    if (input.is_complex())
        throw input_error(argument + ": the matrix is complex, but this command requires a real matrix; coppice solve "
                                     "and coppice tridiagonal solve complex systems, coppice info describes them");
    return input;
}

} // namespace

template <class T>
csr<T> load_matrix(host_executor const& host, std::string const& argument, progress& status, finite_rule rule) {
    return open_real(argument, status, {}).template load<T>(host, rule);
}

template <class T>
numbered_matrix<T> load_numbered(host_executor const& host, std::string const& argument, progress& status,
                                 matrix_read_options options, finite_rule rule) {
    return open_real(argument, status, std::move(options)).template load_numbered<T>(host, rule);
}

template <class T>
buffer<T> load_vector(host_executor const& host, std::string const& path, std::int64_t length,
                      std::string const& option, progress& status, finite_rule rule) {
    auto const values = [&] {
        try {
            return read_vector<T>(host, path,
                                  {.length = length, .progress = status.of_file(path), .limits = status.limits()});
        } catch (dimension_error const& e) {
            throw dimension_error(option + " " + e.what());
        }
    }();
    auto x = host.copy(values);
    if (auto const i = first_refused<T>(host, x.view(), rule); i != none_found)
        throw input_error(fmt::format("{} {}: element {} {}", option, path, i + 1, why_refused(x[i])));
    return x;
}

template <class T>
loaded_vectors<T> load_vectors(host_executor const& host, std::string const& path, std::int64_t length,
                               std::string const& option, progress& status, finite_rule rule) {
    auto const read = [&] {
        try {
            return read_vectors<T>(host, path,
                                   {.length = length, .progress = status.of_file(path), .limits = status.limits()});
        } catch (dimension_error const& e) {
            throw dimension_error(option + " " + e.what());
        }
    }();
    if (read.columns == 0) throw input_error(fmt::format("{} {} contains no vector", option, path));
    loaded_vectors<T> all{host.copy(read.values), read.columns};
    if (auto const i = first_refused<T>(host, all.values.view(), rule); i != none_found) {
        auto const column = all.columns > 1 ? fmt::format(" of column {}", i / length + 1) : "";
        throw input_error(
            fmt::format("{} {}: element {}{} {}", option, path, i % length + 1, column, why_refused(all.values[i])));
    }
    return all;
}

bool is_complex_vector(std::string const& path) {
    std::error_code failure;
    return std::filesystem::is_regular_file(path, failure) && coppice::is_complex_vector(path);
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
    for_each(host, n, [&](std::int64_t i) { x[i] = solution_element<T>(name, i, n); });
    return x;
}

#define COPPICE_APP_INPUT(T)                                                                                           \
    template numbered_matrix<T> matrix_input::load_numbered(host_executor const&, finite_rule)&&;                      \
    template buffer<T> load_vector(host_executor const&, std::string const&, std::int64_t, std::string const&,         \
                                   progress&, finite_rule);                                                            \
    template loaded_vectors<T> load_vectors(host_executor const&, std::string const&, std::int64_t,                    \
                                            std::string const&, progress&, finite_rule);                               \
    template buffer<T> make_solution(host_executor const&, std::string const&, std::int64_t);
COPPICE_APP_INPUT(float)
COPPICE_APP_INPUT(double)
COPPICE_APP_INPUT(std::complex<float>)
COPPICE_APP_INPUT(std::complex<double>)
template csr<float> load_matrix(host_executor const&, std::string const&, progress&, finite_rule);
template csr<double> load_matrix(host_executor const&, std::string const&, progress&, finite_rule);
template numbered_matrix<float> load_numbered(host_executor const&, std::string const&, progress&, matrix_read_options,
                                              finite_rule);
template numbered_matrix<double> load_numbered(host_executor const&, std::string const&, progress&, matrix_read_options,
                                               finite_rule);

} // namespace coppice::app
