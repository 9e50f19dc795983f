// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/graph/factor/edge_weights.hpp>

#include <limits>
#include <string_view>

#include "support/executors.hpp"
#include "support/stored_rows.hpp"
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/linear_forest.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

template <class Executor>
std::vector<double> dense_weights(Executor const& exec, csr_view<double> w) {
    auto const offsets = to_vector(exec, w.row_offsets());
    auto const columns = to_vector(exec, w.column_indices());
    auto const values = to_vector(exec, w.values());
    std::size_t const n = std::size_t(w.rows());
    std::vector<double> dense(n * n, 0);
    for (std::size_t i = 0; i < n; ++i)
        for (auto k = std::size_t(offsets[i]); k < std::size_t(offsets[i + 1]); ++k)
            if (std::size_t(columns[k]) != i) dense[i * n + std::size_t(columns[k])] = std::abs(values[k]);
    return dense;
}

std::vector<std::int32_t> reference_mirrors(csr_view<double> a) {
    std::vector<std::int32_t> mirrors(std::size_t(a.nonzeros()), -1);
    for (std::int32_t i = 0; i < a.rows(); ++i)
        for (std::int32_t k = a.row_begin(i); k < a.row_end(i); ++k)
            for (std::int32_t q = a.row_begin(a.indices[k]); q < a.row_end(a.indices[k]); ++q)
                if (a.indices[q] == i) mirrors[std::size_t(k)] = q;
    return mirrors;
}

} // namespace

TEST_CASE_TEMPLATE("edge weights are those of symmetrised_weights, without a copy if possible", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    struct sample {
        char const* name;
        csr<double> a;
        bool own_values, own_pattern;
    };
    std::vector<sample> samples;
    samples.push_back({"symmetric", from_rows({{{0, 4}, {1, -1}}, {{0, -1}, {2, 3}}, {{1, 3}, {2, 5}}}), false, false});
    samples.push_back({"skew", from_rows({{{1, -1}}, {{0, 1}, {2, 3}}, {{1, -3}}}), false, false});
    samples.push_back({"pattern", from_rows({{{0, 4}, {1, -1}}, {{0, 2}, {2, 3}}, {{1, 0}, {2, 5}}}), true, false});
    samples.push_back({"one side", from_rows({{{0, 4}, {1, -1}}, {{2, 3}}, {{2, 5}}}), false, true});
    // One more entry below the diagonal than above, and rows without a diagonal.
    samples.push_back({"left side", from_rows({{{1, 2}}, {{0, 2}}, {{0, 3}}}), false, true});
    // As many entries above the diagonal as below, without mirror entries.
    samples.push_back({"cycle", from_rows({{{1, 1}}, {{2, 1}}, {{0, 1}}}), false, true});
    samples.push_back({"unsorted", from_rows({{{1, -1}, {0, 4}}, {{2, 3}, {0, -1}}, {{1, 3}}}), false, true});
    samples.push_back({"empty rows", from_rows({{}, {}, {}}), false, false});
    for (sample const& s : samples) {
        CAPTURE(s.name);
        auto const a = exec.copy(s.a);
        auto const weights = make_edge_weights(exec, a.view());
        auto const expected = symmetrised_weights(exec, a.view());
        CHECK(dense_weights(exec, weights.view) == dense_weights(exec, expected.view()));
        CHECK(!weights.values.empty() == s.own_values);
        CHECK((weights.made.rows() > 0) == s.own_pattern);
        if (std::string_view(s.name) == "unsorted") continue;
        auto const mirrors = graph_detail::find_mirrors(exec, make_srcsr_plan(exec, a.view()), a.view());
        CHECK(to_vector(exec, mirrors) == reference_mirrors(s.a.view()));
        auto const by_mirrors =
            graph_detail::edge_weights_by(exec, a.view(), array_view<std::int32_t const>(mirrors.view()));
        CHECK(dense_weights(exec, by_mirrors.view) == dense_weights(exec, expected.view()));
        CHECK(!by_mirrors.values.empty() == s.own_values);
        CHECK((by_mirrors.made.rows() > 0) == s.own_pattern);
    }
    auto const twice = exec.copy(from_rows({{{1, 1}, {1, 2}}, {{0, 1}}}));
    CHECK_THROWS_AS(make_edge_weights(exec, twice.view()), matrix_error);
    auto const nan = exec.copy(from_rows({{{1, 1}}, {{0, std::numeric_limits<double>::quiet_NaN()}}}));
    CHECK_THROWS_WITH_AS(make_edge_weights(exec, nan.view()), doctest::Contains("row 1, column 0 holds"), matrix_error);
    CHECK(make_edge_weights(exec, csr_view<double>{}).view.rows() == 0);
}

TEST_CASE_TEMPLATE("the same forest from the matrix itself as from its symmetrised weights", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (char const* kind : {"aniso1", "laplace2d", "convection", "rmat"}) {
        CAPTURE(kind);
        generator_options options{.nx = 40};
        options.scale = 9;
        auto const a = exec.copy(generate<double>(host_executor{1}, kind, options));
        auto const forest_of = [&](csr_view<double> w) {
            return extract_forest(exec, w, parallel_factor(exec, w, {.degree = 2}));
        };
        auto const shared = forest_of(make_edge_weights(exec, a.view()).view);
        auto const plain = forest_of(view_of(symmetrised_weights(exec, a.view())));
        CHECK(to_vector(exec, shared.permutation) == to_vector(exec, plain.permutation));
        CHECK(shared.weight_coverage == doctest::Approx(plain.weight_coverage));
    }
}

#if !defined(COPPICE_TEST_CUDA)
// With few threads the cycles are opened by walks along them, with many threads by a scan. Both remove the same edges.
TEST_CASE("a factor's cycles are opened at the same edges for any number of threads") {
    auto const a = generate<double>(host_executor{1}, "laplace2d", {.nx = 60});
    auto const forest_of = [&](int threads) {
        host_executor const exec{threads};
        return extract_forest(exec, a.view(), parallel_factor(exec, a.view(), {.degree = 2, .ties = tie_rule::near}));
    };
    auto const one = forest_of(1), two = forest_of(2), many = forest_of(12);
    CHECK(one.cycles_broken > 0);
    CHECK(to_vector(host_executor{1}, one.permutation) == to_vector(host_executor{1}, two.permutation));
    CHECK(to_vector(host_executor{1}, one.permutation) == to_vector(host_executor{1}, many.permutation));
}
#endif
