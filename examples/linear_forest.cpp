// SPDX-License-Identifier: BSD-3-Clause
// Computes heavy edges of a graph: a matching, paths of heavy edges, and the tridiagonal matrix along them.
#include <coppice/csr.hpp>
#include <coppice/factor.hpp>
#include <coppice/generators.hpp>
#include <coppice/linear_forest.hpp>
#include <coppice/tridiagonal.hpp>

#include <iostream>
#include <vector>

int main() {
    coppice::host_executor const exec;
    auto const a = coppice::generate(exec, "aniso2", {.nx = 40, .ny = 40});
    auto const weights = coppice::symmetrised_weights(exec, a.view()); // |A| without diagonal, as an undirected graph

    auto const matching = coppice::parallel_factor(exec, weights.view(), {.degree = 1});
    std::cout << "matching: " << matching.edges << " edges, " << 100 * matching.weight_coverage << " % of the weight\n";

    auto const factor = coppice::parallel_factor(exec, weights.view(), {.degree = 2, .ties = coppice::tie_rule::near});
    auto const forest = coppice::extract_forest(exec, weights.view(), factor);
    std::cout << "forest: " << forest.paths << " paths, the longest of " << forest.longest_path << " vertices, "
              << 100 * forest.weight_coverage << " % of the weight\n";

    // The submatrix of A along the paths is tridiagonal in the order of the forest; one pass solves it.
    auto const system = coppice::extract_forest_system(exec, a.view(), forest);
    std::vector<double> const d(std::size_t(a.rows()), 1.0);
    std::vector<double> y(d.size());
    coppice::solve_tridiagonal(exec, system.view(), d, y);
    double const error = coppice::tridiagonal_backward_error(exec, system.view(), y, d);
    std::cout << "backward error of a solve along it: " << error << "\n";
    return forest.weight_coverage > 0.5 && error < 1e-14 ? 0 : 1;
}
