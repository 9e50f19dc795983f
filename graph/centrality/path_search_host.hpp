// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Dijkstra's algorithm from one source on one thread, the dependencies of a source for betweenness centrality, and
/// sums over the sources in a fixed order.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include <coppice/graph/centrality/betweenness.hpp>
#include <coppice/graph/frontier/answer.hpp>

namespace coppice::inline v0_1::analytics {

/// Priority queue of vertices for distances >= 0 that never decrease from one removal to the next: a radix heap (Ahuja,
/// Mehlhorn, Orlin and Tarjan 1990) whose keys are the bits of the distances. A vertex may be stored several times.
template <class T>
class distance_queue {
public:
    struct entry {
        T distance;
        vertex_id vertex;
    };
    /// `distance` must not be less than the distance that the last call of next() returned.
    void push(T distance, vertex_id v) {
        int const b = bucket_of(distance);
        used_ |= std::uint64_t(1) << b;
        buckets_[std::size_t(b)].push_back({distance, v});
    }
    /// Removes an entry of smallest distance. Skips outdated entries, whose vertex has a smaller distance by now.
    /// Returns false if no entry is left.
    bool next(T const* distances, entry& found) {
        for (;;) {
            auto& first = buckets_[0];
            while (!first.empty()) {
                found = first.back();
                first.pop_back();
                if (distances[found.vertex] == found.distance) return true;
            }
            used_ &= ~std::uint64_t(1);
            if (used_ == 0) return false;
            distribute(distances, std::countr_zero(used_));
        }
    }
    void clear() {
        for (auto& bucket : buckets_) bucket.clear();
        used_ = 0;
        last_ = 0;
    }

private:
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

    static bits bits_of(T distance) { return std::bit_cast<bits>(distance); }
    // Distances are not negative, so their highest bit is 0 and bucket indices are at most 63.
    int bucket_of(T distance) const { return int(std::bit_width(static_cast<bits>(bits_of(distance) ^ last_))); }

    /// Distributes the entries of bucket b, the first one in use, to the buckets before it, which are empty.
    void distribute(T const* distances, int b) {
        auto& bucket = buckets_[std::size_t(b)];
        T smallest = std::numeric_limits<T>::infinity();
        for (entry const& e : bucket)
            if (e.distance < smallest && distances[e.vertex] == e.distance) smallest = e.distance;
        used_ &= ~(std::uint64_t(1) << b);
        if (smallest < std::numeric_limits<T>::infinity()) {
            last_ = bits_of(smallest);
            for (entry const& e : bucket)
                if (distances[e.vertex] == e.distance) push(e.distance, e.vertex);
        }
        bucket.clear();
    }

    std::array<std::vector<entry>, 64> buckets_;
    std::uint64_t used_ = 0; ///< bit b: bucket b may have entries
    bits last_ = 0;          ///< bits of the distance of the entries in bucket 0
};

/// Dijkstra's algorithm for a sequence of sources, which reuses its arrays.
template <class T>
class path_search {
public:
    path_search(host_executor const& exec, csr_view<T> a) : a_(a), distances_(exec, a.rows()), order_(exec, a.rows()) {
        std::fill(distances_.begin(), distances_.end(), std::numeric_limits<T>::infinity());
    }
    /// Calls leave(u, distance) for every vertex u that is reached, by ascending distances, and then improve(k, v,
    /// distance, closer) for each edge k from u to v that gives a path to v which is not longer than the shortest one
    /// found so far; `closer`: whether it is shorter. Distances are those of sssp(). They are valid until the next
    /// search.
    template <class Leave, class Improve>
    void run(vertex_id source, Leave const& leave, Improve const& improve) {
        for (std::int64_t i = 0; i < reached_; ++i) distances_[order_[i]] = std::numeric_limits<T>::infinity();
        reached_ = 0;
        queue_.clear();
        distances_[source] = 0;
        queue_.push(T(0), source);
        T* const distances = distances_.data();
        typename distance_queue<T>::entry now;
        while (queue_.next(distances, now)) {
            vertex_id const u = now.vertex;
            order_[reached_++] = u;
            leave(u, now.distance);
            std::int32_t const begin = a_.offsets[u], end = a_.offsets[u + 1];
            for (std::int32_t first = begin; first < end; first += piece) {
                // Branch-free compaction: edges[count] are the edges that may be on a shortest path.
                std::int32_t edges[piece];
                int count = 0;
                for (std::int32_t k = first, stop = std::min(end, first + piece); k < stop; ++k) {
                    edges[count] = k;
                    count += now.distance + a_.coefficients[k] <= distances[a_.indices[k]] ? 1 : 0;
                }
                for (int i = 0; i < count; ++i) {
                    std::int32_t const k = edges[i];
                    vertex_id const v = a_.indices[k];
                    T const distance = now.distance + a_.coefficients[k];
                    if (!(distance <= distances[v]) || distance == std::numeric_limits<T>::infinity()) continue;
                    bool const closer = distance < distances[v];
                    if (closer) {
                        distances[v] = distance;
                        queue_.push(distance, v);
                    }
                    improve(k, v, distance, closer);
                }
            }
        }
    }
    T const* distances() const { return distances_.data(); }
    /// The vertices that the last search reached, by ascending distances.
    vertex_id const* order() const { return order_.data(); }
    std::int64_t reached() const { return reached_; }

private:
    static constexpr std::int32_t piece = 64;

    csr_view<T> a_;
    buffer<T> distances_;
    buffer<vertex_id> order_;
    std::int64_t reached_ = 0;
    distance_queue<T> queue_;
};

/// Contribution of one source to the score of an edge.
struct edge_dependence {
    std::int32_t edge;
    double value;
};

/// Result of path_dependencies::run().
enum class path_order {
    complete,
    overflows, ///< a number of paths overflows
    unknown    ///< d + length = d for an edge: vertices may have been removed from the queue before a predecessor
};

/// Dependencies of the vertices and edges on the shortest paths from a source (Brandes 2001). Instead of lists of
/// predecessors, the search records, in order, all edges for which it calls improve(). The backward pass takes the
/// vertices in reverse order: the recorded edges of a vertex that are on a shortest path lead to vertices whose
/// dependencies are complete.
template <class T, class Number>
class path_dependencies {
public:
    path_dependencies(host_executor const& exec, csr_view<T> a)
        : paths_(exec, a.rows()), ratios_(exec, a.rows()), first_(exec, a.rows() + 1) {}

    /// Stores the dependencies of the vertices in `sums`, which must be 0 on entry, and those of the edges in `edges`
    /// unless it is null. Stores nothing if the result is not `complete`.
    path_order run(path_search<T>& search, vertex_id source, double* sums, std::vector<edge_dependence>* edges) {
        bool all_fit = true, grows = true;
        T left = 0;
        Number paths{};
        noted_.clear();
        std::int64_t reached = 0;
        paths_[source] = Number{1};
        search.run(
            source,
            [&](vertex_id u, T distance) {
                left = distance;
                paths = paths_[u];
                all_fit = all_fit && fits(paths);
                first_[reached++] = std::int64_t(noted_.size());
            },
            [&](std::int32_t k, vertex_id v, T distance, bool closer) {
                grows = grows && (closer || distance > left);
                paths_[v] = closer ? paths : paths_[v] + paths;
                noted_.push_back({distance, v, k});
            });
        if (!grows) return path_order::unknown;
        if (!all_fit) return path_order::overflows;
        first_[reached] = std::int64_t(noted_.size());
        sum_backward(search, source, sums, edges);
        return path_order::complete;
    }

private:
    struct noted_edge {
        T distance; ///< length of the path that ends with this edge
        vertex_id to;
        std::int32_t edge;
    };
    void sum_backward(path_search<T> const& search, vertex_id source, double* sums,
                      std::vector<edge_dependence>* edges) {
        T const* const distances = search.distances();
        for (std::int64_t i = search.reached() - 1; i >= 0; --i) {
            vertex_id const u = search.order()[i];
            Number sum{};
            for (std::int64_t e = first_[i]; e < first_[i + 1]; ++e) {
                noted_edge const& noted = noted_[std::size_t(e)];
                if (distances[noted.to] != noted.distance) continue;
                sum = sum + ratios_[noted.to];
                if (edges) edges->push_back({noted.edge, paths_[u] * ratios_[noted.to]});
            }
            double const dependence = paths_[u] * sum;
            ratios_[u] = Number{dependency_ratio(dependence, paths_[u])};
            if (u != source) sums[u] = dependence;
        }
    }

    buffer<Number> paths_, ratios_;
    std::vector<noted_edge> noted_;
    buffer<std::int64_t> first_; ///< first recorded edge of each vertex, in the order of the search
};

/// Processes the sources [0, count) in groups: calls work(thread, s, slot) in parallel, with a separate slot for each
/// source s of the group, and then add(number of slots in use). add() can therefore sum over the sources in ascending
/// order, whatever the number of threads.
template <class Work, class Add>
void for_each_source(host_executor const& exec, std::int64_t count, Work const& work, Add const& add) {
    std::int64_t const slots = source_slots(exec.threads());
    for (std::int64_t first = 0; first < count; first += slots) {
        std::int64_t const together = std::min(slots, count - first);
        distribute_chunks(
            exec, exec.threads(), together, 1, nothing(),
            [&](auto&, int thread, std::int64_t slot, std::int64_t) { work(thread, first + slot, slot); });
        add(together);
    }
}

/// Workspace of one thread. `scaled` uses numbers with a separate exponent; it is made for the first source whose
/// numbers of paths overflow.
template <class T>
struct path_worker {
    path_worker(host_executor const& exec, csr_view<T> a) : search(exec, a), plain(exec, a) {}
    path_search<T> search;
    path_dependencies<T, double> plain;
    std::unique_ptr<path_dependencies<T, scaled_number>> scaled{};
};

/// Adds the dependencies on paths from the sources to the scores of `result`, level by level.
template <executor Executor, class T>
void add_path_dependencies_by_levels(Executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources,
                                     bool of_edges, betweenness_result& result);

/// The same for scores that are 0 on entry, with one search per thread. If a search returns path_order::unknown, resets
/// the scores and calls add_path_dependencies_by_levels().
template <class T>
void add_path_dependencies(host_executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources,
                           bool of_edges, betweenness_result& result) {
    std::int64_t const n = a.rows(), count = std::int64_t(sources.size());
    std::int64_t const slots = std::min(source_slots(exec.threads()), count);
    std::vector<std::unique_ptr<path_worker<T>>> workers(std::size_t(exec.threads()));
    buffer<double> sums(exec, slots * n);
    std::vector<std::vector<edge_dependence>> edges(std::size_t(of_edges ? slots : 0));
    std::atomic<bool> is_ordered = true;
    for_each_source(
        exec, count,
        [&](int thread, std::int64_t s, std::int64_t slot) {
            auto& worker = workers[std::size_t(thread)];
            if (!worker) worker = std::make_unique<path_worker<T>>(exec, a);
            double* const to = sums.data() + slot * n;
            std::fill(to, to + n, 0.0);
            auto* const edges_to = of_edges ? &edges[std::size_t(slot)] : nullptr;
            if (edges_to) edges_to->clear();
            vertex_id const source = sources[std::size_t(s)];
            auto const found = worker->plain.run(worker->search, source, to, edges_to);
            if (found == path_order::unknown) is_ordered = false;
            if (found != path_order::overflows) return;
            if (!worker->scaled) worker->scaled = std::make_unique<path_dependencies<T, scaled_number>>(exec, a);
            worker->scaled->run(worker->search, source, to, edges_to);
        },
        [&](std::int64_t together) {
            for_each(exec, n, [&](std::int64_t v) {
                for (std::int64_t slot = 0; slot < together; ++slot) result.scores[v] += sums[slot * n + v];
            });
            // A source has at most one value for each edge, so no two iterations write the same score.
            for (std::int64_t slot = 0; of_edges && slot < together; ++slot) {
                auto const& of_source = edges[std::size_t(slot)];
                for_each(exec, std::int64_t(of_source.size()), [&](std::int64_t i) {
                    auto const& [edge, value] = of_source[std::size_t(i)];
                    result.edge_scores[edge] += value;
                });
            }
        });
    if (is_ordered) return;
    fill(exec, result.scores.view(), 0.0);
    fill(exec, result.edge_scores.view(), 0.0);
    add_path_dependencies_by_levels(exec, a, sources, of_edges, result);
}

/// Calls add(source, distances) for all sources in order, with the distances from the source.
template <class T, class Add>
void for_distances_of_sources(host_executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources,
                              Add const& add) {
    std::int64_t const n = a.rows(), count = std::int64_t(sources.size());
    std::vector<std::unique_ptr<path_search<T>>> workers(std::size_t(exec.threads()));
    buffer<T> distances(exec, std::min(source_slots(exec.threads()), count) * n);
    std::int64_t added = 0;
    for_each_source(
        exec, count,
        [&](int thread, std::int64_t s, std::int64_t slot) {
            auto& search = workers[std::size_t(thread)];
            if (!search) search = std::make_unique<path_search<T>>(exec, a);
            search->run(
                sources[std::size_t(s)], [](vertex_id, T) {}, [](std::int32_t, vertex_id, T, bool) {});
            std::copy_n(search->distances(), n, distances.data() + slot * n);
        },
        [&](std::int64_t together) {
            for (std::int64_t slot = 0; slot < together; ++slot)
                add(sources[std::size_t(added++)], distances.data() + slot * n);
        });
}

} // namespace coppice::inline v0_1::analytics
