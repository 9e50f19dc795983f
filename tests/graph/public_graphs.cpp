// SPDX-License-Identifier: BSD-3-Clause
// Graph algorithms on public data sets, held against their definitions; skipped in words where there are none.
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include <coppice/bfs.hpp>
#include <coppice/graph/edge_weights.hpp>
#include <coppice/graph_structure.hpp>
#include <coppice/matrix_file.hpp>

#include "support/datasets.hpp"
#include "support/graph_answers.hpp"

using namespace coppice;
using namespace coppice::test;

TEST_CASE("public graphs: answers meet their definitions") {
    for (char const* name : {"karate", "minnesota", "power", "email-Eu-core", "Erdos02-cc", "airfoil1", "nr_web-spam",
                             "PGPgiantcompo", "delaunay_n13"}) {
        CAPTURE(name);
        auto const file = dataset("graph/" + std::string(name) + ".mtx.gz");
        if (!file) continue;
        host_executor const exec(2);
        auto const a = symmetrised_weights(exec, read_matrix<double>(exec, *file).view());
        graph_view const g(a);
        auto const offsets = to_vector(exec, a.row_offsets());
        auto const indices = to_vector(exec, a.column_indices());
        auto const values = to_vector(exec, a.values());
        plain p;
        p.rows = p.columns = a.rows();
        p.offsets.assign(offsets.begin(), offsets.end());
        p.indices.assign(indices.begin(), indices.end());
        p.values.assign(values.begin(), values.end());

        int const source = p.rows / 2;
        auto const walk = bfs(exec, g, source, {.incoming = g});
        auto const levels = plain_distances(p, source, true);
        auto const found = to_vector(exec, walk.levels);
        bool same = true;
        for (std::size_t v = 0; v < found.size(); ++v)
            same = same && (found[v] < 0 ? std::numeric_limits<double>::infinity() : double(found[v])) == levels[v];
        CHECK(same);
        CHECK(check_parents(p, source, levels, to_vector(exec, walk.parents), [](double) { return 1.0; }) == "");
        CHECK(check_components(p, to_vector(exec, connected_components(exec, g).labels)) == "");
        CHECK(check_independent(p, to_vector(exec, maximal_independent_set(exec, g).members)) == "");
        CHECK(check_matching(p, to_vector(exec, maximal_matching(exec, g).mates)) == "");
        CHECK(check_colours(p, to_vector(exec, colour_graph(exec, g).colours)) == "");
        auto const forest = minimum_spanning_forest(exec, a.view());
        auto const [weight, edges] = kruskal(p);
        CHECK(forest.from.size() == edges);
        CHECK(forest.weight == doctest::Approx(weight).epsilon(1e-12));
    }
}
