// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices in files of several formats. The contract is told in include/coppice/matrix_file.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/files/read_options.hpp>

namespace coppice {

enum class matrix_format { matrix_market, harwell_boeing, edge_list, smat, metis, gap, gap_weighted, node_link };

/// "Matrix Market", "Harwell-Boeing", ...
char const* name_of(matrix_format format);

/// What a file calls the rows of its matrix, or the vertices of its graph.
struct vertex_numbering {
    std::int64_t base = 1;            ///< number of the first row, if there are no names
    std::vector<std::string> names{}; ///< one for each row, or none: the names are base, base + 1, ...

    /// Throws argument_error unless `row` is -1 (no vertex) or has a name. -1 is called "none".
    std::string name(std::int64_t row) const;
    /// The row with this name among `rows`; -1 if there is none.
    std::int64_t find(std::string_view name, std::int64_t rows) const;
};

/// A matrix and what its file calls its rows.
template <class T, class I = std::int32_t>
struct numbered_matrix {
    csr<T, I> matrix{};
    vertex_numbering vertices{};
};

/// A file whose text is in memory and whose format is known, not yet parsed.
class matrix_file {
public:
    /// Reads (inflates, unpacks) the file and inspects its beginning. Throws io_error; format_error if the format is
    /// not known, if the archive or the header of the file is faulty, or if a limit is exceeded; memory_error.
    explicit matrix_file(std::filesystem::path const& path, matrix_read_options options = {});

    matrix_format format() const { return format_; }
    /// Whether a complex type must be read.
    bool is_complex() const { return is_complex_; }
    /// What messages call it: the path, in an archive with the name of the member behind a colon.
    std::string const& name() const { return name_; }

    /// The matrix; the text is released. Instantiated for the types of read_matrix_market(); errors as there, and
    /// argument_error for min or max of complex duplicates.
    template <class T, class I = std::int32_t>
    csr<T, I> read(host_executor const& exec) && {
        return std::move(*this).template read_numbered<T, I>(exec).matrix;
    }
    /// The same, with the names of the vertices.
    template <class T, class I = std::int32_t>
    numbered_matrix<T, I> read_numbered(host_executor const& exec) &&;

private:
    void open(std::filesystem::path const& path);

    std::string name_;
    file_text text_;
    matrix_format format_ = matrix_format::matrix_market;
    bool is_complex_ = false;
    matrix_read_options options_;
};

/// The matrix in a file of any format that is known.
template <class T, class I = std::int32_t>
csr<T, I> read_matrix(host_executor const& exec, std::filesystem::path const& path, matrix_read_options options = {}) {
    return matrix_file(path, std::move(options)).read<T, I>(exec);
}

} // namespace coppice
