// SPDX-License-Identifier: BSD-3-Clause
// The multilevel method of several ranks for systems with several unknowns per point: near-null-space vectors, blocks.
#include <coppice/solvers/distributed/distributed_solve.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <coppice/algebra/generate/generators.hpp>
#include <coppice/solvers/multilevel/near_null_space.hpp>

#include "solvers/distributed/ranks_of_matrix.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// An elastic solid of points^3 points, and its six rigid body modes, one after the other.
struct elastic_solid {
    csr<double> a;
    std::vector<double> modes;

    explicit elastic_solid(std::int64_t points)
        : a(generate<double>(host_executor{2}, "elasticity", {.nx = points})),
          modes(rigid_body_modes(3, grid(points))) {}
    static std::vector<double> grid(std::int64_t points) {
        std::vector<double> at;
        for (std::int64_t p = 0; p < points * points * points; ++p)
            for (auto const c : {p % points, p / points % points, p / points / points}) at.push_back(double(c));
        return at;
    }
    /// The elements [first, end) of all modes.
    std::vector<double> modes_of(std::int64_t first, std::int64_t end) const {
        std::vector<double> own;
        for (std::int64_t c = 0; c < 6; ++c)
            own.insert(own.end(), modes.begin() + (c * a.rows() + first), modes.begin() + (c * a.rows() + end));
        return own;
    }
};

/// Iterations of CG on these ranks; with the modes of the solid, or without vectors.
template <class Fixture>
std::int64_t iterations(elastic_solid const& solid, row_ranges const& begin, std::string const& choice, bool modes) {
    std::int64_t count = 0;
    on_ranks<Fixture>(begin, [&](auto const& exec, auto const& comm, std::int64_t first, auto end) {
        auto const of_rank = matrix_of_rank(exec, comm, solid.a, first, end);
        auto const vectors = exec.copy(solid.modes_of(first, end));
        near_null_space<double> near{};
        if (modes) near = {.block = 3, .count = 6, .vectors = vectors.view()};
        auto const m = make_distributed_preconditioner(exec, comm, choice, of_rank, {}, near);
        auto const b = exec.copy(numbers(first, end, 3));
        auto x = exec.copy(std::vector<double>(std::size_t(end - first), 0.0));
        auto const result = solve_distributed(exec, comm, "cg", of_rank, m, b.view(), x.view(),
                                              {.tolerance = 1e-8, .max_iterations = 100});
        CHECK(result.converged);
        if (comm.rank() == 0) count = result.iterations;
        return to_vector(exec, x);
    });
    return count;
}

/// Each entry becomes a 2 x 2 block with its multiples by 2 and 1.
csr<double> with_pairs(csr<double> const& a) {
    std::vector<std::int32_t> offsets{0}, columns;
    std::vector<double> values;
    for (std::int64_t i = 0; i < 2 * a.rows(); ++i) {
        for (auto k = a.row_offsets()[i / 2]; k < a.row_offsets()[i / 2 + 1]; ++k)
            for (std::int32_t c = 0; c < 2; ++c) {
                columns.push_back(2 * a.column_indices()[k] + c);
                values.push_back(a.values()[k] * (i % 2 == c ? 2 : 1));
            }
        offsets.push_back(std::int32_t(columns.size()));
    }
    host_executor const host{1};
    return {2 * a.rows(), 2 * a.rows(), host.copy(offsets), host.copy(columns), host.copy(values)};
}

} // namespace

TEST_CASE_TEMPLATE("distributed: with rigid body modes elasticity takes about the iterations of one rank", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    // Two distributed levels above those of one rank. The ranges of a Gauss-Seidel sweep end at ranks.
    elastic_solid const solid(sanitized ? 8 : 18);
    std::int64_t const n = solid.a.rows();
    struct of_test {
        std::string choice;
        bool modes;
        std::vector<int> ranks;
        int more; ///< additional iterations allowed for several ranks, beyond 15 %
    };
    for (of_test const& of : {of_test{"multilevel,smoother=chebyshev", true, {2, 4}, 0},
                              of_test{"multilevel", true, {2}, 1}, of_test{"multilevel,block=3", false, {4}, 0}}) {
        CAPTURE(of.choice);
        auto const one = iterations<Fixture>(solid, {0, n}, of.choice, of.modes);
        CHECK(one <= 25); // 23 with the smoother of devices
        for (int const ranks : of.ranks) {
            if (sanitized && ranks > 2) continue;
            CAPTURE(ranks);
            auto const several = iterations<Fixture>(solid, equal_ranges(n, ranks, 3), of.choice, of.modes);
            CHECK(double(several) <= 1.15 * double(one) + of.more);
        }
    }
    elastic_solid const small(8);
    std::int64_t const rows = small.a.rows();
    auto const one = iterations<Fixture>(small, {0, rows}, "multilevel", true);
    // One rank has all levels, another one is empty.
    CHECK(iterations<Fixture>(small, {0, 0, rows / 9 * 3, rows}, "multilevel", true) <= one + 1);
}

TEST_CASE_TEMPLATE("distributed: a refresh keeps the near-null-space vectors", Fixture, COPPICE_TEST_EXECUTORS) {
    elastic_solid const solid(sanitized ? 8 : 12);
    std::int64_t const n = solid.a.rows();
    auto up = host_executor{1}.copy(solid.a);
    for (double& value : up.values()) value *= 4;
    for (int const ranks : {2, 3}) {
        CAPTURE(ranks);
        on_ranks<Fixture>(
            equal_ranges(n, ranks, 3), [&](auto const& exec, auto const& comm, std::int64_t first, auto end) {
                auto const of_rank = matrix_of_rank(exec, comm, solid.a, first, end);
                auto const of_up = matrix_of_rank(exec, comm, up, first, end);
                auto m = [&] {
                    auto const vectors = exec.copy(solid.modes_of(first, end)); // not needed after the set-up
                    return make_distributed_preconditioner(exec, comm, "multilevel", of_rank, {},
                                                           {.block = 3, .count = 6, .vectors = vectors.view()});
                }();
                auto const r = exec.copy(numbers(first, end, 2));
                auto const before = applied(exec, m, r);
                refresh_distributed_preconditioner(exec, m, of_up);
                auto quarter = applied(exec, m, r);
                for (double& z : quarter) z *= 4;
                CHECK(quarter == before);
                refresh_distributed_preconditioner(exec, m, of_rank);
                CHECK(applied(exec, m, r) == before);
                return before;
            });
    }
}

TEST_CASE_TEMPLATE("distributed: unknowns per point are those that all ranks find", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const a = with_pairs(generate<double>(host_executor{1}, "laplace2d", {.nx = 80}));
    std::int64_t const n = a.rows();
    auto const cycle = [&](row_ranges const& begin, std::string const& choice, double& found) {
        return on_ranks<Fixture>(begin, [&](auto const& exec, auto const& comm, std::int64_t first, auto end) {
            auto const of_rank = matrix_of_rank(exec, comm, a, first, end);
            auto const m = make_distributed_preconditioner(exec, comm, choice, of_rank);
            if (comm.rank() == 0) found = m.report().number("unknowns_per_point");
            return applied(exec, m, exec.copy(numbers(first, end, 6)));
        });
    };
    double detected = 0, given = 0;
    auto const ranges = equal_ranges(n, 2, 2);
    CHECK(cycle(ranges, "multilevel", detected) == cycle(ranges, "multilevel,block=2", given));
    CHECK(detected == 2);
    CHECK(given == 2);
    CHECK(cycle(ranges, "multilevel,block=1", given) != cycle(ranges, "multilevel,block=2", detected));
    CHECK(given == 1);
    CHECK_NOTHROW(cycle({0, n / 2 + 1, n}, "multilevel", detected)); // a point of two ranks
    CHECK(detected == 1);
    CHECK_THROWS_AS(cycle({0, n / 2 + 1, n}, "multilevel,block=2", detected), dimension_error);
}

TEST_CASE_TEMPLATE("distributed: near-null-space vectors of another length are errors on all ranks", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    auto const a = generate<double>(host_executor{1}, "elasticity", {.nx = 5});
    std::int64_t const n = a.rows(), middle = n / 6 * 3;
    multi_executor<exec_type> const ranks(executors_of<Fixture>(2));
    auto const make = [&](std::string const& choice, std::int64_t missing, int block) {
        ranks.run([&](exec_type const& exec, rank_communicator const& comm) {
            bool const second = comm.rank() == 1;
            auto const of_rank = matrix_of_rank(exec, comm, a, second ? middle : 0, second ? n : middle);
            auto const vectors =
                exec.copy(std::vector<double>(std::size_t(of_rank.size() - (second ? missing : 0)), 1.0));
            make_distributed_preconditioner(exec, comm, choice, of_rank, {},
                                            {.block = block, .count = 1, .vectors = vectors.view()});
        });
    };
    CHECK_NOTHROW(make("multilevel", 0, 3));
    CHECK_THROWS_AS(make("multilevel", 1, 3), dimension_error);
    CHECK_THROWS_AS(make("multilevel,block=6", 0, 3), argument_error);
    CHECK_THROWS_AS(make("forest", 0, 3), argument_error);
}
