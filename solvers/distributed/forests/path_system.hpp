// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A tridiagonal system along a forest over ranks, and its solution for vectors in the order of the rows of A.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <coppice/solvers/direct/regularise/regularise_tridiagonal.hpp>
#include <coppice/solvers/distributed/bands/reduced_ranks.hpp>
#include <coppice/solvers/distributed/forests/forest_rows.hpp>
#include <coppice/solvers/precondition/interface/transposed.hpp>

namespace coppice::inline v0_1::distributed {

/// Row p of the transpose of the rows of a rank.
template <class T>
struct transpose_band_row {
    tridiagonal_view<T> a;
    T upper_before, lower_after; ///< entries of other ranks in the columns of the first and last row of this rank
    T *lower, *diagonal, *upper;
    COPPICE_HD void operator()(std::int64_t p) const {
        lower[p] = p > 0 ? a.upper[p - 1] : upper_before;
        diagonal[p] = a.diagonal[p];
        upper[p] = p + 1 < a.length ? a.lower[p + 1] : lower_after;
    }
};

template <class T>
struct scale_band_row {
    T const* factors;
    T *lower, *diagonal, *upper;
    COPPICE_HD void operator()(std::int64_t p) const {
        lower[p] = factors[p] * lower[p];
        diagonal[p] = factors[p] * diagonal[p];
        upper[p] = factors[p] * upper[p];
    }
};

/// For set() of a system that is not scaled.
struct keep_bands {
    template <class Plan, class System>
    void operator()(Plan const&, System const&) const {}
};

/// Throws argument_error for options of the solves that are available on one rank only.
template <executor Executor, class T>
void require_solves_over_ranks(Executor const& exec, tridiagonal_options const& options, std::string const& name) {
    if (distributed_rpts<T, Executor>::takes(exec, {.pivot = options.pivot, .threshold = options.threshold})) return;
    throw argument_error(name + (options.threshold != 0
                                     ? " on several ranks: threshold must be 0"
                                     : " on several ranks on CUDA: pivoting must be partial or scaled"));
}

/// The rows of a rank of the system T of a forest, distributed in the order of the forest: each rank begins at the
/// start of a path near its first row if then no rank has more than 5/4 of the rows of the largest rank of A. Otherwise
/// (there are few long paths) the positions are divided as the rows of A are. In the first case each rank solves its
/// own system, in the second case the solve is distributed RPTS. All members are collective. Immovable: vectors and
/// solvers refer to the plans.
template <executor Executor, class T>
class path_system {
public:
    using row = graph_detail::forest_row<T>;

    /// `begins`: first row of each rank. `forest`: of extract_forest() over the ranks.
    path_system(Executor const& exec, rank_communicator const& comm, rank_offsets const& begins,
                linear_forest<std::int32_t> const& forest, tridiagonal_options const& options)
        : comm_(comm), options_(options), begins_(begins),
          whole_(offsets_of_whole_paths(exec, comm, begins_, forest.path_offsets)),
          divided_(4 * max_block_rows(whole_) > 5 * max_block_rows(begins_)),
          paths_(plan_of_positions(exec, forest.permutation, whole_)),
          from_order_(exec, comm, begins_of_positions(), forest.inverse.view()) {
        if (divided_) {
            to_order_.emplace(exec, comm, begins_, forest.permutation.view());
            division_.emplace(plan_of_range(exec, comm, whole_, begins_));
        }
        std::int64_t const n = to_order().source.size();
        system_ = tridiagonal<T>(exec, n);
        rhs_ = buffer<T>(exec, n);
        x_ = buffer<T>(exec, n);
        rhs_elements_.emplace(exec, comm_, to_order());
        x_elements_.emplace(exec, comm_, from_order_);
        if (divided_)
            over_ranks_.emplace(exec, comm_, system_.view(), options_of_bands());
        else
            workspace_ = buffer<std::byte>(exec, tridiagonal_workspace<T>(n));
    }
    path_system(path_system const&) = delete;
    path_system& operator=(path_system const&) = delete;

    bool divided() const { return divided_; } ///< whether a path may have rows of several ranks
    std::int64_t regularised_rows() const { return regularised_rows_; } ///< of all ranks
    bool replayable() const {
        return (!divided_ || over_ranks_->replayable()) && rhs_elements_->replayable() && x_elements_->replayable();
    }

    /// Replaces the system by the given rows, in the order of the vertices of this rank. Then scale(plan, system) may
    /// change the system, in which every path is on one rank and whose rows are those of the plan; then it is
    /// regularised, and passed to read(plan, system). `whole`: as for tridiagonal_regulariser.
    template <class Scale = keep_bands, class Read = keep_bands>
    void set(Executor const& exec, buffer<row> const& rows, bool whole, Scale const& scale = {},
             Read const& read = {}) {
        transposed_ranks_.reset();
        tridiagonal<T> undivided;
        if (divided_) undivided = tridiagonal<T>(exec, paths_.source.size());
        tridiagonal<T>& bands = divided_ ? undivided : system_;
        read_bands(exec, comm_, paths_, rows, bands);
        scale(paths_, bands);
        regularise(exec, bands, whole);
        read(paths_, std::as_const(bands));
        if (!divided_) return;
        buffer<row> merged(exec, bands.size());
        for_each(exec, merged.size(), merge_bands<T>{bands.view(), merged.data()});
        read_bands(exec, comm_, *division_, merged, system_);
    }

    /// Multiplies the row of each vertex of this rank by its factor.
    void scale_rows(Executor const& exec, buffer<T> const& factors) {
        transposed_ranks_.reset();
        buffer<T> in_order(exec, system_.size());
        elements_in_order<Executor, T>(exec, comm_, to_order()).fetch(exec, factors.data(), in_order.data());
        for_each(
            exec, in_order.size(),
            scale_band_row<T>{in_order.data(), system_.lower.data(), system_.diagonal.data(), system_.upper.data()});
    }

    /// z = P^T T^-1 P r; r and z are in the order of the rows of A. z may be r.
    void solve(Executor const& exec, array_view<T const> r, array_view<T> z) {
        fetch_rhs(exec, r);
        solve_in_order(exec);
        fetch_x(exec, z);
    }
    /// The steps of solve(), between which rhs() and x() have the elements in the order of the forest.
    void fetch_rhs(Executor const& exec, array_view<T const> r) { rhs_elements_->fetch(exec, r.data(), rhs()); }
    void solve_in_order(Executor const& exec) {
        array_view<T const> const d = rhs_.view();
        if (divided_)
            over_ranks_->solve_on_executor(d, x_.view());
        else if (system_.size() > 0)
            solve_tridiagonal_by_rpts(exec, system_.view(), d, x_.view(), workspace_.view(), options_);
    }
    void fetch_x(Executor const& exec, array_view<T> z) { x_elements_->fetch(exec, x(), z.data()); }
    T* rhs() { return rhs_.data(); }
    T const* x() const { return x_.data(); }
    /// The vertices at the positions of rhs() and x(), and the first position of each rank.
    order_plan<Executor> const& to_order() const { return divided_ ? *to_order_ : paths_; }
    rank_offsets const& begins_of_positions() const { return divided_ ? begins_ : whole_; }
    rank_offsets const& begins_of_paths() const { return whole_; } ///< if every path is on one rank

    /// z = P^T T^-T P r. Allocates.
    void solve_transposed(Executor const& exec, array_view<T const> r, array_view<T> z) {
        fetch_rhs(exec, r);
        if (divided_) {
            if (!transposed_ranks_) make_transposed(exec);
            transposed_ranks_->solve_on_executor(rhs_.view(), x_.view());
        } else if (system_.size() > 0) {
            detail::solve_transposed(exec, band_matrix<T>(system_.view()), static_cast<std::int32_t const*>(nullptr),
                                     array_view<T const>(rhs_.view()), x_.view(), options_of_bands());
        }
        fetch_x(exec, z);
    }

private:
    using plan_type = order_plan<Executor>;
    using vectors = elements_in_order<Executor, T>;

    std::size_t self() const { return std::size_t(comm_.rank()); }
    band_options options_of_bands() const { return {.pivot = options_.pivot, .threshold = options_.threshold}; }

    /// The vertices at the positions [of[rank], of[rank + 1]).
    plan_type plan_of_positions(Executor const& exec, buffer<std::int32_t> const& permutation,
                                rank_offsets const& of) const {
        auto const order = redistributed(exec, comm_, begins_, permutation, of);
        return {exec, comm_, begins_, order.view()};
    }

    /// Regularises a system in which every path is on one rank.
    void regularise(Executor const& exec, tridiagonal<T>& bands, bool whole) {
        using detail::system_diagnostics, detail::worse_diagnostics;
        auto const diagnostics = comm_.all_reduce(reduce(exec, bands.size(), system_diagnostics{0, 1},
                                                         detail::row_diagnostics<T>{bands.view()}, worse_diagnostics{}),
                                                  worse_diagnostics{});
        tridiagonal_regulariser<Executor, T> regulariser;
        std::int64_t const rows =
            bands.size() == 0 ? 0 : regulariser.regularise(exec, bands, options_, whole, diagnostics);
        regularised_rows_ = comm_.all_reduce(rows, plus{});
        exec.synchronize();
    }

    void make_transposed(Executor const& exec) {
        struct ends {
            T first_lower, last_upper;
            std::int64_t rows;
        };
        std::int64_t const n = system_.size();
        auto const all =
            comm_.gather(n > 0 ? ends{exec.load(system_.lower.data()), exec.load(system_.upper.data() + n - 1), n}
                               : ends{T(0), T(0), 0});
        T upper_before(0), lower_after(0); // of the nearest ranks that have rows
        for (std::size_t p = 0; p < self(); ++p)
            if (all[p].rows > 0) upper_before = all[p].last_upper;
        for (std::size_t p = all.size(); --p > self();)
            if (all[p].rows > 0) lower_after = all[p].first_lower;
        transposed_ = tridiagonal<T>(exec, n);
        for_each(exec, n,
                 transpose_band_row<T>{system_.view(), upper_before, lower_after, transposed_.lower.data(),
                                       transposed_.diagonal.data(), transposed_.upper.data()});
        transposed_ranks_.emplace(exec, comm_, transposed_.view(), options_of_bands());
    }

    rank_communicator comm_;
    tridiagonal_options options_;
    rank_offsets begins_, whole_; ///< first row of each rank, and first position if no path is divided
    bool divided_;
    std::int64_t regularised_rows_ = 0;
    plan_type paths_;                     ///< of the elements of r at the positions from whole_
    plan_type from_order_;                ///< of the elements of z
    std::optional<plan_type> to_order_{}; ///< of the elements of r if divided_; otherwise paths_
    std::optional<plan_type> division_{}; ///< of the positions from begins_ in a vector distributed by whole_
    tridiagonal<T> system_{};
    std::optional<vectors> rhs_elements_{}, x_elements_{};
    std::optional<distributed_rpts<T, Executor>> over_ranks_{}; ///< if divided_
    tridiagonal<T> transposed_{};
    std::optional<distributed_rpts<T, Executor>> transposed_ranks_{}; ///< of transposed_, from the first use
    buffer<T> rhs_{}, x_{};
    buffer<std::byte> workspace_{}; ///< unless divided_
};

} // namespace coppice::inline v0_1::distributed
