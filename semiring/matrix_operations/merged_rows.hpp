// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lane code of element-wise operations: merge of two sorted rows.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/algebra/csr.hpp>
#include <coppice/semiring/operators/descriptor.hpp>
#include <coppice/semiring/operators/semirings.hpp>

namespace coppice::inline v0_1::detail {

/// Calls at(column, p, q) for the union of the columns of two sorted rows [p, p_end), [q, q_end), in ascending order; p
/// or q is -1 if that row has no entry.
COPPICE_NO_EXEC_CHECK
template <class A, class B, class At>
COPPICE_HD COPPICE_ALWAYS_INLINE void merge_sorted_indices(A const& a, std::int64_t p, std::int64_t p_end, B const& b,
                                                           std::int64_t q, std::int64_t q_end, At const& at) {
    while (p < p_end && q < q_end) {
        std::int64_t const i = a[p], j = b[q];
#if !defined(__CUDA_ARCH__)
        // A predictable branch: columns mostly agree or mostly differ. Without it every step depends on the previous
        // one.
        if (i == j) {
            at(i, p++, q++);
            continue;
        }
#endif
        bool const first = i <= j, second = j <= i;
        at(first ? i : j, first ? p : -1, second ? q : -1);
        p += first;
        q += second;
    }
    for (; p < p_end; ++p) at(std::int64_t(a[p]), p, -1);
    for (; q < q_end; ++q) at(std::int64_t(b[q]), -1, q);
}

/// An entry of only one operand is copied.
struct keep_single {
    COPPICE_NO_EXEC_CHECK
    template <class Op, class A, class B, class Emit>
    COPPICE_HD void operator()(Op const&, std::int64_t, std::int64_t column, A const* a, B const* b, Emit& emit) const {
        if constexpr (std::is_same_v<A, B>)
            emit(column, *(a ? a : b)); // the selection of an address needs no branch
        else if (a)
            emit(column, *a);
        else
            emit(column, *b);
    }
};
/// An entry of only one operand is dropped.
struct drop_single {
    template <class Op, class A, class B, class Emit>
    COPPICE_HD void operator()(Op const&, std::int64_t, std::int64_t, A const*, B const*, Emit&) const {}
};
/// An entry of only one operand is combined with a given value for the missing one.
template <class A, class B>
struct fill_single {
    A missing_a;
    B missing_b;
    COPPICE_NO_EXEC_CHECK
    template <class Op, class Emit>
    COPPICE_HD void operator()(Op const& op, std::int64_t row, std::int64_t column, A const* a, B const* b,
                               Emit& emit) const {
        emit(column, apply(op, a ? *a : missing_a, b ? *b : missing_b, element_positions{row, column, row, column}));
    }
};

/// Row source (see build_rows()) of an element-wise operation.
template <class A, class B, class I, class O, class Op, class Single>
struct merged_rows {
    csr_view<A, I, O> a;
    csr_view<B, I, O> b;
    Op op;
    Single single;

    template <class Emit>
    struct merge_column {
        merged_rows const& rows;
        std::int64_t row;
        Emit& emit;
        COPPICE_NO_EXEC_CHECK
        COPPICE_HD void operator()(std::int64_t column, std::int64_t p, std::int64_t q) const {
            A const* const x = p >= 0 ? rows.a.coefficients + p : nullptr;
            B const* const y = q >= 0 ? rows.b.coefficients + q : nullptr;
            if (x && y)
                emit(column, apply(rows.op, *x, *y, element_positions{row, column, row, column}));
            else
                rows.single(rows.op, row, column, x, y, emit);
        }
    };
    std::int64_t work() const { return std::int64_t(a.nonzeros()) + std::int64_t(b.nonzeros()); }
    /// Upper bounds for the number of entries of the matrix and of a row.
    std::int64_t max_entries() const { return max_of(a.nonzeros(), b.nonzeros()); }
    COPPICE_HD std::int64_t bound(std::int64_t i) const {
        return max_of(a.row_end(i) - a.row_begin(i), b.row_end(i) - b.row_begin(i));
    }
    COPPICE_NO_EXEC_CHECK
    template <class Emit>
    COPPICE_HD void emit_row(std::int64_t i, Emit& emit) const {
        Emit to = emit; // local copy that stays in registers
        merge_sorted_indices(a.indices, a.row_begin(i), a.row_end(i), b.indices, b.row_begin(i), b.row_end(i),
                             merge_column<Emit>{*this, i, to});
        emit = to;
    }

private:
    COPPICE_HD static std::int64_t max_of(O in_a, O in_b) {
        if constexpr (std::is_same_v<Single, drop_single>)
            return std::int64_t(in_a < in_b ? in_a : in_b);
        else
            return std::int64_t(in_a) + std::int64_t(in_b);
    }
};

/// Rows and columns that an assignment covers; null for all.
struct region {
    std::int8_t const* rows = nullptr;
    std::int8_t const* columns = nullptr;
    bool mask_inside_only = false; ///< subassign: positions outside the region are unchanged regardless of the mask
    COPPICE_HD bool has(std::int64_t i, std::int64_t j) const {
        return (!rows || rows[i] != 0) && (!columns || columns[j] != 0);
    }
};

/// Row source for C<M, replace> = C ⊙ T (GraphBLAS C API 2.0, section 3.9.2), if all entries of T are inside the
/// region. T is a csr_view or has the same interface.
template <class C, class T, class I, class O, class Mask, class Accumulator>
struct written_rows {
    csr_view<C, I, O> c;
    T t;
    Mask mask;
    Accumulator accumulate;
    bool replace;
    region inside;

    using element = decltype(T::coefficients);
    template <class Emit>
    struct merge_column {
        written_rows const& rows;
        std::int64_t i;
        typename Mask::cursor& cursor;
        Emit& emit;
        COPPICE_NO_EXEC_CHECK
        COPPICE_HD void operator()(std::int64_t column, std::int64_t p, std::int64_t q) const {
            bool const admitted = cursor.admits(column);
            bool const in_region = rows.inside.has(i, column);
            bool const touched = in_region && admitted;
            bool const retained =
                !touched && (!rows.replace || (!in_region && (admitted || rows.inside.mask_inside_only)));
            if constexpr (std::is_same_v<Accumulator, no_accumulator> && std::is_same_v<C const*, element>) {
                C const* const old = p >= 0 ? rows.c.coefficients + p : nullptr;
                C const* const now = q >= 0 ? rows.t.coefficients + q : nullptr;
                C const* const to = touched ? now : retained ? old : nullptr;
                emit.when(to != nullptr, column,
                          *(to ? to : old ? old : now)); // selects an address without a branch
                return;
            }
            if (!touched) {
                if (p >= 0 && retained) emit(column, rows.c.coefficients[p]);
            } else if constexpr (std::is_same_v<Accumulator, no_accumulator>) {
                if (q >= 0) emit(column, rows.t.coefficients[q]);
            } else if (p >= 0 && q >= 0) {
                emit(column, apply(rows.accumulate, rows.c.coefficients[p], rows.t.coefficients[q], column));
            } else if (p >= 0) {
                emit(column, rows.c.coefficients[p]);
            } else {
                emit(column, rows.t.coefficients[q]);
            }
        }
    };
    std::int64_t work() const { return std::int64_t(c.nonzeros()) + std::int64_t(t.nonzeros()); }
    std::int64_t max_entries() const { return work(); }
    COPPICE_HD std::int64_t bound(std::int64_t i) const {
        return std::int64_t(c.row_end(i) - c.row_begin(i)) + std::int64_t(t.row_end(i) - t.row_begin(i));
    }
    COPPICE_NO_EXEC_CHECK
    template <class Emit>
    COPPICE_HD void emit_row(std::int64_t i, Emit& emit) const {
        auto cursor = mask.row(i);
        Emit to = emit;
        merge_sorted_indices(c.indices, c.row_begin(i), c.row_end(i), t.indices, t.row_begin(i), t.row_end(i),
                             merge_column<Emit>{*this, i, cursor, to});
        emit = to;
    }
};

} // namespace coppice::inline v0_1::detail
