// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Contraction on the host where aggregates are small: their rows are folded at once, without A P in between.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/algebra/rows/row_blocks_host.hpp>
#include <coppice/graph/forest/aggregates.hpp>
#include <coppice/semiring/spgemm/product_host.hpp>

namespace coppice::graph_detail {

/// A sum for each of a few columns that a row has met; an entry tells which row that was.
template <class Sum, class I>
class met_sums {
public:
    met_sums(host_executor const& exec, I columns) : entries_(exec, columns) {
        for (entry& e : entries_) e.met_in = I(-1);
    }
    /// The columns of row `row`, which are none before the first add().
    void begin(I row) {
        row_ = row;
        met_.clear();
    }
    template <class Add, class Value>
    void add(Add const& add, I column, Value const& value) {
        entry& e = entries_[column];
        if (e.met_in != row_) {
            e = {add.identity(), row_};
            met_.push_back(column);
        }
        e.sum = detail::accumulate(add, e.sum, value);
    }
    std::vector<I>& columns() { return met_; }
    Sum const& at(I column) const { return entries_[column].sum; }

private:
    struct entry {
        Sum sum;
        I met_in;
    };
    buffer<entry> entries_;
    std::vector<I> met_{};
    I row_ = I(-1);
};

/// Rows of C, as one worker made them.
template <class T, class I>
struct contracted_rows {
    std::vector<I> columns{};
    std::vector<T> values{};
};

/// What a worker needs: sums of a row of A P, and of C.
template <class Sum, class I>
struct contraction_worker {
    met_sums<Sum, I> of_vertex, of_aggregate;
};

/// Sums of the row of A P for vertex i, of few entries: take(column, sum) for each of its columns.
template <int Most, class Semiring, class T, class I, class O, class Take>
void sum_short_row(Semiring const& s, csr_view<T, I, O> m, I const* of, T one, I i, Take const& take) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(s.add)>>;
    I columns[Most];
    sum_type sums[Most];
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
        sums[at] = detail::accumulate(s.add, sums[at],
                                      detail::multiply_at(s, m.coefficients[k], one, meeting{i, j, j, column}));
    }
    for (int at = 0; at < n; ++at) take(columns[at], sums[at]);
}

/// Row `a` of C. Products join as in two products, first those of a row of A, then these, so that the bits are the
/// same.
template <class Semiring, class T, class I, class O, class Sum>
void contract_row(Semiring const& s, csr_view<T, I, O> m, I const* of, T one, I a, array_view<I const> members,
                  contraction_worker<Sum, I>& worker, contracted_rows<T, I>& to) {
    constexpr O few = 16; // entries of a row whose columns are looked for one by one
    worker.of_aggregate.begin(a);
    for (I const i : members) {
        auto const join = [&](I column, Sum const& sum) {
            T const between = static_cast<T>(s.result(sum));
            worker.of_aggregate.add(s.add, column, detail::multiply_at(s, one, between, meeting{a, i, i, column}));
        };
        O const begin = m.row_begin(i), end = m.row_end(i);
        if (end - begin <= few) {
            sum_short_row<few>(s, m, of, one, i, join);
            continue;
        }
        worker.of_vertex.begin(i);
        for (O k = begin; k < end; ++k) {
            I const j = m.indices[k], column = of[j];
            if (column < I(0)) continue;
            worker.of_vertex.add(s.add, column,
                                 detail::multiply_at(s, m.coefficients[k], one, meeting{i, j, j, column}));
        }
        for (I const column : worker.of_vertex.columns()) join(column, worker.of_vertex.at(column));
    }
    auto& columns = worker.of_aggregate.columns();
    detail::sort_words(columns.data(), std::int64_t(columns.size()));
    for (I const column : columns) {
        to.columns.push_back(column);
        to.values.push_back(static_cast<T>(s.result(worker.of_aggregate.at(column))));
    }
}

/// C by rows; `r` is the transpose of the membership matrix, whose values nobody reads.
template <class Semiring, class T, class I, class O, class Any>
csr<T, I, O> contract_rows(host_executor const& exec, Semiring const& s, csr_view<T, I, O> a, I const* of,
                           csr_view<Any, I, O> r, T one) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(s.add)>>;
    using worker_type = contraction_worker<sum_type, I>;
    constexpr std::int64_t block = 512; // aggregates that a worker takes at a time
    std::int64_t const rows = r.rows();
    buffer<O> offsets(exec, rows + 1);
    offsets[0] = 0;
    std::vector<contracted_rows<T, I>> parts(static_cast<std::size_t>((rows + block - 1) / block));
    detail::lending_pool<worker_type> pool;
    detail::for_each_block(exec, rows, block, [&](std::int64_t p, std::int64_t first, std::int64_t last) {
        auto worker = pool.take([&] { return worker_type{{exec, r.rows()}, {exec, r.rows()}}; });
        contracted_rows<T, I> mine;
        mine.columns.reserve(std::size_t(8 * block));
        mine.values.reserve(std::size_t(8 * block));
        for (std::int64_t c = first; c < last; ++c) {
            contract_row(s, a, of, one, I(c), {r.indices + r.row_begin(c), r.row_end(c) - r.row_begin(c)}, *worker,
                         mine);
            offsets[c + 1] = static_cast<O>(mine.columns.size());
        }
        parts[static_cast<std::size_t>(p)] = std::move(mine);
        pool.bring_back(std::move(worker));
    });
    auto const starts = detail::starts_of_parts(parts, [](auto const& part) { return part.columns.size(); });
    O const nonzeros = detail::product_size<O>(starts.back());
    buffer<I> indices(exec, nonzeros);
    buffer<T> values(exec, nonzeros);
    detail::join_row_blocks(exec, parts, starts, block, offsets, [&](auto const& part, std::int64_t start) {
        std::copy(part.columns.begin(), part.columns.end(), indices.data() + start);
        std::copy(part.values.begin(), part.values.end(), values.data() + start);
    });
    return {r.rows(), r.rows(), std::move(offsets), std::move(indices), std::move(values)};
}

/// Vertices of aggregate a.
template <class O>
struct aggregate_size {
    O const* offsets; ///< of the transposed membership matrix
    std::int64_t operator()(std::int64_t a) const { return std::int64_t(offsets[a + 1]) - std::int64_t(offsets[a]); }
};
/// One worker makes a row of C: of larger aggregates that is a matter for products, which share the rows of A.
inline constexpr std::int64_t most_contracted = 256;

} // namespace coppice::graph_detail
