// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions for the source of each executor that instantiates products by name.
#pragma once

#include <variant>

#include <coppice/semiring/spgemm/named_product.hpp>

namespace coppice::inline v0_1 {

template <executor Executor, class T>
csr<T> mxm(Executor const& exec, product_plan<>&& plan, std::string_view name, csr_view<T> a, csr_view<T> b) {
    return std::visit([&](auto const& s) { return mxm(exec, std::move(plan), s, a, b); }, semiring_by_name<T>(name));
}
template <executor Executor, class T>
csr<T> mxm(Executor const& exec, std::string_view name, csr_view<T> a, csr_view<T> b) {
    return std::visit([&](auto const& s) { return mxm(exec, s, a, b); }, semiring_by_name<T>(name));
}

#define COPPICE_NAMED_PRODUCTS(EXECUTOR, T)                                                                            \
    template csr<T> mxm(EXECUTOR const&, product_plan<>&&, std::string_view, csr_view<T>, csr_view<T>);                \
    template csr<T> mxm(EXECUTOR const&, std::string_view, csr_view<T>, csr_view<T>)

} // namespace coppice::inline v0_1
