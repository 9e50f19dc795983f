// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Symmetry of a matrix, and its weighted undirected graph. Included by algebra/operations.hpp.
#pragma once

#include <coppice/algebra/transform.hpp>

namespace coppice::inline v0_1 {

/// Symmetry of a square matrix; both are false for a rectangular one.
struct symmetry {
    bool pattern = true; ///< (j, i) is stored if (i, j) is
    bool values = true;  ///< both also have equal values (NaN is not equal to NaN); implies `pattern`
};

namespace detail {

template <class T, class I, class O>
struct row_sorted {
    csr_view<T, I, O> a;
    COPPICE_HD bool operator()(std::int64_t i) const { return row_is_sorted(a, i); }
};

/// Element-wise comparison of two matrices of the same shape and number of nonzeros.
template <class I>
struct same_element {
    I const *a, *b;
    COPPICE_HD bool operator()(std::int64_t k) const { return a[k] == b[k]; }
};
template <executor Executor, class T, class I, class O>
bool same_pattern(Executor const& exec, csr_view<T, I, O> a, csr_view<T, I, O> b) {
    return reduce(exec, std::int64_t(a.rows()) + 1, true, same_element<O>{a.offsets, b.offsets}, both{}) &&
           reduce(exec, a.nonzeros(), true, same_element<I>{a.indices, b.indices}, both{});
}

/// Returns i if row i contains a non-finite value, else `none`.
template <class T, class I, class O>
struct nonfinite_row {
    csr_view<T, I, O> a;
    std::int64_t none;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        for (O k = a.row_begin(i); k < a.row_end(i); ++k)
            if (!is_finite(a.coefficients[k])) return i;
        return none;
    }
};

/// Whether the rows i of |A| and |B|, both sorted, are equal except for the diagonal and stored zeros.
template <class T, class I, class O>
struct same_weights {
    csr_view<T, I, O> a, b;
    COPPICE_HD static O next_weight(csr_view<T, I, O> const& m, std::int64_t i, O k) {
        while (k < m.row_end(i) && (std::int64_t(m.indices[k]) == i || m.coefficients[k] == T(0))) ++k;
        return k;
    }
    COPPICE_HD bool operator()(std::int64_t i) const {
        O k = next_weight(a, i, a.row_begin(i)), m = next_weight(b, i, b.row_begin(i));
        while (k < a.row_end(i) && m < b.row_end(i)) {
            if (a.indices[k] != b.indices[m] || magnitude(a.coefficients[k]) != magnitude(b.coefficients[m]))
                return false;
            k = next_weight(a, i, k + 1);
            m = next_weight(b, i, m + 1);
        }
        return k == a.row_end(i) && m == b.row_end(i);
    }
};

/// Calls emit(column, weight) for the nonzero off-diagonal weights of row i of |A| + |B| in the order of columns. Rows
/// of both are sorted without duplicates. If `b` has no offsets, it is empty.
template <class T, class I, class O, class Emit>
COPPICE_HD void merge_weights(csr_view<T, I, O> const& a, csr_view<T, I, O> const& b, std::int64_t i, Emit& emit) {
    O k = a.row_begin(i), m = b.offsets ? b.row_begin(i) : 0;
    O const k_end = a.row_end(i), m_end = b.offsets ? b.row_end(i) : 0;
    while (k < k_end || m < m_end) {
        bool const take_a = m == m_end || (k < k_end && a.indices[k] <= b.indices[m]);
        bool const take_b = k == k_end || (m < m_end && b.indices[m] <= a.indices[k]);
        I const column = take_a ? a.indices[k] : b.indices[m];
        T weight{};
        if (take_a) weight = weight + magnitude(a.coefficients[k++]);
        if (take_b) weight = weight + magnitude(b.coefficients[m++]);
        if (std::int64_t(column) != i && weight != T(0)) emit(column, weight);
    }
}
template <class T, class I, class O>
struct count_weights {
    csr_view<T, I, O> a, b;
    struct counter {
        O count = 0;
        COPPICE_HD void operator()(I, T) { ++count; }
    };
    COPPICE_HD O operator()(std::int64_t i) const {
        counter c;
        merge_weights(a, b, i, c);
        return c.count;
    }
};
template <class T, class I, class O>
struct write_weights {
    csr_view<T, I, O> a, b;
    O const* offsets;
    I* indices;
    T* values;
    struct writer {
        I* column;
        T* value;
        COPPICE_HD void operator()(I j, T weight) {
            *column++ = j;
            *value++ = weight;
        }
    };
    COPPICE_HD void operator()(std::int64_t i) const {
        writer w{indices + offsets[i], values + offsets[i]};
        merge_weights(a, b, i, w);
    }
};

/// View with sorted rows: of the matrix itself, or of a sorted copy that is stored here.
template <class T, class I, class O>
struct sorted_matrix {
    csr<T, I, O> copy;
    csr_view<T, I, O> view;
};

template <class T>
std::string value_text(T value) {
    return std::to_string(value);
}
template <class R>
std::string value_text(complex_pair<R> const& value) {
    return "(" + std::to_string(value.re) + ", " + std::to_string(value.im) + ")";
}

/// Throws matrix_error with the first row that contains a non-finite value; `first_index` is the number of row and
/// column 0.
template <executor Executor, class T, class I, class O>
void require_finite(Executor const& exec, csr_view<T, I, O> a, std::int64_t first_index = 0) {
    std::int64_t const n = a.rows();
    std::int64_t const row = reduce(exec, n, n, nonfinite_row<T, I, O>{a, n}, smaller{});
    if (row == n) return;
    O const first = exec.load(a.offsets + row), last = exec.load(a.offsets + row + 1);
    auto const columns = to_vector(exec, a.column_indices().slice(first, last - first));
    auto const values = to_vector(exec, a.values().slice(first, last - first));
    std::size_t k = 0;
    while (is_finite(values[k])) ++k;
    throw matrix_error("row " + std::to_string(first_index + row) + ", column " +
                       std::to_string(first_index + std::int64_t(columns[k])) + " holds " + value_text(values[k]) +
                       ", expected a finite value");
}

} // namespace detail

/// Whether the columns of every row are strictly increasing (sorted without duplicates). Waits.
template <executor Executor, class T, class I, class O>
bool has_sorted_columns(Executor const& exec, csr_view<T, I, O> a) {
    return reduce(exec, a.rows(), true, detail::row_sorted<T, I, O>{a}, detail::both{});
}

namespace detail {

template <executor Executor, class T, class I, class O>
sorted_matrix<T, I, O> with_sorted_columns(Executor const& exec, csr_view<T, I, O> a) {
    if (has_sorted_columns(exec, a)) return {{}, a};
    auto copy = sort_columns(exec, a);
    auto const view = copy.view();
    return {std::move(copy), view};
}

/// The off-diagonal weights of |A| + |B|, without zeros; both are square, sorted and without duplicates. `b` without
/// offsets is empty.
template <executor Executor, class T, class I, class O>
csr<T, I, O> merged_weights(Executor const& exec, csr_view<T, I, O> a, csr_view<T, I, O> b) {
    O nonzeros = 0;
    auto offsets = offsets_of_degrees<O>(exec, a.rows(), count_weights<T, I, O>{a, b}, nonzeros);
    buffer<I> indices(exec, nonzeros);
    buffer<T> values(exec, nonzeros);
    for_each(exec, a.rows(), write_weights<T, I, O>{a, b, offsets.data(), indices.data(), values.data()});
    return {a.rows(), a.columns(), std::move(offsets), std::move(indices), std::move(values)};
}

/// symmetrised_weights() of a square matrix whose rows are sorted, finite and without duplicates.
template <executor Executor, class T, class I, class O>
csr<T, I, O> united_weights(Executor const& exec, csr_view<T, I, O> a) {
    auto transposed = transpose(exec, a);
    bool const symmetric = reduce(exec, a.rows(), true, same_weights<T, I, O>{a, transposed.view()}, both{});
    if (symmetric) transposed = {};
    return merged_weights(exec, a, transposed.view());
}

} // namespace detail

/// Compares A with its transpose, which is computed temporarily. Columns may be unsorted; then a sorted copy is made.
/// Duplicates are compared one by one in their order. Waits.
template <executor Executor, class T, class I, class O>
symmetry symmetry_of(Executor const& exec, csr_view<T, I, O> a) {
    require_arrays(a);
    if (a.rows() != a.columns()) return {false, false};
    if (!a.offsets) return {};
    auto const sorted = detail::with_sorted_columns(exec, a);
    auto const transposed = transpose(exec, sorted.view);
    bool const pattern = detail::same_pattern(exec, sorted.view, transposed.view());
    return {pattern, pattern && reduce(exec, a.nonzeros(), true,
                                       detail::same_element<T>{sorted.view.coefficients, transposed.values().data()},
                                       detail::both{})};
}

/// Whether A = A^T in pattern and values; see symmetry_of.
template <executor Executor, class T, class I, class O>
bool is_symmetric(Executor const& exec, csr_view<T, I, O> a) {
    return symmetry_of(exec, a).values;
}

/// Edge weights of the undirected graph of A (thesis, sections 4.4 and 4.5.1): A' = |A| - diag(|A|), or A' + A'^T if A'
/// is not symmetric. The result is symmetric in pattern and values, has sorted columns, no diagonal and positive
/// weights only: stored zeros are not edges.
///
/// A must be square (dimension_error), without duplicates and with finite values only (matrix_error), since NaN has no
/// order. Columns may be unsorted. Waits. Throws overflow_error if the number of nonzeros of the union of both patterns
/// does not fit an O.
template <executor Executor, class T, class I, class O>
csr<T, I, O> symmetrised_weights(Executor const& exec, csr_view<T, I, O> a) {
    require_square(a, "symmetrised_weights");
    detail::require_finite(exec, a);
    if (!a.offsets) return {};
    auto const sorted = detail::with_sorted_columns(exec, a);
    if (!has_sorted_columns(exec, sorted.view))
        throw matrix_error("a row holds a column twice, expected every entry once; sum duplicates first");
    return detail::united_weights(exec, sorted.view);
}

COPPICE_ACCEPT_OWNERS(has_sorted_columns)
COPPICE_ACCEPT_OWNERS(symmetry_of)
COPPICE_ACCEPT_OWNERS(is_symmetric)
COPPICE_ACCEPT_OWNERS(symmetrised_weights)

} // namespace coppice::inline v0_1
