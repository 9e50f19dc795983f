// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Breadth-first trees of all components of an undirected graph.
#pragma once

#include <coppice/graph/frontier/level_lists.hpp>
#include <coppice/graph/search/bfs.hpp>
#include <coppice/graph/structure/components.hpp>

namespace coppice::inline v0_1::analytics {

/// The search trees start at the smallest vertices of the components.
struct begin_tree {
    vertex_id const* labels;
    std::uint32_t* parents;
    std::int32_t* levels;
    worklist* all_vertices;
    std::int64_t vertices;
    COPPICE_HD void operator()(std::int64_t v) const {
        bool const root = labels[v] == v;
        parents[v] = root ? static_cast<std::uint32_t>(v) : ~0u;
        levels[v] = root ? 0 : -1;
        if (v == 0) *all_vertices = {nullptr, vertices, 0};
    }
};
struct list_roots {
    std::int32_t const* levels;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (levels[v] == 0) worker.emit(v);
    }
};

/// Trees that start at the smallest vertices of the components; the parent of a vertex is its smallest neighbour in the
/// level before, that of a root the root. `lists` holds the levels, ready for a backward pass. Memory: 9 words per
/// vertex. Waits.
template <executor Executor>
struct search_forest {
    std::int64_t components;
    buffer<std::uint32_t> parents;
    buffer<std::int32_t> levels;
    buffer<worklist> all_vertices;
    level_lists<Executor> lists;

    search_forest(Executor const& exec, graph_view g)
        : components(0), parents(exec, g.vertices), levels(exec, g.vertices), all_vertices(placed(exec, worklist{})),
          lists(exec, g.vertices, g.vertices + 1) {
        auto const found = connected_components(exec, g);
        components = found.components;
        for_each(exec, g.vertices,
                 begin_tree{found.labels.data(), parents.data(), levels.data(), all_vertices.data(), g.vertices});
        lists.clear();
        vertex_map(exec, nullptr, all_vertices.data(), into(lists.now()), list_roots{levels.data()});
        lists.forward([&] {
            edge_map(exec, nullptr, lists.now(), g, into(lists.next()),
                     push_level{g, levels.data(), parents.data(), &lists.state()->level});
        });
        exec.synchronize(); // the labels are destroyed here
    }
};

} // namespace coppice::inline v0_1::analytics
