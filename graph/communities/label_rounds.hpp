// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Vertices that take the label that scores best among those of their neighbours, a quarter of them at a time.
#pragma once

#include <coppice/algebra/random.hpp>
#include <coppice/graph/structure/components.hpp>

namespace coppice::analytics {

/// For every vertex a table of the labels around it, with the weight of its edges to each: two places an edge.
struct label_tables {
    graph_view g;
    std::int64_t const* edge_weights; ///< null: 1
    vertex_id* labels;
    vertex_id* keys;           ///< -1: free; all of them between rounds
    std::int64_t* weights;     ///< 0 between rounds
    std::uint64_t* best;       ///< the complement of the best score
    std::uint32_t* best_label; ///< the smallest label of that score; ~0u: the vertex stays

    COPPICE_HD std::int64_t weight(std::int32_t k) const { return edge_weights ? edge_weights[k] : 1; }
};

/// A quarter by a hash, another one in every sweep: neighbours that follow each other in circles are parted.
struct list_quarter {
    std::uint64_t salt;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        int const quarter = int(mix_bits(static_cast<std::uint64_t>(v) * golden_ratio + salt) >> 62);
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
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = x.g.neighbors[k];
        if (v == u) return;
        vertex_id const label = x.labels[v];
        auto const size = static_cast<std::uint64_t>(2 * std::int64_t(x.g.degree(u)));
        std::int64_t const first = 2 * std::int64_t(x.g.offsets[u]);
        for (std::uint64_t at = mix_bits(static_cast<std::uint64_t>(label)) % size;; at = at + 1 == size ? 0 : at + 1) {
            std::int64_t const place = first + std::int64_t(at);
            vertex_id const key = worker.load(x.keys + place);
            if (key != label && (key != -1 || !worker.claim(x.keys + place, vertex_id(-1), label)) &&
                worker.load(x.keys + place) != label)
                continue;
            worker.add(x.weights + place, x.weight(k));
            return;
        }
    }
};
template <class Score>
struct score_label {
    label_tables x;
    Score score;
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        for (std::int64_t place = 2 * std::int64_t(k); place < 2 * std::int64_t(k) + 2; ++place)
            if (x.keys[place] >= 0) worker.lower(x.best + u, ~score(u, x.keys[place], x.labels[u], x.weights[place]));
    }
};
template <class Score>
struct choose_label {
    label_tables x;
    Score score;
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        for (std::int64_t place = 2 * std::int64_t(k); place < 2 * std::int64_t(k) + 2; ++place) {
            vertex_id const label = x.keys[place];
            if (label < 0) continue;
            if (~score(u, label, x.labels[u], x.weights[place]) == x.best[u])
                worker.lower(x.best_label + u, static_cast<std::uint32_t>(label));
            x.keys[place] = -1;
            x.weights[place] = 0;
        }
    }
};
template <class Score>
struct take_label {
    label_tables x;
    Score score;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        auto const to = static_cast<vertex_id>(x.best_label[v]);
        vertex_id const from = x.labels[v];
        if (x.best_label[v] == ~0u || to == from) return;
        x.labels[v] = to;
        score.moves(worker, v, from, to);
        worker.emit(v);
    }
};
struct name_itself {
    vertex_id* labels;
    COPPICE_HD void operator()(std::int64_t v) const { labels[v] = static_cast<vertex_id>(v); }
};

/// Owns labels and tables: 24 bytes an edge and 36 a vertex. score(v, label, own, weight) says how good it is for v,
/// whose label is `own`, to take `label`, with edges of `weight` to it; the larger, the better, and no two moves of a
/// round change it. score.moves(worker, v, from, to) hears of moves.
template <executor Executor>
class label_rounds {
public:
    label_rounds(Executor const& exec, graph_view g, std::int64_t const* edge_weights)
        : exec_(exec), labels_(exec, g.vertices), keys_(exec, 2 * std::int64_t(g.edge_count)),
          weights_(exec, 2 * std::int64_t(g.edge_count)), best_(exec, g.vertices), best_label_(exec, g.vertices),
          lists_(exec, g.vertices), everyone_(placed(exec, worklist{nullptr, g.vertices, 0})),
          x_{g, edge_weights, labels_.data(), keys_.data(), weights_.data(), best_.data(), best_label_.data()} {
        for_each(exec, g.vertices, name_itself{labels_.data()});
        fill(exec, keys_.view(), -1);
        fill(exec, weights_.view(), 0);
    }
    /// Every vertex once; how many moved. Waits.
    template <class Score>
    std::int64_t sweep(Score const& score, std::uint64_t salt) {
        worklist* const moved = lists_[4];
        for_each(exec_, 1, clear_list{moved});
        visit_items(exec_, nullptr, everyone_.data(), into(lists_[0], lists_[1], lists_[2], lists_[3]),
                    list_quarter{mix_bits(salt)});
        for (int quarter = 0; quarter < 4; ++quarter) {
            worklist* const list = lists_[quarter];
            visit_items(exec_, nullptr, list, nothing(), begin_choice<Score>{x_, score});
            visit_edges(exec_, nullptr, list, x_.g, nothing(), gather_label{x_});
            visit_edges(exec_, nullptr, list, x_.g, nothing(), score_label<Score>{x_, score});
            visit_edges(exec_, nullptr, list, x_.g, nothing(), choose_label<Score>{x_, score});
            visit_items(exec_, nullptr, list, into(moved), take_label<Score>{x_, score});
            for_each(exec_, 1, clear_list{list});
        }
        return exec_.load(moved).count;
    }
    buffer<vertex_id>& labels() { return labels_; }

private:
    Executor exec_;
    buffer<vertex_id> labels_, keys_;
    buffer<std::int64_t> weights_;
    buffer<std::uint64_t> best_;
    buffer<std::uint32_t> best_label_;
    worklists<5> lists_;
    buffer<worklist> everyone_;
    label_tables x_;
};

} // namespace coppice::analytics
