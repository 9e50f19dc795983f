// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A factor over ranks: tridiagonal along a forest, or 2x2 block tridiagonal along a forest of pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <coppice/solvers/distributed/forests/rank_pairs.hpp>
#include <coppice/solvers/precondition/interface/transposed.hpp>
#include <coppice/solvers/precondition/splitting/regularise_factor.hpp>

namespace coppice::inline v0_1::distributed {

/// The entries of a row in the columns of factor_columns.
template <class T>
struct factor_row {
    T of[6];
};

struct store_path_columns {
    std::int32_t const* links;
    std::int32_t first;
    factor_columns* to;
    COPPICE_HD void operator()(std::int64_t v) const {
        to[v] = {{links[2 * v], -1, first + std::int32_t(v), -1, links[2 * v + 1], -1}};
    }
};
/// Blocks before and after; the block itself instead of none.
struct neighbour_or_self {
    std::int32_t const* links;
    std::int32_t first;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = links[k] < 0 ? first + std::int32_t(k / 2) : links[k]; }
};
struct store_block_columns {
    std::int32_t const* links;
    block_members const *own, *neighbours;
    factor_columns* to;
    COPPICE_HD void operator()(std::int64_t b) const {
        to[b].of[2] = own[b].of[0];
        to[b].of[3] = own[b].of[1];
        for (int d = 0; d < 2; ++d)
            for (int s = 0; s < 2; ++s) to[b].of[4 * d + s] = links[2 * b + d] < 0 ? -1 : neighbours[2 * b + d].of[s];
    }
};
/// Order of the vertices of a rank from the columns at its blocks: the vertices that are read at the positions (a
/// position without a vertex reads the first one of the block), and whether a block is coupled with the next one.
struct store_order {
    factor_columns const* columns;
    int block;
    std::int32_t *order, *read, *links;
    COPPICE_HD void operator()(std::int64_t b) const {
        for (int s = 0; s < block; ++s) {
            std::int32_t const v = columns[b].of[2 + s];
            order[b * block + s] = v;
            read[b * block + s] = v < 0 ? columns[b].of[2] : v;
        }
        links[2 * b] = -1; // not read
        links[2 * b + 1] = columns[b].of[4] < 0 ? -1 : std::int32_t(b) + 1;
    }
};
struct position_in_block {
    factor_columns const* columns;
    std::int32_t first; ///< first vertex of the rank
    int block;
    std::int32_t* positions; ///< of the blocks, replaced by those of the vertices
    COPPICE_HD void operator()(std::int64_t v) const {
        bool const leads = columns[v].of[2] == first + std::int32_t(v);
        positions[v] = std::int32_t(block) * positions[v] + (leads ? 0 : 1);
    }
};
/// Fills row p of a factor; rows without a vertex are those of the identity.
template <class T, class Values>
struct store_factor_row {
    factor_row<T> const* rows;
    std::int32_t const* order;
    detail::factor_entries<T> entries;
    Values values;
    COPPICE_HD void operator()(std::int64_t p) const {
        if (order[p] < 0) {
            *entries.at(p, p) = T(1);
            return;
        }
        std::int64_t const b = entries.block, begin = p / b * b;
        for (int s = 0; s < 6; ++s) {
            std::int64_t const q = begin + (s / 2 - 1) * b + s % 2;
            if (q == p)
                *entries.at(p, p) = values.on_diagonal(p, rows[p].of[s]);
            else if (rows[p].of[s] != T(0))
                *entries.at(p, q) = values.off_diagonal(p, q, rows[p].of[s]);
        }
    }
};
/// The entries of A.
template <class T>
struct unscaled_values {
    COPPICE_HD T on_diagonal(std::int64_t, T entry) const { return entry; }
    COPPICE_HD T off_diagonal(std::int64_t, std::int64_t, T entry) const { return entry; }
};

/// Which columns the factor contains in the rows of this rank, and its solution. Every path is on one rank: that with
/// the start of a path near its first block. All members are collective. Immovable.
template <executor Executor, class T>
class rank_factor {
public:
    /// Along the paths of a forest.
    rank_factor(Executor const& exec, rank_communicator const& comm, rank_offsets const& begins,
                linear_forest<std::int32_t> const& forest, tridiagonal_options const& options)
        : comm_(comm), options_(options), first_(first_of(begins)), block_(1), columns_(exec, forest.inverse.size()),
          positions_(copy_of(exec, forest.inverse)) {
        for_each(exec, columns_.size(), store_path_columns{forest.links.data(), first_, columns_.data()});
        make_order(exec, begins, begins, forest, columns_);
    }
    /// Along the paths of a forest of blocks.
    rank_factor(Executor const& exec, rank_communicator const& comm, rank_offsets const& begins,
                rank_pairs const& pairs, linear_forest<std::int32_t> const& forest, tridiagonal_options const& options)
        : comm_(comm), options_(options), first_(first_of(begins)), block_(2), columns_(exec, pairs.block_of.size()),
          positions_(exec, pairs.block_of.size()) {
        std::int64_t const blocks = pairs.members.size();
        buffer<std::int32_t> list(exec, 2 * blocks);
        for_each(exec, list.size(), neighbour_or_self{forest.links.data(), first_of(pairs.begins), list.data()});
        order_plan<Executor> const next(exec, comm, pairs.begins, list.view());
        buffer<block_members> neighbours(exec, 2 * blocks);
        elements_in_order<Executor, block_members>(exec, comm, next)
            .fetch(exec, pairs.members.data(), neighbours.data());
        buffer<factor_columns> of_blocks(exec, blocks);
        for_each(exec, blocks,
                 store_block_columns{forest.links.data(), pairs.members.data(), neighbours.data(), of_blocks.data()});
        order_plan<Executor> const own(exec, comm, pairs.begins, pairs.block_of.view());
        elements_in_order<Executor, factor_columns>(exec, comm, own).fetch(exec, of_blocks.data(), columns_.data());
        elements_in_order<Executor, std::int32_t>(exec, comm, own)
            .fetch(exec, forest.inverse.data(), positions_.data());
        for_each(exec, positions_.size(), position_in_block{columns_.data(), first_, block_, positions_.data()});
        make_order(exec, begins, pairs.begins, forest, of_blocks);
    }
    rank_factor(rank_factor const&) = delete;
    rank_factor& operator=(rank_factor const&) = delete;

    /// Of the vertices of this rank.
    buffer<factor_columns> const& columns() const { return columns_; }
    /// The vertices at the positions of this rank.
    order_plan<Executor> const& to_order() const { return *to_order_; }
    std::int64_t regularised_rows() const { return regularised_rows_; } ///< of all ranks
    bool replayable() const { return rhs_elements_->replayable() && x_elements_->replayable(); }

    /// Replaces the entries. `rows`: of the vertices of this rank; values.on_diagonal(p, a_vv), off_diagonal(p, q,
    /// a_vw) are those of the factor for the vertices v, w at positions p, q of this rank. `whole` as for
    /// factor_regulariser.
    template <class Values>
    void set(Executor const& exec, buffer<factor_row<T>> const& rows, bool whole, Values const& values) {
        using detail::system_diagnostics;
        std::int64_t const n = order_.size();
        buffer<factor_row<T>> in_order(exec, n);
        elements_in_order<Executor, factor_row<T>>(exec, comm_, *to_order_).fetch(exec, rows.data(), in_order.data());
        factor_regulariser<Executor, T, std::int32_t> regulariser;
        system_diagnostics own{0, 1};
        if (n > 0) {
            auto const entries = factor_->entries();
            std::int64_t const count = n * block_;
            fill(exec, array_view<T>(entries.lower, count), T(0));
            fill(exec, array_view<T>(entries.diagonal, count), T(0));
            fill(exec, array_view<T>(entries.upper, count), T(0));
            for_each(exec, n, store_factor_row<T, Values>{in_order.data(), order_.data(), entries, values});
            own = regulariser.diagnostics_of(exec, *factor_);
        }
        auto const of_all = comm_.all_reduce(own, detail::worse_diagnostics{});
        std::int64_t const regularised = n > 0 ? regulariser.regularise(exec, *factor_, whole, of_all) : 0;
        regularised_rows_ = comm_.all_reduce(regularised, plus{});
        exec.synchronize();
    }
    /// z = P^T S^-1 P r; r and z are in the order of the rows of A. z may be r.
    void solve(Executor const& exec, array_view<T const> r, array_view<T> z) {
        rhs_elements_->fetch(exec, r.data(), rhs_.data());
        if (factor_) factor_->solve_in_positions(exec, factor_->system(), rhs_.view(), x_.view());
        x_elements_->fetch(exec, x_.data(), z.data());
    }
    /// z = P^T S^-T P r. Allocates.
    void solve_transposed(Executor const& exec, array_view<T const> r, array_view<T> z) {
        rhs_elements_->fetch(exec, r.data(), rhs_.data());
        if (factor_)
            detail::solve_transposed(exec, factor_->system(), static_cast<std::int32_t const*>(nullptr),
                                     array_view<T const>(rhs_.view()), x_.view(),
                                     {.pivot = options_.pivot, .threshold = options_.threshold});
        x_elements_->fetch(exec, x_.data(), z.data());
    }

private:
    using vectors = elements_in_order<Executor, T>;

    std::int32_t first_of(rank_offsets const& begins) const { return std::int32_t(begins[std::size_t(comm_.rank())]); }
    /// Order, exchanges and memory of the solves. `of_blocks`: columns of the blocks of this rank.
    void make_order(Executor const& exec, rank_offsets const& begins, rank_offsets const& block_begins,
                    linear_forest<std::int32_t> const& forest, buffer<factor_columns> const& of_blocks) {
        rank_offsets whole = offsets_of_whole_paths(exec, comm_, block_begins, forest.path_offsets);
        auto const blocks = redistributed(exec, comm_, block_begins, forest.permutation, whole);
        order_plan<Executor> const at_positions(exec, comm_, block_begins, blocks.view());
        buffer<factor_columns> columns(exec, blocks.size());
        elements_in_order<Executor, factor_columns>(exec, comm_, at_positions)
            .fetch(exec, of_blocks.data(), columns.data());
        std::int64_t const n = block_ * blocks.size();
        order_ = buffer<std::int32_t>(exec, n);
        buffer<std::int32_t> read(exec, n);
        linear_forest<std::int32_t> paths;
        paths.vertices = std::int32_t(blocks.size());
        paths.links = buffer<std::int32_t>(exec, 2 * blocks.size());
        paths.permutation = buffer<std::int32_t>(exec, blocks.size());
        for_each(exec, blocks.size(),
                 store_order{columns.data(), block_, order_.data(), read.data(), paths.links.data()});
        for_each(exec, blocks.size(), store_index{0, paths.permutation.data()});
        to_order_.emplace(exec, comm_, begins, read.view());
        for (std::int64_t& begin : whole) begin *= block_; // of positions
        from_order_.emplace(exec, comm_, whole, positions_.view());
        rhs_ = buffer<T>(exec, n);
        x_ = buffer<T>(exec, n);
        rhs_elements_.emplace(exec, comm_, *to_order_);
        x_elements_.emplace(exec, comm_, *from_order_);
        if (n > 0) make_factor(exec, std::move(paths));
    }
    void make_factor(Executor const& exec, linear_forest<std::int32_t> paths) {
        if (block_ == 1) {
            paths.inverse = copy_of(exec, paths.permutation);
            factor_.emplace(exec, paths, options_);
            return;
        }
        paired_forest<std::int32_t> pairs;
        pairs.order = copy_of(exec, order_);
        pairs.blocks = std::move(paths);
        factor_.emplace(exec, pairs, options_);
    }

    rank_communicator comm_;
    tridiagonal_options options_;
    std::int32_t first_; ///< first vertex of this rank
    int block_;
    buffer<factor_columns> columns_;
    buffer<std::int32_t> positions_; ///< of the vertices of this rank
    buffer<std::int32_t> order_{};   ///< vertices at the positions of this rank; -1: none
    std::optional<order_plan<Executor>> to_order_{}, from_order_{};
    std::optional<vectors> rhs_elements_{}, x_elements_{};
    std::optional<detail::solvable_factor<Executor, T, std::int32_t>> factor_{}; ///< unless the rank has no positions
    buffer<T> rhs_{}, x_{};
    std::int64_t regularised_rows_ = 0;
};

} // namespace coppice::inline v0_1::distributed
