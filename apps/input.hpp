// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The MATRIX argument (a file or a generator), vectors, and the checks that input must pass before work begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apps/app.hpp"
#include "apps/output.hpp"
#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/files/matrix_file.hpp>

namespace coppice::app {

/// Which values a command can work on.
enum class finite_rule {
    finite,          ///< neither NaN nor infinity
    infinity_allowed ///< infinity is a value of the (min, +) family; NaN is not
};

/// Infinity is a value of every semiring but the usual one.
finite_rule rule_of(std::string_view semiring);

/// Whether the results of a semiring of the catalogue are indices, -1 for none, and not values.
bool writes_indices(std::string_view semiring);
/// Throws usage_error where `semiring` writes indices of [0, count) and values of `value_bytes` cannot hold them all.
void require_index_room(std::string_view semiring, std::string const& matrix, std::int64_t count,
                        std::size_t value_bytes);
/// The number of a row in what is written: that of the file, or its position from 1 if the file has names instead.
inline std::int64_t number_of(vertex_numbering const& vertices, std::int64_t row) {
    return row + (vertices.names.empty() ? vertices.base : 1);
}
/// A comment for files whose rows, counted from 1, have other numbers in the file that was read; else empty.
std::string comment_on(vertex_numbering const& vertices);
/// Indices become the numbers of the file; the one before the first says that there is none.
template <class T>
void number_as(vertex_numbering const& vertices, buffer<T>& indices) {
    for (T& index : indices) index += T(number_of(vertices, 0));
}

/// Throws usage_error where `argument` is empty or names no generator that exists; looks at no file.
void check_matrix_argument(std::string const& argument, std::string const& command);

/// The MATRIX argument, opened: what kind of values it has is known before the type to work in is chosen.
class matrix_input {
public:
    /// Throws usage_error for a bad generator, io_error or format_error for a bad file.
    matrix_input(std::string const& argument, progress& status, matrix_read_options options = {});

    bool is_complex() const { return file_ && file_->is_complex(); }

    /// The matrix, in host memory, its columns sorted. Throws format_error for a bad file, input_error for a value that
    /// `rule` or the precision refuses. Instantiated for float, double and complex of both.
    template <class T>
    csr<T> load(host_executor const& host, finite_rule rule = finite_rule::finite) && {
        return std::move(*this).template load_numbered<T>(host, rule).matrix;
    }
    /// The same, with what the file calls the rows.
    template <class T>
    numbered_matrix<T> load_numbered(host_executor const& host, finite_rule rule = finite_rule::finite) &&;

private:
    std::string argument_;
    std::optional<matrix_file> file_{};
};

/// The same in one step for commands that work on real matrices: throws input_error for a complex one.
template <class T>
csr<T> load_matrix(host_executor const& host, std::string const& argument, progress& status,
                   finite_rule rule = finite_rule::finite);

/// The same with what the file calls the vertices; `options` but for the progress, which `status` shows.
template <class T>
numbered_matrix<T> load_numbered(host_executor const& host, std::string const& argument, progress& status,
                                 matrix_read_options options = {}, finite_rule rule = finite_rule::finite);

/// The vector in a file, in host memory; its length must be `length`, else dimension_error with both numbers.
template <class T>
buffer<T> load_vector(host_executor const& host, std::string const& path, std::int64_t length,
                      std::string const& option, progress& status, finite_rule rule = finite_rule::finite);

/// The vectors in a file, columns of `length` elements one after the other, in host memory; errors as load_vector().
template <class T>
struct loaded_vectors {
    buffer<T> values{};
    std::int64_t columns = 1;
};
template <class T>
loaded_vectors<T> load_vectors(host_executor const& host, std::string const& path, std::int64_t length,
                               std::string const& option, progress& status, finite_rule rule = finite_rule::finite);

/// Whether the vector in a file is complex; one from a pipe, which can be read once, is taken for real.
bool is_complex_vector(std::string const& path);

/// Throws input_error for a matrix without rows or columns.
void require_not_empty(std::string const& matrix, std::int64_t rows, std::int64_t columns);
/// Throws dimension_error for a matrix that is not square, input_error for an empty one.
void require_square(std::string const& command, std::string const& matrix, std::int64_t rows, std::int64_t columns);

/// A solution known in advance: "sine" (x_i = sin(16 pi i / n), i = 0..n-1; thesis, section 4.6) or "ones".
/// Throws usage_error for another name.
void check_solution_name(std::string const& name);
template <class T>
buffer<T> make_solution(host_executor const& host, std::string const& name, std::int64_t n);

} // namespace coppice::app
