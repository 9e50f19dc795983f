// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Triangles on the host. See graph/frontier/shared_neighbors.hpp for the contract.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include <coppice/graph/frontier/shared_neighbors.hpp>

namespace coppice::analytics {

/// The graph and its edges in one direction. Where all rows are short, from the smaller to the larger number, as they
/// stand in the rows. Else vertices have ranks by falling degree, and an edge leads to the smaller rank; of the first
/// ranks, which most rows share, a row takes fewer words as bits than as a list.
struct ranked_view {
    graph_view g;
    bool by_number;
    vertex_id const* vertex;     ///< of a rank
    std::int32_t const* offsets; ///< of the rows of vertices
    vertex_id const* neighbors;  ///< their ranks
    vertex_id mapped;            ///< ranks from here on have no bits
    std::int64_t const* map_of;  ///< of the first ranks: where the bits begin, or -1
    std::uint64_t const* maps;   ///< bits of the ranks below
    COPPICE_HD static std::int32_t words(vertex_id rank) { return (rank + 63) / 64; } ///< of its bits
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
    static constexpr std::int32_t longest_short = 12; ///< all pairs of a row's neighbours are tried

    void rank_vertices(host_executor const& exec) {
        rank_ = buffer<vertex_id>(exec, g_.vertices);
        vertex_ = buffer<vertex_id>(exec, g_.vertices);
        std::vector<vertex_id> first(std::size_t(largest_) + 2, 0); // of the ranks of a degree
        for (vertex_id v = 0; v < g_.vertices; ++v) ++first[std::size_t(largest_ - g_.degree(v)) + 1];
        for (std::size_t d = 1; d < first.size(); ++d) first[d] += first[d - 1];
        for (vertex_id v = 0; v < g_.vertices; ++v) {
            rank_[v] = first[std::size_t(largest_ - g_.degree(v))]++;
            vertex_[rank_[v]] = v;
        }
    }
    struct to_smaller_rank {
        graph_view g;
        vertex_id const* rank;
        bool keeps(vertex_id u, std::int32_t k) const { return rank[g.neighbors[k]] < rank[u]; }
    };
    void direct(host_executor const& exec) {
        std::int32_t total = 0;
        offsets_ = offsets_of_kept(exec, g_, to_smaller_rank{g_, rank_.data()}, total);
        neighbors_ = buffer<vertex_id>(exec, total);
        with_workers(exec, g_.vertices, 4096, nothing(), [&](auto&, std::int64_t begin, std::int64_t end) {
            for (auto u = begin; u < end; ++u) {
                vertex_id const mine = rank_[u];
                auto at = offsets_[u];
                for (auto k = g_.offsets[u]; at < offsets_[u + 1]; ++k) { // no branch on what none could predict
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
        for_each(exec, map_of_.size(), [this](std::int64_t r) {
            if (map_of_[r] < 0) return;
            std::uint64_t* const bits = maps_.data() + map_of_[r];
            vertex_id const v = vertex_[r];
            for (auto k = offsets_[v]; k < offsets_[v + 1]; ++k)
                bits[neighbors_[k] >> 6] |= std::uint64_t(1) << (neighbors_[k] & 63);
        });
    }

    graph_view g_;
    std::int32_t largest_; ///< degree
    buffer<vertex_id> rank_{}, vertex_{};
    buffer<std::int32_t> offsets_{};
    buffer<vertex_id> neighbors_{};
    buffer<std::int64_t> map_of_{};
    buffer<std::uint64_t> maps_{};
};
inline ranked_edges direct_edges(host_executor const& exec, graph_view g) { return {exec, g}; }

/// Bits that are set in both.
inline std::int64_t count_common(std::uint64_t const* a, std::uint64_t const* b, std::int32_t words) {
    constexpr std::uint64_t ones = 0x0101010101010101;
    std::uint64_t count = 0;
    for (std::int32_t i = 0; i < words;) {
        std::uint64_t bytes = 0; // sums of up to 24 words fit
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
/// f(i) for the bits i that are set in both; their number.
template <class F>
std::int64_t visit_common(std::uint64_t const* a, std::uint64_t const* b, std::int32_t words, F const& f) {
    std::int64_t count = 0;
    for (std::int32_t i = 0; i < words; ++i)
        for (std::uint64_t both = a[i] & b[i]; both != 0; both &= both - 1, ++count) f(64 * i + std::countr_zero(both));
    return count;
}

/// What a worker has of its own.
struct triangle_marks {
    std::vector<std::uint64_t> bits;   ///< of the row that it is at
    std::vector<std::int64_t> corners; ///< triangles at the third corner, by rank
};
template <class Worker, class F>
void visit_ranked(Worker& worker, ranked_view const& d, vertex_id u, triangle_marks& marks, F const& f) {
    auto const begin = d.offsets[u], end = d.offsets[u + 1];
    if (end - begin < 2) return;
    std::uint64_t* const bits = marks.bits.data();
    [[maybe_unused]] std::int64_t* const corners = marks.corners.data();
    for (auto k = begin; k < end; ++k) bits[d.neighbors[k] >> 6] |= std::uint64_t(1) << (d.neighbors[k] & 63);
    std::int64_t all = 0;
    for (auto k = begin; k < end; ++k) {
        vertex_id const rank = d.neighbors[k], v = d.vertex[rank];
        std::int64_t count = 0;
        if (rank < d.mapped && d.map_of[rank] >= 0) {
            auto const* const map = d.maps + d.map_of[rank];
            if constexpr (F::corners)
                count = visit_common(bits, map, d.words(rank), [=](std::int32_t w) { ++corners[w]; });
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
/// All pairs u < v < w of the sorted row of u: whether w is in that of v.
template <class Worker, class F>
void visit_pairs(Worker& worker, graph_view g, vertex_id u, F const& f) {
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

template <class F>
void visit_triangles(host_executor const& exec, graph_view g, ranked_view const& d, F const& f) {
    if (d.by_number)
        return with_workers(exec, g.vertices, 4096, nothing(),
                            [=](auto& worker, std::int64_t first, std::int64_t last) {
                                for (std::int64_t u = first; u < last; ++u) visit_pairs(worker, g, vertex_id(u), f);
                            });
    std::vector<triangle_marks> of_worker(std::size_t(exec.threads()));
    std::int64_t const part = std::clamp<std::int64_t>(g.vertices / 256, 64, 4096);
    deal_out(exec, exec.threads(), g.vertices, part, nothing(),
             [&](auto& worker, int number, std::int64_t first, std::int64_t last) {
                 triangle_marks& marks = of_worker[std::size_t(number)];
                 marks.bits.resize(std::size_t(ranked_view::words(g.vertices)), 0);
                 if (F::corners) marks.corners.resize(std::size_t(g.vertices), 0);
                 for (std::int64_t u = first; u < last; ++u) visit_ranked(worker, d, vertex_id(u), marks, f);
             });
    lone_worker<1> worker(nothing());
    for (triangle_marks const& marks : of_worker)
        for (std::size_t rank = 0; rank < marks.corners.size(); ++rank)
            f.second(worker, d.vertex[rank], marks.corners[rank]);
}

} // namespace coppice::analytics
