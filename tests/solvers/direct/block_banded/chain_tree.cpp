// SPDX-License-Identifier: BSD-3-Clause
// Tests the kernel that merges the condensed segments of the chain solver in a tree. Blocks run on CPU threads.
#include <atomic>
#include <thread>

#include <doctest/doctest.h>

#include "solvers/band_reference.hpp"
#include "solvers/direct/block_banded/chain_models.hpp"
#include "solvers/direct/block_banded/growth_families.hpp"
#include "support/block_stand_in.hpp"
#include "support/sanitized.hpp"
#include "support/share_barrier.hpp"
#include <coppice/solvers/direct/block_banded/chain_tree.hpp>
#include <coppice/solvers/direct/solve/band_solve.hpp>

namespace coppice::test {
namespace {

/// Distribution of the condensed segments of a system.
struct tree_layout {
    int slices, log_teams, threads;
};

/// Runs the tree kernel body for all condensed segments of a job, with blocks of CPU threads.
template <int W, class T>
void run_tree(chain::tree_job<T> job, tree_layout const& how) {
    constexpr int lanes = chain::merge_lanes<W>;
    job.plan.slices = how.slices;
    job.plan.log_teams = how.log_teams;
    job.plan.threads = how.threads;
    REQUIRE(how.threads >= job.plan.teams() * lanes);
    std::vector<std::atomic<int>> arrivals(std::size_t(job.plan.systems));
    auto const run = [&](int first, int last) {
        block_runner blocks(how.threads, std::size_t(chain::tree_memory<T, W>(job.plan).bytes()));
        blocks.run(last - first, [&](auto const& block, int index, std::byte* shared) {
            slice_barrier barrier{&arrivals};
            chain::solve_condensed<W>(block, job, first + index, barrier, reinterpret_cast<T*>(shared));
        });
    };
    int const blocks = int(job.plan.blocks(lanes));
    if (how.slices == 1) return run(0, blocks);
    std::vector<std::thread> all;
    for (int b = 0; b < blocks; ++b) all.emplace_back(run, b, b + 1);
    for (auto& one : all) one.join();
}

/// A launcher whose finest level runs in one thread.
struct tree_executor {
    tree_layout how;
    bool merges = true; ///< false: level by level instead of a tree
};
template <class Job>
void run_job(tree_executor const&, Job const& job, std::byte*) {
    std::vector<typename Job::value_type> memory(std::size_t(job.elements()));
    for (std::int64_t i = 0; i < job.items(); ++i) job.run(chain::alone{}, i, memory.data());
}
template <class T>
bool merges_in_one_kernel(tree_executor const& exec, chain::matrix_rows<T> const&) {
    return exec.merges;
}
template <class T>
std::int64_t tree_elements(tree_executor const& exec, chain::levels const& l, chain::matrix_rows<T> const& a) {
    return chain::tree_elements(2 * a.n, l.total(1), exec.how.slices * a.batch.systems);
}
template <class T>
void solve_condensed(tree_executor const& exec, chain::tree_job<T> const& job) {
    // A number n in the sequence selects blocks of n + 1 rows. Only some sizes are tested, since each one is a
    // separate instantiation, which takes compile time.
    using some = std::conditional_t<std::is_floating_point_v<T>, std::integer_sequence<int, 0, 1, 2, 3>,
                                    std::integer_sequence<int, 0, 1>>;
    chain::with_tree_width(
        job.condensed.a, [&]<int W>(std::integral_constant<int, W>) { run_tree<W>(job, exec.how); }, some());
}

template <class T>
std::vector<T> solve_with(tree_executor const& exec, band_matrix<T> const& a, band_options const& o,
                          std::vector<T> const& d, std::int64_t* singular = nullptr) {
    using namespace chain;
    auto const rows = rows_of(a, o);
    using lane = lane_of_t<T>;
    using real = real_lane_t<lane>;
    std::vector<T> x(d.size());
    elimination<real> const how{real(o.threshold), o.threshold > 0, o.pivot == pivoting::scaled_partial};
    matrix_block_rows<lane> const block_rows{
        rows, reinterpret_cast<lane const*>(d.data()), reinterpret_cast<lane*>(x.data()), a.size, a.size, 1, singular};
    std::vector<T> condensed(std::size_t(condensed_elements(exec, rows, 1)), T(real(HUGE_VAL)));
    solve_columns(exec, block_rows, how, reinterpret_cast<std::byte*>(condensed.data()), nullptr, nullptr);
    return x;
}

/// Layouts for the condensed segments of one system: a team, a warp, a block, several blocks that share the system.
std::vector<tree_layout> layouts_for(int n) {
    int const in_warp = std::countr_zero(unsigned(32 / (n == 1 ? 4 : n == 2 ? 8 : 16)));
    return {{1, 0, 32}, {1, in_warp, 32}, {1, in_warp + 1, 64}, {3, in_warp + 1, 64}};
}

/// Condensed segments of a system with a known solution (y of every condensed segment).
template <class T>
struct known_chain {
    int w, condensed;
    std::vector<T> memory, y;

    known_chain(int width, int count, int slices, bool odd, std::uint64_t seed)
        : w(width), condensed(count), memory(std::size_t(chain::tree_elements(width, count, slices)), T(HUGE_VAL)),
          y(std::size_t(width * count)) {
        random_values<T> random(seed);
        random.fill(y);
        for (int i = 0; i < condensed * 2 * w * w; ++i) memory[std::size_t(i)] = random();
        for (int j = 0; j < condensed; ++j)
            for (int r = 0; r < w; ++r) {
                long double sum = 0;
                for (int c = 0; c < w; ++c) {
                    int const after = odd && j + 1 == condensed ? (c + w / 2) % w : c;
                    sum += widen(matrix(j, r, c)) * widen(y[std::size_t(j * w + c)]) +
                           widen(matrix(j, r, w + c)) * widen(y[std::size_t((j + 1) % condensed * w + after)]);
                }
                rhs(j, r) = T(sum);
            }
    }
    T& matrix(int segment, int r, int c) { return memory[std::size_t((segment * 2 * w + c) * w + r)]; }
    T& rhs(int segment, int r) { return memory[std::size_t((condensed * 2 * w + segment) * w + r)]; }
};

template <class T, int W>
void check_chain(int condensed, bool odd, tree_layout const& how) {
    CAPTURE(W);
    CAPTURE(condensed);
    CAPTURE(odd);
    CAPTURE(how.slices);
    CAPTURE(how.log_teams);
    known_chain<T> c(W, condensed, how.slices, odd, std::uint64_t(condensed + W));
    chain::matrix_rows<T> a;
    a.n = W / 2;
    a.batch = {1, 4 * condensed - (odd ? 1 : 0), nullptr, false, 4 * condensed - (odd ? 1 : 0)};
    chain::levels const l{a.batch, 2};
    T *const rhs = c.memory.data() + condensed * 2 * W * W, *const sizes = rhs + condensed * W;
    std::fill(sizes, sizes + condensed, T(1));
    chain::condensed_rows<T> const block_rows{c.memory.data(), rhs, sizes, 1, W, 1, a, 4, nullptr};
    run_tree<W>(chain::tree_job<T>(block_rows, l, {0, false, false}, nullptr), how);
    std::vector<T> const found(c.memory.begin() + condensed * 2 * W * W,
                               c.memory.begin() + condensed * (2 * W + 1) * W);
    CHECK(forward_error_of(found, c.y) <= 3e4 * epsilon<T>);
}

/// Checks that a tree gives a solution as accurate as that of levels, and reports the same singular row.
template <class T>
void check_tree(band_matrix<T> const& a, plain_rows<T> const& meaning, tree_layout const& how,
                band_options const& o = {}) {
    CAPTURE(a.block);
    CAPTURE(a.size);
    CAPTURE(how.slices);
    CAPTURE(how.log_teams);
    auto const d = rhs_for(meaning, 1, 1);
    std::vector<std::int64_t> singular(std::size_t(a.systems), chain::no_row);
    auto const x = solve_with<T>({how}, a, o, d, singular.data());
    CHECK(backward_error_of(meaning, x, d) <= 100 * epsilon<T>);
    CHECK(std::count(singular.begin(), singular.end(), chain::no_row) == a.systems);
}

} // namespace

TEST_CASE("teams: merges of a known solution") {
    for (bool const odd : {false, true})
        for (int const condensed : ends_for_races({1, 2, 3, 9, 20})) {
            for (tree_layout const& how : layouts_for(1))
                if (how.slices < condensed) check_chain<double, 2>(condensed, odd, how);
            for (tree_layout const& how : layouts_for(2))
                if (how.slices < condensed) check_chain<double, 4>(condensed, odd, how);
            check_chain<double, 6>(condensed, odd, {1, 2, 64});
            check_chain<double, 8>(condensed, odd, {1, 0, 32});
            check_chain<float, 4>(condensed, odd, {1, 1, 32});
        }
}

TEST_CASE("teams: merges of blocks of every size and partition boundary") {
    for (int const n : ends_for_races({1, 2, 3, 4}))
        for (std::int64_t const length : ends_for_races({1, 2, 33, 70, 129, 300})) {
            auto const layouts = layouts_for(n);
            block_storage<float> const s(length, n, std::uint64_t(length), true);
            check_tree<float>(s.view(), s.meaning(true), layouts[std::size_t(length % 3)], {.cyclic = true});
            block_storage<double> const t(length, n, std::uint64_t(length), false);
            tree_layout const& how = layouts[length > 128 ? 3 : 1];
            check_tree<double>(t.view(), t.meaning(false), how);
            check_tree<double>(t.view(), t.meaning(false), how, {.pivot = pivoting::scaled_partial});
        }
    using complex = std::complex<double>;
    for (int const n : {1, 2})
        for (std::int64_t const length : ends_for_races({2, 70, 300})) {
            block_storage<complex> const s(length, n, std::uint64_t(length), true);
            for (auto const pivot : {pivoting::partial, pivoting::scaled_partial})
                check_tree<complex>(s.view(), s.meaning(true), layouts_for(n)[std::size_t(length % 3)],
                                    {.pivot = pivot, .cyclic = true});
        }
}

TEST_CASE("teams: merges have no element growth") {
    auto const check = []<class T>(growth_case<T> const& c, tree_layout const& how) {
        CAPTURE(c.name);
        if (lapack_condition(c.meaning) <= (sizeof(real_of<T>) == 4 ? 1e3 : 1e8))
            check_tree<T>(c.matrix, c.meaning, how, {.cyclic = c.cyclic});
    };
    using complex = std::complex<double>;
    for (int const n : ends_for_races({1, 2, 3, 4})) {
        auto const layouts = layouts_for(n);
        auto const layout = [&](int k) -> tree_layout const& { return layouts[std::size_t(n + k) % 4]; };
        // Growth within segments, growth over several segments, and slow growth.
        check(boundary_value_problem<double>(140, n, 1.0, true, 1), layout(0));
        check(boundary_value_problem<double>(140, n, 0.1, true, 1), layout(1));
        check(grcar<double>(140 * n, n, true), layout(2));
        check(blocks_of_ones<float>(140, n, 4, true), layout(3));
        if (n <= 2) check(boundary_value_problem<complex>(140, n, 0.1, false, 2), layout(1));
    }
}

TEST_CASE("teams: merges of matrices whose segments are singular") {
    for (tree_layout const& how : ends_for_races(layouts_for(2))) {
        // Zero diagonal: segments of odd length have no pivots in their own rows. Rows have very different scales.
        banded_storage<double> s(1500, 2, 2, 11);
        for (std::int64_t i = 0; i < s.length; ++i) s.at(i, 0) = 0;
        check_tree<double>(s.view(), s.meaning(), how);
        for (std::int64_t i = 0; i < s.length; ++i)
            for (int k = -2; k <= 2; ++k)
                if (i + k >= 0 && i + k < s.length) s.at(i, k) = std::ldexp(s.at(i, k), int(i * 37 % 90) - 45);
        check_tree<double>(s.view(), s.meaning(), how, {.pivot = pivoting::scaled_partial});
        // Equations x[i - 1] + x[i + 1] only.
        block_storage<double> t(1000, 2, 12, false);
        for (std::size_t i = 0; i < t.diagonal.size(); ++i) t.diagonal[i] = 0;
        check_tree<double>(t.view(), t.meaning(false), how);
    }
}

TEST_CASE("teams: merges of batches, thresholds, singular systems") {
    std::int64_t const systems = 5, rows = 203;
    for (bool const interleaved : {false, true}) {
        auto const s = batch_with_empty_row(systems, rows, 170, interleaved);
        band_matrix<double> a(s.view());
        a.systems = systems;
        a.interleaved = interleaved;
        for (double const threshold : {0.0, 1e-12}) {
            CAPTURE(threshold);
            band_options const o{.threshold = threshold, .cyclic = true};
            std::vector<double> const d(std::size_t(a.size), 1.0);
            std::vector<std::int64_t> staged(std::size_t(systems), chain::no_row);
            auto const y = solve_with<double>({{}, false}, a, o, d, staged.data());
            for (tree_layout const& how :
                 ends_for_races<tree_layout>({{1, 0, 32}, {1, 1, 32}, {1, 3, 32}, {1, 4, 64}, {2, 3, 32}})) {
                std::vector<std::int64_t> merged(std::size_t(systems), chain::no_row);
                auto const x = solve_with<double>({how}, a, o, d, merged.data());
                for (std::size_t i = 0; i < x.size(); ++i) {
                    auto const system = std::int64_t(i) / (interleaved ? 1 : rows) % systems;
                    if (system != 3) REQUIRE(std::abs(x[i] - y[i]) <= 1e-9 * (1 + std::abs(y[i])));
                }
                for (std::int64_t k = 0; k < systems; ++k) {
                    CHECK((merged[std::size_t(k)] != chain::no_row) == (k == 3));
                    CHECK((staged[std::size_t(k)] != chain::no_row) == (k == 3));
                }
            }
        }
    }
}

TEST_CASE("teams: merges of systems of different sizes") {
    std::vector<std::int64_t> const bounds{0, 1, 3, 35, 36, 100, 100, 700, 723, 1131, 1131};
    std::int64_t const length = bounds.back(), systems = std::int64_t(bounds.size()) - 1;
    for (int const n : {1, 2, 3})
        for (bool const cyclic : {false, true}) {
            if (races_watched && cyclic != (n == 3)) continue;
            block_storage<double> s(length, n, 8, true);
            plain_rows<double> meaning(length * n);
            for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
                if (!cyclic) s.spoil(bounds[k], bounds[k + 1]);
                s.describe(meaning, bounds[k], bounds[k + 1], cyclic);
            }
            auto a = band_matrix<double>::batch(s.view(), array_view<std::int64_t const>(bounds.data(), systems + 1));
            auto layouts = layouts_for(n);
            if (sanitized) layouts = {layouts[std::size_t(n + cyclic) % layouts.size()]};
            for (tree_layout const& how : layouts) check_tree<double>(a, meaning, how, {.cyclic = cyclic});
            // One system has a row of zeros.
            for (int e = 0; e < n * n; ++e)
                s.lower[std::size_t(500 * n * n + e)] = s.upper[std::size_t(500 * n * n + e)] =
                    s.diagonal[std::size_t(500 * n * n + e)] = 0;
            std::vector<double> const d(std::size_t(a.size), 1.0);
            for (tree_layout const& how : layouts) {
                std::vector<std::int64_t> singular(std::size_t(systems), chain::no_row);
                solve_with<double>({how}, a, {.cyclic = cyclic}, d, singular.data());
                for (std::int64_t k = 0; k < systems; ++k)
                    CHECK((singular[std::size_t(k)] != chain::no_row) == (k == 6));
            }
        }
}

TEST_CASE("teams: plans of merges") {
    using namespace chain;
    for (std::int64_t const systems : {1, 2, 7, 66, 200, 100000})
        for (std::int64_t const condensed : {1, 2, 3, 16, 128, 129, 1000, 70000, 3000000}) {
            CAPTURE(systems);
            CAPTURE(condensed);
            auto const plan = plan_tree<double, 8>(systems, condensed, 132, 227 * 1024);
            CHECK(plan.teams() <= 16);
            CHECK(plan.threads % 32 == 0);
            CHECK(plan.threads <= 256);
            CHECK(plan.systems * plan.slices <= std::max<std::int64_t>(systems, max_slices(systems, 132)));
            CHECK((plan.slices == 1 || plan.teams() * merge_lanes<8> == plan.threads));
            CHECK((plan.slices == 1 || condensed / plan.slices >= plan.teams()));
            CHECK(plan.blocks(merge_lanes<8>) * plan.systems_of_block(merge_lanes<8>) >= systems * plan.slices);
            CHECK(tree_memory<double, 8>(plan).bytes() <= 227 * 1024);
        }
    // If a block solves whole systems, its shared memory is proportional to its number of teams.
    auto const memory_of = [](int threads) {
        return tree_memory<double, 8>(tree_plan{.systems = 100, .segments = 16, .threads = threads}).bytes();
    };
    CHECK(memory_of(256) == 2 * memory_of(128));
    // Plans for the sizes of the benchmarks.
    CHECK(plan_tree<float, 4>(1, 65536, 132, 227 * 1024).slices == 132);
    CHECK(plan_tree<float, 4>(1, 64, 132, 227 * 1024).slices == 1);
}

} // namespace coppice::test
