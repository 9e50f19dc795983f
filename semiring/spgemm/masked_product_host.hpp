// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Masked sparse product on the host: structure and values in one pass, since the mask bounds both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/semiring/spgemm/product_host.hpp>
#include <coppice/semiring/spgemm/shifted_rows_host.hpp>

namespace coppice::inline v0_1::detail {

/// Whether bit j is set.
template <class I>
bool has_bit(std::uint64_t const* bits, I j) {
    auto const at = static_cast<std::make_unsigned_t<I>>(j);
    return (bits[at / 64] >> (at % 64) & 1) != 0;
}

/// Number of set bits. std::popcount is a function call if the target may lack the instruction.
inline int ones(std::uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<int>(bits * 0x0101010101010101u >> 56);
}

/// 64 columns of a row as bits, and the index of the first entry of the row in these columns.
template <class O>
struct bitmap_word {
    std::uint64_t bits;
    O before;
};
template <class O, class I>
bool has_column(bitmap_word<O> const* row, I j) {
    auto const at = static_cast<std::make_unsigned_t<I>>(j);
    return (row[at / 64].bits >> (at % 64) & 1) != 0;
}
/// Returns the index of the entry with column j, which must exist.
template <class O, class I>
O position_of_column(bitmap_word<O> const* row, I j) {
    auto const& word = row[j / 64];
    return static_cast<O>(word.before + ones(word.bits & ((std::uint64_t{1} << (j % 64)) - 1)));
}

/// Long rows of B as one bit per column: a column is found in constant time.
template <class T, class I, class O>
class row_bitmaps {
public:
    /// Stores the rows that need no more memory as bits than as entries.
    row_bitmaps(host_executor const& exec, csr_view<T, I, O> b) : words_((std::int64_t(b.columns()) + 63) / 64) {
        std::int64_t const shortest = std::max<std::int64_t>(words_, 64);
        if (std::int64_t(b.nonzeros()) < shortest) return;
        number_ = buffer<I>(exec, b.rows());
        std::int64_t const count = exclusive_scan(
            exec, b.rows(), [&](std::int64_t k) { return b.row_end(k) - b.row_begin(k) >= shortest ? 1 : 0; },
            [&](std::int64_t k, std::int64_t at) { number_[k] = static_cast<I>(at); }, std::int64_t{0});
        rows_ = buffer<bitmap_word<O>>(exec, count * words_);
        for_each_block(exec, b.rows(), 256, [&](std::int64_t, std::int64_t first, std::int64_t last) {
            for (std::int64_t k = first; k < last; ++k) {
                if (b.row_end(k) - b.row_begin(k) < shortest)
                    number_[k] = I(-1);
                else
                    write(b, k, rows_.data() + number_[k] * words_);
            }
        });
    }

    /// Returns the bits of row k; null if it has none.
    bitmap_word<O> const* row(I k) const {
        return number_.empty() || number_[k] < 0 ? nullptr : rows_.data() + number_[k] * words_;
    }

private:
    void write(csr_view<T, I, O> b, std::int64_t k, bitmap_word<O>* to) const {
        O q = b.row_begin(k);
        O const end = b.row_end(k);
        for (std::int64_t w = 0; w < words_; ++w) {
            to[w] = {0, q};
            for (; q < end && std::int64_t(b.indices[q]) / 64 == w; ++q)
                to[w].bits |= std::uint64_t{1} << (b.indices[q] % 64);
        }
    }

    std::int64_t words_;
    buffer<I> number_;
    buffer<bitmap_word<O>> rows_;
};

/// Calls take(p) for every p of [first, last) with hit(p). The hits of a batch are collected first without a branch,
/// because the branch would be unpredictable.
template <class O, class Hit, class Take>
void for_each_hit(O first, O last, Hit const& hit, Take const& take) {
    constexpr O batch = 256;
    O found[batch];
    for (O p = first; p < last;) {
        O const end = last - p < batch ? last : static_cast<O>(p + batch);
        int n = 0;
        for (; p < end; ++p) {
            found[n] = p;
            n += hit(p) ? 1 : 0;
        }
        for (int h = 0; h < n; ++h) take(found[h]);
    }
}

/// Worker of a masked product: one bit for every column in the mask's row, one for every column with a product, and the
/// sums. A sum is initialised at its first product, because most columns of a mask may have none. Bits are zero between
/// rows.
template <class Sum>
class masked_sums {
public:
    masked_sums(host_executor const& exec, std::int64_t columns)
        : in_mask_(exec, columns / 64 + 1), met_(exec, columns / 64 + 1), sums_(exec, columns) {
        std::fill(in_mask_.begin(), in_mask_.end(), std::uint64_t{0});
        std::fill(met_.begin(), met_.end(), std::uint64_t{0});
    }

    /// Computes row i of A B inside the mask into `columns` and `values`, which have space for a row of the mask;
    /// returns its length. Products are added in the order of A's row.
    template <class A, class B, class M, class I, class O, class Semiring, class Z>
    std::int64_t row(csr_view<A, I, O> a, csr_view<B, I, O> b, row_bitmaps<B, I, O> const& bitmaps,
                     matrix_mask<M, I, O> const& mask, Semiring const& s, std::int64_t i, I* COPPICE_RESTRICT columns,
                     Z* COPPICE_RESTRICT values) {
        O const first = mask.m.row_begin(i), last = mask.m.row_end(i);
        if (first == last || a.row_begin(i) == a.row_end(i)) return 0;
        std::uint64_t* COPPICE_RESTRICT const in_mask = in_mask_.data();
        std::uint64_t* COPPICE_RESTRICT const met = met_.data();
        Sum* COPPICE_RESTRICT const sums = sums_.data();
        for (O m = first; m < last; ++m) {
            I const j = mask.m.indices[m];
            in_mask[j / 64] |= std::uint64_t{mask.counts(m)} << (j % 64);
        }
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            I const inner = a.indices[k];
            if (k + 16 < a.nonzeros()) {
                __builtin_prefetch(b.offsets + a.indices[k + 16]);
                I const* const ahead = b.indices + b.row_begin(a.indices[k + 8]);
                __builtin_prefetch(ahead);
                __builtin_prefetch(ahead + 64 / sizeof(I));
            }
            O const begin = b.row_begin(inner), end = b.row_end(inner);
            auto const add_product = [&](I j, O q) {
                element_positions const at{i, inner, inner, j};
                if (!has_bit(met, j)) {
                    met[j / 64] |= std::uint64_t{1} << (j % 64);
                    sums[j] = s.add.identity();
                }
                sums[j] = accumulate(s.add, sums[j], multiply_at(s, a.coefficients[k], b.coefficients[q], at));
            };
            auto const* const bits = last - first < end - begin ? bitmaps.row(inner) : nullptr;
            if (bits) { // the row of the mask is shorter: look its columns up
                for_each_hit(
                    first, last, [&](O m) { return has_column(bits, mask.m.indices[m]) && mask.counts(m); },
                    [&](O m) { add_product(mask.m.indices[m], position_of_column(bits, mask.m.indices[m])); });
            } else if ((last - first) * 8 < end - begin) {
                for (O m = first; m < last; ++m)
                    if (O const q = position_in_row(b, inner, mask.m.indices[m]); q != O(-1) && mask.counts(m))
                        add_product(mask.m.indices[m], q);
            } else if (end - begin >= long_row) {
                for_each_hit(
                    begin, end, [&](O q) { return has_bit(in_mask, b.indices[q]); },
                    [&](O q) { add_product(b.indices[q], q); });
            } else { // one bit per entry, last entry in the lowest bit: most rows have none, a predictable branch
                std::uint64_t hits = 0;
                for (O q = begin; q < end; ++q) hits = 2 * hits + std::uint64_t{has_bit(in_mask, b.indices[q])};
                for (; hits != 0; hits &= hits - 1) {
                    O const q = static_cast<O>(end - 1 - std::countr_zero(hits));
                    add_product(b.indices[q], q);
                }
            }
        }
        std::int64_t n = 0;
        for (O m = first; m < last; ++m) {
            I const j = mask.m.indices[m];
            if (!has_bit(met, j)) continue;
            columns[n] = j;
            values[n] = static_cast<Z>(result_of_sum(s, sums[j]));
            ++n;
        }
        for (O m = first; m < last; ++m) in_mask[mask.m.indices[m] / 64] = met[mask.m.indices[m] / 64] = 0;
        return n;
    }

private:
    /// Rows of B: in a shorter row, collecting the hits first gains nothing.
    static constexpr std::int64_t long_row = 64;

    buffer<std::uint64_t> in_mask_;
    buffer<std::uint64_t> met_;
    buffer<Sum> sums_;
};

/// Returns A B inside a mask that is not complemented; all columns are sorted. A piece of rows first writes its result
/// at the offset of its mask entries. The pieces are compacted at the end, unless every entry of the mask has a
/// product.
template <class Z, class A, class B, class M, class I, class O, class Semiring>
csr<Z, I, O> product_inside_mask(host_executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b,
                                 matrix_mask<M, I, O> const& mask, Semiring const& s) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(s.add)>>;
    row_products<A, B, I, O> const work{a, b};
    shifted_rows const of_b(exec, b);
    auto const starts = product_pieces(exec, work, row_range{0, a.rows()}).rows;
    auto const pieces = static_cast<std::int64_t>(starts.size()) - 1;
    std::vector<std::int64_t> position(starts.size(), 0);
    buffer<O> offsets(exec, std::int64_t(a.rows()) + 1);
    buffer<I> indices(exec, std::int64_t(mask.m.nonzeros()));
    buffer<Z> values(exec, std::int64_t(mask.m.nonzeros()));
    auto const first_row = [&](std::int64_t p) { return starts[static_cast<std::size_t>(p)]; };

    row_bitmaps<B, I, O> const bitmaps(exec, b);
    lending_pool<masked_sums<sum_type>> pool;
    for_each_block(exec, pieces, 1, [&](std::int64_t p, std::int64_t, std::int64_t) {
        auto worker = pool.take([&] { return masked_sums<sum_type>(exec, b.columns()); });
        O const begin = mask.m.offsets[first_row(p)];
        shifted_row<sum_type> shifted;
        bool next_is_shifted = false;
        std::int64_t n = 0;
        for (std::int64_t i = first_row(p), last = first_row(p + 1); i < last; ++i) {
            I* const columns = indices.data() + begin + n;
            Z* const to = values.data() + begin + n;
            std::int64_t const here = next_is_shifted ? shifted.next(a, b, s, i, columns, to)
                                                      : worker->row(a, b, bitmaps, mask, s, i, columns, to);
            bool const is_shifted = next_is_shifted;
            next_is_shifted = here > 0 && i + 1 < last && !mask.values && is_shifted_row(mask.m, i + 1) &&
                              of_b.shifts_product(a, i + 1) &&
                              (is_shifted || work(i) <= shifted_row<sum_type>::max_products);
            if (next_is_shifted && !is_shifted) shifted.keep(a, b, i, columns, here);
            offsets[i] = static_cast<O>(n);
            n += here;
        }
        position[static_cast<std::size_t>(p) + 1] = n;
        pool.bring_back(std::move(worker));
    });
    for (std::size_t p = 1; p < position.size(); ++p) position[p] += position[p - 1];
    std::int64_t const total = position.back();
    offsets[a.rows()] = static_cast<O>(total);
    bool const compacts = total < std::int64_t(mask.m.nonzeros());
    buffer<I> compact_indices(exec, compacts ? total : 0);
    buffer<Z> compact_values(exec, compacts ? total : 0);
    for_each_block(exec, pieces, 1, [&](std::int64_t p, std::int64_t, std::int64_t) {
        std::int64_t const to = position[static_cast<std::size_t>(p)];
        std::int64_t const size = position[static_cast<std::size_t>(p) + 1] - to;
        for (std::int64_t i = first_row(p); i < first_row(p + 1); ++i) offsets[i] = static_cast<O>(offsets[i] + to);
        if (!compacts) return;
        O const begin = mask.m.offsets[first_row(p)];
        std::copy_n(indices.data() + begin, size, compact_indices.data() + to);
        std::copy_n(values.data() + begin, size, compact_values.data() + to);
    });
    if (!compacts) return {a.rows(), b.columns(), std::move(offsets), std::move(indices), std::move(values)};
    return {a.rows(), b.columns(), std::move(offsets), std::move(compact_indices), std::move(compact_values)};
}

} // namespace coppice::inline v0_1::detail
