// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lane code of the [0, n]-factor: candidate of one nonzero, proposals of one row, confirmation of one vertex.
#pragma once

#include <cstdint>

#include <coppice/algebra/csr.hpp>
#include <coppice/graph/scan/edge_order.hpp>

namespace coppice::inline v0_1::graph_detail {

/// Magnitude of a weight. There is no edge unless it is above zero (false for NaN).
template <class T>
COPPICE_HD constexpr T magnitude_of(T weight) {
    return weight < T(0) ? -weight : weight;
}

/// Candidate edge of one nonzero: the product of the reduction. Small, because it is stored in memory.
template <class T, class I>
struct candidate {
    T weight; ///< zero: no candidate
    I column;
    I row;
};

/// The N best candidates of a row, best first: the accumulator, in registers (thesis, section 3.5.4, table 13).
template <class T, class I, int N>
struct best_candidates {
    T weight[N];
    I column[N]; ///< -1: fewer candidates
    I row;       ///< -1: no candidates
};

/// Reduction operator: the N best of the candidates of one row.
template <class T, class I, int N, class Order = edge_order<I>>
struct keep_best {
    using best = best_candidates<T, I, N>;
    Order order;

    COPPICE_HD best identity() const {
        best none;
        for (int s = 0; s < N; ++s) {
            none.weight[s] = T(0);
            none.column[s] = I(-1);
        }
        none.row = I(-1);
        return none;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE best operator()(best sum, candidate<T, I> const& next) const {
        insert(sum, next);
        return sum;
    }
    COPPICE_HD best operator()(best sum, best const& other) const {
        for (int s = 0; s < N; ++s) insert(sum, {other.weight[s], other.column[s], other.row});
        return sum;
    }

private:
    COPPICE_HD COPPICE_ALWAYS_INLINE void insert(best& sum, candidate<T, I> const& next) const {
        // Rejects most candidates here: a candidate has a weight above zero, an empty slot has zero.
        if (!(next.weight > T(0)) || next.weight < sum.weight[N - 1] || !precedes(next, sum, N - 1)) return;
        sum.row = next.row;
        sum.weight[N - 1] = next.weight;
        sum.column[N - 1] = next.column;
        for (int s = N - 1; s > 0 && precedes(next, sum, s - 1); --s) {
            sum.weight[s] = sum.weight[s - 1];
            sum.column[s] = sum.column[s - 1];
            sum.weight[s - 1] = next.weight;
            sum.column[s - 1] = next.column;
        }
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool precedes(candidate<T, I> const& next, best const& sum, int s) const {
        return order.before(next.row, next.weight, next.column, sum.weight[s], sum.column[s]);
    }
};

/// State of a vertex in one byte: the number of its confirmed edges (bits 4 and up) and to which vertices it may
/// propose in the next round.
///
/// Bits 0-1 are the class of the vertex: 01 positive, 10 negative, 11 not charged, 00 full. Bits 2-3 are the classes
/// that it may propose to.
struct vertex_state {
    std::uint8_t bits;

    COPPICE_HD static vertex_state full(int degree) { return {static_cast<std::uint8_t>(degree << 4)}; }
    COPPICE_HD static vertex_state uncharged(int degree) { return {static_cast<std::uint8_t>((degree << 4) | 0b1111)}; }
    COPPICE_HD static vertex_state charged(int degree, bool positive) {
        return {static_cast<std::uint8_t>((degree << 4) | (positive ? 0b1001 : 0b0110))};
    }
    COPPICE_HD int degree() const { return bits >> 4; }
    COPPICE_HD bool is_full() const { return (bits & 0b1111) == 0; }
    /// Whether this vertex may propose to `other`: both are not full, and their charges differ if vertices are charged.
    COPPICE_HD bool seeks(vertex_state other) const { return ((bits >> 2) & other.bits & 0b11) != 0; }
};

/// Charges of round k (algorithm 8, lines 8-12). The charge of a vertex is a random sign, positive with probability p,
/// from a hash of vertex and round. In a round with charges only vertices of different charge propose to each other, so
/// that the proposals form a bipartite graph.
struct charging {
    bool active = false;
    std::uint64_t round = 0;
    std::uint64_t seed = 0;
    std::uint64_t threshold = 0; ///< probability of a positive charge in units of 2^-32

    COPPICE_HD vertex_state state(std::int64_t vertex, int degree, int capacity) const {
        if (degree >= capacity) return vertex_state::full(degree);
        if (!active) return vertex_state::uncharged(degree);
        std::uint64_t const key = (static_cast<std::uint64_t>(vertex) << 20) + round + seed * 0xd1b54a32d192ed03u;
        return vertex_state::charged(degree, (mix_bits(key) >> 32) < threshold);
    }
};

/// Task of a vertex in the next round without charges.
enum class vertex_task : std::uint8_t {
    rest,    ///< nothing: it is full, or no candidate is left
    propose, ///< its proposals remain valid
    search   ///< its row is searched for new proposals
};

/// Algorithm 8, lines 15-19, for a nonzero: returns it as a candidate unless its edge is confirmed or its other end is
/// full or has the same charge. States and confirmed edges are those before the round.
template <class T, class I, int N>
struct offer_candidate {
    vertex_state const* states;
    vertex_state const* seekers; ///< the same, but full if the row is not to be searched
    I const* neighbors;          ///< [N * vertices], confirmed

    COPPICE_HD candidate<T, I> operator()(T const& weight, I const& column, std::int64_t row) const {
        vertex_state const mine = seekers[row];
        return mine.is_full() ? candidate<T, I>{T(0), I(-1), I(-1)} : of(mine, weight, column, states[column], row);
    }
    /// Returns the candidate of a row with state `mine`, not full, and a column with state `its`.
    COPPICE_HD candidate<T, I> of(vertex_state mine, T const& weight, I column, vertex_state its,
                                  std::int64_t row) const {
        candidate<T, I> const none{T(0), I(-1), I(-1)};
        if (!mine.seeks(its) || column == static_cast<I>(row)) return none;
        for (int s = 0; s < mine.degree(); ++s)
            if (neighbors[N * row + s] == column) return none;
        return {magnitude_of(weight), column, static_cast<I>(row)};
    }
};

/// Whether w is among the first `degree` neighbours of a list.
template <class I>
COPPICE_HD bool lists_neighbor(I const* neighbors, int degree, I w) {
    bool found = false;
    for (int s = 0; s < degree; ++s) found = found || neighbors[s] == w;
    return found;
}

/// Writes the proposals of a row: as many of the best candidates as the vertex may still confirm, then -1.
template <class T, class I, int N>
struct store_proposals {
    vertex_state const* seekers; ///< as in offer_candidate
    I* proposed;                 ///< [N * vertices]; entries of full vertices are never read

    COPPICE_HD bool wants(std::int64_t row) const { return !seekers[row].is_full(); }
    COPPICE_HD void operator()(std::int64_t row, best_candidates<T, I, N> const& best) const {
        vertex_state const mine = seekers[row];
        int const free_slots = N - mine.degree();
        for (int s = 0; s < N; ++s) proposed[N * row + s] = s < free_slots ? best.column[s] : I(-1);
    }
};

/// Numbers of proposals and confirmations in a round, of one vertex or of all.
template <class Count>
struct round_outcome {
    Count proposed;
    Count confirmed;
};

/// Totals of a round without charges, and the work of the next round.
struct round_total {
    std::int64_t proposed;
    std::int64_t confirmed;
    std::int64_t waiting;  ///< vertices that have a task in the next round
    std::int64_t searched; ///< nonzeros of the rows to search
    std::int64_t longest;  ///< nonzeros of the longest of these rows
};
struct add_totals {
    COPPICE_HD round_total operator()(round_total const& a, round_total const& b) const {
        return {a.proposed + b.proposed, a.confirmed + b.confirmed, a.waiting + b.waiting, a.searched + b.searched,
                a.longest > b.longest ? a.longest : b.longest};
    }
};
/// Algorithm 8, line 30, for one vertex: confirms mutual proposals and stores their numbers.
template <class I, int N>
struct confirm_proposals {
    I const* proposed;
    I* neighbors;
    vertex_state* states; ///< states of a round without charges, on return
    round_outcome<std::uint8_t>* outcomes;

    COPPICE_HD void operator()(std::int64_t v) const {
        int const before = states[v].degree();
        int degree = before;
        int proposals = 0;
        for (int s = 0; s < N - before; ++s) { // proposals come first
            I const w = proposed[N * v + s];
            if (w < I(0)) break;
            ++proposals;
            if (proposes(w, static_cast<I>(v)) && !is_neighbor(v, degree, w)) neighbors[N * v + degree++] = w;
        }
        states[v] = degree < N ? vertex_state::uncharged(degree) : vertex_state::full(degree);
        outcomes[v] = {static_cast<std::uint8_t>(proposals), static_cast<std::uint8_t>(degree - before)};
    }

private:
    COPPICE_HD bool proposes(I from, I to) const {
        bool found = false;
        for (int s = 0; s < N; ++s) found = found || proposed[N * std::int64_t(from) + s] == to;
        return found;
    }
    /// True only if the row has a duplicate column.
    COPPICE_HD bool is_neighbor(std::int64_t v, int degree, I w) const {
        return lists_neighbor(neighbors + N * v, degree, w);
    }
};

/// Removes invalid proposals of a vertex after a round without charges and sets its task for the next round.
///
/// Between rounds without charges, vertices only become full and edges only become confirmed. Therefore the remaining
/// best candidates are still the best, and a search would find the same ones, unless there are free slots after them
/// that another candidate of the row may take.
template <class I, int N>
struct keep_proposals {
    vertex_state const* states;
    I const* neighbors;
    round_outcome<std::uint8_t> const* outcomes;
    I* proposed;
    vertex_task* tasks;
    vertex_state* seekers;

    COPPICE_HD void operator()(std::int64_t v) const {
        vertex_state const mine = states[v];
        tasks[v] = vertex_task::rest;
        seekers[v] = vertex_state::full(mine.degree());
        if (mine.is_full()) return;
        int const proposals = outcomes[v].proposed;
        int const free_before = N - mine.degree() + outcomes[v].confirmed;
        int valid = 0;
        for (int s = 0; s < proposals; ++s) {
            I const w = proposed[N * v + s];
            if (!states[w].is_full() && !lists_neighbor(neighbors + N * v, mine.degree(), w))
                proposed[N * v + valid++] = w;
        }
        for (int s = valid; s < proposals; ++s) proposed[N * v + s] = I(-1);
        bool const row_has_more = proposals == free_before;
        if (row_has_more && valid < N - mine.degree()) {
            tasks[v] = vertex_task::search;
            seekers[v] = mine;
        } else if (valid > 0) {
            tasks[v] = vertex_task::propose;
        }
    }
};

} // namespace coppice::inline v0_1::graph_detail
