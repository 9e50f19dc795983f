// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One pass over a CSR matrix that finds what breaks the rules of its storage.
#pragma once

#include <coppice/algebra/csr.hpp>

namespace coppice {

/// What validate() asks for beyond offsets and column range.
struct validation_options {
    bool sorted = false;    ///< columns of a row must not fall
    bool duplicates = true; ///< a row may hold a column more than once
    bool finite = false;    ///< values must be neither NaN nor infinite
};

/// Throws matrix_error unless offsets begin at 0, do not fall and end at nnz, and every column lies in [0, columns),
/// and what `options` ask for holds. The message names the smallest row that offends, the place in it and the value,
/// whatever the number of threads. Offsets are checked before anything is read through them, so a view whose three
/// arrays have the lengths it states is never read out of bounds. Instantiated for float and double with 32-bit
/// indices.
template <class T, class I, class O>
void validate(host_executor const& exec, csr_view<T, I, O> a, validation_options const& options = {});

#if defined(COPPICE_HAS_CUDA)
/// The same for three arrays on the device. Only where a pass there finds an offence, or where `options` ask for more
/// than offsets and column range, is the matrix copied to the host, which then says what is wrong.
template <class T, class I, class O>
void validate(cuda_executor const& exec, csr_view<T, I, O> a, validation_options const& options = {});
#endif

} // namespace coppice
