// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rounds without charges for n = 1 (a matching) on the host: equivalent to proposal_rounds, with two passes per round
/// over the vertices that still propose.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <coppice/core/parallel.hpp>
#include <coppice/graph/factor/proposal.hpp>

namespace coppice::inline v0_1::graph_detail {

/// Each block of vertices keeps its vertices that still propose at its front, which preserves locality.
template <class T, class I, class O>
class host_matching_rounds {
public:
    /// mates[vertices] are the confirmed edges, -1: none; proposed[vertices] is workspace.
    host_matching_rounds(host_executor const& exec, csr_view<T, I, O> weights, edge_order<I> order, I* mates,
                         I* proposed, vertex_state* states)
        : exec_(exec), weights_(weights), order_(order), mates_(mates), proposed_(proposed), states_(states) {}

    /// Makes the first proposal of every free vertex.
    void begin() {
        waiting_ = buffer<I>(exec_, weights_.rows());
        blocks_.assign(std::size_t((weights_.rows() + block - 1) / block), {});
        for_blocks([this](block_of_vertices& b, std::int64_t first, std::int64_t last) {
            b.count = 0;
            for (auto v = static_cast<I>(first); v < static_cast<I>(last); ++v) {
                proposed_[v] = I(-1);
                if (mates_[v] >= I(0)) continue;
                waiting_[first + b.count++] = v;
                proposed_[v] = best_of(v);
            }
        });
    }
    /// Confirms mutual proposals; vertices whose choice is taken then choose again.
    round_total run() {
        for_blocks([this](block_of_vertices& b, std::int64_t first, std::int64_t) { confirm(b, first); });
        for_blocks([this](block_of_vertices& b, std::int64_t first, std::int64_t) { choose_again(b, first); });
        round_total sum{};
        for (auto const& b : blocks_) sum = add_totals{}(sum, b.total);
        return sum;
    }

private:
    static constexpr std::int64_t block = 1024;
    static constexpr O short_row = 12;
    struct block_of_vertices {
        std::int64_t count;
        round_total total;
    };

    template <class Work>
    void for_blocks(Work const& work) {
        coppice::detail::for_each_block(
            exec_, weights_.rows(), block,
            [&](std::int64_t b, std::int64_t first, std::int64_t last) { work(blocks_[std::size_t(b)], first, last); });
    }
    I best_of(I v) const {
        O const begin = weights_.row_begin(v), end = weights_.row_end(v);
        if constexpr (sizeof(T) == 4 || sizeof(T) == 8)
            if (end - begin <= short_row) return best_of_short(v, begin, end);
        return best_of_long(v, begin, end);
    }
    /// Without data-dependent branches, which would be unpredictable. The bits of magnitudes ascend with their values.
    I best_of_short(I v, O begin, O end) const {
        using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        bits key[short_row], max = 0;
        int const count = int(end - begin);
        for (int k = 0; k < count; ++k) {
            I const u = weights_.indices[begin + k];
            T const w = magnitude_of(weights_.coefficients[begin + k]);
            bits const mask = bits(0) - bits((w > T(0)) & (mates_[u] < I(0)) & (u != v));
            key[k] = std::bit_cast<bits>(w) & mask;
            max = std::max(max, key[k]);
        }
        if (max == 0) return I(-1);
        int heaviest = 0, at = 0;
        for (int k = 0; k < count; ++k) {
            heaviest += key[k] == max ? 1 : 0;
            at = key[k] == max ? k : at;
        }
        return heaviest == 1 ? weights_.indices[begin + at] : best_of_long(v, begin, end);
    }
    /// The first comparison rejects most edges: they are lighter than an earlier one.
    I best_of_long(I v, O begin, O end) const {
        T max = T(0);
        I best = I(-1);
        for (O k = begin; k < end; ++k) {
            T const w = magnitude_of(weights_.coefficients[k]);
            if (!(w > T(0)) || w < max) continue;
            I const u = weights_.indices[k];
            if (mates_[u] >= I(0) || u == v || !order_.before(v, w, u, max, best)) continue;
            max = w;
            best = u;
        }
        return best;
    }
    /// Keeps the vertices that still wait. Without a branch, which would be unpredictable.
    void confirm(block_of_vertices& b, std::int64_t first) {
        b.total = {};
        std::int64_t remaining = 0;
        for (std::int64_t i = first; i < first + b.count; ++i) {
            I const v = waiting_[i], u = proposed_[v];
            bool const proposes = u >= I(0), mutual = proposed_[proposes ? u : v] == v;
            b.total.proposed += proposes ? 1 : 0;
            b.total.confirmed += mutual ? 1 : 0;
            mates_[v] = mutual ? u : I(-1);
            states_[v] = vertex_state::full(mutual ? 1 : 0);
            waiting_[first + remaining] = v;
            remaining += (proposes & !mutual) ? 1 : 0;
        }
        b.count = b.total.waiting = remaining;
    }
    void choose_again(block_of_vertices& b, std::int64_t first) {
        for (std::int64_t i = first; i < first + b.count; ++i) {
            I const v = waiting_[i];
            if (mates_[proposed_[v]] < I(0)) continue;
            std::int64_t const row = std::int64_t(weights_.row_end(v)) - std::int64_t(weights_.row_begin(v));
            b.total.searched += row;
            b.total.longest = std::max(b.total.longest, row);
            proposed_[v] = best_of(v);
        }
    }

    host_executor const& exec_;
    csr_view<T, I, O> weights_;
    edge_order<I> order_;
    I* mates_;
    I* proposed_;
    vertex_state* states_;
    buffer<I> waiting_{};
    std::vector<block_of_vertices> blocks_{};
};

} // namespace coppice::inline v0_1::graph_detail
