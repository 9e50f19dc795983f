// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices in files of several formats. See include/coppice/matrix_file.hpp for the contract.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/files/read_options.hpp>

namespace coppice::inline v0_1 {

enum class matrix_format { matrix_market, harwell_boeing, edge_list, smat, metis, gap, gap_weighted, node_link, scipy };

/// Returns the name of a format: "Matrix Market", "Harwell-Boeing", ...
char const* name_of(matrix_format format);

/// Numbers or names of the rows of a matrix, or the vertices of a graph, in its file.
struct vertex_numbering {
    std::int64_t base = 1;            ///< number of the first row in the file, if there are no names
    std::vector<std::string> names{}; ///< one name for each row; empty: the rows are base, base + 1, ...

    /// Returns the name of `row`, or "none" for -1 (no vertex). Throws argument_error if there is no such row.
    std::string name(std::int64_t row) const;
    /// Returns the row with this name among `rows` rows; -1 if there is none.
    std::int64_t find(std::string_view name, std::int64_t rows) const;
};

/// A matrix with the numbering of its file.
template <class T, class I = std::int32_t>
struct numbered_matrix {
    csr<T, I> matrix{};
    vertex_numbering vertices{};
};

/// File whose text is in memory and whose format is known; not yet parsed.
class matrix_file {
public:
    /// Reads (decompresses, unpacks) the file and determines its format. Throws io_error; format_error if the format is
    /// unknown, if the archive or the header of the file is invalid, if columns are named for a format without header
    /// line, or if a limit is exceeded; argument_error for other than two or three columns, and for equal ones;
    /// memory_error.
    explicit matrix_file(std::filesystem::path const& path, matrix_read_options options = {});

    matrix_format format() const { return format_; }
    /// Whether the values are complex, so that a complex type is required.
    bool is_complex() const { return is_complex_; }
    /// Returns the name for messages: the path; for an archive, followed by a colon and the name of the member.
    std::string const& name() const { return name_; }

    /// Parses the matrix and releases the text. Instantiated for the types of read_matrix_market(). Throws as that
    /// function, and argument_error for min or max of complex duplicates.
    template <class T, class I = std::int32_t>
    csr<T, I> read(host_executor const& exec) && {
        return std::move(*this).template read_numbered<T, I>(exec).matrix;
    }
    /// Parses the matrix as read() and also returns the names of the vertices.
    template <class T, class I = std::int32_t>
    numbered_matrix<T, I> read_numbered(host_executor const& exec) &&;

private:
    void open(std::filesystem::path const& path);
    void require_columns_are_possible() const;

    std::string name_;
    file_text text_;
    matrix_format format_ = matrix_format::matrix_market;
    bool is_complex_ = false;
    matrix_read_options options_;
};

/// Reads the matrix in a file of any supported format.
template <class T, class I = std::int32_t>
csr<T, I> read_matrix(host_executor const& exec, std::filesystem::path const& path, matrix_read_options options = {}) {
    return matrix_file(path, std::move(options)).read<T, I>(exec);
}

} // namespace coppice::inline v0_1
