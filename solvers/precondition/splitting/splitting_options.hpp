// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options of preconditioners made of several forests, as a struct and by name.
#pragma once

#include <coppice/graph/forest/forest_decomposition.hpp>
#include <coppice/solvers/precondition/interface/tridiagonal_rows.hpp>

namespace coppice::inline v0_1 {

struct splitting_options {
    int factors = 4;            ///< m in [1, 16]: maximum number of forests
    double omega = 0.01;        ///< in [0, 1]: damping factor for weights of edges that an earlier forest contains
    double enough_coverage = 1; ///< no further forest if more than this fraction of the weight is covered,
    double min_gain = 0;        ///< or after a forest that adds less than this fraction
    /// Options of each forest: rounds, ties, seed. With `near` the forests contain whole grid lines, then lines across
    /// them: on ANISO1 and ANISO2 of 60^2 points GMRES(20) with mos-a(4) takes 32 and 26 iterations; with `hash` 37 to
    /// 40 and 26 to 31.
    factor_options factor{.ties = tie_rule::near};
    tridiagonal_options tridiagonal{}; ///< pivoting of the solves
};

namespace detail {

inline constexpr int max_factors = 16;

inline constexpr option_row factors_row{.name = "factors",
                                        .standard = "4",
                                        .meaning = "m: maximum number of forests; fewer if no weight remains",
                                        .min = 1,
                                        .max = max_factors};
/// 0.01 is suited for alternation, 0 for products (thesis sections 5.2.2 and 5.3.2).
constexpr option_row omega_row(std::string_view standard) {
    return {.name = "omega",
            .kind = option_kind::real,
            .standard = standard,
            .meaning = "damping factor for weights of edges of an earlier forest; 0: no edge twice",
            .max = 1};
}
inline constexpr option_row enough_coverage_row{.name = "enough-coverage",
                                                .kind = option_kind::real,
                                                .standard = "1",
                                                .meaning =
                                                    "stop if the forests cover more than this fraction of the weight",
                                                .max = 1};
inline constexpr option_row enough_diagonal_row{
    .name = "enough-coverage",
    .kind = option_kind::real,
    .standard = "1",
    .meaning = "stop if the diagonal of the remaining matrix holds more than this fraction of its weight",
    .max = 1};
inline constexpr option_row min_gain_row{.name = "least-gain",
                                         .kind = option_kind::real,
                                         .standard = "0",
                                         .meaning = "stop after a forest that adds less coverage than this",
                                         .max = 1};
/// Reads rounds, ties and seed.
inline factor_options read_factor_options(chosen_options const& o) {
    int const rounds = int(o.integer("rounds"));
    return {.rounds = rounds < 0 ? std::nullopt : std::optional(rounds),
            .ties = o.choice("ties") == 0 ? tie_rule::hash : tie_rule::near,
            .seed = std::uint64_t(o.integer("seed"))};
}
/// `has_omega`: false if the weights of a forest are computed from the previous factors.
inline splitting_options read_splitting_options(chosen_options const& o, bool has_omega = true) {
    return {.factors = int(o.integer("factors")),
            .omega = has_omega ? o.real("omega") : 0,
            .enough_coverage = o.real("enough-coverage"),
            .min_gain = o.real("least-gain"),
            .factor = read_factor_options(o),
            .tridiagonal = read_tridiagonal_options(o)};
}

inline decomposition_options decomposition_of(splitting_options const& o) {
    return {o.factors, o.omega, o.enough_coverage, o.min_gain, o.factor};
}
inline void check_splitting_options(splitting_options const& o) {
    graph_detail::check_decomposition_options(decomposition_of(o));
    if (o.factors > max_factors)
        throw argument_error("splitting option factors is " + std::to_string(o.factors) + ", expected 1 to " +
                             std::to_string(max_factors));
}

} // namespace detail
} // namespace coppice::inline v0_1
