// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/rows/distributed_product.hpp>

#include <algorithm>

#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/spgemm/named_product.hpp>

namespace coppice::inline v0_1 {

template <class T>
csr<T> mxm_distributed(host_executor const& exec, rank_communicator const& comm, distributed_product_plan<>&& plan,
                       std::string_view name, csr_view<T> a, csr_view<T> b) {
    auto const left = plan.factors.left(a);
    auto const values_of_b = plan.factors.fetch_values(exec, comm, b);
    auto product = mxm(exec, std::move(plan.product), name, left, plan.factors.right(values_of_b.data()));
    bool const writes_columns =
        std::any_of(semiring_descriptions.begin(), semiring_descriptions.end(),
                    [&](auto const& known) { return known.name == name && known.writes_columns; });
    if (!writes_columns) return product;
    // The compiled semirings write local inner indices; -1 if an entry that a mask admits has no product.
    T* const values = product.values().data();
    auto const& inner = plan.factors.inner();
    for_each(exec, product.nonzeros(), [&](std::int64_t k) {
        if (values[k] >= T(0)) values[k] = T(inner[std::size_t(values[k])]);
    });
    return product;
}

#define COPPICE_NAMED_DISTRIBUTED_PRODUCT(T)                                                                           \
    template csr<T> mxm_distributed(host_executor const&, rank_communicator const&, distributed_product_plan<>&&,      \
                                    std::string_view, csr_view<T>, csr_view<T>)

COPPICE_DISTRIBUTED_PRODUCTS(, float);
COPPICE_DISTRIBUTED_PRODUCTS(, double);
COPPICE_NAMED_DISTRIBUTED_PRODUCT(float);
COPPICE_NAMED_DISTRIBUTED_PRODUCT(double);

} // namespace coppice::inline v0_1
