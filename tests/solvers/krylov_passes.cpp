// SPDX-License-Identifier: BSD-3-Clause
// The kernels of Krylov methods under CPU threads, against plain loops.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "semiring/srcsr_block.hpp"
#include "solvers/basis_passes_block.hpp"
#include "solvers/product_and_dot.hpp"
#include "solvers/vector_operations.hpp"
#include "solvers/vector_pass_block.hpp"
#include "support/block_stand_in.hpp"

using namespace coppice;
using coppice::test::block_runner;

namespace {

std::vector<double> draw(std::int64_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<double> x(static_cast<std::size_t>(n));
    for (double& e : x) e = value(random);
    return x;
}

/// y = y + alpha x, (x, y), (y, y), with alpha and the sums in memory.
struct update_and_look {
    static constexpr int dots = 2;
    double const* alpha;
    double const* x;
    double* y;
    double* out;
    int const* calls_left;

    struct update : axpy<double> {
        bool nothing;
        bool idle() const { return nothing; }
    };
    update begin() const { return {{*alpha, x, y}, *calls_left == 0}; }
    dot_pair<double> pair(int p) const {
        dot_pair<double> both;
        both.left = p == 0 ? x : y;
        both.right = y;
        return both;
    }
    void finish(double const* sums) const { out[0] = sums[0], out[1] = sums[1]; }
};

} // namespace

TEST_CASE("krylov passes: an update with dot products, as a kernel and on the host") {
    constexpr int threads = 64;
    block_runner runner(threads, sizeof(double) * threads / warp_lanes);
    host_executor const exec{2};
    double const alpha = 0.3;
    for (std::int64_t const n : {1, 63, 64, 65, 1000, 5000}) {
        for (int const blocks : {1, 3, 70}) {
            CAPTURE(n);
            CAPTURE(blocks);
            auto const x = draw(n, 1);
            auto y = draw(n, 2), z = y, expected = y;
            long double xy = 0, yy = 0;
            for (std::size_t i = 0; i < y.size(); ++i) {
                expected[i] += alpha * x[i];
                xy += (long double)(x[i]) * expected[i];
                yy += (long double)(expected[i]) * expected[i];
            }
            double sums[2] = {}, on_host[2] = {};
            int left = 1;
            std::vector<hand_over_slot> slots(std::size_t(2 * detail::grid_slots::needed(blocks)), hand_over_slot{});
            auto const kernel = [&](update_and_look const& pass) {
                runner.run(blocks, [&](auto const& block, int b, std::byte* shared) {
                    detail::pass_of_block(block, reinterpret_cast<double*>(shared), b, blocks, n, pass, slots.data());
                });
            };
            kernel({&alpha, x.data(), y.data(), sums, &left});
            CHECK(y == expected);
            CHECK(sums[0] == doctest::Approx(double(xy)).epsilon(1e-12));
            CHECK(sums[1] == doctest::Approx(double(yy)).epsilon(1e-12));
            left = 0; // idle: nothing is touched, the sums are 0
            kernel({&alpha, x.data(), y.data(), sums, &left});
            CHECK(y == expected);
            CHECK(sums[0] == 0);
            CHECK(sums[1] == 0);

            left = 1;
            detail::pass_scratch<host_executor> scratch(exec, n);
            detail::run_pass(exec, scratch, update_and_look{&alpha, x.data(), z.data(), on_host, &left});
            CHECK(z == expected);
            CHECK(on_host[0] == doctest::Approx(double(xy)).epsilon(1e-12));
            CHECK(on_host[1] == doctest::Approx(double(yy)).epsilon(1e-12));
        }
    }
}

TEST_CASE("krylov passes: projection onto a basis") {
    constexpr int threads = 64;
    block_runner runner(threads, sizeof(double) * threads / warp_lanes);
    host_executor const exec{2};
    for (std::int64_t const n : {1, 64, 3000}) {
        for (int const done : {0, 1, 7, 8, 19}) {
            CAPTURE(n);
            CAPTURE(done);
            auto const basis = draw(n * (done + 1), 3), w = draw(n, 4);
            int gate = 1;
            detail::basis_columns<double> const v{basis.data(), n, &done, &gate};
            constexpr int blocks = 5, most = 20;
            std::vector<double> partial(std::size_t(blocks * most)), h(most, 7.0), on_host(most, 7.0);
            auto const kernels = [&] {
                runner.run(blocks, [&](auto const& block, int b, std::byte* shared) {
                    detail::project_block(block, reinterpret_cast<double*>(shared), b, blocks, v, w.data(),
                                          partial.data());
                });
                runner.run(most, [&](auto const& block, int j, std::byte* shared) {
                    detail::fold_projection_block(block, reinterpret_cast<double*>(shared), j, blocks, v,
                                                  partial.data(), h.data());
                });
            };
            kernels();
            detail::basis_scratch<host_executor> scratch(exec, n, most);
            detail::project(exec, scratch, v, w.data(), on_host.data());
            std::vector<double> rest(w);
            for (int j = 0; j < most; ++j) {
                long double sum = 0;
                for (std::int64_t i = 0; i < n && j <= done; ++i)
                    sum += (long double)(basis[std::size_t(j * n + i)]) * w[std::size_t(i)];
                double const expected = j <= done ? double(sum) : 7.0;
                CHECK(h[std::size_t(j)] == doctest::Approx(expected).epsilon(1e-11));
                CHECK(on_host[std::size_t(j)] == doctest::Approx(expected).epsilon(1e-11));
                for (std::int64_t i = 0; i < n && j <= done; ++i)
                    rest[std::size_t(i)] -= h[std::size_t(j)] * basis[std::size_t(j * n + i)];
            }
            auto one = w, stretch = w;
            detail::subtract_columns<double> update{v, v.columns(), h.data(), one.data()};
            for (std::int64_t i = 0; i < n; ++i) update(i);
            update.w = stretch.data();
            update.stretch(0, n);
            for (std::size_t i = 0; i < rest.size(); ++i) {
                CHECK(one[i] == doctest::Approx(rest[i]).epsilon(1e-11));
                CHECK(stretch[i] == doctest::Approx(rest[i]).epsilon(1e-11));
            }
            gate = 0; // nothing is written
            auto const before = h;
            kernels();
            CHECK(h == before);
        }
    }
}
