// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options of graph algorithms by name.
#include <limits>
#include <type_traits>

#include <coppice/core/error.hpp>
#include <coppice/core/number_text.hpp>
#include <coppice/graph/catalogue/options.hpp>
#include <coppice/graph/centrality/spectral.hpp>
#include <coppice/graph/search/random_walks.hpp>

namespace coppice::inline v0_1 {
namespace {

constexpr double max_int = std::numeric_limits<int>::max();
constexpr double max_exact = 9007199254740991; // 2^53 - 1; double represents all integers up to this one

template <auto Element>
constexpr graph_option option_of(option_row const& row) {
    return {row, [](analytics_options const& o) { return double(o.*Element); },
            [](analytics_options& o, double value) {
                o.*Element = static_cast<std::decay_t<decltype(o.*Element)>>(value);
            }};
}

constexpr graph_option all_options[] = {
    option_of<&analytics_options::source>(
        {.name = "source", .standard = "0", .meaning = "vertex, counted from 0", .max = max_int}),
    option_of<&analytics_options::sink>({.name = "sink",
                                         .standard = "-1",
                                         .meaning = "vertex, counted from 0; -1: the last",
                                         .min = -1,
                                         .max = max_int}),
    option_of<&analytics_options::hops>({.name = "hops",
                                         .standard = "0",
                                         .meaning = "maximum number of edges from the source; 0: no limit",
                                         .max = max_int}),
    option_of<&analytics_options::delta>({.name = "delta",
                                          .kind = option_kind::real,
                                          .standard = "0",
                                          .meaning = "width of a bucket of distances; 0: chosen"}),
    option_of<&analytics_options::damping>({.name = "damping",
                                            .kind = option_kind::real,
                                            .standard = "0.85",
                                            .meaning = "fraction of a rank that follows edges",
                                            .max = 1,
                                            .below_max = true}),
    option_of<&analytics_options::tolerance>({.name = "tolerance",
                                              .kind = option_kind::real,
                                              .standard = "1e-6",
                                              .meaning = "stops if the sum of the changes is smaller",
                                              .above_min = true}),
    option_of<&analytics_options::max_iterations>({.name = "max-iterations",
                                                   .standard = "200",
                                                   .meaning = "maximum number of iterations",
                                                   .min = 1,
                                                   .max = max_int}),
    option_of<&analytics_options::samples>(
        {.name = "samples", .standard = "0", .meaning = "number of sources; 0: all vertices", .max = max_int}),
    option_of<&analytics_options::alpha>({.name = "alpha",
                                          .kind = option_kind::real,
                                          .standard = "0",
                                          .meaning = "weight of an edge; 0: chosen such that the sum converges",
                                          .max = analytics::max_attenuation}),
    option_of<&analytics_options::resolution>({.name = "resolution",
                                               .kind = option_kind::real,
                                               .standard = "1",
                                               .meaning = "larger values give smaller communities",
                                               .above_min = true}),
    option_of<&analytics_options::capacity>(
        {.name = "capacity", .standard = "2", .meaning = "maximum number of edges per vertex", .max = max_int}),
    option_of<&analytics_options::by_value>(
        {.name = "by-value",
         .standard = "0",
         .meaning = "1: maximises the sum of the values; 0: that of their magnitudes",
         .max = 1}),
    option_of<&analytics_options::weighted>({.name = "weighted",
                                             .standard = "0",
                                             .meaning = "1: the values are weights or lengths; 0: every edge has 1",
                                             .max = 1}),
    option_of<&analytics_options::length>(
        {.name = "length", .standard = "10", .meaning = "number of steps of a walk", .min = 1, .max = max_int - 1}),
    option_of<&analytics_options::return_bias>({.name = "return-bias",
                                                .kind = option_kind::real,
                                                .standard = "1",
                                                .meaning = "p of node2vec: a step back has its weight divided by this",
                                                .min = analytics::min_walk_bias,
                                                .max = analytics::max_walk_bias}),
    option_of<&analytics_options::outward_bias>(
        {.name = "outward-bias",
         .kind = option_kind::real,
         .standard = "1",
         .meaning = "q of node2vec: a step away from the previous vertex, divided by this",
         .min = analytics::min_walk_bias,
         .max = analytics::max_walk_bias}),
    option_of<&analytics_options::seed>(
        {.name = "seed", .standard = "1", .meaning = "seed of the random numbers", .max = max_exact})};

} // namespace

std::span<graph_option const> graph_options() { return all_options; }

std::vector<option_row> option_rows(graph_algorithm_row const& row) {
    std::vector<option_row> rows;
    for (graph_option const& option : all_options)
        if (row.reads(option.row.name)) rows.push_back(option.row);
    return rows;
}

analytics_options read_graph_options(graph_algorithm_row const& row, chosen_options const& chosen) {
    analytics_options options;
    for (graph_option const& option : all_options)
        if (row.reads(option.row.name)) option.set(options, chosen.real(option.row.name));
    return options;
}

void check_graph_options(graph_algorithm_row const& row, analytics_options const& options, char const* prefix) {
    for (graph_option const& option : all_options) {
        double const value = option.value(options);
        if (row.reads(option.row.name) && !is_in_range(option.row, value))
            throw argument_error(prefix + std::string(option.row.name) + " is " + coppice::detail::number_text(value) +
                                 ", expected " + expected_of(option.row));
    }
}

} // namespace coppice::inline v0_1
