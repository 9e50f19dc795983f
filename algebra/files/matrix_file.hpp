// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices in files of several formats. The contract is told in include/coppice/matrix_file.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/files/file.hpp>

namespace coppice {

enum class matrix_format { matrix_market, harwell_boeing, edge_list, smat, metis, gap, gap_weighted, node_link };

/// "Matrix Market", "Harwell-Boeing", ...
char const* name_of(matrix_format format);

/// A file whose text is in memory and whose format is known, not yet parsed.
class matrix_file {
public:
    /// Reads (inflates, unpacks) the file and looks at its beginning. Throws io_error; format_error where the format is
    /// not known, or the archive or the header of the file is faulty.
    explicit matrix_file(std::filesystem::path const& path, file_progress progress = {});

    matrix_format format() const { return format_; }
    /// Whether a complex type must be read.
    bool is_complex() const { return is_complex_; }
    /// What messages call it: the path, in an archive with the name of the member behind a colon.
    std::string const& name() const { return name_; }

    /// The matrix; the text is gone afterwards. Instantiated for the types of read_matrix_market(); errors as there.
    template <class T, class I = std::int32_t>
    csr<T, I> read(host_executor const& exec) &&;

private:
    std::string name_;
    file_text text_;
    matrix_format format_ = matrix_format::matrix_market;
    bool is_complex_ = false;
    file_progress progress_;
};

/// The matrix in a file of any format that is known; `progress` is told of long work.
template <class T, class I = std::int32_t>
csr<T, I> read_matrix(host_executor const& exec, std::filesystem::path const& path, file_progress progress = {}) {
    return matrix_file(path, std::move(progress)).read<T, I>(exec);
}

} // namespace coppice
