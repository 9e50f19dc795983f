// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Checks of the matrix that all preconditioners do in the constructor and in refresh().
#pragma once

#include <coppice/algebra/operations.hpp>

namespace coppice::inline v0_1::detail {

/// Sizes of a pattern, to check that refresh() receives new values of the same matrix.
struct pattern_size {
    std::int64_t rows = 0;
    std::int64_t nonzeros = 0;

    template <class T, class I>
    explicit pattern_size(csr_view<T, I> a) : rows(a.rows()), nonzeros(a.nonzeros()) {}
    template <class T, class I>
    void require_same(csr_view<T, I> a) const {
        require_size("rows of the matrix to refresh from", a.rows(), rows);
        require_size("columns of the matrix to refresh from", a.columns(), rows);
        require_size("nonzeros of the matrix to refresh from", a.nonzeros(), nonzeros);
    }
};

} // namespace coppice::inline v0_1::detail
