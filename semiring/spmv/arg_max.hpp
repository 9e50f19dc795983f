// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The n largest coefficients of each row and their columns: arg-max-n (section 3.6.2 of the source thesis).
///
/// A product is one (value, column) pair; the accumulator is a sorted list of n pairs. The data staged in shared memory
/// therefore stay small for any n, and the list is held in registers (section 3.5.4).
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/semiring/operators/operators.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

namespace coppice::inline v0_1 {

/// The N largest (value, column) pairs of a row in descending order of value; equal values keep the order of the row.
/// Unused positions at the end have column -1.
template <int N, class T, class I = std::int32_t>
struct largest_n {
    value_and_column<T, I> best[N];
    COPPICE_HD friend bool operator==(largest_n const& a, largest_n const& b) {
        for (int i = 0; i < N; ++i)
            if (!(a.best[i] == b.best[i])) return false;
        return true;
    }
};

/// ⊕ of arg-max-n: associative, but not commutative, since among equal values the first of the row comes first. NaN is
/// ignored, as if the nonzero did not exist.
template <int N, class T, class I = std::int32_t>
struct add_arg_max_n {
    static_assert(N >= 1, "arg-max-n keeps at least one candidate");
    using pair = value_and_column<T, I>;
    using list = largest_n<N, T, I>;

    COPPICE_HD constexpr list identity() const {
        list none{};
        COPPICE_UNROLL
        for (int i = 0; i < N; ++i) none.best[i] = {detail::lowest<T>(), I(-1)};
        return none;
    }
    /// Inserts one candidate after those that are not smaller; branch-free.
    COPPICE_HD constexpr list operator()(list const& sum, pair candidate) const {
        list result = sum;
        bool const counts = candidate.column >= 0 && candidate.value == candidate.value; // NaN is unequal to itself
        bool shift = false;
        COPPICE_UNROLL
        for (int i = 0; i < N; ++i) {
            pair const held = result.best[i];
            shift = shift || (counts && (held.column < 0 || held.value < candidate.value));
            result.best[i] = shift ? candidate : held;
            candidate = shift ? held : candidate;
        }
        return result;
    }
    COPPICE_HD constexpr list operator()(list const& before, list const& after) const {
        list result = before;
        COPPICE_UNROLL
        for (int i = 0; i < N; ++i) result = (*this)(result, after.best[i]);
        return result;
    }
};

namespace detail {

/// ⊗ of arg-max-n along the nonzeros: the coefficient and its column.
template <class T, class I>
struct coefficient_and_column {
    COPPICE_HD value_and_column<T, I> operator()(T const& value, I const& column) const { return {value, column}; }
};

template <int N, class T, class I>
struct store_largest {
    value_and_column<T, I>* best;
    COPPICE_HD void operator()(std::int64_t row, largest_n<N, T, I> const& sum) const {
        COPPICE_UNROLL
        for (int i = 0; i < N; ++i) best[row * N + i] = sum.best[i];
    }
};

} // namespace detail

/// Computes the N largest coefficients of every row and their columns: best[rows * N], row by row. See largest_n for
/// ties and for rows with fewer than N. Throws dimension_error if sizes disagree. On CUDA the call returns when the
/// work is queued.
template <int N, executor Executor, class T, class I, class O>
void arg_max_n(Executor const& exec, srcsr_plan<O> const& plan, csr_view<T, I, O> a,
               std::type_identity_t<array_view<value_and_column<T, I>>> best) {
    require_size("rows of the plan", plan.rows(), a.rows());
    require_size("nonzeros of the plan", plan.nonzeros, static_cast<std::int64_t>(a.nonzeros()));
    require_size("length of best", best, std::int64_t(a.rows()) * N);
    reduce_rows(exec, plan, along_nonzeros{detail::coefficient_and_column<T, I>{}, a.coefficients, a.indices},
                add_arg_max_n<N, T, I>{}, detail::store_largest<N, T, I>{best.data()});
}

} // namespace coppice::inline v0_1
