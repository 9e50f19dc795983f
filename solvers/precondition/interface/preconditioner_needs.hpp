// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Checks whether a matrix has the properties that a preconditioner needs.
#pragma once

#include <cstdint>
#include <optional>

#include <coppice/algebra/asymmetry.hpp>
#include <coppice/algebra/operations.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// The index of a zero, otherwise the number of elements.
template <class T>
struct row_of_zero {
    array_view<T const> diagonal;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return diagonal[i] == T(0) ? i : diagonal.size(); }
};
/// Returns the first row with a zero; empty if there is none. Waits.
template <executor Executor, class T>
std::optional<std::int64_t> first_zero(Executor const& exec, array_view<T const> diagonal) {
    std::int64_t const n = diagonal.size();
    std::int64_t const row = reduce(exec, n, n, row_of_zero<T>{diagonal}, smaller{});
    if (row == n) return {};
    return row;
}

} // namespace detail

/// The first requirement that a square matrix does not meet.
struct unmet_need {
    enum { zero_on_diagonal, unsymmetric } kind;
    std::int64_t row = 0; ///< first row with a zero on its diagonal, counted from 0
};

/// Returns the first unmet requirement; empty if `a` meets all. Waits.
template <executor Executor, class T, class I>
std::optional<unmet_need> find_unmet_need(Executor const& exec, matrix_needs needs, csr_view<T, I> a) {
    if (needs.diagonal) {
        buffer<T> const diagonal = extract_diagonal(exec, a);
        if (auto const row = detail::first_zero(exec, diagonal.view()))
            return unmet_need{unmet_need::zero_on_diagonal, *row};
    }
    constexpr double tolerance = symmetry_tolerance<T>;
    if (needs.symmetric && !(asymmetry_of(exec, a, tolerance) <= tolerance)) return unmet_need{unmet_need::unsymmetric};
    return {};
}

} // namespace coppice::inline v0_1
