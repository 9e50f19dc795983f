// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A CSR matrix whose three arrays are owned by Python, in host or device memory.
#pragma once

#include <coppice/algebra/csr.hpp>

#include "arrays.hpp"

namespace coppice::python {

struct csr_matrix {
    input_array offsets;
    input_array indices;
    input_array values;
    std::int32_t rows = 0;
    std::int32_t columns = 0;

    template <class T>
    csr_view<T> view() const {
        return {rows,
                columns,
                static_cast<std::int32_t>(indices.size()),
                static_cast<std::int32_t const*>(offsets.data()),
                static_cast<std::int32_t const*>(indices.data()),
                static_cast<T const*>(values.data())};
    }
};

/// Returns (offsets, indices, values, (rows, columns)) of a result.
template <class T>
nb::tuple to_arrays(csr<T> a) {
    auto const shape = nb::make_tuple(a.rows(), a.columns());
    auto arrays = std::move(a).release();
    return nb::make_tuple(to_python(std::move(arrays.offsets)), to_python(std::move(arrays.indices)),
                          to_python(std::move(arrays.values)), shape);
}

} // namespace coppice::python
