// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One pass over the vectors of an iteration, with scalars in the memory of the vectors.
///
/// A pass is a function object over T with
///
///     static constexpr int dots         number of dot products, 0 to 2
///     auto begin() const                returns f; called once per thread before all elements, reads scalars
///     f(i)                              updates element i
///     f.range(first, last)              optional: updates several elements, on a CPU core
///     f.idle()                          optional: if true, the pass touches no element and the sums are 0
///     f.load(i), f.store(i, operands)   optional, instead of f(i): reads and updates, so that loads overlap
///     term(p, operands)                 with f.store(): the term of dot product p, from the operands after store
///     pair(p)                           without f.store(): the vectors of dot product p, after the update
///     static constexpr bool backwards   optional: true: from the last element to the first
///     void finish(sums)                 if dots > 0: called once after all elements; writes scalars, decides
///
/// A pass with a large state has state(), a pointer to a trivially copyable object in memory of the executor, and
/// finish(state, sums), which changes the object. On CUDA it changes a copy in shared memory, because a single thread
/// that reads scalars from global memory one after the other takes longer than a pass over a small vector.
///
/// A pass exchanges no scalars with the host. Sums are double or complex double, because squares of floats may overflow
/// or underflow in float; they are the same on every run and for any number of threads.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <coppice/core/block.hpp>
#include <coppice/core/multi_executor.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/iterative/vectors/dot_pairs.hpp>
#include <coppice/solvers/iterative/vectors/vector_operations_host.hpp>

namespace coppice::inline v0_1::detail {

/// Offset of the `size` elements of a local vector in the whole vector, and size of the whole vector, which is larger
/// if the executor is one rank of several. One template, because an overload that is declared later would not be found.
struct vector_position {
    std::int64_t first, size;
};
template <executor Executor>
vector_position position_in_whole(Executor const& exec, std::int64_t size) {
    if constexpr (requires { exec.comm(); }) {
        auto const begin = offsets_of_ranks(exec.comm(), size);
        return {begin[std::size_t(exec.comm().rank())], begin.back()};
    } else {
        return {0, size};
    }
}

/// Returns whether the pass has nothing to do.
template <class Update>
COPPICE_HD bool is_idle(Update const& update) {
    if constexpr (requires { update.idle(); })
        return update.idle();
    else
        return false;
}

template <class Update>
concept loads_operands = requires(Update const& update) {
    update.load(std::int64_t());
};

/// Updates element i.
template <class Update>
COPPICE_HD COPPICE_ALWAYS_INLINE void update_element(Update const& update, std::int64_t i) {
    if constexpr (loads_operands<Update>) {
        auto operands = update.load(i);
        update.store(i, operands);
    } else {
        update(i);
    }
}

template <class T>
T element_of_pair(dot_pair<T> const&);
/// Element type of the dot products of a pass.
template <class Pass>
using pass_element = decltype(element_of_pair(std::declval<Pass const&>().pair(0)));

/// Type of the state that a pass changes in finish(); an empty type if there is none.
template <class Pass>
struct state_of_pass {
    struct type {};
};
template <class Pass>
requires requires(Pass const& pass) { pass.state(); }
struct state_of_pass<Pass> {
    using type = std::remove_pointer_t<decltype(std::declval<Pass const&>().state())>;
    static_assert(std::is_trivially_copyable_v<type> && sizeof(type) % 8 == 0);
};
template <class Pass>
concept decides_about_state = requires(Pass const& pass) {
    pass.state();
};

/// Whether the pass reads its vectors from the end, because the elements that were written last are still in cache.
template <class Pass>
constexpr bool goes_backwards() {
    if constexpr (requires { Pass::backwards; })
        return Pass::backwards;
    else
        return false;
}
template <class Pass>
inline constexpr bool runs_backwards = goes_backwards<Pass>();

/// Memory for the partial sums of passes over n elements; allocated once per solver.
template <executor Executor>
struct pass_scratch;

template <>
struct pass_scratch<host_executor> {
    std::int64_t size;
    buffer<double> partial;

    pass_scratch(host_executor const& exec, std::int64_t n) : size(n), partial(exec, dot_blocks(n) * max_dots) {}
};

#if defined(COPPICE_HAS_CUDA)
template <>
struct pass_scratch<cuda_executor> {
    std::int64_t size;
    buffer<hand_over_slot> slots; ///< max_sums slots

    static constexpr int max_sums = 4; ///< two complex numbers

    pass_scratch(cuda_executor const& exec, std::int64_t n);
    /// Number of blocks: at most what a device executes simultaneously, independent of the device, so that sums do not
    /// depend on it. Short vectors get one element per thread, because a thread with several would wait for memory
    /// several times.
    static std::int64_t blocks_for(std::int64_t n) {
        constexpr std::int64_t max_blocks = 1056, elements = 256;
        return std::clamp<std::int64_t>((n + elements - 1) / elements, 1, max_blocks);
    }
    std::int64_t blocks() const { return blocks_for(size); }
};
#endif

/// Updates a range and computes its dot products while it is in cache, so each vector is read from memory once.
template <std::derived_from<host_executor> Executor, class Pass>
void run_pass(Executor const& exec, pass_scratch<Executor>& scratch, Pass const& pass) {
    constexpr int dots = Pass::dots;
    auto const update = pass.begin();
    std::int64_t const n = is_idle(update) ? 0 : scratch.size;
    for_each_block(exec, n, dot_block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        if constexpr (runs_backwards<Pass>) {
            b = dot_blocks(n) - 1 - b;
            first = b * dot_block;
            last = std::min(first + dot_block, n);
        }
        auto const local = update; // a local copy, so that the compiler knows that stores do not change its members
        if constexpr (requires { local.range(first, last); })
            local.range(first, last);
        else
            for (std::int64_t i = first; i < last; ++i) update_element(local, i);
        if constexpr (dots > 0) {
            auto* const partial = reinterpret_cast<dot_value<pass_element<Pass>>*>(scratch.partial.data());
            for (int p = 0; p < dots; ++p) {
                auto const pair = pass.pair(p);
                partial[b * dots + p] = dot_of_chunk(pair.left + first, pair.right + first, last - first);
            }
        }
    });
    if constexpr (dots > 0) {
        using value = dot_value<pass_element<Pass>>;
        auto const* const partial = reinterpret_cast<value const*>(scratch.partial.data());
        value sums[dots] = {};
        for (std::int64_t b = 0; b < dot_blocks(n); ++b)
            for (int p = 0; p < dots; ++p) sums[p] += partial[b * dots + p];
        if constexpr (requires { exec.sum_over_ranks(sums, dots); })
            exec.sum_over_ranks(sums, dots); // if vectors are distributed over ranks
        if constexpr (decides_about_state<Pass>)
            pass.finish(*pass.state(), sums);
        else
            pass.finish(sums);
    }
}

} // namespace coppice::inline v0_1::detail

#if defined(__CUDACC__)
#include <coppice/solvers/iterative/vectors/vector_pass_cuda.cuh>
#endif
