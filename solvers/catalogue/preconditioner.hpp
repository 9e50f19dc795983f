// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Construction of a preconditioner by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <coppice/solvers/catalogue/catalogue.hpp>
#include <coppice/solvers/catalogue/complex_preconditioner.hpp>
#include <coppice/solvers/precondition/interface/any_preconditioner.hpp>

namespace coppice::inline v0_1 {

/// Creates the named preconditioner for `a`, with its report. `choice` is a name of the registry, or a name with
/// options: "forest,rounds=7,ties=hash"; values in `options` take precedence. The matrix is not needed afterwards. For
/// complex matrices only complex_preconditioner_names are supported; other names throw argument_error.
///
/// Throws argument_error for an unknown name or option (with the known ones) and for a value out of range, and the
/// errors of the constructor of the preconditioner.
template <executor Executor, class T, class I>
any_preconditioner<Executor, T, I> make_preconditioner(Executor const& exec, std::string_view choice, csr_view<T, I> a,
                                                       option_values const& options = {});

/// Creates the named preconditioner with options as a struct. Options that the preconditioner does not have are
/// ignored.
template <executor Executor, class T, class I>
any_preconditioner<Executor, T, I> make_preconditioner(Executor const& exec, std::string_view name, csr_view<T, I> a,
                                                       forest_options const& options) {
    return make_preconditioner(exec, name, a,
                               known_options(preconditioner_row_of(name).options, forest_entry::values(options)));
}

template <executor Executor, class T, class I>
any_preconditioner<Executor, T, I> make_preconditioner(Executor const& exec, std::string_view choice, csr_view<T, I> a,
                                                       option_values const& options) {
    named_choice named = parse_choice(choice);
    for (auto const& [key, value] : options.entries()) named.options.set(key, value);
    preconditioner_row const& row = preconditioner_row_of(named.name);
    chosen_options const chosen("preconditioner \"" + named.name + "\"", row.options, named.options);
    require_square(a, "a preconditioner");

    std::optional<any_preconditioner<Executor, T, I>> made;
    detail::stopwatch watch(exec);
    auto const keep = [&](auto m) {
        made.emplace(std::move(m), preconditioner_report{named.name, watch.lap(), chosen.all(), {}});
    };
    if constexpr (is_complex_number<T>)
        detail::make_complex_preconditioner(exec, named.name, a, chosen, keep);
    else
        detail::preconditioner_entries::with(row.name, [&](auto entry) { keep(entry.make(exec, a, chosen)); });
    return *made;
}

#define COPPICE_MAKE_PRECONDITIONER(EXTERN, EXECUTOR, T)                                                               \
    EXTERN template class any_preconditioner<EXECUTOR, T>;                                                             \
    EXTERN template any_preconditioner<EXECUTOR, T> make_preconditioner(EXECUTOR const&, std::string_view,             \
                                                                        csr_view<T>, option_values const&);            \
    EXTERN template std::optional<unmet_need> find_unmet_need(EXECUTOR const&, matrix_needs, csr_view<T>);
#define COPPICE_MAKE_COMPLEX_PRECONDITIONER(EXTERN, EXECUTOR, R)                                                       \
    EXTERN template class any_preconditioner<EXECUTOR, std::complex<R>>;                                               \
    EXTERN template any_preconditioner<EXECUTOR, std::complex<R>> make_preconditioner(                                 \
        EXECUTOR const&, std::string_view, csr_view<std::complex<R>>, option_values const&);
COPPICE_MAKE_PRECONDITIONER(extern, host_executor, float)
COPPICE_MAKE_PRECONDITIONER(extern, host_executor, double)
COPPICE_MAKE_COMPLEX_PRECONDITIONER(extern, host_executor, float)
COPPICE_MAKE_COMPLEX_PRECONDITIONER(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_MAKE_COMPLEX_PRECONDITIONER(extern, cuda_executor, float)
COPPICE_MAKE_COMPLEX_PRECONDITIONER(extern, cuda_executor, double)
COPPICE_MAKE_PRECONDITIONER(extern, cuda_executor, float)
COPPICE_MAKE_PRECONDITIONER(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1
