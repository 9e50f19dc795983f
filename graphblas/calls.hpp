// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Checks that the operations of operations.cpp and assign.cpp have in common.
#pragma once

#include "tables.hpp"

namespace coppice::graphblas {

constexpr bool is_vector(GrB_Vector) { return true; }
constexpr bool is_vector(GrB_Matrix) { return false; }

/// Checks what every operation with mask and accumulator has: output, mask, accumulator, descriptor.
template <class Output, class Mask>
settings checked(Output c, Mask mask, GrB_BinaryOp accum, GrB_Descriptor d) {
    require_alive(c, "output");
    require_alive_or_null(mask, "mask");
    require_alive_or_null(accum, "accumulator");
    return settings(d);
}

inline index rows_of(table const& t, bool transposed) { return transposed ? t.columns : t.rows; }
inline index columns_of(table const& t, bool transposed) { return transposed ? t.rows : t.columns; }

/// A list of indices of the caller. The indices are checked after sizes and types, as in SuiteSparse:GraphBLAS.
class caller_list {
public:
    caller_list(GrB_Index const* indices, GrB_Index count, index bound, char const* what) : bound_(bound), what_(what) {
        require_pointer(indices, what);
        view_ = {indices == GrB_ALL ? nullptr : reinterpret_cast<index const*>(indices),
                 indices == GrB_ALL ? bound : index(count)};
    }
    index count() const { return view_.count; }
    bool is_all() const { return !view_.indices; }
    /// Throws unless all indices are in range.
    index_list checked() const {
        for (index k = 0; view_.indices && k < view_.count; ++k)
            if (view_.indices[k] < 0 || view_.indices[k] >= bound_)
                throw failure{GrB_INDEX_OUT_OF_BOUNDS, std::string(what_) + " [" + std::to_string(k) + "] is " +
                                                           std::to_string(GrB_Index(view_.indices[k])) +
                                                           ", expected less than " + std::to_string(bound_)};
        return view_;
    }

private:
    index_list view_;
    index bound_;
    char const* what_;
};

} // namespace coppice::graphblas
