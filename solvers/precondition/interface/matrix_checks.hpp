// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What every preconditioner asks of its matrix, when it is made and when it is refreshed.
#pragma once

#include <coppice/algebra/operations.hpp>

namespace coppice::detail {

/// A pattern is known by its size: refresh() takes new values, not another matrix.
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

} // namespace coppice::detail
