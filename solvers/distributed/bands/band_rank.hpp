// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One part of a direct solve whose rows lie in parts; band_parts.hpp has the method.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>
#include <coppice/solvers/distributed/bands/band_rank_rows.hpp>
#include <coppice/solvers/distributed/bands/interface_system.hpp>

namespace coppice::distributed {

/// What parts tell each other first: all but the rows must be equal.
struct part_shape {
    std::int64_t rows = 0, columns = 0;
    row_shape shape{};
    int cyclic = 0, operation = 0, refinements = 0;
    double error_bound = 0;

    bool fits(part_shape const& other) const {
        return columns == other.columns && shape == other.shape && cyclic == other.cyclic &&
               operation == other.operation && refinements == other.refinements && error_bound == other.error_bound;
    }
    std::string words() const {
        std::ostringstream text;
        if (shape.blocks())
            text << "blocks of " << shape.block << " rows";
        else
            text << shape.below << " lower and " << shape.above << " upper bands";
        text << ", " << columns << " right-hand sides, " << (cyclic ? "cyclic" : "not cyclic") << ", operation "
             << operation << ", " << refinements << " refinements, error bound " << error_bound;
        return text.str();
    }
};

template <class T>
row_shape shape_of(band_matrix<T> const& a) {
    if (a.lower_bands >= 0) return {1, a.lower_bands, a.upper_bands};
    return {a.block, a.block, a.block};
}

/// The rows of a part, with their border, and what it needs to be solved with the others.
template <class T, executor Executor, communicator Messages>
class band_part {
    using lane = chain::lane_of_t<T>;
    using extremes = chain::row_extremes<double>;

public:
    /// `shapes` are those of all parts; at least two have rows.
    band_part(Executor const& exec, Messages const& others, band_matrix<T> const& a, band_options const& options,
              std::vector<part_shape> const& shapes, columns_view<T const> d)
        : exec_(exec), others_(others), class_(a), shapes_(shapes), options_(options), sides_(d.columns) {
        options_.condition = false;
        options_.refinements = 0;
        options_.operation = matrix_operation::none; // of the rows as the border has them
        rows_.part.own = {reinterpret_cast<lane const*>(a.lower), reinterpret_cast<lane const*>(a.diagonal),
                          reinterpret_cast<lane const*>(a.upper), a.size, shape_of(a)};
        rows_.part.op = options.operation;
        rows_.cyclic = options.cyclic;
        auto const [before, behind] = rows_around();
        reach_ = rows_.part.own.shape.reach();
        rows_.part.first = -std::min<std::int64_t>(before, reach_);
        rows_.part.behind = a.size + std::min<std::int64_t>(behind, reach_);
        read_rows_around();
        if (a.size == 0) return;
        row_shape const shape = rows_.part.shape();
        rows_.before = before > 0 ? shape.below : 0;
        rows_.after = behind > 0 ? shape.above : 0;
        size_border();
        std::int64_t const n = rows_.size(), columns = sides_ + spikes();
        matrix_ = buffer<T>(exec, n * (shape.blocks() ? 3 * shape.block : shape.entries()));
        right_ = buffer<T>(exec, n * columns);
        solutions_ = buffer<T>(exec, n * columns);
        rest_ = buffer<T>(exec, a.size * sides_);
        found_ = buffer<extremes>(exec, sides_);
        report_ = buffer<solve_report>(exec, 1);
        borders_ = buffer<T>(exec, 2 * shape.border() * columns);
    }

    /// x = op(A)^-1 d.
    void solve(columns_view<T const> d, columns_view<T> x) {
        std::int64_t const border = rows_.part.shape().border();
        std::vector<T> mine;
        if (own() > 0) {
            bool singular = solve_bordered(d);
            if (singular) { // perhaps by chance
                ++rows_.attempt;
                singular = solve_bordered(d);
            }
            mine = read_border_values(sides_ + spikes());
            uneven_sums const first = sums_uneven(std::min<std::int64_t>(own(), 32));
            for (bool const flag : {singular, first.rows != 0, first.columns != 0}) mine.push_back(T(flag));
        }
        std::vector<typename end_system<T>::part> parts;
        std::vector<std::vector<T>> alone;
        uneven_sums uneven;
        auto const all = others_.gather(mine);
        for (std::size_t p = 0; p < all.size(); ++p) {
            if (shapes_[p].rows == 0) continue;
            auto const flags = all[p].end() - 3, spikes = all[p].begin() + 2 * border * sides_;
            singular_ = singular_ || flags[0] != T(0);
            uneven = either_uneven()(uneven, {flags[1] != T(0), flags[2] != T(0)});
            alone.emplace_back(all[p].begin(), spikes);
            parts.push_back(
                {border == 0 ? 0 : std::size_t((flags - spikes) / (2 * border)), std::vector<T>(spikes, flags)});
        }
        if (!uneven.rows || !uneven.columns) // the first rows of a part tell of nearly all matrices
            for (uneven_sums const& part : others_.gather(sums_uneven(own()))) uneven = either_uneven()(uneven, part);
        sums_vanish_ = !uneven.rows || !uneven.columns;
        ends_ = end_system<T>(std::move(parts), std::size_t(border), rows_.cyclic);
        auto const unknowns = ends_.solve(alone, std::size_t(sides_));
        singular_ = singular_ || unknowns.singular;
        doubtful_ = unknowns.doubtful;
        if (doubtful_) // the same on all parts
            for (int const found : others_.gather(zero_lines())) singular_ = singular_ || found != 0;
        combine(unknowns, x, std::vector<bool>(std::size_t(sides_), true), false);
    }

    /// Measures x; afterwards what is left of d is known, and errors().
    void measure(columns_view<T const> d, columns_view<T> x) {
        auto const [before, behind] = rows_beside(read_ends(x), sides_);
        auto const halo_before = exec_.copy(before), halo_behind = exec_.copy(behind);
        for (std::int64_t c = 0; c < sides_ && own() > 0; ++c) {
            measure_row<lane> const row{bordered(),
                                        rows_.before,
                                        own(),
                                        lanes(d.pointer) + c * d.leading,
                                        lanes(x.pointer) + c * x.leading,
                                        lanes(halo_before.data()) + c,
                                        lanes(halo_behind.data()) + c,
                                        int(sides_),
                                        reach_,
                                        lanes(rest_.data()) + c * own()};
            reduce_to(exec_, own(), extremes{}, row, chain::larger_extremes{}, found_.data() + c);
        }
        errors_.assign(std::size_t(sides_), chain::error_parts{});
        for (auto const& part : others_.gather(own() > 0 ? to_vector(exec_, found_) : std::vector<extremes>()))
            for (std::size_t c = 0; c < part.size(); ++c)
                static_cast<extremes&>(errors_[c]) = chain::larger_extremes{}(errors_[c], part[c]);
    }

    /// x += op(A)^-1 (d - op(A) x) in the columns that are wanted.
    void refine(columns_view<T> x, std::vector<bool> const& wanted) {
        std::vector<T> mine;
        if (own() > 0) {
            solve_columns(columns_view<T const>(rest_.data(), own(), sides_), sides_);
            mine = read_border_values(sides_);
        }
        std::vector<std::vector<T>> alone;
        auto const all = others_.gather(mine);
        for (std::size_t p = 0; p < all.size(); ++p)
            if (shapes_[p].rows > 0) alone.push_back(all[p]);
        combine(ends_.solve(alone, std::size_t(sides_)), x, wanted, true);
    }

    /// Of the last measure(), as solve_bands judges them (judge/band_error.hpp).
    solve_report report(double bound) const {
        solve_report r{0, 0, -1, solve_status::ok, 1, 0};
        bool finite = true, hopeless = false; // a solution as large as only a matrix of condition 1 / epsilon makes it
        double const largest = std::numeric_limits<double>::max();
        double const epsilon = std::numeric_limits<decltype(std::abs(T()))>::epsilon();
        for (chain::error_parts const& e : errors_) {
            hopeless = hopeless || e.growth() * epsilon >= 0.25;
            chain::error_parts::larger_of(r.backward_error, e.normwise());
            chain::error_parts::larger_of(r.componentwise_error, e.componentwise);
            if (!(e.solution <= largest)) r.status = solve_status::not_finite;
            finite = finite && e.matrix <= largest;
        }
        bool const accurate = r.backward_error <= bound;
        if (!(r.backward_error <= largest)) r.status = solve_status::not_finite;
        if (r.status == solve_status::ok && !accurate) r.status = solve_status::inaccurate;
        if (finite && (singular_ || sums_vanish_ || (doubtful_ && (!accurate || hopeless))))
            r.status = solve_status::singular;
        return r;
    }
    /// Whether a step of refinement may help.
    bool refinable(solve_report const& r) const {
        return r.status == solve_status::inaccurate ||
               (r.status == solve_status::singular && !singular_ && !sums_vanish_);
    }
    std::vector<bool> inaccurate(double bound) const {
        std::vector<bool> of;
        for (chain::error_parts const& e : errors_) of.push_back(!(e.normwise() <= bound));
        return of;
    }

private:
    static lane const* lanes(T const* p) { return reinterpret_cast<lane const*>(p); }
    static lane* lanes(T* p) { return reinterpret_cast<lane*>(p); }
    std::int64_t own() const { return rows_.own(); }
    std::int64_t spikes() const { return rows_.before + rows_.after; }
    std::size_t self() const { return std::size_t(others_.part()); }

    /// Numbers of rows before and behind this part; of a ring, all others.
    std::array<std::int64_t, 2> rows_around() const {
        std::array<std::int64_t, 2> count{0, 0};
        for (std::size_t p = 0; p < shapes_.size(); ++p)
            for (std::size_t const side : {0, 1})
                if (p != self() && (rows_.cyclic || (p < self()) == (side == 0))) count[side] += shapes_[p].rows;
        return count;
    }
    /// From the rows at both ends of all parts, `each` values a row: reach() rows before this part, and as many behind;
    /// zero where there are none.
    std::array<std::vector<T>, 2> rows_beside(std::vector<T> const& mine, std::int64_t each) const {
        auto const all = others_.gather(mine);
        std::array<std::vector<T>, 2> beside{};
        auto const parts = std::int64_t(all.size()), me = std::int64_t(self());
        for (int const side : {0, 1}) {
            std::vector<T>& rows = beside[std::size_t(side)];
            rows.assign(std::size_t(reach_ * each), T(0));
            std::int64_t found = 0;
            for (std::int64_t step = 1; step < parts && found < reach_; ++step) {
                std::int64_t p = side == 0 ? me - step : me + step;
                if (!rows_.cyclic && (p < 0 || p >= parts)) break;
                p = (p + parts) % parts;
                std::vector<T> const& ends = all[std::size_t(p)];
                std::int64_t const count = std::min<std::int64_t>(shapes_[std::size_t(p)].rows, reach_);
                for (std::int64_t k = 0; k < count && found < reach_; ++k, ++found) { // outwards from this part
                    auto const from = ends.begin() + (side == 0 ? 2 * count - 1 - k : k) * each;
                    std::copy_n(from, each, rows.begin() + (side == 0 ? reach_ - 1 - found : found) * each);
                }
            }
        }
        return beside;
    }
    std::int64_t end_rows() const { return std::min<std::int64_t>(own(), reach_); }
    void read_rows_around() {
        stored_rows<lane> const& a = rows_.part.own;
        std::int64_t const values = 2 * end_rows() * a.shape.entries();
        buffer<T> ends(exec_, values);
        for_each(exec_, values, read_end_rows<lane>{a, end_rows(), lanes(ends.data())});
        auto const [before, behind] = rows_beside(to_vector(exec_, ends), a.shape.entries());
        rows_before_ = exec_.copy(before);
        rows_behind_ = exec_.copy(behind);
        exec_.synchronize();
        rows_.part.rows_before = lanes(rows_before_.data());
        rows_.part.rows_behind = lanes(rows_behind_.data());
    }
    std::vector<T> read_ends(columns_view<T> x) const {
        std::int64_t const values = 2 * end_rows() * sides_;
        buffer<T> ends(exec_, values);
        for_each(exec_, values,
                 read_end_values<lane>{lanes(x.pointer), own(), x.leading, sides_, end_rows(), lanes(ends.data())});
        return to_vector(exec_, ends);
    }

    /// Borders of the size of the rows at the ends, a power of two.
    void size_border() {
        std::int64_t const items = 2 * end_rows() * rows_.part.shape().entries();
        end_sizes const sizes =
            reduce(exec_, items, end_sizes{}, size_of_ends<lane>{rows_.part, end_rows()}, larger_sizes{});
        rows_.size_before = power_of_two(sizes.first);
        rows_.size_after = power_of_two(sizes.last);
    }
    static double power_of_two(double size) {
        if (!(size > 0 && size <= std::numeric_limits<double>::max())) return 1;
        int exponent = 0;
        std::frexp(size, &exponent);
        int const most = std::numeric_limits<decltype(std::abs(T()))>::max_exponent - 4;
        return std::ldexp(1.0, std::clamp(exponent, -most, most));
    }
    /// 1 where a row of this part, or its column, holds zeros alone.
    int zero_lines() const { return reduce(exec_, own(), 0, is_zero_line<lane>{rows_.part}, maximum{}); }
    /// Of the first `rows` rows.
    uneven_sums sums_uneven(std::int64_t rows) const {
        return reduce(exec_, rows, uneven_sums{}, sums_of_row<lane>{rows_.part}, either_uneven{});
    }

    band_matrix<T> bordered_matrix() const {
        std::int64_t const n = rows_.size();
        T const* const at = matrix_.data();
        row_shape const shape = rows_.part.shape();
        if (class_.lower_bands >= 0) return banded_view<T>{n, shape.below, shape.above, at};
        std::int64_t const b = shape.block;
        return block_tridiagonal_view<T>{n / b, int(b), at, at + n * b, at + 2 * n * b};
    }
    stored_rows<lane> bordered() const {
        band_matrix<T> const a = bordered_matrix();
        return {lanes(a.lower), lanes(a.diagonal), lanes(a.upper), a.size, rows_.part.shape()};
    }
    /// The first `columns` of d and the spikes; whether a column is without a pivot.
    bool solve_bordered(columns_view<T const> d) {
        for_each(exec_, matrix_.size(), write_bordered<lane>{rows_, lanes(matrix_.data())});
        return solve_columns(d, sides_ + spikes());
    }
    bool solve_columns(columns_view<T const> d, std::int64_t columns) {
        std::int64_t const n = rows_.size();
        for_each(exec_, n * columns,
                 write_sides<lane>{rows_, lanes(d.pointer), d.leading, sides_, lanes(right_.data())});
        solve_bands(exec_, bordered_matrix(), columns_view<T const>(right_.data(), n, columns),
                    columns_view<T>(solutions_.data(), n, columns), options_, report_.view());
        return exec_.load(report_.data()).status == solve_status::singular;
    }
    std::vector<T> read_border_values(std::int64_t columns) const {
        std::int64_t const border = rows_.part.shape().border(), values = 2 * border * columns;
        for_each(exec_, values,
                 read_borders<lane>{lanes(solutions_.data()), rows_.size(), border, lanes(borders_.data())});
        return to_vector(exec_, array_view<T const>(borders_.data(), values));
    }
    void combine(typename end_system<T>::solution const& found, columns_view<T> x, std::vector<bool> const& wanted,
                 bool further) const {
        if (own() == 0) return;
        buffer<T> const factors = exec_.copy(found.unknowns[place_among_parts()]);
        std::int64_t const n = rows_.size();
        lane const* const first = lanes(solutions_.data()) + rows_.before;
        for (std::int64_t c = 0; c < sides_; ++c)
            if (wanted[std::size_t(c)])
                for_each(exec_, own(),
                         combine_columns<lane>{first + c * n, first + sides_ * n, n,
                                               lanes(factors.data()) + c * spikes(), int(spikes()),
                                               lanes(x.pointer) + c * x.leading, further});
        exec_.synchronize(); // what was copied ends here
    }
    /// Among those with rows.
    std::size_t place_among_parts() const {
        return std::size_t(std::count_if(shapes_.begin(), shapes_.begin() + std::ptrdiff_t(self()),
                                         [](part_shape const& s) { return s.rows > 0; }));
    }

    Executor exec_;
    Messages others_;
    band_matrix<T> class_;
    std::vector<part_shape> shapes_;
    band_options options_;
    std::int64_t sides_;
    int reach_ = 0;
    bordered_rows<lane> rows_{};
    buffer<T> rows_before_, rows_behind_; ///< of the neighbours
    buffer<T> matrix_, right_, solutions_, rest_;
    mutable buffer<T> borders_;
    buffer<extremes> found_;
    buffer<solve_report> report_;
    end_system<T> ends_{};
    std::vector<chain::error_parts> errors_{};
    bool singular_ = false, doubtful_ = false, sums_vanish_ = false;
};

} // namespace coppice::distributed
