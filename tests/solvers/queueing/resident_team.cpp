// SPDX-License-Identifier: BSD-3-Clause
// On-chip sweeps of teams on CPU threads with checked barriers: teams of one to five members with one to many threads,
// blocks that one thread or several threads solve, operands in on-chip or in global memory.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "support/block_stand_in.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/algebra/generate/queue_chain.hpp>
#include <coppice/algebra/random.hpp>
#include <coppice/algebra/transform.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/queueing/hbisa.hpp>
#include <coppice/solvers/queueing/resident_launch.hpp>
#include <coppice/solvers/queueing/resident_pack.hpp>

namespace coppice::test {
namespace {

/// Barrier of the members of a team; each member runs in its own CPU thread, which represents all its threads.
struct team_barrier {
    int members;
    std::vector<std::byte*> memory;
    std::atomic<int> arrived{0};

    explicit team_barrier(int m) : members(m), memory(std::size_t(m)) {}
};
template <class Block>
struct team_stand_in {
    Block const& block;
    team_barrier& all;
    int index;
    mutable int meetings = 0;

    int rank() const { return block.thread(); }
    int size() const { return block.threads(); }
    void sync() const { block.sync(); }
    int member() const { return index; }
    int members() const { return all.members; }
    void sync_all() const {
        block.sync();
        ++meetings;
        if (block.thread() == 0) {
            ++all.arrived;
            for (int turns = 0; all.arrived < meetings * all.members; std::this_thread::yield())
                if (++turns > 100'000'000) throw block_failure("a member waits for others in vain");
        }
        block.sync();
    }
    template <class P>
    P* peer(P* p, int m) const {
        auto const* const from = reinterpret_cast<std::byte const*>(p);
        return reinterpret_cast<P*>(all.memory[std::size_t(m)] + (from - all.memory[std::size_t(index)]));
    }
};

struct shape {
    int members, threads;
    bool bands, couplings;
};

/// The packing of resident_sweeps, for a team of any shape.
struct packed {
    host_executor exec{1};
    csr<double> matrix;
    block_hybrid<double> a;
    std::int64_t systems;
    int halves;

    packed(csr<double> m, std::int64_t block, std::int64_t many, int h)
        : matrix(std::move(m)), a(to_block_hybrid(exec, matrix.view(), {.block = block})), systems(many), halves(h) {}

    /// Solves with b as given, from x = 0. Returns the states of the systems.
    std::vector<coppice::detail::hbisa_state> solve(shape const& s, std::vector<double> const& b,
                                                    std::vector<double>& x, double tolerance, std::int64_t limit,
                                                    int& segments) const {
        using namespace coppice::detail;
        resident_job<double> job;
        resident_layout& p = job.layout;
        p = {a.block(), a.blocks() / systems, systems, s.members, halves};
        std::vector<double> bands(std::size_t(4 * p.rows()));
        double *const lower = bands.data(), *const diagonal = lower + p.rows(), *const upper = diagonal + p.rows();
        double* const inverse = upper + p.rows();
        std::vector<std::int32_t> offsets(std::size_t(p.rows() + 1));
        std::vector<resident_column> columns(std::size_t(a.couplings().nonzeros()));
        std::vector<double> values(columns.size());
        for_each(exec, p.rows(), pack_bands<double, std::int32_t>{a.view(), p, lower, diagonal, upper});
        exclusive_scan(exec, p.rows() + 1, couplings_of_position<double, std::int32_t>{a.view(), p},
                       store_offset<std::int32_t>{offsets.data()}, std::int64_t(0));
        for_each(exec, p.rows(),
                 pack_couplings<double, std::int32_t>{a.view(), p, offsets.data(), columns.data(), values.data()});
        for (std::int64_t j = 0; j < a.blocks(); ++j)
            REQUIRE(eliminate_resident<double>{p, lower, diagonal, upper, inverse}(j) == 0);
        std::int64_t available = 0;
        for (std::int64_t t = 0; t < systems * s.members; ++t)
            available = std::max(available, couplings_of_member<double, std::int32_t>{a.view(), p}(t));
        job.segments = resident_segments::of(p.block, p.max_count(), s.threads);
        segments = job.segments.count;
        job.memory = resident_memory::of<double>(p, job.segments, s.threads, available, s.bands, s.couplings);
        job.rows = a.rows();
        job.lower = lower, job.diagonal = diagonal, job.upper = upper, job.inverse = inverse;
        job.offsets = offsets.data(), job.columns = columns.data(), job.values = values.data();
        job.b = b.data(), job.x = x.data();
        job.tolerance = tolerance, job.limit = limit;
        std::vector<hbisa_state> states(static_cast<std::size_t>(systems));
        job.states = states.data();
        for (std::int64_t system = 0; system < systems; ++system) run(job, s, system);
        return states;
    }

private:
    static void run(coppice::detail::resident_job<double> const& job, shape const& s, std::int64_t system) {
        team_barrier all(s.members);
        std::vector<std::exception_ptr> failures(static_cast<std::size_t>(s.members));
        auto const member = [&](int m) {
            try {
                block_runner blocks(s.threads, std::size_t(job.memory.bytes));
                blocks.run(1, [&](auto const& block, int, std::byte* shared) {
                    team_stand_in<std::decay_t<decltype(block)>> const team{block, all, m};
                    if (block.thread() == 0) all.memory[std::size_t(m)] = shared;
                    team.sync_all();
                    if (job.memory.couplings)
                        coppice::detail::sweep_resident<true>(team, job, system, shared);
                    else
                        coppice::detail::sweep_resident<false>(team, job, system, shared);
                });
            } catch (...) {
                failures[std::size_t(m)] = std::current_exception();
            }
        };
        std::vector<std::thread> members;
        for (int m = 1; m < s.members; ++m) members.emplace_back(member, m);
        member(0);
        for (auto& m : members) m.join();
        for (auto const& f : failures)
            if (f) std::rethrow_exception(f);
    }
};

double residual(csr<double> const& a, std::vector<double> const& b, std::vector<double> const& x) {
    long double rr = 0, bb = 0;
    for (std::int32_t i = 0; i < a.rows(); ++i) {
        long double r = b[std::size_t(i)];
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            r -= (long double)(a.values()[k]) * x[std::size_t(a.column_indices()[k])];
        rr += r * r;
        bb += (long double)(b[std::size_t(i)]) * b[std::size_t(i)];
    }
    return double(std::sqrt(rr / bb));
}

/// Compares teams of different shapes with passes; every member reads the memory of its neighbours.
void compare_shapes(csr<double> const& matrix, std::int64_t block, std::int64_t systems, bool in_segments) {
    host_executor const exec{1};
    auto const n = std::size_t(matrix.rows());
    std::vector<double> b(n);
    for (std::size_t i = 0; i < n; ++i) b[i] = random_stream(3, 1).uniform(i, -1.0, 1.0);
    for (int const halves : {1, 2}) {
        hbisa<host_executor, double> const passes(
            exec, matrix.view(),
            {.sweep = halves == 1 ? block_sweep::jacobi : block_sweep::gauss_seidel,
             .storage = {.block = block},
             .systems = systems,
             .tolerance = 1e-6,
             .resident_bytes = 0});
        auto const rhs = exec.copy(b);
        auto start = exec.copy(std::vector<double>(n, 0.0));
        auto const expected = passes.solve(exec, rhs.view(), start.view());
        auto const y = to_vector(exec, start);
        packed const p(exec.copy(matrix), block, systems, halves);
        bool saw_segments = false;
        for (shape const s : {shape{1, 1, true, true},
                              {1, 40, true, true},
                              {1, 24, false, false},
                              {2, 32, true, false},
                              {3, 24, true, true},
                              {5, 16, false, false}}) {
            if (s.members > p.a.blocks() / systems) continue;
            CAPTURE(halves);
            CAPTURE(s.members);
            CAPTURE(s.threads);
            std::vector<double> x(n, 0.0);
            int segments = 0;
            auto const states = p.solve(s, b, x, 1e-6, 10000, segments);
            saw_segments |= segments > 1;
            for (std::size_t k = 0; k < states.size(); ++k) {
                CHECK(states[k].end == coppice::detail::hbisa_end::converged);
                CHECK(states[k].iterations == expected[k].iterations);
            }
            CHECK(residual(matrix, b, x) <= 1.001e-6);
            for (std::size_t i = 0; i < n; ++i) REQUIRE(std::abs(x[i] - y[i]) <= 1e-11 * (1 + std::abs(y[i])));
        }
        CHECK(saw_segments == in_segments);
    }
}

csr<double> batch_of(csr<double> const& one, int times) {
    host_executor const exec{1};
    auto const slice = to_coo(exec, one);
    coo<double> all{one.rows() * times, one.rows() * times};
    for (std::int32_t s = 0; s < times; ++s)
        for (std::size_t k = 0; k < slice.values.size(); ++k)
            all.add(s * one.rows() + slice.row_indices[k], s * one.rows() + slice.column_indices[k], slice.values[k]);
    return to_csr(exec, std::move(all));
}

queue_options queue_of(std::int64_t servers, std::int64_t places) {
    return {.servers = servers, .places = places, .arrival = 5, .upper = 3, .lower = 2, .loss = 1};
}

} // namespace

TEST_CASE("teams: on-chip sweeps equal those of the passes, for any shape of the team") {
    host_executor const exec{1};
    compare_shapes(queue_matrix<double>(exec, queue_of(11, 6)), 6, 1, false);
    compare_shapes(batch_of(queue_matrix<double>(exec, queue_of(7, 5)), 3), 5, 3, false);
    compare_shapes(laplace2d<double>(exec, 6, 9), 6, 1, false);
    compare_shapes(queue_matrix<double>(exec, queue_of(1, 130)), 130, 1, true); // one block
    compare_shapes(queue_matrix<double>(exec, queue_of(5, 100)), 100, 1, true);
    compare_shapes(queue_matrix<double>(exec, queue_of(2, 64)), 64, 1, true);
    // The last block is shorter.
    auto const whole = to_coo(exec, queue_matrix<double>(exec, queue_of(4, 50)));
    coo<double> shortened{187, 187};
    for (std::size_t k = 0; k < whole.values.size(); ++k)
        if (whole.row_indices[k] < 187 && whole.column_indices[k] < 187)
            shortened.add(whole.row_indices[k], whole.column_indices[k], whole.values[k]);
    compare_shapes(to_csr(exec, std::move(shortened)), 50, 1, true);
}

TEST_CASE("teams: on-chip sweeps end at their limit, for b = 0 and for values that are not finite") {
    using coppice::detail::hbisa_end;
    host_executor const exec{1};
    packed const p(queue_matrix<double>(exec, queue_of(6, 7)), 7, 1, 2);
    shape const s{3, 32, true, true};
    std::vector<double> b(42, 1.0), x(42, 0.5);
    int segments = 0;
    auto const limited = p.solve(s, b, x, 1e-9, 4, segments).at(0);
    CHECK(limited.end == hbisa_end::limit);
    CHECK(limited.iterations == 4);
    CHECK(residual(p.matrix, b, x) == doctest::Approx(limited.best).epsilon(1e-9));
    auto const saved = x;
    b[17] = std::nan("");
    CHECK(p.solve(s, b, x, 1e-9, 100, segments).at(0).end == hbisa_end::not_finite);
    CHECK(x == saved);
    b[17] = 1;
    x[40] = HUGE_VAL;
    CHECK(p.solve(s, b, x, 1e-9, 100, segments).at(0).end == hbisa_end::not_finite);
    CHECK(x[40] == HUGE_VAL);
    b.assign(42, 0.0);
    CHECK(p.solve(s, b, x, 1e-9, 100, segments).at(0).end == hbisa_end::zero_rhs);
    CHECK(x == std::vector<double>(42, 0.0));
}

TEST_CASE("teams: every row has a unique position") {
    using namespace coppice::detail;
    for (std::int64_t const blocks : {1, 2, 3, 8, 13})
        for (int members = 1; members <= blocks && members <= 16; ++members)
            for (int const halves : {1, 2}) {
                resident_layout const p{3, blocks, 2, members, halves};
                std::vector<int> met(static_cast<std::size_t>(p.rows()));
                for (std::int64_t i = 0; i < p.rows(); ++i) {
                    ++met[std::size_t(p.position(i))];
                    REQUIRE(p.row(p.position(i)) == i);
                    if (i >= p.rows_of_system()) continue;
                    auto const c = resident_column::at(p, i);
                    REQUIRE(c.member() == p.member_of(i / 3));
                    REQUIRE(p.row_of_member(c.member(), c.position()) == i);
                    REQUIRE(c.odd() == (halves == 2 && i / 3 % 2 == 1));
                }
                for (int const m : met) REQUIRE(m == 1);
                for (int m = 0; m < members; ++m) {
                    REQUIRE(p.rows_of_member(m) <= p.max_blocks() * 3);
                    for (int h = 0; h < halves; ++h) REQUIRE(p.count(m, h) <= p.max_count());
                }
            }
}

} // namespace coppice::test
