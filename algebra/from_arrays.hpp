// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Copies of borrowed CSR matrices: of a view, and of three arrays with any integer types, numbered from 0 or from 1.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/algebra/validate.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1 {

struct csr_array_options {
    std::int64_t base = 0; ///< number of the first row, column and nonzero: 0, or 1 for arrays of Fortran and MATLAB
};

namespace detail {

/// Copies integers, minus `base`, to another integer type. Throws matrix_error for the first element outside of
/// [base, base + limit).
template <class To, class From>
buffer<To> renumbered(host_executor const& exec, array_view<From const> from, std::int64_t base, std::int64_t limit,
                      char const* what) {
    static_assert(std::is_integral_v<From>, "offsets and column indices are integers");
    auto const is_wrong = [&](std::int64_t k) {
        auto const number = static_cast<std::int64_t>(from[k]); // negative for unsigned numbers beyond 2^63
        return number < base || number - base >= limit;
    };
    std::int64_t const size = from.size();
    std::int64_t const first = reduce(
        exec, size, size, [&](std::int64_t k) { return is_wrong(k) ? k : size; }, smaller{});
    if (first < size)
        throw matrix_error("element " + std::to_string(first) + " of the " + what + " is " +
                           std::to_string(from[first]) + ", expected at least " + std::to_string(base) +
                           " and less than " + std::to_string(base + limit));
    buffer<To> to(exec, size);
    for_each(exec, size, [&](std::int64_t k) { to[k] = static_cast<To>(static_cast<std::int64_t>(from[k]) - base); });
    return to;
}

} // namespace detail

/// Copies a matrix whose arrays are accessible from `exec` into memory of `exec`.
template <executor Executor, class T, class I, class O>
csr<T, I, O> copy_of(Executor const& exec, csr_view<T, I, O> a) {
    require_arrays(a);
    if (!a.offsets) return {};
    return {a.rows(), a.columns(), copy_of(exec, a.row_offsets()), copy_of(exec, a.column_indices()),
            copy_of(exec, a.values())};
}

/// Copies offsets[rows + 1], indices[nonzeros] and values[nonzeros], contiguous ranges in host memory, into a matrix.
/// Element types of offsets and indices are any integer types; `I` and `O` are those of the matrix. Columns of a row
/// keep their order. Three passes over the arrays.
///
/// Throws dimension_error for arrays of inconsistent length, matrix_error for a number outside of the matrix or
/// decreasing offsets, overflow_error if the sizes do not fit `I` or the number of nonzeros does not fit `O`.
template <class I = std::int32_t, class O = I, class Offsets, class Indices, class Values>
auto csr_from_arrays(host_executor const& exec, std::int64_t rows, std::int64_t columns, Offsets const& offsets,
                     Indices const& indices, Values const& values, csr_array_options const& options = {}) {
    array_view const from_offsets(offsets);
    array_view const from_indices(indices);
    array_view const from_values(values);
    using T = typename decltype(from_values)::value_type;
    using offset = typename decltype(from_offsets)::value_type;
    using index = typename decltype(from_indices)::value_type;
    if (rows < 0 || columns < 0)
        throw argument_error("matrix of negative size: " + std::to_string(rows) + " x " + std::to_string(columns));
    std::int64_t const nonzeros = from_values.size();
    require_size("row offsets", from_offsets, rows + 1);
    require_size("column indices", from_indices, nonzeros);
    checked_cast<O>(nonzeros, "number of nonzeros");
    csr<T, I, O> a(checked_cast<I>(rows, "number of rows"), checked_cast<I>(columns, "number of columns"),
                   detail::renumbered<O, offset>(exec, from_offsets, options.base, nonzeros + 1, "row offsets"),
                   detail::renumbered<I, index>(exec, from_indices, options.base, columns, "column indices"),
                   copy_of(exec, from_values));
    validate(exec, a.view());
    return a;
}

} // namespace coppice::inline v0_1
