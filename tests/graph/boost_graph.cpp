// SPDX-License-Identifier: BSD-3-Clause
// Boost's algorithms on our matrices, whose answers ours must equal; and Boost's graphs as matrices.
#include <doctest/doctest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/betweenness_centrality.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/strong_components.hpp>

#include <coppice/bfs.hpp>
#include <coppice/boost_graph.hpp>
#include <coppice/centrality.hpp>
#include <coppice/graph_structure.hpp>
#include <coppice/sssp.hpp>

#include "support/graphs.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<csr_view<double>>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<csr_view<double>>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<csr_view<double>>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<csr_view<double>>));

template <class T>
auto by_vertex(std::vector<T>& values) {
    return boost::make_iterator_property_map(values.begin(), boost::typed_identity_property_map<vertex_id>());
}

} // namespace

TEST_CASE("Boost's algorithms on a matrix agree with ours") {
    host_executor const host(1);
    std::vector<named_graph> graphs{
        {"random, directed", random_matrix<double>(std::vector<std::int64_t>(700, 2), 700, 9)},
        {"grid", stencil_graph(20, 17, stencil_aniso1)}};
    for (auto& [name, weights] : graphs) {
        for (double& x : weights.values) x = std::abs(x);
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const matrix = weights.on(host), turned = transpose(host, matrix.view());
        csr_view<double> const g = matrix.view();
        auto const n = num_vertices(g);
        std::size_t counted = 0;
        for (auto [at, end] = edges(g); at != end; ++at) counted += source(*at, g) < g.rows() ? 1 : 0;
        CHECK(counted == num_edges(g));

        std::vector<int> component(n);
        auto const components = boost::strong_components(g, by_vertex(component));
        auto const ours = strongly_connected_components(host, graph_view(g), graph_view(turned));
        CHECK(ours.components == components);
        auto const labels = to_vector(host, ours.labels);
        for (std::size_t v = 0; v < n; ++v) CHECK(component[v] == component[std::size_t(labels[v])]);

        std::vector<double> distance(n);
        boost::dijkstra_shortest_paths(g, 3, boost::distance_map(by_vertex(distance)));
        for (double& d : distance)
            if (d == std::numeric_limits<double>::max()) d = std::numeric_limits<double>::infinity();
        CHECK(to_vector(host, sssp(host, g, 3).distances) == distance);

        std::vector<int> level(n, -1);
        level[3] = 0;
        boost::breadth_first_search(
            g, 3,
            boost::visitor(boost::make_bfs_visitor(boost::record_distances(by_vertex(level), boost::on_tree_edge()))));
        CHECK(to_vector(host, bfs(host, graph_view(g), 3).levels) == level);

        std::vector<double> score(n);
        boost::brandes_betweenness_centrality(g, by_vertex(score));
        auto const between = to_vector(host, betweenness(host, graph_view(g), graph_view(turned)).scores);
        for (std::size_t v = 0; v < n; ++v) CHECK(between[v] == doctest::Approx(score[v]));
    }
}

TEST_CASE("a Boost graph is a matrix of its edges") {
    host_executor const host(1);
    using graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                        boost::property<boost::edge_weight_t, float>>;
    graph g(4);
    add_edge(2, 1, 5.f, g);
    add_edge(0, 1, 3.f, g);
    add_edge(3, 3, 1.f, g);
    auto const a = csr_of_boost<float>(host, g, get(boost::edge_weight, g));
    CHECK(to_vector(host, a.row_offsets()) == std::vector<int>{0, 1, 3, 4, 5});
    CHECK(to_vector(host, a.column_indices()) == std::vector<int>{1, 0, 2, 1, 3});
    CHECK(to_vector(host, a.values()) == std::vector<float>{3, 3, 5, 5, 1});
    CHECK(connected_components(host, graph_view(a)).components == 2);
    CHECK(csr_of_boost<float>(host, graph(0), get(boost::edge_weight, g)).rows() == 0);
}
