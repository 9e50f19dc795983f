// SPDX-License-Identifier: BSD-3-Clause
// Measurements of `coppice tune` for rpts_tuning.hpp.
#include <algorithm>
#include <vector>

#include <coppice/algebra/random.hpp>
#include <coppice/core/cuda/cuda_event.cuh>
#include <coppice/core/number_text.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_tuning.hpp>

namespace coppice::inline v0_1 {
namespace {

/// Random entries from U(-1, 1): matrix 1 of Table 4.
template <class T>
struct some_entry {
    T* to;
    random_stream random;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = T(random.uniform(std::uint64_t(i), -1, 1)); }
};

/// Memory for batches of `rows` rows, several times the second-level cache, so that no batch finds its data there.
template <class T>
struct rotated_rows {
    std::int64_t total;
    buffer<T> bands[4], x;

    rotated_rows(cuda_executor const& exec, std::int64_t rows)
        : total(rows), bands{{exec, rows}, {exec, rows}, {exec, rows}, {exec, rows}}, x(exec, rows) {
        for (int b = 0; b < 4; ++b)
            for_each(exec, rows, some_entry<T>{bands[b].data(), random_stream(1, std::uint64_t(b))});
    }
    rpts::system_view<T> batch(int k, std::int64_t rows, std::int64_t systems) {
        std::int64_t const all = rows * systems, first = k % std::min<std::int64_t>(total / all, 64) * all;
        return {rows,
                bands[0].data() + first,
                bands[1].data() + first,
                bands[2].data() + first,
                bands[3].data() + first,
                x.data() + first,
                systems,
                1,
                rows,
                all,
                all};
    }
};

/// Median time in microseconds of a solve of such a batch with the choice of `record`.
template <class T>
double measure(cuda_executor const& exec, rotated_rows<T>& data, buffer<std::byte>& workspace, std::int64_t rows,
               std::int64_t systems, tridiagonal_tuning_record const& record) {
    rpts::tuning_table const table({record}, record.device);
    constexpr int samples = 7, calls = 12;
    auto const times = sorted_microseconds(exec, samples, calls, calls, [&](int k) {
        rpts::solve_by_table(exec, table, data.batch(k, rows, systems), reinterpret_cast<T*>(workspace.data()));
    });
    return times[samples / 2];
}

template <class T>
void tune_type(cuda_executor const& exec, std::vector<tridiagonal_tuning_record>& records,
               std::function<void(std::string const&)> const& progress, double margin) {
    using namespace rpts;
    constexpr std::int64_t max_rows = (std::int64_t(1) << 25) / std::int64_t(sizeof(T));
    rotated_rows<T> data(exec, 8 * max_rows);
    std::int64_t bytes = 0;
    for (std::int64_t rows = 16; rows <= max_rows; rows *= 2)
        bytes = std::max(bytes, tridiagonal_batch_workspace(exec, data.batch(0, rows, max_rows / rows)));
    buffer<std::byte> workspace(exec, bytes);
    device_limits const device = limits_of<T>(exec);
    for (int rows_class = 4; (std::int64_t(1) << rows_class) <= max_rows; ++rows_class)
        for (int systems_class = 0; (std::int64_t(1) << (rows_class + systems_class)) <= max_rows; ++systems_class) {
            std::int64_t const rows = std::int64_t(1) << rows_class, systems = std::int64_t(1) << systems_class;
            resident_choice const rule = choose_without<T>(rows, systems, device);
            tridiagonal_tuning_record best{exec.name(), int(sizeof(T)), rows_class, systems_class, rule};
            double const by_rule = best.microseconds = measure<T>(exec, data, workspace, rows, systems, best);
            auto const attempt = [&](resident_choice const& choice) {
                if (choice == rule || !is_possible<T>(choice, rows, systems, device)) return;
                auto other = best;
                other.choice = choice;
                other.microseconds = measure<T>(exec, data, workspace, rows, systems, other);
                if (other.microseconds < best.microseconds) best = other;
            };
            for (int const m : {min_resident_partition<T>, max_resident_partition<T>})
                for (int const threads : {0, 64, 128, 256, 512}) attempt({m, threads});
            attempt({min_partition, 0, true});
            if (best.microseconds > (1 - margin) * by_rule) continue;
            records.push_back(best);
            if (progress) progress(to_line(best) + " # by rule " + coppice::detail::fixed_text(by_rule, 2));
        }
}

} // namespace

tridiagonal_tuning tune_tridiagonal(cuda_executor const& exec, std::function<void(std::string const&)> const& progress,
                                    double margin) {
    tridiagonal_tuning found{exec.name(), {}};
    tune_type<float>(exec, found.records, progress, margin);
    tune_type<double>(exec, found.records, progress, margin);
    return found;
}

} // namespace coppice::inline v0_1
