// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The steps of single-source shortest paths (graph/search/sssp.hpp) on vertices and edges.
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/graph/frontier/rounds.hpp>

namespace coppice::inline v0_1::analytics {

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
    int leaps = 0;  ///< no vertex was near at the last division
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
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool concerns(Worker const& worker, vertex_id u, std::int32_t k) const {
        return Path::extended(worker.load(distances + u), lengths[k]) < worker.load(distances + g.neighbors[k]);
    }
    /// Whether v is not yet in the near list of the next round; it then has to be appended.
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool enlist(Worker const& worker, vertex_id v) const {
        std::int32_t const next = state->round + 1;
        return worker.load(queued + v) != next && worker.exchange(queued + v, next) != next;
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        T const distance = Path::extended(worker.load(distances + u), lengths[k]);
        if (!(distance < worker.load(distances + v))) return;
        worker.put_lower(distances + v, distance); // v is appended even if another worker stored a smaller distance
        if (distance <= state->near) {
            if (processes_emitted<Worker> || enlist(worker, v)) worker.template emit<0>(v);
        } else if (worker.load(waits + v) == 0 && worker.exchange(waits + v, 1) == 0) {
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
        if (takes(worker, v)) worker.template emit<0>(v);
    }
    /// Drops v or keeps it in the far list; returns whether it is near instead.
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool takes(Worker& worker, vertex_id v) const {
        T const distance = worker.load(distances + v);
        if (distance <= state->near) {
            worker.store(waits + v, 0);
            return distance > state->final_bound;
        }
        worker.lower(&state->far_min, distance);
        worker.template emit<1>(v);
        return false;
    }
};

/// Divides the far list and relaxes the edges of the vertices that are near now, on the host: by a separate division,
/// a step of delta would have two parallel loops instead of one.
template <class T, class Path>
struct relax_near_of_far {
    relax_edge<T, Path> relax;
    divide_far<T> division;
    bool enters(auto& worker, vertex_id v) const {
        if (!division.takes(worker, v)) return false;
        int* const leaps = &division.state->leaps;
        if (worker.load(leaps) != 0) worker.store(leaps, 0);
        return true;
    }
    bool concerns(auto const& worker, vertex_id u, std::int32_t k) const { return relax.concerns(worker, u, k); }
    bool enlist(auto const& worker, vertex_id v) const { return relax.enlist(worker, v); }
    void operator()(auto& worker, vertex_id u, std::int32_t k) const { relax(worker, u, k); }
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
        s.leaps = 1;
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
        if (state->splits == 0) return;
        swap_and_clear(*far, *far_next);
        ++state->round;
        if (near->count > 0)
            state->leaps = 0;
        else if (far->count == 0)
            state->loop.stop();
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
    template <class Worker>
    COPPICE_HD bool enters(Worker const&, vertex_id u) const {
        return distances[u] < std::numeric_limits<T>::infinity();
    }
    template <class Worker>
    COPPICE_HD bool concerns(Worker const&, vertex_id u, std::int32_t k) const {
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
    template <class Worker>
    COPPICE_HD bool enters(Worker const&, vertex_id u) const {
        return distances[u] < std::numeric_limits<T>::infinity();
    }
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

} // namespace coppice::inline v0_1::analytics
