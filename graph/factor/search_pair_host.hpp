// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Search of a row for its two best candidates on the host, without branches on weights and states.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include <coppice/graph/factor/proposal.hpp>

namespace coppice::inline v0_1::graph_detail {

/// Does what `alone`, a search_row of proposal_rounds for n = 2 and floats, does. Rows of up to max_row entries are
/// reduced to their three largest keys. A key consists of the bits of the weight, which ascend with positive floats; of
/// bits that descend with the distance, if near edges come first; and of the position in the row. If only the positions
/// of the two best differ, the order of the edges decides; if more keys are equal, the row is left to `alone`. The
/// branches of an insertion into the two best are unpredictable, and took longer than this on rows of any length up to
/// the limit.
template <class I, class Alone>
struct search_pair {
    Alone alone;

    void operator()(std::int64_t v) const {
        if (!alone.store.wants(v)) return;
        best_candidates<float, I, 2> best;
        if (find(static_cast<I>(v), best))
            alone.store(v, best);
        else
            alone(v);
    }

private:
    static constexpr int position_bits = 6, max_row = 1 << position_bits;
    static constexpr std::uint32_t max_distance = (std::uint32_t(1) << (32 - position_bits)) - 1;

    bool find(I v, best_candidates<float, I, 2>& best) const {
        auto const begin = alone.weights.row_begin(v), end = alone.weights.row_end(v);
        if (end - begin > max_row) return false;
        auto const& offer = alone.offer;
        auto const& order = alone.keep.order;
        bool const near = order.ties == tie_rule::near;
        vertex_state const mine = offer.seekers[v];
        I const confirmed = mine.degree() > 0 ? offer.neighbors[2 * std::int64_t(v)] : I(-1);
        std::uint64_t first = 0, second = 0, third = 0;
        for (auto k = begin; k < end; ++k) {
            I const u = alone.weights.indices[k];
            float const w = magnitude_of(alone.weights.coefficients[k]);
            bool const counts = bool(w > 0.0f) & bool(u != v) & bool(u != confirmed) & mine.seeks(offer.states[u]);
            auto const distance = static_cast<std::uint32_t>(u < v ? v - u : u - v);
            std::uint32_t const nearness = near ? max_distance - std::min(distance, max_distance) : 0;
            std::uint64_t const key = std::uint64_t(std::bit_cast<std::uint32_t>(w)) << 32 |
                                      std::uint32_t(nearness << position_bits) | std::uint32_t(k - begin);
            std::uint64_t const counted = key & (0 - std::uint64_t(counts));
            third = std::max(third, std::min(second, counted));
            second = std::max(second, std::min(first, counted));
            first = std::max(first, counted);
        }
        if (is_tie(second, third)) return false;
        best = {{0, 0}, {column(begin, first), column(begin, second)}, v};
        auto const w = std::bit_cast<float>(static_cast<std::uint32_t>(first >> 32));
        if (is_tie(first, second) && order.before(v, w, best.column[1], w, best.column[0]))
            std::swap(best.column[0], best.column[1]);
        return true;
    }
    static bool is_tie(std::uint64_t key, std::uint64_t smaller) {
        return smaller > 0 && key >> position_bits == smaller >> position_bits;
    }
    template <class O>
    I column(O begin, std::uint64_t key) const {
        return key == 0 ? I(-1) : alone.weights.indices[begin + O(key % max_row)];
    }
};

} // namespace coppice::inline v0_1::graph_detail
