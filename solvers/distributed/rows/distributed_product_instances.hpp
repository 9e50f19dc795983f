// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions for the source of each executor that instantiates distributed products by name.
#pragma once

#include <algorithm>
#include <utility>

#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/spgemm/named_product.hpp>
#include <coppice/solvers/distributed/rows/distributed_product.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// The global inner index of a local one; -1, which a mask admits without product, stays.
template <class T, class I>
struct make_inner_global {
    I const* inner;
    T* values;
    COPPICE_HD void operator()(std::int64_t k) const {
        if (values[k] >= T(0)) values[k] = T(inner[std::int64_t(values[k])]);
    }
};

} // namespace distributed

template <executor Executor, class T>
csr<T> mxm_distributed(Executor const& exec, rank_communicator const& comm, distributed_product_plan<>&& plan,
                       std::string_view name, csr_view<T> a, csr_view<T> b) {
    auto const left = plan.factors.left(a);
    auto const values_of_b = plan.factors.fetch_values(exec, comm, b);
    auto product = mxm(exec, std::move(plan.product), name, left, plan.factors.right(values_of_b.data()));
    bool const writes_columns =
        std::any_of(semiring_descriptions.begin(), semiring_descriptions.end(),
                    [&](auto const& known) { return known.name == name && known.writes_columns; });
    if (writes_columns) // local inner indices
        for_each(exec, product.nonzeros(),
                 distributed::make_inner_global<T, std::int32_t>{plan.factors.inner().data(), product.values().data()});
    return product;
}

} // namespace coppice::inline v0_1
