// SPDX-License-Identifier: BSD-3-Clause
// Suite `tridiagonal` on CUDA: Coppice and cuSPARSE gtsv2 with and without pivoting; repetitions alternate between
// buffers that exceed the cache.
#include <cmath>

#include <cusparse.h>
#include <thrust/iterator/transform_output_iterator.h>

#include "bench/cuda_timing.cuh"
#include "bench/problems/random_bands.hpp"
#include "bench/tridiagonal_cuda.cuh"
#include <coppice/core/look_back_scan.hpp>
#include <coppice/solvers/compare/classical.hpp>
#include <coppice/solvers/compare/spike.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>
#include <coppice/solvers/direct/interface/tridiagonal_solver.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>

namespace coppice::bench {
namespace {

/// The three bands and right-hand side of matrix 1 of Table 4, and storage for the solution.
template <class T>
struct system {
    buffer<T> lower, diagonal, upper, rhs, x;
    system(cuda_executor const& exec, std::int64_t n, std::uint64_t seed)
        : lower(exec, n), diagonal(exec, n), upper(exec, n), rhs(exec, n), x(exec, n) {
        buffer<T>* const bands[] = {&lower, &diagonal, &upper, &rhs};
        for (std::uint64_t b = 0; b < 4; ++b) draw(exec, *bands[b], 4 * seed + b);
        fill(exec, lower.view().slice(0, 1), T(0)); // cuSPARSE requires zeros outside of the matrix
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

/// The methods of L.-W. Chang's thesis: SPIKE with each of its options, and diagonal pivoting by recurrences.
template <class At, class Add>
void measure_documents(cuda_executor const& exec, int samples, int batch, int power, At const& at, Add const& add) {
    using value = typename std::decay_t<decltype(at(0).x)>::value_type;
    auto const measured = [&](std::string const& name, auto const& solve) {
        auto const time = measure_queued(exec, samples, batch, [&](int r) { solve(at(r)); });
        double const error = tridiagonal_backward_error(exec, at(0).view(), at(0).x.view(), at(0).rhs.view());
        add("coppice " + name, time, 0, text(", backward error %.1e", error));
    };
    struct variant {
        char const* name;
        spike_options options;
    };
    using layout = spike_layout;
    for (variant const w : {variant{"SPIKE", {}}, variant{"SPIKE-Thomas", {.pivots = false}},
                            variant{"SPIKE, as stored, not tiled, three passes",
                                    {.partition = 64, .layout = layout::as_stored, .watermark = 0, .fused = false}},
                            variant{"SPIKE, marshalled, not tiled, three passes",
                                    {.partition = 64, .layout = layout::marshalled, .watermark = 0, .fused = false}},
                            variant{"SPIKE, marshalled, tiled, three passes",
                                    {.partition = 64, .layout = layout::marshalled, .watermark = 4, .fused = false}},
                            variant{"SPIKE, marshalled, tiled, fused",
                                    {.partition = 64, .layout = layout::marshalled, .watermark = 4, .fused = true}}})
        measured(w.name, [&](auto& s) {
            solve_spike(exec, s.view(), columns_view<value const>(s.rhs.view()), columns_view<value>(s.x.view()),
                        w.options);
        });
    if (power < 16) return;
    measured("diagonal pivoting by recurrences", [&](auto& s) {
        solve_classical(exec, s.view(), 1, array_view<value const>(s.rhs.view()), s.x.view(),
                        {classical_algorithm::parallel_diagonal});
    });
}

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
    auto const add = [&](std::string const& method, timing const& time, double elements, std::string const& details) {
        rows.push_back({"tridiagonal", "cuda", problem, method, "", n, 0, time.median, time.fastest,
                        elements * double(n) * sizeof(T), 0,
                        text("%.0f MRows/s", double(n) / time.median * 1e-6) + details,
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
    measure_documents(exec, samples, batch, power, at, add);
    // cuSPARSE overwrites the right-hand side: it works on x, which is copied before each call; the time of the copy is
    // subtracted.
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

/// y_i = factor_i y_{i-1} + offset_i: 3 n elements to move.
struct recurrence_row {
    float const *factor, *offset;
    __host__ __device__ classical::first_order<float> operator()(std::int64_t i) const {
        return {factor[i], offset[i]};
    }
};
struct keep_offset {
    float* y;
    __host__ __device__ void operator()(std::int64_t i, classical::first_order<float> const& r) const {
        y[i] = r.offset;
    }
};
struct offset_of {
    __host__ __device__ float operator()(classical::first_order<float> const& r) const { return r.offset; }
};
/// For CUB, which passes the earlier operand first.
struct earlier_first {
    __host__ __device__ classical::first_order<float> operator()(classical::first_order<float> const& earlier,
                                                                 classical::first_order<float> const& later) const {
        return later * earlier;
    }
};

void measure_recurrence(table& t, options const& o, cuda_executor const& exec, int power) {
    std::int64_t const n = std::int64_t(1) << power;
    std::string const problem = text("first-order recurrence, 2^%d, float", power);
    if (!t.wants(problem)) return;
    int const copies = copies_past_cache(3.0 * double(n) * sizeof(float));
    std::vector<system<float>> systems;
    for (int c = 0; c < copies; ++c) systems.emplace_back(exec, n, std::uint64_t(c) + 1);
    auto const at = [&](int r) -> system<float>& { return systems[std::size_t(r % copies)]; };
    int const samples = o.quick ? 3 : 15, batch = o.quick ? 2 : std::max(10, copies);
    std::vector<row> rows;
    auto const add = [&](std::string const& method, timing const& time) {
        rows.push_back({"tridiagonal", "cuda", problem, method, "", n, 0, time.median, time.fastest,
                        3.0 * double(n) * sizeof(float), 0, text("%.0f MRows/s", double(n) / time.median * 1e-6),
                        "first-order recurrence, float", "rows", double(n)});
    };
    add("coppice look_back_scan", measure_queued(exec, samples, batch, [&](int r) {
            look_back_scan(exec, n, recurrence_row{at(r).lower.data(), at(r).rhs.data()}, classical::merged_products{},
                           keep_offset{at(r).x.data()});
        }));
    buffer<unsigned char> storage(exec, n / 8 + (1 << 20));
    add("CUB DeviceScan", measure_queued(exec, samples, batch, [&](int r) {
            auto const input = thrust::make_transform_iterator(thrust::make_counting_iterator<std::int64_t>(0),
                                                               recurrence_row{at(r).lower.data(), at(r).rhs.data()});
            auto const output = thrust::make_transform_output_iterator(at(r).x.data(), offset_of{});
            auto bytes = std::size_t(storage.size());
            COPPICE_CUDA_CHECK(cub::DeviceScan::InclusiveScan(storage.data(), bytes, input, output, earlier_first{}, n,
                                                              exec.stream()));
        }));
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
    measure_recurrence(t, o, exec, o.quick ? 12 : 25);
    tridiagonal_classes_cuda(t, o, exec, handle);
    cusparseDestroy(handle);
}

} // namespace coppice::bench
