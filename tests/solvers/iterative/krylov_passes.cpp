// SPDX-License-Identifier: BSD-3-Clause
// Kernels of Krylov methods on CPU threads, compared with plain loops.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "support/block_stand_in.hpp"
#include "support/sanitized.hpp"
#include <coppice/semiring/reduce_rows/srcsr_block.hpp>
#include <coppice/solvers/iterative/krylov/bicgstab.hpp>
#include <coppice/solvers/iterative/krylov/cg.hpp>
#include <coppice/solvers/iterative/vectors/basis_passes_block.hpp>
#include <coppice/solvers/iterative/vectors/product_and_dot.hpp>
#include <coppice/solvers/iterative/vectors/vector_operations.hpp>
#include <coppice/solvers/iterative/vectors/vector_pass_block.hpp>

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
struct axpy_and_dots {
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
    block_runner runner(threads, 2 * sizeof(double) * threads / warp_lanes);
    host_executor const exec{2};
    double const alpha = 0.3;
    for (std::int64_t const n : test::ends_for_races({1, 63, 64, 65, 1000, 5000})) {
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
            auto const kernel = [&](axpy_and_dots const& pass) {
                runner.run(blocks, [&](auto const& block, int b, std::byte* shared) {
                    detail::pass_of_block(block, reinterpret_cast<double*>(shared), b, blocks, n, pass, slots.data());
                });
            };
            kernel({&alpha, x.data(), y.data(), sums, &left});
            CHECK(y == expected);
            CHECK(sums[0] == doctest::Approx(double(xy)).epsilon(1e-12));
            CHECK(sums[1] == doctest::Approx(double(yy)).epsilon(1e-12));
            left = 0; // idle: nothing is written, the sums are 0
            kernel({&alpha, x.data(), y.data(), sums, &left});
            CHECK(y == expected);
            CHECK(sums[0] == 0);
            CHECK(sums[1] == 0);

            left = 1;
            detail::pass_scratch<host_executor> scratch(exec, n);
            detail::run_pass(exec, scratch, axpy_and_dots{&alpha, x.data(), z.data(), on_host, &left});
            CHECK(z == expected);
            CHECK(on_host[0] == doctest::Approx(double(xy)).epsilon(1e-12));
            CHECK(on_host[1] == doctest::Approx(double(yy)).epsilon(1e-12));
        }
    }
}

namespace {

/// State of a solve: trivially copyable, larger than a scalar.
struct pass_state {
    double sum = 0, weight = 2;
    std::int64_t passes = 0;
};

/// y = y + weight x in reverse order, with operands that are loaded first; the state receives (y, y).
struct loaded_axpy_and_dot {
    static constexpr int dots = 1;
    static constexpr bool backwards = true;
    pass_state* now;
    double const* x;
    double* y;

    struct update {
        struct operands {
            double x, y;
        };
        double weight;
        double const* x;
        double* y;
        operands load(std::int64_t i) const { return {x[i], y[i]}; }
        void store(std::int64_t i, operands& all) const { y[i] = all.y += weight * all.x; }
    };
    update begin() const { return {now->weight, x, y}; }
    dot_pair<double> pair(int) const {
        dot_pair<double> both;
        both.left = both.right = y;
        return both;
    }
    double term(int, update::operands const& all) const { return all.y * all.y; }
    pass_state* state() const { return now; }
    void finish(pass_state& next, double const* sums) const { next = {sums[0], next.weight + 1, next.passes + 1}; }
};

} // namespace

TEST_CASE("krylov passes: operands that are loaded ahead, and a state on chip") {
    constexpr int threads = 64;
    block_runner runner(threads, sizeof(double) * threads / warp_lanes + sizeof(pass_state));
    host_executor const exec{2};
    for (std::int64_t const n : {1, 64, 65, 5000})
        for (int const blocks : {1, 3, 40}) {
            CAPTURE(n);
            CAPTURE(blocks);
            auto const x = draw(n, 8);
            auto y = draw(n, 9), z = y, expected = y;
            std::vector<hand_over_slot> slots(std::size_t(detail::grid_slots::needed(blocks)), hand_over_slot{});
            pass_state in_kernel, on_host;
            detail::pass_scratch<host_executor> scratch(exec, n);
            for (int turn = 0; turn < 2; ++turn) {
                long double yy = 0;
                for (std::size_t i = 0; i < y.size(); ++i) {
                    expected[i] += (2 + turn) * x[i];
                    yy += (long double)(expected[i]) * expected[i];
                }
                loaded_axpy_and_dot const pass{&in_kernel, x.data(), y.data()};
                runner.run(blocks, [&](auto const& block, int b, std::byte* shared) {
                    detail::pass_of_block(block, reinterpret_cast<double*>(shared), b, blocks, n, pass, slots.data());
                });
                detail::run_pass(exec, scratch, loaded_axpy_and_dot{&on_host, x.data(), z.data()});
                CHECK(y == expected);
                CHECK(z == expected);
                for (pass_state const& s : {in_kernel, on_host}) {
                    CHECK(s.sum == doctest::Approx(double(yy)).epsilon(1e-12));
                    CHECK(s.weight == 3 + turn);
                    CHECK(s.passes == 1 + turn);
                }
            }
        }
}

TEST_CASE_TEMPLATE("krylov passes: an iteration after the end changes nothing", State, detail::cg_state<double>,
                   detail::bicgstab_state<double>) {
    State s;
    s.control.loop.on = 1;
    s.control.limit = 1;
    s.rr = 4;
    if constexpr (requires { s.rz; })
        s.rz = 4, s.pq = 2;
    else
        s.rho = 4, s.shadow_norm = 2, s.sv[0] = s.sv[1] = 1, s.st[0] = s.st[1] = 1;
    s.decide(1, 1);
    CHECK(s.control.iterations == 1);
    CHECK(s.control.moves == 1); // the step of this iteration is taken
    CHECK(s.control.is_over());
    State const at_end = s;
    s.decide(0.25, 0.25);
    CHECK(s.control.iterations == 1);
    CHECK(s.control.moves == 0);
    CHECK(s.control.keeps == 0);
    CHECK(s.rr == at_end.rr);
    CHECK(s.alpha == at_end.alpha);
    CHECK(s.beta == at_end.beta);
}

TEST_CASE("krylov passes: projection onto a basis") {
    constexpr int threads = 64;
    block_runner runner(threads, detail::projected_batch * sizeof(double) * threads / warp_lanes);
    host_executor const exec{2};
    for (std::int64_t const n : test::ends_for_races({1, 64, 3000})) {
        for (int const done : test::ends_for_races({0, 1, 7, 8, 19})) {
            CAPTURE(n);
            CAPTURE(done);
            auto const basis = draw(n * (done + 1), 3), w = draw(n, 4);
            int enabled = 1;
            detail::basis_columns<double> const v{basis.data(), n, &done, &enabled};
            constexpr int blocks = 5, max_columns = 20;
            std::vector<double> partial(std::size_t(blocks * max_columns)), h(max_columns, 7.0),
                on_host(max_columns, 7.0);
            auto const kernels = [&] {
                runner.run(blocks, [&](auto const& block, int b, std::byte* shared) {
                    for (int team = 0; team < 2; ++team)
                        detail::project_block(block, reinterpret_cast<double*>(shared), b, blocks, team, 2, v, w.data(),
                                              partial.data());
                });
                runner.run(max_columns, [&](auto const& block, int j, std::byte* shared) {
                    detail::fold_projection_block(block, reinterpret_cast<double*>(shared), j, blocks, v,
                                                  partial.data(), h.data());
                });
            };
            kernels();
            detail::basis_scratch<host_executor> scratch(exec, n, max_columns);
            detail::project(exec, scratch, v, w.data(), on_host.data());
            std::vector<double> rest(w);
            for (int j = 0; j < max_columns; ++j) {
                long double sum = 0;
                for (std::int64_t i = 0; i < n && j <= done; ++i)
                    sum += (long double)(basis[std::size_t(j * n + i)]) * w[std::size_t(i)];
                double const expected = j <= done ? double(sum) : 7.0;
                CHECK(h[std::size_t(j)] == doctest::Approx(expected).epsilon(1e-11));
                CHECK(on_host[std::size_t(j)] == doctest::Approx(expected).epsilon(1e-11));
                for (std::int64_t i = 0; i < n && j <= done; ++i)
                    rest[std::size_t(i)] -= h[std::size_t(j)] * basis[std::size_t(j * n + i)];
            }
            auto one = w, by_range = w;
            detail::subtract_columns<double> update{v, v.columns(), h.data(), one.data()};
            for (std::int64_t i = 0; i < n; ++i) update(i);
            update.w = by_range.data();
            update.range(0, n);
            for (std::size_t i = 0; i < rest.size(); ++i) {
                CHECK(one[i] == doctest::Approx(rest[i]).epsilon(1e-11));
                CHECK(by_range[i] == doctest::Approx(rest[i]).epsilon(1e-11));
            }
            enabled = 0; // nothing is written
            auto const before = h;
            kernels();
            CHECK(h == before);
        }
    }
}

namespace {

using offset = std::int32_t;

struct no_flag {
    void write(bool) const {}
};
struct element_of {
    double const* values;
    double operator()(std::int64_t k) const { return values[k]; }
};

/// A product with its dot products by the kernels under CPU threads; the values of a row times 1.
template <class Reading>
void product_and_dots(std::vector<offset> const& offsets, std::vector<double> const& values,
                      detail::store_and_dot<double, 2> store, std::vector<hand_over_slot>& sums) {
    constexpr int threads = 64, work = 256;
    std::int64_t const rows = std::int64_t(offsets.size()) - 1, nonzeros = offsets.back();
    std::int64_t const ranges = (rows + nonzeros + work - 1) / work;
    detail::partition_rule const rule{work, threads * detail::range_items - work, threads, 32, 200};
    std::vector<detail::path_point> splits(std::size_t(ranges) + 1);
    std::vector<hand_over_slot> slots(std::size_t(ranges), hand_over_slot{}), heads(slots);
    constexpr int ranges_a_block = detail::ranges_of_partition_block<test::block_stand_in>(threads);
    block_runner cutting(threads, sizeof(detail::path_point) * threads);
    detail::partition_job<offset, no_flag> const splitting{offsets.data(), rows,          nonzeros,     rule,
                                                           ranges,         splits.data(), slots.data(), {}};
    cutting.run(int(2 + ranges / ranges_a_block), [&](auto const& block, int b, std::byte* shared) {
        detail::partition_block(block, b, splitting, reinterpret_cast<detail::path_point*>(shared));
    });
    using add = add_plus<double>;
    auto const sizes = detail::size_launch<element_of, add>(threads, rule.capacity);
    detail::srcsr_job<offset> const job{offsets.data(),
                                        splits.data(),
                                        slots.data(),
                                        heads.data(),
                                        nullptr,
                                        ranges,
                                        rows,
                                        nonzeros,
                                        work,
                                        0,
                                        rows,
                                        threads * detail::range_items,
                                        sizes.tile_steps,
                                        sizes.capacity,
                                        srcsr_scheme::adaptive};
    sums.assign(std::size_t(2 * detail::grid_slots::needed(ranges)), hand_over_slot{});
    store.slots = sums.data();
    block_runner runner(threads, std::size_t(sizes.shared_bytes));
    runner.run(int(ranges), [&](auto const& block, int s, std::byte* shared) {
        detail::srcsr_block<Reading>(block, s, job, element_of{values.data()}, add{}, store, detail::ordered_combine{},
                                     reinterpret_cast<unsigned char*>(shared));
    });
}

} // namespace

TEST_CASE("krylov passes: a product with the dot products of its result") {
    std::mt19937 random(3);
    std::vector<std::vector<int>> patterns{{1}, {0, 0, 0}, std::vector<int>(3000, 5), {3, 0, 2000, 1, 0, 900, 7}, {}};
    for (int i = 0; i < 700; ++i) patterns.back().push_back(int(random() % 200 == 0 ? 800 : random() % 9));
    for (auto const& lengths : patterns) {
        std::vector<offset> offsets{0};
        for (int const length : lengths) offsets.push_back(offsets.back() + length);
        auto const n = lengths.size();
        CAPTURE(n);
        auto const values = draw(offsets.back(), 5), left = draw(std::int64_t(n), 6);
        std::vector<double> expected(n);
        long double ly = 0, yy = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (auto k = offsets[i]; k < offsets[i + 1]; ++k) expected[i] += values[std::size_t(k)];
            ly += (long double)(left[i]) * expected[i];
            yy += (long double)(expected[i]) * expected[i];
        }
        double first[2] = {-1, -1};
        auto const check = [&](auto const& product) {
            std::vector<double> y(n, -7.0);
            double sums[2] = {-1, -1};
            product(detail::store_and_dot<double, 2>{y.data(), left.data(), sums, nullptr});
            for (std::size_t i = 0; i < n; ++i) CHECK(y[i] == doctest::Approx(expected[i]).epsilon(1e-12));
            CHECK(sums[0] == doctest::Approx(double(ly)).epsilon(1e-11));
            CHECK(sums[1] == doctest::Approx(double(yy)).epsilon(1e-11));
            return std::vector<double>{sums[0], sums[1]};
        };
        std::vector<hand_over_slot> slots;
        using in_rounds = detail::read_in_rounds<element_of, add_plus<double>>;
        auto const rounds =
            check([&](auto const& store) { product_and_dots<in_rounds>(offsets, values, store, slots); });
        auto const batch =
            check([&](auto const& store) { product_and_dots<detail::read_at_once>(offsets, values, store, slots); });
        CHECK(rounds == batch); // both kernels give the same bits
        for (int const threads : {1, 2}) {
            host_executor const exec{threads};
            auto const plan =
                make_srcsr_plan(exec, array_view<offset const>{offsets.data(), std::int64_t(offsets.size())});
            auto const on_host = check([&](auto const& store) {
                reduce_rows(exec, plan, element_of{values.data()}, add_plus<double>{}, store);
            });
            if (threads == 1) first[0] = on_host[0], first[1] = on_host[1];
            CHECK(on_host[0] == first[0]);
            CHECK(on_host[1] == first[1]);
        }
    }
}
