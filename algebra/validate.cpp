// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/validate.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1 {
namespace {

/// Returns a value as text for messages.
template <class T>
std::string value_text(T value) {
    if constexpr (std::is_arithmetic_v<T>)
        return std::to_string(value);
    else
        return "(" + std::to_string(value.real()) + ", " + std::to_string(value.imag()) + ")";
}

/// Returns the message for a column that occurs twice in an unsorted row, or an empty string.
template <class T, class I, class O>
std::string duplicate_in_row(csr_view<T, I, O> const& a, std::int64_t row) {
    std::vector<I> columns(a.indices + a.row_begin(row), a.indices + a.row_end(row));
    std::sort(columns.begin(), columns.end());
    auto const twice = std::adjacent_find(columns.begin(), columns.end());
    return twice == columns.end() ? std::string() : "column " + std::to_string(*twice) + " occurs more than once";
}

/// Returns the error in the nonzeros of a row with valid offsets; empty if there is none.
template <class T, class I, class O>
std::string offence_in_row(csr_view<T, I, O> const& a, std::int64_t row, validation_options const& options) {
    bool rising = true; // strictly increasing: there are no duplicates
    for (O k = a.row_begin(row); k < a.row_end(row); ++k) {
        I const column = a.indices[k];
        if (column < 0 || column >= a.columns())
            return "column " + std::to_string(column) + " is outside [0, " + std::to_string(a.columns()) + ")";
        if (options.finite && !detail::is_finite(a.coefficients[k]))
            return "the value in column " + std::to_string(column) + " is " + value_text(a.coefficients[k]) +
                   ", expected a finite value";
        if (k == a.row_begin(row) || a.indices[k - 1] < column) continue;
        rising = false;
        if (options.sorted && a.indices[k - 1] > column)
            return "column " + std::to_string(column) + " follows column " + std::to_string(a.indices[k - 1]) +
                   ", expected sorted columns";
    }
    return rising || options.duplicates ? std::string() : duplicate_in_row(a, row);
}

template <class T, class I, class O>
std::string offsets_offence(csr_view<T, I, O> const& a, std::int64_t row) {
    O const first = a.row_begin(row), last = a.row_end(row);
    if (last < first) return "offsets decrease from " + std::to_string(first) + " to " + std::to_string(last);
    if (last > a.nonzeros())
        return "the row ends at nonzero " + std::to_string(last) + " of " + std::to_string(a.nonzeros());
    return {};
}

/// Throws for the smallest row in [0, rows) for which `offence(row)` is not empty.
template <class Offence>
void throw_first(host_executor const& exec, std::int64_t rows, Offence const& offence) {
    std::int64_t const row = reduce(
        exec, rows, rows, [&](std::int64_t i) { return offence(i).empty() ? rows : i; }, detail::smaller{});
    if (row < rows) throw matrix_error("row " + std::to_string(row) + ": " + offence(row));
}

} // namespace

template <class T, class I, class O>
void validate(host_executor const& exec, csr_view<T, I, O> a, validation_options const& options) {
    std::int64_t const rows = a.rows();
    if (rows < 0 || a.columns() < 0 || a.nonzeros() < 0)
        throw matrix_error("negative size: " + std::to_string(rows) + " rows, " + std::to_string(a.columns()) +
                           " columns, " + std::to_string(a.nonzeros()) + " nonzeros");
    if (!a.offsets) {
        if (rows == 0 && a.nonzeros() == 0) return; // a default-constructed matrix
        throw matrix_error("there are no row offsets");
    }
    if (a.nonzeros() > 0 && (!a.indices || !a.coefficients))
        throw matrix_error("there are " + std::to_string(a.nonzeros()) + " nonzeros but no columns or values");
    if (a.offsets[0] != 0)
        throw matrix_error("row offsets begin with " + std::to_string(a.offsets[0]) + ", expected 0");
    // Every offset is checked before any of them is used to read nonzeros.
    throw_first(exec, rows, [&](std::int64_t i) { return offsets_offence(a, i); });
    if (a.offsets[rows] != a.nonzeros())
        throw matrix_error("row offsets end with " + std::to_string(a.offsets[rows]) +
                           ", expected the number of nonzeros " + std::to_string(a.nonzeros()));
    throw_first(exec, rows, [&](std::int64_t i) { return offence_in_row(a, i, options); });
}

COPPICE_VALIDATE(, host_executor, float);
COPPICE_VALIDATE(, host_executor, double);
COPPICE_VALIDATE(, host_executor, std::complex<float>);
COPPICE_VALIDATE(, host_executor, std::complex<double>);

} // namespace coppice::inline v0_1
