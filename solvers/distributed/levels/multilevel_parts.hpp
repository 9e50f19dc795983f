// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The multilevel forest method over parts: each part coarsens its own block, aggregates end at the cut, and on every
/// level the residual has what other parts add to it.
///
/// The coupling K of a level between parts becomes R K P on the next one, so that its matrix is the Galerkin product
/// over all parts. The prolongator is smoothed by a filtered matrix that leaves K out: its row sums are lumped to the
/// diagonal, as what else is left out, so that rows at the cuts keep constants. Where few rows are left of all parts
/// together, every part has all of them and solves the same system by a cycle of its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/csr_parts_apply.hpp>
#include <coppice/solvers/distributed/levels/coupling_entries.hpp>
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
    halo<Executor, T> others;
    listed_rows<T> places; ///< rows with entries, their columns as places in the halo
    halo_rows<Executor, T> rows;
    std::int64_t size; ///< rows of the part
    buffer<T> rest{};  ///< where a smoother needs b without the others

    static std::vector<std::int32_t> columns_of(std::vector<coupling_entry<T>> const& entries) {
        std::vector<std::int32_t> columns;
        for (auto const& e : entries) columns.push_back(e.column);
        return columns;
    }
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

    coupled_level(Executor const& exec, part_messages const& messages, std::vector<coupling_entry<T>> with_others,
                  std::vector<std::int64_t> parts)
        : coupled_level(exec, messages, std::move(parts), column_places(columns_of(with_others)), with_others) {}

private:
    coupled_level(Executor const& exec, part_messages const& messages, std::vector<std::int64_t> parts,
                  column_places const& needs, std::vector<coupling_entry<T>>& with_others)
        : entries(std::move(with_others)), begin(std::move(parts)),
          others(exec, messages, halo_plan(messages, begin, needs.distinct)), places(places_of(entries, needs)),
          rows(exec, rows_of(entries), places.offsets, places.columns, places.values,
               std::int64_t(needs.distinct.size())),
          size(begin[std::size_t(messages.part()) + 1] - begin[std::size_t(messages.part())]) {}
};

/// The levels of all parts as one of them has them.
template <executor Executor, class T>
class part_coupling final : public multilevel_detail::level_coupling<Executor, T, std::int32_t> {
public:
    /// The options are those of the last levels, which every part has.
    part_coupling(Executor const& exec, part_messages const& messages, csr_part<Executor, T> const& a,
                  multilevel_options const& options)
        : exec_(exec, messages), options_(options) {
        std::vector<coupling_entry<T>> entries;
        auto const& of_matrix = a.couplings();
        for (std::size_t r = 0; r < of_matrix.rows.size(); ++r)
            for (auto k = std::size_t(of_matrix.offsets[r]); k < std::size_t(of_matrix.offsets[r + 1]); ++k)
                entries.push_back({of_matrix.rows[r], of_matrix.columns[k], of_matrix.values[k]});
        add_up(entries);
        add_level(exec, std::move(entries), a.begins());
    }

    bool ends(std::int64_t rows) override {
        std::int64_t all = 0;
        for (std::int64_t const of_part : messages().gather(rows)) all += of_part;
        return all <= most_together;
    }
    multilevel_detail::coupling_sums<T> row_sums(Executor const& exec) override {
        auto const& level = *levels_.back();
        std::vector<T> values(level.places.rows(), T(0)), magnitudes(level.places.rows(), T(0));
        for (std::size_t r = 0; r < level.places.rows(); ++r)
            for (std::size_t k = level.places.begin(r); k < level.places.end(r); ++k) {
                values[r] += level.places.values[k];
                magnitudes[r] += std::abs(level.places.values[k]);
            }
        auto const put = [&](std::vector<T> const& listed, buffer<T>& to) {
            auto const from = exec.copy(listed);
            to = buffer<T>(exec, level.size);
            coppice::fill(exec, to.view(), T(0));
            for_each(exec, from.size(), put_listed<T>{level.rows.rows.data(), from.data(), to.data()});
            return to.data();
        };
        return {put(values, row_sums_), put(magnitudes, row_magnitudes_)};
    }
    bool is_last_of_any(bool of_this) override {
        bool last = false;
        for (int const of_part : messages().gather(int(of_this))) last = last || of_part != 0;
        return last;
    }

    void coarsen(Executor const& exec, csr_view<T> p, csr_view<T> turned_r) override {
        auto const& level = *levels_.back();
        std::int32_t const count = p.columns();
        auto begin = begins(count);
        auto sent = list_rows(exec, p, level.others.sent_rows());
        for (std::int32_t& column : sent.columns) column += std::int32_t(begin[std::size_t(messages().part())]);
        auto below = coupling_below(level.places, list_rows(exec, turned_r, level.rows.rows), count,
                                    received(level.others.plan(), sent));
        add_level(exec, std::move(below), std::move(begin));
    }

    bool finish(Executor const& exec, csr_view<T> a) override {
        auto const& level = *levels_.back();
        if (level.begin.back() > most_together_at_all) return false;
        for (std::size_t p = 0; p + 1 < level.begin.size(); ++p)
            apart_ = std::max(apart_, level.begin[p + 1] - level.begin[p]);
        // Rows stand apart_ from part to part; those that a part does not have stand alone.
        std::int64_t const first = level.begin[std::size_t(messages().part())];
        auto const place = [&](std::int64_t column) {
            auto const p = std::upper_bound(level.begin.begin(), level.begin.end(), column) - level.begin.begin() - 1;
            return std::int32_t(p * apart_ + column - level.begin[std::size_t(p)]);
        };
        std::vector<coupling_entry<T>> entries;
        auto const offsets = to_vector(exec, a.row_offsets()), columns = to_vector(exec, a.column_indices());
        auto const values = to_vector(exec, a.values());
        for (std::int64_t i = 0; i < a.rows(); ++i)
            for (auto k = std::size_t(offsets[std::size_t(i)]); k < std::size_t(offsets[std::size_t(i) + 1]); ++k)
                entries.push_back({place(first + i), place(first + columns[k]), values[k]});
        for (auto const& e : level.entries) entries.push_back({place(first + e.row), place(e.column), e.value});
        for (std::int64_t i = a.rows(); i < apart_; ++i) {
            auto const alone = std::int32_t(messages().part() * apart_ + i);
            entries.push_back({alone, alone, T(1)});
        }
        add_up(entries);
        auto const parts = messages().gather(entries); // each in order, and one behind the other
        entries.clear();
        for (auto const& part : parts) entries.insert(entries.end(), part.begin(), part.end());
        std::int64_t const n = apart_ * messages().parts();
        std::vector<std::int32_t> begins_of_rows(std::size_t(n) + 1, 0), indices;
        std::vector<T> coefficients;
        for (auto const& e : entries) {
            ++begins_of_rows[std::size_t(e.row) + 1];
            indices.push_back(e.column);
            coefficients.push_back(e.value);
        }
        for (std::size_t i = 1; i < begins_of_rows.size(); ++i) begins_of_rows[i] += begins_of_rows[i - 1];
        auto const size = std::int32_t(n);
        csr<T> const together(size, size, exec.copy(begins_of_rows), exec.copy(indices), exec.copy(coefficients));
        multilevel_options below = options_;
        below.most_levels = std::max(1, options_.most_levels - int(levels_.size()) + 1);
        solver_.push_back({multilevel_preconditioner<Executor, T>(exec, together.view(), below),
                           preconditioner_report{"multilevel", 0, {}, {}}});
        mine_ = buffer<T>(exec, apart_);
        fill(exec, mine_.view(), T(0));
        all_ = buffer<T>(exec, n);
        solution_ = buffer<T>(exec, n);
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
    void solve(Executor const& exec, T const* b, T* x) override {
        auto const& level = *levels_.back();
        std::int64_t const n = level.size;
        exec.copy_elements(b, mine_.data(), n);
        detail::gather_values(exec_, mine_.data(), all_.data(), apart_);
        solver_.front().apply(exec, array_view<T const>(all_.view()), solution_.view());
        exec.copy_elements(solution_.data() + messages().part() * apart_, x, n);
    }

    std::int64_t levels() const { return std::int64_t(levels_.size()); }
    /// May a cycle be captured into a CUDA graph?
    bool replayable() const {
        bool all = solver_.empty() || solver_.front().replayable();
        for (auto const& level : levels_) all = all && level->others.replayable();
        return all && gathers_on_device(exec_);
    }

private:
    static constexpr std::int64_t most_together = 4096;          ///< rows that every part has, and
    static constexpr std::int64_t most_together_at_all = 262144; ///< where coarsening comes to no fewer

    static bool gathers_on_device(host_part const&) { return false; }
    static bool gathers_on_device(cuda_part const& exec) { return exec.others().devices() != nullptr; }
    part_messages const& messages() const { return exec_.others(); }
    std::vector<std::int64_t> begins(std::int64_t rows) const {
        std::vector<std::int64_t> begin{0};
        for (std::int64_t const n : messages().gather(rows)) begin.push_back(begin.back() + n);
        return begin;
    }
    /// Rows at the columns of the halo, of what every part has sent.
    listed_rows<T> received(halo_plan const& plan, listed_rows<T> const& sent) const {
        auto const offsets = messages().gather(sent.offsets), columns = messages().gather(sent.columns);
        auto const values = messages().gather(sent.values);
        listed_rows<T> rows;
        for (std::size_t p = 0; p < offsets.size(); ++p)
            for (std::int64_t row = plan.receive_from[p]; row < plan.receive_from[p] + plan.received(p); ++row) {
                for (auto k = std::size_t(offsets[p][std::size_t(row)]);
                     k < std::size_t(offsets[p][std::size_t(row) + 1]); ++k)
                    rows.add(columns[p][k], values[p][k]);
                rows.end_row();
            }
        return rows;
    }
    void add_level(Executor const& exec, std::vector<coupling_entry<T>> entries, std::vector<std::int64_t> begin) {
        levels_.push_back(
            std::make_unique<coupled_level<Executor, T>>(exec, messages(), std::move(entries), std::move(begin)));
    }

    part_executor<Executor> exec_;
    multilevel_options options_;
    std::vector<std::unique_ptr<coupled_level<Executor, T>>> levels_{};
    std::int64_t apart_ = 0;                  ///< rows of the last level from part to part
    buffer<T> row_sums_{}, row_magnitudes_{}; ///< of the level that is coarsened
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
        return {{"levels", finding_unit::count, double(coupling_->levels())},
                {"operator_complexity", finding_unit::number, levels_->report().operator_complexity},
                {"weight_coverage", finding_unit::share, levels_->report().levels.front().coverage}};
    }

private:
    using hierarchy = multilevel_detail::multilevel_hierarchy<Executor, T, float, std::int32_t>;
    std::unique_ptr<part_coupling<Executor, T>> coupling_;
    std::unique_ptr<hierarchy> levels_;
};

} // namespace distributed
} // namespace coppice
