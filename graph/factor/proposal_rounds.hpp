// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rounds of proposals over a graph: the loop body of algorithm 8.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <coppice/graph/factor/factor_result.hpp>
#include <coppice/graph/factor/matching_rounds_host.hpp>
#include <coppice/graph/factor/proposal.hpp>
#include <coppice/graph/factor/search_pair_host.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

namespace coppice::inline v0_1::graph_detail {

/// Sets the state of every vertex for a round, from the number of its confirmed edges.
template <class Ids>
struct set_states {
    vertex_state* states;
    Ids ids;
    charging rule;
    int capacity;
    COPPICE_HD void operator()(std::int64_t v) const { states[v] = rule.state(ids(v), states[v].degree(), capacity); }
};

/// Proposals of a vertex as global indices, for other ranks.
template <class I, int N>
struct global_proposals {
    I to[N];
};
template <class I, int N, class Ids>
struct globalise_proposals {
    I const* proposed;
    Ids ids;
    COPPICE_HD global_proposals<I, N> operator()(std::int64_t v) const {
        global_proposals<I, N> result;
        for (int s = 0; s < N; ++s) {
            I const w = proposed[N * v + s];
            result.to[s] = w < I(0) ? w : ids(w);
        }
        return result;
    }
};
/// Proposals of an outer vertex to vertices of this rank; -1 for others.
template <class I, int N, class Ids>
struct localise_proposals {
    global_proposals<I, N> const* outer;
    Ids ids;
    I* proposed; ///< proposals of the first outer vertex
    COPPICE_HD void operator()(std::int64_t v) const {
        for (int s = 0; s < N; ++s) {
            I const id = outer[v].to[s];
            proposed[N * v + s] = id < I(0) ? id : ids.local(id);
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

/// f of the active vertices; of all vertices if there is no list.
template <class I, class F>
struct of_active {
    I const* list;
    F f;
    COPPICE_HD auto operator()(std::int64_t i) const { return f(list ? std::int64_t(list[i]) : i); }
};
template <class I, class F>
of_active(I*, F) -> of_active<std::remove_const_t<I>, F>;

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
template <class O>
struct entries_of_row {
    O const* offsets;
    COPPICE_HD O operator()(std::int64_t v) const { return offsets[v + 1] - offsets[v]; }
};
template <class I>
struct list_vertex {
    I const* old; ///< null: all vertices
    I* list;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t i) const {
        list[position] = old ? old[i] : static_cast<I>(i);
    }
};

/// Search of one row by one worker: the fold of reduce_rows, for a few short rows.
template <class T, class I, class O, int N, class Order>
struct search_row {
    static constexpr int batch = 4; ///< entries whose loads are independent
    csr_view<T, I, O> weights;
    offer_candidate<T, I, N> offer;
    keep_best<T, I, N, Order> keep;
    store_proposals<T, I, N> store;
    COPPICE_HD void operator()(std::int64_t v) const {
        if (!store.wants(v)) return;
        auto best = keep.identity();
        vertex_state const mine = offer.seekers[v];
        O const end = mine.is_full() ? O(0) : weights.row_end(static_cast<I>(v));
        for (O k = weights.row_begin(static_cast<I>(v)); k < end; k += O(batch)) {
            T weight[batch];
            I column[batch];
            vertex_state its[batch];
            COPPICE_UNROLL
            for (int t = 0; t < batch; ++t) {
                column[t] = O(t) < end - k ? weights.indices[k + O(t)] : static_cast<I>(v); // no candidate
                weight[t] = O(t) < end - k ? weights.coefficients[k + O(t)] : T(0);
            }
            COPPICE_UNROLL
            for (int t = 0; t < batch; ++t) its[t] = offer.states[column[t]];
            COPPICE_UNROLL
            for (int t = 0; t < batch; ++t) best = keep(best, offer.of(mine, weight[t], column[t], its[t], v));
        }
        store(v, best);
    }
};

/// Rounds of proposals for n = N over the rows of a rank. Consecutive rounds without charges continue from the
/// remaining proposals: few rows are searched again, and vertices without a task are skipped.
template <int N, class T, class I, class O, class Rank>
class proposal_rounds {
public:
    /// f.neighbors are the confirmed edges.
    proposal_rounds(Rank const& rank, srcsr_plan<O> const& plan, csr_view<T, I, O> weights, graph_factor<I>& f)
        : rank_(rank), exec_(rank.exec()), plan_(plan), weights_(weights), neighbors_(f.neighbors.data()),
          order_(rank.order(f.order)),
          full_cost_(rank.all_reduce(double(plan.nonzeros) + vertex_cost * double(weights.rows()), plus{})),
          proposed_(exec_, N * (weights.rows() + rank.outer())), states_(exec_, weights.rows() + rank.outer()),
          outcomes_(exec_, weights.rows()), tasks_(exec_, weights.rows()), seekers_(exec_, weights.rows()),
          active_count_(weights.rows()), outer_proposals_(rank), outer_states_(rank) {
        fill(exec_, states_.view(), vertex_state::full(0)); // no edges yet
        if constexpr (searches_pairs)
            longest_row_ = reduce(exec_, weights.rows(), O(0), entries_of_row<O>{weights.offsets}, maximum{});
        if constexpr (matches_on_host)
            matching_.emplace(exec_, weights, order_, neighbors_, proposed_.data(), states_.data());
    }

    /// Executes a round. If `inspect` is set, waits for its totals and returns them. A round with charges returns no
    /// totals, because it does not show whether the factor is maximal.
    std::optional<round_total> run(charging const& rule, bool inspect) {
        if constexpr (matches_on_host)
            if (!rule.active) return run_matching(inspect);
        if (rule.active || !going_on_) start_anew(rule);
        search();
        going_on_ = !rule.active;
        exchange_proposals();
        for_each(
            exec_, active_count_,
            of_active{list(), confirm_proposals<I, N>{proposed_.data(), neighbors_, states_.data(), outcomes_.data()}});
        exchange_states();
        if (rule.active) return std::nullopt;
        for_each(exec_, active_count_,
                 of_active{list(), keep_proposals<I, N>{states_.data(), neighbors_, outcomes_.data(), proposed_.data(),
                                                        tasks_.data(), seekers_.data()}});
        if (!inspect) return std::nullopt;
        here_ =
            reduce(exec_, active_count_, round_total{},
                   of_active{list(), vertex_total<O>{outcomes_.data(), tasks_.data(), weights_.offsets}}, add_totals{});
        total_ = rank_.all_reduce(here_, add_totals{});
        if (active_count_ >= min_compacted && 2 * here_.waiting < active_count_) compact_waiting();
        return total_;
    }

    /// Cost of a round without charges in searched nonzeros: the passes over a vertex cost as much as `vertex_cost`
    /// nonzeros.
    double next_cost() const {
        if (!going_on_) return full_cost_;
        return double(total_.searched) + vertex_cost * double(total_.waiting);
    }
    std::int64_t edges() const {
        return rank_.all_reduce(reduce(exec_, weights_.rows(), std::int64_t{0}, vertex_degree{states_.data()}, plus{}),
                                plus{}) /
               2;
    }

private:
    std::optional<round_total> run_matching(bool inspect) {
        if (!going_on_) matching_->begin();
        going_on_ = true;
        total_ = matching_->run();
        return inspect ? std::optional(total_) : std::nullopt;
    }
    I const* list() const { return active_count_ < weights_.rows() ? lists_[current_].data() : nullptr; }

    /// Starts with all vertices active and all rows to be searched.
    void start_anew(charging const& rule) {
        active_count_ = weights_.rows();
        going_on_ = false;
        for_each(exec_, states_.size(), set_states<ids_type>{states_.data(), rank_.ids(), rule, N});
    }

    /// Fetches the proposals of outer vertices.
    void exchange_proposals() {
        if constexpr (Rank::is_distributed) {
            auto const* const outer =
                outer_proposals_.fetch(globalise_proposals<I, N, ids_type>{proposed_.data(), rank_.ids()});
            for_each(exec_, rank_.outer(),
                     localise_proposals<I, N, ids_type>{outer, rank_.ids(), proposed_.data() + N * weights_.rows()});
        }
    }
    /// Fetches the states of outer vertices.
    void exchange_states() {
        if constexpr (Rank::is_distributed)
            exec_.copy_elements(outer_states_.fetch(state_of_vertex{states_.data()}), states_.data() + weights_.rows(),
                                rank_.outer());
    }

    void search() {
        vertex_state const* const seekers = going_on_ ? seekers_.data() : states_.data();
        offer_candidate<T, I, N> const offer{states_.data(), seekers, neighbors_};
        keep_best<T, I, N, order_type> const keep{order_};
        store_proposals<T, I, N> const store{seekers, proposed_.data()};
        // If the totals of the last round show that few and short rows must be searched, these are searched one by one,
        // since a pass over all nonzeros would cost more.
        bool const few = going_on_ && 8 * here_.searched < plan_.nonzeros && here_.longest <= max_row_alone;
        using row_search = search_row<T, I, O, N, order_type>;
        row_search const alone{weights_, offer, keep, store};
        if constexpr (searches_pairs)
            if (few || longest_row_ <= max_row_alone)
                return for_each(exec_, active_count_, of_active{list(), search_pair<I, row_search>{alone}});
        if (few)
            for_each(exec_, active_count_, of_active{list(), alone});
        else
            reduce_rows(exec_, plan_, along_nonzeros{offer, weights_.coefficients, weights_.indices}, keep, store);
    }

    void compact_waiting() {
        int const other = 1 - current_;
        if (lists_[other].size() < here_.waiting) lists_[other] = buffer<I>(exec_, here_.waiting);
        active_count_ = select(exec_, active_count_, of_active{list(), is_waiting{tasks_.data()}},
                               list_vertex<I>{list(), lists_[other].data()});
        current_ = other;
    }

    using executor_type = std::remove_cvref_t<decltype(std::declval<Rank const&>().exec())>;
    using ids_type = typename Rank::ids_type;
    using order_type = decltype(std::declval<Rank const&>().order(edge_order<I>{}));
    static constexpr bool on_host = std::is_same_v<executor_type, host_executor>;
    static constexpr bool matches_on_host = N == 1 && on_host && !Rank::is_distributed;
    static constexpr bool searches_pairs =
        N == 2 && on_host && std::is_same_v<T, float> && sizeof(I) == 4 && !Rank::is_distributed;
    static constexpr double vertex_cost = 4;
    // Shorter lists are not compacted: the host waits for the new length, which takes longer than the kernels save.
    static constexpr std::int64_t min_compacted = on_host ? 1 : 1 << 18;
    static constexpr std::int64_t max_row_alone = 256; ///< maximum length of a row that one worker searches

    Rank const& rank_;
    executor_type const& exec_;
    srcsr_plan<O> const& plan_;
    csr_view<T, I, O> weights_;
    I* neighbors_;
    order_type order_;
    double full_cost_; ///< cost of a round that searches all rows of all ranks
    buffer<I> proposed_;
    buffer<vertex_state> states_;
    buffer<round_outcome<std::uint8_t>> outcomes_;
    buffer<vertex_task> tasks_;
    buffer<vertex_state> seekers_;
    buffer<I> lists_[2]{};
    int current_ = 0;
    std::int64_t active_count_;
    O longest_row_ = 0;            ///< nonzeros; 0 unless pairs are searched
    bool going_on_ = false;        ///< the last round had no charges
    round_total here_{}, total_{}; ///< totals of the last inspected round: of this rank; of all ranks
    typename Rank::template outer_values<global_proposals<I, N>> outer_proposals_;
    typename Rank::template outer_values<vertex_state> outer_states_;
    std::optional<host_matching_rounds<T, I, O>> matching_{}; ///< used for rounds without charges, if n = 1 on the host
};

} // namespace coppice::inline v0_1::graph_detail
