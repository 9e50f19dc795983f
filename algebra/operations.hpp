// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operations on whole matrices on every executor. Views are in the memory of that executor.
///
///   - algebra/transform.hpp: transpose, sort_columns, permute, invert_permutation, extract_diagonal,
///     extract_tridiagonal
///   - algebra/symmetry.hpp: has_sorted_columns, symmetry_of, is_symmetric, symmetrised_weights
///   - algebra/statistics.hpp: bandwidths, degrees, coverages, describe
///
/// Include this header instead of the individual ones: it declares the instantiations of the library (float and double
/// with 32-bit indices, host and CUDA), so that code compiled without nvcc can call the CUDA versions.
#pragma once

#include <coppice/algebra/statistics.hpp>
#include <coppice/algebra/symmetry.hpp>
#include <coppice/algebra/transform.hpp>

// One list for the declarations here and the definitions in operations.cpp and operations.cu.
#define COPPICE_OPERATIONS_OF(PREFIX, EXECUTOR, T)                                                                     \
    PREFIX template csr<T> transpose(EXECUTOR const&, csr_view<T>);                                                    \
    PREFIX template csr<T> sort_columns(EXECUTOR const&, csr_view<T>);                                                 \
    PREFIX template csr<T> permute(EXECUTOR const&, csr_view<T>, array_view<std::int32_t const>);                      \
    PREFIX template buffer<T> extract_diagonal(EXECUTOR const&, csr_view<T>);                                          \
    PREFIX template tridiagonal<T> extract_tridiagonal(EXECUTOR const&, csr_view<T>);                                  \
    PREFIX template bool has_sorted_columns(EXECUTOR const&, csr_view<T>);                                             \
    PREFIX template symmetry symmetry_of(EXECUTOR const&, csr_view<T>);                                                \
    PREFIX template bool is_symmetric(EXECUTOR const&, csr_view<T>);                                                   \
    PREFIX template void detail::require_finite(EXECUTOR const&, csr_view<T>, std::int64_t);                           \
    PREFIX template csr<T> detail::united_weights(EXECUTOR const&, csr_view<T>);                                       \
    PREFIX template csr<T> symmetrised_weights(EXECUTOR const&, csr_view<T>);                                          \
    PREFIX template bandwidth bandwidths(EXECUTOR const&, csr_view<T>);                                                \
    PREFIX template degree_summary degrees(EXECUTOR const&, csr_view<T>);                                              \
    PREFIX template weight_summary coverages(EXECUTOR const&, csr_view<T>);                                            \
    PREFIX template matrix_info describe(EXECUTOR const&, csr_view<T>)
#define COPPICE_OPERATIONS(PREFIX, EXECUTOR)                                                                           \
    PREFIX template buffer<std::int32_t> invert_permutation(EXECUTOR const&, array_view<std::int32_t const>);          \
    COPPICE_OPERATIONS_OF(PREFIX, EXECUTOR, float);                                                                    \
    COPPICE_OPERATIONS_OF(PREFIX, EXECUTOR, double)

namespace coppice::inline v0_1 {

COPPICE_OPERATIONS(extern, host_executor);
#if defined(COPPICE_HAS_CUDA)
COPPICE_OPERATIONS(extern, cuda_executor);
#endif

} // namespace coppice::inline v0_1
