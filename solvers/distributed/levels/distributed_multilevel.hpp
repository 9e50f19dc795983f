// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The multilevel forest method over parts: each part coarsens its own block, aggregates end at the cut, and on every
/// level the residual has what other parts add to it.
///
/// The matrix of every level is the Galerkin product over all parts. Where all own blocks are symmetric the prolongator
/// is smoothed over the cuts as elsewhere, and rows there have entries Q in columns of other parts; elsewhere the row
/// sums of K are lumped to the diagonal, as what else a filtered matrix leaves out, so that rows at the cuts keep
/// constants. Without Q what couples aggregates over the cut is too stiff beside what couples those of a part, three
/// times as much with every level. Where few rows are left of all parts together, every part has all of them and solves
/// the same system by a cycle of its own.
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
#include <coppice/solvers/multilevel/multilevel.hpp>

namespace coppice {
namespace distributed {

/// y -= K x_others, or diagonal K x_others, in some rows
template <class T>
struct subtract_from_listed {
    T* y;
    T const* diagonal;
    std::int32_t const* rows;
    COPPICE_HD void operator()(std::int64_t row, T sum) const {
        std::int32_t const i = rows[row];
        y[i] -= diagonal ? diagonal[i] * sum : sum;
    }
};

template <executor Executor, class T>
using part_hierarchy = multilevel_detail::multilevel_hierarchy<Executor, T, float, std::int32_t>;

/// The levels of all parts as one of them has them.
template <executor Executor, class T>
class part_coupling final : public multilevel_detail::level_coupling<Executor, T, std::int32_t> {
public:
    /// The options are those of the last levels, which every part has.
    part_coupling(Executor const& exec, part_messages const& messages, csr_part<Executor, T> const& a,
                  multilevel_options const& options)
        : exec_(exec, messages), options_(options) {
        auto const& of_matrix = a.couplings();
        std::vector<std::int32_t> rows;
        for (std::size_t r = 0; r < of_matrix.rows.size(); ++r)
            rows.insert(rows.end(), std::size_t(of_matrix.offsets[r + 1] - of_matrix.offsets[r]), of_matrix.rows[r]);
        for (double const of_part : this->messages().gather(double(a.own_block().nonzeros())))
            first_nonzeros_ += of_part;
        auto const size = std::int32_t(a.size()), all = std::int32_t(a.begins().back());
        add_level(exec,
                  matrix_of_tuples(exec, size, all, exec.copy(rows), exec.copy(of_matrix.columns),
                                   exec.copy(of_matrix.values)),
                  a.begins(), listed_matrix<T>(exec, size, all));
    }

    bool ends(std::int64_t rows) override {
        std::int64_t const share = levels_.front()->begin.back() / messages().parts() / share_together;
        return begins_of_parts(messages(), rows).back() <= std::clamp(share, least_together, most_together);
    }
    multilevel_detail::coupling_sums<T> row_sums(Executor const& exec) override {
        auto const& level = *levels_.back();
        row_magnitudes_ = zeros(exec, level.size);
        for_each(exec, level.k.list().size(),
                 sum_magnitudes<T>{level.k.entries().view(), level.k.list().data(), row_magnitudes_.data()});
        return {row_magnitudes_.data()};
    }
    bool is_last_of_any(bool of_this) override { return any_part(of_this); }

    multilevel_detail::filtered_couplings<T> filter(Executor const& exec,
                                                    multilevel_detail::is_kept<T, std::int32_t> const& kept,
                                                    double unit, std::int32_t count, bool symmetric) override {
        detail::stopwatch watch(exec);
        auto const& level = *levels_.back();
        if (levels_.size() == 1) {
            auto const couplings = symmetry_of(exec, messages(), level.k, level.begin);
            smooths_over_cuts_ = !any_part(!symmetric || !couplings.pattern);
            symmetric_ = !any_part(!symmetric || !couplings.values);
        }
        begin_below_ = begins_of_parts(messages(), count);
        left_out_ = zeros(exec, level.size);
        kept_ = zeros(exec, level.size);
        smoothing_ = filter_at_cuts(exec, messages(), level, kept, unit, smooths_over_cuts_, first_below(), all_below(),
                                    left_out_.data(), kept_.data());
        cut_seconds_ += watch.lap();
        return {left_out_.data(), kept_.data()};
    }
    array_view<std::int32_t const> rows_at_cuts() const override { return levels_.back()->k.list().view(); }

    void coarsen(Executor const& exec, multilevel_detail::smoothed_level<T, std::int32_t> const& made) override {
        detail::stopwatch watch(exec);
        auto& level = *levels_.back();
        damp(exec, smoothing_, level.k.list(), made.damping);
        level.crosses = any_part(smoothing_.nonzeros() > 0);
        p_halo_ = prolongator_in_halo(exec, level, made.p);
        next_ = galerkin_at_cuts<Executor, T>(
            exec, messages(), {level.k, p_halo_, smoothing_, made.a, made.p, made.turned_r, begin_below_},
            level.crosses);
        cut_seconds_ += watch.lap();
    }
    csr_view<T> join(Executor const& exec, csr_view<T> own) override {
        detail::stopwatch watch(exec);
        std::int32_t const first = first_below(), behind = first + own.rows();
        auto const inside =
            renumber(exec, select_columns(exec, next_, first, behind, true), 0, -first, own.rows(), own.columns());
        add_level(exec, select_columns(exec, next_, first, behind, false), begin_below_, smoothing_);
        auto& level = *levels_[levels_.size() - 2];
        if (level.crosses) {
            // Rows here of what other parts' Q leads to: Q^T, in columns of the halo.
            auto to_own = turn(exec, select_columns(exec, p_halo_, first, behind, true));
            level.restricted = rows_in_halo(exec, std::move(to_own), first, level.needs);
            level.prolonged = rows_in_halo(exec, std::move(smoothing_), 0, levels_.back()->needs);
        }
        level.k = {};
        smoothing_ = {};
        p_halo_ = {};
        next_ = {};
        csr_view<T> whole = own;
        if (inside.nonzeros() > 0) {
            auto sum = add_listed(exec, own, inside);
            whole = sum.view();
            auto arrays = std::move(sum).release();
            level.next_offsets = std::move(arrays.offsets);
            level.next_indices = std::move(arrays.indices);
            level.next_values = std::move(arrays.values);
        }
        if (levels_.size() > 2) levels_[levels_.size() - 3]->next_values = {}; // of `level`, read for the last time
        cut_seconds_ += watch.lap();
        return whole;
    }

    bool finish(Executor const& exec, csr_view<T> a) override {
        detail::stopwatch watch(exec);
        auto& level = *levels_.back();
        if (level.begin.back() > most_together_at_all) return false;
        for (std::size_t p = 0; p + 1 < level.begin.size(); ++p)
            apart_ = std::max(apart_, level.begin[p + 1] - level.begin[p]);
        csr<T> const mine =
            rows_of_part(exec, a, std::move(level.k), level.begin, std::int32_t(apart_), messages().part());
        csr<T> const together = join_rows(exec_, mine.view());
        std::int64_t const n = together.rows();
        multilevel_options below = options_;
        int const depth = int(levels_.size()) - 1;
        below.most_levels = std::max(1, options_.most_levels - depth);
        below.drop = std::ldexp(options_.drop, -depth);
        below.products = options_.products * first_nonzeros_ / double(together.nonzeros());
        solver_ = std::make_unique<part_hierarchy<Executor, T>>(exec, together.view(), below, near_null_space<T>{},
                                                                nullptr, symmetric_);
        mine_ = zeros(exec, apart_);
        all_ = buffer<T>(exec, n);
        solution_ = buffer<T>(exec, n);
        together_seconds_ = watch.lap();
        return true;
    }

    void start(Executor const& exec, int depth, T const* x) override {
        levels_[std::size_t(depth)]->others.start(exec, x);
    }
    void subtract(Executor const& exec, int depth, T* r, T const* diagonal) override {
        auto& level = *levels_[std::size_t(depth)];
        level.others.finish(exec);
        level.rows.reduce(exec, level.others.values(), subtract_from_listed<T>{r, diagonal, level.rows.rows.data()});
    }
    T const* without_others(Executor const& exec, int depth, T const* b) override {
        auto& level = *levels_[std::size_t(depth)];
        if (level.rest.size() != level.size) level.rest = buffer<T>(exec, level.size);
        exec.copy_elements(b, level.rest.data(), level.size);
        subtract(exec, depth, level.rest.data(), nullptr);
        return level.rest.data();
    }
    bool crosses(int depth) const override { return levels_[std::size_t(depth)]->crosses; }
    void add_restricted(Executor const& exec, int depth, T* b) override {
        auto& level = *levels_[std::size_t(depth)];
        level.others.finish(exec);
        level.restricted.reduce(exec, level.others.values(), add_to_listed<T>{b, level.restricted.rows.data()});
    }
    void add_prolonged(Executor const& exec, int depth, T* x) override {
        auto& level = *levels_[std::size_t(depth)];
        auto& below = *levels_[std::size_t(depth) + 1];
        below.others.finish(exec);
        level.prolonged.reduce(exec, below.others.values(), add_to_listed<T>{x, level.prolonged.rows.data()});
    }
    void solve(Executor const& exec, T const* b, T* x) override {
        auto const& level = *levels_.back();
        std::int64_t const n = level.size;
        exec.copy_elements(b, mine_.data(), n);
        detail::gather_values(exec_, mine_.data(), all_.data(), apart_);
        solver_->apply(exec, all_.data(), solution_.data());
        exec.copy_elements(solution_.data() + messages().part() * apart_, x, n);
    }

    std::int64_t levels() const { return std::int64_t(levels_.size()); }
    double cut_seconds() const { return cut_seconds_; }           ///< of set-up: what crosses between parts
    double together_seconds() const { return together_seconds_; } ///< of set-up: the levels that all parts have
    /// May a cycle be captured into a CUDA graph?
    bool replayable() const {
        bool all = true;
        for (auto const& level : levels_) all = all && level->others.replayable();
        return all && gathers_on_device(exec_);
    }

private:
    /// Rows of all parts that every part has: a level of so few takes as long for all as for one, and needs no halo.
    static constexpr std::int64_t least_together = 4096, most_together = 131072;
    static constexpr std::int64_t share_together = 16;           ///< the same, of a part's rows of the first level
    static constexpr std::int64_t most_together_at_all = 262144; ///< where coarsening comes to no fewer

    static bool gathers_on_device(host_part const&) { return false; }
    static bool gathers_on_device(cuda_part const& exec) { return exec.others().devices() != nullptr; }
    part_messages const& messages() const { return exec_.others(); }
    std::int32_t first_below() const { return std::int32_t(begin_below_[std::size_t(messages().part())]); }
    std::int32_t all_below() const { return std::int32_t(begin_below_.back()); }
    bool any_part(bool of_this) const {
        bool any = false;
        for (int const of_part : messages().gather(int(of_this))) any = any || of_part != 0;
        return any;
    }
    static buffer<T> zeros(Executor const& exec, std::int64_t count) {
        buffer<T> values(exec, count);
        coppice::fill(exec, values.view(), T(0));
        return values;
    }
    void add_level(Executor const& exec, listed_matrix<T> couplings, part_begins begin, listed_matrix<T> const& above) {
        levels_.push_back(std::make_unique<coupled_level<Executor, T>>(exec, messages(), std::move(couplings),
                                                                       std::move(begin), above));
    }
    /// P + Q in the rows that the halo of the level has.
    listed_matrix<T> prolongator_in_halo(Executor const& exec, coupled_level<Executor, T> const& level,
                                         csr_view<T> p) const {
        halo_plan const& plan = level.others.plan();
        auto const& sent_rows = level.others.sent_rows();
        auto of_p = rows_at(exec, p, detail::distinct_of(exec, copy_of(exec, sent_rows)));
        of_p = renumber(exec, std::move(of_p), 0, first_below(), level.size, all_below());
        if (level.crosses) of_p = add(exec, of_p, smoothing_);
        auto const sent = gather_rows(exec, of_p, sent_rows);
        return detail::list_rows(exec, level.all, level.needs.data(),
                                 exchange_rows(exec, messages(), plan.send_begin, sent.view(), plan.receive_begin));
    }

    part_executor<Executor> exec_;
    multilevel_options options_;
    std::vector<std::unique_ptr<coupled_level<Executor, T>>> levels_{};
    double first_nonzeros_ = 0;                        ///< of the own blocks
    std::int64_t apart_ = 0;                           ///< rows of the last level from part to part
    buffer<T> row_magnitudes_{}, left_out_{}, kept_{}; ///< of the level that is coarsened, as all down to next_
    bool smooths_over_cuts_ = false, symmetric_ = false;
    part_begins begin_below_{};    ///< rows of the next level by part
    listed_matrix<T> smoothing_{}; ///< K_F P_0, and Q once it is damped; columns over all parts
    listed_matrix<T> p_halo_{};    ///< P + Q of other parts' rows: rows and columns over all parts
    listed_matrix<T> next_{};      ///< what the next matrix has besides R A P of own blocks: columns over all parts
    double cut_seconds_ = 0, together_seconds_ = 0;
    buffer<T> mine_{}, all_{}, solution_{};
    std::unique_ptr<part_hierarchy<Executor, T>> solver_{}; ///< of the levels that all parts have
};

/// A cycle over the levels of all parts. refresh() is refused: values of other parts are on other levels.
template <executor Executor, class T>
class multilevel_parts {
public:
    multilevel_parts(Executor const& exec, part_messages const& messages, csr_part<Executor, T> const& a,
                     multilevel_options const& options)
        : coupling_(std::make_unique<part_coupling<Executor, T>>(exec, messages, a, options)),
          levels_(std::make_unique<part_hierarchy<Executor, T>>(exec, a.own_block().view(), options,
                                                                near_null_space<T>{}, coupling_.get())) {}

    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        levels_->apply(exec, r.data(), z.data());
    }
    bool replayable() const { return coupling_->replayable(); }
    void refresh(Executor const&, csr_view<T>) {
        throw argument_error("a multilevel method in parts is made anew for new values");
    }
    std::vector<finding> findings() const {
        multilevel_report const& r = levels_->report();
        return {{"levels", finding_unit::count, double(coupling_->levels())},
                {"operator_complexity", finding_unit::number, r.operator_complexity},
                {"weight_coverage", finding_unit::share, r.levels.front().coverage},
                {"coupling_seconds", finding_unit::seconds, r.coupling_seconds},
                {"aggregate_seconds", finding_unit::seconds, r.aggregate_seconds},
                {"prolongator_seconds", finding_unit::seconds, r.prolongator_seconds},
                {"galerkin_seconds", finding_unit::seconds, r.galerkin_seconds},
                {"smoother_seconds", finding_unit::seconds, r.smoother_seconds},
                {"cut_seconds", finding_unit::seconds, coupling_->cut_seconds()},
                {"together_seconds", finding_unit::seconds, coupling_->together_seconds()}};
    }

private:
    std::unique_ptr<part_coupling<Executor, T>> coupling_;
    std::unique_ptr<part_hierarchy<Executor, T>> levels_;
};

} // namespace distributed
} // namespace coppice
