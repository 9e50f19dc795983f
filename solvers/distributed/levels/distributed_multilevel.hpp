// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The multilevel forest method over several ranks. Each rank coarsens its own block; aggregates do not cross rank
/// boundaries; on every level the residual includes the couplings K between ranks.
///
/// The matrix of every level is the Galerkin product over all ranks. If all own blocks are symmetric, the prolongator
/// is also smoothed across rank boundaries and has entries Q in columns of other ranks. Otherwise the row sums of K are
/// lumped to the diagonal of the filtered matrix, like all dropped entries, so that constants are preserved. Without Q
/// the couplings across a rank boundary become three times too strong, relative to those within a rank, with every
/// level. When all ranks together have few rows, every rank gathers the whole matrix and solves the same system by its
/// own cycle.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <coppice/semiring/matrix_operations/elementwise.hpp>
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/distributed/levels/boundary_filter.hpp>
#include <coppice/solvers/distributed/levels/coupled_level.hpp>
#include <coppice/solvers/distributed/levels/galerkin_at_boundaries.hpp>
#include <coppice/solvers/distributed/levels/gathered_matrix.hpp>
#include <coppice/solvers/distributed/rows/rank_executor.hpp>
#include <coppice/solvers/multilevel/multilevel_definitions.hpp>

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
        auto const& of_matrix = a.couplings();
        std::vector<std::int32_t> rows;
        for (std::size_t r = 0; r < of_matrix.rows.size(); ++r)
            rows.insert(rows.end(), std::size_t(of_matrix.offsets[r + 1] - of_matrix.offsets[r]), of_matrix.rows[r]);
        first_nonzeros_ = this->messages().all_reduce(double(a.own_block().nonzeros()), plus{});
        auto const size = std::int32_t(a.size()), all = std::int32_t(a.begins().back());
        add_level(exec,
                  matrix_of_tuples(exec, size, all, exec.copy(rows), exec.copy(of_matrix.columns),
                                   exec.copy(of_matrix.values)),
                  a.begins(), hypersparse_rows<T>(exec, size, all));
    }

    bool ends(std::int64_t rows) override {
        std::int64_t const target = levels_.front()->begin.back() / messages().ranks() / gathered_fraction;
        return offsets_of_ranks(messages(), rows).back() <=
               std::clamp(target, min_gathered_target, max_gathered_target);
    }
    multilevel_detail::coupling_sums<T> row_sums(Executor const& exec) override {
        auto const& level = *levels_.back();
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

    multilevel_detail::filtered_couplings<T> filter(Executor const& exec,
                                                    multilevel_detail::filter_rule<T, std::int32_t> const& rule,
                                                    double scale, std::int32_t count, bool symmetric) override {
        detail::stopwatch watch(exec);
        auto const& level = *levels_.back();
        if (levels_.size() == 1) {
            auto const couplings = symmetry_of(exec, messages(), level.k, level.begin);
            smooths_over_boundaries_ = !any_rank(!symmetric || !couplings.pattern);
            symmetric_ = !any_rank(!symmetric || !couplings.values);
        }
        begin_below_ = offsets_of_ranks(messages(), count);
        dropped_ = zeros(exec, level.size);
        remaining_ = zeros(exec, level.size);
        smoothing_ = filter_at_boundaries(exec, messages(), level, rule, scale, smooths_over_boundaries_, first_below(),
                                          all_below(), dropped_.data(), remaining_.data());
        boundary_seconds_ += watch.lap();
        return {dropped_.data(), remaining_.data()};
    }
    array_view<std::int32_t const> boundary_rows() const override { return levels_.back()->k.list().view(); }

    void coarsen(Executor const& exec, multilevel_detail::smoothed_level<T, std::int32_t> const& made) override {
        detail::stopwatch watch(exec);
        auto& level = *levels_.back();
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
        auto const inside =
            renumber(exec, select_columns(exec, next_, first, end, true), 0, -first, own.rows(), own.columns());
        add_level(exec, select_columns(exec, next_, first, end, false), begin_below_, smoothing_);
        auto& level = *levels_[levels_.size() - 2];
        if (level.crosses) {
            // Rows of the own coarse unknowns in Q^T of other ranks, in columns of the halo.
            auto to_own = transposed(exec, select_columns(exec, p_halo_, first, end, true));
            level.restricted = rows_in_halo(exec, std::move(to_own), first, level.needs);
            level.prolonged = rows_in_halo(exec, std::move(smoothing_), 0, levels_.back()->needs);
        }
        level.k = {};
        smoothing_ = {};
        p_halo_ = {};
        next_ = {};
        csr_view<T> whole = own;
        if (inside.nonzeros() > 0) {
            auto sum = add_hypersparse(exec, own, inside);
            whole = sum.view();
            auto arrays = std::move(sum).release();
            level.next_offsets = std::move(arrays.offsets);
            level.next_indices = std::move(arrays.indices);
            level.next_values = std::move(arrays.values);
        }
        if (levels_.size() > 2) levels_[levels_.size() - 3]->next_values = {}; // `level` no longer reads them
        boundary_seconds_ += watch.lap();
        return whole;
    }

    bool finish(Executor const& exec, csr_view<T> a) override {
        detail::stopwatch watch(exec);
        auto& level = *levels_.back();
        if (level.begin.back() > max_gathered_rows) return false;
        for (std::size_t p = 0; p + 1 < level.begin.size(); ++p)
            rows_per_rank_ = std::max(rows_per_rank_, level.begin[p + 1] - level.begin[p]);
        csr<T> const mine =
            rows_of_rank(exec, a, std::move(level.k), level.begin, std::int32_t(rows_per_rank_), messages().rank());
        csr<T> const together = gather_all_rows(exec_, mine.view());
        std::int64_t const n = together.rows();
        multilevel_options below = options_;
        int const depth = int(levels_.size()) - 1;
        below.max_levels = std::max(1, options_.max_levels - depth);
        below.drop = std::ldexp(options_.drop, -depth);
        below.products = options_.products * first_nonzeros_ / double(together.nonzeros());
        solver_ = std::make_unique<rank_hierarchy<Executor, T>>(exec, together.view(), below, near_null_space<T>{1},
                                                                nullptr, symmetric_);
        mine_ = zeros(exec, rows_per_rank_);
        all_ = buffer<T>(exec, n);
        solution_ = buffer<T>(exec, n);
        together_seconds_ = watch.lap();
        return true;
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
    double boundary_seconds() const { return boundary_seconds_; } ///< set-up time: communication between ranks
    double together_seconds() const { return together_seconds_; } ///< set-up time: the levels that every rank stores
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
    double first_nonzeros_ = 0;      ///< of the own blocks
    std::int64_t rows_per_rank_ = 0; ///< rows per rank of the gathered last level
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

/// Preconditioner: a cycle over the levels of all ranks. refresh() throws, because the values of other ranks would be
/// needed.
template <executor Executor, class T>
class distributed_multilevel {
public:
    distributed_multilevel(Executor const& exec, rank_communicator const& messages,
                           distributed_csr<Executor, T> const& a, multilevel_options const& options)
        : coupling_(std::make_unique<rank_coupling<Executor, T>>(exec, messages, a, options)),
          levels_(std::make_unique<rank_hierarchy<Executor, T>>(exec, a.own_block().view(), options,
                                                                near_null_space<T>{}, coupling_.get())) {}

    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        levels_->apply(exec, r.data(), z.data());
    }
    bool replayable() const { return coupling_->replayable(); } // not covered: devices only
    void refresh(Executor const&, csr_view<T>) {
        throw argument_error("a multilevel method in ranks is made anew for new values");
    }
    std::vector<finding> findings() const {
        multilevel_report const& r = levels_->report();
        return {{"levels", finding_unit::count, double(coupling_->levels())},
                {"operator_complexity", finding_unit::number, r.operator_complexity},
                {"weight_coverage", finding_unit::fraction, r.levels.front().coverage},
                {"coupling_seconds", finding_unit::seconds, r.coupling_seconds},
                {"aggregate_seconds", finding_unit::seconds, r.aggregate_seconds},
                {"prolongator_seconds", finding_unit::seconds, r.prolongator_seconds},
                {"galerkin_seconds", finding_unit::seconds, r.galerkin_seconds},
                {"smoother_seconds", finding_unit::seconds, r.smoother_seconds},
                {"cut_seconds", finding_unit::seconds, coupling_->boundary_seconds()},
                {"together_seconds", finding_unit::seconds, coupling_->together_seconds()}};
    }

private:
    std::unique_ptr<rank_coupling<Executor, T>> coupling_;
    std::unique_ptr<rank_hierarchy<Executor, T>> levels_;
};

} // namespace distributed
} // namespace coppice::inline v0_1
