// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// reduce_rows() and semiring products over the rows of a square pattern that is distributed by contiguous blocks of
/// rows. A rank receives only the vector elements that its rows read.
///
///     distributed_rows const rows(exec, comm, offsets, columns);      // collective, once per pattern
///     auto halo = rows.halo_of<float>(exec, comm);                    // once per type of the vector elements
///     reduce_rows(exec, rows, halo, x, multiply, add, store);         // collective
///     semiring_spmv(exec, rows, halo, min_plus<float>{}, values, x, y);
///
/// distributed_csr.hpp has the product (·, +) with a diagonal block that preconditioners use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solvers/distributed/rows/halo.hpp>

namespace coppice::inline v0_1 {

/// The pattern of the rows of one rank, in the memory of the executor. G is the type of global column indices, O that
/// of the offsets of a rank; each is a 32- or 64-bit signed integer. A rank has less than 2^31 rows, and reads less
/// than 2^31 columns of others; the whole matrix may have more if G has 64 bits. Immovable: its plan borrows its
/// arrays.
template <executor Executor, class G = std::int32_t, class O = std::int32_t>
class distributed_rows {
public:
    using global_index = G;
    using offset_type = O;

    /// `offsets`[rows + 1] starts with 0; `columns` are global indices; both are on the host. Rank 0 has the first
    /// rows, and so on; a rank may have no rows. Collective. Throws, on this rank, dimension_error if the lengths
    /// disagree, matrix_error for decreasing offsets or a column out of range, and overflow_error for too many rows of
    /// the rank or of the matrix; the other ranks throw at their next communication.
    distributed_rows(Executor const& exec, rank_communicator const& comm, std::vector<O> const& offsets,
                     std::vector<G> const& columns)
        : distributed_rows(exec, comm, checked_begins(comm, offsets, columns), offsets, columns) {}
    distributed_rows(distributed_rows const&) = delete;
    distributed_rows& operator=(distributed_rows const&) = delete;

    std::int64_t size() const { return begins_[std::size_t(rank_) + 1] - first(); } ///< rows of this rank
    std::int64_t first() const { return begins_[std::size_t(rank_)]; } ///< global index of the first row of this rank
    std::int64_t all_rows() const { return begins_.back(); }
    std::int64_t halo() const { return outer_.size(); } ///< number of columns of other ranks that this rank reads
    std::int64_t nonzeros() const { return columns_.size(); }

    /// First row of each rank, and the number of rows of the whole matrix: [ranks + 1].
    std::vector<std::int64_t> const& begins() const { return begins_; }
    /// Rows without columns of other ranks are computed while the elements of others arrive: the longest range of them.
    row_range inner_rows() const { return inner_; }

    buffer<O> const& offsets() const { return offsets_; } ///< [size() + 1]
    /// [nonzeros()] in the given order: c < size() is row c of this rank, size() + k is column outer()[k].
    buffer<std::int32_t> const& columns() const { return columns_; }
    buffer<G> const& outer() const { return outer_; } ///< [halo()] global indices, ascending
    srcsr_plan<O> const& plan() const { return plan_; }

    /// The exchange of elements of type X, with its buffers. Not collective; `comm` is that of the constructor.
    template <class X>
    distributed::halo<Executor, X> halo_of(Executor const& exec, rank_communicator const& comm) const {
        return {exec, comm, halo_plan_};
    }
    /// Which elements halo_of() exchanges; shared by all exchanges over this pattern.
    distributed::shared_halo_plan<Executor> const& halo_plan() const { return halo_plan_; }

private:
    struct local_columns {
        std::vector<G> outer{};
        buffer<std::int32_t> columns{};
        row_range inner{};
    };

    distributed_rows(Executor const& exec, rank_communicator const& comm, std::vector<std::int64_t> begins,
                     std::vector<O> const& offsets, std::vector<G> const& columns)
        : distributed_rows(exec, comm, begins, offsets,
                           split(distributed::set_up_executor(exec), begins, comm.rank(), offsets, columns)) {}
    distributed_rows(Executor const& exec, rank_communicator const& comm, std::vector<std::int64_t> const& begins,
                     std::vector<O> const& offsets, local_columns local);

    static buffer<std::int32_t> in_memory_of(Executor const& exec, buffer<std::int32_t>&& of_host) {
        if constexpr (std::is_base_of_v<host_executor, Executor>)
            return std::move(of_host);
        else
            return exec.copy(of_host);
    }

    static std::vector<std::int64_t> checked_begins(rank_communicator const& comm, std::vector<O> const& offsets,
                                                    std::vector<G> const& columns) {
        if (offsets.empty()) throw dimension_error("distributed_rows: no offsets, expected one more than rows");
        require_size("columns of distributed_rows", std::int64_t(columns.size()), std::int64_t(offsets.back()));
        if (offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end()))
            throw matrix_error("distributed_rows: offsets must begin with 0 and not decrease");
        checked_cast<std::int32_t>(std::int64_t(offsets.size()) - 1, "number of rows of a rank");
        auto begins = offsets_of_ranks(comm, std::int64_t(offsets.size()) - 1);
        checked_cast<G>(begins.back(), "number of rows of all ranks");
        return begins;
    }

    /// Local columns and the longest range of rows without columns of other ranks: parallel passes over the nonzeros;
    /// blocks of nonzeros without such columns are only shifted.
    static local_columns split(host_executor const& exec, std::vector<std::int64_t> const& begins, int rank,
                               std::vector<O> const& offsets, std::vector<G> const& columns) {
        std::int64_t const first = begins[std::size_t(rank)], rows = begins[std::size_t(rank) + 1] - first;
        distributed::index_outside const is_outer{first, first + rows};
        distributed::compact_indices<G> const compact(exec, array_view<G const>(columns), is_outer, "distributed_rows",
                                                      begins.back());
        checked_cast<std::int32_t>(rows + std::int64_t(compact.distinct.size()), "number of columns that a rank reads");
        local_columns local{compact.distinct, buffer<std::int32_t>(exec, std::int64_t(columns.size())), {0, 0}};
        G const* const from = columns.data();
        std::int32_t* const to = local.columns.data();
        constexpr std::int64_t block = detail::host_block;
        std::int64_t const nonzeros = local.columns.size();
        std::vector<std::vector<std::int64_t>> outer_rows(static_cast<std::size_t>((nonzeros + block - 1) / block));
        detail::for_each_block(exec, nonzeros, block, [&](std::int64_t b, std::int64_t begin, std::int64_t end) {
            bool any = false;
            for (std::int64_t k = begin; k < end; ++k) {
                any = any | is_outer(from[k]);
                to[k] = std::int32_t(from[k] - G(first));
            }
            if (!any) return;
            auto row = std::upper_bound(offsets.begin(), offsets.end(), O(begin)) - offsets.begin() - 1;
            auto& list = outer_rows[std::size_t(b)];
            for (std::int64_t k = begin; k < end; ++k) {
                if (!is_outer(from[k])) continue;
                to[k] = std::int32_t(rows + compact(from[k]));
                while (offsets[std::size_t(row) + 1] <= O(k)) ++row;
                if (list.empty() || list.back() != row) list.push_back(row);
            }
        });
        std::int64_t since = 0;
        auto const end_at = [&](std::int64_t end) {
            if (end - since > local.inner.last - local.inner.first) local.inner = {since, end};
            since = end + 1;
        };
        for (auto const& list : outer_rows)
            for (std::int64_t const row : list)
                if (row >= since) end_at(row);
        end_at(rows);
        return local;
    }

    std::vector<std::int64_t> begins_;
    int rank_;
    row_range inner_;
    buffer<O> offsets_;
    buffer<std::int32_t> columns_;
    buffer<G> outer_;
    srcsr_plan<O> plan_;
    distributed::shared_halo_plan<Executor> halo_plan_;
};

template <executor Executor, class O, class G>
distributed_rows(Executor const&, rank_communicator const&, std::vector<O> const&, std::vector<G> const&)
    -> distributed_rows<Executor, G, O>;

// Outside of the class, and so not inline: the declarations below let sources without nvcc call it.
template <executor Executor, class G, class O>
distributed_rows<Executor, G, O>::distributed_rows(Executor const& exec, rank_communicator const& comm,
                                                   std::vector<std::int64_t> const& begins,
                                                   std::vector<O> const& offsets, local_columns local)
    : begins_(begins), rank_(comm.rank()), inner_(local.inner), offsets_(exec.copy(offsets)),
      columns_(in_memory_of(exec, std::move(local.columns))), outer_(exec.copy(local.outer)),
      plan_(make_srcsr_plan(exec, array_view<O const>(offsets_.data(), offsets_.size()), columns_.size(),
                            {.nonzero_bytes = int(sizeof(std::int32_t))})),
      halo_plan_(std::make_shared<distributed::placed_halo_plan<Executor> const>(
          exec, distributed::halo_plan(comm, begins, local.outer))) {}

#define COPPICE_DISTRIBUTED_ROWS(EXTERN, EXECUTOR)                                                                     \
    EXTERN template class distributed_rows<EXECUTOR, std::int32_t, std::int32_t>;                                      \
    EXTERN template class distributed_rows<EXECUTOR, std::int32_t, std::int64_t>
COPPICE_DISTRIBUTED_ROWS(extern, cuda_executor);

namespace distributed {

/// multiply(k, x at the column of nonzero k). Without halo: the columns are those of the rank.
template <class X, class Multiply, bool with_halo>
struct multiply_at_column {
    Multiply multiply;
    std::int32_t const* columns;
    X const* x;
    X const* halo;
    std::int32_t rows;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD auto operator()(std::int64_t k) const {
        std::int32_t const c = columns[k];
        if constexpr (with_halo)
            return multiply(k, c < rows ? x[c] : halo[c - rows]);
        else
            return multiply(k, x[c]);
    }
};

/// Products of a semiring, which may read the global column.
template <class Semiring, class T, class X, class G>
struct multiply_over {
    Semiring s;
    T const* values;
    std::int32_t const* columns;
    G const* outer;
    std::int64_t first;
    std::int32_t rows;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD auto operator()(std::int64_t k, X const& x) const {
        std::int32_t const c = columns[k];
        return s.multiply(values[k], x, c < rows ? first + c : std::int64_t(outer[c - rows]));
    }
};

} // namespace distributed

/// Reduces every row of this rank: store(row, ⊕ over the nonzeros k of the row, in order, of multiply(k, x_c)), where c
/// is the column of k. Collective; x[rows.size()] are the elements of this rank. `multiply`, `add` and `store` are as
/// for reduce_rows() of one rank (srcsr.hpp): `add` need not commute, since the nonzeros keep the order of the
/// constructor; rows are local. `multiply` and x must not read what `store` writes.
///
/// `halo` is that of rows.halo_of<X>(); one call at a time uses it. The longest range of rows without columns of other
/// ranks is reduced while their elements are exchanged, where the exchange overlaps (halo.hpp).
///
/// Bits: equal on every run, for any number of threads, and for threads and processes. reduce_rows() splits the rows of
/// a rank into pieces of some 16384 nonzeros, and these begin elsewhere if the rows are divided differently. Therefore
/// another number of ranks changes rounded sums of few rows in the last digits; exact sums (min, or, integers) are
/// equal. Throws dimension_error, on this rank, if x has another length.
template <executor Executor, class G, class O, class X, class Multiply, adder Add, class Store>
void reduce_rows(Executor const& exec, distributed_rows<Executor, G, O> const& rows,
                 distributed::halo<Executor, X>& halo, array_view<std::type_identity_t<X> const> x,
                 Multiply const& multiply, Add const& add, Store const& store) {
    require_size("length of x", x, rows.size());
    auto const size = std::int32_t(rows.size());
    row_range const inner = rows.inner_rows();
    halo.start(exec, x.data());
    auto const reduce = [&](auto const& product, std::int64_t first, std::int64_t last) {
        if (first < last) reduce_rows(exec, rows.plan(), row_range{first, last}, product, add, store);
    };
    distributed::multiply_at_column<X, Multiply, false> const own{multiply, rows.columns().data(), x.data(), nullptr,
                                                                  size};
    reduce(own, inner.first, inner.last);
    halo.finish(exec);
    distributed::multiply_at_column<X, Multiply, true> const all{multiply, rows.columns().data(), x.data(),
                                                                 halo.values(), size};
    reduce(all, 0, inner.first);
    reduce(all, inner.last, size);
}

/// y = result(⊕_j multiply(a_ij, x_j)) over the semiring `s`: semiring_spmv() of one rank, for the rows of this rank.
/// Shapes values[rows.nonzeros()], x[rows.size()], y[rows.size()]; y overlaps neither x nor the values. A semiring that
/// reads columns receives global ones. Collective. Throws dimension_error, on this rank, if lengths disagree.
template <executor Executor, class G, class O, semiring Semiring, class T, class X, class Y>
void semiring_spmv(Executor const& exec, distributed_rows<Executor, G, O> const& rows,
                   distributed::halo<Executor, X>& halo, Semiring const& s, array_view<T const> values,
                   array_view<std::type_identity_t<X> const> x, array_view<Y> y) {
    require_size("values of semiring_spmv", values, rows.nonzeros());
    require_size("length of y", y, rows.size());
    distributed::multiply_over<Semiring, T, X, G> const multiply{
        s, values.data(), rows.columns().data(), rows.outer().data(), rows.first(), std::int32_t(rows.size())};
    reduce_rows(exec, rows, halo, x, multiply, s.add, detail::store_result<Semiring, Y>{s, y.data()});
}

} // namespace coppice::inline v0_1
