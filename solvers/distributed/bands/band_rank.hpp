// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One rank of a distributed direct solve. distributed_bands.hpp describes the method.
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

namespace coppice::inline v0_1::distributed {

/// The shape of the system of one rank, exchanged first: everything except `rows` must be equal on all ranks.
struct rank_shape {
    std::int64_t rows = 0, columns = 0;
    row_shape shape{};
    int cyclic = 0, operation = 0, refinements = 0;
    double error_bound = 0;

    bool fits(rank_shape const& other) const {
        return columns == other.columns && shape == other.shape && cyclic == other.cyclic &&
               operation == other.operation && refinements == other.refinements && error_bound == other.error_bound;
    }
    std::string description() const {
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

/// The rows of a rank, closed by interface rows, and the workspace for solving them together with the other ranks.
template <class T, executor Executor, communicator Messages>
class band_rank {
    using lane = chain::lane_of_t<T>;
    using extremes = chain::row_extremes<double>;

public:
    /// `shapes` are those of all ranks; at least two ranks have rows.
    band_rank(Executor const& exec, Messages const& comm, band_matrix<T> const& a, band_options const& options,
              std::vector<rank_shape> const& shapes, columns_view<T const> d)
        : exec_(exec), comm_(comm), class_(a), shapes_(shapes), options_(options), rhs_columns_(d.columns) {
        options_.condition = false;
        options_.refinements = 0;
        if (a.lower_bands < 0 && a.block > 1)
            options_.method = band_method::chain;    // for nearly singular rows of a rank
        options_.operation = matrix_operation::none; // the rows that are read are already those of op(A)
        rows_.inner.own = {reinterpret_cast<lane const*>(a.lower), reinterpret_cast<lane const*>(a.diagonal),
                           reinterpret_cast<lane const*>(a.upper), a.size, shape_of(a)};
        rows_.inner.op = options.operation;
        rows_.cyclic = options.cyclic;
        auto const [before, after] = rows_around();
        reach_ = rows_.inner.own.shape.reach();
        rows_.inner.first = -std::min<std::int64_t>(before, reach_);
        rows_.inner.end = a.size + std::min<std::int64_t>(after, reach_);
        read_rows_around();
        if (a.size == 0) return;
        row_shape const shape = rows_.inner.shape();
        rows_.before = before > 0 ? shape.below : 0;
        rows_.after = after > 0 ? shape.above : 0;
        size_interface();
        std::int64_t const n = rows_.size(), columns = rhs_columns_ + spikes();
        matrix_ = buffer<T>(exec, n * (shape.blocks() ? 3 * shape.block : shape.entries()));
        rhs_ = buffer<T>(exec, n * columns);
        solutions_ = buffer<T>(exec, n * columns);
        residual_ = buffer<T>(exec, a.size * rhs_columns_);
        extremes_ = buffer<extremes>(exec, rhs_columns_);
        report_ = buffer<solve_report>(exec, 1);
        interface_values_ = buffer<T>(exec, 2 * shape.interface_size() * columns);
    }

    /// x = op(A)^-1 d.
    void solve(columns_view<T const> d, columns_view<T> x) {
        std::int64_t const interface = rows_.inner.shape().interface_size();
        std::vector<T> mine;
        if (own() > 0) {
            bool singular = solve_bordered(d);
            if (singular) { // the interface rows may be an unlucky choice: try others
                ++rows_.attempt;
                singular = solve_bordered(d);
            }
            mine = read_interface_values(rhs_columns_ + spikes());
            nonzero_sums const first = find_nonzero_sums(std::min<std::int64_t>(own(), 32));
            for (bool const flag : {singular, first.rows != 0, first.columns != 0}) mine.push_back(T(flag));
        }
        std::vector<typename interface_system<T>::rank_values> ranks;
        std::vector<std::vector<T>> alone;
        nonzero_sums nonzero;
        auto const all = comm_.gather(mine);
        for (std::size_t p = 0; p < all.size(); ++p) {
            if (shapes_[p].rows == 0) continue;
            auto const flags = all[p].end() - 3, spikes = all[p].begin() + 2 * interface * rhs_columns_;
            singular_ = singular_ || flags[0] != T(0);
            nonzero = merge_nonzero_sums()(nonzero, {flags[1] != T(0), flags[2] != T(0)});
            alone.emplace_back(all[p].begin(), spikes);
            ranks.push_back(
                {interface == 0 ? 0 : std::size_t((flags - spikes) / (2 * interface)), std::vector<T>(spikes, flags)});
        }
        if (!nonzero.rows || !nonzero.columns) // for nearly all matrices the first rows of a rank suffice
            for (nonzero_sums const& rank : comm_.gather(find_nonzero_sums(own())))
                nonzero = merge_nonzero_sums()(nonzero, rank);
        sums_vanish_ = !nonzero.rows || !nonzero.columns;
        interfaces_ = interface_system<T>(std::move(ranks), std::size_t(interface), rows_.cyclic);
        auto const unknowns = interfaces_.solve(alone, std::size_t(rhs_columns_));
        singular_ = singular_ || unknowns.singular;
        nearly_singular_ = unknowns.nearly_singular;
        if (nearly_singular_) // `nearly_singular_` is equal on all ranks
            for (int const found : comm_.gather(has_zero_row_or_column())) singular_ = singular_ || found != 0;
        combine(unknowns, x, std::vector<bool>(std::size_t(rhs_columns_), true), false);
    }

    /// Computes r = d - op(A) x (residual_) and the error measures of x that report() reads.
    void measure(columns_view<T const> d, columns_view<T> x) {
        auto const [before, after] = neighbouring_rows(read_ends(x), rhs_columns_);
        auto const halo_before = exec_.copy(before), halo_after = exec_.copy(after);
        for (std::int64_t c = 0; c < rhs_columns_ && own() > 0; ++c) {
            measure_row<lane> const row{bordered(),
                                        rows_.before,
                                        own(),
                                        lanes(d.pointer) + c * d.leading,
                                        lanes(x.pointer) + c * x.leading,
                                        lanes(halo_before.data()) + c,
                                        lanes(halo_after.data()) + c,
                                        int(rhs_columns_),
                                        reach_,
                                        lanes(residual_.data()) + c * own()};
            reduce_to(exec_, own(), extremes{}, row, chain::larger_extremes{}, extremes_.data() + c);
        }
        errors_.assign(std::size_t(rhs_columns_), chain::column_error{});
        for (auto const& rank : comm_.gather(own() > 0 ? to_vector(exec_, extremes_) : std::vector<extremes>()))
            for (std::size_t c = 0; c < rank.size(); ++c)
                static_cast<extremes&>(errors_[c]) = chain::larger_extremes{}(errors_[c], rank[c]);
    }

    /// x += op(A)^-1 (d - op(A) x) in the selected columns.
    void refine(columns_view<T> x, std::vector<bool> const& selected) {
        std::vector<T> mine;
        if (own() > 0) {
            solve_columns(columns_view<T const>(residual_.data(), own(), rhs_columns_), rhs_columns_);
            mine = read_interface_values(rhs_columns_);
        }
        std::vector<std::vector<T>> alone;
        auto const all = comm_.gather(mine);
        for (std::size_t p = 0; p < all.size(); ++p)
            if (shapes_[p].rows > 0) alone.push_back(all[p]);
        combine(interfaces_.solve(alone, std::size_t(rhs_columns_)), x, selected, true);
    }

    /// Report of the last measure(), by the criteria of solve_bands (solvers/direct/error/band_error.hpp).
    solve_report report(double bound) const {
        solve_report r{0, 0, -1, solve_status::ok, 1, 0};
        // too_large: the solution is so large that only a condition number of 1 / (4 epsilon) or more explains it
        bool finite = true, too_large = false;
        double const largest = std::numeric_limits<double>::max();
        double const epsilon = std::numeric_limits<decltype(std::abs(T()))>::epsilon();
        for (chain::column_error const& e : errors_) {
            too_large = too_large || e.growth() * epsilon >= 0.25;
            chain::column_error::larger_of(r.backward_error, e.normwise());
            chain::column_error::larger_of(r.componentwise_error, e.componentwise);
            if (!(e.solution <= largest)) r.status = solve_status::not_finite;
            finite = finite && e.matrix <= largest;
        }
        bool const accurate = r.backward_error <= bound;
        if (!(r.backward_error <= largest)) r.status = solve_status::not_finite;
        if (r.status == solve_status::ok && !accurate) r.status = solve_status::inaccurate;
        if (finite && (singular_ || sums_vanish_ || (nearly_singular_ && (!accurate || too_large))))
            r.status = solve_status::singular;
        return r;
    }
    /// Whether a step of refinement may help.
    bool can_refine(solve_report const& r) const {
        return r.status == solve_status::inaccurate ||
               (r.status == solve_status::singular && !singular_ && !sums_vanish_);
    }
    std::vector<bool> inaccurate(double bound) const {
        std::vector<bool> of;
        for (chain::column_error const& e : errors_) of.push_back(!(e.normwise() <= bound));
        return of;
    }

private:
    static lane const* lanes(T const* p) { return reinterpret_cast<lane const*>(p); }
    static lane* lanes(T* p) { return reinterpret_cast<lane*>(p); }
    std::int64_t own() const { return rows_.own(); }
    std::int64_t spikes() const { return rows_.before + rows_.after; }
    std::size_t self() const { return std::size_t(comm_.rank()); }

    /// Numbers of rows before and after this rank. If the system is cyclic, both count the rows of all other ranks.
    std::array<std::int64_t, 2> rows_around() const {
        std::array<std::int64_t, 2> count{0, 0};
        for (std::size_t p = 0; p < shapes_.size(); ++p)
            for (std::size_t const direction : {0u, 1u})
                if (p != self() && (rows_.cyclic || (p < self()) == (direction == 0)))
                    count[direction] += shapes_[p].rows;
        return count;
    }
    /// Collects, from the end rows of all ranks (`each` values per row), the reach() rows before this rank and the
    /// reach() rows after it; zero if there are none.
    std::array<std::vector<T>, 2> neighbouring_rows(std::vector<T> const& mine, std::int64_t each) const {
        auto const all = comm_.gather(mine);
        std::array<std::vector<T>, 2> neighbours{};
        auto const ranks = std::int64_t(all.size()), self_index = std::int64_t(self());
        for (int const direction : {0, 1}) {
            std::vector<T>& rows = neighbours[std::size_t(direction)];
            rows.assign(std::size_t(reach_ * each), T(0));
            std::int64_t found = 0;
            for (std::int64_t step = 1; step < ranks && found < reach_; ++step) {
                std::int64_t p = direction == 0 ? self_index - step : self_index + step;
                if (!rows_.cyclic && (p < 0 || p >= ranks)) break;
                p = (p + ranks) % ranks;
                std::vector<T> const& ends = all[std::size_t(p)];
                std::int64_t const count = std::min<std::int64_t>(shapes_[std::size_t(p)].rows, reach_);
                for (std::int64_t k = 0; k < count && found < reach_; ++k, ++found) { // outwards from this rank
                    auto const from = ends.begin() + (direction == 0 ? 2 * count - 1 - k : k) * each;
                    std::copy_n(from, each, rows.begin() + (direction == 0 ? reach_ - 1 - found : found) * each);
                }
            }
        }
        return neighbours;
    }
    std::int64_t end_rows() const { return std::min<std::int64_t>(own(), reach_); }
    void read_rows_around() {
        stored_rows<lane> const& a = rows_.inner.own;
        std::int64_t const values = 2 * end_rows() * a.shape.entries();
        buffer<T> ends(exec_, values);
        for_each(exec_, values, read_end_rows<lane>{a, end_rows(), lanes(ends.data())});
        auto const [before, after] = neighbouring_rows(to_vector(exec_, ends), a.shape.entries());
        rows_before_ = exec_.copy(before);
        rows_after_ = exec_.copy(after);
        exec_.synchronize();
        rows_.inner.rows_before = lanes(rows_before_.data());
        rows_.inner.rows_after = lanes(rows_after_.data());
    }
    std::vector<T> read_ends(columns_view<T> x) const {
        std::int64_t const values = 2 * end_rows() * rhs_columns_;
        buffer<T> ends(exec_, values);
        for_each(
            exec_, values,
            read_end_values<lane>{lanes(x.pointer), own(), x.leading, rhs_columns_, end_rows(), lanes(ends.data())});
        return to_vector(exec_, ends);
    }

    /// Scale of the interface rows: that of the rows at the ends, rounded to a power of two.
    void size_interface() {
        std::int64_t const items = 2 * end_rows() * rows_.inner.shape().entries();
        end_sizes const sizes =
            reduce(exec_, items, end_sizes{}, size_of_ends<lane>{rows_.inner, end_rows()}, max_sizes{});
        rows_.size_before = power_of_two(sizes.first);
        rows_.size_after = power_of_two(sizes.last);
    }
    static double power_of_two(double size) {
        if (!(size > 0 && size <= std::numeric_limits<double>::max())) return 1;
        int exponent = 0;
        std::frexp(size, &exponent);
        int const limit = std::numeric_limits<decltype(std::abs(T()))>::max_exponent - 4;
        return std::ldexp(1.0, std::clamp(exponent, -limit, limit));
    }
    /// Returns 1 if a row of this rank, or its column, has only zeros.
    int has_zero_row_or_column() const {
        return reduce(exec_, own(), 0, is_zero_row_or_column<lane>{rows_.inner}, maximum{});
    }
    /// Whether sums of the first `rows` rows and of their columns differ from zero.
    nonzero_sums find_nonzero_sums(std::int64_t rows) const {
        return reduce(exec_, rows, nonzero_sums{}, sums_of_row<lane>{rows_.inner}, merge_nonzero_sums{});
    }

    band_matrix<T> bordered_matrix() const {
        std::int64_t const n = rows_.size();
        T const* const at = matrix_.data();
        row_shape const shape = rows_.inner.shape();
        if (class_.lower_bands >= 0) return banded_view<T>{n, shape.below, shape.above, at};
        std::int64_t const b = shape.block;
        return block_tridiagonal_view<T>{n / b, int(b), at, at + n * b, at + 2 * n * b};
    }
    stored_rows<lane> bordered() const {
        band_matrix<T> const a = bordered_matrix();
        return {lanes(a.lower), lanes(a.diagonal), lanes(a.upper), a.size, rows_.inner.shape()};
    }
    /// Solves for the first `columns` of d and for the spikes. Returns whether the matrix has a column without a pivot.
    bool solve_bordered(columns_view<T const> d) {
        for_each(exec_, matrix_.size(), write_bordered<lane>{rows_, lanes(matrix_.data())});
        return solve_columns(d, rhs_columns_ + spikes());
    }
    bool solve_columns(columns_view<T const> d, std::int64_t columns) {
        std::int64_t const n = rows_.size();
        for_each(exec_, n * columns,
                 write_rhs<lane>{rows_, lanes(d.pointer), d.leading, rhs_columns_, lanes(rhs_.data())});
        solve_bands(exec_, bordered_matrix(), columns_view<T const>(rhs_.data(), n, columns),
                    columns_view<T>(solutions_.data(), n, columns), options_, report_.view());
        return exec_.load(report_.data()).status == solve_status::singular;
    }
    std::vector<T> read_interface_values(std::int64_t columns) const {
        std::int64_t const interface = rows_.inner.shape().interface_size(), values = 2 * interface * columns;
        for_each(
            exec_, values,
            read_interfaces<lane>{lanes(solutions_.data()), rows_.size(), interface, lanes(interface_values_.data())});
        return to_vector(exec_, array_view<T const>(interface_values_.data(), values));
    }
    void combine(typename interface_system<T>::solution const& found, columns_view<T> x,
                 std::vector<bool> const& selected, bool add) const {
        if (own() == 0) return;
        buffer<T> const factors = exec_.copy(found.unknowns[index_among_nonempty()]);
        std::int64_t const n = rows_.size();
        lane const* const first = lanes(solutions_.data()) + rows_.before;
        for (std::int64_t c = 0; c < rhs_columns_; ++c)
            if (selected[std::size_t(c)])
                for_each(exec_, own(),
                         combine_columns<lane>{first + c * n, first + rhs_columns_ * n, n,
                                               lanes(factors.data()) + c * spikes(), int(spikes()),
                                               lanes(x.pointer) + c * x.leading, add});
        exec_.synchronize(); // factors ends here
    }
    /// Index of this rank among the ranks with rows.
    std::size_t index_among_nonempty() const {
        return std::size_t(std::count_if(shapes_.begin(), shapes_.begin() + std::ptrdiff_t(self()),
                                         [](rank_shape const& s) { return s.rows > 0; }));
    }

    Executor exec_;
    Messages comm_;
    band_matrix<T> class_;
    std::vector<rank_shape> shapes_;
    band_options options_;
    std::int64_t rhs_columns_;
    int reach_ = 0;
    bordered_rows<lane> rows_{};
    buffer<T> rows_before_, rows_after_; ///< rows of the neighbouring ranks
    buffer<T> matrix_, rhs_, solutions_, residual_;
    mutable buffer<T> interface_values_;
    buffer<extremes> extremes_;
    buffer<solve_report> report_;
    interface_system<T> interfaces_{};
    std::vector<chain::column_error> errors_{};
    bool singular_ = false, nearly_singular_ = false, sums_vanish_ = false;
};

} // namespace coppice::inline v0_1::distributed
