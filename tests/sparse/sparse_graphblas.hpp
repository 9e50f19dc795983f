// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SuiteSparse:GraphBLAS as the oracle of sparse operations.
#pragma once

#include "semiring/graphblas_session.hpp"
#include "sparse/sparse_problem.hpp"

namespace coppice::test {

template <class T>
grb_matrix to_grb(plain_matrix<T> const& a) {
    return to_grb<T>(view_of(a.on(host_executor(1))));
}

template <class T>
plain_matrix<T> from_grb_matrix(GrB_Matrix a) {
    GrB_Index rows = 0, columns = 0;
    grb(GrB_Matrix_nrows(&rows, a));
    grb(GrB_Matrix_ncols(&columns, a));
    plain_matrix<T> to{static_cast<std::int32_t>(rows), static_cast<std::int32_t>(columns)};
    for (GrB_Index i = 0; i < rows; ++i) {
        for (GrB_Index j = 0; j < columns; ++j) {
            T value{};
            if (grb_type<T>::get(&value, a, i, j) != GrB_SUCCESS) continue;
            to.indices.push_back(static_cast<std::int32_t>(j));
            to.values.push_back(value);
        }
        to.offsets.push_back(static_cast<std::int32_t>(to.indices.size()));
    }
    return to;
}

} // namespace coppice::test
