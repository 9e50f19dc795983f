// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Modifiers of a GraphBLAS operation: descriptor, absent mask, absent accumulator.
#pragma once

#include <concepts>
#include <type_traits>

#include <coppice/core/config.hpp>
#include <coppice/core/error.hpp>

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

namespace detail {

/// Whether a mask of this type can be read by its values, which are compared with M(0). A user-defined type without
/// that comparison is a mask by its structure only; so is an aggregate, of which M(0) would set the first member.
template <class M>
concept has_mask_values = !std::is_aggregate_v<M> && requires(M const& value) {
    { value != M(0) } -> std::convertible_to<bool>;
};

/// Whether an entry of this value counts in a mask that is read by its values.
COPPICE_NO_EXEC_CHECK
template <class M>
COPPICE_HD constexpr bool is_nonzero(M const& value) {
    if constexpr (has_mask_values<M>)
        return value != M(0);
    else
        return true;
}

/// Returns the values of a mask; null if only the structure counts, also because the mask has no values. Throws
/// argument_error if the descriptor selects the values of a type without has_mask_values.
template <class M>
M const* values_of_mask(M const* values, descriptor const& d) {
    if (d.structure) return nullptr;
    if constexpr (!has_mask_values<M>)
        throw argument_error("the values of the mask cannot be compared with 0: set `structure` in the descriptor");
    return values;
}

} // namespace detail

} // namespace coppice::inline v0_1
