// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Finds the distinct columns of a product row, sorted: lane code over a byte a column.
///
/// Row classes: few products are gathered one by one and ordered by rank; where products are many for the width of the
/// matrix, the marks themselves are read in order, a byte for 64 of them telling which to look at; between the two, the
/// columns found are sorted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <coppice/semiring/sparse/row_masks.hpp>

namespace coppice::detail {

/// Sorts n <= 64 distinct keys by counting the smaller ones; `keys` has room for 7 more, no branch depends on them.
template <class I>
void sort_by_rank(I* keys, int n) {
    constexpr int width = 8;
    I sorted[64];
    I rank[64 + width] = {};
    for (int j = 0; j < n; ++j) {
        I const key = keys[j];
        for (int i = 0; i < n; i += width)
            for (int u = 0; u < width; ++u) rank[i + u] = static_cast<I>(rank[i + u] + I(keys[i + u] > key));
    }
    for (int i = 0; i < n; ++i) sorted[rank[i]] = keys[i];
    std::copy(sorted, sorted + n, keys);
}

/// Marks of one worker over the columns of a product; all clear between rows.
template <class I>
class marked_columns {
public:
    template <executor Executor>
    marked_columns(Executor const& exec, std::int64_t columns)
        : marks_(exec, (columns + block) / block * block),
          blocks_(exec, ((columns + block) / block + block - 1) / block * block) {
        std::memset(marks_.data(), 0, static_cast<std::size_t>(marks_.size()));
        std::memset(blocks_.data(), 0, static_cast<std::size_t>(blocks_.size()));
    }
    static constexpr std::int64_t room_behind = 8; ///< elements behind the last column that `row` may touch

    /// Columns of row i of A B to `out`, rising; returns how many. `out` has room for `products` of them and
    /// room_behind.
    template <class A, class B, class O, class Mask>
    std::int64_t row(csr_view<A, I, O> a, csr_view<B, I, O> b, Mask const& mask, std::int64_t i, std::int64_t products,
                     I* COPPICE_RESTRICT out) {
        if constexpr (is_matrix_mask_v<Mask>)
            return mask.complement ? outside_mask(a, b, mask, i, out) : inside_mask(a, b, mask, i, out);
        else if (a.row_end(i) - a.row_begin(i) == 1)
            return copy_row(b, a.indices[a.row_begin(i)], out);
        else if (products * 12 >= blocks_.size())
            return read_marks(a, b, i, out);
        else
            return gather(a, b, i, out);
    }

private:
    static constexpr std::int64_t block = 64;

    template <class B, class O>
    static std::int64_t copy_row(csr_view<B, I, O> b, I k, I* out) {
        return std::copy(b.indices + b.row_begin(k), b.indices + b.row_end(k), out) - out;
    }

    template <class A, class B, class O>
    std::int64_t gather(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i, I* out) {
        unsigned char* COPPICE_RESTRICT const marks = marks_.data();
        std::int64_t n = 0;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            I const inner = a.indices[k];
            for (O q = b.row_begin(inner), end = b.row_end(inner); q < end; ++q) {
                I const column = b.indices[q];
                out[n] = column;
                n += 1 - marks[column];
                marks[column] = 1;
            }
        }
        for (std::int64_t p = 0; p < n; ++p) marks[out[p]] = 0;
        sort(out, n);
        return n;
    }

    template <class A, class B, class O>
    std::int64_t read_marks(csr_view<A, I, O> a, csr_view<B, I, O> b, std::int64_t i, I* out) {
        unsigned char *const marks = marks_.data(), *const blocks = blocks_.data();
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            I const inner = a.indices[k];
            if (k + 8 < a.nonzeros()) __builtin_prefetch(b.indices + b.row_begin(a.indices[k + 8]));
            for (O q = b.row_begin(inner), end = b.row_end(inner); q < end; ++q) {
                I const column = b.indices[q];
                marks[column] = 1;
                blocks[column / I(block)] = 1;
            }
        }
        return collect(out);
    }

    /// The marked columns in order; clears the marks.
    std::int64_t collect(I* out) {
        I* to = out;
        for (std::int64_t first = 0; first < blocks_.size(); first += block)
            for (auto set = take_marks(blocks_.data() + first); set != 0; set &= set - 1) {
                std::int64_t const at = (first + std::countr_zero(set)) * block;
                for (auto here = take_marks(marks_.data() + at); here != 0; here &= here - 1)
                    *to++ = static_cast<I>(at + std::countr_zero(here));
            }
        return to - out;
    }
    /// Bit k for mark k of 64; clears them.
    static std::uint64_t take_marks(unsigned char* marks) {
        std::uint64_t set = 0;
#if defined(__SSE2__)
        for (int part = 0; part < 4; ++part) {
            auto* const at = reinterpret_cast<__m128i*>(marks) + part;
            auto const bits = static_cast<unsigned>(_mm_movemask_epi8(_mm_slli_epi16(_mm_loadu_si128(at), 7)));
            set |= std::uint64_t(bits) << (16 * part);
            _mm_storeu_si128(at, _mm_setzero_si128());
        }
#else
        for (int k = 0; k < int(block); ++k) set |= std::uint64_t(marks[k]) << k;
        std::memset(marks, 0, std::size_t(block));
#endif
        return set;
    }

    static void sort(I* columns, std::int64_t n) {
        if (n <= 64)
            sort_by_rank(columns, int(n));
        else
            std::sort(columns, columns + n);
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
        sort(out, n);
        return n;
    }

    buffer<unsigned char> marks_;
    buffer<unsigned char> blocks_; ///< a byte for 64 marks
};

} // namespace coppice::detail
