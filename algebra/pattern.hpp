// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparsity patterns, and the submatrices that they select (thesis section 5.1.8, Eqs. 47 to 54).
///
/// A pattern is a predicate on (row, column): one of the types below, the stored entries of a matrix, or a function
/// object of the user (for CUDA trivially copyable, with a COPPICE_HD call operator).
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <coppice/algebra/rows/built_rows.hpp>

namespace coppice::inline v0_1 {

template <class S>
concept pattern = requires(S const& s, std::int64_t row, std::int64_t column) {
    { s(row, column) } -> std::convertible_to<bool>;
};

/// S^diag (Eq. 47)
struct diagonal_pattern {
    COPPICE_HD bool operator()(std::int64_t row, std::int64_t column) const { return row == column; }
};
/// S^tri (Eq. 47)
struct tridiagonal_pattern {
    COPPICE_HD bool operator()(std::int64_t row, std::int64_t column) const {
        return column - row <= 1 && row - column <= 1;
    }
};
/// S^low, or S^low-s without the diagonal (Eq. 48)
struct lower_pattern {
    bool strict = false;
    COPPICE_HD bool operator()(std::int64_t row, std::int64_t column) const {
        return strict ? row > column : row >= column;
    }
};
/// Union of two patterns.
template <pattern S, pattern U>
struct pattern_union {
    S s;
    U u;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD bool operator()(std::int64_t row, std::int64_t column) const { return s(row, column) || u(row, column); }
};
template <pattern S, pattern U>
pattern_union(S, U) -> pattern_union<S, U>;
/// Difference of two patterns: positions in the first but not in the second.
template <pattern S, pattern U>
struct pattern_difference {
    S s;
    U u;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD bool operator()(std::int64_t row, std::int64_t column) const {
        return s(row, column) && !u(row, column);
    }
};
template <pattern S, pattern U>
pattern_difference(S, U) -> pattern_difference<S, U>;

/// Borrowed list of entries. Membership is tested by binary search.
template <class I, class O = I>
struct pattern_view {
    csr_view<char, I, O> entries{};
    COPPICE_HD bool operator()(std::int64_t row, std::int64_t column) const {
        return row < entries.rows() && detail::position_in_row(entries, row, column) >= O(0);
    }
};

/// Owner of the list of entries of a pattern: CSR without values, with sorted columns. Move-only.
template <class I, class O = I>
class sparsity_pattern {
public:
    sparsity_pattern() = default;
    /// Takes ownership of the arrays. Throws dimension_error if their lengths are inconsistent with the shape.
    sparsity_pattern(I rows, I columns, buffer<O> offsets, buffer<I> indices)
        : rows_(rows), columns_(columns), offsets_(std::move(offsets)), indices_(std::move(indices)) {
        require_size("row offsets of a pattern", offsets_, std::int64_t(rows) + 1);
    }
    I rows() const { return rows_; }
    I columns() const { return columns_; }
    O entries() const { return static_cast<O>(indices_.size()); }
    buffer<O> const& row_offsets() const { return offsets_; }
    buffer<I> const& column_indices() const { return indices_; }
    /// Returns the pattern as a predicate for the operations below.
    pattern_view<I, O> view() const& {
        return {{rows_, columns_, entries(), offsets_.data(), indices_.data(), nullptr}};
    }
    pattern_view<I, O> view() const&& = delete; ///< the view of a temporary pattern would dangle

private:
    I rows_ = 0, columns_ = 0;
    buffer<O> offsets_;
    buffer<I> indices_;
};

namespace detail {

/// Rows of a matrix restricted to selected entries: Keep::row(i) returns a predicate that is called for the nonzeros k
/// of row i, in their order. For build_rows().
template <class T, class I, class O, class Keep>
struct rows_of_selection {
    csr_view<T, I, O> a;
    Keep keep;
    COPPICE_NO_EXEC_CHECK
    template <class Emit>
    COPPICE_HD void emit_row(std::int64_t i, Emit& emit) const {
        auto selected = keep.row(i);
        for (O k = a.row_begin(i); k < a.row_end(i); ++k)
            if (selected(k)) emit(a.indices[k], a.coefficients[k]);
    }
};

template <class T, class I, class O, class S>
struct keep_in_pattern {
    csr_view<T, I, O> a;
    S s;
    struct in_row {
        csr_view<T, I, O> const& a;
        S const& s;
        std::int64_t i;
        COPPICE_NO_EXEC_CHECK
        COPPICE_HD bool operator()(O k) const { return s(i, std::int64_t(a.indices[k])); }
    };
    COPPICE_HD in_row row(std::int64_t i) const { return {a, s, i}; }
};

/// Returns the bits of |value|, which are ordered like the magnitudes; NaN is the largest.
template <class T>
COPPICE_HD std::uint64_t magnitude_bits(T value) {
    double const size = static_cast<double>(value);
    std::uint64_t bits;
    __builtin_memcpy(&bits, &size, sizeof bits);
    return bits & ~(std::uint64_t(1) << 63);
}

/// Eq. 49: selects the q largest off-diagonal entries of a row; among equal magnitudes the first ones.
template <class T, class I, class O>
struct keep_largest_of_row {
    csr_view<T, I, O> a;
    I const* counts; ///< q for each row; null: `count` for all rows
    I count;

    struct in_row {
        csr_view<T, I, O> const& a;
        std::int64_t i;
        std::uint64_t threshold; ///< all entries of larger magnitude are selected
        I equal;                 ///< number of entries of equal magnitude that are selected
        COPPICE_HD bool operator()(O k) {
            if (std::int64_t(a.indices[k]) == i) return false;
            std::uint64_t const size = magnitude_bits(a.coefficients[k]);
            return size > threshold || (size == threshold && equal-- > 0);
        }
    };
    COPPICE_HD in_row row(std::int64_t i) const {
        I const target = counts ? counts[i] : count;
        if (target <= 0) return {a, i, ~std::uint64_t(0), 0};
        std::uint64_t threshold = 0; // the largest threshold that `target` entries reach, bit by bit
        for (int bit = 62; bit >= 0; --bit) {
            std::uint64_t const higher = threshold | std::uint64_t(1) << bit;
            I const reach = count_from(i, higher);
            if (reach >= target) threshold = higher;
            if (reach == target) break; // exactly these entries
        }
        I const above = count_from(i, threshold + 1);
        return {a, i, threshold, above < target ? I(target - above) : I(0)};
    }

private:
    COPPICE_HD I count_from(std::int64_t i, std::uint64_t min_magnitude) const {
        I found = 0;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k)
            if (std::int64_t(a.indices[k]) != i && magnitude_bits(a.coefficients[k]) >= min_magnitude) ++found;
        return found;
    }
};

/// Selects entries above the threshold of Eq. 50.
template <class T, class I, class O>
struct keep_above_threshold {
    csr_view<T, I, O> a;
    T const* fractions; ///< tau for each row; null: `fraction` for all rows
    T fraction;

    struct in_row {
        csr_view<T, I, O> const& a;
        T min_magnitude;
        COPPICE_HD bool operator()(O k) const { return magnitude(a.coefficients[k]) >= min_magnitude; }
    };
    COPPICE_HD in_row row(std::int64_t i) const {
        T max_magnitude(0);
        for (O k = a.row_begin(i); k < a.row_end(i); ++k)
            max_magnitude = magnitude(a.coefficients[k]) > max_magnitude ? magnitude(a.coefficients[k]) : max_magnitude;
        return {a, (fractions ? fractions[i] : fraction) * max_magnitude};
    }
};

template <class T, class I, class O, class S>
struct scale_row {
    csr_view<T, I, O> a;
    S s;
    T omega;
    T* values;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t i) const {
        for (O k = a.row_begin(i); k < a.row_end(i); ++k)
            values[k] = s(i, std::int64_t(a.indices[k])) ? omega * a.coefficients[k] : a.coefficients[k];
    }
};

/// Sums of |a_ij| over a row: inside the pattern, and of all entries.
struct weight_inside {
    double inside, all;
};
struct add_weight_inside {
    COPPICE_HD weight_inside operator()(weight_inside const& a, weight_inside const& b) const {
        return {a.inside + b.inside, a.all + b.all};
    }
};
template <class T, class I, class O, class S>
struct weigh_row {
    csr_view<T, I, O> a;
    S s;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD weight_inside operator()(std::int64_t i) const {
        weight_inside sum{0, 0};
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            double const weight = magnitude(a.coefficients[k]);
            sum.all += weight;
            if (s(i, std::int64_t(a.indices[k]))) sum.inside += weight;
        }
        return sum;
    }
};

template <executor Executor, class Keep, class T, class I, class O>
sparsity_pattern<I, O> pattern_of_selected(Executor const& exec, csr_view<T, I, O> a, Keep keep) {
    require_arrays(a);
    if (!a.offsets) return {};
    auto const sorted = with_sorted_columns(exec, a);
    keep.a = sorted.view;
    auto selected =
        build_row_arrays<T, I, O>(exec, a.rows(), rows_of_selection<T, I, O, Keep>{sorted.view, keep}, false);
    return {a.rows(), a.columns(), std::move(selected.offsets), std::move(selected.indices)};
}

} // namespace detail

/// Returns the pattern of the stored entries of A, including stored zeros. Columns may be unsorted. Waits.
template <executor Executor, class T, class I, class O>
sparsity_pattern<I, O> pattern_of(Executor const& exec, csr_view<T, I, O> a) {
    require_arrays(a);
    if (!a.offsets) return {};
    auto const sorted = detail::with_sorted_columns(exec, a);
    return {a.rows(), a.columns(), copy_of(exec, sorted.view.row_offsets()),
            copy_of(exec, sorted.view.column_indices())};
}

/// S^max-n (Eq. 49): the `count` off-diagonal entries of largest magnitude of every row, or all if there are fewer.
/// Among equal magnitudes the smaller column is first; NaN is the largest. At most about 64 passes over a row. Waits.
template <executor Executor, class T, class I, class O>
sparsity_pattern<I, O> largest_pattern(Executor const& exec, csr_view<T, I, O> a, std::type_identity_t<I> count) {
    return detail::pattern_of_selected(exec, a, detail::keep_largest_of_row<T, I, O>{a, nullptr, count});
}
/// S^max-n (Eq. 49) with a separate number of entries for each row, counts[rows].
template <executor Executor, class T, class I, class O>
sparsity_pattern<I, O> largest_pattern(Executor const& exec, csr_view<T, I, O> a,
                                       std::type_identity_t<array_view<I const>> counts) {
    require_size("numbers of entries to keep", counts, a.rows());
    return detail::pattern_of_selected(exec, a, detail::keep_largest_of_row<T, I, O>{a, counts.data(), I(0)});
}

/// S^max-t (Eq. 50): the entries whose magnitude is at least `fraction` times the largest magnitude of their row,
/// including the diagonal. Waits.
template <executor Executor, class T, class I, class O>
sparsity_pattern<I, O> threshold_pattern(Executor const& exec, csr_view<T, I, O> a, std::type_identity_t<T> fraction) {
    return detail::pattern_of_selected(exec, a, detail::keep_above_threshold<T, I, O>{a, nullptr, fraction});
}
/// S^max-t (Eq. 50) with a separate fraction for each row, fractions[rows].
template <executor Executor, class T, class I, class O>
sparsity_pattern<I, O> threshold_pattern(Executor const& exec, csr_view<T, I, O> a,
                                         std::type_identity_t<array_view<T const>> fractions) {
    require_size("fractions of a threshold pattern", fractions, a.rows());
    return detail::pattern_of_selected(exec, a, detail::keep_above_threshold<T, I, O>{a, fractions.data(), T(0)});
}

/// prune(A, S) (Eq. 51): the entries of A in S, in their order. Waits.
template <executor Executor, class T, class I, class O, pattern S>
csr<T, I, O> prune(Executor const& exec, csr_view<T, I, O> a, S s) {
    require_arrays(a);
    if (!a.offsets) return {};
    using keep = detail::keep_in_pattern<T, I, O, S>;
    return detail::build_rows<T, I, O>(exec, a.rows(), a.columns(),
                                       detail::rows_of_selection<T, I, O, keep>{a, {a, s}});
}

/// scale(A, S, omega) (Eq. 52): multiplies the entries of A in S by omega. Asynchronous on CUDA.
template <executor Executor, class T, class I, class O, pattern S>
csr<T, I, O> scale(Executor const& exec, csr_view<T, I, O> a, S s, std::type_identity_t<T> omega) {
    require_arrays(a);
    if (!a.offsets) return {};
    buffer<T> values(exec, a.nonzeros());
    for_each(exec, a.rows(), detail::scale_row<T, I, O, S>{a, s, omega, values.data()});
    return {a.rows(), a.columns(), copy_of(exec, a.row_offsets()), copy_of(exec, a.column_indices()),
            std::move(values)};
}

/// coverage(A, S) (Eq. 53): fraction of the sum of |a_ij| that is in S; 1 if the sum is zero, NaN if an entry is NaN.
/// With a diagonal_pattern this is c_diag (Eq. 54). Waits.
template <executor Executor, class T, class I, class O, pattern S>
double coverage(Executor const& exec, csr_view<T, I, O> a, S s) {
    require_arrays(a);
    auto const sum = reduce(exec, a.rows(), detail::weight_inside{0, 0}, detail::weigh_row<T, I, O, S>{a, s},
                            detail::add_weight_inside{});
    return sum.all != 0 ? sum.inside / sum.all : 1;
}

} // namespace coppice::inline v0_1
