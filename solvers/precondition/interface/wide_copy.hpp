// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Copies of matrices in host memory and double precision, for factorisations.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/operations.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>

namespace coppice::inline v0_1::detail {

template <class T>
using wide_number = std::conditional_t<is_complex_number<T>, std::complex<double>, double>;

template <class T>
wide_number<T> widened(T x) {
    if constexpr (is_complex_number<T>)
        return {double(x.re), double(x.im)};
    else
        return double(x);
}
template <class T>
T narrowed(wide_number<T> x) {
    using real = real_of_t<T>;
    if constexpr (is_complex_number<T>)
        return {static_cast<real>(x.real()), static_cast<real>(x.imag())};
    else
        return static_cast<T>(x);
}

/// The matrix with sorted rows; duplicates are added. Throws overflow_error for more than 2^31 - 1 rows.
template <executor Executor, class T, class I>
csr<wide_number<T>> wide_host_copy(Executor const& exec, csr_view<T, I> a) {
    using scalar = wide_number<T>;
    auto const n = checked_cast<std::int32_t>(std::int64_t(a.rows()), "number of rows");
    host_executor const host(1);
    coo<scalar> entries{n, n};
    if (!a.offsets) return to_csr(host, std::move(entries));
    auto const offsets = to_vector(exec, a.row_offsets());
    auto const indices = to_vector(exec, a.column_indices());
    auto const values = to_vector(exec, a.values());
    std::vector<scalar> wide(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) wide[k] = widened(values[k]);
    csr<scalar> copy{n, n, host.copy(std::vector<std::int32_t>(offsets.begin(), offsets.end())),
                     host.copy(std::vector<std::int32_t>(indices.begin(), indices.end())), host.copy(wide)};
    if (has_sorted_columns(host, copy.view())) return copy;
    for (std::int32_t i = 0; i < n; ++i)
        for (auto k = std::size_t(offsets[std::size_t(i)]); k < std::size_t(offsets[std::size_t(i) + 1]); ++k)
            entries.add(i, static_cast<std::int32_t>(indices[k]), wide[k]);
    return to_csr(host, std::move(entries));
}

} // namespace coppice::inline v0_1::detail
