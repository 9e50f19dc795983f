// SPDX-License-Identifier: BSD-3-Clause
#include "bench/peers/boost_peer.hpp"

#include <vector>

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/dijkstra_shortest_paths_no_color_map.hpp>
#include <boost/graph/sequential_vertex_coloring.hpp>
#include <boost/version.hpp>

namespace coppice::bench {
namespace {

struct length {
    float value;
};
using csr_graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, length, boost::no_property,
                                                     std::int32_t, std::int32_t>;

template <class T>
auto property(std::vector<T>& values, csr_graph const& g) {
    return boost::make_iterator_property_map(values.begin(), boost::get(boost::vertex_index, g));
}

} // namespace

struct boost_graph::graph {
    csr_graph g;
};

boost_graph::boost_graph(csr_view<float> a) {
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    std::vector<length> lengths;
    for (std::int32_t u = 0; u < a.rows(); ++u)
        for (auto k = a.row_begin(u); k < a.row_end(u); ++k) {
            edges.emplace_back(u, a.indices[k]);
            lengths.push_back({a.coefficients[k]});
        }
    graph_ = std::make_unique<graph>(
        graph{csr_graph(boost::edges_are_sorted, edges.begin(), edges.end(), lengths.begin(), a.rows(), a.nonzeros())});
}
boost_graph::~boost_graph() = default;

void boost_graph::bfs(int source) const {
    auto const& g = graph_->g;
    std::vector<std::int32_t> parents(boost::num_vertices(g), -1);
    auto const record = boost::record_predecessors(property(parents, g), boost::on_tree_edge());
    boost::breadth_first_search(g, source, boost::visitor(boost::make_bfs_visitor(record)));
}
void boost_graph::sssp(int source) const {
    auto const& g = graph_->g;
    std::vector<float> distances(boost::num_vertices(g));
    boost::dijkstra_shortest_paths_no_color_map(
        g, source, boost::distance_map(property(distances, g)).weight_map(boost::get(&length::value, g)));
}
int boost_graph::components() const {
    std::vector<std::int32_t> labels(boost::num_vertices(graph_->g));
    auto const& g = graph_->g;
    std::vector<boost::default_color_type> colours(boost::num_vertices(g), boost::white_color);
    int count = 0; // connected_components() requires an undirected type; this is its loop
    for (std::int32_t v = 0; v < std::int32_t(boost::num_vertices(g)); ++v) {
        if (colours[std::size_t(v)] != boost::white_color) continue;
        boost::queue<std::int32_t> queue;
        boost::breadth_first_visit(g, v, queue, boost::default_bfs_visitor(), property(colours, g));
        ++count;
    }
    return count;
}
int boost_graph::colouring() const {
    auto const& g = graph_->g;
    std::vector<std::int32_t> colours(boost::num_vertices(g));
    return int(boost::sequential_vertex_coloring(g, property(colours, g)));
}
std::string boost_graph::version() {
    return "Boost.Graph " + std::to_string(BOOST_VERSION / 100000) + "." + std::to_string(BOOST_VERSION / 100 % 1000);
}

} // namespace coppice::bench
