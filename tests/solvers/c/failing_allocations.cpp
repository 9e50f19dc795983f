// SPDX-License-Identifier: BSD-3-Clause
// Handles of coppice.h while memory runs out: each allocation fails once, alone or with all that follow. Every call
// succeeds or returns COPPICE_STATUS_ALLOC_FAILED with a message, and nothing is leaked. A separate program, whose
// malloc fails.
#include <coppice/coppice.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fuzz/allocations.hpp"

#if COPPICE_COUNTED_MALLOC
namespace fuzz = coppice::fuzz;

namespace {

constexpr int n = 40;
std::int32_t offsets[n + 1], indices[3 * n];
double values[3 * n], b[n], x[n];

void fill_arrays() {
    std::int32_t k = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = i - 1; j <= i + 1; ++j)
            if (j >= 0 && j < n) {
                indices[k] = j;
                values[k++] = i == j ? 3 : -1;
            }
        offsets[i + 1] = k;
        b[i] = 1;
    }
}

struct handles {
    coppice_executor_t exec = nullptr;
    coppice_matrix_t matrix = nullptr, columns = nullptr;
    coppice_preconditioner_t preconditioner = nullptr;
    coppice_result_t solved = nullptr, chosen = nullptr, found = nullptr;

    ~handles() {
        void* const all[] = {exec, matrix, columns, preconditioner, solved, chosen, found};
        for (void* const one : all)
            if (coppice_destroy(one) != COPPICE_STATUS_SUCCESS) std::abort();
    }
};

coppice_status_t work() {
    handles h;
    auto const nonzeros = std::int64_t(offsets[n]);
    coppice_status_t s = coppice_executor_create("host,threads=1", nullptr, &h.exec);
    auto const then = [&](auto const& call) {
        if (s == COPPICE_STATUS_SUCCESS) s = call();
    };
    auto const make = [&](char const* options, coppice_matrix_t* to) {
        return coppice_matrix_create(h.exec, n, n, nonzeros, COPPICE_INT32, offsets, indices, COPPICE_DOUBLE, values,
                                     options, to);
    };
    then([&] { return make(nullptr, &h.matrix); });
    then([&] { return make("order=columns", &h.columns); });
    then([&] { return coppice_matrix_set_values(h.columns, values, nonzeros); });
    then([&] { return coppice_spmv(h.columns, "min-plus", b, n, x, n, nullptr, nullptr); });
    then([&] { return coppice_preconditioner_create(h.matrix, "forest", nullptr, 0, &h.preconditioner); });
    then([&] { return coppice_preconditioner_refresh(h.preconditioner, h.matrix); });
    then([&] { return coppice_solve(h.matrix, h.preconditioner, "cg", b, x, n, 1, &h.solved); });
    then([&] { return coppice_solve(h.matrix, nullptr, "auto", b, x, n, 1, &h.chosen); });
    then([&] { return coppice_graph(h.matrix, "bfs,source=3", &h.found); });
    char const* text = nullptr;
    then([&] { return coppice_describe("preconditioners", &text); });
    return s;
}

bool fails(char const* what, std::int64_t first) {
    std::printf("allocation %lld: %s\n", static_cast<long long>(first), what);
    return false;
}

/// Makes each allocation fail, one after the other, until work() succeeds without one that failed.
bool fail_each(fuzz::failures which) {
    for (std::int64_t first = 0;; ++first) {
        auto const held = fuzz::held_bytes();
        fuzz::fail_allocations(which, first);
        auto const status = work();
        bool const through = fuzz::allocations() <= first;
        fuzz::fail_allocations(fuzz::failures::none, 0);
        if (status != COPPICE_STATUS_SUCCESS && status != COPPICE_STATUS_ALLOC_FAILED)
            return fails(coppice_last_error(), first);
        if (status != COPPICE_STATUS_SUCCESS && !std::strstr(coppice_last_error(), "memory") &&
            !std::strstr(coppice_last_error(), "thread"))
            return fails(coppice_last_error(), first);
        if (through && status != COPPICE_STATUS_SUCCESS) return fails("an error without a failure", first);
        if (fuzz::held_bytes() > held + 4096) return fails("memory is leaked", first); // a longer message may be kept
        if (through) {
            std::printf("%lld allocations failed in turn\n", static_cast<long long>(first));
            return first > 50;
        }
    }
}

} // namespace

int main() {
    fill_arrays();
    if (work() != COPPICE_STATUS_SUCCESS || work() != COPPICE_STATUS_SUCCESS) return EXIT_FAILURE; // warms up
    return fail_each(fuzz::failures::one) && fail_each(fuzz::failures::all_from) ? EXIT_SUCCESS : EXIT_FAILURE;
}
#else
int main() { return 77; } // skipped: sanitizers have their own malloc
#endif
