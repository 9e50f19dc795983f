// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Compressed sparse row (CSR) matrices: owner and view.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <coppice/core/error.hpp>
#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1 {

/// Borrowed CSR matrix, usable in device code. `T`: values, `I`: column indices, `O`: offsets into the nonzeros.
///
/// row_offsets[rows + 1] is non-decreasing from 0 to nonzeros. Row i consists of the nonzeros k in [row_offsets[i],
/// row_offsets[i + 1]), each with 0 <= column_indices[k] < columns. Columns of a row may be unsorted and may repeat,
/// unless an operation requires otherwise. Nothing is checked here; see validate() in algebra/validate.hpp.
template <class T, class I = std::int32_t, class O = I>
struct csr_view {
    using value_type = T;
    using index_type = I;
    using offset_type = O;

    I row_count = 0;
    I column_count = 0;
    O nonzero_count = 0;
    O const* offsets = nullptr;
    I const* indices = nullptr;
    T const* coefficients = nullptr;

    COPPICE_HD I rows() const { return row_count; }
    COPPICE_HD I columns() const { return column_count; }
    COPPICE_HD O nonzeros() const { return nonzero_count; }
    COPPICE_HD array_view<O const> row_offsets() const { return {offsets, offsets ? std::int64_t(row_count) + 1 : 0}; }
    COPPICE_HD array_view<I const> column_indices() const { return {indices, std::int64_t(nonzero_count)}; }
    COPPICE_HD array_view<T const> values() const { return {coefficients, std::int64_t(nonzero_count)}; }
    COPPICE_HD O row_begin(std::int64_t row) const { return offsets[row]; }
    COPPICE_HD O row_end(std::int64_t row) const { return offsets[row + 1]; }
};

/// Owner of a CSR matrix in one memory space. Move-only. `exec.copy(a)` copies between memory spaces.
template <class T, class I = std::int32_t, class O = I>
class csr {
public:
    using value_type = T;
    using index_type = I;
    using offset_type = O;
    using view_type = csr_view<T, I, O>;

    /// A matrix without rows and columns.
    csr() = default;
    /// Takes ownership of offsets[rows + 1], columns[nnz], values[nnz]. Throws dimension_error if the lengths are
    /// inconsistent, argument_error for negative sizes. The contents are not checked (see validate()).
    csr(I rows, I columns, buffer<O> offsets, buffer<I> indices, buffer<T> values)
        : rows_(rows), columns_(columns), offsets_(std::move(offsets)), indices_(std::move(indices)),
          values_(std::move(values)) {
        if (rows < 0 || columns < 0)
            throw argument_error("matrix of negative size: " + std::to_string(rows) + " x " + std::to_string(columns));
        require_size("row offsets", offsets_, std::int64_t(rows) + 1);
        require_size("values", values_, indices_.size());
        checked_cast<O>(indices_.size(), "number of nonzeros");
    }

    I rows() const { return rows_; }
    I columns() const { return columns_; }
    O nonzeros() const { return static_cast<O>(indices_.size()); }

    buffer<O> const& row_offsets() const { return offsets_; }
    buffer<I> const& column_indices() const { return indices_; }
    buffer<T> const& values() const { return values_; }
    /// Mutable access, for new values on the same pattern.
    buffer<T>& values() { return values_; }

    struct arrays {
        buffer<O> offsets;
        buffer<I> indices;
        buffer<T> values;
    };
    /// Moves the three arrays out of the matrix, which has no rows and no columns afterwards.
    arrays release() && {
        rows_ = columns_ = 0;
        return {std::move(offsets_), std::move(indices_), std::move(values_)};
    }

    view_type view() const& { return {rows_, columns_, nonzeros(), offsets_.data(), indices_.data(), values_.data()}; }
    operator view_type() const& { return view(); }
    view_type view() const&& = delete; ///< the view of a temporary matrix would dangle
    operator view_type() const&& = delete;

private:
    I rows_ = 0;
    I columns_ = 0;
    buffer<O> offsets_;
    buffer<I> indices_;
    buffer<T> values_;
};

/// Throws argument_error if a matrix has rows and its offsets are null.
template <class T, class I, class O>
void require_row_offsets(csr_view<T, I, O> const& a) {
    if (a.rows() > 0 && !a.offsets) detail::throw_null("row offsets of the matrix", std::int64_t(a.rows()) + 1);
}
/// Throws argument_error if an array of the pattern of a matrix should have elements and is null.
template <class T, class I, class O>
void require_pattern(csr_view<T, I, O> const& a) {
    require_row_offsets(a);
    require_elements("column indices of the matrix", a.column_indices());
}
/// Throws argument_error if an array that should have elements is null. All operations on views check this, those that
/// read no values by require_pattern().
template <class T, class I, class O>
void require_arrays(csr_view<T, I, O> const& a) {
    require_pattern(a);
    require_elements("values of the matrix", a.values());
}

/// Returns `a`. Throws dimension_error, with `what` as subject of the message, if `a` is not square, and argument_error
/// as require_arrays().
template <class T, class I, class O>
csr_view<T, I, O> require_square(csr_view<T, I, O> a, char const* what) {
    require_arrays(a);
    if (a.rows() != a.columns())
        throw dimension_error(std::string(what) + " needs a square matrix, got " + std::to_string(a.rows()) + " x " +
                              std::to_string(a.columns()));
    return a;
}

/// Copies `a` from any memory space into memory of `exec`.
template <executor Executor, class T, class I, class O>
csr<T, I, O> copy_of(Executor const& exec, csr<T, I, O> const& a) {
    if (a.row_offsets().empty()) return {};
    return {a.rows(), a.columns(), copy_of(exec, a.row_offsets()), copy_of(exec, a.column_indices()),
            copy_of(exec, a.values())};
}

namespace detail {

template <class A>
inline constexpr bool is_owner = false;
template <class T, class I, class O>
inline constexpr bool is_owner<csr<T, I, O>> = true;
template <class T>
inline constexpr bool is_owner<buffer<T>> = true;

/// The view of an owner; any other argument as it is.
template <class A>
constexpr decltype(auto) view_or_same(A& argument) {
    if constexpr (is_owner<std::remove_const_t<A>>)
        return argument.view();
    else
        return (argument);
}

} // namespace detail

// Defines NAME(exec, ...) for calls with one or more owners of a matrix or an array, if NAME takes their views.
// clang-format off
#define COPPICE_ACCEPT_OWNERS(NAME)                                                                                    \
    template <executor Executor, class... Args>                                                                        \
    requires((detail::is_owner<std::remove_cvref_t<Args>> || ...) &&                                                   \
             requires(Executor const& exec, Args&&... args) { NAME(exec, detail::view_or_same(args)...); })            \
    auto NAME(Executor const& exec, Args&&... args) {                                                                  \
        return NAME(exec, detail::view_or_same(args)...);                                                              \
    }
// clang-format on

} // namespace coppice::inline v0_1
