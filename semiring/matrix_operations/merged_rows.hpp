// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lane code of element-wise operations: two sorted rows walked together.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/algebra/csr.hpp>
#include <coppice/semiring/operators/descriptor.hpp>
#include <coppice/semiring/operators/semirings.hpp>

namespace coppice::detail {

/// Calls at(column, p, q) for the columns of two sorted rows [p, p_end), [q, q_end), in order; -1 for a row that has
/// no entry there.
COPPICE_NO_EXEC_CHECK
template <class A, class B, class At>
COPPICE_HD COPPICE_ALWAYS_INLINE void walk_together(A const& a, std::int64_t p, std::int64_t p_end, B const& b,
                                                    std::int64_t q, std::int64_t q_end, At const& at) {
    while (p < p_end && q < q_end) {
        std::int64_t const i = a[p], j = b[q];
#if !defined(__CUDA_ARCH__)
        // Columns mostly meet or mostly do not, which is foretold; without the jump every step waits for the last one.
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

/// Where only one operand has an entry it is taken as it is.
struct keep_single {
    COPPICE_NO_EXEC_CHECK
    template <class Op, class A, class B, class Emit>
    COPPICE_HD void operator()(Op const&, std::int64_t, std::int64_t column, A const* a, B const* b, Emit& emit) const {
        if constexpr (std::is_same_v<A, B>)
            emit(column, *(a ? a : b)); // a choice of addresses is no jump
        else if (a)
            emit(column, *a);
        else
            emit(column, *b);
    }
};
/// ... is dropped.
struct drop_single {
    template <class Op, class A, class B, class Emit>
    COPPICE_HD void operator()(Op const&, std::int64_t, std::int64_t, A const*, B const*, Emit&) const {}
};
/// ... meets a value that stands for what is missing.
template <class A, class B>
struct fill_single {
    A missing_a;
    B missing_b;
    COPPICE_NO_EXEC_CHECK
    template <class Op, class Emit>
    COPPICE_HD void operator()(Op const& op, std::int64_t row, std::int64_t column, A const* a, B const* b,
                               Emit& emit) const {
        emit(column, apply(op, a ? *a : missing_a, b ? *b : missing_b, meeting{row, column, row, column}));
    }
};

/// Rows of an element-wise operation.
template <class A, class B, class I, class O, class Op, class Single>
struct merged_rows {
    csr_view<A, I, O> a;
    csr_view<B, I, O> b;
    Op op;
    Single single;

    template <class Emit>
    struct meet {
        merged_rows const& rows;
        std::int64_t row;
        Emit& emit;
        COPPICE_NO_EXEC_CHECK
        COPPICE_HD void operator()(std::int64_t column, std::int64_t p, std::int64_t q) const {
            A const* const x = p >= 0 ? rows.a.coefficients + p : nullptr;
            B const* const y = q >= 0 ? rows.b.coefficients + q : nullptr;
            if (x && y)
                emit(column, apply(rows.op, *x, *y, meeting{row, column, row, column}));
            else
                rows.single(rows.op, row, column, x, y, emit);
        }
    };
    std::int64_t work() const { return std::int64_t(a.nonzeros()) + std::int64_t(b.nonzeros()); }
    /// Entries of the whole, and of a row, at most.
    std::int64_t most() const { return most_of(a.nonzeros(), b.nonzeros()); }
    COPPICE_HD std::int64_t bound(std::int64_t i) const {
        return most_of(a.row_end(i) - a.row_begin(i), b.row_end(i) - b.row_begin(i));
    }
    COPPICE_NO_EXEC_CHECK
    template <class Emit>
    COPPICE_HD void visit(std::int64_t i, Emit& emit) const {
        Emit to = emit; // of this function alone, so that it stays in registers
        walk_together(a.indices, a.row_begin(i), a.row_end(i), b.indices, b.row_begin(i), b.row_end(i),
                      meet<Emit>{*this, i, to});
        emit = to;
    }

private:
    COPPICE_HD static std::int64_t most_of(O in_a, O in_b) {
        if constexpr (std::is_same_v<Single, drop_single>)
            return std::int64_t(in_a < in_b ? in_a : in_b);
        else
            return std::int64_t(in_a) + std::int64_t(in_b);
    }
};

/// Rows and columns that an assignment covers; null where all are.
struct region {
    std::int8_t const* rows = nullptr;
    std::int8_t const* columns = nullptr;
    bool mask_inside_only = false; ///< subassign: what lies outside stays whatever the mask says
    COPPICE_HD bool has(std::int64_t i, std::int64_t j) const {
        return (!rows || rows[i] != 0) && (!columns || columns[j] != 0);
    }
};

/// Rows of C<M, replace> = C ⊙ T (GraphBLAS C API 2.0, section 3.9.2), T having entries inside the region only: a
/// csr_view, or what reads like one.
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
    struct meet {
        written_rows const& rows;
        std::int64_t i;
        typename Mask::cursor& cursor;
        Emit& emit;
        COPPICE_NO_EXEC_CHECK
        COPPICE_HD void operator()(std::int64_t column, std::int64_t p, std::int64_t q) const {
            bool const admitted = cursor.admits(column);
            bool const in_region = rows.inside.has(i, column);
            bool const touched = in_region && admitted;
            bool const kept = !touched && (!rows.replace || (!in_region && (admitted || rows.inside.mask_inside_only)));
            if constexpr (std::is_same_v<Accumulator, no_accumulator> && std::is_same_v<C const*, element>) {
                C const* const old = p >= 0 ? rows.c.coefficients + p : nullptr;
                C const* const now = q >= 0 ? rows.t.coefficients + q : nullptr;
                C const* const to = touched ? now : kept ? old : nullptr;
                emit.when(to != nullptr, column, *(to ? to : old ? old : now)); // a choice of addresses is no jump
                return;
            }
            if (!touched) {
                if (p >= 0 && kept) emit(column, rows.c.coefficients[p]);
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
    std::int64_t most() const { return work(); }
    COPPICE_HD std::int64_t bound(std::int64_t i) const {
        return std::int64_t(c.row_end(i) - c.row_begin(i)) + std::int64_t(t.row_end(i) - t.row_begin(i));
    }
    COPPICE_NO_EXEC_CHECK
    template <class Emit>
    COPPICE_HD void visit(std::int64_t i, Emit& emit) const {
        auto cursor = mask.row(i);
        Emit to = emit;
        walk_together(c.indices, c.row_begin(i), c.row_end(i), t.indices, t.row_begin(i), t.row_end(i),
                      meet<Emit>{*this, i, cursor, to});
        emit = to;
    }
};

} // namespace coppice::detail
