// SPDX-License-Identifier: BSD-3-Clause
// Suite `tridiagonal` on CUDA: Coppice and cuSPARSE gtsv2 with and without pivoting, rotated buffers past the cache.
#include <cmath>

#include <cusparse.h>

#include "bench/cuda_timing.cuh"
#include "bench/random_bands.hpp"
#include "bench/tridiagonal_cuda.cuh"
#include <coppice/solvers/rpts/rpts.hpp>

namespace coppice::bench {
namespace {

/// The three bands and right-hand side of matrix 1 of Table 4, and room for the solution.
template <class T>
struct system {
    buffer<T> lower, diagonal, upper, rhs, x;
    system(cuda_executor const& exec, std::int64_t n, std::uint64_t seed)
        : lower(exec, n), diagonal(exec, n), upper(exec, n), rhs(exec, n), x(exec, n) {
        buffer<T>* const bands[] = {&lower, &diagonal, &upper, &rhs};
        for (std::uint64_t b = 0; b < 4; ++b) draw(exec, *bands[b], 4 * seed + b);
        fill(exec, lower.view().slice(0, 1), T(0)); // cuSPARSE wants the corners zero
        fill(exec, upper.view().slice(n - 1, 1), T(0));
    }
    tridiagonal_view<T> view() const { return {lower.size(), lower.data(), diagonal.data(), upper.data()}; }
};

#define COPPICE_GTSV2(suffix)                                                                                          \
    std::size_t gtsv2##suffix##_bytes(cusparseHandle_t h, int n, system<float>& s) {                                   \
        std::size_t bytes = 0;                                                                                         \
        cusparseSgtsv2##suffix##_bufferSizeExt(h, n, 1, s.lower.data(), s.diagonal.data(), s.upper.data(), s.x.data(), \
                                               n, &bytes);                                                             \
        return bytes;                                                                                                  \
    }                                                                                                                  \
    std::size_t gtsv2##suffix##_bytes(cusparseHandle_t h, int n, system<double>& s) {                                  \
        std::size_t bytes = 0;                                                                                         \
        cusparseDgtsv2##suffix##_bufferSizeExt(h, n, 1, s.lower.data(), s.diagonal.data(), s.upper.data(), s.x.data(), \
                                               n, &bytes);                                                             \
        return bytes;                                                                                                  \
    }                                                                                                                  \
    cusparseStatus_t gtsv2##suffix(cusparseHandle_t h, int n, system<float>& s, void* storage) {                       \
        return cusparseSgtsv2##suffix(h, n, 1, s.lower.data(), s.diagonal.data(), s.upper.data(), s.x.data(), n,       \
                                      storage);                                                                        \
    }                                                                                                                  \
    cusparseStatus_t gtsv2##suffix(cusparseHandle_t h, int n, system<double>& s, void* storage) {                      \
        return cusparseDgtsv2##suffix(h, n, 1, s.lower.data(), s.diagonal.data(), s.upper.data(), s.x.data(), n,       \
                                      storage);                                                                        \
    }
COPPICE_GTSV2()
COPPICE_GTSV2(_nopivot)

template <class T>
void measure_size(table& t, options const& o, cuda_executor const& exec, cusparseHandle_t handle, int power) {
    std::int64_t const n = std::int64_t(1) << power;
    std::string const problem = text("matrix 1, 2^%d, %s", power, sizeof(T) == 8 ? "double" : "float");
    if (!t.wants(problem)) return;
    int const copies = copies_past_cache(5.0 * double(n) * sizeof(T));
    std::vector<system<T>> systems;
    for (int c = 0; c < copies; ++c) systems.emplace_back(exec, n, std::uint64_t(c) + 1);
    auto const at = [&](int r) -> system<T>& { return systems[std::size_t(r % copies)]; };
    int const samples = o.quick ? 3 : 15, batch = o.quick ? 2 : std::max(10, copies);
    std::vector<row> rows;
    auto const add = [&](std::string const& method, timing const& time, double elements, std::string const& note) {
        rows.push_back({"tridiagonal", "cuda", problem, method, "", n, 0, time.median, time.fastest,
                        elements * double(n) * sizeof(T), 0,
                        text("%.0f MRows/s", double(n) / time.median * 1e-6) + note,
                        text("one system, matrix 1, %s", sizeof(T) == 8 ? "double" : "float"), "rows", double(n)});
    };
    buffer<std::byte> workspace(exec, tridiagonal_workspace<T>(n));
    struct scheme {
        pivoting pivot;
        char const* name;
    };
    for (scheme const s : {scheme{pivoting::partial, "partial"}, scheme{pivoting::scaled_partial, "scaled partial"},
                           scheme{pivoting::none, "no"}}) {
        auto const time = measure_queued(exec, samples, batch, [&](int r) {
            solve_tridiagonal(exec, at(r).view(), at(r).rhs.view(), at(r).x.view(), workspace.view(),
                              tridiagonal_options{s.pivot, 0});
        });
        double const error =
            tridiagonal_backward_error(exec, systems[0].view(), systems[0].x.view(), systems[0].rhs.view());
        add(text("coppice RPTS, %s pivoting", s.name), time, 9, text(", backward error %.1e", error));
    }
    if (power <= 22)
        add("coppice RPTS, partial pivoting, in a CUDA graph",
            measure_in_graph(exec, samples, std::max(20, batch),
                             [&](int r) {
                                 solve_tridiagonal(exec, at(r).view(), at(r).rhs.view(), at(r).x.view(),
                                                   workspace.view(), tridiagonal_options{});
                             }),
            9, "");
    // cuSPARSE overwrites the right-hand side: it works on x, refilled before each call outside of what it is charged.
    auto const copy_time =
        measure_queued(exec, samples, batch, [&](int r) { exec.copy_elements(at(r).rhs.data(), at(r).x.data(), n); });
    auto const peer = [&](std::string const& name, std::size_t bytes, auto const& solve) {
        buffer<unsigned char> storage(exec, std::int64_t(bytes) + 1);
        auto time = measure_queued(exec, samples, batch, [&](int r) {
            exec.copy_elements(at(r).rhs.data(), at(r).x.data(), n);
            if (solve(at(r), storage.data()) != CUSPARSE_STATUS_SUCCESS) throw device_error(name + " failed");
        });
        time.median -= copy_time.median;
        time.fastest -= copy_time.fastest;
        double const error =
            tridiagonal_backward_error(exec, systems[0].view(), systems[0].x.view(), systems[0].rhs.view());
        add(name, time, 0,
            text(", backward error %.1e, workspace %.0f %%", error,
                 100.0 * double(bytes) / (4.0 * double(n) * sizeof(T))));
    };
    peer("cuSPARSE gtsv2", gtsv2_bytes(handle, int(n), systems[0]),
         [&](system<T>& s, void* storage) { return gtsv2(handle, int(n), s, storage); });
    peer("cuSPARSE gtsv2_nopivot", gtsv2_nopivot_bytes(handle, int(n), systems[0]),
         [&](system<T>& s, void* storage) { return gtsv2_nopivot(handle, int(n), s, storage); });
    t.add(std::move(rows));
}

} // namespace

void tridiagonal_cuda(table& t, options const& o) {
    cuda_executor const exec;
    t.remark(device_text(exec) +
             text("; copy ceiling %.0f GB/s at 1 GiB", copy_ceiling(exec, std::int64_t(1) << 30) * 1e-9));
    cusparseHandle_t handle = nullptr;
    if (cusparseCreate(&handle) != CUSPARSE_STATUS_SUCCESS) throw device_error("cusparseCreate failed");
    cusparseSetStream(handle, exec.stream());
    for (int const power : o.quick ? std::vector<int>{12} : std::vector<int>{12, 16, 20, 22, 25}) {
        measure_size<float>(t, o, exec, handle, power);
        measure_size<double>(t, o, exec, handle, power);
    }
    tridiagonal_classes_cuda(t, o, exec, handle);
    cusparseDestroy(handle);
}

} // namespace coppice::bench
