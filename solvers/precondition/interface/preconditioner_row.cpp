// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>

#include <algorithm>

#include <coppice/core/error.hpp>

namespace coppice::inline v0_1 {

bool preconditioner_report::has(std::string_view key) const {
    return std::any_of(findings.begin(), findings.end(), [&](finding const& f) { return f.key == key; });
}

double preconditioner_report::number(std::string_view key) const {
    std::string known;
    for (finding const& f : findings) {
        if (f.key == key) return f.value;
        known += (known.empty() ? "" : ", ") + std::string(f.key);
    }
    throw argument_error("the " + name + " preconditioner reports no \"" + std::string(key) + "\"" +
                         (known.empty() ? "; it reports nothing" : ", expected one of: " + known));
}

} // namespace coppice::inline v0_1
