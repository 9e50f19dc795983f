// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The multilevel forest method over parts: each part coarsens its own block, aggregates end at the cut, and on every
/// level the residual has what other parts add to it.
///
/// The coupling K of a level between parts becomes P^T K P on the next one. Rows at the cuts are not smoothed, so that
/// P is constant on the aggregates there, and K is added up by their numbers. Where few rows are left of all parts
/// together, every part has all of them and solves the same system by a cycle of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/csr_parts_apply.hpp>
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

struct raise_diagonal {
    std::int32_t const* rows;
    double* diagonal;
    COPPICE_HD void operator()(std::int64_t i) const { diagonal[rows[i]] = 1e300; }
};

template <class T>
struct coupling_entry {
    std::int32_t row, column; ///< counted over all parts
    T value;
    friend bool operator<(coupling_entry const& a, coupling_entry const& b) {
        return a.row != b.row ? a.row < b.row : a.column < b.column;
    }
};

/// Entries in the order of rows and columns, those of the same place added.
template <class T>
void add_up(std::vector<coupling_entry<T>>& entries) {
    if (!std::is_sorted(entries.begin(), entries.end())) std::stable_sort(entries.begin(), entries.end());
    std::size_t kept = 0;
    for (std::size_t k = 0; k < entries.size(); ++k) {
        bool const again =
            kept > 0 && entries[kept - 1].row == entries[k].row && entries[kept - 1].column == entries[k].column;
        if (again)
            entries[kept - 1].value += entries[k].value;
        else
            entries[kept++] = entries[k];
    }
    entries.resize(kept);
}

/// What couples a part's rows of one level with those of other parts.
template <executor Executor, class T>
struct coupled_level {
    std::vector<coupling_entry<T>> entries; ///< rows of the part, columns counted over all; in order
    std::vector<std::int64_t> begin;        ///< [parts + 1]: rows of the level by part
    std::vector<std::int32_t> needs;        ///< columns, ascending
    halo<Executor, T> others;
    halo_rows<Executor, T> rows;
    std::int64_t size; ///< rows of the part
    buffer<T> rest{};  ///< where a smoother needs b without the others

    static std::vector<std::int32_t> columns_of(std::vector<coupling_entry<T>> const& entries) {
        std::vector<std::int32_t> columns;
        for (auto const& e : entries) columns.push_back(e.column);
        if (!std::is_sorted(columns.begin(), columns.end())) std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        return columns;
    }
    static halo_rows<Executor, T> rows_of(Executor const& exec, std::vector<coupling_entry<T>> const& entries,
                                          std::vector<std::int32_t> const& needs) {
        std::vector<std::int32_t> rows, offsets{0}, places;
        std::vector<T> values;
        for (auto const& e : entries) {
            if (rows.empty() || rows.back() != e.row) {
                rows.push_back(e.row);
                offsets.push_back(offsets.back());
            }
            places.push_back(std::int32_t(std::lower_bound(needs.begin(), needs.end(), e.column) - needs.begin()));
            values.push_back(e.value);
            ++offsets.back();
        }
        return {exec, rows, offsets, places, values, std::int64_t(needs.size())};
    }

    coupled_level(Executor const& exec, part_messages const& messages, std::vector<coupling_entry<T>> with_others,
                  std::vector<std::int64_t> parts)
        : entries(std::move(with_others)), begin(std::move(parts)), needs(columns_of(entries)),
          others(exec, messages, halo_plan(messages, begin, needs)), rows(rows_of(exec, entries, needs)),
          size(begin[std::size_t(messages.part()) + 1] - begin[std::size_t(messages.part())]) {}
};

/// The levels of all parts as one of them has them.
template <executor Executor, class T>
class part_coupling final : public multilevel_detail::level_coupling<Executor, T, std::int32_t> {
public:
    part_coupling(Executor const& exec, part_messages const& messages, csr_part<Executor, T> const& a)
        : exec_(exec, messages) {
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
    void keep_from_smoothing(Executor const& exec, double* diagonal) override {
        auto const& level = *levels_.back();
        for (buffer<std::int32_t> const* const listed : {&level.rows.rows, &level.others.sent_rows()})
            for_each(exec, listed->size(), raise_diagonal{listed->data(), diagonal});
    }
    bool is_last_of_any(bool of_this) override {
        bool last = false;
        for (int const of_part : messages().gather(int(of_this))) last = last || of_part != 0;
        return last;
    }

    void coarsen(Executor const& exec, vertex_aggregates<> const& aggregates) override {
        auto const& level = *levels_.back();
        auto const begin = begins(aggregates.count);
        std::int64_t const base = begin[std::size_t(messages().part())];
        // The aggregates of the rows at the cuts: of ours here, of the others' as they tell.
        auto const own = aggregates_of(exec, aggregates, level.rows.rows);
        auto sent = aggregates_of(exec, aggregates, level.others.sent_rows());
        for (std::int32_t& number : sent)
            if (number >= 0) number += std::int32_t(base);
        std::vector<std::int32_t> theirs;
        auto const all = messages().gather(sent);
        halo_plan const& plan = level.others.plan();
        for (std::size_t p = 0; p < all.size(); ++p)
            for (std::int64_t k = 0; k < plan.received(p); ++k)
                theirs.push_back(all[p][std::size_t(plan.receive_from[p] + k)]);
        std::vector<coupling_entry<T>> entries;
        std::size_t r = 0; // the row of e among those that level.rows has
        for (auto const& e : level.entries) {
            if (&e != level.entries.data() && e.row != (&e - 1)->row) ++r;
            auto const place = std::lower_bound(level.needs.begin(), level.needs.end(), e.column) - level.needs.begin();
            std::int32_t const row = own[r], column = theirs[std::size_t(place)];
            if (row >= 0 && column >= 0) entries.push_back({row, column, e.value});
        }
        add_up(entries);
        add_level(exec, std::move(entries), begin);
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
        solver_.push_back(make_preconditioner(exec, "multilevel", together.view()));
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
    static std::vector<std::int32_t> aggregates_of(Executor const& exec, vertex_aggregates<> const& aggregates,
                                                   buffer<std::int32_t> const& rows) {
        buffer<std::int32_t> of(exec, rows.size());
        for_each(exec, rows.size(), gather_elements<std::int32_t>{aggregates.of.data(), rows.data(), of.data()});
        return to_vector(exec, of);
    }
    void add_level(Executor const& exec, std::vector<coupling_entry<T>> entries, std::vector<std::int64_t> begin) {
        levels_.push_back(
            std::make_unique<coupled_level<Executor, T>>(exec, messages(), std::move(entries), std::move(begin)));
    }

    part_executor<Executor> exec_;
    std::vector<std::unique_ptr<coupled_level<Executor, T>>> levels_{};
    std::int64_t apart_ = 0; ///< rows of the last level from part to part
    buffer<T> mine_{}, all_{}, solution_{};
    std::vector<any_preconditioner<Executor, T>> solver_{};
};

/// A cycle over the levels of all parts. refresh() is refused: values of other parts are on other levels.
template <executor Executor, class T>
class multilevel_parts {
public:
    multilevel_parts(Executor const& exec, part_messages const& messages, csr_part<Executor, T> const& a,
                     multilevel_options const& options)
        : coupling_(std::make_unique<part_coupling<Executor, T>>(exec, messages, a)),
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
