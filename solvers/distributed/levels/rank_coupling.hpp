// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The couplings of all levels of the distributed multilevel method (distributed_multilevel.hpp) with other ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <coppice/semiring/matrix_operations/elementwise.hpp>
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/distributed/levels/boundary_filter.hpp>
#include <coppice/solvers/distributed/levels/coupled_level.hpp>
#include <coppice/solvers/distributed/levels/couplings.hpp>
#include <coppice/solvers/distributed/levels/galerkin_at_boundaries.hpp>
#include <coppice/solvers/distributed/levels/merged_rows.hpp>
#include <coppice/solvers/distributed/levels/rank_symmetry.hpp>
#include <coppice/solvers/multilevel/multilevel_definitions.hpp>
#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

template <executor Executor, class T>
using rank_hierarchy = multilevel_detail::multilevel_hierarchy<Executor, T, float, std::int32_t>;

/// Number of levels, and nonzeros of all of them.
struct level_totals {
    double levels, nonzeros;
};

/// Sum of the magnitudes of each row of K.
template <class T>
struct store_row_magnitude {
    csr_view<T> k;
    std::int32_t const* rows;
    T* sums;
    COPPICE_HD void operator()(std::int64_t r) const {
        T sum(0);
        for (auto e = k.offsets[r]; e < k.offsets[r + 1]; ++e) sum += coppice::detail::magnitude(k.coefficients[e]);
        sums[rows[r]] = sum;
    }
};
/// r -= K x_outer, or r -= diagonal K x_outer
template <class T>
struct subtract_couplings {
    std::int32_t const* rows;
    T* r;
    T const* diagonal; ///< null: 1
    COPPICE_HD void operator()(std::int64_t row, T sum) const {
        std::int32_t const i = rows[row];
        r[i] -= diagonal ? diagonal[i] * sum : sum;
    }
};

/// The levels of all ranks as seen by one rank.
template <executor Executor, class T>
class rank_coupling final : public multilevel_detail::level_coupling<Executor, T, std::int32_t> {
public:
    /// The options also apply to the levels after merging rows.
    rank_coupling(Executor const& exec, rank_communicator const& messages, distributed_csr<Executor, T> const& a,
                  multilevel_options const& options)
        : rank_coupling(exec, messages, first_couplings(exec, messages, a), a.begins(), a.own_block().nonzeros(),
                        options, {}, target_rows(a.begins())) {
        pattern_.emplace(exec, square_pattern_of(levels_.front()->k));
    }
    /// The couplings `k` of a matrix whose own block has `nonzeros` nonzeros; `above`: the levels above. `target`: see
    /// target_rows().
    rank_coupling(Executor const& exec, rank_communicator const& messages, hypersparse_rows<T> k, rank_offsets begin,
                  std::int64_t nonzeros, multilevel_options const& options,
                  multilevel_detail::levels_above const& above, std::int64_t target)
        : messages_(messages), options_(options), above_(above), target_(target),
          first_nonzeros_(messages.all_reduce(double(nonzeros) + double(k.nonzeros()), plus{})) {
        hypersparse_rows<T> const no_q(exec, k.rows(), k.columns());
        add_level(exec, std::move(k), std::move(begin), no_q);
    }

    /// Reads the couplings of `a` for begin_refresh(). Throws for another pattern than that of the set-up and for
    /// values that are not finite. Not collective.
    hypersparse_rows<T> couplings_to_refresh(Executor const& exec, distributed_csr<Executor, T> const& a) const {
        auto couplings = first_couplings(exec, messages_, a);
        auto const& level = *levels_.front();
        if (a.begins() != level.begin || !are_equal(exec, couplings.list().view(), level.rows.rows.view()))
            detail::pattern_fingerprint::refuse();
        pattern_->require_same_pattern(exec, square_pattern_of(couplings));
        return couplings;
    }
    /// Takes the result of couplings_to_refresh(). Not collective.
    void begin_refresh(Executor const& exec, hypersparse_rows<T> couplings) {
        levels_.front()->refresh(exec, std::move(couplings));
        depth_ = 0;
    }
    /// Whether P has entries between ranks, for which galerkin_at_boundaries() needs a symmetric matrix. Equal on all
    /// ranks.
    bool needs_symmetry() const {
        return std::any_of(levels_.begin(), levels_.end(), [](auto const& level) { return level->crosses; }) ||
               (lower_coupling_ && lower_coupling_->needs_symmetry());
    }
    /// Whether new couplings on the pattern of the first level are symmetric up to rounding on all ranks. Collective.
    bool are_symmetric(Executor const& exec, csr_view<T> a, hypersparse_rows<T> const& k) {
        return !any_rank(!is_symmetric(exec, messages_, *levels_.front(), a, k));
    }

    int agreed_block(std::int64_t rows, int found) override {
        int agreed = 0; // a rank without rows agrees with all
        for (int const of_rank : messages_.gather(rows > 0 ? found : 0))
            agreed = of_rank == 0 ? agreed : agreed == 0 || agreed == of_rank ? of_rank : 1;
        return std::max(agreed, 1);
    }

    bool agreed_symmetry(Executor const& exec, csr_view<T> a, bool symmetric) override {
        if (!above_.symmetric)
            above_.symmetric =
                !any_rank(!symmetric) && are_symmetric(exec, a, levels_.front()->k); // the same on all ranks
        return above_.symmetric;
    }
    bool ends() override {
        groups_ = ranks_after_merging(current().begin, target_);
        return groups_ > 0;
    }
    std::int64_t entries() const override { return levels_[std::size_t(depth_)]->k.nonzeros(); }
    multilevel_detail::coupling_sums<T> row_sums(Executor const& exec) override {
        auto const& level = current();
        row_magnitudes_ = zeros(exec, level.size);
        for_each(exec, level.k.list().size(),
                 store_row_magnitude<T>{level.k.entries().view(), level.k.list().data(), row_magnitudes_.data()});
        return {row_magnitudes_.data()};
    }
    bool stalls(std::int64_t coarse) override {
        begin_below_ = offsets_of_ranks(messages_, coarse);
        auto const& begin = current().begin;
        if (!multilevel_detail::stalls(begin.back(), begin_below_.back())) return false;
        if (begin_below_.back() > 0) groups_ = ranks_after_stall(begin); // without aggregates merging is useless
        return true;
    }

    multilevel_detail::filtered_couplings<T>
    filter(Executor const& exec, multilevel_detail::filter_rule<T, std::int32_t> const& rule, double scale,
           multilevel_detail::tentative_prolongator<T, std::int32_t> const& tentative) override {
        detail::stopwatch watch(exec);
        auto& level = current();
        level.filtered =
            filter_at_boundaries(exec, messages_, level, rule, scale, above_.symmetric, first_below(), tentative);
        boundary_seconds_ += watch.lap();
        return filter_sums(exec);
    }
    multilevel_detail::filtered_couplings<T> refilter(Executor const& exec) override {
        begin_below_ = levels_[std::size_t(depth_) + 1]->begin;
        return filter_sums(exec);
    }
    array_view<std::int32_t const> boundary_rows() const override {
        return levels_[std::size_t(depth_)]->k.list().view();
    }

    void coarsen(Executor const& exec, multilevel_detail::smoothed_level<T, std::int32_t> const& made) override {
        detail::stopwatch watch(exec);
        auto& level = current();
        damp(exec, smoothing_, level.k.list(), made.damping);
        level.crosses = any_rank(smoothing_.nonzeros() > 0);
        p_halo_ = prolongator_in_halo(exec, level, made.p);
        next_ = galerkin_at_boundaries<Executor, T>(
            exec, messages_, {level.k, p_halo_, smoothing_, made.a, made.p, made.r_transposed, begin_below_},
            level.crosses);
        boundary_seconds_ += watch.lap();
    }
    csr_view<T> add_coupling_terms(Executor const& exec, csr_view<T> own) override {
        detail::stopwatch watch(exec);
        std::int32_t const first = first_below(), end = first + own.rows();
        bool const is_new = std::size_t(depth_) + 1 == levels_.size();
        auto const inside =
            renumber(exec, select_columns(exec, next_, first, end, true), 0, -first, own.rows(), own.columns());
        auto outside = select_columns(exec, next_, first, end, false);
        if (is_new)
            add_level(exec, std::move(outside), begin_below_, smoothing_);
        else
            levels_[std::size_t(depth_) + 1]->refresh(exec, std::move(outside));
        if (current().crosses) add_transfer_terms(exec, first, end, is_new);
        current().k = {};
        smoothing_ = {};
        p_halo_ = {};
        next_ = {};
        csr_view<T> const whole = inside.nonzeros() > 0 ? add_inside(exec, own, inside, is_new) : own;
        if (depth_ > 0) levels_[std::size_t(depth_) - 1]->next_values = {}; // no longer read
        ++depth_;
        boundary_seconds_ += watch.lap();
        return whole;
    }

    bool finish(Executor const& exec, csr_view<T> a, multilevel_detail::level_modes<T> const& modes,
                int smoothed) override {
        detail::stopwatch watch(exec);
        auto& level = current();
        if (level.begin.back() == 0 || groups_ == 0) return false;
        merge_ = std::make_unique<merged_rows<Executor, T>>(exec, messages_, level.begin, groups_);
        auto merged = merge_->merge(exec, a, std::move(level.k));
        merged_b_ = buffer<T>(exec, merge_->rows());
        merged_x_ = buffer<T>(exec, merge_->rows());
        auto const vectors = merge_modes(exec, modes, level.size);
        multilevel_detail::levels_above const above{above_.count + depth_, messages_.all_reduce(smoothed, maximum{}),
                                                    above_.symmetric};
        double const nonzeros =
            messages_.all_reduce(double(merged.own.nonzeros()) + double(merged.k.nonzeros()), plus{});
        multilevel_options below = options_;
        below.max_levels = std::max(1, options_.max_levels - depth_);
        below.products = options_.products * first_nonzeros_ / std::max(nonzeros, 1.0);
        bool const several = ranks_with_rows(merge_->begin()) > 1;
        if (several)
            lower_coupling_ = std::make_unique<rank_coupling>(exec, messages_, std::move(merged.k), merge_->begin(),
                                                              merged.own.nonzeros(), below, above, target_);
        if (several || merge_->rows() > 0)
            lower_ = std::make_unique<rank_hierarchy<Executor, T>>(
                exec, merged.own.view(), below, near_null_space<T>{modes.block, modes.count, vectors.view()},
                lower_coupling_.get(), above);
        merged_seconds_ = watch.lap();
        return true;
    }
    void refresh_last(Executor const& exec, csr_view<T> a) override {
        detail::stopwatch watch(exec);
        auto merged = merge_->merge(exec, a, std::move(current().k));
        if (lower_coupling_) lower_coupling_->begin_refresh(exec, std::move(merged.k));
        if (lower_) lower_->refresh(exec, merged.own.view());
        merged_seconds_ += watch.lap();
    }

    void transpose(Executor const& exec) override {
        for (auto& level : levels_) level->transpose(exec, messages_);
    }
    void start(Executor const& exec, int depth, T const* x, bool transposed) override {
        auto& level = *levels_[std::size_t(depth)];
        (transposed ? level.transposed->outer : level.outer).start(exec, x);
    }
    void subtract(Executor const& exec, int depth, T* r, T const* diagonal, bool transposed) override {
        auto& level = *levels_[std::size_t(depth)];
        auto& outer = transposed ? level.transposed->outer : level.outer;
        auto const& rows = transposed ? level.transposed->rows : level.rows;
        outer.finish(exec);
        rows.reduce(exec, outer.values(), subtract_couplings<T>{rows.rows.data(), r, diagonal});
    }
    T const* without_couplings(Executor const& exec, int depth, T const* b, bool transposed) override {
        auto& level = *levels_[std::size_t(depth)];
        if (level.rest.size() != level.size) level.rest = buffer<T>(exec, level.size);
        exec.copy_elements(b, level.rest.data(), level.size);
        subtract(exec, depth, level.rest.data(), nullptr, transposed);
        return level.rest.data();
    }
    bool crosses(int depth) const override { return levels_[std::size_t(depth)]->crosses; }
    void add_restricted(Executor const& exec, int depth, T* b) override {
        auto& level = *levels_[std::size_t(depth)];
        level.outer.finish(exec);
        level.restricted.reduce(exec, level.outer.values(), add_to_rows<T>{b, level.restricted.rows.data()});
    }
    void add_prolonged(Executor const& exec, int depth, T* x) override {
        auto& level = *levels_[std::size_t(depth)];
        auto& below = *levels_[std::size_t(depth) + 1];
        below.outer.finish(exec);
        level.prolonged.reduce(exec, below.outer.values(), add_to_rows<T>{x, level.prolonged.rows.data()});
    }
    void solve(Executor const& exec, T const* b, T* x, bool transposed) override {
        merge_->to_merged(exec, b, merged_b_.data());
        if (lower_ && transposed) lower_->apply_transpose(exec, merged_b_.data(), merged_x_.data());
        if (lower_ && !transposed) lower_->apply(exec, merged_b_.data(), merged_x_.data());
        merge_->to_ranks(exec, merged_x_.data(), x);
    }

    /// The size of all levels on this rank, from the report of the hierarchy of this coupling.
    level_totals totals(multilevel_report const& report) const {
        level_totals all{double(report.levels.size()), 0};
        for (std::size_t d = 0; d + (merge_ ? 1 : 0) < levels_.size(); ++d) // a merged level is counted after merging
            all.nonzeros += double(report.levels[d].nonzeros) + double(levels_[d]->rows.values.size());
        if (!lower_) return all;
        multilevel_report const& lower = lower_->report();
        level_totals below{double(lower.levels.size()), 0};
        if (lower_coupling_)
            below = lower_coupling_->totals(lower);
        else
            for (auto const& level : lower.levels) below.nonzeros += double(level.nonzeros);
        return {all.levels + below.levels - 1, all.nonzeros + below.nonzeros};
    }
    double first_nonzeros() const { return first_nonzeros_; } ///< of the matrix of all ranks
    /// Communication between ranks: of the set-up and of all refreshes together.
    double boundary_seconds() const { return boundary_seconds_; }
    /// The levels after merging rows: of the set-up and of all refreshes together.
    double merged_seconds() const { return merged_seconds_; }
    /// Whether a cycle may be captured into a CUDA graph.
    bool replayable() const { // not covered: devices only
        bool all = !merge_ || merge_->replayable();
        for (auto const& level : levels_) all = all && level->outer.replayable();
        return all && (!lower_coupling_ || lower_coupling_->replayable());
    }

private:
    std::int32_t first_below() const { return std::int32_t(begin_below_[std::size_t(messages_.rank())]); }
    std::int32_t all_below() const { return std::int32_t(begin_below_.back()); }
    bool any_rank(bool of_this) const { return messages_.all_reduce(int(of_this), maximum{}) != 0; }
    coupled_level<Executor, T>& current() { return *levels_[std::size_t(depth_)]; }
    static buffer<T> zeros(Executor const& exec, std::int64_t count) {
        buffer<T> values(exec, count);
        coppice::fill(exec, values.view(), T(0));
        return values;
    }
    void add_level(Executor const& exec, hypersparse_rows<T> couplings, rank_offsets begin,
                   hypersparse_rows<T> const& above) {
        levels_.push_back(std::make_unique<coupled_level<Executor, T>>(exec, messages_, std::move(couplings),
                                                                       std::move(begin), above));
    }
    /// K of the first level.
    static hypersparse_rows<T> first_couplings(Executor const& exec, rank_communicator const& messages,
                                               distributed_csr<Executor, T> const& a) {
        return couplings_of(exec, a, a.begins()[std::size_t(messages.rank())], [](T value) { return value; });
    }
    /// The listed rows of K as a matrix of rows x rows, because pattern_fingerprint takes square matrices only.
    static csr_view<T> square_pattern_of(hypersparse_rows<T> const& k) {
        auto const rows = k.entries().view();
        return {rows.rows(), rows.rows(), rows.nonzeros(), rows.offsets, rows.indices};
    }
    /// Computes K_F P_0 and the sums of the filter for the values of the current level.
    multilevel_detail::filtered_couplings<T> filter_sums(Executor const& exec) {
        detail::stopwatch watch(exec);
        auto const& level = current();
        dropped_ = zeros(exec, level.size);
        remaining_ = zeros(exec, level.size);
        smoothing_ = smoothing_at_boundaries(exec, level, all_below(), dropped_.data(), remaining_.data());
        boundary_seconds_ += watch.lap();
        return {dropped_.data(), remaining_.data()};
    }
    /// Q of this rank and the rows [first, end) of its coarse unknowns in Q^T of other ranks, in columns of the
    /// halos.
    void add_transfer_terms(Executor const& exec, std::int32_t first, std::int32_t end, bool is_new) {
        auto& level = current();
        auto const& below = *levels_[std::size_t(depth_) + 1];
        auto to_own = transposed(exec, select_columns(exec, p_halo_, first, end, true));
        if (!is_new) {
            refresh_values(exec, level.restricted, to_own);
            refresh_values(exec, level.prolonged, smoothing_);
            return;
        }
        level.restricted = rows_in_halo(exec, std::move(to_own), first, level.needs);
        level.prolonged = rows_in_halo(exec, std::move(smoothing_), 0, below.needs);
    }
    /// The next own block, own + inside, whose arrays the current level stores.
    csr_view<T> add_inside(Executor const& exec, csr_view<T> own, hypersparse_rows<T> const& inside, bool is_new) {
        auto& level = current();
        auto sum = add_hypersparse(exec, own, inside);
        auto const rows = sum.rows(), columns = sum.columns(), nonzeros = sum.nonzeros();
        auto arrays = std::move(sum).release();
        level.next_values = std::move(arrays.values);
        if (is_new) {
            level.next_offsets = std::move(arrays.offsets);
            level.next_indices = std::move(arrays.indices);
        }
        require_size("values of a level of a multilevel method", level.next_values.size(), level.next_indices.size());
        return {rows,
                columns,
                nonzeros,
                level.next_offsets.data(),
                level.next_indices.data(),
                std::as_const(level.next_values).data()};
    }
    /// The near-null-space vectors of the last level, which has `size` rows on this rank, after merging rows.
    buffer<T> merge_modes(Executor const& exec, multilevel_detail::level_modes<T> const& modes, std::int64_t size) {
        buffer<T> vectors(exec, merge_->rows() * modes.count);
        for (int c = 0; c < modes.count; ++c)
            merge_->to_merged(exec, modes.vectors.data() + c * size, vectors.data() + c * merge_->rows());
        return vectors;
    }
    /// P + Q in the rows of the halo of the level.
    hypersparse_rows<T> prolongator_in_halo(Executor const& exec, coupled_level<Executor, T> const& level,
                                            csr_view<T> p) const {
        halo_plan const& plan = level.outer.plan();
        auto const& sent_rows = level.outer.sent_rows();
        auto of_p = rows_at(exec, p, detail::distinct_of(exec, copy_of(exec, sent_rows)));
        of_p = renumber(exec, std::move(of_p), 0, first_below(), level.size, all_below());
        if (level.crosses) of_p = add(exec, of_p, smoothing_);
        auto const sent = gather_rows(exec, of_p, sent_rows);
        return detail::list_rows(exec, level.all, level.needs.data(),
                                 exchange_rows(exec, messages_, plan.send_begin, sent.view(), plan.receive_begin));
    }

    rank_communicator messages_;
    multilevel_options options_;
    multilevel_detail::levels_above above_; ///< its `symmetric` is that of the matrix of all ranks
    std::int64_t target_;                   ///< target_rows() of the first level of all
    std::vector<std::unique_ptr<coupled_level<Executor, T>>> levels_{};
    double first_nonzeros_;                                ///< of the first level, on all ranks
    std::optional<detail::pattern_fingerprint> pattern_{}; ///< of K of the first level of all
    int depth_ = 0;                                        ///< the level that is being set up or refreshed
    std::int64_t groups_ = 0; ///< number of ranks that take the rows of the last level; 0: they are not merged
    /// these and all members down to next_: of the level that is being coarsened
    buffer<T> row_magnitudes_{}, dropped_{}, remaining_{};
    rank_offsets begin_below_{};      ///< first row of each rank on the next level
    hypersparse_rows<T> smoothing_{}; ///< K_F P_0, after damping Q; global columns
    hypersparse_rows<T> p_halo_{};    ///< P + Q in rows of other ranks; global rows and columns
    hypersparse_rows<T> next_{};      ///< the next matrix minus R A P of the own blocks; global columns
    double boundary_seconds_ = 0, merged_seconds_ = 0;
    std::unique_ptr<merged_rows<Executor, T>> merge_{}; ///< of the last level
    buffer<T> merged_b_{}, merged_x_{};
    std::unique_ptr<rank_coupling> lower_coupling_{};      ///< if several ranks have rows after merging
    std::unique_ptr<rank_hierarchy<Executor, T>> lower_{}; ///< the levels after merging; null without rows
};

} // namespace distributed
} // namespace coppice::inline v0_1
