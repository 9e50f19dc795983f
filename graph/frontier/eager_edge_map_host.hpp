// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Edge maps on the host whose workers continue with the vertices that they emit.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/graph/frontier/edge_rows_host.hpp>

namespace coppice::inline v0_1::analytics {

template <class F>
concept is_eager = requires(F const& f, sequential_worker<1>& worker, vertex_id v) {
    { f.enlist(worker, v) } -> std::same_as<bool>;
};

/// Collects the vertices that it emits; processes those of list 0 itself.
template <class Worker, int N>
class eager_worker : public Worker {
public:
    using Worker::Worker;
    template <int K = 0>
    void emit(vertex_id v, std::int64_t = 0) {
        own_[K].push_back(v);
    }
    std::array<std::vector<vertex_id>, N>& own() { return own_; }

private:
    std::array<std::vector<vertex_id>, N> own_;
};
template <class Worker, int N>
inline constexpr bool processes_emitted<eager_worker<Worker, N>> = true;

/// Appends the vertices that the workers have collected, in the order of the workers: the chunks of the next round then
/// go to the workers whose caches contain the values of most of their vertices.
template <int N>
void append_in_order(host_executor const& exec, std::vector<std::array<std::vector<vertex_id>, N>> const& own,
                     outputs<N> const& outs) {
    std::int64_t const workers = std::int64_t(own.size());
    std::vector<std::array<vertex_id*, N>> to(own.size());
    std::int64_t total = 0;
    for (int k = 0; k < N; ++k)
        for (std::size_t w = 0; w < own.size(); ++w) {
            auto const count = std::int64_t(own[w][std::size_t(k)].size());
            if (count > 0) to[w][std::size_t(k)] = outs.list[k]->items + outs.list[k]->count;
            if (count > 0) outs.list[k]->count += count;
            total += count;
        }
    auto const copy = [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (auto w = std::size_t(first); w < std::size_t(last); ++w)
            for (std::size_t k = 0; k < N; ++k) std::copy(own[w][k].begin(), own[w][k].end(), to[w][k]);
    };
    constexpr std::int64_t few = 1 << 15; // vertices that one thread copies in the time that sharing them takes
    if (total <= few) return copy(0, 0, workers);
    detail::for_each_block(exec, workers, 1, copy);
}

/// Chunks [0, n) in equal intervals, one for each worker. A worker takes those of its interval first, then those that
/// other workers have not taken.
class chunk_intervals {
public:
    chunk_intervals(std::int64_t n, int workers) : intervals_(std::size_t(workers)) {
        for (int w = 0; w < workers; ++w) intervals_[std::size_t(w)] = {n * w / workers, n * (w + 1) / workers};
    }
    /// Calls f(chunk) for the chunks that the worker takes.
    template <class F>
    void for_each(std::int64_t worker, F const& f) {
        std::size_t const count = intervals_.size();
        for (std::size_t k = 0; k < count; ++k) {
            interval& i = intervals_[(std::size_t(worker) + k) % count];
            while (__atomic_load_n(&i.next, __ATOMIC_RELAXED) < i.end) {
                std::int64_t const chunk = __atomic_fetch_add(&i.next, std::int64_t(1), __ATOMIC_RELAXED);
                if (chunk >= i.end) break;
                f(chunk);
            }
        }
    }

private:
    struct alignas(64) interval {
        std::int64_t next, end;
    };
    std::vector<interval> intervals_;
};

/// Every worker continues with the vertices that it emitted itself while they are too few to share: on a grid, most
/// rounds of a search have too few vertices to justify waking a thread.
template <int N, class F>
void eager_edge_map(host_executor const& exec, worklist const& list, graph_view const& g, outputs<N> const& outs,
                    F const& f) {
    constexpr std::int64_t few = 2048;                   // work that one worker takes alone
    constexpr std::int64_t many = 4096, much = 5 * many; // vertices and work to share
    constexpr int max_steps = 64; // a bound, since a cycle of negative length would continue forever
    row_chunks const chunks(exec, list, g, few);
    long_rows deferred;
    int const workers = chunks.shared() ? int(std::min<std::int64_t>(exec.threads(), chunks.count())) : 1;
    chunk_intervals intervals(chunks.count(), workers);
    std::vector<std::array<std::vector<vertex_id>, N>> own(std::size_t(workers),
                                                           std::array<std::vector<vertex_id>, N>{});
    auto const work = [&](auto&& worker, std::int64_t number, long_rows* rest) {
        std::vector<vertex_id> now; // the vertices that enter, so that no rows of others are prefetched
        auto const map_rows = [&] {
            worklist const rows{now.data(), std::int64_t(now.size()), 0};
            edge_map_rows(
                worker, rows, 0, rows.count, g, f, [](vertex_id) { return true; }, rest);
        };
        intervals.for_each(number, [&](std::int64_t c) {
            now.clear();
            for (std::int64_t i = chunks.begin(c), end = chunks.begin(c + 1); i < end; ++i)
                if (enters_map(f, worker, list[i])) now.push_back(list[i]);
            map_rows();
        });
        std::vector<vertex_id>& next = worker.own()[0];
        for (int step = 0; step < max_steps && !next.empty(); ++step) {
            worklist const rows{next.data(), std::int64_t(next.size()), 0};
            if (rows.count > many || row_chunks(exec, rows, g, much).shared()) break;
            now.swap(next);
            next.clear();
            map_rows();
        }
        std::erase_if(next, [&](vertex_id v) { return !f.enlist(worker, v); });
        own[std::size_t(number)] = std::move(worker.own());
    };
    if (chunks.shared())
        detail::for_each_block(exec, workers, 1, [&](std::int64_t number, std::int64_t, std::int64_t) {
            work(eager_worker<concurrent_worker<N>, N>(outs), number, &deferred);
        });
    else
        work(eager_worker<sequential_worker<N>, N>(outs), 0, nullptr);
    append_in_order<N>(exec, own, outs);
    edge_map_long_rows(exec, deferred, g, outs, f);
}

} // namespace coppice::inline v0_1::analytics
