// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The rows of an edge map on the host: their division into chunks, and the edges of long rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include <coppice/graph/frontier/workers_host.hpp>

namespace coppice::inline v0_1::analytics {

/// Prefetches the rows of the vertices that follow items[i], and the offsets of later ones. Always inline: compilers
/// delete calls of a function that only prefetches.
COPPICE_ALWAYS_INLINE void prefetch_row(graph_view const& g, vertex_id const* items, std::int64_t i,
                                        std::int64_t last) {
    constexpr std::int64_t ahead = 8;
    if (i + 2 * ahead < last) __builtin_prefetch(g.offsets + items[i + 2 * ahead]);
    if (i + ahead < last) __builtin_prefetch(g.neighbors + g.offsets[items[i + ahead]]);
}

/// Calls f(worker, u, k) for the edges k of rows in order. If f has concerns(), the edges of many rows are filtered
/// first, without a data-dependent branch.
template <class Worker, class F>
class row_mapper {
public:
    row_mapper(Worker& worker, graph_view const& g, F const& f) : worker_(worker), g_(g), f_(f) {}
    row_mapper(row_mapper const&) = delete;
    row_mapper& operator=(row_mapper const&) = delete;

    /// Maps the edges [k, end) of row u.
    void map(vertex_id u, std::int32_t k, std::int32_t end) {
        if constexpr (filters) {
            bool const is_long = end - k >= piece / 2;
            while (k < end) {
                int found = found_;
                for (std::int32_t const stop = std::min(end, k + piece); k < stop; ++k) {
                    edges_[found] = {u, k};
                    found += f_.concerns(worker_, u, k) ? 1 : 0;
                }
                found_ = found;
                if (is_long || found > piece) flush();
            }
        } else {
            for (; k < end; ++k) f_(worker_, u, k);
        }
    }
    /// Processes the buffered edges.
    void flush() {
        for (int i = 0; i < found_; ++i) f_(worker_, edges_[i].u, edges_[i].k);
        found_ = 0;
    }

private:
    struct edge {
        vertex_id u;
        std::int32_t k;
    };
    static constexpr bool filters = requires(F const& f, Worker& worker, vertex_id u) {
        f.concerns(worker, u, std::int32_t(0));
    };
    static constexpr int piece = 64;

    Worker& worker_;
    graph_view g_;
    F const& f_;
    int found_ = 0;
    edge edges_[filters ? 2 * piece : 1];
};

/// Division of the rows of a list into chunks that have about equal work, which is the number of vertices and edges. An
/// equal number of vertices would not do: in graphs with hubs, these often have consecutive indices.
class row_chunks {
public:
    /// One thread takes all rows if there is no other, or if their work is at most `min_shared`.
    row_chunks(host_executor const& exec, worklist const& list, graph_view const& g, std::int64_t min_shared,
               std::int64_t max_work = 1 << 14)
        : list_(list), g_(g) {
        if (exec.threads() == 1 || list.count == 0) return;
        std::int64_t const work = estimated_work();
        if (work <= min_shared) return;
        shared_ = true;
        work_ = std::clamp(work / (16 * exec.threads()), min_work, max_work);
        vertices_ = list.items ? std::max<std::int64_t>(1, work_ * list.count / work) : 0;
        count_ = list.items ? (list.count + vertices_ - 1) / vertices_ : (work + work_ - 1) / work_;
    }
    bool shared() const { return shared_; }
    std::int64_t count() const { return count_; }
    /// First position in the list of chunk c <= count().
    std::int64_t begin(std::int64_t c) const {
        if (c == 0) return 0;
        if (c == count_) return list_.count;
        return list_.items ? c * vertices_ : vertex_at(c * work_);
    }

private:
    static constexpr std::int64_t min_work = 1024, few = 4096;

    std::int64_t estimated_work() const {
        if (!list_.items) return list_.count + (g_.offsets[list_.count] - g_.offsets[0]);
        if (list_.work > 0) return list_.count + list_.work;
        if (list_.count > few) return list_.count + list_.count * g_.edge_count / g_.vertices;
        std::int64_t work = list_.count; // the rows of a short list may be much longer than the mean
        for (std::int64_t i = 0; i < list_.count; ++i) work += g_.degree(list_.items[i]);
        return work;
    }
    /// Smallest v with v + offsets[v] >= work.
    std::int64_t vertex_at(std::int64_t work) const {
        return detail::first_not_below(0, list_.count,
                                       [&](std::int64_t v) { return v + (g_.offsets[v] - g_.offsets[0]) < work; });
    }

    worklist list_;
    graph_view g_;
    bool shared_ = false;
    std::int64_t work_ = 0;     ///< of a chunk
    std::int64_t vertices_ = 0; ///< of a chunk, if the list has items
    std::int64_t count_ = 1;
};

/// Work that takes as long as sharing it. Two threads save less than more threads do.
inline std::int64_t min_shared_work(host_executor const& exec) { return exec.threads() > 2 ? 1 << 12 : 20480; }

/// Rows that are too long for one worker. All workers share their edges after the other rows.
class long_rows {
public:
    static constexpr std::int32_t min_length = 1 << 13;

    void add(vertex_id u, std::int32_t begin, std::int32_t end) {
        std::lock_guard const lock(mutex_);
        for (; begin < end; begin += std::min(piece, end - begin))
            edges_.push_back({u, begin, begin + std::min(piece, end - begin)});
    }
    struct edges {
        vertex_id u;
        std::int32_t begin, end;
    };
    std::vector<edges> const& pieces() const { return edges_; }

private:
    static constexpr std::int32_t piece = 1 << 11;
    std::mutex mutex_;
    std::vector<edges> edges_;
};

/// Processes the rows of a range of a list. enters(v) is evaluated when v is reached. Adds rows that are too long to
/// `deferred`; null: processes them, too.
template <class Worker, class F, class Enters>
void edge_map_rows(Worker& worker, worklist const& list, std::int64_t first, std::int64_t last, graph_view const& g,
                   F const& f, Enters const& enters, long_rows* deferred) {
    row_mapper<Worker, F> rows(worker, g, f);
    for (std::int64_t i = first; i < last; ++i) {
        if (list.items) prefetch_row(g, list.items, i, last);
        vertex_id const u = list[i];
        if (!enters(u)) continue;
        std::int32_t const begin = g.offsets[u], end = g.offsets[u + 1];
        if (deferred && end - begin >= long_rows::min_length) {
            deferred->add(u, begin, end);
            continue;
        }
        rows.map(u, begin, end);
    }
    rows.flush();
}
/// Processes the edges that edge_map_rows() has left.
template <int N, class F>
void edge_map_long_rows(host_executor const& exec, long_rows const& rows, graph_view const& g, outputs<N> const& outs,
                        F const& f) {
    auto const& pieces = rows.pieces();
    distribute_chunks(exec, exec.threads(), std::int64_t(pieces.size()), 1, outs,
                      [&](auto& worker, int, std::int64_t first, std::int64_t last) {
                          row_mapper mapper(worker, g, f);
                          for (std::int64_t p = first; p < last; ++p) {
                              auto const& piece = pieces[std::size_t(p)];
                              mapper.map(piece.u, piece.begin, piece.end);
                          }
                          mapper.flush();
                      });
}

} // namespace coppice::inline v0_1::analytics
