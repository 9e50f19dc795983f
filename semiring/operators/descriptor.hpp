// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Modifiers of a GraphBLAS operation: descriptor, absent mask, absent accumulator.
#pragma once

namespace coppice::inline v0_1 {

/// Specifies how an operation reads its arguments and writes its output; the fields are those of GrB_Descriptor.
struct descriptor {
    bool replace = false;    ///< GrB_OUTP = GrB_REPLACE: deletes the entries of w that are outside the mask
    bool structure = false;  ///< GrB_MASK = GrB_STRUCTURE: every entry of the mask counts, regardless of its value
    bool complement = false; ///< GrB_MASK = GrB_COMP: complements the mask
    bool transpose0 = false; ///< GrB_INP0 = GrB_TRAN: the first input is transposed (the matrix of mxv)
    bool transpose1 = false; ///< GrB_INP1 = GrB_TRAN: the second input is transposed (the matrix of vxm)
};

/// Replaces a mask: everything is written. Its complement admits nothing.
struct no_mask {};

/// Replaces an accumulator: the output is the result; the old values are discarded.
struct no_accumulator {};

} // namespace coppice::inline v0_1
