// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Products of sparse matrices (SpGEMM) over a semiring that is chosen by name.
#pragma once

#include <string_view>

#include <coppice/semiring/spgemm/product.hpp>

namespace coppice::inline v0_1 {

/// Returns A B over the semiring with that name (see semiring_names) by a plan, whose arrays become those of the
/// product. Throws argument_error for an unknown name. Results are as those of semiring_spmv: arg-max returns inner
/// indices.
template <executor Executor, class T>
csr<T> mxm(Executor const& exec, product_plan<>&& plan, std::string_view name, csr_view<T> a, csr_view<T> b);
/// Returns A B over the named semiring without a plan, as mxm(exec, semiring, a, b).
template <executor Executor, class T>
csr<T> mxm(Executor const& exec, std::string_view name, csr_view<T> a, csr_view<T> b);

#define COPPICE_PRODUCT_PLANS_OF(PREFIX, EXECUTOR, T)                                                                  \
    PREFIX template product_plan<> make_product_plan(EXECUTOR const&, csr_view<T>, csr_view<T>);                       \
    PREFIX template product_plan<> make_masked_product_plan(EXECUTOR const&, csr_view<T>, csr_view<T>, csr_view<T>,    \
                                                            descriptor const&)
#define COPPICE_PRODUCT_PLANS(PREFIX, EXECUTOR)                                                                        \
    COPPICE_PRODUCT_PLANS_OF(PREFIX, EXECUTOR, float);                                                                 \
    COPPICE_PRODUCT_PLANS_OF(PREFIX, EXECUTOR, double)

COPPICE_PRODUCT_PLANS(extern, host_executor);
#if defined(COPPICE_HAS_CUDA)
COPPICE_PRODUCT_PLANS(extern, cuda_executor);
#endif

} // namespace coppice::inline v0_1
