// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Vertices in the order of vertex_order, on the host: whoever is decided in that order finds all that it waits for
/// decided, and needs to ask nobody who is first.
///
///   - `stretches_pay(g)`: whether most neighbours have near numbers and hardly a row is long, as on grids. Threads
///     take stretches of numbers then, each in its order, and leave the few vertices that wait for another stretch.
///   - `visit_stretches(exec, g, outs, f)`: f(worker, mark, stretch) for stretches of vertices.
///   - `vertices_in_order`: all vertices that have edges, in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include <coppice/algebra/random.hpp>
#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::analytics {

inline constexpr std::int64_t longest_stretch = 1 << 17; ///< a byte for each of its vertices stays in a cache
inline constexpr int most_marks = 24;                    ///< stretches that are worked on at once

/// Asks for what is read soon. A run of hubs is not asked for in full.
template <class T>
void prefetch(T const* first, T const* last) {
    constexpr std::int64_t line = 64 / sizeof(T), most = 64 * line;
    for (last = std::min(last, first + most); first < last; first += line) __builtin_prefetch(first);
}

template <class Worker, class T>
void store_all(Worker& worker, T* first, T* last, T x) {
    for (; first < last; ++first) worker.store(first, x);
}

/// The runs of a stretch of vertices, by their places.
class ordered_runs {
public:
    /// [first, last): first is a multiple of the length of a run.
    void sort(vertex_id first, vertex_id last) {
        constexpr int length = 1 << vertex_order::run_bits;
        vertex_id const begin = first / length;
        auto const count = (std::size_t(last) - std::size_t(first) + length - 1) / length;
        int shift = 31;
        while (shift > 0 && (std::size_t(1) << (32 - shift)) < count) --shift;
        bucket_.assign((std::size_t(1) << (32 - shift)) + 1, 0);
        runs_.resize(count);
        for (std::size_t i = 0; i < count; ++i) ++bucket_[(place(begin, i) >> shift) + 1];
        for (std::size_t b = 1; b < bucket_.size(); ++b) bucket_[b] += bucket_[b - 1];
        for (std::size_t i = 0; i < count; ++i) {
            std::uint32_t const p = place(begin, i);
            runs_[bucket_[p >> shift]++] = {p, (begin + vertex_id(i)) * length};
        }
        for (std::size_t i = 1; i < count; ++i) { // one in a bucket on average
            run const moved = runs_[i];
            std::size_t at = i;
            for (; at > 0 && moved.place < runs_[at - 1].place; --at) runs_[at] = runs_[at - 1];
            runs_[at] = moved;
        }
    }
    std::int64_t size() const { return std::int64_t(runs_.size()); }
    /// The first vertex of a run.
    vertex_id operator[](std::int64_t i) const { return runs_[std::size_t(i)].first; }

private:
    struct run {
        std::uint32_t place;
        vertex_id first;
    };
    static std::uint32_t place(vertex_id begin, std::size_t i) { return shuffled(begin + vertex_id(i), 0); }

    std::vector<run> runs_;
    std::vector<std::uint32_t> bucket_;
};

/// f(v) for the vertices below `end` of the runs [first, last), in order. Offsets are asked for ahead, and rows.
template <bool Rows, class F>
void visit_runs(graph_view g, ordered_runs const& runs, std::int64_t first, std::int64_t last, vertex_id end, F f) {
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
        for (vertex_id k = 0; k < length; ++k) { // bits reversed twice are as before
            auto const place = static_cast<vertex_id>(vertex_order::place_in_run(k));
            if (whole || place < end - begin) f(begin + place);
        }
    }
}

/// By a sample: at most an edge in four leads out of a stretch, and a row in 64 has more than 30 edges.
inline bool stretches_pay(graph_view g) {
    std::int64_t edges = 0, far = 0, long_rows = 0;
    constexpr std::int64_t samples = 1024;
    for (std::int64_t i = 0; i < samples; ++i) {
        auto const v = vertex_id(mix_bits(std::uint64_t(i)) % std::uint64_t(g.vertices));
        if (g.degree(v) > 30) {
            ++long_rows;
            continue;
        }
        for (auto k = g.offsets[v]; k < g.offsets[v + 1]; ++k, ++edges)
            far += std::abs(g.neighbors[k] - v) > longest_stretch / 4 ? 1 : 0;
    }
    return 64 * long_rows <= samples && 4 * far <= edges;
}

struct vertex_stretch {
    vertex_id first, last;
    ordered_runs runs;
};
/// f(worker, mark, stretch) for stretches of vertices; those that are worked on at once have different marks below
/// most_marks.
template <int N, class F>
void visit_stretches(host_executor const& exec, graph_view g, outputs<N> const& outs, F const& f) {
    int const workers = std::min(exec.threads(), most_marks);
    constexpr std::int64_t unit = 1 << 10;
    std::int64_t const share = g.vertices / (8 * std::int64_t(workers)) / unit * unit;
    std::int64_t const part = workers == 1 ? longest_stretch : std::clamp(share, 4 * unit, longest_stretch);
    deal_out(exec, workers, g.vertices, part, outs, [&](auto& worker, int mark, std::int64_t first, std::int64_t last) {
        vertex_stretch stretch{vertex_id(first), vertex_id(last), {}};
        stretch.runs.sort(stretch.first, stretch.last);
        f(worker, mark, stretch);
    });
}

/// The vertices that have edges, in their order: those of class 0, then those of class 1.
class vertices_in_order {
public:
    vertices_in_order(host_executor const& exec, graph_view g, vertex_order order) : list_(exec, g.vertices) {
        ordered_runs runs;
        runs.sort(0, g.vertices);
        constexpr std::int64_t block = 1024; // runs
        std::vector<ends> at(std::size_t((runs.size() + block - 1) / block));
        auto const visit = [&](std::int64_t first, std::int64_t last, auto const& f) {
            visit_runs<false>(g, runs, first, last, g.vertices, [&](vertex_id v) {
                if (std::int32_t const degree = g.degree(v); degree > 0) f(v, order.class_of(degree));
            });
        };
        detail::for_each_block(exec, runs.size(), block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
            visit(first, last, [&](vertex_id, int c) { ++at[std::size_t(b)].of_class[c]; });
        });
        std::int64_t sum = 0;
        for (int c = 0; c < 2; ++c) {
            for (ends& e : at) sum += std::exchange(e.of_class[c], sum);
            end_[c] = sum;
        }
        detail::for_each_block(exec, runs.size(), block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
            ends to = at[std::size_t(b)];
            visit(first, last, [&](vertex_id v, int c) { list_[to.of_class[c]++] = v; });
        });
    }
    /// f(v) for the vertices [first, last) of the list, whose rows are asked for ahead.
    template <class F>
    void visit(graph_view g, std::int64_t first, std::int64_t last, F f) const {
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
    /// Where the vertices of class 0 end, and all.
    std::int64_t end_of_class(int c) const { return end_[c]; }

private:
    struct ends {
        std::int64_t of_class[2] = {0, 0};
    };
    buffer<vertex_id> list_;
    std::int64_t end_[2] = {0, 0};
};

} // namespace coppice::analytics
