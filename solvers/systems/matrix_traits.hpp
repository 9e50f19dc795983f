// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What of a matrix decides which solver suits it.
#pragma once

#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/look_at_nonzeros.hpp>

namespace coppice {

struct matrix_traits {
    bool symmetric = true;         ///< in pattern and values
    bool positive_diagonal = true; ///< every diagonal entry is stored and above zero
    bool finite = true;            ///< every value
    double row_length = 0;         ///< mean over the nonzeros of the lengths of their rows: hubs count as they cost

    /// What a look can tell of it: a positive definite matrix has both.
    bool maybe_positive_definite() const { return symmetric && positive_diagonal; }
};

namespace detail {

template <class T, class I, class O>
struct squared_length {
    csr_view<T, I, O> a;
    COPPICE_HD double operator()(std::int64_t i) const {
        double const length = double(a.row_end(i) - a.row_begin(i));
        return length * length;
    }
};

} // namespace detail

/// One pass over a square matrix, with a binary search for each entry of its upper triangle. Columns in any order
/// (unsorted ones cost a transposition). Waits.
template <executor Executor, class T, class I, class O>
matrix_traits traits_of(Executor const& exec, csr_view<T, I, O> a) {
    using flags = detail::nonzero_flags;
    require_square(a, "traits_of");
    if (!a.offsets) return {};
    flags const found = detail::look_at_nonzeros(exec, a);
    matrix_traits traits;
    traits.finite = !found.any(flags::not_finite);
    traits.positive_diagonal = !found.any(flags::diagonal);
    traits.symmetric = found.symmetric_pattern() && !found.any(flags::unequal);
    double const squares = reduce(exec, a.rows(), 0.0, detail::squared_length<T, I, O>{a}, plus{});
    traits.row_length = a.nonzeros() > 0 ? squares / double(a.nonzeros()) : 0;
    if (found.any(flags::unsorted)) traits.symmetric = is_symmetric(exec, a);
    return traits;
}

} // namespace coppice
