// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rounds of proposals over a graph: what algorithm 8 repeats.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include <coppice/graph/factor_result.hpp>
#include <coppice/graph/matching_rounds_host.hpp>
#include <coppice/graph/proposal.hpp>
#include <coppice/semiring/srcsr/srcsr.hpp>

namespace coppice::graph_detail {

/// Gives every vertex its state for a round, from the number of its confirmed edges.
struct set_states {
    vertex_state* states;
    charging rule;
    int capacity;
    COPPICE_HD void operator()(std::int64_t v) const { states[v] = rule.state(v, states[v].degree(), capacity); }
};
struct vertex_degree {
    vertex_state const* states;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return states[v].degree(); }
};

/// f of the listed vertices; of all where there is no list.
template <class I, class F>
struct of_listed {
    I const* list;
    F f;
    COPPICE_HD auto operator()(std::int64_t i) const { return f(list ? std::int64_t(list[i]) : i); }
};
template <class I, class F>
of_listed(I*, F) -> of_listed<std::remove_const_t<I>, F>;

template <class O>
struct vertex_total {
    round_outcome<std::uint8_t> const* outcomes;
    vertex_task const* tasks;
    O const* offsets;
    COPPICE_HD round_total operator()(std::int64_t v) const {
        std::int64_t const row = tasks[v] == vertex_task::search ? std::int64_t(offsets[v + 1] - offsets[v]) : 0;
        return {outcomes[v].proposed, outcomes[v].confirmed, tasks[v] != vertex_task::rest ? 1 : 0, row, row};
    }
};
struct is_waiting {
    vertex_task const* tasks;
    COPPICE_HD bool operator()(std::int64_t v) const { return tasks[v] != vertex_task::rest; }
};
template <class I>
struct list_vertex {
    I const* old; ///< null: all vertices
    I* list;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t i) const {
        list[position] = old ? old[i] : static_cast<I>(i);
    }
};

/// One row by one worker: the fold of reduce_rows for a few short rows among many.
template <class T, class I, class O, int N>
struct search_row {
    csr_view<T, I, O> weights;
    offer_candidate<T, I, N> offer;
    keep_best<T, I, N> keep;
    store_proposals<T, I, N> store;
    COPPICE_HD void operator()(std::int64_t v) const {
        if (!store.wants(v)) return;
        auto best = keep.identity();
        for (O k = weights.row_begin(static_cast<I>(v)); k < weights.row_end(static_cast<I>(v)); ++k)
            best = keep(best, offer(weights.coefficients[k], weights.indices[k], v));
        store(v, best);
    }
};

/// Rounds of proposals for n = N over one graph. Rounds without charges that follow each other go on from what is left
/// of the proposals: few rows are searched again, and vertices that wait for nothing are no longer looked at.
template <int N, class Executor, class T, class I, class O>
class proposal_rounds {
public:
    /// f.neighbors are the confirmed edges.
    proposal_rounds(Executor const& exec, srcsr_plan<O> const& plan, csr_view<T, I, O> weights, graph_factor<I>& f)
        : exec_(exec), plan_(plan), weights_(weights), neighbors_(f.neighbors.data()), order_(f.order),
          proposed_(exec, N * std::int64_t(weights.rows())), states_(exec, weights.rows()),
          outcomes_(exec, weights.rows()), tasks_(exec, weights.rows()), seekers_(exec, weights.rows()),
          listed_(weights.rows()) {
        fill(exec_, states_.view(), vertex_state::full(0)); // no edges yet
        if constexpr (matches_on_host)
            matching_.emplace(exec, weights, order_, neighbors_, proposed_.data(), states_.data());
    }

    /// Says what the round has done only where it is to look, for which it waits, and never of a round with charges,
    /// which does not tell whether the factor is maximal.
    std::optional<round_total> run(charging const& rule, bool look) {
        if constexpr (matches_on_host)
            if (!rule.active) return run_matching(look);
        if (rule.active || !going_on_) start_anew(rule);
        search();
        going_on_ = !rule.active;
        for_each(
            exec_, listed_,
            of_listed{list(), confirm_proposals<I, N>{proposed_.data(), neighbors_, states_.data(), outcomes_.data()}});
        if (rule.active) return std::nullopt;
        for_each(exec_, listed_,
                 of_listed{list(), keep_proposals<I, N>{states_.data(), neighbors_, outcomes_.data(), proposed_.data(),
                                                        tasks_.data(), seekers_.data()}});
        if (!look) return std::nullopt;
        total_ =
            reduce(exec_, listed_, round_total{},
                   of_listed{list(), vertex_total<O>{outcomes_.data(), tasks_.data(), weights_.offsets}}, add_totals{});
        if (listed_ >= least_listed && 2 * total_.waiting < listed_) list_waiting();
        return total_;
    }

    /// Of a round without charges, in nonzeros that are searched: to look at a vertex several times is worth
    /// `vertex_cost` of them.
    double next_cost() const {
        if (!going_on_) return double(plan_.nonzeros) + vertex_cost * double(weights_.rows());
        return double(total_.searched) + vertex_cost * double(total_.waiting);
    }
    std::int64_t edges() const {
        return reduce(exec_, weights_.rows(), std::int64_t{0}, vertex_degree{states_.data()}, plus{}) / 2;
    }

private:
    std::optional<round_total> run_matching(bool look) {
        if (!going_on_) matching_->begin();
        going_on_ = true;
        total_ = matching_->run();
        return look ? std::optional(total_) : std::nullopt;
    }
    I const* list() const { return listed_ < weights_.rows() ? lists_[current_].data() : nullptr; }

    /// All vertices take part, and all rows are searched.
    void start_anew(charging const& rule) {
        listed_ = weights_.rows();
        going_on_ = false;
        for_each(exec_, listed_, set_states{states_.data(), rule, N});
    }

    void search() {
        vertex_state const* const seekers = going_on_ ? seekers_.data() : states_.data();
        offer_candidate<T, I, N> const offer{states_.data(), seekers, neighbors_};
        keep_best<T, I, N> const keep{order_};
        store_proposals<T, I, N> const store{seekers, proposed_.data()};
        // A few short rows, going by the last look: not worth a walk over all nonzeros.
        bool const few = going_on_ && 8 * total_.searched < plan_.nonzeros && total_.longest <= longest_alone;
        if (few)
            for_each(exec_, listed_, of_listed{list(), search_row<T, I, O, N>{weights_, offer, keep, store}});
        else
            reduce_rows(exec_, plan_, along_nonzeros{offer, weights_.coefficients, weights_.indices}, keep, store);
    }

    void list_waiting() {
        int const other = 1 - current_;
        if (lists_[other].size() < total_.waiting) lists_[other] = buffer<I>(exec_, total_.waiting);
        listed_ = select(exec_, listed_, of_listed{list(), is_waiting{tasks_.data()}},
                         list_vertex<I>{list(), lists_[other].data()});
        current_ = other;
    }

    static constexpr bool matches_on_host = N == 1 && std::is_same_v<Executor, host_executor>;
    static constexpr double vertex_cost = 4;
    // A list that is shorter than a kernel takes to start is not worth the wait for its length.
    static constexpr std::int64_t least_listed = std::is_same_v<Executor, host_executor> ? 1 : 1 << 18;
    static constexpr std::int64_t longest_alone = 256; ///< nonzeros of a row that one worker searches

    Executor const& exec_;
    srcsr_plan<O> const& plan_;
    csr_view<T, I, O> weights_;
    I* neighbors_;
    edge_order<I> order_;
    buffer<I> proposed_;
    buffer<vertex_state> states_;
    buffer<round_outcome<std::uint8_t>> outcomes_;
    buffer<vertex_task> tasks_;
    buffer<vertex_state> seekers_;
    buffer<I> lists_[2]{};
    int current_ = 0;
    std::int64_t listed_;
    bool going_on_ = false;                                   ///< the last round had no charges
    round_total total_{};                                     ///< of the last round that was looked at
    std::optional<host_matching_rounds<T, I, O>> matching_{}; ///< where it does what has no charges
};

} // namespace coppice::graph_detail
