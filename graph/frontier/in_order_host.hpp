// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sequential processing of vertices in the order of vertex_order, on the host. In that order all vertices that a
/// vertex depends on are decided before it, so that no checks of the order are needed.
///
///   - `neighbors_in_chunks(g)`: whether most neighbours have close indices and long rows are rare, as on grids. Then
///     each thread takes chunks of consecutive indices, processes each in order, and leaves the few vertices that
///     depend on another chunk.
///   - `for_each_chunk(exec, g, outs, f)`: calls f(worker, slot, chunk) for chunks of vertices.
///   - `vertices_in_order`: all vertices that have edges, in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include <coppice/algebra/random.hpp>
#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::inline v0_1::analytics {

inline constexpr std::int64_t max_chunk = 1 << 17; ///< one byte per vertex of a chunk fits in the cache
inline constexpr int max_slots = 24;               ///< maximum number of chunks that are processed simultaneously

/// Prefetches [first, last), at most 64 cache lines.
template <class T>
void prefetch(T const* first, T const* last) {
    constexpr std::int64_t line = 64 / sizeof(T), max_ahead = 64 * line;
    for (last = std::min(last, first + max_ahead); first < last; first += line) __builtin_prefetch(first);
}

template <class Worker, class T>
void store_all(Worker& worker, T* first, T* last, T x) {
    for (; first < last; ++first) worker.store(first, x);
}

/// The runs of a chunk of vertices, sorted by their keys.
class ordered_runs {
public:
    /// Sorts the runs of [first, last); first is a multiple of the length of a run.
    void sort(vertex_id first, vertex_id last) {
        constexpr int length = 1 << vertex_order::run_bits;
        vertex_id const begin = first / length;
        auto const count = (std::size_t(last) - std::size_t(first) + length - 1) / length;
        int shift = 31;
        while (shift > 0 && (std::size_t(1) << (32 - shift)) < count) --shift;
        bucket_.assign((std::size_t(1) << (32 - shift)) + 1, 0);
        runs_.resize(count);
        for (std::size_t i = 0; i < count; ++i) ++bucket_[(key(begin, i) >> shift) + 1];
        for (std::size_t b = 1; b < bucket_.size(); ++b) bucket_[b] += bucket_[b - 1];
        for (std::size_t i = 0; i < count; ++i) {
            std::uint32_t const p = key(begin, i);
            runs_[bucket_[p >> shift]++] = {p, (begin + vertex_id(i)) * length};
        }
        for (std::size_t i = 1; i < count; ++i) { // buckets hold one run on average
            run const current = runs_[i];
            std::size_t at = i;
            for (; at > 0 && current.key < runs_[at - 1].key; --at) runs_[at] = runs_[at - 1];
            runs_[at] = current;
        }
    }
    std::int64_t size() const { return std::int64_t(runs_.size()); }
    /// First vertex of run i.
    vertex_id operator[](std::int64_t i) const { return runs_[std::size_t(i)].first; }

private:
    struct run {
        std::uint32_t key;
        vertex_id first;
    };
    static std::uint32_t key(vertex_id begin, std::size_t i) { return shuffled(begin + vertex_id(i), 0); }

    std::vector<run> runs_;
    std::vector<std::uint32_t> bucket_;
};

/// Calls f(v) for the vertices below `end` of the runs [first, last), in order. Prefetches offsets and, if `Rows`,
/// rows.
template <bool Rows, class F>
void for_each_in_runs(graph_view g, ordered_runs const& runs, std::int64_t first, std::int64_t last, vertex_id end,
                      F f) {
    constexpr vertex_id length = 1 << vertex_order::run_bits;
    constexpr std::int64_t ahead = 4;
    for (std::int64_t i = first; i < last; ++i) {
        if (i + 2 * ahead < last) __builtin_prefetch(g.offsets + runs[i + 2 * ahead]);
        if (Rows && i + ahead < last) {
            std::int32_t const* const soon = g.offsets + runs[i + ahead];
            prefetch(g.neighbors + soon[0], g.neighbors + soon[std::min(length, end - runs[i + ahead])]);
        }
        vertex_id const begin = runs[i];
        bool const whole = end - begin >= length;
        for (vertex_id k = 0; k < length; ++k) { // the bit reversal is its own inverse
            auto const offset = static_cast<vertex_id>(vertex_order::position_in_run(k));
            if (whole || offset < end - begin) f(begin + offset);
        }
    }
}

/// Estimates from a sample: true if at most 1/4 of the edges lead out of a chunk and at most 1/64 of the rows have more
/// than 30 edges.
inline bool neighbors_in_chunks(graph_view g) {
    std::int64_t edges = 0, far = 0, long_rows = 0;
    constexpr std::int64_t samples = 1024;
    for (std::int64_t i = 0; i < samples; ++i) {
        auto const v = vertex_id(mix_bits(std::uint64_t(i)) % std::uint64_t(g.vertices));
        if (g.degree(v) > 30) {
            ++long_rows;
            continue;
        }
        for (auto k = g.offsets[v]; k < g.offsets[v + 1]; ++k, ++edges)
            far += std::abs(g.neighbors[k] - v) > max_chunk / 4 ? 1 : 0;
    }
    return 64 * long_rows <= samples && 4 * far <= edges;
}

struct vertex_chunk {
    vertex_id first, last;
    ordered_runs runs;
};
/// Calls f(worker, slot, chunk) for chunks of vertices. Chunks that are processed simultaneously have different slots
/// below max_slots.
template <int N, class F>
void for_each_chunk(host_executor const& exec, graph_view g, outputs<N> const& outs, F const& f) {
    int const workers = std::min(exec.threads(), max_slots);
    constexpr std::int64_t granularity = 1 << 10;
    std::int64_t const balanced = g.vertices / (8 * std::int64_t(workers)) / granularity * granularity;
    std::int64_t const chunk = workers == 1 ? max_chunk : std::clamp(balanced, 4 * granularity, max_chunk);
    distribute_chunks(exec, workers, g.vertices, chunk, outs,
                      [&](auto& worker, int slot, std::int64_t first, std::int64_t last) {
                          vertex_chunk own{vertex_id(first), vertex_id(last), {}};
                          own.runs.sort(own.first, own.last);
                          f(worker, slot, own);
                      });
}

/// The vertices that have edges, in order: those of class 0, then those of class 1.
class vertices_in_order {
public:
    vertices_in_order(host_executor const& exec, graph_view g, vertex_order order) : list_(exec, g.vertices) {
        ordered_runs runs;
        runs.sort(0, g.vertices);
        constexpr std::int64_t block = 1024; // runs per block
        std::vector<ends> at(std::size_t((runs.size() + block - 1) / block));
        auto const for_each_vertex = [&](std::int64_t first, std::int64_t last, auto const& f) {
            for_each_in_runs<false>(g, runs, first, last, g.vertices, [&](vertex_id v) {
                if (std::int32_t const degree = g.degree(v); degree > 0) f(v, order.class_of(degree));
            });
        };
        detail::for_each_block(exec, runs.size(), block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
            for_each_vertex(first, last, [&](vertex_id, int c) { ++at[std::size_t(b)].of_class[c]; });
        });
        std::int64_t sum = 0;
        for (int c = 0; c < 2; ++c) {
            for (ends& e : at) sum += std::exchange(e.of_class[c], sum);
            end_[c] = sum;
        }
        detail::for_each_block(exec, runs.size(), block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
            ends to = at[std::size_t(b)];
            for_each_vertex(first, last, [&](vertex_id v, int c) { list_[to.of_class[c]++] = v; });
        });
    }
    /// Calls f(v) for the vertices [first, last) of the list and prefetches their rows.
    template <class F>
    void for_each(graph_view g, std::int64_t first, std::int64_t last, F f) const {
        constexpr std::int64_t ahead = 8;
        for (std::int64_t i = first; i < last; ++i) {
            if (i + 2 * ahead < last) __builtin_prefetch(g.offsets + list_[i + 2 * ahead]);
            if (i + ahead < last) {
                vertex_id const soon = list_[i + ahead];
                prefetch(g.neighbors + g.offsets[soon], g.neighbors + g.offsets[soon + 1]);
            }
            f(list_[i]);
        }
    }
    vertex_id operator[](std::int64_t i) const { return list_[i]; }
    /// End of the vertices of class c in the list.
    std::int64_t end_of_class(int c) const { return end_[c]; }

private:
    struct ends {
        std::int64_t of_class[2] = {0, 0};
    };
    buffer<vertex_id> list_;
    std::int64_t end_[2] = {0, 0};
};

} // namespace coppice::inline v0_1::analytics
