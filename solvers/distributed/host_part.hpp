// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The executor of one part of vectors that lie in parts: dot products and reductions over it are those of all parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/core/repeat.hpp>
#include <coppice/solvers/vectors/vector_pass.hpp>

namespace coppice {

/// Runs the text of cg over parts: every part runs it on its block, and the scalars have the same bits on
/// all, because partial sums are added in the order of the parts. They may depend on the number of parts.
class host_part : public host_executor {
public:
    host_part(host_executor const& exec, part_messages const& others) : host_executor(exec), others_(others) {}
    part_messages const& others() const { return others_; }

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

/// Over the elements of all parts. `init` is neutral.
template <class R, class Map, class Combine>
R reduce(host_part const& exec, std::int64_t n, R init, Map map, Combine combine) {
    R all = init;
    for (R const& part : exec.others().gather(reduce(static_cast<host_executor const&>(exec), n, init, map, combine)))
        all = combine(all, part);
    return all;
}

template <>
class repetition<host_part> : public repetition<host_executor> {
public:
    using repetition<host_executor>::repetition;
};

// Their passes over a basis sum over one part only: no such methods.
template <executor Executor, class T, bool Flexible>
class gmres;
template <executor Executor, class T>
class idrs;
template <class T, bool Flexible>
class gmres<host_part, T, Flexible>;
template <class T>
class idrs<host_part, T>;

namespace detail {

template <>
struct pass_scratch<host_part> : pass_scratch<host_executor> {
    using pass_scratch<host_executor>::pass_scratch;
};

} // namespace detail
} // namespace coppice
