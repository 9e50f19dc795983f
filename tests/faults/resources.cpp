// SPDX-License-Identifier: BSD-3-Clause
// Runs every method of every registry (semirings, generators, preconditioners, Krylov methods, graph algorithms) and
// makes allocations fail: one allocation for each call, alone or with all later ones. The call may throw
// coppice::error, or std::bad_alloc if a standard container allocates, and nothing else. It must not change its inputs
// or leak memory, and the same call must afterwards return bitwise the same result as before the failure.
//
//   coppice_failing_resources [ALLOCATIONS [NAME]]    maximum number of failing allocations for each method, evenly
//                                                     distributed (default 30); only methods whose name contains NAME
//   exit code 77: skipped, since sanitizers replace the allocator
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "faults/registry_rows.hpp"
#include "fuzz/allocations.hpp"

namespace {

#if COPPICE_COUNTED_MALLOC
namespace fuzz = coppice::fuzz;
namespace test = coppice::test;
using coppice::host_executor;
using test::bits, test::same_bits;
using problems = test::row_problems<host_executor>;

struct counts {
    std::int64_t rows = 0, failures = 0, errors = 0, bad_allocs = 0;
};

[[noreturn]] void die(std::string const& why) {
    fuzz::fail_allocations(fuzz::failures::none, 0);
    std::fprintf(stderr, "coppice_failing_resources: %s\n", why.c_str());
    std::exit(1);
}

/// Runs `work` with allocation `first` failing. Returns whether that many allocations were made.
bool fail_once(std::string const& name, fuzz::failures which, std::int64_t first, std::function<bits()> const& work,
               counts& all) {
    bool refused = false;
    fuzz::fail_allocations(which, first);
    try {
        work();
    } catch (coppice::error const& e) {
        refused = true;
        ++all.errors;
    } catch (std::bad_alloc const&) {
        refused = true;
        ++all.bad_allocs;
    } catch (std::exception const& e) {
        die(name + ", allocation " + std::to_string(first) +
            ": an exception that is neither coppice::error nor "
            "std::bad_alloc: " +
            e.what());
    }
    bool const reached = fuzz::allocations() > first;
    fuzz::fail_allocations(fuzz::failures::none, 0);
    all.failures += reached;
    if (refused && !reached) die(name + ": fails although no allocation has failed");
    return reached;
}

void check_row(std::string const& name, host_executor const& exec, problems const& given, std::int64_t limit,
               std::function<bits()> const& work, counts& all) {
    auto const inputs = given.all(exec);
    auto const expected = work(); // caches between calls are allocated here
    fuzz::fail_allocations(fuzz::failures::none, 0);
    fuzz::fail_allocations(fuzz::failures::one, -1); // counts
    if (!same_bits(work(), expected)) die(name + ": two calls have different bits");
    auto const made = fuzz::allocations();
    fuzz::fail_allocations(fuzz::failures::none, 0);
    auto const step = std::max<std::int64_t>(1, made / limit);
    auto const held = fuzz::held_bytes();
    for (auto const which : {fuzz::failures::one, fuzz::failures::all_from})
        for (std::int64_t first = 0; first < made; first += step) {
            auto const before = fuzz::held_bytes();
            fail_once(name, which, first, work, all);
            if (auto const lost = fuzz::held_bytes() - before; lost > 32768)
                die(name + ": " + std::to_string(lost) + " bytes are lost after allocation " + std::to_string(first) +
                    (which == fuzz::failures::one ? "" : " and all that follow"));
            if (first % (8 * step) == 0 && !same_bits(work(), expected))
                die(name + ": other bits after a failure of allocation " + std::to_string(first));
        }
    if (!same_bits(work(), expected)) die(name + ": other bits after failing allocations");
    if (!same_bits(given.all(exec), inputs)) die(name + ": a failure has changed the inputs");
    if (auto const lost = fuzz::held_bytes() - held; lost > 32768)
        die(name + ": " + std::to_string(lost) + " bytes are lost after " + std::to_string(made / step) + " failures");
    ++all.rows;
}

void check_all(int threads, std::int64_t limit, std::string const& only) {
    host_executor const exec(threads);
    problems const given(exec, threads > 1);
    std::vector<std::pair<std::string, counts>> registries;
    test::for_each_row(exec, given, [&](char const* registry, std::string const& row, auto const& work) {
        if (registries.empty() || registries.back().first != registry) registries.emplace_back(registry, counts{});
        auto const name = std::string(registry) + " " + row;
        if (name.find(only) != std::string::npos) check_row(name, exec, given, limit, work, registries.back().second);
    });
    for (auto const& [title, all] : registries)
        std::printf("%-18s %d thread%s %3lld rows, %6lld failures: %lld coppice::error, %lld std::bad_alloc\n",
                    title.c_str(), threads, threads == 1 ? ", " : "s,", static_cast<long long>(all.rows),
                    static_cast<long long>(all.failures), static_cast<long long>(all.errors),
                    static_cast<long long>(all.bad_allocs));
}
#endif

} // namespace

int main([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {
#if COPPICE_COUNTED_MALLOC
    std::int64_t const limit = argc > 1 ? std::atoll(argv[1]) : 30;
    if (limit < 1) {
        std::fprintf(stderr, "ALLOCATIONS is %s, expected a number of at least 1\n", argv[1]);
        return 2;
    }
    for (int const threads : {1, 2}) check_all(threads, limit, argc > 2 ? argv[2] : "");
    return 0;
#else
    return 77;
#endif
}
