// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows of a product that equal the previous row shifted by one column, as in band and grid matrices: their structure
/// and the position of each product are known from the previous row.
#pragma once

#include <algorithm>
#include <cstdint>

#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/spgemm/product_plan.hpp>

namespace coppice::inline v0_1::detail {

/// Whether row i > 0 is not empty and equals row i - 1 shifted by one column.
template <class T, class I, class O>
bool is_shifted_row(csr_view<T, I, O> a, std::int64_t i) {
    O const begin = a.row_begin(i), length = a.row_end(i) - begin;
    if (length == 0 || begin - a.row_begin(i - 1) != length) return false;
    bool same = true;
    for (O k = begin; k < begin + length; ++k) same = same & (a.indices[k] == a.indices[k - length] + I(1));
    return same;
}

/// Flags the rows of B that are shifted.
class shifted_rows {
public:
    template <class B, class I, class O>
    shifted_rows(host_executor const& exec, csr_view<B, I, O> b) : flags_(exec, b.rows()) {
        for_each(exec, b.rows(), [&](std::int64_t k) { flags_[k] = k > 0 && is_shifted_row(b, k) ? 1 : 0; });
    }
    /// Whether row i > 0 of A B is shifted: row i of A and all rows of B that it multiplies are shifted.
    template <class A, class I, class O>
    bool shifts_product(csr_view<A, I, O> a, std::int64_t i) const {
        if (!is_shifted_row(a, i)) return false;
        bool all = true;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) all = all & (flags_[a.indices[k]] != 0);
        return all;
    }

private:
    buffer<unsigned char> flags_;
};

/// Structure of a row of A B, or of its entries inside a mask, used to compute the shifted rows after it.
template <class Sum>
class shifted_row {
public:
    static constexpr std::int64_t max_products = 64; ///< largest number of products of a stored row

    /// Stores row i, which has these n columns; row i + 1 is shifted.
    template <class A, class B, class I, class O>
    void keep(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i, I const* columns, std::int64_t n) {
        length_ = n;
        int entry = 0, product = 0;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) { // every row of B is shifted and therefore not empty
            O const begin = b.row_begin(a.indices[k]), end = b.row_end(a.indices[k]);
            for (O q = begin; q < end; ++q) {
                I const* const at = std::lower_bound(columns, columns + n, b.indices[q]);
                if (at == columns + n || *at != b.indices[q]) continue; // masked out
                offset_in_row_[product] = static_cast<unsigned char>(q - begin);
                position_[product++] = static_cast<unsigned char>(at - columns);
            }
            ends_[entry++] = static_cast<unsigned char>(product);
        }
    }
    /// Computes row i, the next one, into `columns` and `values`; the previous row is stored directly before them.
    /// Returns its length.
    template <class A, class B, class I, class O, class Semiring, class Z>
    std::int64_t next(csr_view<A, I, O> a, csr_view<B, I, O> b, Semiring const& s, std::int64_t i, I* columns,
                      Z* values) const {
        alignas(Sum) unsigned char memory[max_products * sizeof(Sum)]; // a Sum may have no default constructor
        Sum* const sums = reinterpret_cast<Sum*>(memory);
        for (std::int64_t p = 0; p < length_; ++p) {
            columns[p] = columns[p - length_] + I(1);
            sums[p] = s.add.identity();
        }
        int entry = 0, product = 0;
        for (O k = a.row_begin(i), last = a.row_end(i); k < last; ++k) {
            I const inner = a.indices[k];
            A const left = a.coefficients[k];
            O const begin = b.row_begin(inner);
            for (int const end = ends_[entry++]; product < end; ++product) {
                O const q = static_cast<O>(begin + offset_in_row_[product]);
                Sum& sum = sums[position_[product]];
                sum = accumulate(
                    s.add, sum,
                    multiply_at(s, left, b.coefficients[q], element_positions{i, inner, inner, b.indices[q]}));
            }
        }
        for (std::int64_t p = 0; p < length_; ++p) values[p] = static_cast<Z>(result_of_sum(s, sums[p]));
        return length_;
    }

private:
    std::int64_t length_ = 0;
    unsigned char ends_[max_products], offset_in_row_[max_products], position_[max_products];
};

} // namespace coppice::inline v0_1::detail
