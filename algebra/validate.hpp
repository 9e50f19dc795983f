// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Validation of the storage of a CSR matrix.
#pragma once

#include <complex>
#include <cstdint>

#include <coppice/algebra/csr.hpp>

namespace coppice::inline v0_1 {

/// Optional checks in addition to offsets and column range.
struct validation_options {
    bool sorted = false;    ///< columns of a row must be sorted
    bool duplicates = true; ///< a row may contain a column more than once
    bool finite = false;    ///< values must be finite
};

/// Throws matrix_error unless offsets begin at 0, are non-decreasing and end at nnz, every column is in [0, columns),
/// and the checks of `options` succeed. The message names the smallest invalid row, the position in it and the value,
/// independent of the number of threads. Offsets are checked before they are used, so nothing is read out of bounds if
/// the three arrays have the stated lengths. Instantiated for float, double and std::complex of both, with indices and
/// offsets of 32 or 64 bits.
template <class T, class I, class O>
void validate(host_executor const& exec, csr_view<T, I, O> a, validation_options const& options = {});

#if defined(COPPICE_HAS_CUDA)
/// validate() for arrays on the device. If a check on the device fails, or if `options` request additional checks, the
/// matrix is copied to the host, which finds the error.
template <class T, class I, class O>
void validate(cuda_executor const& exec, csr_view<T, I, O> a, validation_options const& options = {});
#endif

#define COPPICE_VALIDATE(EXTERN, EXECUTOR, T)                                                                          \
    EXTERN template void validate(EXECUTOR const&, csr_view<T>, validation_options const&);                            \
    EXTERN template void validate(EXECUTOR const&, csr_view<T, std::int32_t, std::int64_t>,                            \
                                  validation_options const&);                                                          \
    EXTERN template void validate(EXECUTOR const&, csr_view<T, std::int64_t>, validation_options const&)
COPPICE_ACCEPT_OWNERS(validate)

} // namespace coppice::inline v0_1
