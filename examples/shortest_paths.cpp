// SPDX-License-Identifier: BSD-3-Clause
// Shortest paths as products over the semiring (min, +): each product extends the paths by one edge.
#include <coppice/csr.hpp>
#include <coppice/spmv.hpp>

#include <iostream>
#include <limits>
#include <vector>

int main() {
    coppice::host_executor const exec;
    // Row j holds the edges that end at j: entry (j, i) is the length of i -> j.
    coppice::coo<float> edges{.rows = 5, .columns = 5};
    edges.add(1, 0, 7);
    edges.add(2, 0, 1);
    edges.add(1, 2, 3);
    edges.add(3, 1, 2);
    edges.add(3, 2, 9);
    for (int v = 0; v < 5; ++v) edges.add(v, v, 0); // a path without an edge has length 0
    auto const a = coppice::to_csr(exec, edges);
    auto const plan = coppice::make_srcsr_plan(exec, a.view()); // depends on the structure only; made once

    float const far = std::numeric_limits<float>::infinity();
    std::vector<float> distance{0, far, far, far, far}, next(distance.size());
    for (int step = 1; step < a.rows(); ++step) {
        coppice::semiring_spmv(exec, plan, coppice::min_plus<float>{}, a.view(), coppice::array_view(distance),
                               coppice::array_view(next));
        if (next == distance) break;
        distance.swap(next);
    }
    for (std::size_t v = 0; v < distance.size(); ++v) std::cout << "0 -> " << v << ": " << distance[v] << "\n";
    return distance == std::vector<float>{0, 4, 1, 6, far} ? 0 : 1;
}
