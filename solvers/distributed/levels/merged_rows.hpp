// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Moves the rows of neighbouring ranks to one of them (agglomeration), and vectors there and back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/levels/pushed_rows.hpp>
#include <coppice/solvers/distributed/rows/halo.hpp>

namespace coppice::inline v0_1::distributed {

/// Number of ranks that have rows.
inline std::int64_t ranks_with_rows(rank_offsets const& begin) {
    std::int64_t count = 0;
    for (std::size_t p = 0; p + 1 < begin.size(); ++p) count += begin[p] < begin[p + 1];
    return count;
}

/// Number of rows for one rank: a level with so few rows in all moves to one rank, where it takes no more time than the
/// first level of a rank, and needs no halo. `begin`: of the first level.
inline std::int64_t target_rows(rank_offsets const& begin) {
    constexpr std::int64_t fraction = 16, smallest = 4096, largest = 131072; // fraction: of the rows of a rank
    std::int64_t const ranks = std::max<std::int64_t>(1, ranks_with_rows(begin));
    return std::clamp(begin.back() / ranks / fraction, smallest, largest);
}
/// Number of ranks to which the rows of a level move, about `target` rows to each; 0 if they stay because their ranks
/// have enough rows.
inline std::int64_t ranks_after_merging(rank_offsets const& begin, std::int64_t target) {
    constexpr std::int64_t max_ranks_per_target = 4;
    std::int64_t const all = begin.back(), ranks = ranks_with_rows(begin);
    std::int64_t const groups = std::max<std::int64_t>(1, all / target);
    return ranks <= 1 || all <= target || max_ranks_per_target * groups < ranks ? groups : 0;
}
/// The same for a level whose rows cannot be coarsened without couplings to other ranks.
inline std::int64_t ranks_after_stall(rank_offsets const& begin) {
    constexpr std::int64_t max_rows_of_rank = 262144, ranks_per_group = 4;
    return begin.back() <= max_rows_of_rank ? 1 : std::max<std::int64_t>(1, ranks_with_rows(begin) / ranks_per_group);
}

/// The first row of each rank after merging: the rows of all ranks are divided into `groups` of consecutive ranks with
/// about equally many rows, and the first rank of a group that has rows takes those of the whole group. The order of
/// the rows does not change. `begin` likewise before merging, [ranks + 1].
inline rank_offsets merged_offsets(rank_offsets const& begin, std::int64_t groups) {
    std::size_t const ranks = begin.size() - 1;
    rank_offsets merged(begin.size(), 0);
    std::int64_t group = -1;
    std::size_t owner = 0;
    for (std::size_t p = 0; p < ranks; ++p) {
        if (begin[p] == begin[p + 1]) continue;
        double const middle = 0.5 * double(begin[p] + begin[p + 1]) / double(begin.back());
        auto const of_rank = std::int64_t(middle * double(groups));
        if (of_rank != group) owner = p;
        group = of_rank;
        merged[owner + 1] += begin[p + 1] - begin[p];
    }
    std::partial_sum(merged.begin(), merged.end(), merged.begin());
    return merged;
}

/// Number of rows that are in both of two ranges.
inline std::int64_t common_rows(std::int64_t a_first, std::int64_t a_end, std::int64_t b_first, std::int64_t b_end) {
    return std::max<std::int64_t>(0, std::min(a_end, b_end) - std::max(a_first, b_first));
}

/// A square matrix over all ranks, as seen by one of them.
template <class T>
struct rank_matrix {
    csr<T> own;            ///< the block of its rows and columns
    hypersparse_rows<T> k; ///< [rows of the rank, rows of all ranks]: entries in columns of other ranks
};

/// Moves the elements of vectors from one division into ranges of ranks to another one.
template <executor Executor, class T>
class range_exchange {
public:
    /// `from`, `to`: [ranks + 1] first element of each rank. Collective.
    range_exchange(Executor const& exec, rank_communicator const& comm, rank_offsets const& from,
                   rank_offsets const& to)
        : range_exchange(exec, comm, from, from[std::size_t(comm.rank())], from[std::size_t(comm.rank()) + 1],
                         to[std::size_t(comm.rank())], to[std::size_t(comm.rank()) + 1]) {}
    bool replayable() const { return others_.replayable(); }
    /// `x` and `y` have the elements of this rank before and after. Collective.
    void move(Executor const& exec, T const* x, T* y) {
        others_.start(exec, x);
        exec.copy_elements(x + skipped_, y + before_, own_);
        others_.finish(exec);
        exec.copy_elements(others_.values(), y, before_);
        exec.copy_elements(others_.values() + before_, y + before_ + own_, after_);
    }

private:
    range_exchange(Executor const& exec, rank_communicator const& comm, rank_offsets const& from, std::int64_t first,
                   std::int64_t end, std::int64_t to_first, std::int64_t to_end)
        : own_(common_rows(first, end, to_first, to_end)), skipped_(own_ > 0 ? std::max(first, to_first) - first : 0),
          before_(own_ > 0 ? first + skipped_ - to_first : to_end - to_first),
          after_(to_end - to_first - before_ - own_),
          others_(exec, comm, halo_plan(comm, from, of_others(to_first, before_, own_, after_))) {}
    static std::vector<std::int32_t> of_others(std::int64_t first, std::int64_t before, std::int64_t own,
                                               std::int64_t after) {
        std::vector<std::int32_t> needs(static_cast<std::size_t>(before + after));
        auto const middle = needs.begin() + before;
        std::iota(needs.begin(), middle, std::int32_t(first));
        std::iota(middle, needs.end(), std::int32_t(first + before + own));
        return needs;
    }

    std::int64_t own_;            ///< elements that stay on this rank
    std::int64_t skipped_;        ///< elements before them in x
    std::int64_t before_, after_; ///< elements of other ranks before and after them in y
    halo<Executor, T> others_;
};

/// Rows of neighbouring ranks that one of them takes. Collective, except its accessors.
template <executor Executor, class T>
class merged_rows {
public:
    merged_rows(Executor const& exec, rank_communicator const& comm, rank_offsets const& before, std::int64_t groups)
        : comm_(comm), before_(before), after_(merged_offsets(before, groups)), to_merged_(exec, comm, before_, after_),
          to_ranks_(exec, comm, after_, before_) {}

    rank_offsets const& begin() const { return after_; } ///< [ranks + 1] first row of each rank after merging
    std::int64_t rows() const { return count_of(after_); }
    bool replayable() const { return to_merged_.replayable() && to_ranks_.replayable(); }

    /// The matrix with its own block `a` and couplings `k` after merging: couplings within a group become entries of
    /// the own block. Columns of the result are sorted if they are in `a`.
    rank_matrix<T> merge(Executor const& exec, csr_view<T> a, hypersparse_rows<T> k) const {
        auto const all = std::int32_t(before_.back());
        auto const first = std::int32_t(after_[self()]), rows = std::int32_t(this->rows());
        auto pushed = push_rows(exec, comm_, renumber(exec, std::move(k), first_before(), 0, all, all), after_);
        auto own = merge_own(exec, a);
        auto const inside =
            renumber(exec, select_columns(exec, pushed, first, first + rows, true), 0, -first, rows, rows);
        if (inside.nonzeros() > 0) own = add_hypersparse(exec, own.view(), inside);
        return {std::move(own), select_columns(exec, pushed, first, first + rows, false)};
    }
    /// to[rows after merging] = x[rows before merging]
    void to_merged(Executor const& exec, T const* x, T* to) { to_merged_.move(exec, x, to); }
    /// The inverse of to_merged().
    void to_ranks(Executor const& exec, T const* x, T* to) { to_ranks_.move(exec, x, to); }

private:
    std::size_t self() const { return std::size_t(comm_.rank()); }
    std::int32_t first_before() const { return std::int32_t(before_[self()]); }
    std::int64_t count_of(rank_offsets const& begin) const { return begin[self() + 1] - begin[self()]; }
    /// The matrix with the own blocks of the ranks of this group on its diagonal, on the rank that has their rows
    /// afterwards; other ranks get a matrix without rows. Collective.
    csr<T> merge_own(Executor const& exec, csr_view<T> a) const {
        // Rows before merging that another rank has afterwards, and those that this rank takes of others.
        rank_offsets send{0}, receive{0};
        for (std::size_t p = 0; p + 1 < before_.size(); ++p) {
            std::size_t const s = self();
            send.push_back(send.back() + common_rows(before_[s], before_[s + 1], after_[p], after_[p + 1]));
            receive.push_back(receive.back() + common_rows(before_[p], before_[p + 1], after_[s], after_[s + 1]));
        }
        buffer<std::int32_t> columns = copy_of(exec, a.column_indices());
        for_each(exec, columns.size(), shift_index{columns.data(), first_before()});
        csr_view<T> const placed{a.rows(),      std::int32_t(before_.back()), a.nonzeros(), a.offsets, columns.data(),
                                 a.coefficients};
        auto arrays = exchange_rows(exec, comm_, send, placed, receive).release();
        for_each(exec, arrays.indices.size(), shift_index{arrays.indices.data(), -std::int32_t(after_[self()])});
        auto const n = std::int32_t(rows());
        return {n, n, std::move(arrays.offsets), std::move(arrays.indices), std::move(arrays.values)};
    }

    rank_communicator comm_;
    rank_offsets before_, after_;
    range_exchange<Executor, T> to_merged_, to_ranks_;
};

} // namespace coppice::inline v0_1::distributed
