// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The steps of shortest paths over ranks (distributed_sssp.hpp) on the vertices and edges of a rank.
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/graph/search/sssp_steps.hpp>
#include <coppice/solvers/distributed/graphs/owned_graph.hpp>

namespace coppice::inline v0_1::distributed {

/// analytics::relax_edge without lists of outer vertices: these have no edges here, and their distances are sent to the
/// owners.
template <class T>
struct relax_edge_of_rank {
    analytics::relax_edge<T, analytics::sum_of_lengths<T>> relax;
    vertex_id own;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool concerns(Worker const& worker, vertex_id u, std::int32_t k) const {
        return relax.concerns(worker, u, k);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool enlist(Worker const& worker, vertex_id v) const {
        return relax.enlist(worker, v);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = relax.g.neighbors[k];
        if (v < own) return relax(worker, u, k);
        T const distance = analytics::sum_of_lengths<T>::extended(worker.load(relax.distances + u), relax.lengths[k]);
        if (distance < worker.load_cached(relax.distances + v)) worker.lower(relax.distances + v, distance);
    }
};

/// Whether the distance of an outer vertex is within the bound of the near list and has not been sent to the owner yet.
template <class T>
struct is_unsent {
    T const* distances; ///< of outer vertices
    T const* sent;
    T near;
    COPPICE_HD bool operator()(std::int64_t k) const { return distances[k] < sent[k] && distances[k] <= near; }
};
template <class T>
struct list_unsent {
    vertex_id const* outer;
    T const* distances;
    T* sent;
    vertex_message<T>* messages;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t k) const {
        messages[position] = {outer[k], distances[k]};
        sent[k] = distances[k];
    }
};
/// Receives the distances that other ranks send; they are within the bound of the near list.
template <class T>
struct take_distance {
    vertex_message<T> const* messages;
    T* distances;
    std::int32_t* queued;
    std::int32_t round;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id i) const {
        vertex_id const v = messages[i].vertex;
        if (worker.lower(distances + v, messages[i].value) && worker.exchange(queued + v, round) != round)
            worker.emit(v);
    }
};
/// Ends a round of the near list; stops if it is empty, or after the last round.
template <class T>
struct end_own_round {
    analytics::worklist* near;
    analytics::worklist* next;
    analytics::sssp_state<T>* state;
    COPPICE_HD void operator()(std::int64_t) const {
        analytics::swap_and_clear(*near, *next);
        ++state->round;
        if (near->count == 0 || state->round == state->last_round) state->loop.stop();
    }
};
template <class T>
struct begin_own_rounds {
    analytics::worklist const* near;
    analytics::sssp_state<T>* state;
    std::int32_t max_rounds; ///< 0: no limit
    COPPICE_HD void operator()(std::int64_t) const {
        state->loop.on = 1;
        if (near->count == 0) ++state->round; // then no vertex has this round in `queued`
        state->last_round = max_rounds > 0 ? state->round + max_rounds : 0;
    }
};
/// Distance of an element of the far list if it is beyond the near list, otherwise infinity.
template <class T>
struct far_distance {
    vertex_id const* items;
    T const* distances;
    T near;
    COPPICE_HD T operator()(std::int64_t i) const {
        T const d = distances[items[i]];
        return d > near ? d : std::numeric_limits<T>::infinity();
    }
};
/// Distance of an outer vertex if it is beyond the near list and has not been sent, otherwise infinity.
template <class T>
struct unsent_distance {
    T const* distances; ///< of outer vertices
    T const* sent;
    T near;
    COPPICE_HD T operator()(std::int64_t k) const {
        T const d = distances[k];
        return d < sent[k] && d > near ? d : std::numeric_limits<T>::infinity();
    }
};
template <class T>
struct smaller_of {
    COPPICE_HD T operator()(T const& a, T const& b) const { return b < a ? b : a; }
};
template <class T>
struct set_bound {
    analytics::sssp_state<T>* state;
    T near;
    COPPICE_HD void operator()(std::int64_t) const {
        state->final_bound = state->near;
        state->near = near;
    }
};
struct swap_lists {
    analytics::worklist* now;
    analytics::worklist* next;
    COPPICE_HD void operator()(std::int64_t) const { analytics::swap_and_clear(*now, *next); }
};

/// Whether edge k of u is on a shortest path.
template <class T>
struct is_tight {
    graph_view g;
    T const* lengths;
    T const* distances;
    COPPICE_HD bool operator()(vertex_id u, std::int32_t k) const {
        T const d = distances[g.neighbors[k]];
        return d < std::numeric_limits<T>::infinity() && distances[u] + lengths[k] == d;
    }
};
/// Finds the smallest predecessor at a smaller distance, as analytics::find_parent, with global indices.
template <class T>
struct find_global_parent {
    is_tight<T> tight;
    std::uint32_t* parents;
    vertex_id first;
    int* level_edges; ///< set if an edge on a shortest path connects vertices of equal distance
    template <class Worker>
    COPPICE_HD bool enters(Worker const&, vertex_id u) const {
        return tight.distances[u] < std::numeric_limits<T>::infinity();
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = tight.g.neighbors[k];
        if (u == v || !tight(u, k)) return;
        if (tight.distances[u] < tight.distances[v])
            worker.lower(parents + v, static_cast<std::uint32_t>(first + u));
        else
            worker.store(level_edges, 1);
    }
};

} // namespace coppice::inline v0_1::distributed
