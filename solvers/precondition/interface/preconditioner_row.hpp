// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Description of a preconditioner in the registry, and the report of a constructed preconditioner.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <coppice/solvers/precondition/interface/named_options.hpp>

namespace coppice::inline v0_1 {

/// What a preconditioner needs of a matrix beyond being square.
struct matrix_needs {
    bool diagonal = false;  ///< every diagonal entry is stored and not zero
    bool symmetric = false; ///< in pattern and values
};

/// A preconditioner in the registry; the texts are shown in the help of the command and in the guide.
struct preconditioner_row {
    std::string_view name;
    std::string_view matrix; ///< M
    std::string_view setup;  ///< what setting up costs
    std::string_view suits;  ///< what it is for
    matrix_needs needs{};
    bool compared = true;           ///< among those that a report runs beside the chosen one
    bool keeps_symmetry = true;     ///< M is symmetric where A is, as cg and minres need it
    bool varies = false;            ///< M is another one at every call: for fgmres alone
    bool refresh_allocates = false; ///< refresh() takes memory for the time of the call
    std::span<option_row const> options{};
};

enum class finding_unit {
    count,
    fraction, ///< in [0, 1]
    number,   ///< of no unit
    seconds
};

/// A number that a preconditioner reports, under a unique key, e.g. "weight_coverage".
struct finding {
    std::string_view key;
    finding_unit unit;
    double value;
};

/// Findings of the set-up of a preconditioner, and its wall-clock time including the device.
struct preconditioner_report {
    std::string name{};
    double setup_seconds = 0;
    option_values options{};         ///< all of them with their values, defaults included
    std::vector<finding> findings{}; ///< in the order of importance to a reader

    /// The number with this key; throws argument_error, with the existing keys, if there is none.
    double number(std::string_view key) const;
    bool has(std::string_view key) const;
};

} // namespace coppice::inline v0_1
