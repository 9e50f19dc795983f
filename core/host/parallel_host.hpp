// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parallel primitives on the host, implemented with oneTBB. See core/parallel.hpp for the contracts.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <stdexcept>
#include <vector>

#include <coppice/core/host/host_executor.hpp>

namespace coppice::inline v0_1 {
namespace detail {

// Items per block. A constant, independent of the number of threads: reductions and scans combine the results of blocks
// in order, so the bits are the same for any number of threads.
inline constexpr std::int64_t host_block = 8192;

/// Calls work(block, first, last) for the blocks of [0, n), in parallel. `work` is instantiated once: for_ranges
/// decides whether the loop runs in parallel.
template <class Work>
void for_each_block(host_executor const& exec, std::int64_t n, std::int64_t block, Work const& work) {
    struct blocks {
        Work const& work;
        std::int64_t n, block;
    } const all{work, n, block};
    exec.for_ranges((n + block - 1) / block,
                    [](void const* context, std::int64_t begin, std::int64_t end) {
                        auto const [call, size, each] = *static_cast<blocks const*>(context);
                        for (std::int64_t b = begin; b < end; ++b) call(b, b * each, std::min(size, (b + 1) * each));
                    },
                    &all);
}

/// Moves the elements that are less than a pivot of [first, last) before it, and returns its position. The pivot is the
/// median of the medians of three times three elements.
template <class Iterator, class Less>
Iterator partition_at_pivot(Iterator first, Iterator last, Less const& less) {
    auto const median = [&](Iterator a, Iterator b, Iterator c) {
        if (less(*a, *b)) return less(*b, *c) ? b : less(*a, *c) ? c : a;
        return less(*a, *c) ? a : less(*b, *c) ? c : b;
    };
    auto const step = (last - first) / 8;
    std::iter_swap(first, median(median(first, first + step, first + 2 * step),
                                 median(first + 3 * step, first + 4 * step, first + 5 * step),
                                 median(first + 6 * step, first + 7 * step, last - 1)));
    Iterator const end = std::partition(first + 1, last, [&](auto const& x) { return less(x, *first); });
    std::iter_swap(first, end - 1);
    return end - 1;
}

/// Quicksort with the two sides of each pivot in parallel, at most `levels` pivots deep.
template <class Iterator, class Less>
void sort_in_arena(Iterator first, Iterator last, Less const& less, int levels) {
    constexpr std::ptrdiff_t sequential = 2048; // elements that take one thread tens of microseconds
    if (last - first <= sequential || levels == 0) return std::sort(first, last, less);
    Iterator const pivot = partition_at_pivot(first, last, less);
    call_both([&] { sort_in_arena(first, pivot, less, levels - 1); },
              [&] { sort_in_arena(pivot + 1, last, less, levels - 1); });
}

/// Sorts [first, last) by `less`. Not stable. Reads sorted elements once.
template <class Iterator, class Less>
void parallel_sort(host_executor const& exec, Iterator first, Iterator last, Less const& less) {
    if (std::is_sorted(first, last, less)) return;
#if defined(__SANITIZE_THREAD__)
    // The thread sanitizer does not see the synchronisation of oneTBB tasks and would report false races in its sort.
    static_cast<void>(exec);
    std::sort(first, last, less);
#else
    if (exec.threads() == 1) return std::sort(first, last, less);
    try {
        int const levels = 2 * int(std::bit_width(static_cast<std::uint64_t>(last - first)));
        exec.run([&] { sort_in_arena(first, last, less, levels); });
    } catch (std::runtime_error const&) { // oneTBB could not start a thread; all elements are still present
        std::sort(first, last, less);
    }
#endif
}

} // namespace detail

template <class F>
void for_each(host_executor const& exec, std::int64_t n, F f) {
    detail::for_each_block(exec, n, detail::host_block, [&f](std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) f(i);
    });
}

template <class R, class Map, class Combine>
R reduce(host_executor const& exec, std::int64_t n, R init, Map map, Combine combine) {
    if (n <= 0) return init;
    constexpr std::int64_t block = detail::host_block;
    std::int64_t const blocks = (n + block - 1) / block;
    struct slot {
        R value; // std::vector<bool> would pack the results of several blocks into one word
    };
    std::vector<slot> partial(static_cast<std::size_t>(blocks), slot{init});
    detail::for_each_block(exec, n, block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        // Eight independent dependency chains hide the latency of `combine`.
        constexpr int chains = 8;
        R chain[chains];
        std::int64_t i = first;
        if (last - first >= chains) {
            for (int c = 0; c < chains; ++c) chain[c] = map(first + c);
            for (i = first + chains; i + chains <= last; i += chains)
                for (int c = 0; c < chains; ++c) chain[c] = combine(chain[c], map(i + c));
            for (int width = chains / 2; width > 0; width /= 2)
                for (int c = 0; c < width; ++c) chain[c] = combine(chain[c], chain[c + width]);
        } else {
            chain[0] = map(i++);
        }
        for (; i < last; ++i) chain[0] = combine(chain[0], map(i));
        partial[static_cast<std::size_t>(b)].value = chain[0];
    });
    R result = init;
    for (slot const& p : partial) result = combine(result, p.value);
    return result;
}

template <class R, class Map, class Combine>
void reduce_to(host_executor const& exec, std::int64_t n, R init, Map map, Combine combine, R* to) {
    *to = reduce(exec, n, init, map, combine);
}

template <class In, class Out, class T>
T exclusive_scan(host_executor const& exec, std::int64_t n, In in, Out out, T init) {
    constexpr std::int64_t block = detail::host_block;
    std::int64_t const blocks = (n + block - 1) / block;
    std::vector<T> start(static_cast<std::size_t>(blocks) + 1, init);
    detail::for_each_block(exec, n, block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        T sum{};
        for (std::int64_t i = first; i < last; ++i) sum = sum + static_cast<T>(in(i));
        start[static_cast<std::size_t>(b) + 1] = sum;
    });
    for (std::int64_t b = 0; b < blocks; ++b)
        start[static_cast<std::size_t>(b) + 1] =
            start[static_cast<std::size_t>(b)] + start[static_cast<std::size_t>(b) + 1];
    detail::for_each_block(exec, n, block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        T sum = start[static_cast<std::size_t>(b)];
        for (std::int64_t i = first; i < last; ++i) {
            T const value = static_cast<T>(in(i)); // read before the write, because `in` may read what `out` overwrites
            out(i, sum);
            sum = sum + value;
        }
    });
    return start[static_cast<std::size_t>(blocks)];
}
template <class In, class Out, class T>
void queue_exclusive_scan(host_executor const& exec, std::int64_t n, In in, Out out, T init) {
    exclusive_scan(exec, n, in, out, init);
}

template <class Predicate, class Emit>
std::int64_t select(host_executor const& exec, std::int64_t n, Predicate keep, Emit emit) {
    constexpr std::int64_t block = detail::host_block;
    std::int64_t const blocks = (n + block - 1) / block;
    std::vector<std::int64_t> start(static_cast<std::size_t>(blocks) + 1, 0);
    detail::for_each_block(exec, n, block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        std::int64_t count = 0;
        for (std::int64_t i = first; i < last; ++i) count += keep(i) ? 1 : 0;
        start[static_cast<std::size_t>(b) + 1] = count;
    });
    for (std::int64_t b = 0; b < blocks; ++b)
        start[static_cast<std::size_t>(b) + 1] += start[static_cast<std::size_t>(b)];
    detail::for_each_block(exec, n, block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        std::int64_t position = start[static_cast<std::size_t>(b)];
        for (std::int64_t i = first; i < last; ++i)
            if (keep(i)) emit(position++, i);
    });
    return start[static_cast<std::size_t>(blocks)];
}
template <class Predicate, class Emit>
void queue_select(host_executor const& exec, std::int64_t n, Predicate keep, Emit emit) {
    select(exec, n, keep, emit);
}

template <class Key, class Value>
void sort_by_key(host_executor const& exec, array_view<Key> keys, array_view<Value> values) {
    require_elements("keys of sort_by_key", keys);
    require_size("values of sort_by_key", values, keys.size());
    struct pair {
        Key key;
        std::int64_t position;
    };
    std::int64_t const n = keys.size();
    buffer<pair> order(exec, n);
    buffer<Value> old(exec, n);
    for_each(exec, n, [&](std::int64_t i) {
        order[i] = {keys[i], i};
        old[i] = values[i];
    });
    // The position is a tie-breaker, which makes the unstable sort stable.
    detail::parallel_sort(exec, order.begin(), order.end(), [](pair const& a, pair const& b) {
        return a.key < b.key || (a.key == b.key && a.position < b.position);
    });
    for_each(exec, n, [&](std::int64_t i) {
        keys[i] = order[i].key;
        values[i] = old[order[i].position];
    });
}

} // namespace coppice::inline v0_1
