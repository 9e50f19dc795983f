// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Functions of the C interface that all types share: typed_functions.inc calls them.
#pragma once

#include "objects.hpp"

namespace coppice::graphblas {

inline argument typed_argument(GrB_Type type, void const* data) {
    return {argument::typed, type, const_cast<void*>(data), nullptr};
}
inline argument user_argument(void const* data) { return {argument::user, nullptr, const_cast<void*>(data), nullptr}; }
inline argument scalar_argument(GrB_Scalar s) { return {argument::scalar, nullptr, nullptr, s}; }

using index_array = GrB_Index const*;

GrB_Info Monoid_new(GrB_Monoid*, GrB_BinaryOp, argument identity);
GrB_Info Monoid_terminal_new(GrB_Monoid*, GrB_BinaryOp, argument identity, argument terminal);
GrB_Info Scalar_setElement(GrB_Scalar, argument x);
GrB_Info Scalar_extractElement(argument x, GrB_Scalar);
GrB_Info Vector_build(GrB_Vector, index_array, argument x, GrB_Index n, GrB_BinaryOp dup);
GrB_Info Vector_setElement(GrB_Vector, argument x, GrB_Index i);
GrB_Info Vector_extractElement(argument x, GrB_Vector, GrB_Index i);
GrB_Info Vector_extractTuples(GrB_Index* i, argument x, GrB_Index* n, GrB_Vector);
GrB_Info Matrix_build(GrB_Matrix, index_array, index_array, argument x, GrB_Index n, GrB_BinaryOp dup);
GrB_Info Matrix_setElement(GrB_Matrix, argument x, GrB_Index i, GrB_Index j);
GrB_Info Matrix_extractElement(argument x, GrB_Matrix, GrB_Index i, GrB_Index j);
GrB_Info Matrix_extractTuples(GrB_Index* i, GrB_Index* j, argument x, GrB_Index* n, GrB_Matrix);
GrB_Info Matrix_import(GrB_Matrix*, GrB_Type, GrB_Index rows, GrB_Index columns, index_array p, index_array i,
                       argument x, GrB_Index p_length, GrB_Index i_length, GrB_Index x_length, int format);
GrB_Info Matrix_export(GrB_Index* p, GrB_Index* i, argument x, GrB_Index* p_length, GrB_Index* i_length,
                       GrB_Index* x_length, int format, GrB_Matrix);
GrB_Info Vector_assign(GrB_Vector, GrB_Vector mask, GrB_BinaryOp, argument x, index_array, GrB_Index, GrB_Descriptor);
GrB_Info Matrix_assign(GrB_Matrix, GrB_Matrix mask, GrB_BinaryOp, argument x, index_array, GrB_Index, index_array,
                       GrB_Index, GrB_Descriptor);
GrB_Info Vector_subassign(GrB_Vector, GrB_Vector mask, GrB_BinaryOp, argument x, index_array, GrB_Index,
                          GrB_Descriptor);
GrB_Info Matrix_subassign(GrB_Matrix, GrB_Matrix mask, GrB_BinaryOp, argument x, index_array, GrB_Index, index_array,
                          GrB_Index, GrB_Descriptor);
GrB_Info Vector_apply_BinaryOp1st(GrB_Vector, GrB_Vector mask, GrB_BinaryOp, GrB_BinaryOp op, argument x, GrB_Vector,
                                  GrB_Descriptor);
GrB_Info Vector_apply_BinaryOp2nd(GrB_Vector, GrB_Vector mask, GrB_BinaryOp, GrB_BinaryOp op, GrB_Vector, argument y,
                                  GrB_Descriptor);
GrB_Info Vector_apply_IndexOp(GrB_Vector, GrB_Vector mask, GrB_BinaryOp, GrB_IndexUnaryOp op, GrB_Vector, argument y,
                              GrB_Descriptor);
GrB_Info Matrix_apply_BinaryOp1st(GrB_Matrix, GrB_Matrix mask, GrB_BinaryOp, GrB_BinaryOp op, argument x, GrB_Matrix,
                                  GrB_Descriptor);
GrB_Info Matrix_apply_BinaryOp2nd(GrB_Matrix, GrB_Matrix mask, GrB_BinaryOp, GrB_BinaryOp op, GrB_Matrix, argument y,
                                  GrB_Descriptor);
GrB_Info Matrix_apply_IndexOp(GrB_Matrix, GrB_Matrix mask, GrB_BinaryOp, GrB_IndexUnaryOp op, GrB_Matrix, argument y,
                              GrB_Descriptor);
GrB_Info Vector_select(GrB_Vector, GrB_Vector mask, GrB_BinaryOp, GrB_IndexUnaryOp op, GrB_Vector, argument y,
                       GrB_Descriptor);
GrB_Info Matrix_select(GrB_Matrix, GrB_Matrix mask, GrB_BinaryOp, GrB_IndexUnaryOp op, GrB_Matrix, argument y,
                       GrB_Descriptor);
GrB_Info Vector_reduce(argument c, GrB_BinaryOp, GrB_Monoid, GrB_Vector, GrB_Descriptor);
GrB_Info Matrix_reduce(argument c, GrB_BinaryOp, GrB_Monoid, GrB_Matrix, GrB_Descriptor);

} // namespace coppice::graphblas
