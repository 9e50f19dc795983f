// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices of the suite `spmv`: grids, blocks of unknowns, a power law, empty rows, dense rows.
#pragma once

#include <string>
#include <vector>

#include <coppice/algebra/csr.hpp>

namespace coppice::bench {

struct spmv_problem {
    std::string name;
    csr<float> matrix; ///< in host memory
};

/// Names in the order of measurement; `large` selects the sizes for a GPU instead of those for a host.
std::vector<std::string> spmv_problem_names(bool large, bool quick);
spmv_problem make_spmv_problem(std::string const& name, bool large, bool quick);

/// Bytes that y = A x must move at least: values, columns, offsets and x once, y written once (and read with beta).
template <class T>
double spmv_bytes(csr_view<T> a, bool reads_y) {
    double const rows = double(a.rows()), columns = double(a.columns()), nonzeros = double(a.nonzeros());
    return nonzeros * (sizeof(T) + 4) + (rows + 1) * 4 + columns * sizeof(T) + rows * sizeof(T) * (reads_y ? 2 : 1);
}

} // namespace coppice::bench
