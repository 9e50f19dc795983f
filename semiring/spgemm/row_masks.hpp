// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Masks over the positions of a matrix. The cursor of a row is queried for columns in ascending order; a mask also
/// accepts single positions.
#pragma once

#include <cstdint>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/semiring/operators/descriptor.hpp>

namespace coppice::inline v0_1::detail {

/// Admits every position, or none.
struct constant_mask {
    bool admitted = true;
    struct cursor {
        bool admitted;
        COPPICE_HD bool admits(std::int64_t) const { return admitted; }
    };
    COPPICE_HD cursor row(std::int64_t) const { return {admitted}; }
    COPPICE_HD bool admits(std::int64_t, std::int64_t) const { return admitted; }
};

/// Admits positions where `m` has an entry that is nonzero (with `values`) or of any value (without); `complement`
/// inverts.
template <class M, class I, class O>
struct matrix_mask {
    csr_view<M, I, O> m;
    M const* values; ///< null if only the structure counts
    bool complement;

    struct cursor {
        I const* columns;
        M const* values;
        O k, end;
        bool complement;
        COPPICE_HD bool admits(std::int64_t column) {
            while (k < end && std::int64_t(columns[k]) < column) ++k;
            bool const entry = k < end && std::int64_t(columns[k]) == column && (!values || is_nonzero(values[k]));
            return entry != complement;
        }
    };
    COPPICE_HD cursor row(std::int64_t i) const {
        return {m.indices, values, m.row_begin(i), m.row_end(i), complement};
    }
    COPPICE_HD bool counts(O k) const { return !values || is_nonzero(values[k]); }
    COPPICE_HD bool admits(std::int64_t i, std::int64_t column) const {
        O const k = position_in_row(m, i, column);
        return (k != O(-1) && counts(k)) != complement;
    }
};

template <class Mask>
inline constexpr bool is_matrix_mask_v = false;
template <class M, class I, class O>
inline constexpr bool is_matrix_mask_v<matrix_mask<M, I, O>> = true;

inline constant_mask mask_of(no_mask, descriptor const& d) { return {!d.complement}; }
template <class M, class I, class O>
matrix_mask<M, I, O> mask_of(csr_view<M, I, O> m, descriptor const& d) {
    return {m, values_of_mask(m.coefficients, d), d.complement};
}

/// Throws dimension_error unless the mask has this shape, argument_error if its arrays are null.
inline void require_shape(no_mask, std::int64_t, std::int64_t) {}
template <class M, class I, class O>
void require_shape(csr_view<M, I, O> m, std::int64_t rows, std::int64_t columns) {
    require_size("rows of the mask", m.rows(), rows);
    require_size("columns of the mask", m.columns(), columns);
    require_pattern(m);
}

/// Returns no_mask, or the view of a matrix, which may be passed as an owner.
inline no_mask view_of_mask(no_mask m) { return m; }
template <class M, class I, class O>
csr_view<M, I, O> view_of_mask(csr_view<M, I, O> m) {
    return m;
}
template <class M, class I, class O>
csr_view<M, I, O> view_of_mask(csr<M, I, O> const& m) {
    return m.view();
}

} // namespace coppice::inline v0_1::detail
