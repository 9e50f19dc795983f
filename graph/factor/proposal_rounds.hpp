// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rounds of proposals over a graph: what algorithm 8 repeats.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <coppice/graph/factor/factor_result.hpp>
#include <coppice/graph/factor/matching_rounds_host.hpp>
#include <coppice/graph/factor/proposal.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

namespace coppice::graph_detail {

/// Gives every vertex its state for a round, from the number of its confirmed edges.
template <class Names>
struct set_states {
    vertex_state* states;
    Names names;
    charging rule;
    int capacity;
    COPPICE_HD void operator()(std::int64_t v) const { states[v] = rule.state(names(v), states[v].degree(), capacity); }
};

/// What a vertex proposes, as other places read it.
template <class I, int N>
struct named_proposals {
    I to[N];
};
template <class I, int N, class Names>
struct name_proposals {
    I const* proposed;
    Names names;
    COPPICE_HD named_proposals<I, N> operator()(std::int64_t v) const {
        named_proposals<I, N> named;
        for (int s = 0; s < N; ++s) {
            I const w = proposed[N * v + s];
            named.to[s] = w < I(0) ? w : names(w);
        }
        return named;
    }
};
/// The proposals of an outer vertex to vertices of this place; -1 for the others.
template <class I, int N, class Names>
struct take_proposals {
    named_proposals<I, N> const* outer;
    Names names;
    I* proposed; ///< those of the first outer vertex
    COPPICE_HD void operator()(std::int64_t v) const {
        for (int s = 0; s < N; ++s) {
            I const name = outer[v].to[s];
            proposed[N * v + s] = name < I(0) ? name : names.own(name);
        }
    }
};
struct state_of_vertex {
    vertex_state const* states;
    COPPICE_HD vertex_state operator()(std::int64_t v) const { return states[v]; }
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
template <class T, class I, class O, int N, class Order>
struct search_row {
    static constexpr int at_once = 4; ///< entries whose loads do not wait for each other
    csr_view<T, I, O> weights;
    offer_candidate<T, I, N> offer;
    keep_best<T, I, N, Order> keep;
    store_proposals<T, I, N> store;
    COPPICE_HD void operator()(std::int64_t v) const {
        if (!store.wants(v)) return;
        auto best = keep.identity();
        vertex_state const mine = offer.seekers[v];
        O const end = mine.is_full() ? O(0) : weights.row_end(static_cast<I>(v));
        for (O k = weights.row_begin(static_cast<I>(v)); k < end; k += O(at_once)) {
            T weight[at_once];
            I column[at_once];
            vertex_state its[at_once];
            COPPICE_UNROLL
            for (int t = 0; t < at_once; ++t) {
                column[t] = O(t) < end - k ? weights.indices[k + O(t)] : static_cast<I>(v); // no candidate
                weight[t] = O(t) < end - k ? weights.coefficients[k + O(t)] : T(0);
            }
            COPPICE_UNROLL
            for (int t = 0; t < at_once; ++t) its[t] = offer.states[column[t]];
            COPPICE_UNROLL
            for (int t = 0; t < at_once; ++t) best = keep(best, offer.of(mine, weight[t], column[t], its[t], v));
        }
        store(v, best);
    }
};

/// Rounds of proposals for n = N over the rows of a place. Rounds without charges that follow each other go on from
/// what is left of the proposals: few rows are searched again, and vertices that wait for nothing are no longer looked
/// at.
template <int N, class T, class I, class O, class Place>
class proposal_rounds {
public:
    /// f.neighbors are the confirmed edges.
    proposal_rounds(Place const& place, srcsr_plan<O> const& plan, csr_view<T, I, O> weights, graph_factor<I>& f)
        : place_(place), exec_(place.exec()), plan_(plan), weights_(weights), neighbors_(f.neighbors.data()),
          order_(place.order(f.order)),
          full_cost_(place.join(double(plan.nonzeros) + vertex_cost * double(weights.rows()), plus{})),
          proposed_(exec_, N * (weights.rows() + place.outer())), states_(exec_, weights.rows() + place.outer()),
          outcomes_(exec_, weights.rows()), tasks_(exec_, weights.rows()), seekers_(exec_, weights.rows()),
          listed_(weights.rows()), outer_proposals_(place), outer_states_(place) {
        fill(exec_, states_.view(), vertex_state::full(0)); // no edges yet
        if constexpr (matches_on_host)
            matching_.emplace(exec_, weights, order_, neighbors_, proposed_.data(), states_.data());
    }

    /// Says what the round has done only where it is to look, for which it waits, and never of a round with charges,
    /// which does not tell whether the factor is maximal.
    std::optional<round_total> run(charging const& rule, bool look) {
        if constexpr (matches_on_host)
            if (!rule.active) return run_matching(look);
        if (rule.active || !going_on_) start_anew(rule);
        search();
        going_on_ = !rule.active;
        share_proposals();
        for_each(
            exec_, listed_,
            of_listed{list(), confirm_proposals<I, N>{proposed_.data(), neighbors_, states_.data(), outcomes_.data()}});
        share_states();
        if (rule.active) return std::nullopt;
        for_each(exec_, listed_,
                 of_listed{list(), keep_proposals<I, N>{states_.data(), neighbors_, outcomes_.data(), proposed_.data(),
                                                        tasks_.data(), seekers_.data()}});
        if (!look) return std::nullopt;
        here_ =
            reduce(exec_, listed_, round_total{},
                   of_listed{list(), vertex_total<O>{outcomes_.data(), tasks_.data(), weights_.offsets}}, add_totals{});
        total_ = place_.join(here_, add_totals{});
        if (listed_ >= least_listed && 2 * here_.waiting < listed_) list_waiting();
        return total_;
    }

    /// Of a round without charges, in nonzeros that are searched: to look at a vertex several times is worth
    /// `vertex_cost` of them.
    double next_cost() const {
        if (!going_on_) return full_cost_;
        return double(total_.searched) + vertex_cost * double(total_.waiting);
    }
    std::int64_t edges() const {
        return place_.join(reduce(exec_, weights_.rows(), std::int64_t{0}, vertex_degree{states_.data()}, plus{}),
                           plus{}) /
               2;
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
        for_each(exec_, states_.size(), set_states<names_type>{states_.data(), place_.names(), rule, N});
    }

    /// What outer vertices propose.
    void share_proposals() {
        if constexpr (Place::in_parts) {
            auto const* const outer =
                outer_proposals_.fetch(name_proposals<I, N, names_type>{proposed_.data(), place_.names()});
            for_each(exec_, place_.outer(),
                     take_proposals<I, N, names_type>{outer, place_.names(), proposed_.data() + N * weights_.rows()});
        }
    }
    /// How many edges outer vertices have.
    void share_states() {
        if constexpr (Place::in_parts)
            exec_.copy_elements(outer_states_.fetch(state_of_vertex{states_.data()}), states_.data() + weights_.rows(),
                                place_.outer());
    }

    void search() {
        vertex_state const* const seekers = going_on_ ? seekers_.data() : states_.data();
        offer_candidate<T, I, N> const offer{states_.data(), seekers, neighbors_};
        keep_best<T, I, N, order_type> const keep{order_};
        store_proposals<T, I, N> const store{seekers, proposed_.data()};
        // A few short rows, going by the last look: not worth a walk over all nonzeros.
        bool const few = going_on_ && 8 * here_.searched < plan_.nonzeros && here_.longest <= longest_alone;
        if (few)
            for_each(exec_, listed_,
                     of_listed{list(), search_row<T, I, O, N, order_type>{weights_, offer, keep, store}});
        else
            reduce_rows(exec_, plan_, along_nonzeros{offer, weights_.coefficients, weights_.indices}, keep, store);
    }

    void list_waiting() {
        int const other = 1 - current_;
        if (lists_[other].size() < here_.waiting) lists_[other] = buffer<I>(exec_, here_.waiting);
        listed_ = select(exec_, listed_, of_listed{list(), is_waiting{tasks_.data()}},
                         list_vertex<I>{list(), lists_[other].data()});
        current_ = other;
    }

    using executor_type = std::remove_cvref_t<decltype(std::declval<Place const&>().exec())>;
    using names_type = typename Place::names_type;
    using order_type = decltype(std::declval<Place const&>().order(edge_order<I>{}));
    static constexpr bool on_host = std::is_same_v<executor_type, host_executor>;
    static constexpr bool matches_on_host = N == 1 && on_host && !Place::in_parts;
    static constexpr double vertex_cost = 4;
    // A list that is shorter than a kernel takes to start is not worth the wait for its length.
    static constexpr std::int64_t least_listed = on_host ? 1 : 1 << 18;
    static constexpr std::int64_t longest_alone = 256; ///< nonzeros of a row that one worker searches

    Place const& place_;
    executor_type const& exec_;
    srcsr_plan<O> const& plan_;
    csr_view<T, I, O> weights_;
    I* neighbors_;
    order_type order_;
    double full_cost_; ///< of a round that searches all rows of all places
    buffer<I> proposed_;
    buffer<vertex_state> states_;
    buffer<round_outcome<std::uint8_t>> outcomes_;
    buffer<vertex_task> tasks_;
    buffer<vertex_state> seekers_;
    buffer<I> lists_[2]{};
    int current_ = 0;
    std::int64_t listed_;
    bool going_on_ = false;        ///< the last round had no charges
    round_total here_{}, total_{}; ///< of the last round that was looked at; of all places
    typename Place::template outer_values<named_proposals<I, N>> outer_proposals_;
    typename Place::template outer_values<vertex_state> outer_states_;
    std::optional<host_matching_rounds<T, I, O>> matching_{}; ///< where it does what has no charges
};

} // namespace coppice::graph_detail
