// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options of the [0, n]-factor, shared by factor, forest and solve.
#pragma once

#include <cstdint>
#include <string>

#include "apps/app.hpp"
#include "apps/names.hpp"
#include <coppice/graph/factor/factor.hpp>

namespace coppice::app {

inline constexpr named<tie_rule> tie_rules[] = {{"hash", tie_rule::hash}, {"near", tie_rule::near}};

/// The parameters of the algorithm as the user types them; `ties` empty takes the default of the options given to
/// read_factor_arguments().
struct factor_arguments {
    factor_options options{};
    std::string ties{};
};

inline void add_factor_options(CLI::App& cli, factor_arguments& f) {
    add_integer(cli, "--rounds", f.options.rounds,
                "rounds of proposals; 0 goes on until the factor is maximal; by default as many as it pays for")
        ->type_name("M");
    cli.add_option("--ties", f.ties,
                   "order of edges of equal weight: hash (random) or near (small |i - j| first); forests default to "
                   "near, factors to hash")
        ->type_name(alternatives(tie_rules));
    cli.add_option("--charge-below", f.options.charge_below,
                   "share of its proposals that a round must confirm, or charges follow; 0: they never do")
        ->type_name("x");
    add_integer(cli, "--charge-period", f.options.charge_period, "vertices are charged but in one of so many rounds")
        ->type_name("m");
    add_integer(cli, "--charge-offset", f.options.charge_offset, "the round of the period without charges")
        ->type_name("k");
    cli.add_option("--charge-probability", f.options.charge_probability, "of a positive charge")->type_name("p");
    add_integer(cli, "--seed", f.options.seed, "of charges and random ties")->type_name("N");
}

/// Throws usage_error for an unknown tie rule, argument_error for values out of range.
inline factor_options read_factor_arguments(factor_arguments const& f) {
    auto options = f.options;
    if (!f.ties.empty()) options.ties = choose("tie rule", f.ties, tie_rules);
    graph_detail::check_factor_options(options);
    return options;
}

inline std::string name_of(tie_rule ties) { return ties == tie_rule::near ? "near" : "hash"; }

} // namespace coppice::app
