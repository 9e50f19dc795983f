// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Scan with any operator over states of any trivially copyable type, in one pass on CUDA.
///
///     look_back_scan(exec, n, in, joined, out)
///
/// calls out(i, s_i) with s_0 = in(0), s_i = joined(in(i), s_{i-1}), for 0 <= i < n. `joined(later, earlier)` is
/// associative up to rounding and need not commute; it has no identity. in(i) may read what out(i, .) writes, and
/// nothing that out(j, .) does for another j. Always the same parts are joined in the same order, so the bits depend
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

template <class In, class Join, class Out>
void look_back_scan(host_executor const& exec, std::int64_t n, In in, Join joined, Out out) {
    using state = std::decay_t<decltype(in(0))>;
    static_assert(std::is_trivially_copyable_v<state>);
    if (n <= 0) return;
    constexpr std::int64_t block = detail::host_block;
    std::int64_t const blocks = (n + block - 1) / block;
    buffer<state> before(exec, blocks); // what blocks 0 ... b leave
    detail::for_each_block(exec, n, block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        if (b + 1 == blocks) return; // nobody asks
        state s = in(first);
        for (std::int64_t i = first + 1; i < last; ++i) s = joined(in(i), s);
        before[b] = s;
    });
    for (std::int64_t b = 1; b + 1 < blocks; ++b) before[b] = joined(before[b], before[b - 1]);
    detail::for_each_block(exec, n, block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        state s = b == 0 ? in(0) : joined(in(first), before[b - 1]);
        out(first, s);
        for (std::int64_t i = first + 1; i < last; ++i) {
            s = joined(in(i), s);
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

/// Joins what lanes 0 ... count - 1 of a warp hold, in order; every lane has the result. 1 <= count <= 32.
template <class Block, class State, class Join>
COPPICE_HD State join_lanes(Block const& block, State value, int count, Join const& joined) {
    int const lane = block.thread() % warp_lanes;
    for (int d = 1; d < warp_lanes; d *= 2) {
        State const earlier = block.from_lane(value, lane >= d ? lane - d : lane);
        if (lane >= d && lane < count) value = joined(value, earlier);
    }
    return block.from_lane(value, count - 1);
}

/// What is before block b > 0, whose own state is `own`; the first warp calls it. `messages` are zero at first.
template <class Block, class State, class Join>
COPPICE_HD State look_back(Block const& block, std::uint64_t* messages, std::int64_t b, std::int64_t blocks,
                           State const& own, Join const& joined) {
    constexpr int words = message_words<State>;
    int const lane = block.thread();
    bool closes = true, known = false; // whether this block is the last of all groups so far
    State before = own, of_group = own;
    for (std::int64_t at = b, count = blocks; count > 0; at /= look_back_tree::group, count /= look_back_tree::group) {
        if (closes && at < count && lane == 0) block.announce(messages + at * words, of_group);
        int const place = int(at % look_back_tree::group);
        if (place > 0) {
            State const theirs =
                lane < place ? block.template heard<State>(messages + (at - place + lane) * words) : own;
            State const earlier = join_lanes(block, theirs, place, joined);
            before = known ? joined(before, earlier) : earlier;
            known = true;
            of_group = joined(of_group, earlier);
        }
        closes = closes && place == look_back_tree::group - 1;
        if (at == 0) break;
        messages += count * words;
    }
    return before;
}

/// visit(k) for k = from, from + step, ..., `Items` of them or those below `end`. Where all are there, the loop has a
/// length that the compiler knows, so that as many loads are under way at once.
template <int Items, class Visit>
COPPICE_HD COPPICE_ALWAYS_INLINE void visit_items(int from, int step, int end, Visit const& visit) {
    if (from + (Items - 1) * step < end) {
        COPPICE_UNROLL
        for (int j = 0; j < Items; ++j) visit(from + j * step);
    } else {
        for (int k = from; k < end; k += step) visit(k);
    }
}

/// One block of the scan. `tile`: State of threads * items and of one for each warp and one more.
template <int Items, class Block, class State, class In, class Join, class Out>
COPPICE_HD void look_back_block(Block const& block, std::int64_t b, std::int64_t n, State* tile,
                                std::uint64_t* messages, In const& in, Join const& joined, Out const& out) {
    int const threads = block.threads(), size = threads * Items, thread = block.thread();
    std::int64_t const first = b * size, blocks = (n + size - 1) / size;
    int const count = n - first < size ? int(n - first) : size;
    visit_items<Items>(thread, threads, count, [&](int k) { tile[k] = in(first + k); });
    block.sync();

    int const begin = thread * Items, end = begin + Items < count ? begin + Items : count;
    int const lane = thread % warp_lanes, warp = thread / warp_lanes, last = (count - 1) / Items;
    State* const of_warps = tile + size; // joined over warps 0 ... w; behind them: what is before the block
    State own = tile[begin < count ? begin : 0];
    visit_items<Items - 1>(begin + 1, 1, end, [&](int k) { own = joined(tile[k], own); });
    for (int d = 1; d < warp_lanes; d *= 2) {
        State const earlier = block.from_lane(own, lane >= d ? lane - d : lane);
        if (lane >= d && begin < count) own = joined(own, earlier);
    }
    State const lanes_before = block.from_lane(own, lane > 0 ? lane - 1 : lane);
    if (begin < count && (lane == warp_lanes - 1 || thread == last)) of_warps[warp] = own;
    block.sync();
    int const warps = threads / warp_lanes;
    if (warp == 0) {
        if (thread == 0)
            for (int w = 1; w <= last / warp_lanes; ++w) of_warps[w] = joined(of_warps[w], of_warps[w - 1]);
        block.sync_warp();
        State const all = of_warps[last / warp_lanes];
        if (b > 0) {
            State const before = look_back(block, messages, b, blocks, all, joined);
            if (thread == 0) of_warps[warps] = before;
        } else if (thread == 0) {
            block.announce(messages, all);
        }
    }
    block.sync();

    if (begin < count) {
        bool known = b > 0;
        State s = of_warps[known ? warps : 0];
        if (warp > 0) s = known ? joined(of_warps[warp - 1], s) : of_warps[warp - 1], known = true;
        if (lane > 0) s = known ? joined(lanes_before, s) : lanes_before, known = true;
        visit_items<Items>(begin, 1, end, [&](int k) {
            tile[k] = s = known ? joined(tile[k], s) : tile[k];
            known = true;
        });
    }
    block.sync();
    visit_items<Items>(thread, threads, count, [&](int k) { out(first + k, tile[k]); });
}

/// States of a thread: odd, so that threads do not meet in the banks of shared memory, and some 32 KiB a block.
constexpr int look_back_items_of(int bytes) {
    int const items = 128 / bytes < 15 ? 128 / bytes : 15;
    return items < 2 ? 1 : items - (items + 1) % 2;
}
template <class State>
inline constexpr int look_back_items = look_back_items_of(int(sizeof(State)));

} // namespace detail

#if defined(__CUDACC__)

namespace detail {

inline constexpr int look_back_threads = 256;

template <class State, class In, class Join, class Out>
__global__ void __launch_bounds__(look_back_threads)
    look_back_kernel(std::int64_t n, std::uint64_t* messages, In in, Join joined, Out out) {
    wait_for_predecessor();
    extern __shared__ __align__(16) unsigned char shared[];
    look_back_block<look_back_items<State>>(sized_cuda_block<look_back_threads>{}, blockIdx.x, n,
                                            reinterpret_cast<State*>(shared), messages, in, joined, out);
}

} // namespace detail

template <class In, class Join, class Out>
void look_back_scan(cuda_executor const& exec, std::int64_t n, In in, Join joined, Out out) {
    using state = std::decay_t<decltype(in(0))>;
    static_assert(std::is_trivially_copyable_v<state>);
    if (n <= 0) return;
    constexpr int tile = detail::look_back_threads * detail::look_back_items<state>;
    auto const blocks = checked_cast<int>((n + tile - 1) / tile, "number of CUDA blocks of look_back_scan");
    buffer<std::uint64_t> messages(exec, detail::look_back_tree::messages(blocks) * message_words<state>);
    COPPICE_CUDA_CHECK(
        cudaMemsetAsync(messages.data(), 0, std::size_t(messages.size()) * sizeof(std::uint64_t), exec.stream()));
    std::size_t const bytes = (tile + detail::look_back_threads / warp_lanes + 1) * sizeof(state);
    auto const kernel = &detail::look_back_kernel<state, In, Join, Out>;
    allow_shared(exec, kernel, bytes);
    launch_early(exec, kernel, dim3(unsigned(blocks)), detail::look_back_threads, bytes, {}, n, messages.data(), in,
                 joined, out);
}

#endif

} // namespace coppice
