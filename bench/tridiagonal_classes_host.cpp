// SPDX-License-Identifier: BSD-3-Clause
// Suite `tridiagonal` on the host, beyond single scalar systems: bands, blocks, cyclic systems, batches, many and
// sparse right-hand sides, factorisations, each compared with LAPACK and, for batches, with the classical algorithms.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/core.h>

#include "bench/problems/host_problem.hpp"
#include <coppice/solvers/compare/classical.hpp>
#include <coppice/solvers/compare/classical_catalogue.hpp>
#include <coppice/solvers/direct/factored/band_factor.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>
#include <coppice/solvers/direct/sparse_rhs/sparse_rhs.hpp>

namespace coppice::bench {
namespace {

template <class T>
void measure_banded(table& t, options const& o, std::int64_t n, int reach) {
    std::string const name = fmt::format(
        "{}, {} rows, {}", reach == 2 ? "pentadiagonal" : fmt::format("{0}+{0} bands", reach), n, type_name<T>());
    if (!t.wants(name)) return;
    host_executor const all(o.threads);
    host_problem problem(
        t, o, name, n, {fmt::format("banded, {} rows, {}", n, type_name<T>()), "bands on either side", double(reach)});
    buffer<T> bands(all, n * (2 * reach + 1)), d(all, n), x(all, n);
    band_matrix<T> const a(banded_view<T>{n, reach, reach, bands.data()});
    auto const fresh = [&](std::uint64_t seed) { draw(all, bands, seed), draw(all, d, seed + 1000); };
    problem.coppice("automatic", fresh, [&](host_executor const& exec) { return solver(exec, a, d, x); });
    problem.coppice("automatic, with report", fresh,
                    [&](host_executor const& exec) { return solver(exec, a, d, x, {}, true); });
    lapack_bands<T> peer(all, n, reach);
    problem.peer(
        "LAPACK gbsv, 1 thread", [&](std::uint64_t seed) { peer.draw(all, seed); }, [&] { peer.solve(); });
}

template <class T>
void measure_blocks(table& t, options const& o, std::int64_t block_rows, int n, bool cyclic) {
    std::int64_t const rows = block_rows * n;
    std::string const name =
        fmt::format("{}blocks of {}, {} rows, {}", cyclic ? "cyclic " : "", n, rows, type_name<T>());
    if (!t.wants(name)) return;
    host_executor const all(o.threads);
    host_problem problem(t, o, name, rows,
                         {fmt::format("{}blocks, {} rows, {}", cyclic ? "cyclic " : "", rows, type_name<T>()),
                          "rows of a block", double(n)});
    buffer<T> lower(all, rows * n), diagonal(all, rows * n), upper(all, rows * n), d(all, rows), x(all, rows);
    band_matrix<T> const a(block_tridiagonal_view<T>{block_rows, n, lower.data(), diagonal.data(), upper.data()});
    auto const fresh = [&](std::uint64_t seed) {
        draw(all, lower, 4 * seed), draw(all, diagonal, 4 * seed + 1), draw(all, upper, 4 * seed + 2);
        draw(all, d, 4 * seed + 3);
    };
    problem.coppice("automatic", fresh,
                    [&](host_executor const& exec) { return solver(exec, a, d, x, {.cyclic = cyclic}); });
    problem.coppice("automatic, with report", fresh,
                    [&](host_executor const& exec) { return solver(exec, a, d, x, {.cyclic = cyclic}, true); });
    if (cyclic) return; // LAPACK has no routine for these
    lapack_bands<T> peer(all, rows, 2 * n - 1);
    problem.peer(
        "LAPACK gbsv, 1 thread", [&](std::uint64_t seed) { peer.draw(all, seed); }, [&] { peer.solve(); });
}

/// A tridiagonal matrix whose diagonal is `shift` + U(-1, 1), and columns of right-hand sides.
struct scalar_rows {
    host_executor const& exec;
    std::int64_t n, columns;
    double shift;
    buffer<double> lower, diagonal, upper, d, x;

    scalar_rows(host_executor const& e, std::int64_t rows, std::int64_t rhs_columns, double s)
        : exec(e), n(rows), columns(rhs_columns), shift(s), lower(e, rows), diagonal(e, rows), upper(e, rows),
          d(e, rows * rhs_columns), x(e, rows * rhs_columns) {}
    void draw(std::uint64_t seed) {
        bench::draw(exec, lower, 4 * seed);
        bench::draw(exec, diagonal, 4 * seed + 1, shift);
        bench::draw(exec, upper, 4 * seed + 2);
        bench::draw(exec, d, 4 * seed + 3);
    }
    tridiagonal_view<double> view() const { return {n, lower.data(), diagonal.data(), upper.data()}; }
    columns_view<double const> rhs() const { return {d.data(), n, columns}; }
    columns_view<double> solution() { return {x.data(), n, columns}; }
    /// Solves rows [begin, end) as a separate system by LAPACK, which overwrites them.
    void gtsv(std::int64_t begin, std::int64_t end) {
        bench::gtsv(lapack_int(end - begin), lapack_int(columns), lower.data() + begin + 1, diagonal.data() + begin,
                    upper.data() + begin, d.data() + begin, lapack_int(n));
    }
};

void measure_many_rhs(table& t, options const& o, std::int64_t n, std::int64_t columns) {
    std::string const name = fmt::format("right-hand sides: {}, {} rows, double", columns, n);
    if (!t.wants(name)) return;
    host_executor const all(o.threads);
    host_problem problem(t, o, name, n * columns,
                         {fmt::format("one system of {} rows, double", n), "right-hand sides", double(columns)});
    scalar_rows s(all, n, columns, 0);
    auto const fresh = [&](std::uint64_t seed) { s.draw(seed); };
    problem.coppice("chain", fresh, [&](host_executor const& exec) {
        return solver<double>(exec, s.view(), s.rhs(), s.solution(), {.method = band_method::chain});
    });
    problem.peer("LAPACK gtsv, 1 thread", fresh, [&] { s.gtsv(0, n); });
}

void measure_batch(table& t, options const& o, std::int64_t systems, std::int64_t each) {
    std::string const name = fmt::format("batch of {} x {}, double", systems, each);
    if (!t.wants(name)) return;
    host_executor const all(o.threads);
    host_problem problem(
        t, o, name, systems * each,
        {fmt::format("batches of {} rows together, double", systems * each), "rows of a system", double(each)});
    scalar_rows s(all, systems * each, 1, 3);
    auto const fresh = [&](std::uint64_t seed) { s.draw(seed); };
    for (bool const reported : {false, true}) {
        std::string const what = reported ? "with report" : "partial pivoting";
        problem.coppice("automatic, " + what, fresh, [&](host_executor const& exec) {
            return solver(exec, band_matrix<double>::batch(s.view(), systems), s.rhs(), s.solution(), {}, reported);
        });
        problem.coppice("interleaved, " + what, fresh, [&](host_executor const& exec) {
            auto const a = band_matrix<double>::interleaved_batch(s.view(), systems);
            return solver(exec, a, s.rhs(), s.solution(), {}, reported);
        });
    }
    problem.peer("LAPACK gtsv, 1 thread", fresh, [&] {
        for (std::int64_t k = 0; k < systems; ++k) s.gtsv(k * each, (k + 1) * each);
    });
    for (auto const& row : classical::catalogue)
        problem.coppice(row.title, fresh, [&, algorithm = row.which](host_executor const& exec) {
            return [&, algorithm] {
                solve_classical(exec, s.view(), systems, array_view<double const>(s.d.view()), s.x.view(), {algorithm});
            };
        });
}

void measure_variable_batch(table& t, options const& o, std::int64_t systems) {
    std::vector<std::int64_t> ends{0};
    for (std::int64_t k = 0; k < systems; ++k) ends.push_back(ends.back() + 100 + k * 7919 % 901);
    std::string const name = fmt::format("batch of {} x 100 to 1000, double", systems);
    if (!t.wants(name)) return;
    host_executor const all(o.threads);
    host_problem problem(t, o, name, ends.back());
    scalar_rows s(all, ends.back(), 1, 0);
    auto const fresh = [&](std::uint64_t seed) { s.draw(seed); };
    array_view<std::int64_t const> const offsets(ends.data(), systems + 1);
    problem.coppice("RPTS, partial pivoting", fresh, [&](host_executor const& exec) {
        return solver(exec, band_matrix<double>::batch(s.view(), offsets, 1000), s.rhs(), s.solution());
    });
    problem.peer("LAPACK gtsv, 1 thread", fresh, [&] {
        for (std::size_t k = 0; k < std::size_t(systems); ++k) s.gtsv(ends[k], ends[k + 1]);
    });
}

/// Factorised once; solves from `columns` dense right-hand sides and from sparse ones with three entries each.
void measure_factored(table& t, options const& o, std::int64_t n, std::int64_t columns) {
    std::string const name = fmt::format("factorised, right-hand sides: {}, {} rows, double", columns, n);
    if (!t.wants(name)) return;
    host_executor const all(o.threads);
    host_problem problem(t, o, name, n * columns,
                         {fmt::format("factorised, {} rows, double", n), "right-hand sides", double(columns)});
    scalar_rows s(all, n, columns, 3);
    s.draw(1);
    band_matrix<double> const a(s.view());
    buffer<std::byte> factor(all, bands_factor_bytes(all, a));
    factorise_bands(all, a, factor.view());
    array_view<std::byte const> const saved(factor.view());
    auto const nothing = [](std::uint64_t) {};
    problem.coppice("chain, dense sides", nothing, [&](host_executor const& exec) {
        return [&, space = buffer<std::byte>(exec, factored_workspace(exec, a, columns))]() mutable {
            solve_factored_bands(exec, a, saved, s.rhs(), s.solution(), space.view());
        };
    });
    std::vector<std::int32_t> offsets{0}, rows;
    for (std::int64_t c = 0; c < columns; ++c) {
        for (std::int64_t k = 0; k < 3; ++k) rows.push_back(std::int32_t((c * 7919 + k * 104729) % n));
        offsets.push_back(std::int32_t(rows.size()));
    }
    std::vector<double> const values(rows.size(), 1.0);
    sparse_columns_view<double> const sparse{n,           columns,       offsets.data(),
                                             rows.data(), values.data(), std::int64_t(rows.size())};
    problem.coppice("chain, sparse sides", nothing, [&](host_executor const& exec) {
        return [&, space = buffer<std::byte>(exec, factored_sparse_workspace(exec, a, columns))]() mutable {
            solve_factored_sparse(exec, a, saved, sparse, s.solution(), space.view());
        };
    });
    auto const length = lapack_int(n);
    std::vector<lapack_int> pivots(static_cast<std::size_t>(n));
    buffer<double> second(all, n);
    LAPACKE_dgttrf_work(length, s.lower.data() + 1, s.diagonal.data(), s.upper.data(), second.data(), pivots.data());
    problem.peer("LAPACK gttrs, dense sides, 1 thread", nothing, [&] {
        LAPACKE_dgttrs_work(LAPACK_COL_MAJOR, 'N', length, lapack_int(columns), s.lower.data() + 1, s.diagonal.data(),
                            s.upper.data(), second.data(), pivots.data(), s.d.data(), length);
    });
}

} // namespace

void tridiagonal_classes_host(table& t, options const& o) {
    std::int64_t const n = std::int64_t(1) << (o.quick ? 12 : 20);
    std::vector<std::int64_t> sizes{n};
    if (!o.quick) sizes.insert(sizes.begin(), 1 << 14); // in the caches
    for (std::int64_t const rows : sizes) {
        for (int const reach : {2, 3, 4, 5, 6, 7, 8}) measure_banded<double>(t, o, rows, reach);
        for (int const reach : {2, 5, 8}) measure_banded<float>(t, o, rows, reach);
    }
    for (int const block : {1, 2, 4, 8}) measure_blocks<double>(t, o, n / 8 / block, block, false);
    if (!o.quick)
        for (int const block : {2, 3, 4}) {
            measure_blocks<double>(t, o, (1 << 14) / block, block, false);
            measure_blocks<float>(t, o, (1 << 14) / block, block, false);
        }
    for (int const block : {1, 2, 4, 8}) measure_blocks<double>(t, o, n / 8 / block, block, true);
    for (int const columns : {1, 4, 32}) measure_many_rhs(t, o, n / 16, columns);
    for (std::int64_t const rows : sizes)
        for (int const each : {64, 512, 4096}) measure_batch(t, o, rows / each, each);
    measure_variable_batch(t, o, n / 512);
    for (int const columns : {4, 16, 64}) measure_factored(t, o, n / 8, columns);
}

} // namespace coppice::bench
