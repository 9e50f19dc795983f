// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One pass over the vectors of an iteration, with scalars that live where the vectors live.
///
/// A pass is a function object over T:
///
///     static constexpr int dots           how many dot products it takes, 0 to 2
///     auto begin() const                  what it does to element i, f(i); reads scalars once, before all elements;
///                                         it may have f.stretch(first, last) for a core that does several at once,
///                                         and f.idle(): then no element is touched and the sums are 0
///     f.load(i), f.store(i, operands)     optional, instead of f(i): what f reads of element i, and what it makes of
///     that;
///                                         so a thread has several elements on their way
///     term(p, operands)                   with them: the summand of dot product p, from the operands that f.store()
///     left static constexpr bool backwards     optional: from the last element to the first dot_pair<T> pair(int p)
///     const       dot product p, of the vectors as f leaves them; only where dots > 0 void finish(dot_value<T> const*
///     sums) once, after all elements, with the dot products: writes scalars, decides
///
/// A pass that decides much has state(), a pointer to a trivially copyable state in memory of the executor, and
/// finish(state, sums) changes it: on CUDA a copy on chip, as one thread that goes to memory for one scalar after the
/// other takes longer than a small vector.
///
/// So a pass needs no scalar from the host and gives none back. The sums are double (complex of double), because the
/// squares of floats leave the range of float, and have the same bits on every run and for any number of threads.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <coppice/core/block.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/iterative/vectors/dot_pairs.hpp>
#include <coppice/solvers/iterative/vectors/vector_operations_host.hpp>

namespace coppice::detail {

/// Where `size` elements of a vector begin in the whole of it, and how many there are: more than these for the executor
/// of a part.
struct vector_place {
    std::int64_t first, size;
};
template <executor Executor>
vector_place place_in_whole(Executor const&, std::int64_t size) {
    return {0, size};
}

/// Has a pass nothing to do this time?
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

/// Does it to element i.
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
/// The elements that a pass takes dot products of.
template <class Pass>
using pass_element = decltype(element_of_pair(std::declval<Pass const&>().pair(0)));

/// The state that a pass decides about, or nothing.
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

/// Does the pass go through its vectors from the end, where what was written last is still in cache?
template <class Pass>
constexpr bool goes_backwards() {
    if constexpr (requires { Pass::backwards; })
        return Pass::backwards;
    else
        return false;
}
template <class Pass>
inline constexpr bool runs_backwards = goes_backwards<Pass>();

/// Memory for the partial sums of passes over n elements; a solver makes it once.
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
    buffer<hand_over_slot> slots; ///< of most_sums

    static constexpr int most_sums = 4; ///< two complex ones

    pass_scratch(cuda_executor const& exec, std::int64_t n);
    /// What a device holds at once, or less: never by its size, so that sums do not depend on it. A thread has one
    /// element of a short vector, as several would wait for memory one after the other.
    static std::int64_t blocks_for(std::int64_t n) {
        constexpr std::int64_t most = 1056, elements = 256;
        return std::clamp<std::int64_t>((n + elements - 1) / elements, 1, most);
    }
    std::int64_t blocks() const { return blocks_for(size); }
};
#endif

/// A stretch is updated and, while it is in cache, multiplied: the vectors come from memory once.
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
        auto const local = update; // a copy of our own: no store below can be thought to change its members
        if constexpr (requires { local.stretch(first, last); })
            local.stretch(first, last);
        else
            for (std::int64_t i = first; i < last; ++i) update_element(local, i);
        if constexpr (dots > 0) {
            auto* const partial = reinterpret_cast<dot_value<pass_element<Pass>>*>(scratch.partial.data());
            for (int p = 0; p < dots; ++p) {
                auto const pair = pass.pair(p);
                partial[b * dots + p] = dot_of_stretch(pair.left + first, pair.right + first, last - first);
            }
        }
    });
    if constexpr (dots > 0) {
        using value = dot_value<pass_element<Pass>>;
        auto const* const partial = reinterpret_cast<value const*>(scratch.partial.data());
        value sums[dots] = {};
        for (std::int64_t b = 0; b < dot_blocks(n); ++b)
            for (int p = 0; p < dots; ++p) sums[p] += partial[b * dots + p];
        if constexpr (requires { exec.join_sums(sums, dots); }) exec.join_sums(sums, dots); // vectors in parts
        if constexpr (decides_about_state<Pass>)
            pass.finish(*pass.state(), sums);
        else
            pass.finish(sums);
    }
}

} // namespace coppice::detail

#if defined(__CUDACC__)
#include <coppice/solvers/iterative/vectors/vector_pass_cuda.cuh>
#endif
