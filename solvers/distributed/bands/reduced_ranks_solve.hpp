// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions of reduced_ranks.hpp. Included by the two sources that instantiate them.
#pragma once

#include <algorithm>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_ranks.hpp>
#include <coppice/solvers/distributed/bands/reduced_ranks.hpp>
#include <coppice/solvers/distributed/rows/rank_executor.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// Error measures of a solution and sums of the matrix, over some rows. Has no padding, because a device would not
/// write padding that the host copies.
struct row_findings {
    chain::row_extremes<double> extremes{};
    std::int64_t nonzero = 0; ///< bit 0: some row sum is not zero, bit 1: some column sum is not zero
};
struct merge_findings {
    COPPICE_HD row_findings operator()(row_findings const& a, row_findings const& b) const {
        return {chain::larger_extremes{}(a.extremes, b.extremes), a.nonzero | b.nonzero};
    }
};

/// Row i of d - A x of a rank.
template <class T>
struct rank_residual {
    tridiagonal_view<T> a;
    T const *d, *x;
    T before, after;             ///< x of the neighbours
    T upper_before, lower_after; ///< entries of the neighbours in the columns of the first and last row of this rank
    bool begins, ends;           ///< there are no rows before, after the rank

    /// The off-diagonal entries of a row, zero if there is no neighbour, and the unknowns that they multiply.
    struct neighbours {
        T low, up, left, right;
    };
    COPPICE_HD neighbours of(std::int64_t i) const {
        bool const first = i == 0, last = i == a.length - 1;
        return {first && begins ? T(0) : a.lower[i], last && ends ? T(0) : a.upper[i], first ? before : x[i - 1],
                last ? after : x[i + 1]};
    }
    COPPICE_HD row_findings operator()(std::int64_t i) const {
        neighbours const n = of(i);
        double const middle = double(a.diagonal[i]), unknown = double(x[i]), right = double(d[i]);
        chain::row_sums<double> sum(right);
        sum.add(double(n.low), double(n.left));
        sum.add(middle, unknown);
        sum.add(double(n.up), double(n.right));
        row_findings found;
        found.extremes.add(magnitude(sum.rest), sum.row, magnitude(unknown), magnitude(right), sum.product);
        // The order of summation is that of columns and of rows: a sum that is zero in exact arithmetic may differ by
        // rounding.
        double const above = double(i > 0 ? a.upper[i - 1] : upper_before);
        double const below = double(i < a.length - 1 ? a.lower[i + 1] : lower_after);
        found.nonzero = int(double(n.low) + middle + double(n.up) != 0) | int(above + middle + below != 0) << 1;
        return found;
    }
};
template <class T>
struct store_residual {
    rank_residual<T> from;
    T* r;
    COPPICE_HD void operator()(std::int64_t i) const {
        auto const n = from.of(i);
        r[i] = from.d[i] - from.a.diagonal[i] * from.x[i] - n.low * n.left - n.up * n.right;
    }
};
template <class T>
struct add_correction {
    T const* correction;
    T* x;
    COPPICE_HD void operator()(std::int64_t i) const { x[i] += correction[i]; }
};

/// d - A x of a rank; exchanges the x of the neighbours.
template <class T, executor Executor, communicator Messages>
rank_residual<T> residual_of(Executor const& exec, Messages const& comm, rank_neighbours const& ranks,
                             tridiagonal_view<T> a, array_view<std::type_identity_t<T> const> d,
                             array_view<std::type_identity_t<T> const> x) {
    struct ends {
        T first, last, lower, upper;
    };
    std::int64_t const n = a.size();
    auto const all = comm.gather(
        n > 0 ? ends{exec.load(x.data()), exec.load(x.data() + n - 1), exec.load(a.lower), exec.load(a.upper + n - 1)}
              : ends{});
    bool const begins = ranks.before < 0, ends_here = ranks.after < 0;
    ends const before = begins ? ends{} : all[std::size_t(ranks.before)];
    ends const after = ends_here ? ends{} : all[std::size_t(ranks.after)];
    return {a, d.data(), x.data(), before.last, after.first, before.upper, after.lower, begins, ends_here};
}

/// Element i of four vectors of `count` elements, one after the other.
template <class T>
struct pick_row {
    T const* bands[4];
    std::int64_t count;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = bands[i / count][i % count]; }
};

/// Copies row i % count of band i / count to rows of the ranks that have `stride` rows each.
template <class T>
struct send_coarse_row {
    T const* bands[4];
    std::int64_t count, stride;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        to[i / count * stride + i % count] = bands[i / count][i % count];
    }
};
/// Row i of the rows of all ranks.
template <class T>
struct receive_coarse_row {
    T const* from;
    std::int64_t const* begins; ///< [ranks + 1]
    std::int64_t ranks, stride;
    T* bands[4];
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const rank = detail::lower_position(begins, 0, ranks, i + 1) - 1;
        T const* const at = from + 4 * rank * stride + (i - begins[rank]);
        for (int band = 0; band < 4; ++band) bands[band][i] = at[band * stride];
    }
};
/// Copies the unknowns of a rank, [first, first + count), and those of its neighbours; zero without a neighbour.
template <class T>
struct keep_unknowns {
    T const* all;
    std::int64_t first, count, size;
    T *own, *outer;
    COPPICE_HD void operator()(std::int64_t i) const {
        if (i < count) own[i] = all[first + i];
        if (i == 0) outer[0] = first > 0 ? all[first - 1] : T(0);
        if (i == count - 1) outer[1] = first + count < size ? all[first + count] : T(0);
    }
};

inline tridiagonal_options options_of_rpts(band_options const& options) {
    return {.pivot = options.pivot, .threshold = options.threshold};
}

} // namespace distributed

template <class T, executor Executor, communicator Messages>
bool distributed_rpts<T, Executor, Messages>::takes(Executor const& exec, band_options const& options) {
    return rpts::takes_rank(exec, distributed::options_of_rpts(options)) && options.method != band_method::chain &&
           options.operation == matrix_operation::none && !options.cyclic;
}

template <class T, executor Executor, communicator Messages>
distributed_rpts<T, Executor, Messages>::distributed_rpts(Executor const& exec, Messages const& comm,
                                                          tridiagonal_view<T> a, band_options const& options)
    : exec_(exec), comm_(comm), a_(a), options_(distributed::options_of_rpts(options)),
      neighbours_(comm.gather(std::int64_t(a.size())), comm.rank()),
      workspace_(exec, rpts::rank_workspace<T>(exec, a.size())), outer_unknowns_(exec, 2) {}

template <class T, executor Executor, communicator Messages>
bool distributed_rpts<T, Executor, Messages>::crosses_whole() const {
    return neighbours_.max_rows <= rpts::max_rank_rows;
}
template <class T, executor Executor, communicator Messages>
pivoting distributed_rpts<T, Executor, Messages>::pivot_of_gathered() const {
    return rpts::pivot_of_level(options_.pivot, crosses_whole() ? 0 : 1);
}

template <class T, executor Executor, communicator Messages>
rpts::rank_levels<T> distributed_rpts<T, Executor, Messages>::reduce_own(array_view<T const> d, array_view<T> x) {
    if (a_.size() == 0) return {};
    rpts::system_view<T> rows{a_.size(), a_.lower, a_.diagonal, a_.upper, d.data(), x.data()};
    rows.before = neighbours_.before < 0 ? nullptr : outer_unknowns_.data();
    rows.after = neighbours_.after < 0 ? nullptr : outer_unknowns_.data() + 1;
    return rpts::reduce_rank(exec_, rows, workspace_.view(), options_);
}

template <class T, executor Executor, communicator Messages>
distributed_rpts<T, Executor, Messages>::gathered_rows::gathered_rows(Executor const& exec,
                                                                      std::vector<std::int64_t> const& rows_of_ranks,
                                                                      int rank) {
    std::vector<std::int64_t> begin{0};
    for (std::int64_t const rows : rows_of_ranks) {
        std::int64_t const coarse = rpts::coarse_rows_of_rank(rows);
        stride = std::max(stride, coarse);
        begin.push_back(begin.back() + coarse);
    }
    first = begin[std::size_t(rank)];
    count = begin[std::size_t(rank) + 1] - first;
    begins = exec.copy(begin);
    sent = buffer<T>(exec, 4 * stride);
    fill(exec, sent.view(), T(0)); // rows that a rank does not have are sent too
    received = buffer<T>(exec, 4 * stride * std::int64_t(rows_of_ranks.size()));
    matrix = tridiagonal<T>(exec, begin.back());
    rhs = buffer<T>(exec, begin.back());
    solution = buffer<T>(exec, begin.back());
    workspace = buffer<std::byte>(exec, tridiagonal_workspace<T>(begin.back()));
}

template <class T, executor Executor, communicator Messages>
void distributed_rpts<T, Executor, Messages>::solve_on_executor(array_view<T const> d, array_view<T> x) {
    if (!gathered_) gathered_.emplace(exec_, neighbours_.rows_of_ranks, comm_.rank());
    gathered_rows& all = *gathered_;
    std::int64_t const size = all.matrix.size();
    if (size == 0) return;
    auto const levels = reduce_own(d, x);
    rpts::system_view<T> const& last = levels.last;
    for_each(exec_, 4 * last.size,
             distributed::send_coarse_row<T>{
                 {last.lower, last.diagonal, last.upper, last.rhs}, last.size, all.stride, all.sent.data()});
    detail::gather_values(rank_executor<Executor>(exec_, comm_), static_cast<T const*>(all.sent.data()),
                          all.received.data(), 4 * all.stride);
    if (a_.size() == 0) return;
    for_each(exec_, size,
             distributed::receive_coarse_row<T>{
                 all.received.data(),
                 all.begins.data(),
                 comm_.ranks(),
                 all.stride,
                 {all.matrix.lower.data(), all.matrix.diagonal.data(), all.matrix.upper.data(), all.rhs.data()}});
    solve_tridiagonal_by_rpts(exec_, all.matrix.view(), all.rhs.view(), all.solution.view(), all.workspace.view(),
                              {.pivot = pivot_of_gathered()});
    for_each(exec_, all.count,
             distributed::keep_unknowns<T>{all.solution.data(), all.first, all.count, size, levels.solution,
                                           outer_unknowns_.data()});
    rpts::substitute_rank(exec_, levels, options_);
}

template <class T, executor Executor, communicator Messages>
bool distributed_rpts<T, Executor, Messages>::replayable() const {
    return comm_.devices() != nullptr;
}

template <class T, executor Executor, communicator Messages>
bool distributed_rpts<T, Executor, Messages>::solve(array_view<T const> d, array_view<T> x) {
    auto const levels = reduce_own(d, x);
    auto const all = comm_.gather(coarse_rows(levels));
    std::int64_t total = 0, own = 0;
    for (std::size_t p = 0; p < all.size(); ++p) {
        if (p == std::size_t(comm_.rank())) own = total;
        total += std::int64_t(all[p].size() / 4);
    }
    if (total == 0) return false;
    std::vector<T> y(std::size_t(total) + 2, T(0)); // a zero at either end
    bool const singular = solve_coarse(all, total, y.data() + 1);
    if (a_.size() == 0) return singular;
    std::int64_t const count = levels.last.size;
    exec_.copy_elements(y.data() + 1 + own, levels.solution, count);
    T const outer[] = {y[std::size_t(own)], y[std::size_t(own + count + 1)]};
    exec_.copy_elements(outer, outer_unknowns_.data(), 2);
    rpts::substitute_rank(exec_, levels, options_);
    return singular;
}

template <class T, executor Executor, communicator Messages>
double distributed_rpts<T, Executor, Messages>::backward_error(array_view<T const> d, array_view<T const> x) {
    using distributed::row_findings, distributed::merge_findings;
    row_findings all;
    for (auto const& rank :
         comm_.gather(reduce(exec_, a_.size(), row_findings{},
                             distributed::residual_of(exec_, comm_, neighbours_, a_, d, x), merge_findings{})))
        all = merge_findings{}(all, rank);
    sums_vanish_ = neighbours_.max_rows > 0 && ((all.nonzero & 1) == 0 || (all.nonzero & 2) == 0);
    return chain::column_error{all.extremes}.normwise();
}

template <class T, executor Executor, communicator Messages>
bool distributed_rpts<T, Executor, Messages>::refine(array_view<T const> d, array_view<T> x) {
    std::int64_t const n = a_.size();
    buffer<T> residual(exec_, n), correction(exec_, n);
    for_each(
        exec_, n,
        distributed::store_residual<T>{distributed::residual_of(exec_, comm_, neighbours_, a_, d, x), residual.data()});
    bool const singular = solve(residual.view(), correction.view());
    for_each(exec_, n, distributed::add_correction<T>{correction.data(), x.data()});
    return singular;
}

template <class T, executor Executor, communicator Messages>
std::vector<T> distributed_rpts<T, Executor, Messages>::coarse_rows(rpts::rank_levels<T> const& levels) const {
    rpts::system_view<T> const& last = levels.last;
    if (last.size == 0) return {};
    buffer<T> together(exec_, 4 * last.size); // for one copy to the host
    for_each(exec_, together.size(),
             distributed::pick_row<T>{{last.lower, last.diagonal, last.upper, last.rhs}, last.size, together.data()});
    std::vector<T> rows = to_vector(exec_, together);
    if (neighbours_.before < 0) rows[0] = T(0);
    if (neighbours_.after < 0) rows[std::size_t(3 * last.size - 1)] = T(0);
    return rows;
}

template <class T, executor Executor, communicator Messages>
bool distributed_rpts<T, Executor, Messages>::solve_coarse(std::vector<std::vector<T>> const& ranks, std::int64_t n,
                                                           T* y) const {
    host_executor const exec{1};
    std::vector<T> rows(std::size_t(4 * n));
    std::int64_t begin = 0;
    for (auto const& rank : ranks) {
        auto const count = std::int64_t(rank.size() / 4);
        for (std::int64_t b = 0; b < 4; ++b) std::copy_n(rank.data() + b * count, count, rows.data() + b * n + begin);
        begin += count;
    }
    solve_report report{};
    band_options options;
    options.pivot = pivot_of_gathered();
    solve_bands(exec, band_matrix<T>(tridiagonal_view<T>{n, rows.data(), rows.data() + n, rows.data() + 2 * n}),
                columns_view<T const>(rows.data() + 3 * n, n, 1), columns_view<T>(y, n, 1), options,
                array_view<solve_report>(&report, 1));
    return report.status == solve_status::singular;
}

} // namespace coppice::inline v0_1
