// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Result of the symbolic phase of a sparse product, for any number of numeric phases.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

namespace coppice::inline v0_1 {

/// Structure of a product A B, or of the entries that a mask admits, and the assignment of its rows to workers.
/// Reusable while the patterns of A, B and mask do not change. Move-only; in the memory space of its executor.
template <class I = std::int32_t, class O = I>
struct product_plan {
    row_range range{};      ///< rows of A that are multiplied; row r of the product is row range.first + r of A
    std::int64_t rows = 0;  ///< rows of A
    std::int64_t inner = 0; ///< columns of A, rows of B
    I columns = 0;          ///< columns of B
    std::int64_t a_nonzeros = 0, b_nonzeros = 0;
    bool masked = false;           ///< some products are not in the structure
    buffer<O> offsets{};           ///< offsets[range.last - range.first + 1]
    buffer<I> indices{};           ///< columns of the product, sorted in every row
    buffer<std::int64_t> pieces{}; ///< host: first row of every piece of work; CUDA: first window of every row
    std::int64_t piece_count = 0;
    bool all_merged = false; ///< CUDA: one lane can merge every row

    I product_rows() const { return static_cast<I>(range.last - range.first); }
    O nonzeros() const { return static_cast<O>(indices.size()); }
};

namespace detail {

/// Number of products of row i of A with B: its cost, and an upper bound of its entries.
template <class A, class B, class I, class O>
struct row_products {
    csr_view<A, I, O> a;
    csr_view<B, I, O> b;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        std::int64_t sum = 0;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k)
            sum += std::int64_t(b.row_end(a.indices[k])) - std::int64_t(b.row_begin(a.indices[k]));
        return sum;
    }
};

/// Returns i if the columns of row i are not sorted without duplicates or not in the matrix, otherwise the number of
/// rows.
template <class T, class I, class O>
struct invalid_row {
    csr_view<T, I, O> a;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        O const first = a.row_begin(i), last = a.row_end(i);
        bool good = true;
        for (O k = first + 1; k < last; ++k) good = good & (a.indices[k - 1] < a.indices[k]);
        if (first < last) good = good && a.indices[first] >= 0 && a.indices[last - 1] < a.columns();
        return good ? std::int64_t(a.rows()) : i;
    }
};

/// Whether all rows are valid, on the host. Counts the descents of the column indices over all entries as if they were
/// one row, and subtracts the descents at the beginnings of rows, which are allowed.
template <class T, class I, class O>
bool all_rows_sorted(host_executor const& exec, csr_view<T, I, O> a) {
    std::atomic<bool> good{true};
    std::int64_t const rows = a.rows(),
                       per_block = std::max<std::int64_t>(
                           rows / std::max<std::int64_t>((rows + a.nonzeros()) / (4 * host_block), 1), 1);
    for_each_block(exec, rows, per_block, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        O const begin = a.row_begin(first), end = a.row_end(last - 1);
        I const* const columns = a.indices;
        std::uint32_t falls = 0, allowed = 0; // only their difference matters, which is below 2^32
        for (O k = begin + 1; k < end; ++k) falls += columns[k - 1] < columns[k] ? 0u : 1u;
        bool inside = true;
        for (std::int64_t i = first; i < last; ++i) {
            O const from = a.row_begin(i), to = a.row_end(i);
            if (from >= to) continue;
            inside = inside & (columns[from] >= 0) & (columns[to - 1] < a.columns());
            allowed += from > begin && columns[from - 1] >= columns[from] ? 1u : 0u;
        }
        if (falls != allowed || !inside) good.store(false, std::memory_order_relaxed);
    });
    return good.load(std::memory_order_relaxed);
}
template <class T, class I, class O>
constexpr bool all_rows_sorted(cuda_executor const&, csr_view<T, I, O>) {
    return false; // decided by invalid_row
}

/// Throws matrix_error unless the columns of every row are sorted without duplicates and in the matrix.
template <executor Executor, class T, class I, class O>
void require_sorted_columns(Executor const& exec, csr_view<T, I, O> a, char const* what) {
    require_pattern(a);
    if (all_rows_sorted(exec, a)) return;
    std::int64_t const rows = a.rows();
    std::int64_t const broken = reduce(exec, rows, rows, invalid_row<T, I, O>{a}, smaller{});
    if (broken < rows)
        throw matrix_error(std::string(what) + ": the columns of row " + std::to_string(broken) +
                           " are not sorted without duplicates within the matrix: see sort_columns() and build()");
}

template <class A, class B, class I, class O>
void require_product(csr_view<A, I, O> a, csr_view<B, I, O> b) {
    require_size("rows of the second matrix of a product", b.rows(), a.columns());
}

/// Throws dimension_error unless the sizes of A and B are those that the plan was made for; structure is not compared.
template <class A, class B, class I, class O>
void require_planned(product_plan<I, O> const& plan, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    require_size("rows of A, as in the plan", a.rows(), plan.rows);
    require_size("columns of A, as in the plan", a.columns(), plan.inner);
    require_size("rows of B, as in the plan", b.rows(), plan.inner);
    require_size("columns of B, as in the plan", b.columns(), plan.columns);
    require_size("nonzeros of A, as in the plan", a.nonzeros(), plan.a_nonzeros);
    require_size("nonzeros of B, as in the plan", b.nonzeros(), plan.b_nonzeros);
    require_arrays(a);
    require_arrays(b);
}

/// Converts the number of entries of a product to the offset type. Throws overflow_error if it does not fit.
template <class O>
O product_size(std::int64_t nonzeros) {
    if (!std::in_range<O>(nonzeros))
        throw overflow_error("the product has " + std::to_string(nonzeros) +
                             " entries, more than its offset type can count: use 64-bit offsets or a range of rows");
    return static_cast<O>(nonzeros);
}

} // namespace detail
} // namespace coppice::inline v0_1
