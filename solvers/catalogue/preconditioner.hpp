// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Registry of the preconditioners, and construction of one by name.
///
/// The preconditioners are compiled into the library; <coppice/preconditioner_classes.hpp> has their classes.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <coppice/algebra/csr.hpp>
#include <coppice/solvers/multilevel/near_null_space.hpp>
#include <coppice/solvers/precondition/interface/any_preconditioner.hpp>
#include <coppice/solvers/precondition/interface/compiled_types.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_needs.hpp>
#include <coppice/solvers/precondition/one_level/forest_options.hpp>
#include <coppice/solvers/precondition/one_level/identity.hpp>

namespace coppice::inline v0_1 {

/// One row per preconditioner.
extern std::span<preconditioner_row const> const preconditioner_catalogue;
/// The names that make_preconditioner() takes.
extern std::span<std::string_view const> const preconditioner_names;
/// The names that make_preconditioner() takes for complex matrices; the other ones are for real matrices alone.
extern std::span<std::string_view const> const complex_preconditioner_names;

/// Returns the row of that name; throws argument_error, with a list of the known names, if there is none.
preconditioner_row const& preconditioner_row_of(std::string_view name);

namespace detail {

/// The options by name; throws argument_error if options of the factor are out of range.
option_values values_of_forest_options(forest_options const& options);

template <executor Executor, class T>
any_preconditioner<Executor, T> make_compiled_preconditioner(Executor const& exec, std::string_view choice,
                                                             csr_view<T> a, option_values const& options);

} // namespace detail

/// Creates the named preconditioner for `a`, with its report. `choice` is a name of the registry, or a name with
/// options: "forest,rounds=7,ties=hash"; values in `options` take precedence. The matrix is not needed afterwards.
/// Values are float, double or std::complex of both; for complex matrices only complex_preconditioner_names are
/// supported, other names throw argument_error.
///
/// Throws argument_error for an unknown name or option (with the known ones) and for a value out of range, and the
/// errors of the constructor of the preconditioner.
template <executor Executor, class T, class I, class O>
any_preconditioner<Executor, T, I> make_preconditioner(Executor const& exec, std::string_view choice,
                                                       csr_view<T, I, O> a, option_values const& options = {}) {
    if constexpr (detail::require_compiled_solvers<Executor, T, I, O>())
        return detail::make_compiled_preconditioner(exec, choice, a, options);
    else
        return detail::no_result{};
}

/// Creates the named preconditioner with options as a struct. Options that the preconditioner does not have are
/// ignored.
template <executor Executor, class T, class I, class O>
any_preconditioner<Executor, T, I> make_preconditioner(Executor const& exec, std::string_view name, csr_view<T, I, O> a,
                                                       forest_options const& options) {
    return make_preconditioner(
        exec, name, a, known_options(preconditioner_row_of(name).options, detail::values_of_forest_options(options)));
}

/// Creates the preconditioner "multilevel" with near-null-space vectors that its coarse levels represent: rigid body
/// modes of elasticity, for example. `near.block` and the option "block" may differ only if one of them is 0 or 1. Of
/// complex matrices, the coarse levels represent complex multiples of the vectors, which are 16 at most. Throws
/// argument_error for another preconditioner, and the errors of multilevel_preconditioner.
template <executor Executor, class T>
any_preconditioner<Executor, T> make_preconditioner(Executor const& exec, std::string_view choice, csr_view<T> a,
                                                    option_values const& options, near_null_space<T> near);

/// The same of an owner.
template <executor Executor, class T, class I, class O, class Options = option_values>
any_preconditioner<Executor, T, I> make_preconditioner(Executor const& exec, std::string_view choice,
                                                       csr<T, I, O> const& a, Options const& options = {}) {
    return make_preconditioner(exec, choice, a.view(), options);
}

#define COPPICE_MAKE_PRECONDITIONER_OF(EXTERN, EXECUTOR, T)                                                            \
    EXTERN template class any_preconditioner<EXECUTOR, T>;                                                             \
    EXTERN template any_preconditioner<EXECUTOR, T> detail::make_compiled_preconditioner(                              \
        EXECUTOR const&, std::string_view, csr_view<T>, option_values const&);                                         \
    EXTERN template any_preconditioner<EXECUTOR, T> make_preconditioner(                                               \
        EXECUTOR const&, std::string_view, csr_view<T>, option_values const&, near_null_space<T>);
#define COPPICE_MAKE_PRECONDITIONER(EXTERN, EXECUTOR, T)                                                               \
    COPPICE_MAKE_PRECONDITIONER_OF(EXTERN, EXECUTOR, T)                                                                \
    EXTERN template std::optional<unmet_need> find_unmet_need(EXECUTOR const&, matrix_needs, csr_view<T>);
#define COPPICE_MAKE_COMPLEX_PRECONDITIONER(EXTERN, EXECUTOR, R)                                                       \
    COPPICE_MAKE_PRECONDITIONER_OF(EXTERN, EXECUTOR, std::complex<R>)
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
