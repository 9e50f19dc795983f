// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The entries that a matrix file stores, which is the result of every reader, and their conversion to compressed rows.
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

namespace coppice::inline v0_1::detail {

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

/// Matrix as stored in a file. Symmetric kinds store one triangle.
template <class T, class I>
struct matrix_entries {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    matrix_market_symmetry symmetry = matrix_market_symmetry::general;
    buffer<triplet<T, I>> entries{};
    std::vector<std::string> names{}; ///< names of the vertices; empty if the file numbers them from `base`
    std::int64_t base = 1;            ///< number of the first row in the file
};

/// Throws format_error for this line if the file is complex and T is real.
template <class T>
void require_value_type(std::string const& file, std::int64_t line, bool complex_values) {
    if (!is_complex<T> && complex_values)
        throw format_error(file, line, "the file holds complex values, expected real ones");
}

/// Throws format_error for this line if the sizes do not fit the index type.
template <class I>
void require_index_type(std::string const& file, std::int64_t line, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t const size : {rows, columns})
        if (size >= std::numeric_limits<I>::max()) // one less, since there is one more offset than rows
            throw format_error(file, line,
                               "a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
                                   " is too large for a " + std::to_string(8 * sizeof(I)) + "-bit index");
}

/// Throws format_error if the offsets of `rows` rows need much more memory than the text of the file (see read_limits):
/// a line of a few bytes may contain the vertex 2000000000. The message ends with `remedy`.
void require_proportionate_rows(std::string const& file, std::int64_t rows, std::size_t bytes_of_index,
                                std::int64_t bytes_of_text, read_limits const& limits, std::string const& remedy = {});

/// Calls work() and converts exceptions of the standard library for failed allocations to memory_error.
template <class Work>
auto with_memory_errors(std::string const& file, Work const& work) {
    try {
        return work();
    } catch (std::bad_alloc const&) {
        throw memory_error(file + ": not enough memory for a file of this size");
    } catch (std::length_error const&) { // size exceeds the maximum of a container
        throw memory_error(file + ": not enough memory for a file of this size");
    }
}

/// Returns the entry (j, i) of a matrix of this kind for the value at (i, j).
template <class T>
T mirrored(T const& value, matrix_market_symmetry symmetry) {
    if (symmetry == matrix_market_symmetry::skew_symmetric) return -value;
    if constexpr (is_complex<T>)
        if (symmetry == matrix_market_symmetry::hermitian) return std::conj(value);
    return value;
}

/// Returns the full matrix in CSR with sorted columns; takes over the entries of `m`. Both triangles of symmetric kinds
/// are stored. Duplicates are combined by `rule` in file order.
///
/// Throws overflow_error, with the name of the file, if the entries exceed the range of I; format_error for duplicates
/// if the rule is `refuse`; argument_error if it is `min` or `max` and T is complex. Instantiated for the types of the
/// readers.
template <class T, class I>
csr<T, I> to_rows(host_executor const& exec, std::string const& file, matrix_entries<T, I>&& m,
                  duplicates rule = duplicates::sum);

// There is one reader for each format; the source file that defines it has the name of the format. The readers are
// instantiated for float, double and complex of both, with 32- and 64-bit I. `file` is the file name for messages. A
// reader throws format_error, which contains the line number.

template <class T, class I>
matrix_entries<T, I> parse_matrix_market(host_executor const& exec, std::string const& file, std::string_view text,
                                         matrix_read_options const& options);
template <class T, class I>
matrix_entries<T, I> parse_harwell_boeing(host_executor const& exec, std::string const& file, std::string_view text,
                                          matrix_read_options const& options);
/// `sized`: the first line contains rows, columns and entries (SMAT).
template <class T, class I>
matrix_entries<T, I> parse_edge_list(host_executor const& exec, std::string const& file, std::string_view text,
                                     matrix_read_options const& options, bool sized);
template <class T, class I>
matrix_entries<T, I> parse_metis(host_executor const& exec, std::string const& file, std::string_view text,
                                 matrix_read_options const& options);
/// `weighted`: .wsg, else .sg.
template <class T, class I>
matrix_entries<T, I> parse_gap(host_executor const& exec, std::string const& file, std::string_view bytes,
                               bool weighted);
template <class T, class I>
matrix_entries<T, I> parse_node_link(host_executor const& exec, std::string const& file, std::string_view text,
                                     matrix_read_options const& options);
template <class T, class I>
matrix_entries<T, I> parse_scipy(host_executor const& exec, std::string const& file, std::string_view bytes,
                                 matrix_read_options const& options);
/// Whether the values of an archive of scipy.sparse.save_npz are complex. Throws format_error.
bool is_complex_scipy(std::string const& file, std::string_view bytes, read_limits const& limits);

} // namespace coppice::inline v0_1::detail

#define COPPICE_PARSER_OF(T, DEFINE)                                                                                   \
    DEFINE(T, std::int32_t);                                                                                           \
    DEFINE(T, std::int64_t)
/// Instantiates a reader for all supported types.
#define COPPICE_PARSER(DEFINE)                                                                                         \
    COPPICE_PARSER_OF(float, DEFINE);                                                                                  \
    COPPICE_PARSER_OF(double, DEFINE);                                                                                 \
    COPPICE_PARSER_OF(std::complex<float>, DEFINE);                                                                    \
    COPPICE_PARSER_OF(std::complex<double>, DEFINE)
