// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrix Market files: reading and writing. See include/coppice/matrix_market.hpp for the contract.
#pragma once

#include <complex>
#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/files/file.hpp>

namespace coppice::inline v0_1 {

enum class matrix_market_format { coordinate, array };
enum class matrix_market_field { real, integer, complex, pattern };
enum class matrix_market_symmetry { general, symmetric, skew_symmetric, hermitian };

/// Banner and size line of a file.
struct matrix_market_header {
    matrix_market_format format = matrix_market_format::coordinate;
    matrix_market_field field = matrix_market_field::real;
    matrix_market_symmetry symmetry = matrix_market_symmetry::general;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    /// Number of stored entries: from the size line (coordinate), or from size and symmetry (array).
    std::int64_t stored = 0;
};

char const* name_of(matrix_market_format format);
char const* name_of(matrix_market_field field);
char const* name_of(matrix_market_symmetry symmetry);

/// Reads banner and size line only; a long file is neither read nor decompressed completely. Throws as
/// read_matrix_market().
matrix_market_header read_matrix_market_header(std::filesystem::path const& path);

/// Reads the matrix in a file, plain or gzip, into sorted compressed rows in host memory.
///
/// The result contains both triangles of a symmetric, skew-symmetric or hermitian matrix. Duplicates are summed in file
/// order; stored zeros are kept; the values of a pattern are 1. NaN and infinite values are accepted; use validate() to
/// reject them. Instantiated for float, double and complex of both, with 32- and 64-bit I. The result is the same for
/// any number of threads. Throws io_error (the file cannot be opened or read), format_error with the line,
/// overflow_error if the nonzeros of the full matrix do not fit an I.
template <class T, class I = std::int32_t>
csr<T, I> read_matrix_market(host_executor const& exec, std::filesystem::path const& path);

struct vector_read_options {
    std::int64_t length = -1; ///< required length, otherwise dimension_error before memory is allocated; -1: any
    file_progress progress{};
    read_limits limits{};
};

/// Reads the vector in a file: an n x 1 or 1 x n Matrix Market file, array or coordinate (missing entries are 0,
/// duplicates are summed); a NumPy array (.npy); or plain text with one number per line or a single line of numbers.
/// Instantiated for the same value types. Throws as read_matrix_market(), and format_error for any other shape and for
/// integers that double does not represent exactly.
template <class T>
std::vector<T> read_vector(host_executor const& exec, std::filesystem::path const& path,
                           vector_read_options const& options = {});

/// Dense matrix, column-major.
template <class T>
struct dense_columns {
    std::int64_t rows = 0, columns = 0;
    std::vector<T> values{}; ///< [rows * columns]
};

/// Whether a vector file is complex according to its header; plain text is real. Throws as read_vector().
bool is_complex_vector(std::filesystem::path const& path);

/// Reads the columns of a file: a Matrix Market array, plain text (columns separated by blanks, commas or semicolons),
/// a NumPy array of two dimensions, or a single vector as read_vector() accepts it. `options.length` is the required
/// length of each column. Instantiated for the same value types. Throws as read_matrix_market().
template <class T>
dense_columns<T> read_vectors(host_executor const& exec, std::filesystem::path const& path,
                              vector_read_options const& options = {});

struct matrix_market_write_options {
    /// Which entries are written. general: every nonzero. Otherwise the lower triangle only (for skew_symmetric the
    /// strictly lower one); the matrix must have this symmetry exactly (-0 equals 0), else argument_error.
    matrix_market_symmetry symmetry = matrix_market_symmetry::general;
    /// Comment lines after the banner, without their '%'; may contain several lines.
    std::string comment{};
    file_progress progress{};
};

/// Writes a matrix in host memory as `coordinate`, `real` or `complex`: rows in order, nonzeros in storage order, each
/// value with the fewest digits that convert back to the same bits, or nan. A file whose name ends in .gz is
/// compressed.
///
/// The file appears under its name only when it is complete. If writing fails, an existing file is unchanged. The name
/// "-" is standard output, which may receive part of the output before a failure. Throws io_error with the path and the
/// reason. The output does not depend on the number of threads.
template <class T, class I>
void write_matrix_market(host_executor const& exec, std::filesystem::path const& path, csr_view<T, I> a,
                         matrix_market_write_options const& options = {});

/// Writes x as an n x 1 `array`; otherwise as write_matrix_market(). If the name ends in .npy: as an array of NumPy of
/// one dimension, without comment.
template <class T>
void write_vector(host_executor const& exec, std::filesystem::path const& path, array_view<T const> x,
                  std::string const& comment = {}, file_progress const& progress = {});
/// Writes x[n * columns], column-major, as an n x columns `array`, or to .npy, of two dimensions unless `columns` is 1.
template <class T>
void write_vectors(host_executor const& exec, std::filesystem::path const& path, array_view<T const> x,
                   std::int64_t columns, std::string const& comment = {}, file_progress const& progress = {});

// Overloads that use one thread, and overloads for owners.

template <class T, class I>
void write_matrix_market(std::filesystem::path const& path, csr_view<T, I> a,
                         matrix_market_write_options const& options = {}) {
    write_matrix_market(host_executor{1}, path, a, options);
}
template <class T, class I>
void write_matrix_market(std::filesystem::path const& path, csr<T, I> const& a,
                         matrix_market_write_options const& options = {}) {
    write_matrix_market(host_executor{1}, path, a.view(), options);
}
template <class T, class I>
void write_matrix_market(host_executor const& exec, std::filesystem::path const& path, csr<T, I> const& a,
                         matrix_market_write_options const& options = {}) {
    write_matrix_market(exec, path, a.view(), options);
}
template <class T>
void write_vector(std::filesystem::path const& path, array_view<T> x, std::string const& comment = {}) {
    write_vector<std::remove_const_t<T>>(host_executor{1}, path, x, comment);
}
template <class T>
void write_vector(std::filesystem::path const& path, std::vector<T> const& x, std::string const& comment = {}) {
    array_view<T const> const view{x.data(), static_cast<std::int64_t>(x.size())};
    write_vector<T>(host_executor{1}, path, view, comment);
}
template <class T>
void write_vector(std::filesystem::path const& path, buffer<T> const& x, std::string const& comment = {}) {
    write_vector<T>(host_executor{1}, path, x.view(), comment);
}

} // namespace coppice::inline v0_1
