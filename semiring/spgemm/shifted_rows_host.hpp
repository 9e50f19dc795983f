// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows of a product that are the row before moved by one column, as those of bands and grids are: their structure is
/// known, and where each product joins it.
#pragma once

#include <algorithm>
#include <cstdint>

#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/spgemm/product_plan.hpp>

namespace coppice::detail {

/// Whether row i > 0 is the one before it, moved by one column, and not empty.
template <class T, class I, class O>
bool is_moved_row(csr_view<T, I, O> a, std::int64_t i) {
    O const begin = a.row_begin(i), length = a.row_end(i) - begin;
    if (length == 0 || begin - a.row_begin(i - 1) != length) return false;
    bool same = true;
    for (O k = begin; k < begin + length; ++k) same = same & (a.indices[k] == a.indices[k - length] + I(1));
    return same;
}

/// Which rows of B are.
class moved_rows {
public:
    template <class B, class I, class O>
    moved_rows(host_executor const& exec, csr_view<B, I, O> b) : flags_(exec, b.rows()) {
        for_each(exec, b.rows(), [&](std::int64_t k) { flags_[k] = k > 0 && is_moved_row(b, k) ? 1 : 0; });
    }
    /// Whether row i > 0 of A B is as well, since row i of A and all rows of B that it meets are.
    template <class A, class I, class O>
    bool moves_product(csr_view<A, I, O> a, std::int64_t i) const {
        if (!is_moved_row(a, i)) return false;
        bool all = true;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) all = all & (flags_[a.indices[k]] != 0);
        return all;
    }

private:
    buffer<unsigned char> flags_;
};

/// A row of A B, or of its part inside a mask, for the moved ones behind it.
template <class Sum>
class moved_row {
public:
    static constexpr std::int64_t most = 64; ///< products of a row that is kept

    /// Keeps row i, which has these columns and so many products at most; row i + 1 is a moved one.
    template <class A, class B, class I, class O>
    void keep(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i, I const* columns, std::int64_t n) {
        length_ = n;
        int entry = 0, product = 0;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) { // every row of B has an entry, as a moved one
            O const begin = b.row_begin(a.indices[k]), end = b.row_end(a.indices[k]);
            for (O q = begin; q < end; ++q) {
                I const* const at = std::lower_bound(columns, columns + n, b.indices[q]);
                if (at == columns + n || *at != b.indices[q]) continue; // the mask keeps it out
                partner_[product] = static_cast<unsigned char>(q - begin);
                place_[product++] = static_cast<unsigned char>(at - columns);
            }
            ends_[entry++] = static_cast<unsigned char>(product);
        }
    }
    /// The row behind it, i, to `columns` and `values`, before which the row itself stands; returns its length.
    template <class A, class B, class I, class O, class Semiring, class Z>
    std::int64_t next(csr_view<A, I, O> a, csr_view<B, I, O> b, Semiring const& s, std::int64_t i, I* columns,
                      Z* values) const {
        Sum sums[most];
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
                O const q = static_cast<O>(begin + partner_[product]);
                Sum& sum = sums[place_[product]];
                sum = accumulate(s.add, sum,
                                 multiply_at(s, left, b.coefficients[q], meeting{i, inner, inner, b.indices[q]}));
            }
        }
        for (std::int64_t p = 0; p < length_; ++p) values[p] = static_cast<Z>(s.result(sums[p]));
        return length_;
    }

private:
    std::int64_t length_ = 0;
    unsigned char ends_[most], partner_[most], place_[most];
};

} // namespace coppice::detail
