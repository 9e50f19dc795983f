// SPDX-License-Identifier: BSD-3-Clause
// Measures the records for srcsr_tuning.hpp.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <coppice/core/cuda/cuda_event.cuh>
#include <coppice/semiring/reduce_rows/srcsr_tuning.hpp>
#include <coppice/semiring/spmv/spmv.hpp>

namespace coppice::inline v0_1 {
namespace {

/// Matrix with rows of about `mean` nonzeros and columns in a band like those of a grid. Regular: lengths differ by at
/// most one. Irregular: one row in eight is 5.5 times as long as the mean, and the others are short.
template <class T>
csr<T> band(double mean, std::int64_t nonzeros, bool regular) {
    host_executor const host{1};
    auto const rows = static_cast<std::int32_t>(double(nonzeros) / mean);
    buffer<std::int32_t> offsets(host, std::int64_t(rows) + 1);
    for (std::int32_t i = 0; i <= rows; ++i) {
        double const whole = i / 8, remainder = i % 8;
        offsets[i] = static_cast<std::int32_t>(mean * (regular ? i : whole * 8 + remainder * 2.5 / 7));
    }
    buffer<std::int32_t> columns(host, offsets[rows]);
    buffer<T> values(host, offsets[rows]);
    auto const far = static_cast<std::int32_t>(std::sqrt(double(rows)));
    for (std::int32_t i = 0; i < rows; ++i)
        for (std::int32_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            // Groups of three neighbouring columns with stride `far`, as in a grid.
            std::int32_t const j = k - offsets[i];
            std::int32_t const middle = (offsets[i + 1] - offsets[i]) / 6;
            columns[k] = std::clamp(i + (j / 3 - middle) * far + j % 3 - 1, 0, rows - 1);
            values[k] = T(1) / T(1 + j);
        }
    return {rows, rows, std::move(offsets), std::move(columns), std::move(values)};
}

/// Returns the median time of a product with this tuning in microseconds.
template <class T>
double measure(cuda_executor const& exec, csr_view<T> a, array_view<T const> x, array_view<T> y,
               srcsr_tuning const& tuning) {
    auto const plan = make_srcsr_plan(exec, a, srcsr_options{.tuning = tuning});
    constexpr int samples = 7, calls = 3;
    return sorted_microseconds(exec, samples, calls, calls,
                               [&](int) { spmv(exec, plan, a, x, y, T(1.5), T(0.5)); })[samples / 2];
}

/// Returns the Cartesian product of reasonable parameters for blocks of `threads` threads.
std::vector<tuning_record> candidates(int threads, double mean) {
    using enum segmented_reduction;
    std::vector<tuning_record> all;
    for (int lanes = 1; lanes <= 32; lanes *= 2) {
        double const work = double(threads / lanes) * (mean + 1);
        bool const clamped = double(detail::steps_for_lanes(threads, lanes, mean + 1)) != std::floor(work + 0.5);
        if (clamped && lanes > 1 && lanes < 32) continue; // the same path steps as another candidate
        // The choice of the rule is first: another must be clearly faster to replace it.
        for (int chunk : {32, 16, 64}) {
            tuning_record r;
            r.threads = threads;
            r.lanes = lanes;
            r.lane_chunk = chunk;
            all.push_back(r);
        }
        for (auto reduction : {raking, raking_memoize, warp_scans}) {
            if (threads != srcsr_default_threads) continue; // compiled for one block size
            tuning_record r;
            r.threads = threads;
            r.lanes = lanes;
            r.lane_chunk = 32;
            r.reduction = reduction;
            all.push_back(r);
        }
    }
    return all;
}

template <class T>
void tune_type(cuda_executor const& exec, std::vector<tuning_record>& records,
               std::function<void(std::string const&)> const& progress) {
    constexpr std::int64_t nonzeros = std::int64_t(1) << 25; // several times the second-level cache
    for (double const mean : {1.5, 3.0, 6.0, 9.0, 27.0, 50.0, 81.0, 200.0, 400.0, 1000.0}) {
        auto const a = exec.copy(band<T>(mean, nonzeros, true)), other = exec.copy(band<T>(mean, nonzeros, false));
        buffer<T> x(exec, a.columns()), y(exec, a.rows());
        fill(exec, x.view(), T(1));
        fill(exec, y.view(), T(1));
        for (int const threads : {128, 256}) {
            tuning_record best;
            double best_time = 0;
            for (tuning_record r : candidates(threads, mean)) {
                srcsr_tuning const t{r.threads, detail::steps_for_lanes(r.threads, r.lanes, mean + 1), r.lane_chunk,
                                     r.reduction};
                r.microseconds = measure<T>(exec, a.view(), x.view(), y.view(), t);
                // The choice must be good for regular and irregular rows: add both times.
                double const both = r.microseconds + measure<T>(exec, other.view(), x.view(), y.view(), t);
                if (best.threads == 0 || both < 0.98 * best_time) {
                    best = r;
                    best_time = both;
                }
            }
            best.device = exec.name();
            best.nonzero_bytes = int(sizeof(T) + sizeof(std::int32_t));
            best.length_class = row_length_class(mean);
            if (progress) progress(to_line(best));
            records.push_back(best);
        }
    }
}

} // namespace

std::vector<tuning_record> tune_srcsr(cuda_executor const& exec,
                                      std::function<void(std::string const&)> const& progress) {
    std::vector<tuning_record> records;
    tune_type<float>(exec, records, progress);
    tune_type<double>(exec, records, progress);
    return records;
}

} // namespace coppice::inline v0_1
