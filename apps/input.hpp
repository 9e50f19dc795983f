// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The MATRIX argument (a file or a generator), vectors, and the checks of input before the work starts.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>

#include "apps/app.hpp"
#include "apps/output.hpp"
#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/files/matrix_file.hpp>

namespace coppice::app {

/// Which values a command accepts.
enum class finite_rule {
    finite,          ///< neither NaN nor infinite
    infinity_allowed ///< infinity is a value of the (min, +) family; NaN is rejected
};

template <class T>
bool is_nan(T value) {
    return std::isnan(std::real(value)) || std::isnan(std::imag(value));
}
/// What is wrong with a value that a rule refuses, for messages.
template <class T>
std::string why_refused(T value) {
    bool const single = sizeof(real_of<T>) == 4;
    return is_nan(value) ? "is NaN"
                         : std::string("is infinite") + (single ? " (or too large for single precision)" : "");
}

/// Infinity is a valid value of all semirings except plus-times.
finite_rule rule_of(std::string_view semiring);

/// Whether the results of a semiring of the registry are indices (-1: none) instead of values.
bool writes_indices(std::string_view semiring);
/// Throws usage_error if `semiring` returns indices of [0, count) and values of `value_bytes` bytes cannot represent
/// them.
void require_index_room(std::string_view semiring, std::string const& matrix, std::int64_t count,
                        std::size_t value_bytes);
/// Returns the number of a row for the output: that of the input file, or its 1-based position if the file has names.
inline std::int64_t number_of(vertex_numbering const& vertices, std::int64_t row) {
    return row + (vertices.names.empty() ? vertices.base : 1);
}
/// Returns a comment for output files if the numbers of rows differ from 1, 2, ... in the input file; else empty.
std::string comment_on(vertex_numbering const& vertices);
/// Converts indices to the numbers of the input file; the number before the first means none.
template <class T>
void number_as(vertex_numbering const& vertices, buffer<T>& indices) {
    for (T& index : indices) index += T(number_of(vertices, 0));
}

/// Throws usage_error if `argument` is empty or names an unknown generator. Does not access files. `missing`: what the
/// message calls an empty argument.
void check_matrix_argument(std::string const& argument, std::string const& command,
                           std::string const& missing = "a MATRIX");

/// The opened MATRIX argument. Whether it is complex is known before the type for the work is chosen.
class matrix_input {
public:
    /// Throws usage_error for an invalid generator, io_error or format_error for an invalid file.
    matrix_input(std::string const& argument, progress& status, matrix_read_options options = {});

    bool is_complex() const { return file_ && file_->is_complex(); }

    /// Reads the matrix into host memory, with sorted columns. Throws format_error for an invalid file, input_error for
    /// a value that `rule` or the precision rejects. Instantiated for float, double and complex of both.
    template <class T>
    csr<T> load(host_executor const& host, finite_rule rule = finite_rule::finite) && {
        return std::move(*this).template load_numbered<T>(host, rule).matrix;
    }
    /// The same, with the numbering of rows in the file.
    template <class T>
    numbered_matrix<T> load_numbered(host_executor const& host, finite_rule rule = finite_rule::finite) &&;

private:
    std::string argument_;
    std::optional<matrix_file> file_{};
};

/// The same in one step, for commands that require a real matrix: throws input_error for a complex one.
template <class T>
csr<T> load_matrix(host_executor const& host, std::string const& argument, progress& status,
                   finite_rule rule = finite_rule::finite);

/// The same with the numbering of vertices; `status` shows the progress.
template <class T>
numbered_matrix<T> load_numbered(host_executor const& host, std::string const& argument, progress& status,
                                 matrix_read_options options = {}, finite_rule rule = finite_rule::finite);

/// Reads the vector in a file into host memory. Throws dimension_error unless it has `length` elements.
template <class T>
buffer<T> load_vector(host_executor const& host, std::string const& path, std::int64_t length,
                      std::string const& option, progress& status, finite_rule rule = finite_rule::finite);

/// Reads the columns of a file, each of `length` elements, into host memory, column-major. Throws as load_vector().
template <class T>
struct loaded_vectors {
    buffer<T> values{};
    std::int64_t columns = 1;
};
template <class T>
loaded_vectors<T> load_vectors(host_executor const& host, std::string const& path, std::int64_t length,
                               std::string const& option, progress& status, finite_rule rule = finite_rule::finite);

/// Whether the vector in a file is complex; a vector from a pipe, which can be read only once, is assumed to be real.
bool is_complex_vector(std::string const& path);

/// Throws input_error if the matrix has no rows or no columns.
void require_not_empty(std::string const& matrix, std::int64_t rows, std::int64_t columns);
/// Throws dimension_error if the matrix is not square, input_error if it is empty.
void require_square(std::string const& command, std::string const& matrix, std::int64_t rows, std::int64_t columns);

/// A known solution: "sine" (x_i = sin(16 pi i / n), i = 0..n-1; thesis, section 4.6) or "ones". Throws usage_error for
/// another name.
void check_solution_name(std::string const& name);
template <class T>
T solution_element(std::string_view name, std::int64_t i, std::int64_t n) {
    double const angle = 16 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    return name == "sine" ? T(static_cast<decltype(std::abs(T()))>(std::sin(angle))) : T(1);
}
template <class T>
buffer<T> make_solution(host_executor const& host, std::string const& name, std::int64_t n);

} // namespace coppice::app
