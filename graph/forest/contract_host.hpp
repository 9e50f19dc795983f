// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Contraction on the host for small aggregates: adds their rows directly, without forming A P.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/algebra/rows/row_blocks_host.hpp>
#include <coppice/graph/forest/aggregates.hpp>
#include <coppice/semiring/spgemm/product_host.hpp>

namespace coppice::inline v0_1::graph_detail {

/// Sparse accumulator: a sum for each column that the current row has met, in a hash table of the size of a row, which
/// stays in the cache. An array with an entry for each column would have to be initialised by every worker. Each entry
/// stores the last row that used it.
template <class Sum, class I>
class met_sums {
public:
    /// Starts row `row`, without columns.
    void begin(I row) {
        row_ = row;
        met_.clear();
    }
    template <class Add, class Value>
    void add(Add const& add, I column, Value const& value) {
        entry& e = find(column);
        if (e.met_in != row_) {
            e = {add.identity(), row_, column};
            met_.push_back(column);
            if (4 * met_.size() > entries_.size()) {
                grow();
                return this->add(add, column, value);
            }
        }
        e.sum = detail::accumulate(add, e.sum, value);
    }
    std::vector<I>& columns() { return met_; }
    Sum const& at(I column) { return find(column).sum; }

private:
    struct entry {
        Sum sum{};
        I met_in = I(-1);
        I column = I(-1);
    };
    /// The entry of a column in this row, or the one to take for it. Columns of a row are often consecutive; their low
    /// bits then differ.
    entry& find(I column) {
        std::size_t const mask = entries_.size() - 1;
        std::size_t at = static_cast<std::size_t>(column) & mask;
        while (entries_[at].met_in == row_ && entries_[at].column != column) at = (at + 1) & mask;
        return entries_[at];
    }
    void grow() {
        std::vector<entry> const old = std::exchange(entries_, std::vector<entry>(2 * entries_.size()));
        for (entry const& e : old)
            if (e.met_in == row_) find(e.column) = e;
    }

    std::vector<entry> entries_ = std::vector<entry>(1024);
    std::vector<I> met_{};
    I row_ = I(-1);
};

/// Rows of C computed by one worker.
template <class T, class I>
struct contracted_rows {
    std::vector<I> columns{};
    std::vector<T> values{};
};

/// Workspace of a worker: sums of a row of A P, and of a row of C.
template <class Sum, class I>
struct contraction_workspace {
    met_sums<Sum, I> of_vertex, of_aggregate;
};

/// Computes the row of A P for vertex i, which has few entries: calls take(column, sum) for each column.
template <int Max, class Semiring, class T, class I, class O, class Take>
void sum_short_row(Semiring const& s, csr_view<T, I, O> m, I const* of, T one, I i, Take const& take) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(s.add)>>;
    I columns[Max];
    sum_type sums[Max];
    int n = 0;
    for (O k = m.row_begin(i), end = m.row_end(i); k < end; ++k) {
        I const j = m.indices[k], column = of[j];
        if (column < I(0)) continue;
        int at = 0;
        while (at < n && columns[at] != column) ++at;
        if (at == n) {
            columns[n] = column;
            sums[n++] = s.add.identity();
        }
        sums[at] = detail::accumulate(
            s.add, sums[at], detail::multiply_at(s, m.coefficients[k], one, element_positions{i, j, j, column}));
    }
    for (int at = 0; at < n; ++at) take(columns[at], sums[at]);
}

/// Computes row `a` of C. Products are added in the same order as in two products (first those of a row of A, then
/// these), so that the bits are equal.
template <class Semiring, class T, class I, class O, class Sum>
void contract_row(Semiring const& s, csr_view<T, I, O> m, I const* of, T one, I a, array_view<I const> members,
                  contraction_workspace<Sum, I>& worker, contracted_rows<T, I>& to) {
    constexpr O few = 16; // rows with at most this number of entries use a linear search for columns
    worker.of_aggregate.begin(a);
    for (I const i : members) {
        auto const add = [&](I column, Sum const& sum) {
            T const between = static_cast<T>(detail::result_of_sum(s, sum));
            worker.of_aggregate.add(s.add, column,
                                    detail::multiply_at(s, one, between, element_positions{a, i, i, column}));
        };
        O const begin = m.row_begin(i), end = m.row_end(i);
        if (end - begin <= few) {
            sum_short_row<few>(s, m, of, one, i, add);
            continue;
        }
        worker.of_vertex.begin(i);
        for (O k = begin; k < end; ++k) {
            I const j = m.indices[k], column = of[j];
            if (column < I(0)) continue;
            worker.of_vertex.add(s.add, column,
                                 detail::multiply_at(s, m.coefficients[k], one, element_positions{i, j, j, column}));
        }
        for (I const column : worker.of_vertex.columns()) add(column, worker.of_vertex.at(column));
    }
    auto& columns = worker.of_aggregate.columns();
    detail::sort_words(columns.data(), std::int64_t(columns.size()));
    for (I const column : columns) {
        to.columns.push_back(column);
        to.values.push_back(static_cast<T>(detail::result_of_sum(s, worker.of_aggregate.at(column))));
    }
}

/// Computes C by rows; `r` is the transpose of the membership matrix, whose values are not read.
template <class Semiring, class T, class I, class O, class Any>
csr<T, I, O> contract_rows(host_executor const& exec, Semiring const& s, csr_view<T, I, O> a, I const* of,
                           csr_view<Any, I, O> r, T one) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(s.add)>>;
    using worker_type = contraction_workspace<sum_type, I>;
    constexpr std::int64_t block = 512; // aggregates per block
    std::int64_t const rows = r.rows();
    buffer<O> offsets(exec, rows + 1);
    offsets[0] = 0;
    std::vector<contracted_rows<T, I>> blocks(static_cast<std::size_t>((rows + block - 1) / block));
    detail::lending_pool<worker_type> pool;
    detail::for_each_block(exec, rows, block, [&](std::int64_t p, std::int64_t first, std::int64_t last) {
        auto worker = pool.take([] { return worker_type{}; });
        contracted_rows<T, I> mine;
        mine.columns.reserve(std::size_t(8 * block));
        mine.values.reserve(std::size_t(8 * block));
        for (std::int64_t c = first; c < last; ++c) {
            contract_row(s, a, of, one, I(c), {r.indices + r.row_begin(c), r.row_end(c) - r.row_begin(c)}, *worker,
                         mine);
            offsets[c + 1] = static_cast<O>(mine.columns.size());
        }
        blocks[static_cast<std::size_t>(p)] = std::move(mine);
        pool.bring_back(std::move(worker));
    });
    auto const starts =
        detail::block_starts(blocks, [](auto const& rows_of_block) { return rows_of_block.columns.size(); });
    O const nonzeros = detail::product_size<O>(starts.back());
    buffer<I> indices(exec, nonzeros);
    buffer<T> values(exec, nonzeros);
    detail::concatenate_row_blocks(
        exec, blocks, starts, block, offsets, [&](auto const& rows_of_block, std::int64_t start) {
            std::copy(rows_of_block.columns.begin(), rows_of_block.columns.end(), indices.data() + start);
            std::copy(rows_of_block.values.begin(), rows_of_block.values.end(), values.data() + start);
        });
    return {r.rows(), r.rows(), std::move(offsets), std::move(indices), std::move(values)};
}

/// Number of vertices of aggregate a.
template <class O>
struct aggregate_size {
    O const* offsets; ///< row offsets of the transposed membership matrix
    std::int64_t operator()(std::int64_t a) const { return std::int64_t(offsets[a + 1]) - std::int64_t(offsets[a]); }
};
/// One worker computes a row of C. For larger aggregates two sparse products are used instead, which distribute the
/// rows of A.
inline constexpr std::int64_t max_contracted = 256;

} // namespace coppice::inline v0_1::graph_detail
