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

template <executor Executor, class T>
any_preconditioner<Executor, T> make_preconditioner(Executor const& exec, std::string_view choice, csr_view<T> a,
                                                    option_values const& options, near_null_space<T> near) {
    named_choice named = parse_choice(choice);
    for (auto const& [key, value] : options.entries()) named.options.set(key, value);
    if (named.name != multilevel_entry::row.name)
        throw argument_error("near-null-space vectors are for the preconditioner \"multilevel\", got \"" + named.name +
                             "\"");
    chosen_options const chosen("preconditioner \"multilevel\"", multilevel_entry::row.options, named.options);
    near.block = std::max(multilevel_entry::block_of(chosen, near.block, near.count), 1);
    detail::stopwatch watch(exec);
    auto const report = [&] { return preconditioner_report{named.name, watch.lap(), chosen.all(), {}}; };
    auto const levels = multilevel_entry::read(chosen);
    if constexpr (is_complex_number<T>) {
        using element = complex_pair<typename T::value_type>;
        near_null_space<element> const vectors{near.block, near.count, detail::as_elements(near.vectors)};
        using method = complex_multilevel<Executor, typename T::value_type, std::int32_t>;
        detail::preconditioner_of_elements<T, method> made(method(exec, detail::as_elements(a), levels, vectors));
        return {std::move(made), report()};
    } else {
        multilevel_preconditioner<Executor, T> made(exec, a, levels, near);
        return {std::move(made), report()};
    }
}

} // namespace coppice::inline v0_1
