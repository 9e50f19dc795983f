// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The MATRIX argument (a file or a generator), vectors, and the checks that input must pass before work begins.
#pragma once

#include <cstdint>
#include <string>

#include "apps/app.hpp"
#include <coppice/algebra/csr.hpp>

namespace coppice::app {

/// Which values a command can work on.
enum class finite_rule {
    finite,          ///< neither NaN nor infinity
    infinity_allowed ///< infinity is a value of the (min, +) family; NaN is not
};

/// Throws usage_error where `argument` is empty or names no generator that exists; looks at no file.
void check_matrix_argument(std::string const& argument, std::string const& command);

/// The matrix that `argument` names, in host memory, its columns sorted. Throws usage_error for a bad generator,
/// io_error or format_error for a bad file, input_error for a value that `rule` or the precision refuses.
template <class T>
csr<T> load_matrix(host_executor const& host, std::string const& argument, finite_rule rule = finite_rule::finite);

/// The vector in a file, in host memory; its length must be `length`, else dimension_error with both numbers.
template <class T>
buffer<T> load_vector(host_executor const& host, std::string const& path, std::int64_t length,
                      std::string const& option, finite_rule rule = finite_rule::finite);

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
