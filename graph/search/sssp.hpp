// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Single-source shortest paths: near and far lists (delta-stepping), or Bellman-Ford if lengths are negative.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <coppice/core/number_text.hpp>
#include <coppice/graph/frontier/rounds.hpp>
#include <coppice/graph/search/negative_cycle.hpp>

namespace coppice::inline v0_1 {

struct sssp_options {
    double delta = 0;    ///< width of the distance range of the near list; 0: chosen from the lengths
    bool parents = true; ///< whether to compute parents, which costs one pass over the edges
};

/// Result arrays in the memory of the executor.
template <class T>
struct sssp_result {
    buffer<T> distances{};       ///< infinity: not reached
    buffer<vertex_id> parents{}; ///< predecessor on a shortest path; the source is its own parent; -1: not reached
    double delta = 0;            ///< delta that was used; 0 if a length is negative
    std::int64_t rounds = 0;
    /// A negative cycle is reached: distances have no lower bound and are those of some walks
    bool negative_cycle = false;
};

/// Computes distances from `source`; the value of an edge is its length, and an edge of infinite length is ignored.
///
/// For lengths >= 0, vertices within delta of the nearest one become final before others (delta-stepping: Meyer and
/// Sanders 2003; with near and far lists: Davidson et al. 2014). Otherwise Bellman-Ford over the edges of vertices
/// whose distance decreased, with a test for a negative cycle after 64, 128, 256 ... rounds. A distance is the minimum
/// over all paths of the sum of lengths, rounded from the source on: the result has the same bits for any number of
/// threads, on host and CUDA. The parent of v is the smallest vertex u with distance[u] + length = distance[v] and
/// distance[u] < distance[v]. If there is none, or if lengths are negative, it is a vertex with the fewest edges back
/// to a vertex that has a parent. Memory: 8 words and two distances per vertex. Waits.
///
/// Throws argument_error if the source is no vertex or delta is negative, matrix_error for a length that is NaN or
/// minus infinity.
template <executor Executor, class T>
sssp_result<T> sssp(Executor const& exec, csr_view<T> a, vertex_id source, sssp_options const& options = {});

/// Computes shortest paths from the result `old`, with parents, for a slightly different graph with the same vertices.
/// Discards the distances that their parents no longer explain, and starts the search from all others. Time: two passes
/// over the edges, log n passes over the vertices, and work for the changes. The result has the same bits as without
/// `old`. With negative lengths the search starts from scratch. Throws dimension_error if `old` has other sizes,
/// argument_error if its source is another vertex.
template <executor Executor, class T>
sssp_result<T> sssp_again(Executor const& exec, csr_view<T> a, vertex_id source, sssp_result<T> const& old,
                          sssp_options const& options = {});

namespace analytics {

// The types of the following reductions have no padding bytes. A device would copy such bytes without having written
// them.

/// Sum and minimum of lengths; valid if the sum is finite.
struct length_sum {
    double sum, min;
};
struct merge_sums {
    COPPICE_HD length_sum operator()(length_sum const& a, length_sum const& b) const {
        return {a.sum + b.sum, b.min < a.min ? b.min : a.min};
    }
};
/// Sum of the finite lengths, minimum, and number of invalid lengths.
struct length_range {
    double sum, min;
    std::int64_t bad;
};
struct merge_ranges {
    COPPICE_HD length_range operator()(length_range const& a, length_range const& b) const {
        return {a.sum + b.sum, b.min < a.min ? b.min : a.min, a.bad + b.bad};
    }
};
template <class T, executor Executor>
length_range range_of_lengths(Executor const& exec, T const* lengths, std::int64_t count) {
    auto const as_sum = [=] COPPICE_HD(std::int64_t k) { return length_sum{double(lengths[k]), double(lengths[k])}; };
    auto const quick = reduce(exec, count, length_sum{0, 0}, as_sum, merge_sums{});
    if (quick.sum - quick.sum == 0.0) return {quick.sum, quick.min, 0};
    auto const as_range = [=] COPPICE_HD(std::int64_t k) -> length_range {
        T const x = lengths[k];
        bool const finite = x - x == T(0);
        return {finite ? double(x) : 0.0, double(x), x == x && (finite || x > T(0)) ? 0 : 1};
    };
    return reduce(exec, count, length_range{0, 0, 0}, as_range, merge_ranges{});
}

/// Rule for the length of a path: the sum of its edge lengths. Any rule that never shortens a path is allowed.
template <class T>
struct sum_of_lengths {
    COPPICE_HD static T start() { return T(0); }
    COPPICE_HD static T extended(T path, T edge) { return path + edge; }
};

template <class T>
struct sssp_state {
    loop_switch loop{1};
    int splits = 0; ///< device predicate: the far list is divided
    int leaps = 0;  ///< no vertex was near after the last division
    std::int32_t round = 0;
    std::int32_t last_round = 0;                         ///< last round; 0: no limit
    T near = 0;                                          ///< upper bound of distances of the near list
    T final_bound = -std::numeric_limits<T>::infinity(); ///< distances up to this bound have been in the near list
    T delta = 0;
    T far_min = 0; ///< smallest distance in the far list at the last division
};

template <class T>
struct begin_sssp {
    T* distances;
    std::int32_t* queued;
    std::int32_t* waits;
    COPPICE_HD void operator()(std::int64_t v) const {
        distances[v] = std::numeric_limits<T>::infinity();
        queued[v] = waits[v] = 0;
    }
};
template <class T>
struct start_at {
    vertex_id const* sources; ///< different vertices; null: `source` alone
    vertex_id source;
    std::int64_t count;
    T start;
    T* distances;
    worklist* near;
    COPPICE_HD void operator()(std::int64_t k) const {
        vertex_id const v = sources ? sources[k] : source;
        distances[v] = start;
        near->items[k] = v;
        if (k == 0) near->count = count;
    }
};

/// distance[v] = min(distance[v], distance[u] + length). v goes to the near list of the next round, or to the far list.
template <class T, class Path>
struct relax_edge {
    graph_view g;
    T const* lengths;
    T* distances;
    std::int32_t* queued; ///< last round whose near list contains the vertex
    std::int32_t* waits;  ///< whether the far list contains the vertex
    sssp_state<T> const* state;
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD bool concerns(auto const& worker, vertex_id u, std::int32_t k) const {
        return Path::extended(worker.load(distances + u), lengths[k]) < worker.load(distances + g.neighbors[k]);
    }
    /// Allows later decreases of the distance to append v again.
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void leave(auto const& worker, vertex_id v) const { worker.exchange(queued + v, 0); }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        T const distance = Path::extended(worker.load(distances + u), lengths[k]);
        if (!(distance < worker.load(distances + v))) return;
        worker.put_lower(distances + v, distance); // v is appended even if another worker stored a smaller distance
        if (distance <= state->near) {
            std::int32_t const next = state->round + 1;
            if (worker.exchange(queued + v, next) != next) worker.template emit<0>(v);
        } else if (worker.exchange(waits + v, 1) == 0) {
            worker.template emit<1>(v);
        }
    }
};

/// Divides the far list: drops vertices that became final, moves near ones to the near list, keeps the others.
template <class T>
struct divide_far {
    T const* distances;
    std::int32_t* waits;
    sssp_state<T>* state;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        T const distance = distances[v];
        if (distance <= state->near) {
            waits[v] = 0;
            if (distance > state->final_bound) worker.template emit<0>(v);
        } else {
            worker.lower(&state->far_min, distance);
            worker.template emit<1>(v);
        }
    }
};

/// Ends a round of the near list: swaps the lists, or advances the bound of the far list if no vertex is near.
template <class T>
struct end_near_round {
    worklist* near;
    worklist* next;
    worklist* far;
    sssp_state<T>* state;
    COPPICE_HD void operator()(std::int64_t) const {
        sssp_state<T>& s = *state;
        swap_and_clear(*near, *next);
        ++s.round;
        s.splits = 0;
        if (s.round == s.last_round) s.loop.stop();
        if (near->count > 0) return;
        if (far->count == 0) return s.loop.stop();
        s.splits = 1;
        s.final_bound = s.near;
        s.near = (s.leaps != 0 ? s.far_min : s.near) + s.delta;
        s.far_min = std::numeric_limits<T>::infinity();
    }
};
template <class T>
struct end_far_round {
    worklist* near;
    worklist* far;
    worklist* far_next;
    sssp_state<T>* state;
    COPPICE_HD void operator()(std::int64_t) const {
        state->leaps = 0;
        if (state->splits == 0) return;
        swap_and_clear(*far, *far_next);
        state->leaps = near->count == 0 ? 1 : 0;
        if (near->count == 0 && far->count == 0) state->loop.stop();
    }
};

/// Finds the smallest predecessor u of v on a shortest path with a smaller distance.
template <class T, class Path>
struct find_parent {
    graph_view g;
    T const* lengths;
    T const* distances;
    std::uint32_t* parents;
    vertex_id source;
    int* level_edges; ///< set if an edge connects vertices of equal distance
    COPPICE_HD bool enters(auto const&, vertex_id u) const { return distances[u] < std::numeric_limits<T>::infinity(); }
    COPPICE_HD bool concerns(auto const&, vertex_id u, std::int32_t k) const {
        return Path::extended(distances[u], lengths[k]) == distances[g.neighbors[k]];
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        if (!concerns(worker, u, k) || v == source || !(distances[v] < std::numeric_limits<T>::infinity())) return;
        if (distances[u] < distances[v])
            worker.lower(parents + v, static_cast<std::uint32_t>(u));
        else if (u != v)
            worker.store(level_edges, 1);
    }
};
/// Finds parents along edges that do not increase the distance: by levels, starting from the vertices that have a
/// parent.
template <class T, class Path>
struct find_level_parent {
    find_parent<T, Path> path;
    std::int32_t* found; ///< round in which the vertex got its parent; 0: none yet
    sssp_state<T> const* state;
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = path.g.neighbors[k];
        if (!path.concerns(worker, u, k) || !(path.distances[v] < std::numeric_limits<T>::infinity())) return;
        std::int32_t const next = state->round + 1, when = worker.load(found + v);
        if (when != 0 && when != next) return;
        if (when == 0 && worker.claim(found + v, 0, next)) worker.emit(v);
        worker.lower(path.parents + v, static_cast<std::uint32_t>(u));
    }
};
struct list_with_parent {
    std::uint32_t const* parents;
    std::int32_t* found;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        found[v] = parents[v] == ~0u ? 0 : 1;
        if (found[v] != 0) worker.emit(v);
    }
};
template <class T>
struct next_parents {
    worklist* now;
    worklist* next;
    sssp_state<T>* state;
    COPPICE_HD void operator()(std::int64_t) const {
        swap_and_clear(*now, *next);
        ++state->round;
        if (now->count == 0) state->loop.stop();
    }
};
struct no_parent_but_source {
    std::uint32_t* parents;
    vertex_id source;
    worklist* all;
    std::int64_t vertices;
    COPPICE_HD void operator()(std::int64_t v) const {
        parents[v] = v == source ? static_cast<std::uint32_t>(v) : ~0u;
        if (v == 0) *all = {nullptr, vertices, 0};
    }
};

template <class T>
struct go_on_until {
    sssp_state<T>* state;
    std::int32_t last_round;
    COPPICE_HD void operator()(std::int64_t) const {
        state->loop.on = 1;
        state->last_round = last_round;
    }
};
struct clear_lists {
    worklist* lists;
    COPPICE_HD void operator()(std::int64_t k) const { lists[k].clear(); }
};

/// Flags v if its tree edge still gives its distance.
template <class T>
struct explain_parent {
    graph_view g;
    T const* lengths;
    T const* distances;
    vertex_id const* parents;
    std::int32_t* explained;
    COPPICE_HD bool enters(auto const&, vertex_id u) const { return distances[u] < std::numeric_limits<T>::infinity(); }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        if (parents[v] == u && distances[u] + lengths[k] == distances[v]) worker.store(explained + v, 1);
    }
};
/// Pointer doubling: combines the flags of the path to the source; complete after log2 n steps.
struct explain_twice {
    std::int32_t const* explained;
    vertex_id const* up;
    std::int32_t* explained_next;
    vertex_id* up_next;
    COPPICE_HD void operator()(std::int64_t v) const {
        vertex_id const p = up[v];
        explained_next[v] = explained[v] != 0 && (p < 0 || explained[p] != 0) ? 1 : 0;
        up_next[v] = p < 0 ? p : up[p];
    }
};
template <class T>
struct take_old {
    T const* old;
    vertex_id const* old_parents;
    vertex_id source;
    T* distances;
    vertex_id* up;
    std::int32_t* explained;
    COPPICE_HD void operator()(std::int64_t v) const {
        distances[v] = old[v];
        up[v] = v == source ? vertex_id(-1) : old_parents[v];
        explained[v] = v == source ? 1 : 0;
    }
};
/// Discards distances that are not explained; emits the other vertices.
template <class T>
struct keep_explained {
    std::int32_t const* explained;
    T* distances;
    std::int32_t* queued;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        queued[v] = 0;
        if (explained[v] != 0) return worker.emit(v);
        distances[v] = std::numeric_limits<T>::infinity();
    }
};

/// Arrays and loops of one search.
template <executor Executor, class T, class Path = sum_of_lengths<T>>
class sssp_search {
public:
    sssp_search(Executor const& exec, csr_view<T> a, vertex_id source) : sssp_search(exec, a, source, nullptr, 1) {}

    /// From the nearest of several vertices, which must differ, in the memory of the executor. For delta_stepping().
    sssp_search(Executor const& exec, csr_view<T> a, array_view<vertex_id const> sources)
        : sssp_search(exec, a, -1, sources.data(), sources.size()) {}

    /// Runs delta-stepping with the first bound `near`; returns the number of rounds.
    std::int64_t delta_stepping(T near, T delta) {
        auto state = placed(exec_, sssp_state<T>{.near = near, .delta = delta});
        run(state.data());
        return exec_.load(state.data()).round;
    }

    /// Starts from the valid distances of an old result instead of the source alone.
    void begin_with(sssp_result<T> const& old) {
        std::int64_t const n = g_.vertices;
        buffer<vertex_id> up(exec_, n), up_next(exec_, n);
        buffer<std::int32_t> explained(exec_, n), explained_next(exec_, n);
        worklist* const near = lists_[0];
        for_each(exec_, 4, clear_lists{lists_[0]});
        auto all = placed(exec_, worklist{nullptr, n, 0});
        for_each(exec_, n,
                 take_old<T>{old.distances.data(), old.parents.data(), source_, distances_.data(), up.data(),
                             explained.data()});
        edge_map(exec_, nullptr, all.data(), g_, nothing(),
                 explain_parent<T>{g_, lengths_, distances_.data(), old.parents.data(), explained.data()});
        for (std::int64_t steps = 1; steps < n; steps *= 2) {
            for_each(exec_, n, explain_twice{explained.data(), up.data(), explained_next.data(), up_next.data()});
            explained.swap(explained_next);
            up.swap(up_next);
        }
        vertex_map(exec_, nullptr, all.data(), into(near),
                   keep_explained<T>{explained.data(), distances_.data(), queued_.data()});
        exec_.synchronize(); // the arrays are destroyed here
    }

    /// Runs Bellman-Ford; returns whether it converged. `rounds`: number of rounds.
    bool bellman_ford(std::int64_t& rounds) {
        auto state = placed(exec_, sssp_state<T>{.near = std::numeric_limits<T>::infinity()});
        for (std::int32_t last = 64; last <= 1 << 30; last *= 2) {
            for_each(exec_, 1, go_on_until<T>{state.data(), last});
            run(state.data());
            rounds = exec_.load(state.data()).round;
            if (exec_.load(lists_[0]).count == 0) return true;
            if (rounds > g_.vertices || reaches_negative_cycle()) return false;
        }
        return false; // not covered: more than 2^30 vertices
    }

    /// Computes parents. `by_edges`: those on shortest paths with the fewest edges, as for negative lengths; else those
    /// of smaller distance.
    buffer<vertex_id> parents(bool by_edges) {
        buffer<vertex_id> found(exec_, g_.vertices);
        auto* const parents = reinterpret_cast<std::uint32_t*>(found.data());
        auto level_edges = placed(exec_, 0);
        worklist *const all = lists_[1], *const now = lists_[2], *const next = lists_[3];
        for_each(exec_, 4, clear_lists{lists_[0]});
        for_each(exec_, g_.vertices, no_parent_but_source{parents, source_, all, g_.vertices});
        find_parent<T, Path> const path{g_, lengths_, distances_.data(), parents, source_, level_edges.data()};
        if (!by_edges) {
            edge_map(exec_, nullptr, all, g_, into(next), path);
            if (exec_.load(level_edges.data()) == 0) return found;
        }
        auto state = placed(exec_, sssp_state<T>{.round = 1});
        vertex_map(exec_, nullptr, all, into(now), list_with_parent{parents, queued_.data()});
        rounds<Executor>(exec_).run(
            &state.data()->loop,
            edge_step{nullptr, now, g_, into(next), find_level_parent<T, Path>{path, queued_.data(), state.data()}},
            single_step{next_parents<T>{now, next, state.data()}});
        return found;
    }

    buffer<T> distances() && { return std::move(distances_); }

private:
    sssp_search(Executor const& exec, csr_view<T> a, vertex_id source, vertex_id const* sources, std::int64_t count)
        : exec_(exec), g_(a), lengths_(a.coefficients), source_(source), distances_(exec, g_.vertices),
          queued_(exec, g_.vertices), waits_(exec, g_.vertices), lists_(exec, g_.vertices) {
        for_each(exec, g_.vertices, begin_sssp<T>{distances_.data(), queued_.data(), waits_.data()});
        for_each(exec, count, start_at<T>{sources, source, count, Path::start(), distances_.data(), lists_[0]});
    }

    void run(sssp_state<T>* s) {
        worklist *const near = lists_[0], *const next = lists_[1], *const far = lists_[2], *const far_next = lists_[3];
        relax_edge<T, Path> const relax{g_, lengths_, distances_.data(), queued_.data(), waits_.data(), s};
        rounds<Executor> relaxations(exec_);
        relaxations.run(
            &s->loop, edge_step{nullptr, near, g_, into(next, far), relax},
            single_step{end_near_round<T>{near, next, far, s}},
            item_step{&s->splits, far, into(near, far_next), divide_far<T>{distances_.data(), waits_.data(), s}, true},
            single_step{end_far_round<T>{near, far, far_next, s}});
    }

    bool reaches_negative_cycle() const {
        return has_negative_cycle(to_vector(exec_, array_view<std::int32_t const>(g_.offsets, g_.vertices + 1)),
                                  to_vector(exec_, array_view<vertex_id const>(g_.neighbors, g_.edge_count)),
                                  to_vector(exec_, array_view<T const>(lengths_, g_.edge_count)),
                                  to_vector(exec_, distances_), source_);
    }

    Executor exec_;
    graph_view g_;
    T const* lengths_;
    vertex_id source_;
    buffer<T> distances_;
    buffer<std::int32_t> queued_, waits_;
    worklists<4> lists_;
};

} // namespace analytics

namespace analytics {

/// Chooses delta. With few edges per vertex a large delta makes long lists; with many a small delta avoids repeated
/// work. On the host, where rounds are cheap, graphs with long rows use a smaller delta; on devices, where rounds are
/// expensive, other graphs use a larger one.
template <executor Executor>
double chosen_delta(graph_view const& g, double mean_length) {
    double const edges = double(g.edge_count) / g.vertices;
    bool const on_host = std::is_same_v<Executor, host_executor>;
    double const reach = !on_host && !has_long_rows(g) ? 8 : on_host && has_long_rows(g) ? 1 : 4;
    return std::max(reach * mean_length / std::max(1.0, edges / 4), 0.0);
}
inline void require_delta(double delta) {
    if (!(delta >= 0))
        throw argument_error("sssp option delta is " + coppice::detail::number_text(delta) +
                             ", expected a length, or 0 to have it chosen");
}
/// Search with an old result, or without one.
template <executor Executor, class T>
sssp_result<T> search_sssp(Executor const& exec, csr_view<T> a, vertex_id source, sssp_options const& options,
                           sssp_result<T> const* old) {
    graph_view const g(a);
    require_vertex(g, source, "the source of sssp");
    require_delta(options.delta);
    auto const range = range_of_lengths(exec, a.coefficients, g.edge_count);
    if (range.bad > 0)
        throw matrix_error("sssp: " + std::to_string(range.bad) + " edge lengths are NaN or minus infinity");
    sssp_search<Executor, T> search(exec, a, source);
    sssp_result<T> result;
    if (range.min < T(0)) {
        result.negative_cycle = !search.bellman_ford(result.rounds);
    } else {
        double const mean = g.edge_count > 0 ? range.sum / double(g.edge_count) : 1;
        result.delta = options.delta > 0 ? options.delta : chosen_delta<Executor>(g, mean);
        if (old) search.begin_with(*old);
        result.rounds = search.delta_stepping(T(result.delta), T(result.delta));
    }
    if (options.parents && !result.negative_cycle) result.parents = search.parents(range.min < T(0));
    result.distances = std::move(search).distances();
    return result;
}

} // namespace analytics

template <executor Executor, class T>
sssp_result<T> sssp(Executor const& exec, csr_view<T> a, vertex_id source, sssp_options const& options) {
    return analytics::search_sssp<Executor, T>(exec, a, source, options, nullptr);
}

template <executor Executor, class T>
sssp_result<T> sssp_again(Executor const& exec, csr_view<T> a, vertex_id source, sssp_result<T> const& old,
                          sssp_options const& options) {
    require_size("old distances of sssp_again", old.distances, a.rows());
    require_size("old parents of sssp_again", old.parents, a.rows());
    analytics::require_vertex(graph_view(a), source, "the source of sssp");
    if (exec.load(old.parents.data() + source) != source)
        throw argument_error("sssp_again: the old answer is not that of source " + std::to_string(source));
    return analytics::search_sssp(exec, a, source, options, &old);
}

#define COPPICE_SSSP(EXTERN, EXECUTOR, T)                                                                              \
    EXTERN template sssp_result<T> sssp(EXECUTOR const&, csr_view<T>, vertex_id, sssp_options const&);                 \
    EXTERN template sssp_result<T> sssp_again(EXECUTOR const&, csr_view<T>, vertex_id, sssp_result<T> const&,          \
                                              sssp_options const&)
COPPICE_SSSP(extern, host_executor, float);
COPPICE_SSSP(extern, host_executor, double);
COPPICE_SSSP(extern, cuda_executor, float);
COPPICE_SSSP(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
