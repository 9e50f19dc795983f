// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Scan with any operator over states of any trivially copyable type, in one pass on CUDA.
///
///     look_back_scan(exec, n, in, combine, out)
///
/// calls out(i, s_i) with s_0 = in(0), s_i = combine(in(i), s_{i-1}), for 0 <= i < n. `combine(later, earlier)` is
/// associative up to rounding and need not commute; it has no identity. in(i) may read what out(i, .) writes, and
/// nothing that out(j, .) does for another j. Always the same parts are combine in the same order, so the bits depend
/// neither on the number of threads nor on timing. On CUDA the call returns before the work is done.
///
/// Host: states of blocks of a fixed size, in parallel, their joins in order, and the blocks again from what is before
/// them. CUDA: blocks hand their states on in messages whose every word carries its own mark, so that there is no
/// fence (L.-W. Chang, thesis of 2014, section 4.2.1), and look back not at what happens to be there, as decoupled
/// look-back does, but through a tree of fixed groups: a block reads the states of those before it in its group of 32,
/// the last one of a group hands on the state of the group, and so on. No block waits for a chain of others.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/core/block.hpp>
#include <coppice/core/host/parallel_host.hpp>
#if defined(__CUDACC__)
#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/launch_shared.cuh>
#endif

namespace coppice {

template <class In, class Combine, class Out>
void look_back_scan(host_executor const& exec, std::int64_t n, In in, Combine combine, Out out) {
    using state = std::decay_t<decltype(in(0))>;
    static_assert(std::is_trivially_copyable_v<state>);
    if (n <= 0) return;
    constexpr std::int64_t block = detail::host_block;
    std::int64_t const blocks = (n + block - 1) / block;
    buffer<state> before(exec, blocks); // what blocks 0 ... b leave
    detail::for_each_block(exec, n, block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        if (b + 1 == blocks) return; // nobody asks
        state s = in(first);
        for (std::int64_t i = first + 1; i < last; ++i) s = combine(in(i), s);
        before[b] = s;
    });
    for (std::int64_t b = 1; b + 1 < blocks; ++b) before[b] = combine(before[b], before[b - 1]);
    detail::for_each_block(exec, n, block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        state s = b == 0 ? in(0) : combine(in(first), before[b - 1]);
        out(first, s);
        for (std::int64_t i = first + 1; i < last; ++i) {
            s = combine(in(i), s);
            out(i, s);
        }
    });
}

namespace detail {

/// Messages of a scan over `blocks` blocks: theirs, those of groups of 32, of groups of groups.
struct look_back_tree {
    static constexpr std::int64_t group = warp_lanes;
    COPPICE_HD static constexpr std::int64_t messages(std::int64_t blocks) {
        std::int64_t all = blocks;
        while (blocks >= group) all += blocks /= group; // only whole groups hand on
        return all;
    }
};

/// What lanes 0 ... l of a warp hold, combine in order, in lane l < count; all lanes call it.
template <class Block, class State, class Combine>
COPPICE_HD State scan_lanes(Block const& block, State value, int count, Combine const& combine) {
    int const lane = block.thread() % warp_lanes;
    for (int d = 1; d < warp_lanes; d *= 2) {
        State const earlier = block.from_lane(value, lane >= d ? lane - d : lane);
        if (lane >= d && lane < count) value = combine(value, earlier);
    }
    return value;
}
/// The same of lanes 0 ... count - 1 in every lane. 1 <= count <= 32.
template <class Block, class State, class Combine>
COPPICE_HD State combine_lanes(Block const& block, State const& value, int count, Combine const& combine) {
    return block.from_lane(scan_lanes(block, value, count, combine), count - 1);
}

/// Levels of the tree above any number of blocks.
inline constexpr int look_back_levels = 7;

/// Announces the state `all` of block b, which its first warp has, and leaves in of_levels[l] what level l of the tree
/// has before the block, where that is something. All threads call it, and pass any state as `filler`; a barrier
/// follows. Warps take a level each: the messages of all of them are under way at once.
template <class Block, class State, class Combine>
COPPICE_HD void look_back(Block const& block, std::uint64_t* messages, std::int64_t b, std::int64_t blocks,
                          State const& all, State const& filler, State* of_levels, Combine const& combine) {
    constexpr std::int64_t group = look_back_tree::group;
    constexpr int words = message_words<State>;
    int const lane = block.thread() % warp_lanes, warp = block.thread() / warp_lanes;
    int const warps = block.threads() / warp_lanes;
    if (block.thread() == 0) block.write_message(messages + b * words, all);
    int level = 0;
    for (std::int64_t at = b, count = blocks; at > 0; at /= group, count /= group, ++level) {
        int const position = int(at % group);
        if (position > 0 && level % warps == warp) {
            State const theirs =
                lane < position ? block.template await_message<State>(messages + (at - position + lane) * words) : filler;
            State const earlier = combine_lanes(block, theirs, position, combine);
            if (lane == 0) of_levels[level] = earlier;
            if (block.thread() == 0 && level == 0 && position == group - 1) // the first level that others wait for
                block.write_message(messages + (count + at / group) * words, combine(all, earlier));
        }
        messages += count * words;
    }
}

/// The rest behind the barrier: the last block of a group of groups hands on their state. One thread calls it.
template <class Block, class State, class Combine>
COPPICE_HD void close_groups(Block const& block, std::uint64_t* messages, std::int64_t b, std::int64_t blocks,
                             State const& all, State const* of_levels, Combine const& combine) {
    constexpr std::int64_t group = look_back_tree::group;
    State of_group = all;
    int level = 0;
    for (std::int64_t at = b, count = blocks; at % group == group - 1; ++level) {
        of_group = combine(of_group, of_levels[level]);
        messages += count * message_words<State>;
        at /= group, count /= group;
        if (level > 0) block.write_message(messages + at * message_words<State>, of_group);
    }
}

/// What is before block b > 0, of what look_back has left.
template <class State, class Combine>
COPPICE_HD State before_block(std::int64_t b, State const* of_levels, Combine const& combine) {
    constexpr std::int64_t group = look_back_tree::group;
    for (; b % group == 0; b /= group) ++of_levels;
    State before = *of_levels;
    for (b /= group; b > 0; b /= group) {
        ++of_levels;
        if (b % group > 0) before = combine(before, *of_levels);
    }
    return before;
}

/// body(k) for k = from, from + step, ..., `Items` of them or those below `end`. Where all are there, the loop has a
/// length that the compiler knows, so that as many loads are under way at once.
template <int Items, class Body>
COPPICE_HD COPPICE_ALWAYS_INLINE void for_strided(int from, int step, int end, Body const& body) {
    if (from + (Items - 1) * step < end) {
        COPPICE_UNROLL
        for (int j = 0; j < Items; ++j) body(from + j * step);
    } else {
        for (int k = from; k < end; k += step) body(k);
    }
}

/// States of shared memory of a block.
constexpr int look_back_states(int threads, int items) {
    return threads * items + threads / warp_lanes + look_back_levels;
}

/// One block of the scan. `tile`: look_back_states of State; at most 32 warps.
template <int Items, class Block, class State, class In, class Combine, class Out>
COPPICE_HD void look_back_block(Block const& block, std::int64_t b, std::int64_t n, State* tile,
                                std::uint64_t* messages, In const& in, Combine const& combine, Out const& out) {
    int const threads = block.threads(), size = threads * Items, thread = block.thread();
    std::int64_t const first = b * size, blocks = (n + size - 1) / size;
    int const count = n - first < size ? int(n - first) : size;
    for_strided<Items>(thread, threads, count, [&](int k) { tile[k] = in(first + k); });
    block.sync();

    int const begin = thread * Items, end = begin + Items < count ? begin + Items : count;
    int const lane = thread % warp_lanes, warp = thread / warp_lanes, last = (count - 1) / Items;
    State* const of_warps = tile + size; // combine over warps 0 ... w
    State* const of_levels = of_warps + threads / warp_lanes;
    State own = tile[begin < count ? begin : 0];
    for_strided<Items - 1>(begin + 1, 1, end, [&](int k) { own = combine(tile[k], own); });
    own = scan_lanes(block, own, last + 1 - warp * warp_lanes, combine);
    State const lanes_before = block.from_lane(own, lane > 0 ? lane - 1 : lane);
    if (begin < count && (lane == warp_lanes - 1 || thread == last)) of_warps[warp] = own;
    block.sync();
    State all = own; // of the block, in the first warp
    if (warp == 0) {
        int const warps = last / warp_lanes + 1;
        State const of_warp = scan_lanes(block, lane < warps ? of_warps[lane] : own, warps, combine);
        if (lane < warps) of_warps[lane] = of_warp;
        all = block.from_lane(of_warp, warps - 1);
    }
    look_back(block, messages, b, blocks, all, own, of_levels, combine);
    block.sync();
    if (thread == 0) close_groups(block, messages, b, blocks, all, of_levels, combine);

    if (begin < count) {
        bool known = b > 0;
        State s = known ? before_block(b, of_levels, combine) : of_warps[0];
        if (warp > 0) s = known ? combine(of_warps[warp - 1], s) : of_warps[warp - 1], known = true;
        if (lane > 0) s = known ? combine(lanes_before, s) : lanes_before, known = true;
        for_strided<Items>(begin, 1, end, [&](int k) {
            tile[k] = s = known ? combine(tile[k], s) : tile[k];
            known = true;
        });
    }
    block.sync();
    for_strided<Items>(thread, threads, count, [&](int k) { out(first + k, tile[k]); });
}

/// How a scan lies on a GPU.
struct look_back_shape {
    int threads; ///< of a block. More of them make the tree smaller, in which they wait
    int items;   ///< states of a thread: odd, so that threads do not meet in the banks of shared memory
    int blocks;  ///< of a multiprocessor: while one looks back the others load. The compiler is held to the registers
    constexpr int tile() const { return threads * items; }
};
/// For states of so many bytes: some 64 KiB a block. Wide states have no use for blocks whose registers they overflow.
constexpr look_back_shape look_back_shape_of(int bytes) {
    int const fit = 128 / bytes < 15 ? 128 / bytes : 15, items = fit < 2 ? 1 : fit - (fit + 1) % 2;
    if (bytes > 32) return {256, items, 1};
    return {512, items, bytes > 8 ? 2 : 3};
}
template <class State>
inline constexpr look_back_shape look_back_shape_for = look_back_shape_of(int(sizeof(State)));

} // namespace detail

#if defined(__CUDACC__)

namespace detail {

template <class State, class In, class Combine, class Out>
__global__ void __launch_bounds__(look_back_shape_for<State>.threads, look_back_shape_for<State>.blocks)
    look_back_kernel(std::int64_t n, std::uint64_t* messages, In in, Combine combine, Out out) {
    constexpr look_back_shape shape = look_back_shape_for<State>;
    wait_for_predecessor();
    extern __shared__ __align__(16) unsigned char shared[];
    look_back_block<shape.items>(sized_cuda_block<shape.threads>{}, blockIdx.x, n, reinterpret_cast<State*>(shared),
                                 messages, in, combine, out);
}

} // namespace detail

template <class In, class Combine, class Out>
void look_back_scan(cuda_executor const& exec, std::int64_t n, In in, Combine combine, Out out) {
    using state = std::decay_t<decltype(in(0))>;
    static_assert(std::is_trivially_copyable_v<state>);
    if (n <= 0) return;
    constexpr auto shape = detail::look_back_shape_for<state>;
    auto const blocks =
        checked_cast<int>((n + shape.tile() - 1) / shape.tile(), "number of CUDA blocks of look_back_scan");
    buffer<std::uint64_t> messages(exec, detail::look_back_tree::messages(blocks) * message_words<state>);
    COPPICE_CUDA_CHECK(
        cudaMemsetAsync(messages.data(), 0, std::size_t(messages.size()) * sizeof(std::uint64_t), exec.stream()));
    std::size_t const bytes = detail::look_back_states(shape.threads, shape.items) * sizeof(state);
    auto const kernel = &detail::look_back_kernel<state, In, Combine, Out>;
    launch_shared(exec, kernel, dim3(unsigned(blocks)), shape.threads, bytes, n, messages.data(), in, combine, out);
}

#endif

} // namespace coppice
