// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Finds the distinct columns of a row of a sparse product, sorted: lane code with one bit per column.
///
/// A word holds the bits of 64 columns. Let p be the number of products of a row and w the number of words between its
/// first and last column. The method depends on the row:
/// - w < p: all w words are read in order.
/// - w < 256 p: one bit per word marks the touched words, and only these are read.
/// - otherwise, or p <= 96: the touched words are listed and sorted.
///
/// The list is nearly sorted if neighbouring rows of B are similar. Masked products use one byte per column: whether
/// the mask contains the column, and whether a product was found there.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <coppice/algebra/rows/lane_sort.hpp>
#include <coppice/semiring/spgemm/row_masks.hpp>

namespace coppice::inline v0_1::detail {

/// Sorts distinct keys; nearly sorted or short lists by insertion.
template <class I>
void sort_words(I* keys, std::int64_t n) {
    if (n > 48)
        std::sort(keys, keys + n);
    else
        sort_by_insertion(n, keys);
}

/// Flags of one worker over the columns of a product; all are zero between rows.
template <class I>
class flagged_columns {
public:
    /// Allocates bytes for masked products, bits for others.
    template <executor Executor>
    flagged_columns(Executor const& exec, std::int64_t columns, bool masked)
        : bits_(exec, masked ? 0 : columns / word + 1), touched_words_(exec, bits_.size() / word + 1),
          flags_(exec, masked ? columns : 0) {
        std::fill(bits_.begin(), bits_.end(), std::uint64_t{0});
        std::fill(touched_words_.begin(), touched_words_.end(), std::uint64_t{0});
        std::fill(flags_.begin(), flags_.end(), static_cast<unsigned char>(0));
    }

    /// Writes the sorted columns of row i of A B to `out`; returns their number. `out` has space for `products` + 1
    /// columns.
    template <class A, class B, class O, class Mask>
    std::int64_t row(csr_view<A, I, O> a, csr_view<B, I, O> b, Mask const& mask, std::int64_t i, std::int64_t products,
                     I* COPPICE_RESTRICT out) {
        if constexpr (is_matrix_mask_v<Mask>)
            return mask.complement ? outside_mask(a, b, mask, i, out) : inside_mask(a, b, mask, i, out);
        if (a.row_end(i) - a.row_begin(i) == 1) return copy_row(b, a.indices[a.row_begin(i)], out);
        I* to = out;
        for_each_column(
            a, b, i, products, [](O) { return [](O, I) {}; }, [&](I column) { *to++ = column; });
        return to - out;
    }

    /// Calls emit(column) for the same columns in ascending order. Before that, calls on_entry(k) for every entry k of
    /// A's row; the function that it returns is called with (q, column) for every entry q of the row of B that entry k
    /// multiplies.
    template <class A, class B, class O, class OnEntry, class Emit>
    void for_each_column(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i, std::int64_t products,
                         OnEntry const& on_entry, Emit const& emit) {
        if (products > scanned_products) {
            auto const reach = words_of_row(a, b, i);
            std::int64_t const count = reach.last - reach.first;
            if (count < products) return read_words(a, b, i, reach, on_entry, emit);
            if (count < words_for_a_product * products) return read_touched_words(a, b, i, reach, on_entry, emit);
        }
        gather(a, b, i, products, on_entry, emit);
    }

private:
    static constexpr std::int64_t word = 64;             ///< columns per word
    static constexpr std::int64_t scanned_products = 96; ///< rows with at most this many products use gather()
    /// Words per product up to which the bits of words are read instead of sorting.
    static constexpr std::int64_t words_for_a_product = 256;

    struct words {
        std::int64_t first, last; ///< [first, last)
    };
    /// Returns the range of words that contains all columns of row i of A B. Only the first and the last column of each
    /// row of B are read, since rows are sorted. Row i must have a product.
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

    /// For every product of row i, sets the bit of its column and calls met(index of the word, value of the word before
    /// the bit was set).
    template <class A, class B, class O, class OnEntry, class Met>
    void flag_row(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i, OnEntry const& on_entry, Met const& met) {
        std::uint64_t* COPPICE_RESTRICT const bits = bits_.data();
        for (O k = a.row_begin(i), last = a.row_end(i); k < last; ++k) {
            if (k + 8 < a.nonzeros()) __builtin_prefetch(b.indices + b.row_begin(a.indices[k + 8]));
            I const inner = a.indices[k];
            auto const& on_product = on_entry(k);
            for (O q = b.row_begin(inner), end = b.row_end(inner); q < end; ++q) {
                auto const column = static_cast<std::uint64_t>(b.indices[q]);
                std::uint64_t const before = bits[column / word];
                bits[column / word] = before | std::uint64_t{1} << (column % word);
                met(column / word, before);
                on_product(q, static_cast<I>(column));
            }
        }
    }
    /// Emits the flagged columns of one word and clears them.
    template <class Emit>
    void emit_word(std::int64_t w, Emit const& emit) {
        for (std::uint64_t set = bits_[w]; set != 0; set &= set - 1)
            emit(static_cast<I>(w * word + std::countr_zero(set)));
        bits_[w] = 0;
    }

    /// Emits the columns of row i from a sorted list of the words that it touches.
    template <class A, class B, class O, class OnEntry, class Emit>
    void gather(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i, std::int64_t products,
                OnEntry const& on_entry, Emit const& emit) {
        if (static_cast<std::int64_t>(met_.size()) <= products) met_.resize(static_cast<std::size_t>(products) + 1);
        I* const met = met_.data();
        std::int64_t n = 0;
        flag_row(a, b, i, on_entry, [&](std::uint64_t w, std::uint64_t before) {
            met[n] = static_cast<I>(w);
            n += before == 0;
        });
        sort_words(met, n);
        for (std::int64_t k = 0; k < n; ++k) emit_word(met[k], emit);
    }

    /// Emits the columns of row i from all words in `reach`.
    template <class A, class B, class O, class OnEntry, class Emit>
    void read_words(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i, words reach, OnEntry const& on_entry,
                    Emit const& emit) {
        flag_row(a, b, i, on_entry, [](std::uint64_t, std::uint64_t) {});
        for (std::int64_t w = reach.first; w < reach.last; ++w) emit_word(w, emit);
    }
    /// Emits the columns of row i if most words are empty: touched_words_ has one bit for each word that is not.
    template <class A, class B, class O, class OnEntry, class Emit>
    void read_touched_words(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i, words reach,
                            OnEntry const& on_entry, Emit const& emit) {
        std::uint64_t* COPPICE_RESTRICT const touched_words = touched_words_.data();
        flag_row(a, b, i, on_entry,
                 [&](std::uint64_t w, std::uint64_t) { touched_words[w / word] |= std::uint64_t{1} << (w % word); });
        for (std::int64_t first = reach.first / word; first <= (reach.last - 1) / word; ++first) {
            for (std::uint64_t set = touched_words[first]; set != 0; set &= set - 1)
                emit_word(first * word + std::countr_zero(set), emit);
            touched_words[first] = 0;
        }
    }

    // Flag of a column: 0 outside the mask, 2 inside it, 3 inside it after a product was found there.
    static void set_found(unsigned char& flag) { flag = static_cast<unsigned char>(flag | flag >> 1); }
    template <class A, class B, class O, class Mask>
    std::int64_t inside_mask(csr_view<A, I, O> a, csr_view<B, I, O> b, Mask const& mask, std::int64_t i, I* out) {
        O const first = mask.m.row_begin(i), last = mask.m.row_end(i);
        if (first == last || a.row_begin(i) == a.row_end(i)) return 0;
        unsigned char* const flags = flags_.data();
        for (O m = first; m < last; ++m) flags[mask.m.indices[m]] = mask.counts(m) ? 2 : 0;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            I const inner = a.indices[k];
            O const begin = b.row_begin(inner), end = b.row_end(inner);
            // The row of the mask is shorter: search its columns in the row of B.
            if ((last - first) * 8 < end - begin) {
                for (O m = first; m < last; ++m)
                    if (position_in_row(b, inner, mask.m.indices[m]) != O(-1)) set_found(flags[mask.m.indices[m]]);
            } else {
                for (O q = begin; q < end; ++q) set_found(flags[b.indices[q]]);
            }
        }
        std::int64_t n = 0;
        for (O m = first; m < last; ++m) {
            I const column = mask.m.indices[m];
            out[n] = column;
            n += flags[column] & 1;
            flags[column] = 0;
        }
        return n;
    }

    // Flag of a column: 1 if a product was found there or the mask excludes it, else 0.
    template <class A, class B, class O, class Mask>
    std::int64_t outside_mask(csr_view<A, I, O> a, csr_view<B, I, O> b, Mask const& mask, std::int64_t i, I* out) {
        O const first = mask.m.row_begin(i), last = mask.m.row_end(i);
        for (O m = first; m < last; ++m) flags_[mask.m.indices[m]] = mask.counts(m) ? 1 : 0;
        std::int64_t n = 0;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            I const inner = a.indices[k];
            for (O q = b.row_begin(inner); q < b.row_end(inner); ++q) {
                I const column = b.indices[q];
                out[n] = column;
                n += 1 - flags_[column];
                flags_[column] = 1;
            }
        }
        for (O m = first; m < last; ++m) flags_[mask.m.indices[m]] = 0;
        for (std::int64_t p = 0; p < n; ++p) flags_[out[p]] = 0;
        std::sort(out, out + n);
        return n;
    }

    buffer<std::uint64_t> bits_;
    buffer<std::uint64_t> touched_words_; ///< one bit per word of `bits_`
    buffer<unsigned char> flags_;
    std::vector<I> met_{}; ///< words that a row has touched
};

} // namespace coppice::inline v0_1::detail
