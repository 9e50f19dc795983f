// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse products on the host: pieces of rows with similar numbers of products; a worker has flags and accumulators
/// for all columns of the matrix.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

#include <coppice/algebra/rows/row_blocks_host.hpp>
#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/spgemm/flagged_columns.hpp>
#include <coppice/semiring/spgemm/product_plan.hpp>

namespace coppice::inline v0_1::detail {

/// Pool of objects that workers borrow and return; makes a new one if none is free.
template <class Thing>
class lending_pool {
public:
    template <class Make>
    std::unique_ptr<Thing> take(Make const& make) {
        {
            std::lock_guard const lock(mutex_);
            if (!spare_.empty()) {
                auto thing = std::move(spare_.back());
                spare_.pop_back();
                return thing;
            }
        }
        return std::make_unique<Thing>(make());
    }
    void bring_back(std::unique_ptr<Thing> thing) {
        std::lock_guard const lock(mutex_);
        spare_.push_back(std::move(thing));
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Thing>> spare_;
};

/// First rows of the pieces and the end of the last one; total number of products.
struct product_division {
    std::vector<std::int64_t> rows;
    std::int64_t products = 0;
};

/// Splits rows into pieces with about `target` products each (0: a 512th of all), a multiple of 32 rows. Writes the
/// products of every row to `of_rows` if given; these are meaningless if their sum exceeds the type.
template <class A, class B, class I, class O>
product_division product_pieces(host_executor const& exec, row_products<A, B, I, O> work, row_range range,
                                std::int64_t target = 0, O* of_rows = nullptr) {
    constexpr std::int64_t step = 32, max_pieces = 512;
    std::int64_t const rows = range.last - range.first;
    std::vector<std::int64_t> of_step(static_cast<std::size_t>((rows + step - 1) / step));
    for_each_block(exec, rows, step, [&](std::int64_t s, std::int64_t first, std::int64_t last) {
        std::int64_t sum = 0;
        for (std::int64_t r = first; r < last; ++r) {
            std::int64_t const products = work(range.first + r);
            if (of_rows) of_rows[r] = static_cast<O>(products);
            sum += products;
        }
        of_step[static_cast<std::size_t>(s)] = sum;
    });
    product_division to{{0}, std::accumulate(of_step.begin(), of_step.end(), std::int64_t{0})};
    if (target == 0) target = (to.products + rows) / max_pieces;
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < of_step.size(); ++s) {
        sum += of_step[s] + step;
        if (sum < target && s + 1 < of_step.size()) continue;
        to.rows.push_back(std::min(rows, std::int64_t(s + 1) * step));
        sum = 0;
    }
    return to;
}

/// Results of the pieces of one worker, in slabs that are never moved. The unused end of a slab is never touched and
/// therefore uses no memory.
template <class T>
class slab_storage {
public:
    /// Returns space for `size` elements after the stored ones; at most `max_size` elements are stored in all.
    T* reserve(host_executor const& exec, std::int64_t size, std::int64_t max_size) {
        constexpr std::int64_t slab = std::int64_t{1} << 18;
        if (slabs_.empty() || slabs_.back().size() - used_ < size) {
            slabs_.emplace_back(exec, std::max(std::min(slab, max_size), size));
            used_ = 0;
        }
        return slabs_.back().data() + used_;
    }
    void keep(std::int64_t size) { used_ += size; }

private:
    std::vector<buffer<T>> slabs_{};
    std::int64_t used_ = 0; ///< elements of the last slab in use
};

/// Flags of one worker, and the columns that it has found.
template <class I>
struct piece_worker {
    flagged_columns<I> flags;
    slab_storage<I> columns{};
    std::vector<std::int64_t> products{}; ///< of the rows of a piece
};

/// Structure of a piece: the columns found and their number.
template <class I>
struct found_piece {
    I const* columns = nullptr;
    std::int64_t size = 0;
};

/// Finds the rows of one piece and writes their lengths to plan.offsets; stores the columns if `keep`. All pieces
/// together have at most `all_columns` columns.
template <class A, class B, class I, class O, class Mask>
found_piece<I> find_piece(host_executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, Mask const& mask,
                          product_plan<I, O>& plan, std::int64_t piece, piece_worker<I>& worker, bool keep,
                          std::int64_t all_columns) {
    row_products<A, B, I, O> const work{a, b};
    std::int64_t const first = plan.pieces[piece], last = plan.pieces[piece + 1], top = plan.range.first;
    std::int64_t capacity = 0, longest = 0;
    worker.products.resize(static_cast<std::size_t>(last - first));
    for (std::int64_t r = first; r < last; ++r) {
        std::int64_t const products = worker.products[static_cast<std::size_t>(r - first)] = work(top + r);
        std::int64_t const bound = std::min(std::int64_t(plan.columns), products) + 1;
        capacity += bound;
        longest = std::max(longest, bound);
    }
    I* const found = worker.columns.reserve(exec, keep ? capacity : longest, all_columns);
    std::int64_t n = 0;
    for (std::int64_t r = first; r < last; ++r) {
        std::int64_t const here = worker.flags.row(
            a, b, mask, top + r, worker.products[static_cast<std::size_t>(r - first)], found + (keep ? n : 0));
        n += here;
        plan.offsets[r + 1] = static_cast<O>(here);
    }
    if (keep) worker.columns.keep(n);
    return {found, n};
}

/// Splits the rows of the product into pieces; returns the number of products. Sets offset r + 1 to the number of
/// products of row r.
template <class A, class B, class I, class O>
std::int64_t begin_structure(host_executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b,
                             product_plan<I, O>& plan) {
    plan.offsets = buffer<O>(exec, plan.range.last - plan.range.first + 1);
    plan.offsets[0] = 0;
    auto const starts = product_pieces(exec, row_products<A, B, I, O>{a, b}, plan.range, 0, plan.offsets.data() + 1);
    plan.piece_count = static_cast<std::int64_t>(starts.rows.size()) - 1;
    plan.pieces = copy_of(exec, starts.rows);
    return starts.products;
}
template <class O, class Piece>
O size_of_pieces(std::vector<Piece> const& found) {
    std::int64_t total = 0;
    for (auto const& f : found) total += f.size;
    return product_size<O>(total);
}
/// Calls copy(piece, start) for the result of every piece; converts the lengths in plan.offsets to offsets.
template <class I, class O, class Piece, class Copy>
void concatenate_pieces(host_executor const& exec, product_plan<I, O>& plan, std::vector<Piece> const& found,
                        Copy const& copy) {
    auto const position = block_starts(found, [](auto const& piece) { return piece.size; });
    for_each_block(exec, plan.piece_count, 1, [&](std::int64_t p, std::int64_t, std::int64_t) {
        std::int64_t const start = position[static_cast<std::size_t>(p)];
        copy(found[static_cast<std::size_t>(p)], start);
        O end = static_cast<O>(start);
        for (std::int64_t r = plan.pieces[p]; r < plan.pieces[p + 1]; ++r)
            plan.offsets[r + 1] = end = static_cast<O>(end + plan.offsets[r + 1]);
    });
}

/// Computes the structure of the product into `plan`. If the size may exceed the offset type, the entries are counted
/// first.
template <class A, class B, class I, class O, class Mask>
void find_structure(host_executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, Mask const& mask,
                    product_plan<I, O>& plan) {
    std::int64_t const products = begin_structure(exec, a, b, plan);
    std::int64_t const bound = products + (plan.range.last - plan.range.first);
    lending_pool<piece_worker<I>> pool;
    std::vector<found_piece<I>> found(static_cast<std::size_t>(plan.piece_count));
    auto const find = [&](bool keep) {
        for_each_block(exec, plan.piece_count, 1, [&](std::int64_t p, std::int64_t, std::int64_t) {
            auto worker =
                pool.take([&] { return piece_worker<I>{flagged_columns<I>(exec, plan.columns, plan.masked)}; });
            found[static_cast<std::size_t>(p)] = find_piece(exec, a, b, mask, plan, p, *worker, keep, bound);
            pool.bring_back(std::move(worker));
        });
        return size_of_pieces<O>(found);
    };
    if (!std::in_range<O>(products)) find(false);
    plan.indices = buffer<I>(exec, find(true));
    concatenate_pieces(exec, plan, found, [&](auto const& from, std::int64_t start) {
        std::copy(from.columns, from.columns + from.size, plan.indices.data() + start);
    });
}

/// Accumulators of one worker, one per column; for masked products also flags for the columns in the structure.
template <class Sum>
struct wide_accumulators {
    buffer<Sum> sums;
    buffer<unsigned char> in_structure;
};

/// Computes the sums of one row: every column of the structure starts with the identity, and products are added in the
/// order of A's row.
template <class A, class B, class I, class O, class Semiring, class Sum, class Z>
void sum_row(csr_view<A, I, O> a, csr_view<B, I, O> b, Semiring s, std::int64_t i, I const* columns, std::int64_t n,
             Sum* COPPICE_RESTRICT sums, Z* COPPICE_RESTRICT values) {
    for (std::int64_t p = 0; p < n; ++p) sums[columns[p]] = s.add.identity();
    for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
        I const inner = a.indices[k];
        if (k + 8 < a.nonzeros()) {
            O const ahead = b.row_begin(a.indices[k + 8]);
            __builtin_prefetch(b.indices + ahead);
            __builtin_prefetch(b.coefficients + ahead);
        }
        A const left = a.coefficients[k];
        for (O q = b.row_begin(inner), end = b.row_end(inner); q < end; ++q) {
            Sum& sum = sums[b.indices[q]];
            element_positions const at{i, inner, inner, b.indices[q]};
            sum = accumulate(s.add, sum, multiply_at(s, left, b.coefficients[q], at));
        }
    }
    for (std::int64_t p = 0; p < n; ++p) values[p] = static_cast<Z>(result_of_sum(s, sums[columns[p]]));
}

/// Sums only the columns of a given structure. A short row of the structure is searched in long rows of B.
template <class A, class B, class I, class O, class Semiring, class Sum, class Z>
void sum_masked_row(csr_view<A, I, O> a, csr_view<B, I, O> b, Semiring s, std::int64_t i, I const* columns,
                    std::int64_t n, Sum* COPPICE_RESTRICT sums, unsigned char* COPPICE_RESTRICT in_structure,
                    Z* COPPICE_RESTRICT values) {
    if (n == 0) return;
    for (std::int64_t p = 0; p < n; ++p) {
        sums[columns[p]] = s.add.identity();
        in_structure[columns[p]] = 1;
    }
    for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
        I const inner = a.indices[k];
        O const begin = b.row_begin(inner), end = b.row_end(inner);
        auto const add_product = [&](O q) {
            Sum& sum = sums[b.indices[q]];
            element_positions const at{i, inner, inner, b.indices[q]};
            sum = accumulate(s.add, sum, multiply_at(s, a.coefficients[k], b.coefficients[q], at));
        };
        if (n * 8 < std::int64_t(end - begin)) {
            for (std::int64_t p = 0; p < n; ++p)
                if (O const q = position_in_row(b, inner, columns[p]); q != O(-1)) add_product(q);
        } else {
            for (O q = begin; q < end; ++q)
                if (in_structure[b.indices[q]] != 0) add_product(q);
        }
    }
    for (std::int64_t p = 0; p < n; ++p) {
        values[p] = static_cast<Z>(result_of_sum(s, sums[columns[p]]));
        in_structure[columns[p]] = 0;
    }
}

/// Computes the values of a planned product.
template <class A, class B, class I, class O, class Semiring, class Z>
void sum_products(host_executor const& exec, product_plan<I, O> const& plan, Semiring const& s, csr_view<A, I, O> a,
                  csr_view<B, I, O> b, array_view<Z> values) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(s.add)>>;
    lending_pool<wide_accumulators<sum_type>> pool;
    auto const make = [&] {
        wide_accumulators<sum_type> w{buffer<sum_type>(exec, plan.columns), {}};
        if (plan.masked) {
            w.in_structure = buffer<unsigned char>(exec, plan.columns);
            std::fill(w.in_structure.begin(), w.in_structure.end(), static_cast<unsigned char>(0));
        }
        return w;
    };
    for_each_block(exec, plan.piece_count, 1, [&](std::int64_t piece, std::int64_t, std::int64_t) {
        auto worker = pool.take(make);
        for (std::int64_t r = plan.pieces[piece]; r < plan.pieces[piece + 1]; ++r) {
            O const begin = plan.offsets[r];
            I const* const columns = plan.indices.data() + begin;
            std::int64_t const n = std::int64_t(plan.offsets[r + 1]) - std::int64_t(begin);
            std::int64_t const i = plan.range.first + r;
            if (plan.masked)
                sum_masked_row(a, b, s, i, columns, n, worker->sums.data(), worker->in_structure.data(),
                               values.data() + begin);
            else
                sum_row(a, b, s, i, columns, n, worker->sums.data(), values.data() + begin);
        }
        pool.bring_back(std::move(worker));
    });
}

} // namespace coppice::inline v0_1::detail
