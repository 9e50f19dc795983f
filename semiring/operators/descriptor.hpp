// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What modifies a GraphBLAS operation: descriptor, absent mask, absent accumulator.
#pragma once

namespace coppice {

/// How arguments of an operation are read and its output is written; all fields as in GraphBLAS (GrB_Descriptor).
struct descriptor {
    bool replace = false;    ///< GrB_OUTP = GrB_REPLACE: entries of w that the mask leaves out are deleted
    bool structure = false;  ///< GrB_MASK = GrB_STRUCTURE: an entry of the mask counts whatever its value
    bool complement = false; ///< GrB_MASK = GrB_COMP: the mask admits what it would leave out
    bool transpose0 = false; ///< GrB_INP0 = GrB_TRAN: the first input is transposed (the matrix of mxv)
    bool transpose1 = false; ///< GrB_INP1 = GrB_TRAN: the second input is transposed (the matrix of vxm)
};

/// In place of a mask: everything is written. Its complement admits nothing.
struct no_mask {};

/// In place of an accumulator: the output holds the result and nothing of what it held before.
struct no_accumulator {};

} // namespace coppice
