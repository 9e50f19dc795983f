// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Products of sparse matrices with dense matrices of few columns: SpMM (A X) and SDDMM (X Y^T at the entries of A).
#pragma once

#include <cstdint>
#include <string>

#include <coppice/core/late.hpp>
#include <coppice/core/memory_range.hpp>
#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

namespace coppice::inline v0_1 {

/// Borrowed dense matrix of few columns in row-major order: element (i, j) is values[i * columns + j].
template <class T>
struct thin_view {
    using value_type = std::remove_const_t<T>;
    array_view<T> values{};
    std::int64_t columns = 0;

    COPPICE_HD std::int64_t rows() const { return columns > 0 ? values.size() / columns : 0; }
    template <class U = T>
    requires(!std::is_const_v<U>) COPPICE_HD constexpr operator thin_view<U const>() const { return {values, columns}; }
};

namespace detail {

/// `Width` sums of neighbouring columns.
template <class Sum, int Width>
struct column_group {
    Sum sums[Width];
};

/// ⊕ for each of the columns.
template <class Add, int Width>
struct add_column_group {
    using sums_type = column_group<accumulator_t<Add>, Width>;
    Add add;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD sums_type identity() const {
        late<sums_type> s;
        COPPICE_UNROLL
        for (int j = 0; j < Width; ++j) s.value.sums[j] = add.identity();
        return s.value;
    }
    COPPICE_NO_EXEC_CHECK
    template <class P>
    COPPICE_HD sums_type operator()(sums_type a, column_group<P, Width> const& b) const {
        COPPICE_UNROLL
        for (int j = 0; j < Width; ++j) a.sums[j] = accumulate(add, a.sums[j], b.sums[j]);
        return a;
    }
};

/// ⊗ of one nonzero with `Width` neighbouring elements of a row of X.
template <class Semiring, class T, class I, class X, int Width>
struct multiply_column_group {
    Semiring s;
    X const* x;
    std::int64_t columns;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD auto operator()(T const& value, I const& column) const {
        using P = std::remove_cvref_t<decltype(s.multiply(value, *x, std::int64_t{}))>;
        X const* const from = x + std::int64_t(column) * columns;
        late<column_group<P, Width>> p;
        COPPICE_UNROLL
        for (int j = 0; j < Width; ++j) p.value.sums[j] = s.multiply(value, from[j], std::int64_t(column));
        return p.value;
    }
};

template <class Semiring, class Y, int Width>
struct store_column_group {
    Semiring s;
    Y* y;
    std::int64_t columns;
    COPPICE_NO_EXEC_CHECK
    template <class Sums>
    COPPICE_HD void operator()(std::int64_t row, Sums const& sums) const {
        COPPICE_UNROLL
        for (int j = 0; j < Width; ++j) y[row * columns + j] = static_cast<Y>(result_of_sum(s, sums.sums[j]));
    }
};

/// Computes columns [first, first + Width) of Y.
template <int Width, executor Executor, class Semiring, class T, class I, class O, class X, class Y>
void spmm_columns(Executor const& exec, srcsr_plan<O> const& plan, Semiring const& s, csr_view<T, I, O> a,
                  thin_view<X const> x, thin_view<Y> y, std::int64_t first) {
    using add_type = std::remove_cvref_t<decltype(s.add)>;
    using multiply = multiply_column_group<Semiring, T, I, X, Width>;
    reduce_rows(exec, plan, along_nonzeros{multiply{s, x.values.data() + first, x.columns}, a.coefficients, a.indices},
                add_column_group<add_type, Width>{s.add},
                store_column_group<Semiring, Y, Width>{s, y.values.data() + first, y.columns});
}

/// Computes ⊕_j x_ij ⊗ y_kj for the entries (i, k) of row i of a pattern.
template <class Semiring, class T, class I, class O, class X, class Y, class Z>
struct sampled_row {
    Semiring s;
    csr_view<T, I, O> pattern;
    X const* x;
    Y const* y;
    std::int64_t columns;
    Z* values;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t i) const {
        for (O k = pattern.row_begin(i); k < pattern.row_end(i); ++k) {
            std::int64_t const other = std::int64_t(pattern.indices[k]) * columns;
            auto sum = s.add.identity();
            for (std::int64_t j = 0; j < columns; ++j)
                sum = accumulate(s.add, sum, s.multiply(x[i * columns + j], y[other + j], j));
            values[k] = static_cast<Z>(result_of_sum(s, sum));
        }
    }
};

template <class T>
void require_thin(thin_view<T> v, std::int64_t rows, char const* what) {
    if (v.columns < 0) throw argument_error(std::string(what) + " has a negative number of columns");
    require_size(std::string("elements of ") + what, v.values, checked_product(rows, v.columns, what));
}

} // namespace detail

/// Computes Y = A X over a semiring (SpMM): X[columns, k], Y[rows, k]; Y overlaps neither X nor the values of A. Rows
/// without entries get the identity, as in semiring_spmv. Columns are processed in groups of eight, four, two and one.
/// On the host, sums are bitwise equal to those of semiring_spmv. Throws dimension_error if sizes disagree,
/// argument_error for an overlap.
template <executor Executor, semiring Semiring, class T, class I, class O, class X, class Y>
void spmm(Executor const& exec, srcsr_plan<O> const& plan, Semiring const& s, csr_view<T, I, O> a, thin_view<X> x,
          thin_view<Y> y) {
    static_assert(!std::is_const_v<Y>, "Y of spmm is written");
    require_size("rows of the plan", plan.rows(), a.rows());
    require_size("nonzeros of the plan", plan.nonzeros, static_cast<std::int64_t>(a.nonzeros()));
    require_arrays(a);
    require_size("columns of Y", y.columns, x.columns);
    detail::require_thin(x, a.columns(), "X");
    detail::require_thin(y, a.rows(), "Y");
    require_no_overlap(range_of("X", x.values), range_of("Y", y.values), "sparse times dense: ");
    require_no_overlap(range_of("the array of values", a.values()), range_of("Y", y.values), "sparse times dense: ");
    thin_view<std::remove_const_t<X> const> const from = x;
    std::int64_t j = 0;
    for (; x.columns - j >= 8; j += 8) detail::spmm_columns<8>(exec, plan, s, a, from, y, j);
    for (; x.columns - j >= 4; j += 4) detail::spmm_columns<4>(exec, plan, s, a, from, y, j);
    for (; x.columns - j >= 2; j += 2) detail::spmm_columns<2>(exec, plan, s, a, from, y, j);
    if (j < x.columns) detail::spmm_columns<1>(exec, plan, s, a, from, y, j);
}

/// Computes values[e] = ⊕_j x_ij ⊗ y_kj for every entry e = (i, k) of a pattern (SDDMM), in ascending j; the values of
/// the pattern are not read. X[rows, n], Y[columns, n]. Throws dimension_error if sizes disagree, argument_error for an
/// overlap.
template <executor Executor, semiring Semiring, class T, class I, class O, class X, class Y, class Z>
void sddmm(Executor const& exec, Semiring const& s, csr_view<T, I, O> pattern, thin_view<X> x, thin_view<Y> y,
           array_view<Z> values) {
    require_pattern(pattern);
    require_size("columns of Y", y.columns, x.columns);
    detail::require_thin(x, pattern.rows(), "X");
    detail::require_thin(y, pattern.columns(), "Y");
    require_size("values of the pattern", values, pattern.nonzeros());
    require_no_overlap(range_of("X", x.values), range_of("the values", values), "sampled product: ");
    require_no_overlap(range_of("Y", y.values), range_of("the values", values), "sampled product: ");
    using U = std::remove_const_t<X>;
    using V = std::remove_const_t<Y>;
    for_each(exec, pattern.rows(),
             detail::sampled_row<Semiring, T, I, O, U, V, Z>{s, pattern, x.values.data(), y.values.data(), x.columns,
                                                             values.data()});
}

} // namespace coppice::inline v0_1
