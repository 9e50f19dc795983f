// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Registry of the classical algorithms by name.
#pragma once

#include <string_view>

#include <coppice/solvers/compare/classical_methods.hpp>

namespace coppice::inline v0_1::classical {

struct method_row {
    std::string_view name;
    char const* title; ///< for tables
    algorithm which;
    std::string_view pivoting = "none";
};

inline constexpr method_row catalogue[] = {
    {"thomas", "Thomas", algorithm::thomas},
    {"cr", "CR", algorithm::cr},
    {"pcr", "PCR", algorithm::pcr},
    {"rd", "RD", algorithm::rd},
    {"cr+pcr", "CR+PCR", algorithm::cr_pcr},
    {"cr+rd", "CR+RD", algorithm::cr_rd},
    {"rd-scaled", "RD scaled", algorithm::rd_scaled},
    {"cr+rd-scaled", "CR+RD scaled", algorithm::cr_rd_scaled},
    {"spike", "SPIKE diagonal", algorithm::spike, "diagonal"},
    {"parallel-diagonal", "parallel diagonal", algorithm::parallel_diagonal, "diagonal"},
    {"a-r-cr", "A-R-CR", algorithm::adaptive_cr, "diagonal"},
    {"g-spike", "rotations", algorithm::g_spike, "rotations"},
    {"spike-thomas", "SPIKE-Thomas", algorithm::spike_thomas},
    {"spike-cr", "SPIKE-CR", algorithm::spike_cr},
    {"cf-lu", "CF-LU", algorithm::cf_lu},
    {"cf-lu-scaled", "CF-LU scaled", algorithm::cf_lu_scaled},
    {"wang", "Wang", algorithm::wang},
    {"bondeli", "Bondeli", algorithm::bondeli},
    {"divide-and-conquer", "Wang and Mou", algorithm::divide_and_conquer},
    {"redundant-reduction", "redundant red.", algorithm::redundant_reduction}};

} // namespace coppice::inline v0_1::classical
