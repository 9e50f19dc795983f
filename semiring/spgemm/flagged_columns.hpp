// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Finds the distinct columns of a product row, sorted: lane code over a bit a column.
///
/// Row classes: where the products are many for the words of 64 columns that a row may reach, all of these are read in
/// order; where they are fewer, those of which a bit a word says that they were met; where they are few and far apart,
/// the words that were met are sorted, which they nearly are where neighbours follow each other. A mask has a byte a
/// column: whether it is asked for, and whether it was found.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <coppice/algebra/rows/lane_sort.hpp>
#include <coppice/semiring/spgemm/row_masks.hpp>

namespace coppice::detail {

/// Sorts distinct keys: nearly sorted or few ones by insertion.
template <class I>
void sort_words(I* keys, std::int64_t n) {
    if (n > 48)
        std::sort(keys, keys + n);
    else
        sort_by_insertion(n, keys);
}

/// Marks of one worker over the columns of a product; all clear between rows.
template <class I>
class marked_columns {
public:
    /// Bytes are kept for masked products, bits for the others.
    template <executor Executor>
    marked_columns(Executor const& exec, std::int64_t columns, bool masked)
        : bits_(exec, masked ? 0 : columns / word + 1), words_met_(exec, bits_.size() / word + 1),
          marks_(exec, masked ? columns : 0) {
        std::fill(bits_.begin(), bits_.end(), std::uint64_t{0});
        std::fill(words_met_.begin(), words_met_.end(), std::uint64_t{0});
        std::fill(marks_.begin(), marks_.end(), static_cast<unsigned char>(0));
    }

    /// Columns of row i of A B to `out`, rising; returns how many. `out` has room for `products` of them and one more.
    template <class A, class B, class O, class Mask>
    std::int64_t row(csr_view<A, I, O> a, csr_view<B, I, O> b, Mask const& mask, std::int64_t i, std::int64_t products,
                     I* COPPICE_RESTRICT out) {
        if constexpr (is_matrix_mask_v<Mask>)
            return mask.complement ? outside_mask(a, b, mask, i, out) : inside_mask(a, b, mask, i, out);
        if (a.row_end(i) - a.row_begin(i) == 1) return copy_row(b, a.indices[a.row_begin(i)], out);
        I* to = out;
        visit(
            a, b, i, products, [](O) { return [](O, I) {}; }, [&](I column) { *to++ = column; });
        return to - out;
    }

    /// The same columns, rising, to take(column), after every product: join(k) for the entries k of A's row, and what
    /// it returns for (q, column) of the entries q of B that k meets.
    template <class A, class B, class O, class Join, class Take>
    void visit(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i, std::int64_t products, Join const& join,
               Take const& take) {
        if (products > scanned_products) {
            auto const reach = words_of_row(a, b, i);
            std::int64_t const count = reach.last - reach.first;
            if (count < products) return read_words(a, b, i, reach, join, take);
            if (count < words_for_a_product * products) return read_words_met(a, b, i, reach, join, take);
        }
        gather(a, b, i, products, join, take);
    }

private:
    static constexpr std::int64_t word = 64;                 ///< columns of one
    static constexpr std::int64_t scanned_products = 96;     ///< fewer are gathered, wherever they are
    static constexpr std::int64_t words_for_a_product = 256; ///< whose bits may be read rather than sorted

    struct words {
        std::int64_t first, last; ///< [first, last)
    };
    /// Words from the first to the last column that row i can have; rows of B rise.
    template <class A, class B, class O>
    static words words_of_row(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i) {
        I lowest = b.columns(), highest = 0;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            O const begin = b.row_begin(a.indices[k]), end = b.row_end(a.indices[k]);
            if (begin == end) continue;
            lowest = std::min(lowest, b.indices[begin]);
            highest = std::max(highest, b.indices[end - 1]);
        }
        return {lowest / word, highest / word + 1};
    }

    template <class B, class O>
    static std::int64_t copy_row(csr_view<B, I, O> b, I k, I* out) {
        return std::copy(b.indices + b.row_begin(k), b.indices + b.row_end(k), out) - out;
    }

    /// met(word, bits before) for every product of a row, whose column is marked.
    template <class A, class B, class O, class Join, class Met>
    void mark_row(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i, Join const& join, Met const& met) {
        std::uint64_t* COPPICE_RESTRICT const bits = bits_.data();
        for (O k = a.row_begin(i), last = a.row_end(i); k < last; ++k) {
            if (k + 8 < a.nonzeros()) __builtin_prefetch(b.indices + b.row_begin(a.indices[k + 8]));
            I const inner = a.indices[k];
            auto const& join_entry = join(k);
            for (O q = b.row_begin(inner), end = b.row_end(inner); q < end; ++q) {
                auto const column = static_cast<std::uint64_t>(b.indices[q]);
                std::uint64_t const before = bits[column / word];
                bits[column / word] = before | std::uint64_t{1} << (column % word);
                met(column / word, before);
                join_entry(q, static_cast<I>(column));
            }
        }
    }
    /// The marked columns of one word; clears them.
    template <class Take>
    void take_word(std::int64_t w, Take const& take) {
        for (std::uint64_t set = bits_[w]; set != 0; set &= set - 1)
            take(static_cast<I>(w * word + std::countr_zero(set)));
        bits_[w] = 0;
    }

    template <class A, class B, class O, class Join, class Take>
    void gather(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i, std::int64_t products, Join const& join,
                Take const& take) {
        if (static_cast<std::int64_t>(met_.size()) <= products) met_.resize(static_cast<std::size_t>(products) + 1);
        I* const met = met_.data();
        std::int64_t n = 0;
        mark_row(a, b, i, join, [&](std::uint64_t w, std::uint64_t before) {
            met[n] = static_cast<I>(w);
            n += before == 0;
        });
        sort_words(met, n);
        for (std::int64_t k = 0; k < n; ++k) take_word(met[k], take);
    }

    template <class A, class B, class O, class Join, class Take>
    void read_words(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i, words reach, Join const& join,
                    Take const& take) {
        mark_row(a, b, i, join, [](std::uint64_t, std::uint64_t) {});
        for (std::int64_t w = reach.first; w < reach.last; ++w) take_word(w, take);
    }
    /// The same where most words have nothing: a bit for each tells which to look at.
    template <class A, class B, class O, class Join, class Take>
    void read_words_met(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i, words reach, Join const& join,
                        Take const& take) {
        std::uint64_t* COPPICE_RESTRICT const words_met = words_met_.data();
        mark_row(a, b, i, join,
                 [&](std::uint64_t w, std::uint64_t) { words_met[w / word] |= std::uint64_t{1} << (w % word); });
        for (std::int64_t first = reach.first / word; first <= (reach.last - 1) / word; ++first) {
            for (std::uint64_t set = words_met[first]; set != 0; set &= set - 1)
                take_word(first * word + std::countr_zero(set), take);
            words_met[first] = 0;
        }
    }

    // Marks: 2 for a column that the mask names, 3 once a product has it.
    static void meet(unsigned char& mark) { mark = static_cast<unsigned char>(mark | mark >> 1); }
    template <class A, class B, class O, class Mask>
    std::int64_t inside_mask(csr_view<A, I, O> a, csr_view<B, I, O> b, Mask const& mask, std::int64_t i, I* out) {
        O const first = mask.m.row_begin(i), last = mask.m.row_end(i);
        if (first == last || a.row_begin(i) == a.row_end(i)) return 0;
        unsigned char* const marks = marks_.data();
        for (O m = first; m < last; ++m) marks[mask.m.indices[m]] = mask.counts(m) ? 2 : 0;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            I const inner = a.indices[k];
            O const begin = b.row_begin(inner), end = b.row_end(inner);
            if ((last - first) * 8 < end - begin) { // the mask is sparser: look its columns up
                for (O m = first; m < last; ++m)
                    if (position_in_row(b, inner, mask.m.indices[m]) != O(-1)) meet(marks[mask.m.indices[m]]);
            } else {
                for (O q = begin; q < end; ++q) meet(marks[b.indices[q]]);
            }
        }
        std::int64_t n = 0;
        for (O m = first; m < last; ++m) {
            I const column = mask.m.indices[m];
            out[n] = column;
            n += marks[column] & 1;
            marks[column] = 0;
        }
        return n;
    }

    // Marks: 1 for a column that was found, also those that the mask keeps out.
    template <class A, class B, class O, class Mask>
    std::int64_t outside_mask(csr_view<A, I, O> a, csr_view<B, I, O> b, Mask const& mask, std::int64_t i, I* out) {
        O const first = mask.m.row_begin(i), last = mask.m.row_end(i);
        for (O m = first; m < last; ++m) marks_[mask.m.indices[m]] = mask.counts(m) ? 1 : 0;
        std::int64_t n = 0;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            I const inner = a.indices[k];
            for (O q = b.row_begin(inner); q < b.row_end(inner); ++q) {
                I const column = b.indices[q];
                out[n] = column;
                n += 1 - marks_[column];
                marks_[column] = 1;
            }
        }
        for (O m = first; m < last; ++m) marks_[mask.m.indices[m]] = 0;
        for (std::int64_t p = 0; p < n; ++p) marks_[out[p]] = 0;
        std::sort(out, out + n);
        return n;
    }

    buffer<std::uint64_t> bits_;
    buffer<std::uint64_t> words_met_; ///< a bit for each word of `bits_`
    buffer<unsigned char> marks_;
    std::vector<I> met_{}; ///< words that a row has met
};

} // namespace coppice::detail
