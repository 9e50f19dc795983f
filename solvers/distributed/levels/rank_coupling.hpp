// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The couplings of all levels of the distributed multilevel method (distributed_multilevel.hpp) with other ranks.
#pragma once

#include <algorithm>
#include <cmath>
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
#include <coppice/solvers/distributed/levels/gathered_matrix.hpp>
#include <coppice/solvers/distributed/rows/rank_executor.hpp>
#include <coppice/solvers/multilevel/multilevel_definitions.hpp>
#include <coppice/solvers/precondition/interface/pattern_fingerprint.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

template <executor Executor, class T>
using rank_hierarchy = multilevel_detail::multilevel_hierarchy<Executor, T, float, std::int32_t>;

/// The levels of all ranks as seen by one rank.
template <executor Executor, class T>
class rank_coupling final : public multilevel_detail::level_coupling<Executor, T, std::int32_t> {
public:
    /// The options also apply to the last levels, which every rank stores.
    rank_coupling(Executor const& exec, rank_communicator const& messages, distributed_csr<Executor, T> const& a,
                  multilevel_options const& options)
        : exec_(exec, messages), options_(options) {
        first_nonzeros_ = this->messages().all_reduce(double(a.own_block().nonzeros()), plus{});
        auto couplings = first_couplings(exec, a);
        hypersparse_rows<T> const above(exec, couplings.rows(), couplings.columns());
        pattern_.emplace(exec, square_pattern_of(couplings));
        add_level(exec, std::move(couplings), a.begins(), above);
    }

    /// Reads the couplings of `a` for begin_refresh(). Throws for another pattern than that of the set-up and for
    /// values that are not finite. Not collective.
    hypersparse_rows<T> couplings_to_refresh(Executor const& exec, distributed_csr<Executor, T> const& a) const {
        auto couplings = first_couplings(exec, a);
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
    /// Whether P has entries between ranks, which galerkin_at_boundaries() multiplies by symmetric own blocks.
    bool needs_symmetric_blocks() const {
        return std::any_of(levels_.begin(), levels_.end(), [](auto const& level) { return level->crosses; });
    }

    int agreed_block(std::int64_t rows, int found) override {
        int agreed = 0; // a rank without rows agrees with all
        for (int const of_rank : messages().gather(rows > 0 ? found : 0))
            agreed = of_rank == 0 ? agreed : agreed == 0 || agreed == of_rank ? of_rank : 1;
        return std::max(agreed, 1);
    }

    bool ends(std::int64_t rows) override {
        std::int64_t const target = levels_.front()->begin.back() / messages().ranks() / gathered_fraction;
        return offsets_of_ranks(messages(), rows).back() <=
               std::clamp(target, min_gathered_target, max_gathered_target);
    }
    multilevel_detail::coupling_sums<T> row_sums(Executor const& exec) override {
        auto const& level = current();
        row_magnitudes_ = zeros(exec, level.size);
        csr_view<T> const k = level.k.entries().view();
        std::int32_t const* const rows = level.k.list().data();
        T* const sums = row_magnitudes_.data();
        for_each(exec, level.k.list().size(), [=] COPPICE_HD(std::int64_t r) {
            T sum(0);
            for (auto e = k.offsets[r]; e < k.offsets[r + 1]; ++e) sum += detail::magnitude(k.coefficients[e]);
            sums[rows[r]] = sum;
        });
        return {row_magnitudes_.data()};
    }
    bool is_last_of_any(bool of_this) override { return any_rank(of_this); }

    multilevel_detail::filtered_couplings<T>
    filter(Executor const& exec, multilevel_detail::filter_rule<T, std::int32_t> const& rule, double scale,
           multilevel_detail::tentative_prolongator<T, std::int32_t> const& tentative, bool symmetric) override {
        detail::stopwatch watch(exec);
        auto& level = current();
        if (depth_ == 0) {
            auto const couplings = symmetry_of(exec, messages(), level.k, level.begin);
            smooths_over_boundaries_ = !any_rank(!symmetric || !couplings.pattern);
            symmetric_ = !any_rank(!symmetric || !couplings.values);
        }
        begin_below_ = offsets_of_ranks(messages(), tentative.p.columns());
        level.filtered = filter_at_boundaries(exec, messages(), level, rule, scale, smooths_over_boundaries_,
                                              first_below(), tentative);
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
            exec, messages(), {level.k, p_halo_, smoothing_, made.a, made.p, made.r_transposed, begin_below_},
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

    bool finish(Executor const& exec, csr_view<T> a, multilevel_detail::level_modes<T> const& modes) override {
        detail::stopwatch watch(exec);
        auto& level = current();
        if (level.begin.back() > max_gathered_rows || level.begin.back() == 0) return false;
        for (std::size_t p = 0; p + 1 < level.begin.size(); ++p)
            rows_per_rank_ = std::max(rows_per_rank_, level.begin[p + 1] - level.begin[p]);
        mine_ = zeros(exec, rows_per_rank_);
        csr<T> const together = gather_level(exec, a);
        std::int64_t const n = together.rows();
        multilevel_options below = options_;
        below.max_levels = std::max(1, options_.max_levels - depth_);
        below.drop = std::ldexp(options_.drop, -depth_);
        below.products = options_.products * first_nonzeros_ / double(together.nonzeros());
        auto const vectors = gather_modes(exec, modes, level.size);
        solver_ = std::make_unique<rank_hierarchy<Executor, T>>(
            exec, together.view(), below, near_null_space<T>{modes.block, modes.count, vectors.view()}, nullptr,
            symmetric_);
        all_ = buffer<T>(exec, n);
        solution_ = buffer<T>(exec, n);
        together_seconds_ = watch.lap();
        return true;
    }
    void refresh_last(Executor const& exec, csr_view<T> a) override {
        detail::stopwatch watch(exec);
        csr<T> const together = gather_level(exec, a);
        solver_->refresh(exec, together.view());
        together_seconds_ += watch.lap();
    }

    void start(Executor const& exec, int depth, T const* x) override {
        levels_[std::size_t(depth)]->outer.start(exec, x);
    }
    void subtract(Executor const& exec, int depth, T* r, T const* diagonal) override {
        auto& level = *levels_[std::size_t(depth)];
        level.outer.finish(exec);
        std::int32_t const* const rows = level.rows.rows.data();
        level.rows.reduce(exec, level.outer.values(), [=] COPPICE_HD(std::int64_t row, T sum) {
            std::int32_t const i = rows[row]; // r -= K x_outer, or r -= diagonal K x_outer
            r[i] -= diagonal ? diagonal[i] * sum : sum;
        });
    }
    T const* without_couplings(Executor const& exec, int depth, T const* b) override {
        auto& level = *levels_[std::size_t(depth)];
        if (level.rest.size() != level.size) level.rest = buffer<T>(exec, level.size);
        exec.copy_elements(b, level.rest.data(), level.size);
        subtract(exec, depth, level.rest.data(), nullptr);
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
    void solve(Executor const& exec, T const* b, T* x) override {
        auto const& level = *levels_.back();
        std::int64_t const n = level.size;
        exec.copy_elements(b, mine_.data(), n);
        detail::gather_values(exec_, mine_.data(), all_.data(), rows_per_rank_);
        solver_->apply(exec, all_.data(), solution_.data());
        exec.copy_elements(solution_.data() + messages().rank() * rows_per_rank_, x, n);
    }

    std::int64_t levels() const { return std::int64_t(levels_.size()); }
    /// Communication between ranks: of the set-up and of all refreshes together.
    double boundary_seconds() const { return boundary_seconds_; }
    /// The levels that every rank stores: of the set-up and of all refreshes together.
    double together_seconds() const { return together_seconds_; }
    /// Whether a cycle may be captured into a CUDA graph.
    bool replayable() const { // not covered: devices only
        bool all = true;
        for (auto const& level : levels_) all = all && level->outer.replayable();
        return all && gathers_on_device(exec_);
    }

private:
    /// Number of rows of all ranks below which every rank stores the whole matrix: a level of this size takes no more
    /// time than on a single rank, and needs no halo.
    static constexpr std::int64_t min_gathered_target = 4096, max_gathered_target = 131072;
    /// the same relative to the rows per rank of the first level
    static constexpr std::int64_t gathered_fraction = 16;
    static constexpr std::int64_t max_gathered_rows = 262144; ///< limit if coarsening stalls earlier

    static bool gathers_on_device(host_rank const&) { return false; } // not covered: devices only
    static bool gathers_on_device(cuda_rank const& exec) { return exec.comm().devices() != nullptr; }
    rank_communicator const& messages() const { return exec_.comm(); }
    std::int32_t first_below() const { return std::int32_t(begin_below_[std::size_t(messages().rank())]); }
    std::int32_t all_below() const { return std::int32_t(begin_below_.back()); }
    bool any_rank(bool of_this) const { return messages().all_reduce(int(of_this), maximum{}) != 0; }
    coupled_level<Executor, T>& current() { return *levels_[std::size_t(depth_)]; }
    static buffer<T> zeros(Executor const& exec, std::int64_t count) {
        buffer<T> values(exec, count);
        coppice::fill(exec, values.view(), T(0));
        return values;
    }
    void add_level(Executor const& exec, hypersparse_rows<T> couplings, rank_offsets begin,
                   hypersparse_rows<T> const& above) {
        levels_.push_back(std::make_unique<coupled_level<Executor, T>>(exec, messages(), std::move(couplings),
                                                                       std::move(begin), above));
    }
    /// K of the first level.
    hypersparse_rows<T> first_couplings(Executor const& exec, distributed_csr<Executor, T> const& a) const {
        return couplings_of(exec, a, a.begins()[std::size_t(messages().rank())], [](T value) { return value; });
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
    /// The last level of all ranks.
    csr<T> gather_level(Executor const& exec, csr_view<T> a) {
        auto& level = current();
        csr<T> const mine =
            rows_of_rank(exec, a, std::move(level.k), level.begin, std::int32_t(rows_per_rank_), messages().rank());
        return gather_all_rows(exec_, mine.view());
    }
    /// The near-null-space vectors of all ranks for the last level, which has `size` rows on this rank; zeros in
    /// padding rows.
    buffer<T> gather_modes(Executor const& exec, multilevel_detail::level_modes<T> const& modes, std::int64_t size) {
        std::int64_t const n = rows_per_rank_ * messages().ranks();
        buffer<T> vectors(exec, n * modes.count);
        for (int c = 0; c < modes.count; ++c) {
            exec.copy_elements(modes.vectors.data() + c * size, mine_.data(), size);
            detail::gather_values(exec_, mine_.data(), vectors.data() + c * n, rows_per_rank_);
        }
        if (modes.count > 0) coppice::fill(exec, mine_.view(), T(0)); // the padding of solve()
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
                                 exchange_rows(exec, messages(), plan.send_begin, sent.view(), plan.receive_begin));
    }

    rank_executor<Executor> exec_;
    multilevel_options options_;
    std::vector<std::unique_ptr<coupled_level<Executor, T>>> levels_{};
    double first_nonzeros_ = 0;                            ///< of the own blocks
    std::optional<detail::pattern_fingerprint> pattern_{}; ///< of K of the first level
    int depth_ = 0;                                        ///< the level that is being set up or refreshed
    std::int64_t rows_per_rank_ = 0;                       ///< rows per rank of the gathered last level
    /// these and all members down to next_: of the level that is being coarsened
    buffer<T> row_magnitudes_{}, dropped_{}, remaining_{};
    bool smooths_over_boundaries_ = false, symmetric_ = false;
    rank_offsets begin_below_{};      ///< first row of each rank on the next level
    hypersparse_rows<T> smoothing_{}; ///< K_F P_0, after damping Q; global columns
    hypersparse_rows<T> p_halo_{};    ///< P + Q in rows of other ranks; global rows and columns
    hypersparse_rows<T> next_{};      ///< the next matrix minus R A P of the own blocks; global columns
    double boundary_seconds_ = 0, together_seconds_ = 0;
    buffer<T> mine_{}, all_{}, solution_{};
    std::unique_ptr<rank_hierarchy<Executor, T>> solver_{}; ///< of the levels that every rank stores
};

} // namespace distributed
} // namespace coppice::inline v0_1
