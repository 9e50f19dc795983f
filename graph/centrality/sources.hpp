// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sources of a centrality: all vertices, given ones, or a sample.
#pragma once

#include <numeric>
#include <unordered_set>
#include <vector>

#include <coppice/algebra/random.hpp>
#include <coppice/graph/frontier/graph_view.hpp>

namespace coppice::inline v0_1 {

/// All vertices, unless `vertices` or `samples` are set.
struct source_choice {
    std::vector<vertex_id> vertices{}; ///< these vertices, without duplicates
    std::int64_t samples = 0;          ///< or number of vertices, drawn without replacement; 0 or at least n: all
    std::uint64_t seed = 1;
};

namespace analytics {

inline void require_distinct(graph_view g, std::vector<vertex_id> const& sources, char const* algorithm) {
    std::unordered_set<vertex_id> seen;
    for (vertex_id const v : sources) {
        require_vertex(g, v, algorithm);
        if (!seen.insert(v).second)
            throw argument_error(std::string(algorithm) + " is given twice: vertex " + std::to_string(v));
    }
}

/// Returns the sources in host memory; sampled ones in the order of drawing (Floyd's method).
inline std::vector<vertex_id> chosen_sources(graph_view g, source_choice const& choice, char const* algorithm) {
    if (!choice.vertices.empty()) {
        require_distinct(g, choice.vertices, algorithm);
        return choice.vertices;
    }
    if (choice.samples < 0)
        throw argument_error("option samples is " + std::to_string(choice.samples) +
                             ", expected a count, or 0 for all");
    std::vector<vertex_id> drawn;
    if (choice.samples == 0 || choice.samples >= g.vertices) {
        drawn.resize(std::size_t(g.vertices));
        std::iota(drawn.begin(), drawn.end(), 0);
        return drawn;
    }
    std::unordered_set<std::int64_t> taken;
    for (std::int64_t last = g.vertices - choice.samples; last < g.vertices; ++last) {
        auto const r = mix_bits(choice.seed * golden_ratio + std::uint64_t(last)) % std::uint64_t(last + 1);
        std::int64_t const v = taken.insert(std::int64_t(r)).second ? std::int64_t(r) : last;
        taken.insert(v);
        drawn.push_back(static_cast<vertex_id>(v));
    }
    return drawn;
}

} // namespace analytics
} // namespace coppice::inline v0_1
