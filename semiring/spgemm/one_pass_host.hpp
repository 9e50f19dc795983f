// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse product on the host that computes structure and values in one pass over the products: without a plan, or
/// together with a plan for later values.
///
/// Without a plan, a worker computes a piece of rows in its own memory, which stays in cache, and appends it to the
/// result of the previous pieces. The number of entries is known only at the end. Address space is therefore reserved
/// for one entry per product; pages that are never touched use no memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <coppice/semiring/spgemm/product_host.hpp>
#include <coppice/semiring/spgemm/shifted_rows_host.hpp>

namespace coppice::inline v0_1::detail {

/// Columns [first, last).
struct column_range {
    std::int64_t first = 0, last = 0;
    std::int64_t size() const { return last - first; }
    friend column_range operator+(column_range a, column_range b) { ///< the smallest range that contains both
        if (a.size() <= 0 || b.size() <= 0) return a.size() <= 0 ? b : a;
        return {std::min(a.first, b.first), std::max(a.last, b.last)};
    }
};
/// Bounds of the columns of rows of A B, from the columns of blocks of rows of B. For band and grid matrices they are
/// close, so that the sums of a worker stay in its cache.
template <class I>
class column_bounds {
public:
    template <class B, class O>
    column_bounds(host_executor const& exec, csr_view<B, I, O> b)
        : all_{0, b.columns()}, of_block_(static_cast<std::size_t>((b.rows() + block - 1) / block)) {
        constexpr std::int64_t blocks = 64; // of a task
        for_each_block(exec, b.rows(), block * blocks, [&](std::int64_t, std::int64_t first, std::int64_t last) {
            for (std::int64_t r = first; r < last; ++r)
                of_block_[static_cast<std::size_t>(r / block)] =
                    of_block_[static_cast<std::size_t>(r / block)] + of_row(b, r);
        });
    }
    /// Rows [first, last) of A B; the rows of A need not be sorted.
    template <class A, class O>
    column_range of_rows(csr_view<A, I, O> a, std::int64_t first, std::int64_t last) const {
        O const begin = a.row_begin(first), end = a.row_begin(last);
        if (begin == end) return {};
        I lowest = a.indices[begin], highest = lowest;
        for (O k = begin; k < end; ++k) {
            lowest = std::min(lowest, a.indices[k]);
            highest = std::max(highest, a.indices[k]);
        }
        if (highest / block - lowest / block >= max_blocks) return all_;
        column_range range;
        for (std::int64_t k = lowest / block; k <= highest / block; ++k)
            range = range + of_block_[static_cast<std::size_t>(k)];
        return range;
    }

private:
    static constexpr std::int64_t block = 64, max_blocks = 1024; ///< more blocks are not inspected
    template <class B, class O>
    static column_range of_row(csr_view<B, I, O> b, std::int64_t r) {
        O const begin = b.row_begin(r), end = b.row_end(r);
        if (begin == end) return {};
        return {std::int64_t(b.indices[begin]), std::int64_t(b.indices[end - 1]) + 1};
    }
    column_range all_;
    std::vector<column_range> of_block_;
};

/// Flags and sums of one worker, one for each column of a range.
template <class I, class Sum>
class flagged_sums {
public:
    flagged_sums(host_executor const& exec, std::int64_t columns, Sum const& none)
        : exec_(exec), flags_(exec, columns, false), none_(none) {}
    /// The columns of the following rows are in this range.
    void cover(column_range range) {
        if (range.size() > sums_.size()) {
            sums_ = buffer<Sum>(exec_, 0);
            sums_ = buffer<Sum>(exec_, range.size());
            std::fill(sums_.begin(), sums_.end(), none_);
        }
        first_ = range.first;
    }
    /// Writes the sorted columns of row i of A B and their values; returns their number. Both arrays have space for
    /// `products`.
    template <class A, class B, class O, class Semiring, class Z>
    std::int64_t row(csr_view<A, I, O> a, csr_view<B, I, O> b, Semiring const& s, std::int64_t i, std::int64_t products,
                     I* COPPICE_RESTRICT columns, Z* COPPICE_RESTRICT values) {
        Sum* COPPICE_RESTRICT const sums = sums_.data();
        std::int64_t const base = first_;
        I* to = columns;
        flags_.for_each_column(
            a, b, i, products,
            [&](O k) {
                if (k + 8 < a.nonzeros()) __builtin_prefetch(b.coefficients + b.row_begin(a.indices[k + 8]));
                return [=, &s, left = a.coefficients[k], inner = a.indices[k]](O q, I column) {
                    element_positions const at{i, inner, inner, column};
                    Sum& sum = sums[column - base];
                    sum = accumulate(s.add, sum, multiply_at(s, left, b.coefficients[q], at));
                };
            },
            [&](I column) {
                *values++ = static_cast<Z>(result_of_sum(s, std::exchange(sums[column - base], s.add.identity())));
                *to++ = column;
            });
        return to - columns;
    }

private:
    host_executor exec_;
    flagged_columns<I> flags_;
    Sum none_;
    buffer<Sum> sums_{};     ///< equal to the identity between rows
    std::int64_t first_ = 0; ///< column of the first sum
};

/// One worker and the rows of its current piece.
template <class I, class Sum, class Z>
class one_pass_worker {
public:
    one_pass_worker(host_executor const& exec, std::int64_t columns, Sum const& none)
        : exec_(exec), sums_(exec, columns, none) {}

    /// Computes rows [first, last) of A B, writes their lengths to lengths[0, …); returns their number of entries.
    template <class A, class B, class O, class Semiring>
    std::int64_t find(csr_view<A, I, O> a, csr_view<B, I, O> b, Semiring const& s, std::int64_t first,
                      std::int64_t last, column_range range, shifted_rows const& of_b, O* lengths) {
        sums_.cover(range);
        row_products<A, B, I, O> const work{a, b};
        std::int64_t n = 0;
        bool next_is_shifted = false;
        for (std::int64_t i = first; i < last; ++i) {
            bool const is_shifted = next_is_shifted;
            std::int64_t const products = is_shifted ? shifted_row<Sum>::max_products : work(i);
            reserve(n, n + std::min(std::int64_t(b.columns()), products));
            I* const columns = columns_.data() + n;
            std::int64_t const here = is_shifted ? shifted_.next(a, b, s, i, columns, values_.data() + n)
                                                 : sums_.row(a, b, s, i, products, columns, values_.data() + n);
            next_is_shifted =
                i + 1 < last && here > 0 && products <= shifted_row<Sum>::max_products && of_b.shifts_product(a, i + 1);
            if (next_is_shifted && !is_shifted) shifted_.keep(a, b, i, columns, here);
            lengths[i - first] = static_cast<O>(here);
            n += here;
        }
        return n;
    }
    void copy_to(I* columns, Z* values, std::int64_t n) const {
        std::copy_n(columns_.data(), n, columns);
        std::copy_n(values_.data(), n, values);
    }

private:
    void reserve(std::int64_t used, std::int64_t size) {
        if (size <= columns_.size()) return;
        buffer<I> columns(exec_, 2 * size);
        buffer<Z> values(exec_, 2 * size);
        std::copy_n(columns_.data(), used, columns.data());
        std::copy_n(values_.data(), used, values.data());
        columns_ = std::move(columns);
        values_ = std::move(values);
    }

    host_executor exec_;
    flagged_sums<I, Sum> sums_;
    buffer<I> columns_;
    buffer<Z> values_;
    shifted_row<Sum> shifted_;
};

/// Returns A B, or nothing if address space for one entry per product is not available, if the offset type could
/// overflow, or if the products are few compared with the columns whose sums each worker initialises.
template <class Z, class A, class B, class I, class O, class Semiring>
std::optional<csr<Z, I, O>> product_in_one_pass(host_executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b,
                                                Semiring const& s) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(s.add)>>;
    // Every piece waits for the offset of the piece before it: many threads take larger ones.
    std::int64_t const products_in_cache = exec.threads() > 4 ? 1 << 16 : 1 << 14;
    if (!exec.memory()->can_shrink()) return std::nullopt;
    auto const [rows, max_entries] =
        product_pieces(exec, row_products<A, B, I, O>{a, b}, row_range{0, a.rows()}, products_in_cache);
    if (!std::in_range<O>(max_entries)) return std::nullopt;
    auto const first_row = [&all = rows](std::int64_t p) { return all[static_cast<std::size_t>(p)]; };
    auto const piece_count = static_cast<std::int64_t>(rows.size()) - 1;
    column_bounds<I> const columns(exec, b);
    std::vector<column_range> range(static_cast<std::size_t>(piece_count));
    for_each_block(exec, piece_count, 16, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t p = first; p < last; ++p)
            range[static_cast<std::size_t>(p)] = columns.of_rows(a, first_row(p), first_row(p + 1));
    });
    std::int64_t widest = 0;
    for (column_range const& r : range) widest = std::max(widest, r.size());
    if (max_entries < exec.threads() * widest) return std::nullopt;
    buffer<O> offsets(exec, std::int64_t(a.rows()) + 1);
    buffer<I> indices;
    buffer<Z> values;
    try {
        indices = buffer<I>(exec, max_entries);
        values = buffer<Z>(exec, max_entries);
    } catch (memory_error const&) {
        return std::nullopt;
    }
    offsets[0] = 0;
    shifted_rows const of_b(exec, b);
    pages_ahead const of_indices(exec, indices), of_values(exec, values);
    std::int64_t const total = find_in_order(
        exec, piece_count, [&] { return one_pass_worker<I, sum_type, Z>(exec, b.columns(), s.add.identity()); },
        [&](auto& worker, std::int64_t p) {
            return worker.find(a, b, s, first_row(p), first_row(p + 1), range[static_cast<std::size_t>(p)], of_b,
                               offsets.data() + first_row(p) + 1);
        },
        [&](auto& worker, std::int64_t p, std::int64_t start) {
            O end = static_cast<O>(start);
            for (std::int64_t i = first_row(p); i < first_row(p + 1); ++i)
                offsets[i + 1] = end = static_cast<O>(end + offsets[i + 1]);
            of_indices.before(start, std::int64_t(end));
            of_values.before(start, std::int64_t(end));
            worker.copy_to(indices.data() + start, values.data() + start, std::int64_t(end) - start);
        });
    indices.shrink(total);
    values.shrink(total);
    return csr<Z, I, O>(a.rows(), b.columns(), std::move(offsets), std::move(indices), std::move(values));
}

/// Flags and sums of one worker, and the results of its pieces.
template <class I, class Sum, class Z>
struct summing_worker {
    flagged_sums<I, Sum> sums;
    slab_storage<I> columns{};
    slab_storage<Z> values{};
};
template <class I, class Z>
struct summed_piece {
    I const* columns = nullptr;
    Z const* values = nullptr;
    std::int64_t size = 0;
};

/// Computes the structure of A B into `plan`, and the values, in one pass; bitwise equal to find_structure() followed
/// by sum_products(). For plans whose first values are available.
template <class Z, class A, class B, class I, class O, class Semiring>
buffer<Z> find_structure_and_sum(host_executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, Semiring const& s,
                                 product_plan<I, O>& plan) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(s.add)>>;
    using worker_type = summing_worker<I, sum_type, Z>;
    std::int64_t const products = begin_structure(exec, a, b, plan), top = plan.range.first;
    if (!std::in_range<O>(products)) { // count the entries before anything is stored
        find_structure(exec, a, b, constant_mask{}, plan);
        buffer<Z> values(exec, plan.indices.size());
        sum_products(exec, plan, s, a, b, values.view());
        return values;
    }
    lending_pool<worker_type> pool;
    column_bounds<I> const range(exec, b);
    std::vector<summed_piece<I, Z>> found(static_cast<std::size_t>(plan.piece_count));
    for_each_block(exec, plan.piece_count, 1, [&](std::int64_t p, std::int64_t, std::int64_t) {
        auto worker = pool.take([&] { return worker_type{{exec, plan.columns, s.add.identity()}}; });
        std::int64_t const first = plan.pieces[p], last = plan.pieces[p + 1];
        worker->sums.cover(range.of_rows(a, top + first, top + last));
        std::int64_t capacity = 0, n = 0;
        for (std::int64_t r = first; r < last; ++r)
            capacity += std::min(std::int64_t(plan.columns), std::int64_t(plan.offsets[r + 1]));
        I* const columns = worker->columns.reserve(exec, capacity, products);
        Z* const values = worker->values.reserve(exec, capacity, products);
        for (std::int64_t r = first; r < last; ++r) {
            std::int64_t const here =
                worker->sums.row(a, b, s, top + r, std::int64_t(plan.offsets[r + 1]), columns + n, values + n);
            plan.offsets[r + 1] = static_cast<O>(here);
            n += here;
        }
        worker->columns.keep(n);
        worker->values.keep(n);
        found[static_cast<std::size_t>(p)] = {columns, values, n};
        pool.bring_back(std::move(worker));
    });
    O const nonzeros = size_of_pieces<O>(found);
    plan.indices = buffer<I>(exec, nonzeros);
    buffer<Z> values(exec, nonzeros);
    concatenate_pieces(exec, plan, found, [&](auto const& from, std::int64_t start) {
        std::copy(from.columns, from.columns + from.size, plan.indices.data() + start);
        std::copy(from.values, from.values + from.size, values.data() + start);
    });
    return values;
}

} // namespace coppice::inline v0_1::detail
