// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The executor of one rank of distributed vectors: its dot products and reductions are sums over all ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/core/repeat.hpp>
#include <coppice/solvers/iterative/vectors/basis_passes.hpp>
#include <coppice/solvers/iterative/vectors/vector_pass.hpp>

namespace coppice::inline v0_1 {

/// Runs the single implementation of a Krylov method on every rank of distributed vectors. Scalars have the same bits
/// on all ranks because partial sums are added in rank order; they may depend on the number of ranks. `Base` is the
/// executor of the rank: host or device.
template <executor Base>
class rank_executor : public Base {
public:
    rank_executor(Base const& exec, rank_communicator const& comm) : Base(exec), comm_(comm) {}
    rank_communicator const& comm() const { return comm_; }

    /// Sums of host values over all ranks; synchronises.
    template <class Value>
    void sum_over_ranks(Value* sums, int count) const {
        std::vector<Value> all(std::size_t(comm_.ranks()) * std::size_t(count));
        comm_.all_gather(sums, all.data(), count);
        std::copy_n(all.data(), count, sums);
        for (std::size_t k = std::size_t(count); k < all.size(); ++k) sums[k % std::size_t(count)] += all[k];
    }

private:
    rank_communicator comm_;
};

using host_rank = rank_executor<host_executor>;
using cuda_rank =
    rank_executor<cuda_executor>; ///< scalars stay on the devices if devices() of the communicator is not null

/// Reduction over the elements of all ranks. `init` must be the identity of `combine`.
template <executor Base, class R, class Map, class Combine>
R reduce(rank_executor<Base> const& exec, std::int64_t n, R init, Map map, Combine combine) {
    R all = init;
    for (R const& rank : exec.comm().gather(reduce(static_cast<Base const&>(exec), n, init, map, combine)))
        all = combine(all, rank);
    return all;
}

template <>
class repetition<host_rank> : public repetition<host_executor> {
public:
    using repetition<host_executor>::repetition;
};

#if defined(COPPICE_HAS_CUDA)
template <>
class repetition<cuda_rank>;
#endif

namespace detail {

template <>
struct pass_scratch<host_rank> : pass_scratch<host_executor> {
    using pass_scratch<host_executor>::pass_scratch;
};
template <>
struct basis_scratch<host_rank> : basis_scratch<host_executor> {
    using basis_scratch<host_executor>::basis_scratch;
};

/// Gathers `count` elements of every rank, in rank order, to `all`; both are in memory of the executor.
template <class T>
void gather_values(host_rank const& exec, T const* mine, T* all, std::int64_t count) {
    exec.comm().all_gather(mine, all, count);
}

template <class T>
void project(host_rank const& exec, basis_scratch<host_rank>& scratch, basis_columns<T> const& v, T const* w,
             dot_value<T>* h) {
    project(static_cast<host_executor const&>(exec), static_cast<basis_scratch<host_executor>&>(scratch), v, w, h);
    int const count = v.columns(); // equal on all ranks
    if (count > 0) exec.sum_over_ranks(h, count);
}

} // namespace detail
} // namespace coppice::inline v0_1

#if defined(__CUDACC__)
#include <coppice/solvers/distributed/rows/rank_executor_cuda.cuh>
#endif
