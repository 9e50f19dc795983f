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
#include <coppice/graph/search/sssp_steps.hpp>

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
    std::int64_t rounds = 0;     ///< depends on the executor and its threads
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
template <class T>
struct length_as_sum {
    T const* lengths;
    COPPICE_HD length_sum operator()(std::int64_t k) const { return {double(lengths[k]), double(lengths[k])}; }
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
template <class T>
struct length_as_range {
    T const* lengths;
    COPPICE_HD length_range operator()(std::int64_t k) const {
        T const x = lengths[k];
        bool const finite = x - x == T(0);
        return {finite ? double(x) : 0.0, double(x), x == x && (finite || x > T(0)) ? 0 : 1};
    }
};
struct merge_ranges {
    COPPICE_HD length_range operator()(length_range const& a, length_range const& b) const {
        return {a.sum + b.sum, b.min < a.min ? b.min : a.min, a.bad + b.bad};
    }
};
template <class T, executor Executor>
length_range range_of_lengths(Executor const& exec, T const* lengths, std::int64_t count) {
    auto const quick = reduce(exec, count, length_sum{0, 0}, length_as_sum<T>{lengths}, merge_sums{});
    if (quick.sum - quick.sum == 0.0) return {quick.sum, quick.min, 0};
    return reduce(exec, count, length_range{0, 0, 0}, length_as_range<T>{lengths}, merge_ranges{});
}

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
        edge_step const relax_near{nullptr, near, g_, into(next, far), relax};
        single_step const end_near{end_near_round<T>{near, next, far, s}};
        divide_far<T> const division{distances_.data(), waits_.data(), s};
        single_step const end_far{end_far_round<T>{near, far, far_next, s}};
        if constexpr (std::is_same_v<Executor, host_executor>)
            relaxations.run(
                &s->loop, relax_near, end_near,
                edge_step{&s->splits, far, g_, into(near, far_next), relax_near_of_far<T, Path>{relax, division}},
                end_far);
        else
            relaxations.run(&s->loop, relax_near, end_near,
                            item_step{&s->splits, far, into(near, far_next), division, true}, end_far);
    }

    bool reaches_negative_cycle() const {
        auto const distances = to_vector(exec_, distances_);
        if (distances[std::size_t(source_)] < T(0)) return true;
        return form_negative_cycle(
            nearest_edges(to_vector(exec_, array_view<std::int32_t const>(g_.offsets, g_.vertices + 1)),
                          to_vector(exec_, array_view<vertex_id const>(g_.neighbors, g_.edge_count)),
                          to_vector(exec_, array_view<T const>(lengths_, g_.edge_count)), distances),
            source_);
    }

    Executor exec_;
    graph_view g_;
    T const* lengths_;
    vertex_id source_;
    buffer<T> distances_;
    buffer<std::int32_t> queued_, waits_;
    worklists<4> lists_;
};

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
                             ", expected a positive length, or 0 for an automatic choice");
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
