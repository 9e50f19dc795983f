// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Algorithms of the Boost Graph Library on a copy of the graph.
#pragma once

#include <memory>
#include <string>

#include <coppice/algebra/csr.hpp>

namespace coppice::bench {

/// A copy of a graph as boost::compressed_sparse_row_graph. Each call includes the creation of its property maps.
class boost_graph {
public:
    explicit boost_graph(csr_view<float> a);
    ~boost_graph();
    void bfs(int source) const;
    void sssp(int source) const;
    int components() const;
    int colouring() const;
    static std::string version();

private:
    struct graph;
    std::unique_ptr<graph> graph_;
};

} // namespace coppice::bench
