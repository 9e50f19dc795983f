// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The executor of one part of vectors that lie in parts: dot products and reductions over it are those of all parts.
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

namespace coppice {

/// Runs the text of a Krylov method over parts: every part runs it on its block, and the scalars have the same bits on
/// all, because partial sums are added in the order of the parts. They may depend on the number of parts. `Base` works
/// on the part: an executor of the host or of a device.
template <executor Base>
class part_executor : public Base {
public:
    part_executor(Base const& exec, part_messages const& others) : Base(exec), others_(others) {}
    part_messages const& others() const { return others_; }

    /// Sums of the host, over all parts; waits.
    template <class Value>
    void join_sums(Value* sums, int count) const {
        std::vector<Value> const mine(sums, sums + count);
        auto const all = others_.gather(mine);
        for (int k = 0; k < count; ++k) {
            sums[k] = all[0][std::size_t(k)];
            for (std::size_t p = 1; p < all.size(); ++p) sums[k] += all[p][std::size_t(k)];
        }
    }

private:
    part_messages others_;
};

using host_part = part_executor<host_executor>;
using cuda_part = part_executor<cuda_executor>; ///< scalars stay on the devices where part_messages::devices() is there

/// Over the elements of all parts. `init` is neutral.
template <executor Base, class R, class Map, class Combine>
R reduce(part_executor<Base> const& exec, std::int64_t n, R init, Map map, Combine combine) {
    R all = init;
    for (R const& part : exec.others().gather(reduce(static_cast<Base const&>(exec), n, init, map, combine)))
        all = combine(all, part);
    return all;
}

template <>
class repetition<host_part> : public repetition<host_executor> {
public:
    using repetition<host_executor>::repetition;
};

#if defined(COPPICE_HAS_CUDA)
template <>
class repetition<cuda_part>;
#endif

namespace detail {

template <executor Base>
vector_place place_in_whole(part_executor<Base> const& exec, std::int64_t size) {
    auto const begin = begins_of_parts(exec.others(), size);
    return {begin[std::size_t(exec.others().part())], begin.back()};
}

template <>
struct pass_scratch<host_part> : pass_scratch<host_executor> {
    using pass_scratch<host_executor>::pass_scratch;
};
template <>
struct basis_scratch<host_part> : basis_scratch<host_executor> {
    using basis_scratch<host_executor>::basis_scratch;
};

/// What `count` elements at `mine` are on all parts, by number of the part, to `all`; memory of the executor.
template <class T>
void gather_values(host_part const& exec, T const* mine, T* all, std::int64_t count) {
    for (std::vector<T> const& part : exec.others().gather(std::vector<T>(mine, mine + count)))
        all = std::copy(part.begin(), part.end(), all);
}

template <class T>
void project(host_part const& exec, basis_scratch<host_part>& scratch, basis_columns<T> const& v, T const* w,
             dot_value<T>* h) {
    project(static_cast<host_executor const&>(exec), static_cast<basis_scratch<host_executor>&>(scratch), v, w, h);
    int const count = v.columns(); // on all parts alike
    if (count > 0) exec.join_sums(h, count);
}

} // namespace detail
} // namespace coppice

#if defined(__CUDACC__)
#include <coppice/solvers/distributed/rows/rank_executor_cuda.cuh>
#endif
