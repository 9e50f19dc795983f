// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Tridiagonal systems whose rows lie in parts on several executors: SPIKE (L.-W. Chang, thesis of 2014, section 3.3.1)
/// over the solver of one executor.
///
/// A part solves its rows for its right-hand side and for the first and the last unit vector. The values of these three
/// at its two ends cross, once; from all of them every part solves the same banded system of two unknowns a part and
/// adds what its neighbours' ends make of the two spikes.
///
/// A part may be singular by itself though the matrix is not. So each is solved with something added to its first and
/// last diagonal element, which the small system takes back: A' = A + s e_1 e_1^T + t e_n e_n^T, and
///     x = A'^-1 d + A'^-1 e_1 (s x_1 - a_1 x_before) + A'^-1 e_n (t x_n - c_n x_behind).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/band_solver.hpp>

namespace coppice {
namespace distributed {

/// What crosses of a part: its couplings to the neighbours, what was added at its ends, and the three solutions there.
template <class T>
struct part_ends {
    std::int64_t rows = 0;
    T before = 0, behind = 0;
    T added_first = 0, added_last = 0;
    T at_first[3] = {}, at_last[3] = {}; ///< of the right-hand side, of e_1, of e_n
    int singular = 0;
};

/// A part's equations at its ends, 0 to 7: the first row's a, b, c, the last one's.
template <class T>
struct read_ends {
    tridiagonal_view<T> a;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const row = i < 3 ? 0 : a.length - 1;
        to[i] = (i % 3 == 0 ? a.lower : i % 3 == 1 ? a.diagonal : a.upper)[row];
    }
};
/// The diagonal with its ends raised, and the right-hand sides d, e_1, e_n.
template <class T>
struct write_system {
    T const *diagonal, *d;
    T *raised, *sides;
    std::int64_t n;
    T first, last;
    COPPICE_HD void operator()(std::int64_t i) const {
        raised[i] = diagonal[i] + (i == 0 ? first : T(0)) + (i == n - 1 ? last : T(0));
        sides[i] = d[i];
        sides[n + i] = i == 0 ? T(1) : T(0);
        sides[2 * n + i] = i == n - 1 ? T(1) : T(0);
    }
};
template <class T>
struct read_solutions {
    T const* solutions;
    T* to;
    std::int64_t n;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = solutions[i / 2 * n + (i % 2 == 0 ? 0 : n - 1)]; }
};
template <class T>
struct add_spikes {
    T const* solutions;
    T* x;
    std::int64_t n;
    T of_first, of_last;
    bool further; ///< x is added to
    COPPICE_HD void operator()(std::int64_t i) const {
        T const value = solutions[i] + of_first * solutions[n + i] + of_last * solutions[2 * n + i];
        x[i] = further ? x[i] + value : value;
    }
};

/// Largest of what the backward error is made of; a NaN stays.
struct sizes {
    double residual = 0, matrix = 0, solution = 0, side = 0;
};
struct larger_sizes {
    COPPICE_HD static double larger(double a, double b) { return a > b || a != a ? a : b; }
    COPPICE_HD sizes operator()(sizes const& a, sizes const& b) const {
        return {larger(a.residual, b.residual), larger(a.matrix, b.matrix), larger(a.solution, b.solution),
                larger(a.side, b.side)};
    }
};
/// r = d - A x, and its sizes; `before` and `behind` are the neighbours' x.
template <class T>
struct residual_row {
    tridiagonal_view<T> a;
    T const *d, *x;
    T* r;
    T before, behind;
    bool first, last; ///< nothing is before, behind the part

    COPPICE_HD static double size_of(T value) { return double(value < T(0) ? -value : value); }
    COPPICE_HD sizes operator()(std::int64_t i) const {
        std::int64_t const n = a.length;
        T const low = i == 0 && first ? T(0) : a.lower[i], up = i == n - 1 && last ? T(0) : a.upper[i];
        T const left = i == 0 ? before : x[i - 1], right = i == n - 1 ? behind : x[i + 1];
        r[i] = d[i] - a.diagonal[i] * x[i] - (i == 0 && first ? T(0) : low * left) -
               (i == n - 1 && last ? T(0) : up * right);
        return {size_of(r[i]), size_of(low) + size_of(a.diagonal[i]) + size_of(up), size_of(x[i]), size_of(d[i])};
    }
};

/// x at the two ends of every part; of those without rows, zero.
template <class T>
struct end_values {
    std::vector<std::array<T, 2>> x{};
    bool singular = false;
};

/// The banded system of the parts' end unknowns; the same bits on every part. Parts without rows are left out.
template <class T>
end_values<T> solve_ends(std::vector<part_ends<T>> const& parts) {
    host_executor const exec{1};
    std::vector<std::size_t> with_rows;
    end_values<T> all{std::vector<std::array<T, 2>>(parts.size(), {T(0), T(0)}), false};
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (parts[p].rows > 0) with_rows.push_back(p);
        all.singular = all.singular || parts[p].singular != 0;
    }
    std::int64_t const n = 2 * std::int64_t(with_rows.size());
    if (n == 0) return all;
    banded<T> a(exec, n, 2, 2);
    buffer<T> d(exec, n), x(exec, n);
    std::fill_n(a.bands.data(), a.bands.size(), T(0));
    auto const at = [&](std::int64_t row, std::int64_t column) -> T& {
        return a.bands.data()[(column - row + 2) * n + row];
    };
    for (std::int64_t q = 0; q < n / 2; ++q) {
        part_ends<T> const& part = parts[with_rows[std::size_t(q)]];
        for (std::int64_t const row : {2 * q, 2 * q + 1}) {
            T const* const value = row == 2 * q ? part.at_first : part.at_last;
            at(row, row) = T(1);
            at(row, 2 * q) -= part.added_first * value[1];
            at(row, 2 * q + 1) -= part.added_last * value[2];
            if (q > 0) at(row, 2 * q - 1) = part.before * value[1];
            if (2 * q + 2 < n) at(row, 2 * q + 2) = part.behind * value[2];
            d.data()[row] = value[0];
        }
    }
    solve_report report{};
    solve_bands(exec, band_matrix<T>(a), columns_view<T const>(d.data(), n, 1), columns_view<T>(x.data(), n, 1), {},
                array_view<solve_report>(&report, 1));
    all.singular = all.singular || report.status == solve_status::singular;
    for (std::int64_t q = 0; q < n / 2; ++q) all.x[with_rows[std::size_t(q)]] = {x.data()[2 * q], x.data()[2 * q + 1]};
    return all;
}

/// The rows of a part and what it needs to be solved with the others.
template <class T, executor Executor, communicator Messages>
class tridiagonal_part {
public:
    tridiagonal_part(Executor const& exec, Messages const& others, tridiagonal_view<T> a, band_options const& options)
        : exec_(exec), others_(others), a_(a), options_(options), raised_(exec, a.size()), sides_(exec, 3 * a.size()),
          solutions_(exec, 3 * a.size()), residual_(exec, a.size()), report_(exec, 1), few_(exec, 6) {
        options_.condition = false;
        options_.cyclic = false;
    }

    /// x = A^-1 d, or x + A^-1 d; whether a column was left without a pivot.
    bool solve(array_view<T const> d, array_view<T> x, bool further) {
        std::int64_t const n = a_.size();
        std::vector<part_ends<T>> const parts = others_.gather(n > 0 ? solve_alone(d) : part_ends<T>{});
        end_values<T> const ends = solve_ends(parts);
        auto const self = std::size_t(others_.part());
        auto const [before, behind] = neighbours(parts);
        T const x_before = before ? ends.x[*before][1] : T(0), x_behind = behind ? ends.x[*behind][0] : T(0);
        part_ends<T> const& own = parts[self];
        T const of_first = own.added_first * ends.x[self][0] - (before ? own.before * x_before : T(0));
        T const of_last = own.added_last * ends.x[self][1] - (behind ? own.behind * x_behind : T(0));
        for_each(exec_, n, add_spikes<T>{solutions_.data(), x.data(), n, of_first, of_last, further});
        return ends.singular;
    }
    /// The backward error of x, of all parts; residual() is d - A x of this one.
    double backward_error(array_view<T const> d, array_view<T const> x) {
        struct ends {
            std::int64_t rows;
            T first, last;
        };
        std::int64_t const n = a_.size();
        auto const parts = others_.gather(n > 0 ? ends{n, exec_.load(x.data()), exec_.load(x.data() + n - 1)} : ends{});
        auto const [before, behind] = neighbours(parts);
        residual_row<T> const row{a_,
                                  d.data(),
                                  x.data(),
                                  residual_.data(),
                                  before ? parts[*before].last : T(0),
                                  behind ? parts[*behind].first : T(0),
                                  !before,
                                  !behind};
        sizes all;
        for (sizes const& part : others_.gather(reduce(exec_, n, sizes{}, row, larger_sizes{})))
            all = larger_sizes{}(all, part);
        if (all.residual == 0) return all.matrix - all.matrix == 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
        return all.residual / (all.matrix * all.solution + all.side);
    }
    array_view<T const> residual() const { return residual_.view(); }

private:
    /// The parts with rows next to this one.
    template <class Part>
    std::array<std::optional<std::size_t>, 2> neighbours(std::vector<Part> const& parts) const {
        std::array<std::optional<std::size_t>, 2> found{};
        auto const self = std::size_t(others_.part());
        for (std::size_t p = 0; p < parts.size(); ++p) {
            if (parts[p].rows == 0) continue;
            if (p < self) found[0] = p;
            if (p > self && !found[1]) found[1] = p;
        }
        return found;
    }

    /// This part by itself; where what was added makes it singular, with something else.
    part_ends<T> solve_alone(array_view<T const> d) {
        std::int64_t const n = a_.size();
        for_each(exec_, 6, read_ends<T>{a_, few_.data()});
        std::vector<T> const e = to_vector(exec_, few_.view());
        part_ends<T> own{n, e[0], e[5], raise_of(e[1], n > 1 ? e[2] : T(0)), raise_of(e[4], n > 1 ? e[3] : T(0))};
        for (int attempt = 0; attempt < 2; ++attempt) {
            for_each(exec_, n,
                     write_system<T>{a_.diagonal, d.data(), raised_.data(), sides_.data(), n, own.added_first,
                                     own.added_last});
            solve_bands(exec_, band_matrix<T>(tridiagonal_view<T>{n, a_.lower, raised_.data(), a_.upper}),
                        columns_view<T const>(sides_.data(), n, 3), columns_view<T>(solutions_.data(), n, 3), options_,
                        report_.view());
            own.singular = exec_.load(report_.data()).status == solve_status::singular;
            if (!own.singular) break;
            own.added_first = T(0.75) * own.added_first;
            own.added_last = T(-1.25) * own.added_last;
        }
        for_each(exec_, 6, read_solutions<T>{solutions_.data(), few_.data(), n});
        std::vector<T> const s = to_vector(exec_, few_.view());
        for (std::size_t k = 0; k < 3; ++k) {
            own.at_first[k] = s[2 * k];
            own.at_last[k] = s[2 * k + 1];
        }
        return own;
    }
    /// Of the size of a row and of the sign of its diagonal: what is added takes nothing away.
    static T raise_of(T diagonal, T beside) {
        T const size = std::max(std::abs(diagonal), std::abs(beside));
        return size == T(0) ? T(1) : diagonal < T(0) ? -size : size;
    }

    Executor exec_;
    Messages others_;
    tridiagonal_view<T> a_;
    band_options options_;
    buffer<T> raised_, sides_, solutions_, residual_;
    buffer<solve_report> report_;
    buffer<T> few_;
};

} // namespace distributed

/// Solves A x = d whose rows lie in parts, one behind the other: called by every part with its own rows. a.lower[0]
/// couples to the last row of the parts before, a.upper[n - 1] to the first one behind; where there is none they are
/// ignored. A part may have no rows. `x` must not overlap `d`.
///
/// Every part returns the same report: status and backward error of the whole system as solve_bands has them (one more
/// step of refinement counts as a try; no row of a column without a pivot, no condition number). options: pivoting,
/// threshold, method and error bound, of the parts' own solves. Waits. The bits depend on the parts, not on timing.
/// Memory beside the system: 8 elements a row, and the workspace of solve_bands for three right-hand sides.
///
/// Throws dimension_error and what solve_bands throws, on a part; the others then throw what `others` throws.
template <class T, executor Executor, communicator Messages>
solve_report solve_tridiagonal_part(Executor const& exec, Messages const& others, tridiagonal_view<T> a,
                                    array_view<std::type_identity_t<T> const> d, array_view<std::type_identity_t<T>> x,
                                    band_options const& options = {}) {
    static_assert(std::is_floating_point_v<T>, "parts are of real systems");
    require_size("right-hand side of solve_tridiagonal_part", d.size(), a.size());
    require_size("solution of solve_tridiagonal_part", x.size(), a.size());
    double const bound = options.error_bound > 0 ? options.error_bound : 50 * double(std::numeric_limits<T>::epsilon());
    distributed::tridiagonal_part<T, Executor, Messages> part(exec, others, a, options);
    solve_report report{0, 0, -1, solve_status::ok, 1, 0};
    bool const singular = part.solve(d, x, false);
    report.backward_error = part.backward_error(d, x);
    if (!singular && report.backward_error > bound) {
        buffer<T> const residual = exec.copy(part.residual());
        part.solve(residual.view(), x, true);
        report.backward_error = part.backward_error(d, x);
        report.tries = 2;
    }
    report.componentwise_error = std::numeric_limits<double>::quiet_NaN(); // not measured
    if (singular)
        report.status = solve_status::singular;
    else if (!std::isfinite(report.backward_error))
        report.status = solve_status::not_finite;
    else if (report.backward_error > bound)
        report.status = solve_status::inaccurate;
    return report;
}

} // namespace coppice
