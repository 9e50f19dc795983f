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
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <coppice/semiring/sparse/elementwise.hpp>
#include <coppice/solvers/distributed/csr_parts_apply.hpp>
#include <coppice/solvers/distributed/levels/joined_rows.hpp>
#include <coppice/solvers/distributed/levels/products_at_cuts.hpp>
#include <coppice/solvers/distributed/part_executor.hpp>
#include <coppice/solvers/multilevel/multilevel.hpp>
#include <coppice/solvers/precondition/preconditioner.hpp>

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

/// Aggregate of a row at a cut among those of all parts, or -1, and the magnitude of its diagonal.
struct cut_row {
    std::int32_t aggregate;
    double diagonal;
};
struct look_at_cut_row {
    std::int32_t const *rows, *of;
    double const* diagonal;
    double unit;
    std::int32_t first;
    cut_row* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t const row = rows[i];
        to[i] = {of[row] < 0 ? -1 : first + of[row], diagonal[row] * unit};
    }
};

template <class T>
struct put_listed {
    std::int32_t const* rows;
    T const* values;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[rows[i]] = values[i]; }
};

/// What couples a part's rows of one level with those of other parts.
template <executor Executor, class T>
struct coupled_level {
    std::vector<coupling_entry<T>> entries; ///< rows of the part, columns counted over all; in order
    std::vector<std::int64_t> begin;        ///< [parts + 1]: rows of the level by part
    column_places needs;                    ///< columns of other parts that come as its halo
    halo<Executor, T> others;
    std::vector<std::int32_t> at_cuts; ///< rows with entries
    listed_rows<T> places;             ///< these rows, their columns as places in the halo
    halo_rows<Executor, T> rows;
    std::int64_t size;                                   ///< rows of the part
    buffer<T> rest{};                                    ///< where a smoother needs b without the others
    bool crosses = false;                                ///< has P of any part entries of other parts?
    halo_rows<Executor, T> restricted{};                 ///< rows of the next level, columns of the halo: Q^T of others
    halo_rows<Executor, T> prolonged{};                  ///< rows of this level, columns of the next level's halo: Q
    buffer<std::int32_t> next_offsets{}, next_indices{}; ///< of the next own block, where it is kept here
    buffer<T> next_values{};

    static listed_rows<T> places_of(std::vector<coupling_entry<T>> const& entries, column_places const& place) {
        listed_rows<T> listed;
        for (auto const& e : entries) {
            if (&e != entries.data() && e.row != (&e - 1)->row) listed.end_row();
            listed.add(place(e.column), e.value);
        }
        if (!entries.empty()) listed.end_row();
        return listed;
    }
    static std::vector<std::int32_t> rows_of(std::vector<coupling_entry<T>> const& entries) {
        std::vector<std::int32_t> rows;
        for (auto const& e : entries)
            if (rows.empty() || rows.back() != e.row) rows.push_back(e.row);
        return rows;
    }
    /// `columns`: those that the part needs beside those of the entries.
    static std::vector<std::int32_t> columns_of(std::vector<coupling_entry<T>> const& entries,
                                                std::vector<std::int32_t> columns) {
        for (auto const& e : entries) columns.push_back(e.column);
        return columns;
    }

    coupled_level(Executor const& exec, part_messages const& messages, std::vector<coupling_entry<T>> with_others,
                  std::vector<std::int64_t> parts, std::vector<std::int32_t> columns)
        : entries(std::move(with_others)), begin(std::move(parts)), needs(columns_of(entries, std::move(columns))),
          others(exec, messages, halo_plan(messages, begin, needs.distinct)), at_cuts(rows_of(entries)),
          places(places_of(entries, needs)),
          rows(exec, at_cuts, places.offsets, places.columns, places.values, std::int64_t(needs.distinct.size())),
          size(begin[std::size_t(messages.part()) + 1] - begin[std::size_t(messages.part())]) {}
};

/// The levels of all parts as one of them has them.
template <executor Executor, class T>
class part_coupling final : public multilevel_detail::level_coupling<Executor, T, std::int32_t> {
public:
    /// The options are those of the last levels, which every part has.
    part_coupling(Executor const& exec, part_messages const& messages, csr_part<Executor, T> const& a,
                  multilevel_options const& options)
        : exec_(exec, messages), workers_(workers(exec, messages.parts())), options_(options) {
        std::vector<coupling_entry<T>> entries;
        auto const& of_matrix = a.couplings();
        for (std::size_t r = 0; r < of_matrix.rows.size(); ++r)
            for (auto k = std::size_t(of_matrix.offsets[r]); k < std::size_t(of_matrix.offsets[r + 1]); ++k)
                entries.push_back({of_matrix.rows[r], of_matrix.columns[k], of_matrix.values[k]});
        for (double const of_part : this->messages().gather(double(a.own_block().nonzeros())))
            first_nonzeros_ += of_part;
        add_level(exec, add_up(workers_, entries), a.begins(), {});
    }

    bool ends(std::int64_t rows) override {
        std::int64_t const share = levels_.front()->begin.back() / messages().parts() / share_together;
        return begins(rows).back() <= std::clamp(share, least_together, most_together);
    }
    multilevel_detail::coupling_sums<T> row_sums(Executor const& exec) override {
        auto const& level = *levels_.back();
        std::vector<T> magnitudes(level.places.rows(), T(0));
        for (std::size_t r = 0; r < level.places.rows(); ++r)
            for (std::size_t k = level.places.begin(r); k < level.places.end(r); ++k)
                magnitudes[r] += std::abs(level.places.values[k]);
        return {put(exec, magnitudes, row_magnitudes_)};
    }
    bool is_last_of_any(bool of_this) override { return any_part(of_this); }

    multilevel_detail::filtered_couplings<T> filter(Executor const& exec,
                                                    multilevel_detail::is_kept<T, std::int32_t> const& kept,
                                                    double unit, std::int32_t count, bool symmetric) override {
        detail::stopwatch watch(exec);
        auto const& level = *levels_.back();
        if (levels_.size() == 1) smooths_over_cuts_ = are_symmetric(symmetric);
        begin_below_ = begins(count);
        auto const look = [&](buffer<std::int32_t> const& rows) {
            buffer<cut_row> looks(exec, rows.size());
            for_each(exec, rows.size(),
                     look_at_cut_row{rows.data(), kept.along.of, kept.diagonal, unit, first_below(), looks.data()});
            return to_vector(exec, looks);
        };
        auto const mine = look(level.rows.rows), theirs = at_halo(level.others.plan(), look(level.others.sent_rows()));
        std::vector<T> left_out(level.places.rows(), T(0)), magnitudes = left_out;
        smoothing_ = {};
        for (std::size_t r = 0; r < level.places.rows(); ++r) {
            for (std::size_t k = level.places.begin(r); k < level.places.end(r); ++k) {
                T const value = level.places.values[k], size = std::abs(value);
                cut_row const& other = theirs[std::size_t(level.places.columns[k])];
                double const mean = multilevel_detail::geometric_mean(mine[r].diagonal, other.diagonal);
                if (!smooths_over_cuts_ || mine[r].aggregate < 0 || double(size) < kept.share * mean) {
                    left_out[r] += value;
                    continue;
                }
                magnitudes[r] += size;
                if (other.aggregate >= 0) smoothing_.add(other.aggregate, value);
            }
            smoothing_.end_row();
        }
        multilevel_detail::filtered_couplings<T> const made{put(exec, left_out, left_out_),
                                                            put(exec, magnitudes, kept_)};
        cut_seconds_ += watch.lap();
        return made;
    }
    array_view<std::int32_t const> rows_at_cuts() const override { return levels_.back()->rows.rows.view(); }

    void coarsen(Executor const& exec, multilevel_detail::smoothed_level<T, std::int32_t> const& made) override {
        detail::stopwatch watch(exec);
        auto& level = *levels_.back();
        auto q = std::move(smoothing_);
        auto const damping = to_vector(exec, made.damping);
        for (std::size_t r = 0; r < q.rows(); ++r)
            for (std::size_t k = q.begin(r); k < q.end(r); ++k) q.values[k] *= -damping[r];
        level.crosses = any_part(!q.columns.empty());
        std::int32_t const first = first_below(), behind = first + made.p.columns();

        level_at_cuts<T> cuts{level.places, list_rows(exec, made.turned_r, level.rows.rows), {}, std::move(q)};
        auto sent = list_rows(exec, made.p, level.others.sent_rows());
        for (std::int32_t& column : sent.columns) column += first;
        if (level.crosses) sent = side_by_side(sent, rows_of(cuts.q, level.at_cuts, level.others.plan().send_rows));
        cuts.p_halo = received(level.others.plan(), sent);
        if (!cuts.q.columns.empty()) {
            cuts.rows = level.at_cuts;
            cuts.a = list_rows(exec, made.a, level.rows.rows);
            column_places const places(cuts.a.columns);
            for (std::int32_t& c : cuts.a.columns) c = places(c);
            cuts.near = places.distinct;
            cuts.p = list_rows(exec, made.p, exec.copy(cuts.near));
        }
        // Beside a device the host multiplies while it does.
        constexpr auto when = std::is_same_v<Executor, host_executor> ? std::launch::deferred : std::launch::async;
        next_ = std::async(when, [this, crosses = level.crosses, first, behind, cuts = std::move(cuts)]() mutable {
            auto products = multiply_at_cuts(workers_, cuts, first);
            if (crosses)
                for (auto const& from_part : messages().gather(products.sent))
                    for (auto const& e : from_part)
                        if (e.row >= first && e.row < behind)
                            products.own.push_back({e.row - first, e.column, e.value});
            next_level next{{}, {}, std::move(cuts.p_halo), std::move(cuts.q)};
            for (auto const& e : add_up(workers_, products.own))
                if (e.column >= first && e.column < behind)
                    next.inside.push_back({e.row, e.column - first, e.value});
                else
                    next.between.push_back(e);
            return next;
        });
        cut_seconds_ += watch.lap();
    }
    csr_view<T> join(Executor const& exec, csr_view<T> own) override {
        detail::stopwatch watch(exec);
        next_level next = next_.get();
        add_level(exec, std::move(next.between), std::move(begin_below_), next.q.columns);
        auto& level = *levels_[levels_.size() - 2];
        if (level.crosses) join_levels(exec, level, *levels_.back(), next.p_halo, next.q);
        csr_view<T> const whole = next.inside.empty() ? own : add_inside(exec, level, own, next.inside);
        if (levels_.size() > 2) levels_[levels_.size() - 3]->next_values = {}; // of `level`, read for the last time
        cut_seconds_ += watch.lap();
        return whole;
    }

    bool finish(Executor const& exec, csr_view<T> a) override {
        detail::stopwatch watch(exec);
        auto const& level = *levels_.back();
        if (level.begin.back() > most_together_at_all) return false;
        for (std::size_t p = 0; p + 1 < level.begin.size(); ++p)
            apart_ = std::max(apart_, level.begin[p + 1] - level.begin[p]);
        auto const part = std::int32_t(messages().part());
        auto const place = [&](std::int64_t column) {
            auto const p = std::upper_bound(level.begin.begin(), level.begin.end(), column) - level.begin.begin() - 1;
            return std::int32_t(p * apart_ + column - level.begin[std::size_t(p)]);
        };
        csr<T> const together = join_rows(exec_, rows_of_part(exec, a, level.entries, std::int32_t(apart_), part,
                                                              std::int32_t(messages().parts()), place)
                                                     .view());
        std::int64_t const n = together.rows();
        multilevel_options below = options_;
        int const depth = int(levels_.size()) - 1;
        below.most_levels = std::max(1, options_.most_levels - depth);
        below.drop = std::ldexp(options_.drop, -depth);
        below.products = options_.products * first_nonzeros_ / double(together.nonzeros());
        solver_.push_back({multilevel_preconditioner<Executor, T>(exec, together.view(), below),
                           preconditioner_report{"multilevel", 0, {}, {}}});
        mine_ = buffer<T>(exec, apart_);
        fill(exec, mine_.view(), T(0));
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
        solver_.front().apply(exec, array_view<T const>(all_.view()), solution_.view());
        exec.copy_elements(solution_.data() + messages().part() * apart_, x, n);
    }

    std::int64_t levels() const { return std::int64_t(levels_.size()); }
    double cut_seconds() const { return cut_seconds_; }           ///< of set-up: what crosses between parts
    double together_seconds() const { return together_seconds_; } ///< of set-up: the levels that all parts have
    /// May a cycle be captured into a CUDA graph?
    bool replayable() const {
        bool all = solver_.empty() || solver_.front().replayable();
        for (auto const& level : levels_) all = all && level->others.replayable();
        return all && gathers_on_device(exec_);
    }

private:
    /// Over the cuts of a level.
    struct next_level {
        std::vector<coupling_entry<T>> inside, between; ///< of the next matrix: columns of the part, and of all parts
        listed_rows<T> p_halo, q;
    };
    /// Rows of all parts that every part has: a level of so few takes as long for all as for one, and needs no halo.
    static constexpr std::int64_t least_together = 4096, most_together = 131072;
    static constexpr std::int64_t share_together = 16;           ///< the same, of a part's rows of the first level
    static constexpr std::int64_t most_together_at_all = 262144; ///< where coarsening comes to no fewer

    static bool gathers_on_device(host_part const&) { return false; }
    static bool gathers_on_device(cuda_part const& exec) { return exec.others().devices() != nullptr; }
    part_messages const& messages() const { return exec_.others(); }
    std::vector<std::int64_t> begins(std::int64_t rows) const {
        std::vector<std::int64_t> begin{0};
        for (std::int64_t const n : messages().gather(rows)) begin.push_back(begin.back() + n);
        return begin;
    }
    std::int32_t first_below() const { return std::int32_t(begin_below_[std::size_t(messages().part())]); }
    bool any_part(bool of_this) const {
        bool any = false;
        for (int const of_part : messages().gather(int(of_this))) any = any || of_part != 0;
        return any;
    }
    /// Are all own blocks symmetric, and has K an entry (j, i) for every (i, j)?
    bool are_symmetric(bool own_block) const {
        auto const& level = *levels_.front();
        auto const of_parts = messages().gather(level.entries);
        std::int64_t const first = level.begin[std::size_t(messages().part())];
        bool turned = own_block;
        for (auto const& e : level.entries) {
            if (!turned) break;
            auto const p = std::size_t(std::upper_bound(level.begin.begin(), level.begin.end(), e.column) -
                                       level.begin.begin() - 1);
            coupling_entry<T> const sought{std::int32_t(e.column - level.begin[p]), std::int32_t(first + e.row), T(0)};
            turned = std::binary_search(of_parts[p].begin(), of_parts[p].end(), sought);
        }
        return !any_part(!turned);
    }
    /// Values of the rows at the cuts, 0 elsewhere, in `to`.
    T const* put(Executor const& exec, std::vector<T> const& listed, buffer<T>& to) const {
        auto const& level = *levels_.back();
        auto const from = exec.copy(listed);
        to = buffer<T>(exec, level.size);
        coppice::fill(exec, to.view(), T(0));
        for_each(exec, from.size(), put_listed<T>{level.rows.rows.data(), from.data(), to.data()});
        return to.data();
    }
    /// What every part has sent, at the places of the halo.
    std::vector<cut_row> at_halo(halo_plan const& plan, std::vector<cut_row> const& sent) const {
        auto const of_parts = messages().gather(sent);
        std::vector<cut_row> rows;
        for (std::size_t p = 0; p < of_parts.size(); ++p) {
            auto const from = of_parts[p].begin() + plan.receive_from[p];
            rows.insert(rows.end(), from, from + plan.received(p));
        }
        return rows;
    }
    std::vector<listed_rows<T>> gather_rows(listed_rows<T> const& rows) const {
        auto offsets = messages().gather(rows.offsets), columns = messages().gather(rows.columns);
        auto values = messages().gather(rows.values);
        std::vector<listed_rows<T>> of_parts(offsets.size());
        for (std::size_t p = 0; p < offsets.size(); ++p)
            of_parts[p] = {std::move(offsets[p]), std::move(columns[p]), std::move(values[p])};
        return of_parts;
    }
    listed_rows<T> received(halo_plan const& plan, listed_rows<T> const& sent) const {
        auto const of_parts = gather_rows(sent);
        listed_rows<T> rows;
        for (std::size_t p = 0; p < of_parts.size(); ++p)
            for (std::int64_t row = plan.receive_from[p]; row < plan.receive_from[p] + plan.received(p); ++row) {
                for (std::size_t k = of_parts[p].begin(std::size_t(row)); k < of_parts[p].end(std::size_t(row)); ++k)
                    rows.add(of_parts[p].columns[k], of_parts[p].values[k]);
                rows.end_row();
            }
        return rows;
    }
    void add_level(Executor const& exec, std::vector<coupling_entry<T>> entries, std::vector<std::int64_t> begin,
                   std::vector<std::int32_t> columns) {
        levels_.push_back(std::make_unique<coupled_level<Executor, T>>(exec, messages(), std::move(entries),
                                                                       std::move(begin), std::move(columns)));
    }
    /// Q of this part, and Q^T of others, whose rows `p_halo` has.
    void join_levels(Executor const& exec, coupled_level<Executor, T>& level, coupled_level<Executor, T> const& below,
                     listed_rows<T> const& p_halo, listed_rows<T> const& q) {
        std::size_t const part = std::size_t(messages().part());
        auto const first = std::int32_t(below.begin[part]), behind = std::int32_t(below.begin[part + 1]);
        listed_rows<T> to_own;
        for (std::size_t h = 0; h < p_halo.rows(); ++h) {
            for (std::size_t k = p_halo.begin(h); k < p_halo.end(h); ++k)
                if (p_halo.columns[k] >= first && p_halo.columns[k] < behind)
                    to_own.add(p_halo.columns[k] - first, p_halo.values[k]);
            to_own.end_row();
        }
        turned_rows<T> const turned(std::move(to_own));
        level.restricted = {exec,
                            turned.names,
                            turned.rows.offsets,
                            turned.rows.columns,
                            turned.rows.values,
                            std::int64_t(level.needs.distinct.size())};
        std::vector<std::int32_t> rows;
        listed_rows<T> crossing;
        for (std::size_t r = 0; r < q.rows(); ++r) {
            if (q.begin(r) == q.end(r)) continue;
            rows.push_back(level.at_cuts[r]);
            for (std::size_t k = q.begin(r); k < q.end(r); ++k) crossing.add(below.needs(q.columns[k]), q.values[k]);
            crossing.end_row();
        }
        level.prolonged = {
            exec, rows, crossing.offsets, crossing.columns, crossing.values, std::int64_t(below.needs.distinct.size())};
    }
    /// `own` with some entries added, in memory of `level`.
    static csr_view<T> add_inside(Executor const& exec, coupled_level<Executor, T>& level, csr_view<T> own,
                                  std::vector<coupling_entry<T>> const& entries) {
        std::vector<std::int32_t> offsets(std::size_t(own.rows()) + 1, 0), columns;
        std::vector<T> values;
        for (auto const& e : entries) {
            ++offsets[std::size_t(e.row) + 1];
            columns.push_back(e.column);
            values.push_back(e.value);
        }
        for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
        csr<T> const added(own.rows(), own.columns(), exec.copy(offsets), exec.copy(columns), exec.copy(values));
        auto sum = ewise_add(exec, plus{}, own, added.view());
        csr_view<T> const view = sum.view();
        auto arrays = std::move(sum).release();
        level.next_offsets = std::move(arrays.offsets);
        level.next_indices = std::move(arrays.indices);
        level.next_values = std::move(arrays.values);
        return view;
    }
    /// Threads of the host for the rows at the cuts.
    static host_executor workers(host_executor const& exec, int) { return exec; }
    static host_executor workers(cuda_executor const&, int parts) {
        return host_executor(std::max(1, int(std::thread::hardware_concurrency()) / parts));
    }

    part_executor<Executor> exec_;
    host_executor workers_;
    multilevel_options options_;
    std::vector<std::unique_ptr<coupled_level<Executor, T>>> levels_{};
    double first_nonzeros_ = 0;                        ///< of the own blocks
    std::int64_t apart_ = 0;                           ///< rows of the last level from part to part
    buffer<T> row_magnitudes_{}, left_out_{}, kept_{}; ///< of the level that is coarsened, as are the next three
    bool smooths_over_cuts_ = false;
    std::vector<std::int64_t> begin_below_{}; ///< [parts + 1]: rows of the next level by part
    listed_rows<T> smoothing_{};              ///< [rows at the cuts]: K_F P_0, columns over all parts
    std::future<next_level> next_{};
    double cut_seconds_ = 0, together_seconds_ = 0;
    buffer<T> mine_{}, all_{}, solution_{};
    std::vector<any_preconditioner<Executor, T>> solver_{};
};

/// A cycle over the levels of all parts. refresh() is refused: values of other parts are on other levels.
template <executor Executor, class T>
class multilevel_parts {
public:
    multilevel_parts(Executor const& exec, part_messages const& messages, csr_part<Executor, T> const& a,
                     multilevel_options const& options)
        : coupling_(std::make_unique<part_coupling<Executor, T>>(exec, messages, a, options)),
          levels_(std::make_unique<hierarchy>(exec, a.own_block().view(), options, near_null_space<T>{},
                                              coupling_.get())) {}

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
    using hierarchy = multilevel_detail::multilevel_hierarchy<Executor, T, float, std::int32_t>;
    std::unique_ptr<part_coupling<Executor, T>> coupling_;
    std::unique_ptr<hierarchy> levels_;
};

} // namespace distributed
} // namespace coppice
