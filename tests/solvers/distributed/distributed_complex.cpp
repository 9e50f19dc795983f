// SPDX-License-Identifier: BSD-3-Clause
// Complex systems over ranks, compared with dense products and with one rank.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <coppice/solvers/distributed/distributed_solve.hpp>
#include <coppice/solvers/iterative/krylov/bicg.hpp>

#include "solvers/distributed/ranks_of_matrix.hpp"
#include "solvers/gauge_grid.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Row-major.
template <class T>
struct dense_system {
    std::int64_t n;
    std::vector<T> a;
    T const& operator()(std::int64_t i, std::int64_t j) const { return a[std::size_t(i * n + j)]; }
    csr<T> rows() const {
        std::vector<std::int32_t> offsets{0}, columns;
        std::vector<T> values;
        for (std::int64_t i = 0; i < n; ++i) {
            for (std::int64_t j = 0; j < n; ++j)
                if ((*this)(i, j) != T(0)) columns.push_back(std::int32_t(j)), values.push_back((*this)(i, j));
            offsets.push_back(std::int32_t(columns.size()));
        }
        host_executor const host{1};
        return {std::int32_t(n), std::int32_t(n), host.copy(offsets), host.copy(columns), host.copy(values)};
    }
    /// A x, or A^T x
    std::vector<T> times(std::vector<T> const& x, bool transposed = false) const {
        std::vector<T> y(x.size());
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j)
                y[std::size_t(i)] += (transposed ? (*this)(j, i) : (*this)(i, j)) * x[std::size_t(j)];
        return y;
    }
};

enum class property { definite, hermitian, symmetric, general };

/// Entries of all phases, also between distant rows. The diagonal is dominant: positive if the matrix is definite, of
/// both signs if it is Hermitian, else complex. General matrices have no entries below the diagonal in half of the
/// rows, so that they are not normal.
template <class T>
dense_system<T> random_system(property kind, std::int64_t n = 70) {
    using real = typename T::value_type;
    std::mt19937 random(unsigned(kind) + 1);
    std::uniform_real_distribution<real> value(-1, 1);
    dense_system<T> s{n, std::vector<T>(std::size_t(n * n))};
    auto const at = [&](std::int64_t i, std::int64_t j) -> T& { return s.a[std::size_t(i * n + j)]; };
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t const j : {i + 1, i + 13, i + 29}) {
            if (j >= n) continue;
            at(i, j) = {value(random), value(random)};
            at(j, i) = kind == property::symmetric ? at(i, j)
                       : kind != property::general ? std::conj(at(i, j))
                       : i % 2 == 0                ? T(0)
                                                   : T(value(random), value(random));
        }
    for (std::int64_t i = 0; i < n; ++i) {
        real sum = real(0.5);
        for (std::int64_t j = 0; j < n; ++j) sum += std::abs(at(i, j));
        if (kind == property::hermitian && i % 3 == 0) sum = -sum;
        bool const real_diagonal = kind == property::definite || kind == property::hermitian;
        at(i, i) = real_diagonal ? T(sum) : std::polar(sum, real(0.8) * value(random));
    }
    return s;
}
template <class T>
std::vector<T> waves(std::int64_t first, std::int64_t end) {
    using real = typename T::value_type;
    std::vector<T> x;
    for (std::int64_t i = first; i < end; ++i) x.push_back(std::polar(real(1 + i % 3), real(i * i % 17)));
    return x;
}
template <class T>
double distance(std::vector<T> const& x, std::vector<T> const& y) {
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        difference += std::norm(std::complex<double>(x[i]) - std::complex<double>(y[i]));
        size += std::norm(std::complex<double>(y[i]));
    }
    return std::sqrt(difference / size);
}

/// One, two, three, four and seven ranks; some of them empty.
std::vector<row_ranges> ranges_of(std::int64_t n) {
    return {{0, n}, {0, n / 2, n}, {0, 1, 1, n}, equal_ranges(n, 4), {0, 0, n / 5, n / 4, n / 4, n / 2, n, n}};
}

template <class Fixture, class T>
struct solution_over {
    krylov_result result{};
    std::vector<T> x{};
};
/// Solves for the product with waves(), from zero.
template <class Fixture, class T>
solution_over<Fixture, T> solve_on(row_ranges const& begin, csr<T> const& a, std::string const& method,
                                   std::string const& preconditioner, krylov_options const& options,
                                   near_null_space<T> near = {}) {
    solution_over<Fixture, T> all;
    std::vector<krylov_result> results(begin.size() - 1);
    all.x = on_ranks<Fixture, T>(begin, [&](auto const& exec, auto const& comm, std::int64_t first, auto end) {
        auto const of_rank = matrix_of_rank(exec, comm, a, first, end);
        std::vector<T> own;
        for (int c = 0; c < near.count; ++c)
            own.insert(own.end(), near.vectors.data() + c * a.rows() + first, near.vectors.data() + c * a.rows() + end);
        auto const vectors = exec.copy(own);
        auto const m = make_distributed_preconditioner(exec, comm, preconditioner, of_rank, {},
                                                       near_null_space<T>{near.block, near.count, vectors.view()});
        auto const known = exec.copy(waves<T>(first, end));
        auto x = exec.copy(std::vector<T>(std::size_t(end - first)));
        buffer<T> b(exec, end - first);
        of_rank.apply(exec, known.view(), b.view());
        results[std::size_t(comm.rank())] =
            solve_distributed(exec, comm, method, of_rank, m, b.view(), x.view(), options);
        return to_vector(exec, x);
    });
    for (auto const& r : results) {
        CHECK(r.residual_history == results[0].residual_history);
        CHECK(r.converged == results[0].converged);
    }
    all.result = results[0];
    return all;
}

bool needs_hermitian(std::string_view method) { return method == "cg" || method == "minres"; }

} // namespace

TEST_CASE_TEMPLATE("distributed complex: products and transposed products are those of the dense matrix", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const check = [&]<class T>(property kind, double tolerance, T) {
        auto const dense = random_system<T>(kind);
        auto const a = dense.rows();
        auto const x = waves<T>(0, dense.n);
        for (auto const& begin : ranges_of(dense.n))
            for (bool const transposed : {false, true}) {
                CAPTURE(begin.size());
                CAPTURE(transposed);
                auto const y =
                    on_ranks<Fixture, T>(begin, [&](auto const& exec, auto const& comm, auto first, auto end) {
                        auto const m = matrix_of_rank(exec, comm, a, first, end);
                        auto const from = exec.copy(waves<T>(first, end));
                        buffer<T> to(exec, end - first);
                        for (int again = 0; again < 2; ++again)
                            transposed ? m.apply_transpose(exec, from.view(), to.view())
                                       : m.apply(exec, from.view(), to.view());
                        return to_vector(exec, to);
                    });
                CHECK(distance(y, dense.times(x, transposed)) < tolerance);
            }
    };
    for (property const kind : {property::hermitian, property::symmetric, property::general}) {
        CAPTURE(int(kind));
        check(kind, 1e-14, std::complex<double>());
    }
    check(property::general, 1e-6, std::complex<float>());
}

TEST_CASE_TEMPLATE("distributed complex: new values, and copies that do not have them", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using number = std::complex<double>;
    auto const dense = random_system<number>(property::general);
    auto const a = dense.rows();
    number const factor = 2; // exact, also with fused products
    for (auto const& begin : ranges_of(dense.n)) {
        std::vector<number> of_copy(std::size_t(dense.n));
        auto const product = [&](auto const& changes) {
            return on_ranks<Fixture, number>(begin, [&](auto const& exec, auto const& comm, auto first, auto end) {
                auto m = matrix_of_rank(exec, comm, a, first, end);
                auto const from = exec.copy(waves<number>(first, end));
                buffer<number> to(exec, end - first), transposed(exec, end - first);
                m.apply_transpose(exec, from.view(), transposed.view()); // stores the transpose of the old values
                changes(exec, m, slice_rows(a, first, end).values);
                m.apply(exec, from.view(), to.view());
                m.apply_transpose(exec, from.view(), transposed.view());
                auto sum = to_vector(exec, to);
                auto const other = to_vector(exec, transposed);
                for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
                return sum;
            });
        };
        auto const old = product([](auto const&, auto&, auto const&) {});
        auto const changed = product([&](auto const& exec, auto& m, auto values) {
            auto const before = m.copy(exec);
            for (number& v : values) v *= factor;
            auto const on_device = exec.copy(values);
            m.set_values(exec, on_device.view());
            auto third = before.copy(exec);
            third.copy_values(exec, m);
            CHECK(third.couplings().values == m.couplings().values);
            m.copy_values(exec, third);
        });
        auto const unchanged = product([&](auto const& exec, auto& m, auto values) {
            auto other = m.copy(exec);
            for (number& v : values) v *= factor;
            auto const on_device = exec.copy(values);
            other.set_values(exec, on_device.view());
        });
        CHECK(unchanged == old);
        for (std::size_t i = 0; i < old.size(); ++i) CHECK(changed[i] == factor * old[i]);
    }
}

TEST_CASE_TEMPLATE("distributed complex: Krylov methods by name", Fixture, COPPICE_TEST_EXECUTORS) {
    using number = std::complex<double>;
    std::vector<std::string_view> methods(krylov_names.begin(), krylov_names.end());
    methods.insert(methods.end(), transposing_names.begin(), transposing_names.end());
    for (property const kind : {property::definite, property::hermitian, property::symmetric, property::general}) {
        auto const dense = random_system<number>(kind);
        auto const a = dense.rows();
        auto const known = waves<number>(0, dense.n);
        for (std::string_view const name : methods) {
            std::string const method(name);
            bool const hermitian = kind == property::definite || kind == property::hermitian;
            if (needs_hermitian(method) && (!hermitian || (method == "cg" && kind != property::definite))) continue;
            CAPTURE(int(kind));
            CAPTURE(method);
            std::string const preconditioner = kind == property::hermitian && method == "minres" ? "none" : "jacobi";
            std::int64_t of_one_rank = 0;
            for (auto const& begin : ranges_of(dense.n)) {
                if (sanitized && begin.size() != 8) continue;
                CAPTURE(begin.size());
                auto const r = solve_on<Fixture>(begin, a, method, preconditioner, {.tolerance = 1e-11});
                CHECK(r.result.converged);
                CHECK(distance(r.x, known) < 1e-9);
                if (of_one_rank == 0) of_one_rank = r.result.iterations;
                CHECK(std::abs(r.result.iterations - of_one_rank) <= 2); // jacobi of blocks is that of the whole matrix
            }
        }
    }
    auto const single = random_system<std::complex<float>>(property::general);
    auto const r = solve_on<Fixture>(equal_ranges(single.n, 4), single.rows(), "gmres", "ilu0", {.tolerance = 1e-5});
    CHECK(r.result.converged);
    CHECK(distance(r.x, waves<std::complex<float>>(0, single.n)) < 1e-4);
}

TEST_CASE_TEMPLATE("distributed complex: preconditioners of diagonal blocks are those of one rank", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using number = std::complex<double>;
    auto const dense = random_system<number>(property::definite);
    auto const a = dense.rows();
    for (std::string_view const name : complex_preconditioner_names) {
        if (name == "multilevel") continue;
        std::string const choice(name);
        CAPTURE(choice);
        for (auto const& begin : ranges_of(dense.n)) {
            CAPTURE(begin.size());
            for (bool const transposed : {false, true})
                on_ranks<Fixture, number>(begin, [&](auto const& exec, auto const& comm, auto first, auto end) {
                    auto const m = matrix_of_rank(exec, comm, a, first, end);
                    auto const of_ranks = make_distributed_preconditioner(exec, comm, choice, m);
                    dense_system<number> block{end - first, {}};
                    for (auto i = first; i < end; ++i)
                        for (auto j = first; j < end; ++j) block.a.push_back(dense(i, j));
                    auto const own = exec.copy(block.rows());
                    auto const alone = make_preconditioner(exec, choice, own.view());
                    auto const r = exec.copy(waves<number>(first, end));
                    buffer<number> z(exec, end - first), expected(exec, end - first);
                    auto const apply = [&](auto const& by, buffer<number>& to) {
                        transposed ? by.apply_transpose(exec, r.view(), to.view())
                                   : by.apply(exec, r.view(), to.view());
                    };
                    apply(of_ranks, z);
                    apply(alone, expected);
                    CHECK(to_vector(exec, z) == to_vector(exec, expected));
                    return to_vector(exec, z);
                });
        }
    }
}

TEST_CASE_TEMPLATE("distributed complex: what is for real matrices alone is refused on all ranks", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using number = std::complex<double>;
    auto const a = random_system<number>(property::general).rows();
    auto const make = [&](std::string const& choice, std::string const& method = "gmres") {
        return solve_on<Fixture>(equal_ranges(a.rows(), 3), a, method, choice, {});
    };
    for (std::string const choice : {"forest", "alt-i", "mos", "mos-a", "block-forest", "adi", "l1", "tridiagonal"})
        CHECK_THROWS_WITH_AS(make(choice), doctest::Contains("is for real matrices; for complex ones there are: none"),
                             argument_error);
    CHECK_FALSE(couples_ranks<number>("forest"));
    CHECK(couples_ranks<number>("multilevel,levels=2"));
    CHECK(couples_ranks<double>("forest"));
    CHECK_THROWS_WITH_AS(make("none", "sor"), doctest::Contains("unknown Krylov method \"sor\""), argument_error);
    CHECK_THROWS_WITH_AS(make("multilevel,smoother=gauss-seidel"), doctest::Contains("for Hermitian matrices"),
                         argument_error);
    CHECK_THROWS_WITH_AS(make("multilevel,storage=half"), doctest::Contains("accepts storage=single only, got half"),
                         argument_error);
    CHECK_THROWS_WITH_AS(make("multilevel,block=17"), doctest::Contains("1 to 16 unknowns"), argument_error);
}

TEST_CASE_TEMPLATE("distributed complex: multilevel takes about as many iterations as on one rank", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    // Hermitian with positive eigenvalues in every gauge; complex symmetric; not normal.
    struct system {
        std::string name;
        csr<complex_number> a;
        char const* method;
    };
    int const width = sanitized ? 24 : 80;
    std::vector<system> systems;
    systems.push_back({"gauge field", gauge_grid(width, 0, 1e-4, 1), "cg"});
    systems.push_back({"flux", gauge_grid(width, 0.1, 0, 2), "cg"});
    systems.push_back({"absorption", gauge_grid(width, 0, {0, 0.02}, 0), "gmres"});
    systems.push_back({"absorption in a gauge field", gauge_grid(width, 0.1, {0.1, 0.2}, 3), "bicgstab"});
    for (system const& s : systems) {
        CAPTURE(s.name);
        auto rotated = csr<complex_number>(host_executor{1}.copy(s.a));
        for (auto& value : rotated.values()) value *= complex_number(0.6, 0.8);
        std::int64_t const n = s.a.rows();
        auto const iterations = [&](row_ranges const& begin, csr<complex_number> const& a, char const* method) {
            auto const r = solve_on<Fixture>(begin, a, method, "multilevel", {.tolerance = 1e-9, .restart = 100});
            CHECK(r.result.converged);
            CHECK(distance(r.x, waves<complex_number>(0, n)) < 1e-5);
            return r.result.iterations;
        };
        auto const one = iterations({0, n}, s.a, s.method);
        for (auto const& begin : ranges_of(n)) {
            CAPTURE(begin.size());
            CHECK(iterations(begin, s.a, s.method) <= one + one / 4 + 2);
        }
        auto const of_rotated = iterations({0, n}, rotated, "gmres");
        CHECK(iterations(equal_ranges(n, 3), rotated, "gmres") <= of_rotated + of_rotated / 4 + 2);
    }
}

TEST_CASE_TEMPLATE("distributed complex: multilevel is linear over complex numbers, and Hermitian if A is", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    complex_number const factor(0.6, 0.8);
    for (bool const hermitian : {true, false}) {
        auto const a = gauge_grid(80, 0.1, hermitian ? 0.1 : complex_number(0.02, 0.1), 3);
        std::int64_t const n = a.rows();
        for (auto const& begin : ranges_of(n)) {
            CAPTURE(begin.size());
            std::vector<complex_number> rotated_r(static_cast<std::size_t>(n)), of_s = rotated_r;
            auto const z =
                on_ranks<Fixture, complex_number>(begin, [&](auto const& exec, auto const& comm, auto first, auto end) {
                    auto const m = make_distributed_preconditioner(exec, comm, "multilevel",
                                                                   matrix_of_rank(exec, comm, a, first, end));
                    auto r = waves<complex_number>(first, end), s = r;
                    auto const z_of_r = applied(exec, m, exec.copy(r));
                    for (auto& value : r) value *= factor;
                    for (auto& value : s) value = std::conj(value) + 1.0;
                    auto const of_rank = applied(exec, m, exec.copy(r)), of_other = applied(exec, m, exec.copy(s));
                    std::copy(of_rank.begin(), of_rank.end(), rotated_r.begin() + first);
                    std::copy(of_other.begin(), of_other.end(), of_s.begin() + first);
                    return z_of_r;
                });
            complex_number s_z = 0, z_s = 0;
            double size = 0;
            for (std::size_t k = 0; k < z.size(); ++k) {
                auto const r = waves<complex_number>(std::int64_t(k), std::int64_t(k) + 1)[0];
                s_z += std::conj(std::conj(r) + 1.0) * z[k];
                z_s += std::conj(of_s[k]) * r;
                size += std::norm(z[k]);
                rotated_r[k] *= std::conj(factor);
            }
            CHECK(distance(rotated_r, z) < 1e-12);
            if (hermitian) CHECK(std::abs(s_z - z_s) < 1e-5 * size);
        }
    }
}

TEST_CASE_TEMPLATE("distributed complex: multilevel with given vectors, and its refresh", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    int const width = 48;
    auto const a = gauge_grid(width, 0, 0, 4);
    std::int64_t const n = a.rows();
    auto vector = random_gauge(width, 4);
    for (auto& value : vector) value = std::conj(value);
    near_null_space<complex_number> const near{1, 1, {vector.data(), n}};
    auto const one = solve_on<Fixture>({0, n}, a, "cg", "multilevel", {.tolerance = 1e-9}, near).result.iterations;
    auto const three = solve_on<Fixture>({0, n / 3, n / 2, n}, a, "cg", "multilevel", {.tolerance = 1e-9}, near).result;
    CHECK(three.converged);
    CHECK(three.iterations <= one + one / 4 + 2);

    auto const absorbing = gauge_grid(width, 0.1, {0.1, 0.2}, 3), other = gauge_grid(width, 0.1, {0.3, -0.1}, 3);
    auto infinite = gauge_grid(width, 0.1, {0.1, 0.2}, 3);
    infinite.values()[infinite.row_offsets()[n - 1]] = std::numeric_limits<double>::infinity();
    for (row_ranges const& begin : {row_ranges{0, n / 2, n}, row_ranges{0, 0, 100, n}})
        on_ranks<Fixture, complex_number>(begin, [&](auto const& exec, auto const& comm, auto first, auto end) {
            auto const old = matrix_of_rank(exec, comm, absorbing, first, end);
            auto const changed = matrix_of_rank(exec, comm, other, first, end);
            auto m = make_distributed_preconditioner(exec, comm, "multilevel", old);
            auto const r = exec.copy(waves<complex_number>(first, end));
            auto const before = applied(exec, m, r);
            CHECK_THROWS_WITH_AS(m.refresh(exec, old.own_block().view()),
                                 doctest::Contains("refresh_distributed_preconditioner"), argument_error);
            CHECK_THROWS_AS(
                refresh_distributed_preconditioner(exec, m, matrix_of_rank(exec, comm, infinite, first, end)),
                refused_refresh);
            CHECK(applied(exec, m, r) == before); // still valid
            refresh_distributed_preconditioner(exec, m, changed);
            auto const after = applied(exec, m, r);
            CHECK((after != before || after.empty()));
            refresh_distributed_preconditioner(exec, m, old);
            CHECK(applied(exec, m, r) == before);
            auto ilu = make_distributed_preconditioner(exec, comm, "ilu0", old);
            refresh_distributed_preconditioner(exec, ilu, changed); // of the own block
            CHECK(applied(exec, ilu, r) ==
                  applied(exec, make_distributed_preconditioner(exec, comm, "ilu0", changed), r));
            return before;
        });
}
