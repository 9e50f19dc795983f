// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Choice of labels on the host. label_rounds.hpp includes this file.
#pragma once

#include <bit>
#include <vector>

#include <coppice/graph/communities/label_rounds.hpp>

namespace coppice::inline v0_1::analytics {

/// Sums of the edge weights from one vertex to each label: a hash table that grows with the number of labels, so that
/// it fits into the first-level cache for most vertices.
class label_sums {
public:
    void add(vertex_id label, std::int64_t weight) {
        std::size_t const at = slot_of(label);
        if (slots_[at].label != label) {
            slots_[at].label = label;
            used_.push_back(static_cast<std::uint32_t>(at));
            slots_[at].weight = weight;
            if (2 * used_.size() > mask() + 1) grow();
            return;
        }
        slots_[at].weight += weight;
    }
    /// Calls f(label, weight) for all labels and removes them.
    template <class F>
    void drain(F const& f) {
        for (std::uint32_t const at : used_) {
            f(slots_[at].label, slots_[at].weight);
            slots_[at].label = -1;
        }
        used_.clear();
        bits_ = min_bits;
    }

private:
    struct slot {
        vertex_id label = -1; ///< -1: free
        std::int64_t weight = 0;
    };
    static constexpr int min_bits = 6;

    std::size_t mask() const { return (std::size_t(1) << bits_) - 1; }
    /// The slot of a label, or the free slot in which to insert it.
    std::size_t slot_of(vertex_id label) const {
        std::size_t at = static_cast<std::uint32_t>(label) * 0x9e3779b1u >> (32 - bits_);
        while (slots_[at].label != label && slots_[at].label >= 0) at = (at + 1) & mask();
        return at;
    }
    void grow() {
        old_.clear();
        for (std::uint32_t const at : used_) {
            old_.push_back(slots_[at]);
            slots_[at].label = -1;
        }
        if (++bits_; slots_.size() <= mask()) slots_.resize(mask() + 1);
        for (std::size_t i = 0; i < old_.size(); ++i) {
            std::size_t const at = slot_of(old_[i].label);
            slots_[at] = old_[i];
            used_[i] = static_cast<std::uint32_t>(at);
        }
    }

    int bits_ = min_bits;
    std::vector<slot> slots_ = std::vector<slot>(std::size_t(1) << min_bits); ///< the first 2^bits are in use
    std::vector<std::uint32_t> used_;
    std::vector<slot> old_;
};

/// Chooses labels with one hash table per thread; the same labels as the general template.
template <>
class label_choice<host_executor> {
public:
    label_choice(host_executor const& exec, graph_view g, std::int64_t const* edge_weights, vertex_id const* labels,
                 std::uint32_t* best_label)
        : exec_(exec), g_(g), edge_weights_(edge_weights), labels_(labels), best_label_(best_label),
          sums_(std::size_t(exec.threads())) {}

    template <class Score>
    void choose(worklist const* in, Score const& score) {
        worklist const list = *in;
        row_chunks const chunks(exec_, list, g_, min_shared_work(exec_));
        distribute_chunks(exec_, exec_.threads(), chunks.count(), 1, nothing(),
                          [&](auto&, int thread, std::int64_t first, std::int64_t last) {
                              for (auto i = chunks.begin(first), end = chunks.begin(last); i < end; ++i) {
                                  if (list.items) prefetch_row(g_, list.items, i, end);
                                  best_label_[list[i]] = best(list[i], score, sums_[std::size_t(thread)]);
                              }
                          });
    }

private:
    template <class Score>
    std::uint32_t best(vertex_id v, Score const& score, label_sums& sums) const {
        vertex_id const own = labels_[v];
        std::uint64_t best = score(v, own, own, 0);
        std::uint32_t best_label = ~0u;
        if (best == ~std::uint64_t(0)) return best_label; // no score exceeds it
        for (std::int32_t k = g_.offsets[v], end = g_.offsets[v + 1]; k < end; ++k) {
            vertex_id const u = g_.neighbors[k];
            if (u != v) sums.add(labels_[u], edge_weights_ ? edge_weights_[k] : 1);
        }
        sums.drain([&](vertex_id label, std::int64_t weight) {
            std::uint64_t const reached = score(v, label, own, weight);
            auto const name = static_cast<std::uint32_t>(label);
            if (reached < best || (reached == best && name >= best_label)) return;
            best = reached;
            best_label = name;
        });
        return best_label;
    }

    host_executor exec_;
    graph_view g_;
    std::int64_t const* edge_weights_;
    vertex_id const* labels_;
    std::uint32_t* best_label_;
    std::vector<label_sums> sums_; ///< one for each thread
};

} // namespace coppice::inline v0_1::analytics
