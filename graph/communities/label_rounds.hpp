// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rounds in which vertices take the label of best score among the labels of their neighbours, a quarter of the
/// vertices at a time. CUDA sums the weights of the labels in one hash table per vertex, the host in one per thread
/// (label_rounds_host.hpp); both choose the same labels.
#pragma once

#include <coppice/algebra/random.hpp>
#include <coppice/graph/structure/components.hpp>

namespace coppice::inline v0_1::analytics {

/// A hash table for each vertex: the labels of its neighbours, and for each label the sum of the weights of the edges
/// to it. Two slots per edge.
struct label_tables {
    graph_view g;
    std::int64_t const* edge_weights; ///< null: 1
    vertex_id const* labels;
    std::uint32_t* best_label; ///< the smallest label of the best score; ~0u: the vertex keeps its label
    vertex_id* keys;           ///< -1: free slot; all slots are free between rounds
    std::int64_t* weights;     ///< 0 between rounds
    std::uint64_t* best;       ///< the complement of the best score

    COPPICE_HD std::int64_t weight(std::int32_t k) const { return edge_weights ? edge_weights[k] : 1; }
};

/// Distributes the vertices to four lists by a hash that changes with every sweep. This separates neighbours that would
/// otherwise swap labels forever.
struct quarter_rule {
    std::uint64_t salt = 0;
    vertex_id first = 0; ///< index of vertex 0 in the whole graph, if this one has the vertices of one rank
    COPPICE_HD int operator()(vertex_id v) const {
        auto const index = static_cast<std::uint64_t>(std::int64_t(first) + v);
        return int(mix_bits(index * golden_ratio + salt) >> 62);
    }
};
/// Appends the vertices that decide in this sweep to the list of their quarter.
struct list_quarter {
    quarter_rule rule;
    std::int32_t const* waits;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (waits[v] == 0) return;
        int const quarter = rule(v);
        if (quarter == 0)
            worker.template emit<0>(v);
        else if (quarter == 1)
            worker.template emit<1>(v);
        else if (quarter == 2)
            worker.template emit<2>(v);
        else
            worker.template emit<3>(v);
    }
};
template <class Score>
struct begin_choice {
    label_tables x;
    Score score;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id v) const {
        x.best[v] = ~score(v, x.labels[v], x.labels[v], 0);
        x.best_label[v] = ~0u;
    }
};
struct gather_label {
    label_tables x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = x.g.neighbors[k];
        if (v == u) return;
        vertex_id const label = x.labels[v];
        auto const size = static_cast<std::uint64_t>(2 * std::int64_t(x.g.degree(u)));
        std::int64_t const first = 2 * std::int64_t(x.g.offsets[u]);
        for (std::uint64_t at = mix_bits(static_cast<std::uint64_t>(label)) % size;; at = at + 1 == size ? 0 : at + 1) {
            std::int64_t const slot = first + std::int64_t(at);
            vertex_id const key = worker.load(x.keys + slot);
            if (key != label && (key != -1 || !worker.claim(x.keys + slot, vertex_id(-1), label)) &&
                worker.load(x.keys + slot) != label)
                continue;
            worker.add(x.weights + slot, x.weight(k));
            return;
        }
    }
};
template <class Score>
struct score_label {
    label_tables x;
    Score score;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        for (std::int64_t slot = 2 * std::int64_t(k); slot < 2 * std::int64_t(k) + 2; ++slot)
            if (x.keys[slot] >= 0) worker.lower(x.best + u, ~score(u, x.keys[slot], x.labels[u], x.weights[slot]));
    }
};
template <class Score>
struct choose_label {
    label_tables x;
    Score score;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        for (std::int64_t slot = 2 * std::int64_t(k); slot < 2 * std::int64_t(k) + 2; ++slot) {
            vertex_id const label = x.keys[slot];
            if (label < 0) continue;
            if (~score(u, label, x.labels[u], x.weights[slot]) == x.best[u])
                worker.lower(x.best_label + u, static_cast<std::uint32_t>(label));
            x.keys[slot] = -1;
            x.weights[slot] = 0;
        }
    }
};
template <class Score>
struct take_label {
    std::uint32_t const* best_label;
    vertex_id* labels;
    std::int32_t* waits;
    Score score;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        auto const to = static_cast<vertex_id>(best_label[v]);
        vertex_id const from = labels[v];
        waits[v] = 0;
        if (best_label[v] == ~0u || to == from) return;
        labels[v] = to;
        score.moves(worker, v, from, to);
        worker.emit(v);
    }
};
/// Makes the neighbours of u decide again if their label differs from that of u.
struct wake_neighbors {
    graph_view g;
    vertex_id const* labels;
    std::int32_t* waits;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        if (labels[v] != labels[u]) worker.store(waits + v, 1);
    }
};
struct end_label_round {
    worklist *list, *changed;
    std::int64_t* moves;
    COPPICE_HD void operator()(std::int64_t) const {
        *moves += changed->count;
        list->clear();
        changed->clear();
    }
};
struct label_itself {
    vertex_id* labels;
    COPPICE_HD void operator()(std::int64_t v) const { labels[v] = static_cast<vertex_id>(v); }
};

/// Chooses labels with one hash table per vertex. Memory: 24 bytes per edge and 8 per vertex.
template <executor Executor>
class label_choice {
public:
    label_choice(Executor const& exec, graph_view g, std::int64_t const* edge_weights, vertex_id const* labels,
                 std::uint32_t* best_label)
        : exec_(exec), keys_(exec, 2 * std::int64_t(g.edge_count)), weights_(exec, 2 * std::int64_t(g.edge_count)),
          best_(exec, g.vertices), x_{g,           edge_weights, labels, best_label, keys_.data(), weights_.data(),
                                      best_.data()} {
        fill(exec, keys_.view(), -1);
        fill(exec, weights_.view(), 0);
    }
    template <class Score>
    void choose(worklist const* list, Score const& score) const {
        vertex_map(exec_, nullptr, list, nothing(), begin_choice<Score>{x_, score});
        edge_map(exec_, nullptr, list, x_.g, nothing(), gather_label{x_});
        edge_map(exec_, nullptr, list, x_.g, nothing(), score_label<Score>{x_, score});
        edge_map(exec_, nullptr, list, x_.g, nothing(), choose_label<Score>{x_, score});
    }

private:
    Executor exec_;
    buffer<vertex_id> keys_;
    buffer<std::int64_t> weights_;
    buffer<std::uint64_t> best_;
    label_tables x_;
};

/// Owns the labels. Memory: 32 bytes per vertex, and that of label_choice. score(v, label, own, weight) returns the
/// score of `label` for v, given the current label `own` of v and the total `weight` of its edges to `label`; larger is
/// better. Moves within a round must not change it. score.moves(worker, v, from, to) is called for every move. If the
/// score depends on which vertices move together, score.of_quarter(rule, quarter) returns the score for the round of
/// the vertices v with rule(v) = quarter.
///
/// A rank of a distributed graph passes the number `own` of its vertices, which are the first ones of g, and the global
/// index `first` of vertex 0. It sets the initial labels and may exchange labels between the quarters of a sweep.
template <executor Executor>
class label_rounds {
public:
    label_rounds(Executor const& exec, graph_view g, std::int64_t const* edge_weights)
        : label_rounds(exec, g, edge_weights, g.vertices, 0) {}
    label_rounds(Executor const& exec, graph_view g, std::int64_t const* edge_weights, vertex_id own, vertex_id first)
        : exec_(exec), g_(g), labels_(exec, g.vertices), best_label_(exec, g.vertices), waits_(exec, g.vertices),
          lists_(exec, g.vertices), own_vertices_(placed(exec, worklist{nullptr, own, 0})),
          moves_(placed(exec, std::int64_t{0})), rule_{0, first},
          choice_(exec, g, edge_weights, labels_.data(), best_label_.data()) {
        for_each(exec, g.vertices, label_itself{labels_.data()});
        wake_all();
    }
    /// Lets all vertices decide in the next sweep.
    void wake_all() { fill(exec_, waits_.view(), 1); }
    /// Lets the vertices decide that have not decided yet, and those with a neighbour whose label has changed, to
    /// another one than theirs, since they decided. Returns the number of vertices that take another label. Waits.
    template <class Score>
    std::int64_t sweep(Score const& score, std::uint64_t salt) {
        begin_sweep(salt);
        for (int q = 0; q < 4; ++q) quarter(score, q);
        return moves();
    }
    /// The steps of a sweep: begin_sweep(), quarter() for 0 to 3, moves().
    void begin_sweep(std::uint64_t salt) {
        rule_.salt = mix_bits(salt);
        fill(exec_, moves_.view(), 0);
        vertex_map(exec_, nullptr, own_vertices_.data(), into(lists_[0], lists_[1], lists_[2], lists_[3]),
                   list_quarter{rule_, waits_.data()});
    }
    template <class Score>
    void quarter(Score const& score, int q) {
        if constexpr (requires { score.of_quarter(rule_, 0); })
            round(lists_[q], score.of_quarter(rule_, q));
        else
            round(lists_[q], score);
    }
    std::int64_t moves() { return exec_.load(moves_.data()); } ///< in this sweep; waits
    /// Makes the neighbours in `g` of each vertex of a list decide again if their label differs from that of the
    /// vertex.
    void wake_neighbors_of(worklist const* list, graph_view g) {
        edge_map(exec_, nullptr, list, g, nothing(), wake_neighbors{g, labels_.data(), waits_.data()});
    }
    buffer<vertex_id>& labels() { return labels_; }

private:
    template <class Score>
    void round(worklist* list, Score const& score) {
        worklist* const changed = lists_[4];
        choice_.choose(list, score);
        vertex_map(exec_, nullptr, list, into(changed),
                   take_label<Score>{best_label_.data(), labels_.data(), waits_.data(), score});
        wake_neighbors_of(changed, g_);
        for_each(exec_, 1, end_label_round{list, changed, moves_.data()});
    }

    Executor exec_;
    graph_view g_;
    buffer<vertex_id> labels_;
    buffer<std::uint32_t> best_label_;
    buffer<std::int32_t> waits_; ///< 1: the vertex decides in the next sweep
    worklists<5> lists_;
    buffer<worklist> own_vertices_;
    buffer<std::int64_t> moves_;
    quarter_rule rule_;
    label_choice<Executor> choice_;
};

} // namespace coppice::inline v0_1::analytics

#include <coppice/graph/communities/label_rounds_host.hpp>
