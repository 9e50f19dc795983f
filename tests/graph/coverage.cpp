// SPDX-License-Identifier: BSD-3-Clause
// Weight coverages of tables 15 and 16 of the source thesis at reduced size, and of every available public matrix.
#include <doctest/doctest.h>

#include <coppice/linear_forest.hpp>

#include "support/datasets.hpp"
#include "support/graph_validator.hpp"
#include "support/graphs.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/symmetry.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

double coverage(plain_csr<double> const& weights, factor_options const& options) {
    host_executor const host(2);
    auto const a = weights.on(host);
    return parallel_factor(host, a.view(), options).weight_coverage;
}
double greedy_coverage(plain_csr<double> const& weights, factor_options const& options) {
    host_executor const host(2);
    auto const a = weights.on(host);
    return greedy_factor(host, a.view(), options).weight_coverage;
}

/// A seven-point grid with a different weight in each direction.
plain_csr<double> seven_point(int n, double wx, double wy, double wz) {
    plain_csr<double> a;
    a.rows = a.columns = n * n * n;
    int const step[] = {n * n, n, 1};
    double const weight[] = {wz, wy, wx};
    for (int v = 0; v < a.rows; ++v) {
        int const at[] = {v / (n * n), v / n % n, v % n};
        for (int d = 0; d < 3; ++d)
            if (at[d] > 0) {
                a.indices.push_back(v - step[d]);
                a.values.push_back(weight[d]);
            }
        for (int d = 2; d >= 0; --d)
            if (at[d] < n - 1) {
                a.indices.push_back(v + step[d]);
                a.values.push_back(weight[d]);
            }
        a.offsets.push_back(int(a.indices.size()));
    }
    return a;
}

} // namespace

TEST_CASE("coverages of tables 15 and 16") {
    struct row {
        char const* name;
        plain_csr<double> weights;
        double parallel[4]; // published values for n = 1..4; ours may be larger
        double greedy[4];   // with random ties, accuracy 0.01
    };
    row const rows[] = {
        {"ANISO1", stencil_graph(300, 300, stencil_aniso1), {.27, .67, .72, .79}, {.293, .667, .728, .792}},
        {"ANISO2", stencil_graph(300, 300, stencil_aniso2), {.27, .67, .72, .79}, {.293, .667, .728, .792}},
        {"ECOLOGY1", stencil_graph(300, 300, stencil_five_point), {.21, .46, .71, 1}, {.227, .466, .712, 1}},
        {"ATMOSMODM", seven_point(40, 1, 40, 1), {.38, .95, .96, .97}, {.415, .953, .964, .975}},
    };
    for (auto const& r : rows)
        for (int n = 1; n <= 4; ++n) {
            CAPTURE(r.name);
            CAPTURE(n);
            CHECK(coverage(r.weights, {.degree = n, .rounds = 5}) >= r.parallel[n - 1] - 0.01);
            CHECK(coverage(r.weights, {.degree = n, .rounds = 5, .charge_below = 2}) >= r.parallel[n - 1] - 0.01);
            CHECK(greedy_coverage(r.weights, {.degree = n}) == doctest::Approx(r.greedy[n - 1]).epsilon(0.02));
            CHECK(coverage(r.weights, {.degree = n}) == doctest::Approx(greedy_coverage(r.weights, {.degree = n})));
        }
    // All weights are equal. tie_rule::near selects the edges along the lines of the grid, which are half of all edges.
    CHECK(coverage(rows[2].weights, {.rounds = 5, .ties = tie_rule::near}) > 0.495);
}

TEST_CASE("random colours as in the thesis give a maximal factor of ECOLOGY1 in at most 16 rounds") {
    host_executor const host(2);
    auto const a = stencil_graph(300, 300, stencil_five_point).on(host);
    auto const f = parallel_factor(host, a.view(), {.rounds = 0, .charge_below = 2});
    CHECK(f.maximal);
    CHECK(f.rounds <= 16);
    CHECK(f.weight_coverage == doctest::Approx(0.466).epsilon(0.01));
}

TEST_CASE("public matrices: near the greedy factor, and valid forests") {
    auto const folder = datasets_folder();
    if (!folder) return print_skipped("no folder of public matrices (set COPPICE_DATASETS)");
    host_executor const host(2);
    for (char const* kind : {"graph", "real", "banded"})
        for (auto const& file : std::filesystem::directory_iterator(*folder / kind)) {
            std::string const name = file.path().filename().string();
            CAPTURE(name);
            auto const a = read_matrix_market<double>(host, file.path());
            if (a.rows() != a.columns()) continue;
            auto const weights = symmetrised_weights(host, a.view());
            auto const g = graph_of(weights);
            auto const five = parallel_factor(host, weights.view(), {.degree = 1, .rounds = 5});
            auto const matching = parallel_factor(host, weights.view(), {.degree = 1});
            auto const greedy_matching = greedy_factor(host, weights.view(), {.degree = 1});
            CHECK(check_factor(g, 1, to_vector(host, matching.neighbors), matching.maximal) == "");
            CHECK(matching.weight_coverage >= five.weight_coverage);
            CHECK(matching.weight_coverage >= greedy_matching.weight_coverage - 0.01);
            for (tie_rule const ties : {tie_rule::hash, tie_rule::near}) {
                factor_options const options{.ties = ties};
                auto const f = parallel_factor(host, weights.view(), options);
                auto const greedy = greedy_factor(host, weights.view(), options);
                CHECK(check_factor(g, 2, to_vector(host, f.neighbors), f.maximal) == "");
                CHECK(f.weight_coverage >= greedy.weight_coverage - 0.01);
                auto const after_five = parallel_factor(host, weights.view(), {.rounds = 5, .ties = ties});
                CHECK(after_five.weight_coverage >= greedy.weight_coverage - 0.01);
                auto const forest = extract_forest(host, weights.view(), f);
                plain_forest const plain{to_vector(host, forest.path_ids),     to_vector(host, forest.positions),
                                         to_vector(host, forest.permutation),  to_vector(host, forest.inverse),
                                         to_vector(host, forest.path_offsets), to_vector(host, forest.links)};
                CHECK(check_forest(g, plain) == "");
            }
        }
}
