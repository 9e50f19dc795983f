// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options of the [0, n]-factor, shared by the commands factor, forest and solve.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "apps/app.hpp"
#include "apps/names.hpp"
#include <coppice/graph/factor/factor.hpp>

namespace coppice::app {

inline constexpr named<tie_rule> tie_rules[] = {{"hash", tie_rule::hash}, {"near", tie_rule::near}};

/// Parameters of the algorithm as entered by the user. If `ties` is empty, the default of the options passed to
/// read_factor_arguments() is used.
struct factor_arguments {
    factor_options options{};
    std::string ties{};
};

inline void add_factor_options(CLI::App& cli, factor_arguments& f) {
    add_integer(cli, "--rounds", f.options.rounds,
                "rounds of proposals; 0: until the factor is maximal; by default until the weight hardly grows")
        ->type_name("M");
    cli.add_option(
           "--ties", f.ties,
           "tie-breaking of edges of equal weight: hash (random) or near (small |i - j| first); near by default for "
           "the command forest, hash for factor")
        ->type_name(alternatives(tie_rules));
    cli.add_option("--charge-below", f.options.charge_below,
                   "if a round confirms less than this fraction of its proposals, the next rounds colour vertices; 0: "
                   "never; 0.2 "
                   "by default")
        ->type_name("x");
    add_integer(
        cli, "--charge-period", f.options.charge_period,
        "period in rounds of the random +/- colouring, in which + proposes to - only; one round in each has none; 5 by "
        "default")
        ->type_name("m");
    add_integer(cli, "--charge-offset", f.options.charge_offset,
                "index of the round without colours in each period; 0 by default")
        ->type_name("k");
    cli.add_option("--charge-probability", f.options.charge_probability, "probability of the colour +; 0.5 by default")
        ->type_name("p");
    add_integer(cli, "--seed", f.options.seed, "seed of the random colours and ties; 0 by default")->type_name("N");
}

/// Returns "--charge-period is 0, ..." for "factor option charge_period is 0, ...".
inline std::string with_option_name(std::string text) {
    constexpr std::string_view before = "factor option ";
    if (!text.starts_with(before)) return text;
    std::replace(text.begin(), text.end(), '_', '-');
    return text.replace(0, before.size(), "--");
}

/// Throws usage_error for an unknown tie-breaking rule and for values out of range.
inline factor_options read_factor_arguments(factor_arguments const& f) {
    auto options = f.options;
    if (!f.ties.empty()) options.ties = choose("tie rule", f.ties, tie_rules);
    try {
        graph_detail::check_factor_options(options);
    } catch (argument_error const& e) {
        throw usage_error(with_option_name(e.what()));
    }
    return options;
}

inline std::string name_of(tie_rule ties) { return ties == tie_rule::near ? "near" : "hash"; }

} // namespace coppice::app
