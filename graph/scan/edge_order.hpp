// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Total order of the edges of a weighted graph, which is the same at both ends of an edge.
///
/// Edges are compared by weight (heavier first), then by a tie rule, then by the pair of vertices. The tie rule
/// matters: if ties are broken by column index, all vertices of a grid of equal weights propose in the same direction,
/// and almost nothing is confirmed in a round (table 15 of the source thesis, ECOLOGY1 without charges).
#pragma once

#include <cstdint>

#include <coppice/algebra/random.hpp>
#include <coppice/core/config.hpp>

namespace coppice::inline v0_1 {

/// Order of edges {i, j} of equal weight.
enum class tie_rule {
    hash, ///< a hash of the unordered pair: pseudo-random, the same at both ends
    near  ///< smaller |i - j| first, then the hash: follows the lines of a numbered grid and preserves locality
};

/// An undirected edge with low < high.
template <class T, class I>
struct weighted_edge {
    T weight;
    I low;
    I high;

    COPPICE_HD friend bool operator==(weighted_edge const& a, weighted_edge const& b) {
        return a.low == b.low && a.high == b.high && a.weight == b.weight;
    }
};

/// Compares edges. A strict total order on the edges of a graph without parallel edges; weights must not be NaN.
template <class I>
struct edge_order {
    tie_rule ties = tie_rule::hash;
    std::uint64_t seed = 0;

    /// Hash of the unordered pair {a, b}. For 32-bit vertices and one seed no two pairs share a value.
    COPPICE_HD std::uint64_t hash(I a, I b) const {
        auto const low = static_cast<std::uint64_t>(a < b ? a : b);
        auto const high = static_cast<std::uint64_t>(a < b ? b : a);
        return mix_bits(((high << 32) | (high >> 32)) + low + seed * golden_ratio);
    }

    /// Whether edge {vertex, a} of weight wa comes before edge {vertex, b} of weight wb.
    template <class T>
    COPPICE_HD bool before(I vertex, T wa, I a, T wb, I b) const {
        if (wa != wb) return wa > wb;
        if (ties == tie_rule::near) {
            I const distance_a = a < vertex ? vertex - a : a - vertex;
            I const distance_b = b < vertex ? vertex - b : b - vertex;
            if (distance_a != distance_b) return distance_a < distance_b;
        }
        std::uint64_t const hash_a = hash(vertex, a);
        std::uint64_t const hash_b = hash(vertex, b);
        // Both pairs contain `vertex`, so the pair with the smaller other end is the smaller pair.
        return hash_a != hash_b ? hash_a < hash_b : a < b;
    }

    /// Whether edge e comes before edge f; consistent with the overload above if the edges share a vertex.
    template <class T>
    COPPICE_HD bool before(weighted_edge<T, I> const& e, weighted_edge<T, I> const& f) const {
        if (e.weight != f.weight) return e.weight > f.weight;
        if (ties == tie_rule::near && e.high - e.low != f.high - f.low) return e.high - e.low < f.high - f.low;
        std::uint64_t const hash_e = hash(e.low, e.high);
        std::uint64_t const hash_f = hash(f.low, f.high);
        if (hash_e != hash_f) return hash_e < hash_f;
        return e.low != f.low ? e.low < f.low : e.high < f.high;
    }
};

} // namespace coppice::inline v0_1
