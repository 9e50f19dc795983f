// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What every reader of matrix files hands over: the entries that stand in the file, and how they become rows.
#pragma once

#include <complex>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/files/read_options.hpp>
#include <coppice/algebra/rows/compress.hpp>
#include <coppice/core/files/file.hpp>

namespace coppice::detail {

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<std::complex<R>> = true;

template <class T>
struct real_type {
    using type = T;
};
template <class R>
struct real_type<std::complex<R>> {
    using type = R;
};

/// A matrix as it stands in a file; kinds of symmetry store one triangle.
template <class T, class I>
struct matrix_entries {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    matrix_market_symmetry symmetry = matrix_market_symmetry::general;
    buffer<triplet<T, I>> entries{};
    std::vector<std::string> names{}; ///< of the vertices, if the file does not number them from `base` on
    std::int64_t base = 1;            ///< number of the first row in the file
};

/// Throws format_error, for this line, where complex values meet a real type.
template <class T>
void require_value_type(std::string const& file, std::int64_t line, bool complex_values) {
    if (!is_complex<T> && complex_values)
        throw format_error(file, line, "the file holds complex values; read it into a complex type");
}

/// Throws format_error, for this line, for sizes that do not fit the index type.
template <class I>
void require_index_type(std::string const& file, std::int64_t line, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t const size : {rows, columns})
        if (size >= std::numeric_limits<I>::max()) // one to spare: there is one more offset than rows
            throw format_error(file, line,
                               "a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
                                   " is too large for a " + std::to_string(8 * sizeof(I)) + "-bit index");
}

/// Throws format_error if the offsets of so many rows take much more memory than the text of the file, see read_limits:
/// a line of a few bytes can name the vertex 2000000000. `remedy` ends the message.
void require_rows_in_proportion(std::string const& file, std::int64_t rows, std::size_t bytes_of_index,
                                std::int64_t bytes_of_text, read_limits const& limits, std::string const& remedy = {});

/// Calls work() and turns the exceptions of the standard library for a failed allocation into memory_error.
template <class Work>
auto with_memory_errors(std::string const& file, Work const& work) {
    try {
        return work();
    } catch (std::bad_alloc const&) {
        throw memory_error(file + ": not enough memory for a file of this size");
    } catch (std::length_error const&) { // sizes beyond what a container counts
        throw memory_error(file + ": not enough memory for a file of this size");
    }
}

/// What stands at (j, i) of a matrix of this kind when `value` stands at (i, j).
template <class T>
T mirrored(T const& value, matrix_market_symmetry symmetry) {
    if (symmetry == matrix_market_symmetry::skew_symmetric) return -value;
    if constexpr (is_complex<T>)
        if (symmetry == matrix_market_symmetry::hermitian) return std::conj(value);
    return value;
}

/// Sorted rows of the full matrix, duplicates combined in file order. Throws overflow_error that names the file;
/// format_error for duplicates if they are to be refused; argument_error for min and max of complex values.
/// Instantiated for the types that files are read into.
template <class T, class I>
csr<T, I> to_rows(host_executor const& exec, std::string const& file, matrix_entries<T, I>&& m,
                  duplicates rule = duplicates::sum);

// One reader a format, each defined in the file of its name and instantiated for float, double and complex of both,
// with 32- and 64-bit I. `file` is what messages call the text. Throw format_error with the line.

template <class T, class I>
matrix_entries<T, I> parse_matrix_market(host_executor const& exec, std::string const& file, std::string_view text,
                                         file_progress const& tell);
template <class T, class I>
matrix_entries<T, I> parse_harwell_boeing(host_executor const& exec, std::string const& file, std::string_view text,
                                          file_progress const& tell);
/// `sized`: the first line gives rows, columns and entries (SMAT).
template <class T, class I>
matrix_entries<T, I> parse_edge_list(host_executor const& exec, std::string const& file, std::string_view text,
                                     matrix_read_options const& options, bool sized);
template <class T, class I>
matrix_entries<T, I> parse_metis(host_executor const& exec, std::string const& file, std::string_view text,
                                 file_progress const& tell);
/// `weighted`: .wsg, else .sg.
template <class T, class I>
matrix_entries<T, I> parse_gap(host_executor const& exec, std::string const& file, std::string_view bytes,
                               bool weighted);
template <class T, class I>
matrix_entries<T, I> parse_node_link(host_executor const& exec, std::string const& file, std::string_view text);

} // namespace coppice::detail

#define COPPICE_PARSER_OF(T, DEFINE)                                                                                   \
    DEFINE(T, std::int32_t);                                                                                           \
    DEFINE(T, std::int64_t)
/// Instantiates a reader for all types that files are read into.
#define COPPICE_PARSER(DEFINE)                                                                                         \
    COPPICE_PARSER_OF(float, DEFINE);                                                                                  \
    COPPICE_PARSER_OF(double, DEFINE);                                                                                 \
    COPPICE_PARSER_OF(std::complex<float>, DEFINE);                                                                    \
    COPPICE_PARSER_OF(std::complex<double>, DEFINE)
