// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Triangles on the host. See graph/frontier/shared_neighbors.hpp for the contract.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <coppice/graph/frontier/shared_neighbors.hpp>

namespace coppice::inline v0_1::analytics {

/// A graph with each edge in one direction. If all rows are short, an edge leads from the smaller to the larger index,
/// as in the sorted rows. Otherwise vertices are ranked by descending degree and an edge leads to the smaller rank. The
/// rows of the first ranks, which most rows contain, are bit sets if these are smaller than the lists.
struct ranked_view {
    graph_view g;
    bool by_number;
    vertex_id const* vertex;     ///< vertex of a rank
    std::int32_t const* offsets; ///< offsets of the rows, by vertex
    vertex_id const* neighbors;  ///< ranks of the neighbours
    vertex_id mapped;            ///< ranks from here on have no bit set
    std::int64_t const* map_of;  ///< of the first ranks: offset of the bit set, or -1
    std::uint64_t const* maps;   ///< bit sets over smaller ranks
    COPPICE_HD static std::int32_t words(vertex_id rank) { return (rank + 63) / 64; } ///< words of its bit set
};
class ranked_edges {
public:
    ranked_edges(host_executor const& exec, graph_view g) : g_(g) {
        auto const degree = [g](std::int64_t v) { return g.degree(v); };
        largest_ = reduce(exec, g.vertices, std::int32_t{0}, degree, maximum{});
        if (largest_ <= longest_short) return;
        rank_vertices(exec);
        direct(exec);
        map_rows(exec);
    }
    ranked_view view() const {
        return {g_,
                largest_ <= longest_short,
                vertex_.data(),
                offsets_.data(),
                neighbors_.data(),
                vertex_id(map_of_.size()),
                map_of_.data(),
                maps_.data()};
    }

private:
    static constexpr std::int32_t longest_short = 12; ///< all pairs of neighbours are tested

    /// Counting sort by descending degree, in blocks, of the vertices with a common degree; sort by comparison of the
    /// few others, so that the counters of a block stay in the cache.
    void rank_vertices(host_executor const& exec) {
        constexpr std::int32_t common = 1024;
        constexpr std::int64_t max_blocks = 64;
        rank_ = buffer<vertex_id>(exec, g_.vertices);
        vertex_ = buffer<vertex_id>(exec, g_.vertices);
        auto const set_rank = [this](vertex_id rank, std::int64_t v) {
            vertex_[rank] = vertex_id(v);
            rank_[v] = rank;
        };
        std::int64_t const others = rank_high_degrees(exec, common);
        std::int64_t const block = std::max(coppice::detail::host_block, (g_.vertices + max_blocks - 1) / max_blocks);
        std::vector<vertex_id> next(std::size_t((g_.vertices + block - 1) / block * common), 0);
        auto const for_each_common = [&](auto const& f) {
            coppice::detail::for_each_block(exec, g_.vertices, block,
                                            [&](std::int64_t b, std::int64_t first, std::int64_t last) {
                                                vertex_id* const own = next.data() + b * common;
                                                for (auto v = first; v < last; ++v)
                                                    if (g_.degree(v) < common) f(own[g_.degree(v)], v);
                                            });
        };
        for_each_common([](vertex_id& count, std::int64_t) { ++count; });
        auto sum = static_cast<vertex_id>(others);
        for (std::int32_t d = common - 1; d >= 0; --d)
            for (auto at = std::size_t(d); at < next.size(); at += common) sum += std::exchange(next[at], sum);
        for_each_common([&](vertex_id& rank, std::int64_t v) { set_rank(rank++, v); });
    }
    /// Ranks the vertices with at least `min_degree` edges; returns their number.
    std::int64_t rank_high_degrees(host_executor const& exec, std::int32_t min_degree) {
        if (largest_ < min_degree) return 0;
        std::int64_t const count = select(
            exec, g_.vertices, [&](std::int64_t v) { return g_.degree(v) >= min_degree; },
            [&](std::int64_t at, std::int64_t v) { vertex_[at] = vertex_id(v); });
        coppice::detail::parallel_sort(exec, vertex_.begin(), vertex_.begin() + count,
                                       [this](vertex_id u, vertex_id v) {
                                           std::int32_t const du = g_.degree(u), dv = g_.degree(v);
                                           return du > dv || (du == dv && u < v);
                                       });
        for_each(exec, count, [this](std::int64_t rank) { rank_[vertex_[rank]] = vertex_id(rank); });
        return count;
    }
    struct to_smaller_rank {
        graph_view g;
        vertex_id const* rank;
        bool selects(vertex_id u, std::int32_t k) const { return rank[g.neighbors[k]] < rank[u]; }
    };
    void direct(host_executor const& exec) {
        std::int32_t total = 0;
        offsets_ = offsets_of_selected(exec, g_, to_smaller_rank{g_, rank_.data()}, total);
        neighbors_ = buffer<vertex_id>(exec, total);
        with_workers(exec, g_.vertices, 4096, nothing(), [&](auto&, std::int64_t begin, std::int64_t end) {
            for (auto u = begin; u < end; ++u) {
                vertex_id const mine = rank_[u];
                auto at = offsets_[u];
                // without a branch, which would be unpredictable
                for (auto k = g_.offsets[u]; at < offsets_[u + 1]; ++k) {
                    vertex_id const other = rank_[g_.neighbors[k]];
                    neighbors_[at] = other;
                    at += other < mine ? 1 : 0;
                }
            }
        });
    }
    void map_rows(host_executor const& exec) {
        std::vector<std::int64_t> at;
        std::int64_t total = 0;
        for (vertex_id r = 0; r < g_.vertices && ranked_view::words(r) <= g_.degree(vertex_[r]); ++r) {
            vertex_id const v = vertex_[r];
            bool const is_mapped = ranked_view::words(r) <= offsets_[v + 1] - offsets_[v];
            at.push_back(is_mapped ? total : -1);
            if (is_mapped) total += ranked_view::words(r);
        }
        map_of_ = exec.copy(at);
        maps_ = buffer<std::uint64_t>(exec, total);
        fill(exec, maps_.view(), 0);
        constexpr std::int64_t few = 16; // the first rows are the longest
        coppice::detail::for_each_block(exec, map_of_.size(), few,
                                        [this](std::int64_t, std::int64_t first, std::int64_t last) {
                                            for (auto r = first; r < last; ++r)
                                                if (map_of_[r] >= 0) map_row(vertex_[r], maps_.data() + map_of_[r]);
                                        });
    }

    void map_row(vertex_id v, std::uint64_t* bits) const {
        for (auto k = offsets_[v]; k < offsets_[v + 1]; ++k)
            bits[neighbors_[k] >> 6] |= std::uint64_t(1) << (neighbors_[k] & 63);
    }

    graph_view g_;
    std::int32_t largest_; ///< maximum degree
    buffer<vertex_id> rank_{}, vertex_{};
    buffer<std::int32_t> offsets_{};
    buffer<vertex_id> neighbors_{};
    buffer<std::int64_t> map_of_{};
    buffer<std::uint64_t> maps_{};
};
inline ranked_edges direct_edges(host_executor const& exec, graph_view g) { return {exec, g}; }

/// Number of bits that are set in both.
inline std::int64_t count_common(std::uint64_t const* a, std::uint64_t const* b, std::int32_t words) {
    constexpr std::uint64_t ones = 0x0101010101010101;
    std::uint64_t count = 0;
    for (std::int32_t i = 0; i < words;) {
        std::uint64_t bytes = 0; // sums of up to 24 words fit in a byte
        for (std::int32_t const end = std::min(words, i + 24); i < end; ++i) {
            std::uint64_t x = a[i] & b[i];
            x -= x >> 1 & 0x55 * ones;
            x = (x & 0x33 * ones) + (x >> 2 & 0x33 * ones);
            bytes += (x + (x >> 4)) & 0x0f * ones;
        }
        constexpr std::uint64_t pairs = 0x0001000100010001;
        bytes = (bytes & 0xff * pairs) + (bytes >> 8 & 0xff * pairs);
        count += bytes * pairs >> 48;
    }
    return static_cast<std::int64_t>(count);
}
/// Calls f(i) for the bits i that are set in both; returns their number.
template <class F>
std::int64_t for_each_common(std::uint64_t const* a, std::uint64_t const* b, std::int32_t words, F const& f) {
    std::int64_t count = 0;
    for (std::int32_t i = 0; i < words; ++i)
        for (std::uint64_t both = a[i] & b[i]; both != 0; both &= both - 1, ++count) f(64 * i + std::countr_zero(both));
    return count;
}

/// Workspace of a worker.
struct triangle_workspace {
    std::vector<std::uint64_t> bits;   ///< bit set of the current row
    std::vector<std::int64_t> corners; ///< triangles at the third corner, by rank
};
template <class Worker, class F>
void count_ranked(Worker& worker, ranked_view const& d, vertex_id u, triangle_workspace& workspace, F const& f) {
    auto const begin = d.offsets[u], end = d.offsets[u + 1];
    if (end - begin < 2) return;
    std::uint64_t* const bits = workspace.bits.data();
    [[maybe_unused]] std::int64_t* const corners = workspace.corners.data();
    for (auto k = begin; k < end; ++k) bits[d.neighbors[k] >> 6] |= std::uint64_t(1) << (d.neighbors[k] & 63);
    std::int64_t all = 0;
    for (auto k = begin; k < end; ++k) {
        vertex_id const rank = d.neighbors[k], v = d.vertex[rank];
        std::int64_t count = 0;
        if (rank < d.mapped && d.map_of[rank] >= 0) {
            auto const* const map = d.maps + d.map_of[rank];
            if constexpr (F::corners)
                count = for_each_common(bits, map, d.words(rank), [=](std::int32_t w) { ++corners[w]; });
            else
                count = count_common(bits, map, d.words(rank));
        } else {
            for (auto i = d.offsets[v], last = d.offsets[v + 1]; i < last; ++i) {
                vertex_id const w = d.neighbors[i];
                auto const both = static_cast<std::int64_t>(bits[w >> 6] >> (w & 63) & 1);
                count += both;
                if constexpr (F::corners) corners[w] += both;
            }
        }
        all += count;
        if constexpr (F::corners) f.second(worker, v, count);
    }
    f.first(worker, u, all);
    for (auto k = begin; k < end; ++k) bits[d.neighbors[k] >> 6] = 0;
}
/// Tests for all pairs v < w of the sorted row of u, u < v, whether w is in the row of v.
template <class Worker, class F>
void count_pairs(Worker& worker, graph_view g, vertex_id u, F const& f) {
    auto begin = g.offsets[u];
    auto const end = g.offsets[u + 1];
    while (begin < end && g.neighbors[begin] <= u) ++begin;
    std::int64_t all = 0;
    for (auto k = begin; k + 1 < end; ++k) {
        vertex_id const v = g.neighbors[k];
        std::int64_t count = 0;
        for (auto j = k + 1; j < end; ++j) {
            vertex_id const w = g.neighbors[j];
            std::int64_t both = 0;
            for (auto i = g.offsets[v], last = g.offsets[v + 1]; i < last; ++i) both += g.neighbors[i] == w ? 1 : 0;
            count += both;
            if constexpr (F::corners)
                if (both > 0) f.third(worker, w);
        }
        all += count;
        if constexpr (F::corners) f.second(worker, v, count);
    }
    f.first(worker, u, all);
}

/// Adds the triangles that the workers have counted at third corners.
template <class F>
void add_corners(host_executor const& exec, ranked_view const& d, std::vector<triangle_workspace> const& of_worker,
                 F const& f) {
    with_workers(exec, d.g.vertices, 4096, nothing(), [&](auto& worker, std::int64_t first, std::int64_t last) {
        for (triangle_workspace const& workspace : of_worker)
            if (!workspace.corners.empty())
                for (auto rank = first; rank < last; ++rank)
                    f.second(worker, d.vertex[rank], workspace.corners[std::size_t(rank)]);
    });
}

template <class F>
void for_each_triangle(host_executor const& exec, graph_view g, ranked_view const& d, F const& f) {
    if (d.by_number)
        return with_workers(exec, g.vertices, 4096, nothing(),
                            [=](auto& worker, std::int64_t first, std::int64_t last) {
                                for (std::int64_t u = first; u < last; ++u) count_pairs(worker, g, vertex_id(u), f);
                            });
    std::vector<triangle_workspace> of_worker(std::size_t(exec.threads()));
    graph_view directed = g;
    directed.offsets = d.offsets;
    constexpr std::int64_t few_edges = 1024; // per chunk, since an edge takes many steps
    row_chunks const chunks(exec, worklist{nullptr, g.vertices, 0}, directed, 0, few_edges);
    distribute_chunks(exec, exec.threads(), chunks.count(), 1, nothing(),
                      [&](auto& worker, int number, std::int64_t first, std::int64_t last) {
                          triangle_workspace& workspace = of_worker[std::size_t(number)];
                          workspace.bits.resize(std::size_t(ranked_view::words(g.vertices)), 0);
                          if (F::corners) workspace.corners.resize(std::size_t(g.vertices), 0);
                          for (auto u = chunks.begin(first); u < chunks.begin(last); ++u)
                              count_ranked(worker, d, vertex_id(u), workspace, f);
                      });
    if constexpr (F::corners) add_corners(exec, d, of_worker, f);
}

} // namespace coppice::inline v0_1::analytics
