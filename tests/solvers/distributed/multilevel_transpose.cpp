// SPDX-License-Identifier: BSD-3-Clause
// The transpose of the multilevel method over several ranks by its definition, y^T (M^-1 x) = x^T (M^-T y), and the
// Krylov methods that use it.
#include <coppice/solvers/distributed/distributed_solve.hpp>

#include <cmath>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include <coppice/algebra/generate/generators.hpp>
#include <coppice/solvers/iterative/krylov/bicg.hpp>
#include <coppice/solvers/multilevel/near_null_space.hpp>

#include "solvers/distributed/ranks_of_matrix.hpp"
#include "solvers/gauge_grid.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

template <class T>
std::vector<T> random_vector(std::int64_t first, std::int64_t end, std::uint64_t seed) {
    auto const re = numbers(first, end, seed), im = numbers(first, end, seed + 10);
    std::vector<T> x;
    for (std::size_t i = 0; i < re.size(); ++i)
        if constexpr (is_complex_number<T>)
            x.emplace_back(typename T::value_type(re[i]), typename T::value_type(im[i]));
        else
            x.push_back(T(re[i]));
    return x;
}

/// a_ij times factor(i, j), on the same pattern.
template <class T, class Factor>
csr<T> scaled_entries(csr<T> const& a, Factor const& factor) {
    auto scaled = host_executor{1}.copy(a);
    for (std::int64_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            scaled.values()[k] *= T(factor(i, std::int64_t(a.column_indices()[k])));
    return scaled;
}
/// Convection with a further entry in some rows, far from the diagonal: K has entries (i, j) without (j, i).
csr<double> with_far_entries(std::int64_t nx) {
    auto const a = generate<double>(host_executor{2}, "convection", {.nx = nx});
    coo<double> list{a.rows(), a.columns()};
    for (std::int32_t i = 0; i < a.rows(); ++i) {
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            list.add(i, a.column_indices()[k], a.values()[k]);
        if (i % 5 == 0) list.add(i, (i + a.rows() / 2) % a.rows(), -0.125);
    }
    return to_csr(host_executor{1}, std::move(list));
}

template <class T>
struct system_of_test {
    csr<T> a;
    int block = 0;
    std::vector<T> vectors{}; ///< near-null-space vectors, one after the other
};

/// y^T (M^-1 x) and x^T (M^-T y) in the whole, the sum of their magnitudes, and x^T (M^-1 y).
template <class T>
struct dual_products {
    T forward{}, transposed{}, swapped{};
    double magnitudes = 0;

    double difference() const { return double(std::abs(forward - transposed)) / magnitudes; }
    double asymmetry() const { return double(std::abs(forward - swapped)) / magnitudes; }
};

/// The products for these ranks; after a refresh with `refreshed` if it has rows.
template <class Fixture, class T>
dual_products<T> products_of(system_of_test<T> const& s, row_ranges const& begin, std::string const& choice,
                             csr<T> const& refreshed = {}) {
    std::int64_t const n = s.a.rows();
    std::vector<T> m_y(static_cast<std::size_t>(n)), transposed(static_cast<std::size_t>(n));
    auto const forward = on_ranks<Fixture, T>(begin, [&](auto const& exec, auto const& comm, auto first, auto end) {
        auto const of_rank = matrix_of_rank(exec, comm, s.a, first, end);
        auto const count = std::int64_t(s.vectors.size()) / n;
        std::vector<T> own;
        for (std::int64_t c = 0; c < count; ++c)
            own.insert(own.end(), s.vectors.begin() + (c * n + first), s.vectors.begin() + (c * n + end));
        auto const vectors = exec.copy(own);
        auto m = make_distributed_preconditioner(exec, comm, choice, of_rank, {},
                                                 near_null_space<T>{s.block, int(count), vectors.view()});
        auto const x = exec.copy(random_vector<T>(first, end, 2)), y = exec.copy(random_vector<T>(first, end, 3));
        buffer<T> z(exec, end - first);
        if (refreshed.rows() > 0) {
            m.apply_transpose(exec, y.view(), z.view()); // stores the transposes of the old values
            refresh_distributed_preconditioner(exec, m, matrix_of_rank(exec, comm, refreshed, first, end));
        }
        for (int again = 0; again < 2; ++again) m.apply_transpose(exec, y.view(), z.view());
        auto const of_y = to_vector(exec, z), by_m = applied(exec, m, y);
        std::copy(of_y.begin(), of_y.end(), transposed.begin() + first);
        std::copy(by_m.begin(), by_m.end(), m_y.begin() + first);
        return applied(exec, m, x);
    });
    auto const x = random_vector<T>(0, n, 2), y = random_vector<T>(0, n, 3);
    dual_products<T> sums;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sums.forward += y[i] * forward[i];
        sums.transposed += x[i] * transposed[i];
        sums.swapped += x[i] * m_y[i];
        sums.magnitudes += double(std::abs(y[i] * forward[i]));
    }
    return sums;
}

/// One, two, four and seven ranks, and ranks without rows.
std::vector<row_ranges> divisions_of(std::int64_t n, std::int64_t block = 1) {
    std::vector<row_ranges> all;
    for (int const ranks : {1, 2, 4, 7})
        if (!sanitized || ranks == 2) all.push_back(equal_ranges(n, ranks, block));
    std::int64_t const third = n / 3 / block * block;
    all.push_back({0, 0, third, third, n});
    return all;
}

} // namespace

TEST_CASE_TEMPLATE("distributed: the transpose of multilevel, for all smoothers and cycles", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    std::int64_t const nx = 70; // two ranks: a level of all ranks above those of one rank
    system_of_test<double> const flow{generate<double>(host_executor{2}, "convection", {.nx = nx})};
    for (std::string const smoother : {"jacobi", "l1", "forest", "chebyshev", "gauss-seidel"})
        for (std::string const more : {"", ",cycle=w", ",levels=1"}) {
            std::string const choice = "multilevel,smoother=" + smoother + more;
            CAPTURE(choice);
            for (auto const& begin : divisions_of(nx * nx)) {
                if (!more.empty() && begin.size() != 3) continue;
                CAPTURE(begin.size());
                auto const p = products_of<Fixture>(flow, begin, choice);
                CHECK(p.difference() < 1e-13);
                CHECK(p.asymmetry() > 1e-6);
            }
        }
}

TEST_CASE_TEMPLATE("distributed: the transpose of multilevel, for couplings of all kinds", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    std::int64_t const nx = 70, points = sanitized ? 6 : 9;
    system_of_test<double> const laplace{generate<double>(host_executor{2}, "laplace2d", {.nx = nx})};
    system_of_test<double> const no_pattern{with_far_entries(nx)};
    auto const solid = generate<double>(host_executor{2}, "elasticity", {.nx = points});
    std::vector<double> at;
    for (std::int64_t p = 0; p < points * points * points; ++p)
        for (auto const c : {p % points, p / points % points, p / points / points}) at.push_back(double(c));
    system_of_test<double> const modes{scaled_entries(solid, [](auto i, auto j) { return i < j ? 1.05 : 1; }), 3,
                                       rigid_body_modes(3, at)};
    for (auto const* const s : {&laplace, &no_pattern, &modes}) {
        CAPTURE(s->block);
        CAPTURE(s == &no_pattern);
        for (auto const& begin : divisions_of(s->a.rows(), std::max(1, s->block))) {
            CAPTURE(begin.size());
            CHECK(products_of<Fixture>(*s, begin, "multilevel").difference() < 1e-13);
        }
    }
    // Levels that move from twelve ranks to two, which then couple their levels.
    for (auto const* const kind : {"laplace2d", "convection"}) {
        CAPTURE(kind);
        system_of_test<double> const s{generate<double>(host_executor{2}, kind, {.nx = 100})};
        CHECK(products_of<Fixture>(s, equal_ranges(10000, 12), "multilevel").difference() < 1e-13);
    }
    system_of_test<float> const single{generate<float>(host_executor{2}, "convection", {.nx = 40})};
    CHECK(products_of<Fixture>(single, equal_ranges(1600, 3), "multilevel").difference() < 1e-5);
}

TEST_CASE_TEMPLATE("distributed: the transpose of a refreshed multilevel method is that of the new values", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    std::int64_t const nx = 70;
    system_of_test<double> const flow{generate<double>(host_executor{2}, "convection", {.nx = nx})};
    auto const other = scaled_entries(flow.a, [](auto i, auto j) { return i == j ? 3 : i < j ? 1.5 : 2; });
    for (auto const& begin : divisions_of(nx * nx)) {
        CAPTURE(begin.size());
        auto const p = products_of<Fixture>(flow, begin, "multilevel", other);
        CHECK(p.difference() < 1e-13);
        CHECK(p.forward != products_of<Fixture>(flow, begin, "multilevel").forward);
    }
}

TEST_CASE_TEMPLATE("distributed: the transpose of multilevel for complex matrices", Fixture, COPPICE_TEST_EXECUTORS) {
    int const width = 50; // 5000 rows of the real form: two ranks share the first level
    std::vector<system_of_test<complex_number>> systems;
    systems.push_back({gauge_grid(width, 0.1, 0, 2)});          // Hermitian
    systems.push_back({gauge_grid(width, 0.1, {0.1, 0.2}, 3)}); // not normal
    systems.push_back({gauge_grid(width, 0, {0, 0.02}, 0), 1, random_vector<complex_number>(0, width * width, 5)});
    systems.push_back({scaled_entries(systems[1].a, [](auto i, auto j) { // no symmetry
        return i < j ? complex_number(0.4, 0.6) : complex_number(0.6, 0.8);
    })});
    for (std::size_t k = 0; k < systems.size(); ++k) {
        CAPTURE(k);
        for (auto const& begin : divisions_of(width * width)) {
            CAPTURE(begin.size());
            CHECK(products_of<Fixture>(systems[k], begin, "multilevel").difference() < 1e-13);
        }
    }
}

TEST_CASE_TEMPLATE("distributed: bicg and qmr with multilevel take about the iterations of one rank", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    std::int64_t const nx = sanitized ? 40 : 90, n = nx * nx;
    auto const a = generate<double>(host_executor{2}, "convection", {.nx = nx});
    for (std::string const method : {"bicg", "qmr"}) {
        std::int64_t one = 0;
        for (auto const& begin : divisions_of(n)) {
            CAPTURE(method);
            CAPTURE(begin.size());
            on_ranks<Fixture>(begin, [&](auto const& exec, auto const& comm, auto first, auto end) {
                auto const of_rank = matrix_of_rank(exec, comm, a, first, end);
                auto const m = make_distributed_preconditioner(exec, comm, "multilevel", of_rank);
                auto const b = exec.copy(numbers(first, end, 1));
                auto x = exec.copy(std::vector<double>(std::size_t(end - first)));
                auto const r = solve_distributed(exec, comm, method, of_rank, m, b.view(), x.view(),
                                                 {.tolerance = 1e-8, .max_iterations = 100});
                CHECK(r.converged);
                if (comm.rank() == 0 && begin.size() == 2) one = r.iterations;
                if (comm.rank() == 0 && one > 0) CHECK(r.iterations <= one + one / 3);
                return to_vector(exec, x);
            });
        }
    }
}
