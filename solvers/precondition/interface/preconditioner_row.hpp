// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Description of a preconditioner in the registry, and the report of a constructed preconditioner.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <coppice/core/named_options.hpp>

namespace coppice::inline v0_1 {

/// Requirements of a preconditioner in addition to a square matrix.
struct matrix_needs {
    bool diagonal = false;  ///< every diagonal entry is stored and not zero
    bool symmetric = false; ///< symmetric up to rounding
};

/// Description of a preconditioner in the registry; the texts are shown in the help of the command and in the guide.
struct preconditioner_row {
    std::string_view name;
    std::string_view matrix; ///< formula of M
    std::string_view setup;  ///< cost of the set-up
    std::string_view suits;  ///< matrices that it is suited for
    matrix_needs needs{};
    bool compared = true;           ///< whether reports compare it with the selected preconditioner
    bool keeps_symmetry = true;     ///< M is symmetric if A is, as cg and minres require
    bool varies = false;            ///< M differs between calls, which only fgmres allows
    bool refresh_allocates = false; ///< refresh() allocates temporary memory
    std::span<option_row const> options{};
};

enum class finding_unit {
    count,
    fraction, ///< in [0, 1]
    number,   ///< without a unit
    seconds,
    flag ///< 1: yes, 0: no
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
    option_values options{};         ///< all options with their values, including defaults
    std::vector<finding> findings{}; ///< most important first

    /// Returns the number with this key; throws argument_error, with the existing keys, if there is none.
    double number(std::string_view key) const;
    bool has(std::string_view key) const;
};

} // namespace coppice::inline v0_1
