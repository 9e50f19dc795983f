// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Construction of a preconditioner by name: the definitions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <coppice/core/stopwatch.hpp>
#include <coppice/solvers/catalogue/catalogue.hpp>
#include <coppice/solvers/catalogue/complex_preconditioner.hpp>
#include <coppice/solvers/catalogue/preconditioner.hpp>

namespace coppice::inline v0_1 {

template <executor Executor, class T>
any_preconditioner<Executor, T> detail::make_compiled_preconditioner(Executor const& exec, std::string_view choice,
                                                                     csr_view<T> a, option_values const& options) {
    named_choice named = parse_choice(choice);
    for (auto const& [key, value] : options.entries()) named.options.set(key, value);
    preconditioner_row const& row = preconditioner_row_of(named.name);
    chosen_options const chosen("preconditioner \"" + named.name + "\"", row.options, named.options);
    require_square(a, "a preconditioner");

    std::optional<any_preconditioner<Executor, T>> made;
    stopwatch watch(exec);
    auto const keep = [&](auto m) {
        made.emplace(std::move(m), preconditioner_report{named.name, watch.lap(), chosen.all(), {}});
    };
    if constexpr (is_complex_number<T>)
        make_complex_preconditioner(exec, named.name, a, chosen, keep);
    else
        preconditioner_entries::with(row.name, [&](auto entry) { keep(entry.make(exec, a, chosen)); });
    return *made;
}

} // namespace coppice::inline v0_1
