// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options of tridiagonal solves, for all preconditioners that contain such solves.
#pragma once

#include <coppice/core/named_options.hpp>
#include <coppice/solvers/direct/interface/pivoting.hpp>

namespace coppice::inline v0_1::detail {

inline constexpr option_row pivoting_row{.name = "pivoting",
                                         .kind = option_kind::choice,
                                         .standard = "partial",
                                         .meaning = "pivoting of the tridiagonal solves",
                                         .choices = {"none", "partial", "scaled"}};
inline constexpr option_row threshold_row{
    .name = "threshold",
    .kind = option_kind::real,
    .standard = "0",
    .meaning = "entries of at most this magnitude count as zero in the tridiagonal solves"};
inline constexpr option_row tridiagonal_option_rows[] = {pivoting_row, threshold_row};
inline constexpr pivoting pivotings_by_row[] = {pivoting::none, pivoting::partial, pivoting::scaled_partial};

inline tridiagonal_options read_tridiagonal_options(chosen_options const& o) {
    return {.pivot = pivotings_by_row[o.choice("pivoting")], .threshold = o.real("threshold")};
}
inline option_values tridiagonal_option_values(tridiagonal_options const& o) {
    auto const& names = pivoting_row.choices;
    return {{"pivoting", names[std::size_t(o.pivot)]}, {"threshold", o.threshold}};
}

} // namespace coppice::inline v0_1::detail
