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
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <coppice/core/error.hpp>
#include <coppice/csr.hpp>
#include <coppice/generators.hpp>
#include <coppice/graph_algorithms.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/semiring/spgemm/named_product.hpp>
#include <coppice/sparse.hpp>
#include <coppice/spmv.hpp>

#include "fuzz/allocations.hpp"

namespace {

#if COPPICE_COUNTED_MALLOC
namespace fuzz = coppice::fuzz;
using coppice::host_executor;
using bits = std::vector<double>;

struct counts {
    std::int64_t rows = 0, failures = 0, errors = 0, bad_allocs = 0;
};

[[noreturn]] void die(std::string const& why) {
    fuzz::fail_allocations(fuzz::failures::none, 0);
    std::fprintf(stderr, "coppice_failing_resources: %s\n", why.c_str());
    std::exit(1);
}

bool same_bits(bits const& a, bits const& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

template <class Range>
void append(bits& all, Range const& values) {
    for (auto const value : values) all.push_back(double(value));
}

/// The problems of all rows, and copies of them to compare with.
struct problems {
    coppice::csr<double> grid, graph;
    std::vector<double> b;

    /// Several threads share work from some thousand rows on.
    explicit problems(host_executor const& exec)
        : grid(coppice::generate<double>(exec, "laplace2d", {.nx = exec.threads() > 1 ? 80 : 12})),
          graph(coppice::generate<double>(exec, "rmat", {.scale = exec.threads() > 1 ? 10 : 5, .edge_factor = 4})),
          b(std::size_t(grid.rows())) {
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = double(i % 7) - 3;
    }
    bits all() const {
        bits found(b);
        for (auto const* a : {&grid, &graph}) {
            append(found, a->row_offsets());
            append(found, a->column_indices());
            append(found, a->values());
        }
        return found;
    }
};

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

void check_row(std::string const& name, problems const& given, std::int64_t limit, std::function<bits()> const& work,
               counts& all) {
    auto const inputs = given.all();
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
    if (!same_bits(given.all(), inputs)) die(name + ": a failure has changed the inputs");
    if (auto const lost = fuzz::held_bytes() - held; lost > 32768)
        die(name + ": " + std::to_string(lost) + " bytes are lost after " + std::to_string(made / step) + " failures");
    ++all.rows;
}

class registry {
public:
    registry(char const* title, int threads, std::int64_t limit, std::string only, problems const& given)
        : title_(title), threads_(threads), limit_(limit), only_(std::move(only)), given_(given) {}
    ~registry() {
        std::printf("%-18s %d thread%s %3lld rows, %6lld failures: %lld coppice::error, %lld std::bad_alloc\n", title_,
                    threads_, threads_ == 1 ? ", " : "s,", static_cast<long long>(all_.rows),
                    static_cast<long long>(all_.failures), static_cast<long long>(all_.errors),
                    static_cast<long long>(all_.bad_allocs));
        std::fflush(stdout);
    }
    registry(registry const&) = delete;
    void check(std::string_view name, std::function<bits()> const& work) {
        auto const full = std::string(title_) + " " + std::string(name);
        if (full.find(only_) != std::string::npos) check_row(full, given_, limit_, work, all_);
    }

private:
    char const* title_;
    int threads_;
    std::int64_t limit_;
    std::string only_;
    problems const& given_;
    counts all_;
};

bits of_matrix(coppice::csr<double> const& a) {
    bits found;
    append(found, a.row_offsets());
    append(found, a.column_indices());
    append(found, a.values());
    return found;
}

bits of_answer(coppice::graph_answer const& answer) {
    bits found;
    if (auto const* values = std::get_if<coppice::graph_answer::values>(&answer.found)) append(found, *values);
    if (auto const* numbers = std::get_if<coppice::graph_answer::vertex_numbers>(&answer.found))
        append(found, *numbers);
    for (auto const& fact : answer.facts)
        if (fact.first.find("seconds") == std::string::npos) found.push_back(fact.second);
    return found;
}

void check_all(int threads, std::int64_t limit, std::string const& only) {
    host_executor const exec(threads);
    problems const given(exec);
    auto const grid = given.grid.view(), graph = given.graph.view();
    coppice::array_view<double const> const b(given.b.data(), std::int64_t(given.b.size()));
    {
        registry all("semiring", threads, limit, only, given);
        for (auto const name : coppice::semiring_names) {
            all.check(name, [&] {
                std::vector<double> y(given.b.size());
                auto const plan = coppice::make_srcsr_plan(exec, grid);
                coppice::semiring_spmv(exec, plan, name, grid, b, coppice::array_view<double>(y.data(), b.size()));
                return y;
            });
            all.check(std::string(name) + ", product", [&] { return of_matrix(coppice::mxm(exec, name, grid, grid)); });
        }
        all.check("transpose", [&] { return of_matrix(coppice::transpose(exec, graph)); });
    }
    {
        registry all("preconditioner", threads, limit, only, given);
        for (auto const& row : coppice::preconditioner_catalogue) {
            if (coppice::find_unmet_need(exec, row.needs, grid)) continue;
            all.check(row.name, [&] {
                std::vector<double> z(given.b.size());
                auto const m = coppice::make_preconditioner(exec, row.name, grid);
                m.apply(exec, b, coppice::array_view<double>(z.data(), b.size()));
                return z;
            });
        }
    }
    {
        registry all("krylov", threads, limit, only, given);
        coppice::csr_operator<host_executor, double> const op(exec, grid);
        auto const m = coppice::make_preconditioner(exec, "jacobi", grid);
        for (auto const name : coppice::krylov_names)
            all.check(name, [&] {
                std::vector<double> x(given.b.size());
                auto const result =
                    coppice::solve(exec, name, op, m, b, coppice::array_view<double>(x.data(), b.size()),
                                   {.tolerance = 1e-8, .max_iterations = 60});
                x.push_back(double(result.iterations));
                return x;
            });
    }
    {
        registry all("graph algorithm", threads, limit, only, given);
        for (auto const& row : coppice::graph_algorithm_catalogue)
            all.check(row.name, [&] {
                coppice::analytics_options options;
                options.undirected = true;
                return of_answer(coppice::run_graph_algorithm(exec, row.name, graph, options));
            });
    }
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
