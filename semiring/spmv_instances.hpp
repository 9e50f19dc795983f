// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bodies that only the instantiating sources need.
#pragma once

#include <coppice/semiring/spmv.hpp>

namespace coppice {

template <executor Executor, class T>
void semiring_spmv(Executor const& exec, srcsr_plan<std::int32_t> const& plan, std::string_view name, csr_view<T> a,
                   std::type_identity_t<array_view<T const>> x, std::type_identity_t<array_view<T>> y) {
    std::visit([&](auto const& s) { semiring_spmv(exec, plan, s, a, x, y); }, semiring_by_name<T>(name));
}

} // namespace coppice
