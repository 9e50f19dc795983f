// SPDX-License-Identifier: BSD-3-Clause
// Suite `tridiagonal` on the host, small systems: the cost of a call. A repetition makes many calls, each with a
// different system, since the branch predictor would learn LAPACK's pivots of a repeated one.
#include <algorithm>

#include "bench/problems/host_problem.hpp"
#include <coppice/solvers/direct/interface/tridiagonal_solver.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>

namespace coppice::bench {
namespace {

constexpr std::int64_t rows_together = 1 << 15; // of all systems of a repetition

template <class T>
void measure_small_scalar(table& t, options const& o, std::int64_t n) {
    std::string const name = fmt::format("one small system: {} rows, {}", n, type_name<T>());
    if (!t.wants(name)) return;
    host_executor const exec(1);
    std::int64_t const systems = std::max<std::int64_t>(1, (o.quick ? 1 << 10 : rows_together) / n), rows = systems * n;
    host_problem problem(t, o, name, rows,
                         {fmt::format("one small tridiagonal system, {}", type_name<T>()), "rows", double(n)});
    buffer<T> lower(exec, rows), diagonal(exec, rows), upper(exec, rows), d(exec, rows), x(exec, rows);
    buffer<std::byte> space(exec, 1 << 16);
    auto const fresh = [&](std::uint64_t seed) {
        draw(exec, lower, 4 * seed), draw(exec, diagonal, 4 * seed + 1), draw(exec, upper, 4 * seed + 2);
        draw(exec, d, 4 * seed + 3);
    };
    auto const system = [&](std::int64_t k) {
        return tridiagonal_view<T>{n, lower.data() + k, diagonal.data() + k, upper.data() + k};
    };
    problem.peer("coppice solve_tridiagonal, 1 thread", fresh, [&] {
        for (std::int64_t k = 0; k < rows; k += n)
            solve_tridiagonal(exec, system(k), d.view().slice(k, n), x.view().slice(k, n), space.view());
    });
    problem.peer("coppice solve_bands, 1 thread", fresh, [&] {
        for (std::int64_t k = 0; k < rows; k += n)
            solve_bands(exec, band_matrix<T>(system(k)), columns_view<T const>(d.data() + k, n, 1),
                        columns_view<T>(x.data() + k, n, 1), space.view(), {});
    });
    problem.peer("LAPACK gtsv, 1 thread", fresh, [&] {
        for (std::int64_t k = 0; k < rows; k += n)
            gtsv(lapack_int(n), 1, lower.data() + k + 1, diagonal.data() + k, upper.data() + k, d.data() + k,
                 lapack_int(n));
    });
}

template <class T>
void measure_small_banded(table& t, options const& o, std::int64_t n, int reach) {
    std::string const name = fmt::format("one small system: {0}+{0} bands, {1} rows, {2}", reach, n, type_name<T>());
    if (!t.wants(name)) return;
    host_executor const exec(1);
    std::int64_t const systems = std::max<std::int64_t>(1, (o.quick ? 1 << 10 : rows_together / 4) / n);
    host_problem problem(
        t, o, name, systems * n,
        {fmt::format("one small system, {0}+{0} bands, {1}", reach, type_name<T>()), "rows", double(n)});
    int const bands = 2 * reach + 1, leading = 3 * reach + 1;
    buffer<T> a(exec, systems * n * bands), d(exec, systems * n), x(exec, systems * n);
    band_matrix<T> const shape(banded_view<T>{n, reach, reach, a.data()});
    buffer<std::byte> space(exec, bands_workspace(exec, shape, 1));
    problem.peer(
        "coppice solve_bands, 1 thread", [&](std::uint64_t seed) { draw(exec, a, seed), draw(exec, d, seed + 1000); },
        [&] {
            for (std::int64_t k = 0; k < systems * n; k += n)
                solve_bands(exec, band_matrix<T>(banded_view<T>{n, reach, reach, a.data() + k * bands}),
                            columns_view<T const>(d.data() + k, n, 1), columns_view<T>(x.data() + k, n, 1),
                            space.view(), {});
        });
    lapack_bands<T> peer(exec, systems * n, reach);
    problem.peer(
        "LAPACK gbsv, 1 thread", [&](std::uint64_t seed) { peer.draw(exec, seed); },
        [&] {
            for (std::int64_t k = 0; k < systems * n; k += n)
                gbsv(lapack_int(n), reach, peer.ab.data() + k * leading, peer.pivots.data(), peer.b.data() + k);
        });
}

} // namespace

void tridiagonal_small_host(table& t, options const& o) {
    std::vector<std::int64_t> const sizes =
        o.quick ? std::vector<std::int64_t>{8} : std::vector<std::int64_t>{8, 16, 32, 64, 65, 128, 192, 256, 512, 1024};
    for (std::int64_t const n : sizes) measure_small_scalar<double>(t, o, n);
    for (std::int64_t const n : sizes) measure_small_scalar<float>(t, o, n);
    std::vector<std::int64_t> const banded =
        o.quick ? std::vector<std::int64_t>{8} : std::vector<std::int64_t>{8, 12, 16, 20, 24, 28, 32, 48, 64, 128, 512};
    for (int reach = 1; reach <= 8; ++reach)
        for (std::int64_t const n : banded) {
            measure_small_banded<double>(t, o, n, reach);
            measure_small_banded<float>(t, o, n, reach);
        }
}

} // namespace coppice::bench
